"""Plots of tidy tables: every figure of the report and of the paper. Needs matplotlib, the extra ``plots``.

Each function takes a table of ``thumbwise.displays`` (or any frame with these columns), draws it on the axes given or
on those of a new figure, and returns the axes; ``table.frame()`` has the numbers. pyplot is never imported, so
nothing global changes and no window opens. Colours are those of Okabe and Ito, or vary in lightness.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thumbwise.display.plotting.of_accepting import plot_accepted
from thumbwise.display.plotting.of_bounds import plot_certificate, plot_frontier, plot_plan
from thumbwise.display.plotting.of_pairs import plot_agreement, plot_error_correlation
from thumbwise.display.plotting.of_predictions import plot_confidences, plot_reliability
from thumbwise.display.plotting.of_rules import plot_gold_intervals, plot_weights
from thumbwise.display.plotting.style import SMALL, new_axes

__all__ = [
    "plot_accepted",
    "plot_agreement",
    "plot_breakdown",
    "plot_certificate",
    "plot_confidences",
    "plot_convergence",
    "plot_error_correlation",
    "plot_frontier",
    "plot_gold_intervals",
    "plot_plan",
    "plot_reliability",
    "plot_weights",
]


def plot_breakdown(table: Sequence[Any], ax: Any = None) -> Any:
    """The paper's figure of the loss on one dataset, in its parts, against the number of labels.

    Parameters
    ----------
    table : sequence of rows
        Those of one dataset from :func:`thumbwise.paper.experiments.figures.breakdown_table`.
    ax : matplotlib.axes.Axes, optional

    Examples
    --------
    >>> losses = {"model_uncertainty": 0.2, "loss_min": 0.3, "loss_mean": 0.4, "loss_max": 0.6}
    >>> lines = {"dawid_skene_true": 0.25, "dawid_skene_em": 0.5}
    >>> rows = [{"dataset": "mine", "n_gold": n, **losses, **lines} for n in (100, 200)]
    >>> plot_breakdown(rows).get_title()
    'mine'
    """
    from thumbwise.paper.experiments import drawing  # noqa: PLC0415  # the paper's experiments are seldom needed

    given, ax = ax, new_axes(ax, width=3.4, height=3.6)
    drawing.plot_breakdown(table, ax=ax)
    return ax if given is not None else _with_legend(ax)


def plot_convergence(table: Sequence[Any], ax: Any = None) -> Any:
    """The paper's synthetic experiment: divergence from the truth against the number of items.

    Parameters
    ----------
    table : sequence of rows
        From :func:`thumbwise.paper.experiments.figures.convergence_table`.
    ax : matplotlib.axes.Axes, optional

    Examples
    --------
    >>> row = {"method": "OCDS", "n_items": 100, "kl_mean": 0.1, "slope_of_mean": None}
    >>> plot_convergence([row]).get_xlabel()
    'items'
    """
    from thumbwise.paper.experiments import drawing  # noqa: PLC0415  # the paper's experiments are seldom needed

    given, ax = ax, new_axes(ax, width=3.4, height=3.6)
    drawing.plot_convergence(table, ax=ax)
    return ax if given is not None else _with_legend(ax)


def _with_legend(ax: Any) -> Any:
    """A new figure has room for a legend below its axes."""
    ax.get_figure().legend(loc="outside lower center", fontsize=SMALL, frameon=False)
    return ax
