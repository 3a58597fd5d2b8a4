"""Heat maps of all pairs of rules: who says the same, who errs together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thumbwise.assess.tables.pairs import like_together, square
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.display.plotting.style import SMALL, column, finish, inches_for, name_columns, name_rows, new_axes
from thumbwise.exceptions import InvalidChoiceError

# Both can be told apart in every kind of colour blindness: by lightness, or by blue against orange.
_MAPS = {"agreement": ("viridis", 0.0, 1.0), "correlation": ("PuOr_r", -1.0, 1.0)}
_UNKNOWN = "0.6"


def plot_agreement(table: Any, rule_names: Sequence[object], ax: Any = None) -> Any:
    """For every two rules, the share of shared items that get the same vote; like rules stand side by side.

    Parameters
    ----------
    table : Tidy or frame
        Columns ``first``, ``second``, ``agreement``. From :func:`thumbwise.assess.tables.agreement_table`.
    rule_names : sequence
        Names of the rules that the table numbers.
    ax : matplotlib.axes.Axes, optional

    Examples
    --------
    >>> table = {"first": [0, 0, 1], "second": [1, 2, 2], "agreement": [0.9, 0.5, None]}
    >>> plot_agreement(table, ["a", "b", "c"]).images[0].get_array().shape
    (3, 3)
    """
    return _heat_map(table, "agreement", rule_names, ax, "same vote, share of shared items")


def plot_error_correlation(table: Any, rule_names: Sequence[object], ax: Any = None) -> Any:
    """For every two rules, the phi coefficient of their errors on gold; grey where it is not known.

    Parameters
    ----------
    table : Tidy or frame
        Columns ``first``, ``second``, ``correlation``. From :func:`thumbwise.assess.tables.errors_table`.
    rule_names : sequence
    ax : matplotlib.axes.Axes, optional

    Examples
    --------
    >>> ax = plot_error_correlation({"first": [0], "second": [1], "correlation": [-0.5]}, ["a", "b"])
    >>> ax.images[0].get_array().tolist()
    [[1.0, -0.5], [-0.5, 1.0]]
    """
    return _heat_map(table, "correlation", rule_names, ax, "correlation of errors on gold")


def _heat_map(table: Any, name: str, rule_names: Sequence[object], ax: Any, title: str) -> Any:
    pairs = _checked(table, name, len(rule_names))
    matrix = square(pairs, name, len(rule_names))
    order = like_together(matrix)
    room = inches_for(len(rule_names), least=2.2, most=8.0) if ax is None else None
    ax = new_axes(ax, width=(room or 0) + 2.8, height=(room or 0) + 2.2)
    colours, low, high = _MAPS[name]
    ax.set_facecolor(_UNKNOWN)
    shown = np.ma.masked_invalid(matrix[np.ix_(order, order)])
    image = ax.imshow(shown, cmap=colours, vmin=low, vmax=high, aspect="equal", interpolation="nearest")
    names = [rule_names[j] for j in order.tolist()]
    name_rows(ax, names, room)
    name_columns(ax, names, room)
    ax.set_xlim(-0.5, len(names) - 0.5)
    ax.set_ylim(len(names) - 0.5, -0.5)
    bar = ax.get_figure().colorbar(image, ax=ax, shrink=0.6)
    bar.ax.tick_params(labelsize=SMALL)
    return finish(ax, title=f"{title}; grey: not known")


def _checked(table: Any, name: str, n_rules: int) -> Tidy:
    pairs = Tidy.of({key: column(table, key) for key in ("first", "second", name)})
    largest = max([*pairs["first"], *pairs["second"]], default=-1)
    if largest >= n_rules:
        raise InvalidChoiceError(
            f"rule_names must name every rule of the table; found {n_rules} names and a rule at position {largest}. "
            "Pass the names of the rules that the table was made of, in their order."
        )
    return pairs
