"""The certificate on one axis, and the bound against caution and against the number of gold labels."""

from __future__ import annotations

import math
from typing import Any

from thumbwise.display.plotting.style import BLUE, GREEN, GREY, SKY, SMALL, column, fact, finish, new_axes, numbers
from thumbwise.summaries import level_name, level_value

_COLOURS = {"guessing": GREY, "baseline": GREY, "bound": BLUE, "entropy": SKY, "floor": GREEN}


def plot_certificate(table: Any, ax: Any = None) -> Any:
    """Mean log losses as bars: guessing, the bound, the entropy and, if planned, the floor. Shorter is better.

    Parameters
    ----------
    table : Tidy or frame
        Columns ``what``, ``log_loss``; fact ``is_guarantee``. From :func:`thumbwise.assess.tables.certificate_table`.
    ax : matplotlib.axes.Axes, optional

    Examples
    --------
    >>> ax = plot_certificate({"what": ["guessing", "bound"], "log_loss": [0.6931, 0.5001]})
    >>> [text.get_text() for text in ax.texts]
    ['0.693', '0.501']
    """
    what, losses = column(table, "what"), numbers(table, "log_loss")
    ax = new_axes(ax, height=1.0 + 0.35 * len(what))
    ax.barh(range(len(what)), losses, color=[_COLOURS.get(name, GREY) for name in what], height=0.6)
    for row, (name, value) in enumerate(zip(what, losses, strict=True)):
        ax.annotate(
            level_value(name, value), (value, row), (3, 0), textcoords="offset points", va="center", fontsize=SMALL
        )
    ax.set_yticks(range(len(what)), [level_name(name) for name in what])
    ax.set_ylim(len(what) - 0.4, -0.6)
    ax.set_xlim(0, 1.15 * max([*losses, 1e-9]))
    title = "no guarantee" if fact(table, "is_guarantee") is False else ""
    return finish(ax, x="mean log loss in nats", title=title)


def plot_frontier(table: Any, ax: Any = None) -> Any:
    """Bound and expected log loss by caution, the most cautious to the left, the regression at the right end.

    Accuracies are not drawn: they have another unit. The dashed line is the model's caution.

    Parameters
    ----------
    table : Tidy or frame
        Columns ``caution``, ``bound``, ``log_loss``, ``is_chosen``. From
        :func:`thumbwise.assess.tables.frontier_table`.
    ax : matplotlib.axes.Axes, optional

    Examples
    --------
    >>> table = {"caution": [1.0, 0.5, None], "bound": [0.5, 0.6, 0.8], "log_loss": [0.4, 0.3, 0.2]}
    >>> ax = plot_frontier({**table, "is_chosen": [False, True, False]})
    >>> ax.lines[0].get_ydata().tolist(), ax.get_xlabel()
    ([0.5, 0.6], 'caution')
    """
    cautions, chosen = column(table, "caution"), column(table, "is_chosen")
    places = [0.0 if caution is None or math.isnan(caution) else float(caution) for caution in cautions]
    ax = new_axes(ax)
    for name, what, colour, style in (("bound", "bound", BLUE, "-"), ("log_loss", "expected on gold", GREEN, "--")):
        values, curve = numbers(table, name), [i for i, place in enumerate(places) if place > 0]
        ax.plot([places[i] for i in curve], [values[i] for i in curve], style, color=colour, lw=1.4, label=what)
        ends = [i for i, place in enumerate(places) if place == 0]
        ax.scatter([0.0 for _ in ends], [values[i] for i in ends], color=colour, s=16)
    for place in {place for place, is_chosen in zip(places, chosen, strict=True) if is_chosen}:
        ax.axvline(place, color=GREY, ls=":", lw=1.2, label=f"caution {place:g}")
    ticks = [1.0, 0.8, 0.6, 0.4, 0.2, 0.0]
    ax.set_xticks(ticks, [f"{tick:g}" if tick else "regression" for tick in ticks])
    ax.set_xlim(1.03, -0.06)
    ax.set_ylim(bottom=0)
    ax.legend(fontsize=SMALL, frameon=False)
    return finish(ax, x="caution", y="mean log loss")


def plot_plan(table: Any, ax: Any = None) -> Any:
    """The planned bound against the number of gold labels, with the loss of guessing and the floor as lines.

    Parameters
    ----------
    table : Tidy or frame
        Columns ``n_gold``, ``planned_bound``; facts ``floor``, ``guessing``. From
        :func:`thumbwise.assess.tables.plan_table`.
    ax : matplotlib.axes.Axes, optional

    Examples
    --------
    >>> ax = plot_plan({"n_gold": [100, 200, 400], "planned_bound": [0.6, 0.5, 0.45]})
    >>> ax.get_xscale(), ax.lines[0].get_ydata().tolist()
    ('log', [0.6, 0.5, 0.45])
    """
    sizes, bounds = numbers(table, "n_gold"), numbers(table, "planned_bound")
    ax = new_axes(ax)
    ax.plot(sizes, bounds, color=BLUE, marker="o", ms=3.5, lw=1.4, label="planned bound")
    levels = {name: fact(table, name) for name in ("guessing", "floor")}
    for name, value in levels.items():
        if value is not None:
            style = "--" if name == "guessing" else ":"
            ax.axhline(value, color=_COLOURS[name], ls=style, lw=1.2, label=f"{name}, {value:.3f}")
    ax.set_xscale("log", base=2)
    ticks = _ticks(sizes)
    ax.set_xticks(ticks, [f"{round(size):,}" for size in ticks])
    ax.minorticks_off()
    ax.set_ylim(0, 1.08 * max([*bounds, *(value for value in levels.values() if value is not None)]))
    ax.legend(fontsize=SMALL, frameon=False)
    return finish(ax, x="gold labels", y="bound on the mean log loss")


def _ticks(sizes: list[float]) -> list[float]:
    """At most six sizes, evenly among those of the table, the first one among them."""
    return sizes[:: max(1, math.ceil(len(sizes) / 6))]
