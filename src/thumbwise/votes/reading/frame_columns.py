"""Columns of frames of any kind as numbers or as indexed strings; what is missing is marked, whatever its kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.exceptions import InPython, InvalidVotesError
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.tables.opened_frames import is_missing
from thumbwise.votes.reading.coding import StringColumn, index_strings


def refuse_mixture(names: Sequence[str], textual: Sequence[bool], silent: Sequence[bool]) -> None:
    """Columns of strings beside columns of numbers are an error; a silent column goes with both."""
    numeric = [n for n, text, mute in zip(names, textual, silent, strict=True) if not text and not mute]
    if numeric:
        string = names[list(textual).index(True)]
        raise InvalidVotesError(
            f"votes must be all numbers or all strings; rule {string!r} holds strings, rule {numeric[0]!r} numbers "
            f"({sum(textual)} columns of strings, {len(numeric)} of numbers). Convert them to one kind; a column of "
            "ids or texts is no rule: ",
            InPython("name it as item_ids or "),
            "drop it.",
        )


def plain_column(column: nw.Series[Any]) -> nw.Series[Any]:
    """Objects and categories that are all numbers become a column of numbers."""
    present = _objects_of(column)
    if not present or not all(isinstance(value, (int, float, np.number, np.bool_)) for value in present):
        return column
    numbers = [None if is_missing(value) else float(value) for value in column.to_list()]
    return nw.new_series(column.name, numbers, nw.Float64, backend=column.implementation)


def holds_booleans(column: nw.Series[Any]) -> bool:
    """Whether whatever is not missing is true or false."""
    present = _objects_of(column)
    return column.dtype == nw.Boolean or (
        bool(present) and all(isinstance(value, (bool, np.bool_)) for value in present)
    )


def _objects_of(column: nw.Series[Any]) -> list[Any]:
    """What is there in a column of objects or categories, of the latter each once; nothing of other columns."""
    if column.dtype not in (nw.Object, nw.Categorical, nw.Enum):
        return []
    objects = column if column.dtype == nw.Object else column.unique()
    return [value for value in objects.to_list() if not is_missing(value)]


def is_text(column: nw.Series[Any]) -> bool:
    """Whether the values are strings, or objects that could be."""
    return column.dtype in (nw.String, nw.Categorical, nw.Enum, nw.Object)


def index_text(column: nw.Series[Any], name: str) -> StringColumn:
    """Distinct strings, and each item's index into them."""
    if column.dtype != nw.Object:
        # Entries of an Arrow dictionary may be null themselves; before pyarrow 26 only their strings show it.
        column = column.cast(nw.String)
    missing = column.is_null().to_numpy()
    if missing.all():
        return [], np.full(len(column), ABSTAIN)
    if column.dtype == nw.Object:
        return index_strings(column.to_list(), name)
    present = column.filter(~column.is_null())
    strings = [str(value) for value in present.unique().to_list()]
    index: IntArray = np.full(len(column), ABSTAIN)
    numbers = list(range(len(strings)))
    index[~missing] = present.replace_strict(strings, numbers, return_dtype=nw.Int64).to_numpy()
    return strings, index


def to_numbers(column: nw.Series[Any], name: str) -> AnyArray:
    """Numbers, with ABSTAIN or NaN where one is missing."""
    if column.null_count() == len(column):
        return np.full(len(column), ABSTAIN, dtype=np.int8)
    if column.dtype == nw.Boolean or column.dtype.is_integer():
        if column.null_count():
            column = column.cast(nw.Int64).fill_null(ABSTAIN)
        return np.asarray(column.to_numpy())
    if column.dtype.is_numeric():
        return np.asarray(column.cast(nw.Float64).fill_null(float("nan")).to_numpy())
    raise InvalidVotesError(
        f"votes must be numbers or strings; rule {name!r} has type {column.dtype}. "
        "Convert it, or drop it if it is no rule."
    )
