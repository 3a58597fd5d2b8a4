"""Opens what people pass as votes, arrays or frames of any kind, without yet asking which values are classes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from thumbwise._typing import AnyArray, IntArray
from thumbwise.exceptions import InvalidVotesError
from thumbwise.patterns import ABSTAIN
from thumbwise.reading.coding import StringColumn, index_strings, is_missing


@dataclass(frozen=True)
class RawVotes:
    """A table of numbers, or one column of strings per rule, with the names that came along."""

    numbers: AnyArray | None
    strings: Sequence[StringColumn]
    rule_names: tuple[str, ...]
    item_ids: npt.ArrayLike | None


def open_votes(data: Any, item_ids: npt.ArrayLike | str | None, rule_names: Sequence[str] | None) -> RawVotes:
    """Open an array-like or a frame; a string as ``item_ids`` names the frame's column of ids."""
    if isinstance(data, np.ndarray):  # the usual case, before looking for frames of all kinds
        return _open_array(data, item_ids, rule_names)
    if sp.issparse(data):
        raise InvalidVotesError(
            "votes must be dense: in a sparse matrix the zeros that are not stored could be votes for class 0 or "
            "abstentions. Pass votes.toarray() if they are votes; if they are abstentions, put -1 there first."
        )
    try:
        frame = nw.from_native(data, pass_through=True)
    except nw.exceptions.DuplicateError:
        repeated = first_repeated([str(name) for name in data.columns])
        raise InvalidVotesError(
            f"rule names must be unique; the frame has several columns named {repeated!r}. Rename them."
        ) from None
    if isinstance(frame, nw.LazyFrame):
        raise InvalidVotesError("votes must be in memory; found a lazy frame. Collect it first.")
    if isinstance(frame, nw.DataFrame):
        return _open_frame(frame, item_ids, rule_names)
    return _open_array(data, item_ids, rule_names)


def first_repeated(values: Sequence[Hashable]) -> Hashable | None:
    """First value that occurs a second time."""
    seen: set[Hashable] = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None


def check_ids(ids: npt.ArrayLike, n_items: int) -> AnyArray:
    """One id per item, none missing, none twice."""
    values = np.asarray(ids)
    if values.ndim != 1 or len(values) != n_items:
        raise InvalidVotesError(f"item_ids must be one id per item; found shape {values.shape} for {n_items} items.")
    missing = [i for i, value in enumerate(values) if is_missing(value)] if values.dtype.kind in "Of" else []
    if missing:
        raise InvalidVotesError(
            f"item_ids must not be missing; item {missing[0]} has none ({len(missing)} such items). "
            "Give each item an id."
        )
    if values.dtype.kind == "O":
        repeated = first_repeated(values.tolist())
    else:
        ordered = np.sort(values)
        twice = np.flatnonzero(ordered[1:] == ordered[:-1])
        repeated = ordered[twice[0]].item() if len(twice) else None
    if repeated is not None:
        places = [i for i, value in enumerate(values.tolist()) if value == repeated]
        n_extra = n_items - len(set(values.tolist()))
        raise InvalidVotesError(
            f"item_ids must be unique; found {repeated!r} {len(places)} times, at items {places[:5]} "
            f"({n_extra} items too many in all). Drop or rename the repeated items."
        )
    return values


def _settle_rule_names(given: Sequence[str] | None, found: Sequence[str]) -> tuple[str, ...]:
    if given is None:
        return tuple(found)
    names = tuple(str(name) for name in given)
    if len(names) != len(found):
        raise InvalidVotesError(f"rule_names must name every rule; found {len(names)} names for {len(found)} rules.")
    repeated = first_repeated(names)
    if repeated is not None:
        raise InvalidVotesError(f"rule_names must be unique; found {repeated!r} more than once.")
    return names


def _check_shape(shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        one_rule = "For one rule, pass a column: votes.reshape(-1, 1)."
        hint = one_rule if len(shape) == 1 else "Pass one row per item and one column per rule."
        raise InvalidVotesError(f"votes must be two-dimensional (items, rules); found shape {shape}. {hint}")
    if 0 in shape:
        what = "items" if shape[0] == 0 else "rules"
        raise InvalidVotesError(f"votes must hold at least one item and one rule; found shape {shape}: no {what}.")


def _open_array(data: Any, item_ids: npt.ArrayLike | str | None, rule_names: Sequence[str] | None) -> RawVotes:
    if isinstance(item_ids, str):
        raise InvalidVotesError(
            f"item_ids={item_ids!r} names a column, but the votes are not a frame. Pass the ids themselves."
        )
    try:
        table = _unmask(data) if isinstance(data, np.ma.MaskedArray) else np.asarray(data)
        if table.dtype.kind in "UT" and not isinstance(data, np.ndarray):
            table = np.asarray(data, dtype=object)  # NumPy turns numbers among strings into strings
    except ValueError as error:
        raise _ragged(data) from error
    _check_shape(table.shape)
    names = _settle_rule_names(rule_names, [f"rule_{j}" for j in range(table.shape[1])])
    if table.dtype.kind in "biuf":
        return RawVotes(table, [], names, item_ids)
    if table.dtype.kind not in "UTO":
        raise InvalidVotesError(
            f"votes must be numbers or strings; found dtype {table.dtype}. "
            "Convert them to class numbers or class names."
        )
    table = table.astype(object)
    if any(isinstance(value, str) for value in table.flat):
        strings = [index_strings(column.tolist(), name) for column, name in zip(table.T, names, strict=True)]
        return RawVotes(None, strings, names, item_ids)
    return RawVotes(_numbers_of_objects(table, names), [], names, item_ids)


def _unmask(data: np.ma.MaskedArray[Any, Any]) -> AnyArray:
    """What is masked becomes missing."""
    kind = data.dtype.kind
    plain = data.data.astype(np.int64 if kind in "biu" else np.float64 if kind == "f" else object)
    plain[np.ma.getmaskarray(data)] = ABSTAIN if kind in "biu" else np.nan if kind == "f" else None
    return np.asarray(plain)


def _numbers_of_objects(table: AnyArray, rule_names: Sequence[str]) -> AnyArray:
    numbers = np.full(table.shape, np.nan)
    for (item, rule), value in np.ndenumerate(table):
        if is_missing(value):
            continue
        if not isinstance(value, (int, float, np.number, np.bool_)):
            raise InvalidVotesError(
                f"votes must be numbers, strings or missing; found {value!r} ({type(value).__name__}) at item {item}, "
                f"rule {rule_names[rule]!r}. Convert it to a class number or name."
            )
        numbers[item, rule] = float(value)
    return numbers


def _ragged(data: Sequence[Any]) -> InvalidVotesError:
    try:
        lengths = [len(row) for row in data]
        item = next(i for i, length in enumerate(lengths) if length != lengths[0])
    except (TypeError, StopIteration):
        return InvalidVotesError(
            "votes must be a table with one row per item and one column per rule; these rows cannot be aligned."
        )
    n_odd = sum(length != lengths[0] for length in lengths)
    return InvalidVotesError(
        f"all rows of votes must have the same length; row 0 has {lengths[0]} votes, row {item} has {lengths[item]} "
        f"({n_odd} such rows). Write -1 where a rule abstains."
    )


def _open_frame(
    frame: nw.DataFrame[Any], item_ids: npt.ArrayLike | str | None, rule_names: Sequence[str] | None
) -> RawVotes:
    ids: Any = item_ids
    if isinstance(item_ids, str):
        if item_ids not in frame.columns:
            raise InvalidVotesError(
                f"item_ids must name a column of the frame; found {item_ids!r}, "
                f"and the columns are {frame.columns[:20]}."
            )
        ids = frame.get_column(item_ids).to_numpy()
        frame = frame.drop(item_ids)
    elif item_ids is None:
        ids = _own_index(frame)
    _check_shape(frame.shape)
    names = _settle_rule_names(rule_names, [str(name) for name in frame.columns])
    columns = [_plain(column) for column in frame.iter_columns()]
    silent = [column.null_count() == len(column) for column in columns]
    textual = [_is_text(column) and not mute for column, mute in zip(columns, silent, strict=True)]
    if any(textual):
        _refuse_mixture(names, textual, silent)
        strings = [_index_text(column, name) for column, name in zip(columns, names, strict=True)]
        return RawVotes(None, strings, names, ids)
    numbers = np.column_stack([_numbers(column, name) for column, name in zip(columns, names, strict=True)])
    return RawVotes(numbers, [], names, ids)


def _own_index(frame: nw.DataFrame[Any]) -> Any:
    """The index of a pandas-like frame unless it only counts the rows."""
    index = nw.maybe_get_index(frame)
    if index is None:
        return None
    values = np.asarray(index)
    counts_rows = values.dtype.kind in "iu" and np.array_equal(values, np.arange(len(values)))
    return None if counts_rows else values


def _refuse_mixture(names: Sequence[str], textual: Sequence[bool], silent: Sequence[bool]) -> None:
    numeric = [n for n, text, mute in zip(names, textual, silent, strict=True) if not text and not mute]
    if numeric:
        string = names[list(textual).index(True)]
        raise InvalidVotesError(
            f"votes must be all numbers or all strings; rule {string!r} holds strings, rule {numeric[0]!r} numbers "
            f"({sum(textual)} columns of strings, {len(numeric)} of numbers). Convert them to one kind; a column of "
            "ids or texts is no rule: name it as item_ids or drop it."
        )


def _plain(column: nw.Series[Any]) -> nw.Series[Any]:
    """Objects and categories that are all numbers become a column of numbers."""
    if column.dtype not in (nw.Object, nw.Categorical):
        return column
    values = column.unique() if column.dtype == nw.Categorical else column
    present = [value for value in values.to_list() if not is_missing(value)]
    if not present or not all(isinstance(value, (int, float, np.number, np.bool_)) for value in present):
        return column
    numbers = [None if is_missing(value) else float(value) for value in column.to_list()]
    return nw.new_series(column.name, numbers, nw.Float64, backend=column.implementation)


def _is_text(column: nw.Series[Any]) -> bool:
    return column.dtype in (nw.String, nw.Categorical, nw.Enum, nw.Object)


def _index_text(column: nw.Series[Any], name: str) -> StringColumn:
    missing = column.is_null().to_numpy()
    if missing.all():
        return [], np.full(len(column), ABSTAIN)
    if column.dtype == nw.Object:
        return index_strings(column.to_list(), name)
    present = column.drop_nulls().cast(nw.String)
    strings = [str(value) for value in present.unique().to_list()]
    index: IntArray = np.full(len(column), ABSTAIN)
    numbers = list(range(len(strings)))
    index[~missing] = present.replace_strict(strings, numbers, return_dtype=nw.Int64).to_numpy()
    return strings, index


def _numbers(column: nw.Series[Any], name: str) -> AnyArray:
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
