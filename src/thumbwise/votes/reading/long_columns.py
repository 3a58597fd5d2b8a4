"""The columns of long votes in any container, and the distinct values of a column."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from numbers import Number
from typing import Any

import narwhals as nw
import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.exceptions import Argument, InPython, InvalidVotesError
from thumbwise.tables.coded import Coded, in_order_of_appearance
from thumbwise.tables.opened_frames import is_missing, open_frame

_SMALL_TABLE = 2**20
# What NumPy may turn into such an array; it would also round large integers among floats.
_LOSSLESS: dict[str, type] = {"f": float, "c": complex}
_LONGEST_SHOWN = 200


@dataclass(frozen=True)
class Column:
    """Distinct values in the order of first appearance, and each row's index into them."""

    values: AnyArray
    index: IntArray

    @property
    def missing(self) -> AnyArray:
        """Which of the distinct values are None, NaN, NaT or NA."""
        if self.values.dtype.kind in "OT":
            plain = self.values.tolist()
            if set(map(type, plain)) == {str}:
                return np.zeros(len(plain), dtype=bool)
            return np.array([is_missing(value) for value in plain], dtype=bool)
        return np.asarray(self.values != self.values)  # NaN and NaT differ from themselves

    def rows_of(self, chosen: AnyArray) -> IntArray:
        """Rows that hold one of the chosen distinct values."""
        return np.flatnonzero(chosen[self.index])


@dataclass(frozen=True)
class LongTable:
    """The three columns, and words for what is wrong in them."""

    items: Column
    rules: Column
    labels: Column

    def place(self, strange: AnyArray) -> str:
        """The first of the strange labels, where it is, and how many there are."""
        rows = self.labels.rows_of(strange)
        item, rule, label = (plain_value(c.values[c.index[rows[0]]]) for c in (self.items, self.rules, self.labels))
        return f"{show(label)} at item {show(item)}, rule {show(str(rule))} (row {rows[0]}; {len(rows)} such votes)"


def plain_value(value: Any) -> Any:
    """A NumPy scalar as what Python has for it."""
    return value.item() if isinstance(value, np.generic) else value


def show(value: object) -> str:
    """A value as Python writes it, cut where it is long."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no integer of more than 4,300 digits
        return f"a number of type {type(value).__name__} with thousands of digits"
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "..."


def open_columns(votes: Any, names: Sequence[str]) -> list[AnyArray | Coded]:
    """Columns of a frame or a mapping by name; of rows, or of a tuple of columns, by position. All equally long."""
    columns = [
        column if isinstance(column, Coded) else as_array(column, name)
        for column, name in zip(_find_columns(votes, names), names, strict=True)
    ]
    lengths = [len(column) for column in columns]
    if len(set(lengths)) > 1:
        shown = ", ".join(f"{name!r} {length}" for name, length in zip(names, lengths, strict=True))
        raise InvalidVotesError(f"the columns of long votes must be equally long; found {shown}.")
    return columns


def _find_columns(votes: Any, names: Sequence[str]) -> Iterable[Any]:
    frame = open_frame(votes, "votes")
    if frame is not None:
        _refuse_absent(names, frame.columns)
        return [frame.get_column(name) for name in names]
    if isinstance(votes, Mapping):
        _refuse_absent(names, list(votes))
        return [votes[name] for name in names]
    if isinstance(votes, tuple) and len(votes) == len(names):
        return votes
    return _columns_of_rows(votes, names)


def _refuse_absent(names: Sequence[str], present: Sequence[Any]) -> None:
    absent = [name for name in names if name not in present]
    if absent:
        raise InvalidVotesError(
            f"long votes must have the columns {', '.join(map(repr, names))}; found {list(present)[:20]}, without "
            f"{absent[0]!r}. Name the columns with ",
            Argument("item", ...),
            ", ",
            Argument("rule", ...),
            " and ",
            Argument("label", ...),
            InPython("; for one column per rule use Votes"),
            ".",
        )


def _columns_of_rows(rows: Any, names: Sequence[str]) -> Iterable[Any]:
    is_rows = isinstance(rows, Sequence) and not isinstance(rows, str)
    shape = np.shape(rows) if not is_rows else (len(rows), 3)
    odd = [i for i, row in enumerate(rows) if not _is_triple(row)] if is_rows else []
    if len(shape) != 2 or shape[1] != 3 or odd:
        instead = f"row {odd[0]} is {rows[odd[0]]!r:.60} ({len(odd)} such rows)" if odd else f"shape {shape}"
        raise InvalidVotesError(
            f"long votes must be rows of three values ({', '.join(names)}), a tuple of three columns, a mapping or a "
            f"frame; found {instead}."
        )
    if not is_rows:
        return np.asarray(rows).T
    return list(zip(*rows, strict=True)) or [(), (), ()]


def _is_triple(row: object) -> bool:
    return isinstance(row, (Sequence, np.ndarray)) and not isinstance(row, str) and len(row) == 3


def as_array(column: Any, name: str) -> AnyArray:
    """One dimension, of the kind that the values have: NumPy would make strings of numbers among strings."""
    series = nw.from_native(column, allow_series=True, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return _of_series(series)
    if isinstance(column, np.ma.MaskedArray):
        mask, column = np.ma.getmaskarray(column), column.data.astype(object)
        column[mask] = None
    if isinstance(column, np.ndarray) and column.ndim == 1:
        return column
    if isinstance(column, (str, bytes, np.ndarray)) or not isinstance(column, Iterable):
        raise InvalidVotesError(f"column {name!r} must be a sequence of values; found {column!r:.80}.")
    return _of_list(list(column))


def _of_series(series: nw.Series[Any]) -> AnyArray:
    dtype, has_gaps = series.dtype, bool(series.null_count())
    if dtype.is_float():
        return np.asarray((series.fill_null(float("nan")) if has_gaps else series).to_numpy())
    if not has_gaps and (dtype.is_integer() or dtype.is_temporal() or dtype == nw.Boolean):
        return np.asarray(series.to_numpy())
    return _objects(series.to_list())


def _of_list(values: list[Any]) -> AnyArray:
    """Numbers as NumPy has them, all else as objects: its strings take the room of the longest each."""
    kinds = set(map(type, values))
    if kinds and all(issubclass(kind, str) for kind in kinds):
        # NumPy's would also lose zeros at their end.
        return _objects(values if kinds == {str} else [str.__str__(value) for value in values])
    if not all(issubclass(kind, (Number, np.generic)) and not issubclass(kind, (str, bytes)) for kind in kinds):
        return _objects(values)
    array = np.asarray(values)
    alike = _LOSSLESS.get(array.dtype.kind, object)
    return array if array.ndim == 1 and all(issubclass(kind, alike) for kind in kinds) else _objects(values)


def _objects(values: Sequence[Any]) -> AnyArray:
    return np.fromiter(values, dtype=object, count=len(values))


def find_distinct(values: AnyArray | Coded) -> Column:
    """Distinct values by a table if they are integers close together, by sorting other numbers, by hashing the rest.

    Those of a coded column, in which nothing may be missing, are known.
    """
    if isinstance(values, Coded):
        return Column(values.values, values.index)
    if values.dtype.kind in "biu" and len(values):
        low, high = values.min(), values.max()
        if int(high) - int(low) < max(_SMALL_TABLE, 4 * len(values)):
            wide = values if values.dtype.kind == "u" else values.astype(np.int64)
            return _appearing(values, (wide - wide.dtype.type(low)).astype(np.int64))
    if values.dtype.kind in "biufMm":
        return _appearing(values, np.unique(values, return_inverse=True)[1])
    plain = values.tolist()
    number: defaultdict[Any, int] = defaultdict(count().__next__)  # a value not seen before gets the next one
    try:
        index = np.fromiter(map(number.__getitem__, plain), dtype=np.int64, count=len(plain))
    except TypeError:
        raise InvalidVotesError(
            "items, rules and labels must be numbers, strings or other hashable values; found "
            f"{next(value for value in plain if not _is_hashable(value))!r:.80}."
        ) from None
    return _appearing(values, index)


def _appearing(values: AnyArray, codes: IntArray) -> Column:
    """``codes`` tell the values apart."""
    rows, _, index = in_order_of_appearance(codes)
    return Column(values[rows], index)


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
