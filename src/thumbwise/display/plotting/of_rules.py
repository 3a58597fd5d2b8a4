"""Plots with a row per rule: its accuracy on gold against chance, and its weight."""

from __future__ import annotations

from typing import Any

from thumbwise.assess.tables.rules import against_chance
from thumbwise.display.plotting.style import (
    BLUE,
    GREY,
    VERMILLION,
    column,
    fact,
    finish,
    inches_for,
    name_rows,
    new_axes,
    numbers,
)

_ACTIVE = {"lower": BLUE, "upper": VERMILLION}
_SIDES = {"better": BLUE, "worse": VERMILLION, "open": GREY}


def plot_gold_intervals(table: Any, ax: Any = None) -> Any:
    """Each rule's accuracy on gold with its interval, the best first, and the accuracy of guessing as a line.

    Blue intervals lie above guessing, red ones below, grey ones on both sides of it. A rule without gold votes has an
    interval and no dot. The order is seen after gold: to choose rules by it voids the guarantee, but for
    :meth:`thumbwise.Box.without_rules`.

    Parameters
    ----------
    table : Tidy or frame
        Columns ``rule``, ``gold_accuracy``, ``lower``, ``upper``; fact ``chance``. From
        :func:`thumbwise.assess.tables.rules_table`.
    ax : matplotlib.axes.Axes, optional
        What to draw on; absent: a new figure, ``ax.figure`` of what is returned.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> table = {"rule": ["a", "b"], "gold_accuracy": [0.9, None], "lower": [0.8, 0.0], "upper": [0.95, 1.0]}
    >>> ax = plot_gold_intervals(table)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['a', 'b']
    """
    rules, observed = column(table, "rule"), numbers(table, "gold_accuracy")
    lower, upper, chance = numbers(table, "lower"), numbers(table, "upper"), fact(table, "chance")
    order = sorted(range(len(rules)), key=lambda j: -(lower[j] + upper[j]))
    ax, room = _axes_for_rows(ax, len(rules))
    rows = list(range(len(order)))
    colours = [_side(lower[j], upper[j], chance) for j in order]
    thin = _thin(len(rules))
    ax.hlines(rows, [lower[j] for j in order], [upper[j] for j in order], colors=colours, lw=2.2 * thin)
    ax.scatter([observed[j] for j in order], rows, c=colours, s=16 * thin, zorder=3)
    if chance is not None:
        ax.axvline(chance, color="black", ls="--", lw=0.9)
    ax.set_xlim(-0.01, 1.01)
    name_rows(ax, [rules[j] for j in order], room)
    title = "" if chance is None else f"dashed: guessing, {chance:.3g}"
    return finish(ax, x="accuracy", title=title)


def plot_weights(table: Any, ax: Any = None) -> Any:
    """Each rule's weight as a bar, the largest first: blue if its lower bound is active, red if its upper one is.

    Parameters
    ----------
    table : Tidy or frame
        Columns ``rule``, ``weight``, ``active``. From :func:`thumbwise.assess.tables.rules_table`.
    ax : matplotlib.axes.Axes, optional

    Examples
    --------
    >>> ax = plot_weights({"rule": ["a", "b"], "weight": [0.5, 1.5], "active": ["lower", "lower"]})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['b', 'a']
    """
    rules, weights, active = column(table, "rule"), numbers(table, "weight"), column(table, "active")
    order = sorted(range(len(rules)), key=lambda j: (weights[j] != weights[j], -weights[j]))
    ax, room = _axes_for_rows(ax, len(rules))
    colours = [_ACTIVE.get(active[j], GREY) for j in order]
    ax.barh(range(len(order)), [weights[j] for j in order], color=colours, height=0.7)
    ax.axvline(0, color="black", lw=0.8)
    name_rows(ax, [rules[j] for j in order], room)
    return finish(ax, x="weight: log-odds per vote", title="blue: lower bound active; red: upper bound active")


def _axes_for_rows(ax: Any, n_rows: int) -> tuple[Any, float | None]:
    """Axes, and their height in inches if they are new."""
    if ax is not None:
        return ax, None
    room = inches_for(n_rows, least=1.6, most=11.0)
    return new_axes(None, height=room + 0.8), room


def _side(lower: float, upper: float, chance: float | None) -> str:
    return BLUE if chance is None else _SIDES[against_chance(lower, upper, chance)]


def _thin(n_rows: int) -> float:
    """Full size up to 60 rows, then ever smaller."""
    return min(1.0, 60 / max(1, n_rows))
