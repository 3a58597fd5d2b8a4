"""View of a model in a notebook: scikit-learn's diagram, and under it the numbers that a fit is about."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

from thumbwise.summaries import Shown, one_line, show_model, visible

_MOST_NAMES = 8


class ShownInNotebooks:
    """Adds a line or two about the fit to scikit-learn's diagram, which stays as it is before the fit."""

    def _repr_html_inner(self) -> str:
        return _printable(str(super()._repr_html_inner())) + fit_as_html(self)  # type: ignore[misc]  # scikit-learn's

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] = _printable(bundle["text/html"]) + fit_as_html(self)
        return bundle

    def __rich__(self) -> Any:
        return show_model(self).rich()


def fit_as_html(model: Any) -> str:
    """Rules, classes, what is certified, and weights if there are any, as HTML in which every name is text.

    Empty before the fit.

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
    about = Shown(lines[0], remarks=tuple(lines[1:])).html()
    weights = show_model(model)
    return about + (
        replace(weights, title="weight: log-odds that one vote adds", remarks=()).html() if weights.rows else ""
    )


def _printable(html: str) -> str:
    """HTML of others with characters that do not show, or that turn the text around, written as escapes."""
    return "".join(c if c in "\n\t\r" else visible(c) for c in html)


def _listed(what: str, names: Sequence[Hashable]) -> str:
    shown = ", ".join(one_line(name) for name in names[:_MOST_NAMES])
    return f"{len(names):,} {what}: {shown}" + (", ..." if len(names) > _MOST_NAMES else "")
