"""The share of labels that may be accepted, against how precise they are."""

from __future__ import annotations

from typing import Any

from thumbwise.display.plotting.style import BLUE, GREEN, GREY, SMALL, fact, finish, new_axes, numbers
from thumbwise.outward import level


def plot_accepted(table: Any, ax: Any = None) -> Any:
    """Accepted share of the labels against their precision: guaranteed, all rows at once, and estimated on gold.

    Between two precisions what the stricter one accepts is guaranteed, so the curve has steps. A thin line joins what
    is guaranteed of a set with what is estimated of it. Where nothing is accepted there is no estimate.

    Parameters
    ----------
    table : Tidy or frame
        Columns ``precision``, ``accepted``, ``estimate``; facts ``is_guarantee``, ``confidence_level``. From
        :func:`thumbwise.assess.tables.accepted_table`.
    ax : matplotlib.axes.Axes, optional

    Examples
    --------
    >>> ax = plot_accepted({"precision": [0.8, 0.9], "accepted": [0.7, 0.0], "estimate": [0.92, None]})
    >>> [label.get_text() for label in ax.get_legend().get_texts()]
    ['guaranteed', 'estimated']
    """
    columns = (numbers(table, name) for name in ("precision", "accepted", "estimate"))
    asked, shares, estimates = zip(*sorted(zip(*columns, strict=True)), strict=True)
    ax = new_axes(ax)
    known = [i for i, share in enumerate(shares) if share > 0 and estimates[i] == estimates[i]]
    heights = [shares[i] for i in known]
    ax.hlines(heights, [asked[i] for i in known], [estimates[i] for i in known], colors=GREY, lw=0.6)
    promised = "no guarantee" if fact(table, "is_guarantee") is False else "guaranteed"
    ax.plot(asked, shares, "-o", color=BLUE, ms=4, lw=1.4, drawstyle="steps-pre", label=promised)
    ax.plot([estimates[i] for i in known], heights, "D", color=GREEN, ms=4, mfc="white", label="estimated")
    ax.set_xlim(min([*asked, *(estimates[i] for i in known), 0.99]) - 0.01, 1.005)
    ax.set_ylim(-0.03, 1.05)
    ax.legend(fontsize=SMALL, frameon=False)
    return finish(
        ax, x="share of right labels among those accepted", y="accepted share of all labels", title=_all(table)
    )


def _all(table: Any) -> str:
    """How sure all rows together are."""
    confidence = fact(table, "confidence_level")
    if confidence is None or fact(table, "is_guarantee") is False:
        return ""
    return f"all guarantees at once, with {level(confidence)} confidence"
