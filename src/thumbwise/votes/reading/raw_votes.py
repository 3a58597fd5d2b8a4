"""Votes as people pass them, arrays or frames of any kind, opened without yet asking which values are classes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from thumbwise._typing import AnyArray
from thumbwise.exceptions import Argument, InPython, InvalidVotesError
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.tables.opened_frames import is_missing, own_index
from thumbwise.votes.reading.coding import StringColumn, index_strings
from thumbwise.votes.reading.frame_columns import (
    holds_booleans,
    index_text,
    is_text,
    plain_column,
    refuse_mixture,
    to_numbers,
)


@dataclass(frozen=True)
class RawVotes:
    """A table of numbers, or one column of strings per rule, with the names that came along.

    Missing numbers are NaN, or ABSTAIN in integers; ``gaps`` tell for each column that has such ones where they are.
    """

    numbers: AnyArray | None
    strings: Sequence[StringColumn]
    rule_names: tuple[str, ...]
    item_ids: npt.ArrayLike | None
    gaps: dict[int, AnyArray] = field(default_factory=dict)
    boolean: bool = False


def open_votes(votes: Any, item_ids: npt.ArrayLike | str | None, rule_names: Sequence[str] | None) -> RawVotes:
    """Open an array-like or a frame; a string as ``item_ids`` names the frame's column of ids."""
    if isinstance(votes, RawVotes):  # opened before, to look at it
        return votes
    if isinstance(votes, np.ndarray):  # the usual case, before looking for frames of all kinds
        return _open_array(votes, item_ids, rule_names)
    if sp.issparse(votes):
        raise InvalidVotesError(
            "votes must be dense here: in a sparse matrix what is not stored could be class 0 or abstentions.",
            InPython(
                " If these are abstentions, use Votes.from_sparse(matrix, first_class=...), where first_class says "
                "whether stored classes are numbered from 0 or from 1; if they are votes, pass matrix.toarray()."
            ),
        )
    try:
        frame = nw.from_native(votes, pass_through=True)
    except nw.exceptions.DuplicateError:
        repeated = first_repeated([str(name) for name in votes.columns])
        raise InvalidVotesError(
            f"rule names must be unique; the frame has several columns named {repeated!r}. Rename them."
        ) from None
    if isinstance(frame, nw.LazyFrame):
        raise InvalidVotesError("votes must be in memory; found a lazy frame. Collect it first.")
    if isinstance(frame, nw.DataFrame):
        return _open_frame(frame, item_ids, rule_names)
    return _open_array(votes, item_ids, rule_names)


def all_differ(values: Sequence[Hashable]) -> bool:
    """Whether no value occurs twice: not if all hashes differ; equal hashes leave it to a set."""
    hashes = np.fromiter(map(hash, values), np.int64, len(values))
    hashes.sort()
    return bool((hashes[1:] != hashes[:-1]).all()) or len(set(values)) == len(values)


def first_repeated(values: Sequence[Hashable]) -> Hashable | None:
    """First value that occurs a second time."""
    if all_differ(values):  # a tenth of the time of a look at each
        return None
    seen: set[Hashable] = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None


def check_ids(ids: npt.ArrayLike, n_items: int) -> AnyArray:
    """One id per item, none missing, none twice."""
    column = np.asarray(ids)
    if column.ndim != 1 or len(column) != n_items:
        raise InvalidVotesError(
            Argument("item_ids"), f" must be one id per item; found shape {column.shape} for {n_items} items."
        )
    missing = _missing_among(column)
    if missing:
        raise InvalidVotesError(
            Argument("item_ids"),
            f" must not be missing; item {missing[0]} has none ({len(missing)} such items). Give each item an id.",
        )
    if column.dtype.kind == "O":
        repeated = first_repeated(column.tolist())
    else:
        ordered = np.sort(column)
        twice = np.flatnonzero(ordered[1:] == ordered[:-1])
        repeated = ordered[twice[0]].item() if len(twice) else None
    if repeated is not None:
        places = [i for i, value in enumerate(column.tolist()) if value == repeated]
        n_extra = n_items - len(set(column.tolist()))
        raise InvalidVotesError(
            Argument("item_ids"),
            f" must be unique; found {repeated!r} {len(places)} times, at items {places[:5]} "
            f"({n_extra} items too many in all). Drop or rename the repeated items.",
        )
    return column


def _missing_among(column: AnyArray) -> list[int]:
    """Where nothing stands; texts are not looked at one by one."""
    if column.dtype.kind not in "Of" or set(map(type, column.tolist())) == {str}:
        return []
    return [i for i, value in enumerate(column) if is_missing(value)]


def settle_rule_names(given: Sequence[str] | None, own: Sequence[str] | int) -> tuple[str, ...]:
    """Names that were given, one for each rule; else those that were found, or numbers if only so many rules were."""
    n_rules = own if isinstance(own, int) else len(own)
    if given is None:
        return tuple(f"rule_{j}" for j in range(own)) if isinstance(own, int) else tuple(own)
    names = tuple(str(name) for name in given)
    if len(names) != n_rules:
        raise InvalidVotesError(
            Argument("rule_names"), f" must name every rule; found {len(names)} names for {n_rules} rules."
        )
    repeated = first_repeated(names)
    if repeated is not None:
        raise InvalidVotesError(Argument("rule_names"), f" must be unique; found {repeated!r} more than once.")
    return names


def check_shape(shape: tuple[int, ...]) -> None:
    """Two dimensions, neither of them empty."""
    if len(shape) != 2:
        one_rule = "For one rule, pass a column: votes.reshape(-1, 1)."
        hint = one_rule if len(shape) == 1 else "Pass one row per item and one column per rule."
        raise InvalidVotesError(f"votes must be two-dimensional (items, rules); found shape {shape}. {hint}")
    if 0 in shape:
        what = "items" if shape[0] == 0 else "rules"
        raise InvalidVotesError(f"votes must hold at least one item and one rule; found shape {shape}: no {what}.")


def _open_array(votes: Any, item_ids: npt.ArrayLike | str | None, rule_names: Sequence[str] | None) -> RawVotes:
    if isinstance(item_ids, str):
        raise InvalidVotesError(
            Argument("item_ids", repr(item_ids)),
            " names a column, but the votes are not a frame. Pass the ids themselves.",
        )
    try:
        table = _unmask(votes) if isinstance(votes, np.ma.MaskedArray) else np.asarray(votes)
        if table.dtype.kind in "UT" and not isinstance(votes, np.ndarray):
            table = np.asarray(votes, dtype=object)  # NumPy turns numbers among strings into strings
    except ValueError as error:
        raise _ragged(votes) from error
    check_shape(table.shape)
    names = settle_rule_names(rule_names, table.shape[1])
    if table.dtype.kind in "biuf":
        source = votes if isinstance(votes, np.ma.MaskedArray) else table
        return RawVotes(table, [], names, item_ids, _masked_columns(votes), boolean=source.dtype.kind == "b")
    if table.dtype.kind not in "UTO":
        raise InvalidVotesError(
            f"votes must be numbers or strings; found dtype {table.dtype}. "
            "Convert them to class numbers or class names."
        )
    table = table.astype(object)
    if any(isinstance(value, str) for value in table.flat):
        strings = [index_strings(column.tolist(), name) for column, name in zip(table.T, names, strict=True)]
        return RawVotes(None, strings, names, item_ids)
    boolean = all(isinstance(value, (bool, np.bool_)) for value in table.flat if not is_missing(value))
    return RawVotes(_numbers_of_objects(table, names), [], names, item_ids, boolean=boolean)


def _unmask(masked: np.ma.MaskedArray[Any, Any]) -> AnyArray:
    """What is masked becomes missing."""
    kind = masked.dtype.kind
    held = np.minimum(masked.data, np.iinfo(np.int64).max) if kind == "u" else masked.data
    plain = held.astype(np.int64 if kind in "biu" else np.float64 if kind == "f" else object)
    plain[np.ma.getmaskarray(masked)] = ABSTAIN if kind in "biu" else np.nan if kind == "f" else None
    return np.asarray(plain)


def _masked_columns(votes: Any) -> dict[int, AnyArray]:
    """Where each column of a masked array is masked, for those that are."""
    if not isinstance(votes, np.ma.MaskedArray):
        return {}
    mask = np.ma.getmaskarray(votes)
    return {int(j): mask[:, j] for j in np.flatnonzero(mask.any(axis=0))}


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


def _ragged(rows: Sequence[Any]) -> InvalidVotesError:
    try:
        lengths = [len(row) for row in rows]
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
                Argument("item_ids"),
                f" must name a column of the frame; found {item_ids!r}, and the columns are {frame.columns[:20]}.",
            )
        ids = frame.get_column(item_ids).to_numpy()
        frame = frame.drop(item_ids)
    elif item_ids is None:
        ids = own_index(frame)
    check_shape(frame.shape)
    names = settle_rule_names(rule_names, [str(name) for name in frame.columns])
    given = list(frame.iter_columns())
    columns = [plain_column(column) for column in given]
    silent = [column.null_count() == len(column) for column in columns]
    textual = [is_text(column) and not mute for column, mute in zip(columns, silent, strict=True)]
    if any(textual):
        refuse_mixture(names, textual, silent)
        strings = [index_text(column, name) for column, name in zip(columns, names, strict=True)]
        return RawVotes(None, strings, names, ids)
    numbers = np.column_stack([to_numbers(column, name) for column, name in zip(columns, names, strict=True)])
    gaps = {j: column.is_null().to_numpy() for j, column in enumerate(columns) if column.null_count()}
    boolean = all(mute or holds_booleans(column) for column, mute in zip(given, silent, strict=True))
    return RawVotes(numbers, [], names, ids, gaps, boolean=boolean)
