"""Style of all plots: colours, figures without global state, and names of rules that never run into each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from thumbwise.exceptions import InvalidChoiceError, MissingPackageError
from thumbwise.summaries import one_line

# Colours of Okabe and Ito, which colour-blind people can tell apart.
BLUE, SKY, GREEN, ORANGE, VERMILLION, GREY = "#0072B2", "#56B4E9", "#009E73", "#E69F00", "#D55E00", "#666666"
SMALL, NORMAL = 7, 8
_LONGEST_NAME, _LONGEST_READ = 25, 200
# Height of a line of small text with the space around it, in inches.
_LINE = 1.5 * SMALL / 72
# Of axes that somebody else made, the share that is left for sure once titles and names have taken theirs.
_SURE = 0.7


def new_axes(ax: Any, *, width: float = 5.0, height: float = 3.2) -> Any:
    """The axes given, or those of a new figure that pyplot knows nothing of."""
    if ax is not None:
        return ax
    try:
        figure = import_module("matplotlib.figure").Figure(figsize=(width, height), dpi=120, layout="constrained")
    except ImportError as error:
        raise MissingPackageError(
            "plots need the package matplotlib, which is not installed. Install it with pip install 'thumbwise[plots]'."
        ) from error
    return figure.add_subplot()


def inches_for(n_rows: int, *, least: float, most: float) -> float:
    """Room for the names of some rows, between a least and a greatest length."""
    return min(most, max(least, 1.05 * _LINE * n_rows))


def column(table: Any, name: str) -> list[Any]:
    """A column of a tidy table, or of any frame or mapping that has one of this name."""
    try:
        return list(table[name])
    except (KeyError, TypeError, IndexError) as error:
        raise InvalidChoiceError(
            f"the table must have a column {name!r}; found {type(table).__name__} with "
            f"{', '.join(map(str, getattr(table, 'columns', ()) or ())) or 'no columns'}. Pass a table of "
            "thumbwise.assess.tables."
        ) from error


def numbers(table: Any, name: str) -> list[float]:
    """A column of numbers, NaN where nothing is known."""
    return [math.nan if value is None else float(value) for value in column(table, name)]


def fact(table: Any, name: str) -> Any:
    """A single number that belongs to the table; None if it has none, as a plain frame."""
    return getattr(table, "facts", {}).get(name)


def as_label(name: object) -> str:
    r"""A name on one line, cut in the middle if it is long, in which no dollar sign begins a formula.

    Examples
    --------
    >>> as_label("a rule that has a very long name 17"), as_label("US$")
    ('a rule that ha... name 17', 'US\\$')
    """
    shown = one_line(name, _LONGEST_READ)
    if len(shown) > _LONGEST_NAME:  # names of a family differ at their ends
        shown = f"{shown[: _LONGEST_NAME - 11]}...{shown[-8:]}"
    return shown.replace("$", r"\$")


def name_rows(ax: Any, names: Sequence[object], inches: float | None = None) -> None:
    """Names beside rows 0, 1, ... from the top; only every second, third, ... where they would run into each other.

    ``inches`` is the height of the axes, if it is known; otherwise it is estimated, and rather too small.
    """
    shown = range(0, len(names), thinning(len(names), _inches(ax)[1] if inches is None else inches))
    ax.set_yticks(list(shown), [as_label(names[i]) for i in shown], fontsize=SMALL)
    ax.set_ylim(len(names) - 0.4, -0.6)


def name_columns(ax: Any, names: Sequence[object], inches: float | None = None) -> None:
    """Names below columns 0, 1, ..., upright, thinned in the same way."""
    shown = range(0, len(names), thinning(len(names), _inches(ax)[0] if inches is None else inches))
    ax.set_xticks(list(shown), [as_label(names[i]) for i in shown], fontsize=SMALL, rotation=90)


def thinning(n_names: int, inches: float) -> int:
    """Every how many-th name is shown so that lines of text fit into a length.

    Examples
    --------
    >>> thinning(3, 2.0), thinning(300, 12.0)
    (1, 4)
    """
    return max(1, math.ceil(n_names * _LINE / max(inches, _LINE)))


def _inches(ax: Any) -> tuple[float, float]:
    """Width and height that axes have for sure. Those of equal aspect are as wide as high."""
    place, (width, height) = ax.get_position(), ax.get_figure().get_size_inches()
    sides = float(place.width * width * _SURE), float(place.height * height * _SURE)
    return (min(sides), min(sides)) if ax.get_aspect() != "auto" else sides


def finish(ax: Any, *, x: str = "", y: str = "", title: str = "") -> Any:
    """Titles of both axes in the common size; returns the axes."""
    ax.set_xlabel(x, fontsize=NORMAL)
    ax.set_ylabel(y, fontsize=NORMAL)
    if title:
        ax.set_title(title, fontsize=NORMAL)
    ax.tick_params(labelsize=SMALL)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    return ax
