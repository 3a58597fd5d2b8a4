"""View of a model in a notebook: scikit-learn's diagram, and under it the numbers that a fit is about."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from html import escape
from typing import Any

from thumbwise.summaries import one_line, show_model

_MOST_NAMES = 8


class ShownInNotebooks:
    """Adds a line or two about the fit to scikit-learn's diagram, which stays as it is before the fit."""

    def _repr_html_inner(self) -> str:
        return str(super()._repr_html_inner()) + fit_as_html(self)  # type: ignore[misc]  # scikit-learn's BaseEstimator

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += fit_as_html(self)
        return bundle

    def __rich__(self) -> Any:
        return show_model(self).rich()


def fit_as_html(model: Any) -> str:
    """Rules, classes and what is certified, as HTML in which every name is text; empty before the fit.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0, 1], [1, 1]], rule_names=["short", "<b>"], class_names=["ham", "spam"])
    >>> print(fit_as_html(tw.MajorityVote().fit(votes)))
    <div><p>2 rules: short, &lt;b&gt;</p><p>2 classes: ham, spam</p></div>
    """
    if not hasattr(model, "classes_"):
        return ""
    lines = [_listed("rules", model.rule_names_), _listed("classes", model.classes_.tolist())]
    if model.known_ is not None:
        lines.append(f"{len(model.known_):,} items keep their known label")
    if hasattr(model, "certificate_"):
        lines.append(str(model.certificate_))
    return "<div>" + "".join(f"<p>{escape(line)}</p>" for line in lines) + "</div>"


def _listed(what: str, names: Sequence[Hashable]) -> str:
    shown = ", ".join(one_line(name) for name in names[:_MOST_NAMES])
    return f"{len(names):,} {what}: {shown}" + (", ..." if len(names) > _MOST_NAMES else "")
