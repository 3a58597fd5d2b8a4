"""Plots of predictions: how sure they are, and whether they are right as often as they say."""

from __future__ import annotations

from typing import Any

from thumbwise.display.plotting.style import BLUE, ORANGE, SMALL, column, fact, finish, new_axes, numbers


def plot_confidences(table: Any, ax: Any = None) -> Any:
    """How many items have a largest probability in each bin, with the mean as a line.

    Parameters
    ----------
    table : Tidy or frame
        Columns ``lower``, ``upper``, ``n_items``; fact ``mean``. From
        :func:`thumbwise.assess.tables.confidence_table`.
    ax : matplotlib.axes.Axes, optional

    Examples
    --------
    >>> ax = plot_confidences({"lower": [0.5, 0.75], "upper": [0.75, 1.0], "n_items": [3, 5]})
    >>> [float(bar.get_height()) for bar in ax.patches]
    [3.0, 5.0]
    """
    lower, upper, mean = numbers(table, "lower"), numbers(table, "upper"), fact(table, "mean")
    ax = new_axes(ax)
    widths = [high - low for low, high in zip(lower, upper, strict=True)]
    ax.bar(lower, numbers(table, "n_items"), widths, align="edge", color=BLUE, edgecolor="white", lw=0.5)
    if mean is not None:
        ax.axvline(mean, color=ORANGE, lw=1.4)
    title = "" if mean is None else f"line: mean, {mean:.3f}"
    return finish(ax, x="probability of the most probable class", y="items", title=title)


def plot_reliability(table: Any, ax: Any = None) -> Any:
    """How often predictions are right against how sure they are, with intervals; honest ones lie on the diagonal.

    Parameters
    ----------
    table : Tidy or frame
        Columns ``n_items``, ``confidence``, ``accuracy``, ``accuracy_lower``, ``accuracy_upper``. From
        :func:`thumbwise.assess.tables.reliability_table`, of predictions that have not seen the labels.
    ax : matplotlib.axes.Axes, optional

    Examples
    --------
    >>> table = {"n_items": [9], "confidence": [0.8], "accuracy": [0.7]}
    >>> ax = plot_reliability(table | {"accuracy_lower": [0.4], "accuracy_upper": [0.9]})
    >>> [text.get_text() for text in ax.texts]
    ['9']
    """
    sure, right = numbers(table, "confidence"), numbers(table, "accuracy")
    low, high = numbers(table, "accuracy_lower"), numbers(table, "accuracy_upper")
    ax = new_axes(ax, width=4.0, height=4.0)
    start = min([0.5, *sure])
    ax.plot([start, 1], [start, 1], color="black", ls="--", lw=0.9)
    ax.vlines(sure, low, high, colors=BLUE, lw=1.8)
    ax.scatter(sure, right, c=BLUE, s=18, zorder=3)
    for x, y, n in zip(sure, high, column(table, "n_items"), strict=True):
        ax.annotate(f"{n:,}", (x, y), (0, 2), textcoords="offset points", ha="center", fontsize=SMALL - 1)
    ax.set_xlim(start - 0.02, 1.02)
    ax.set_ylim(-0.02, 1.08)
    return finish(ax, x="how sure, on average", y="how often right", title="numbers: items in the bin")
