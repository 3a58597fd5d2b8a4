"""Outcomes of all questions to judges: a vote, an abstention, a failure, or none because it was not asked."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from reprlib import repr as short

import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.exceptions import Argument, InvalidVotesError
from thumbwise.io.jury_records.fields import Fields
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.votes.reading.coding import MAX_INFERRED_CLASSES
from thumbwise.votes.reading.long_columns import Column, LongTable, find_distinct, plain_value
from thumbwise.votes.reading.long_labels import code_long_labels
from thumbwise.votes.reading.long_votes import Duplicates

VOTED, ABSTAINED, FAILED, NOT_ASKED, UNSAID = range(5)
STATUSES = {"voted": VOTED, "ok": VOTED, "abstained": ABSTAINED, "failed": FAILED, "not_asked": NOT_ASKED}
LONGEST_NAME = 2**16
_LARGEST_NUMBER = 2**63


@dataclass(frozen=True)
class Records:
    """Records with every value checked by itself: class (-1: none), stated status, whether there is an error text."""

    table: LongTable
    classes: IntArray
    class_names: tuple[Hashable, ...]
    has_verdict: AnyArray
    statuses: IntArray
    has_error: AnyArray

    def place(self, rows: AnyArray) -> str:
        """The first of some records in words, and how many there are."""
        item, judge = (plain_value(c.values[c.index[rows[0]]]) for c in (self.table.items, self.table.rules))
        return f"record {rows[0]} (item {short(item)}, judge {short(judge)}; {len(rows)} such records)"

    @property
    def pairs(self) -> IntArray:
        """One number for each item and judge."""
        return self.table.items.index.astype(np.int64) * len(self.table.rules.values) + self.table.rules.index


@dataclass(frozen=True)
class Settled:
    """Rows of the record that counts for each pair, heard or failed, and of the failed records that were retried."""

    heard: IntArray
    failed: IntArray
    retried: IntArray
    n_dropped: int


def check_records(fields: Fields, class_names: tuple[Hashable, ...] | None, abstain: str | None) -> Records:
    """Check names, verdicts and statuses, once for each distinct value."""
    columns = fields.columns
    items, judges = (check_names(columns[field], field) for field in ("item", "judge"))
    verdicts = find_distinct(columns["verdict"])
    _refuse_values(verdicts, "verdict", _is_no_verdict, "a class name or a class number")
    missing = verdicts.missing
    _refuse_too_many(verdicts, class_names, bool(missing.all()))
    table = LongTable(items, judges, verdicts)
    class_of, names = code_long_labels(table, None, class_names, abstain)[:2]
    absent = np.zeros(fields.n_records, dtype=bool)
    return Records(
        table,
        class_of[verdicts.index],
        names,
        ~missing[verdicts.index],
        _code_statuses(columns["status"]) if "status" in columns else np.full(fields.n_records, UNSAID, dtype=np.int8),
        _are_filled(columns["error"]) if "error" in columns else absent,
    )


def check_names(names: AnyArray, field: str) -> Column:
    """Distinct names of items or judges: none missing, blank or too long."""
    column = find_distinct(names)
    if column.missing.any():
        rows = column.rows_of(column.missing)
        raise InvalidVotesError(
            f"every record must name its {field}; it is missing at record {rows[0]} ({len(rows)} such records). Fill "
            "it in or drop these records."
        )
    _refuse_values(column, field, _is_no_name, "a name or a whole number of 64 bits")
    return column


def _is_no_name(value: object) -> bool:
    if isinstance(value, str):
        return not value.strip() or len(value) > LONGEST_NAME
    return not isinstance(value, int) or not -_LARGEST_NUMBER <= value < 2 * _LARGEST_NUMBER


def _is_no_verdict(value: object) -> bool:
    """Only what classes cannot be coded from; whether it is a class is seen there."""
    if isinstance(value, str):
        return len(value) > LONGEST_NAME
    return isinstance(value, int) and abs(value) > _LARGEST_NUMBER


def _refuse_values(column: Column, field: str, is_bad: Callable[[object], bool], what: str) -> None:
    if column.values.dtype.kind != "O":
        return
    bad = np.array([is_bad(value) for value in column.values.tolist()], dtype=bool)
    if bad.any():
        rows = column.rows_of(bad)
        value = column.values[column.index[rows[0]]]
        size = f" of {len(value):,} characters" if isinstance(value, str) else ""
        raise InvalidVotesError(
            f"{field} must be {what}, not blank and of at most {LONGEST_NAME:,} characters; found {short(value)}{size} "
            f"at record {rows[0]} ({len(rows)} such records). Give a short name."
        )


def _refuse_too_many(verdicts: Column, class_names: tuple[Hashable, ...] | None, is_empty: bool) -> None:
    if class_names is not None:
        return
    if is_empty:
        raise InvalidVotesError(
            f"the classes cannot be inferred: none of {len(verdicts.index)} records has a verdict. List them in ",
            Argument("class_names", [...]),
            ".",
        )
    if verdicts.values.dtype.kind == "O" and len(verdicts.values) > MAX_INFERRED_CLASSES:
        raise InvalidVotesError(
            f"verdicts must be classes; found {len(verdicts.values):,} different ones, such as "
            f"{short(verdicts.values[0])}. Extract the class from each answer first, or list them in ",
            Argument("class_names", [...]),
            ".",
        )


def _code_statuses(statuses: AnyArray) -> IntArray:
    column = find_distinct(statuses)
    texts = [value.strip().lower() if isinstance(value, str) else "" for value in column.values.tolist()]
    unknown = np.array([bool(text) and text not in STATUSES for text in texts], dtype=bool)
    if unknown.any():
        rows = column.rows_of(unknown)
        raise InvalidVotesError(
            f"status must be one of {', '.join(STATUSES)}, or missing; found {short(statuses[rows[0]])} at record "
            f"{rows[0]} ({len(rows)} such records). Recode it; if the field means something else, rename or drop it."
        )
    return np.array([STATUSES.get(text, UNSAID) for text in texts], dtype=np.int8)[column.index]


def _are_filled(errors: AnyArray) -> AnyArray:
    if errors.dtype.kind != "O":  # numbers passed the check of kinds, so all of them are NaN
        return np.zeros(len(errors), dtype=bool)
    return np.fromiter((bool(text and text.strip()) for text in errors.tolist()), dtype=bool, count=len(errors))


def find_outcomes(records: Records, null_verdict: str | None) -> tuple[IntArray, int]:
    """Outcome of each record by itself, and how many null verdicts were settled by the caller's word."""
    status, verdict, error = records.statuses, records.has_verdict, records.has_error
    failed = (status == FAILED) | error
    _refuse(records, error & (status < UNSAID) & (status != FAILED), "with an error text must have the status 'failed'")
    _refuse(records, failed & verdict, "of a failure must have no verdict")
    _refuse(records, (status == NOT_ASKED) & verdict, "with the status 'not_asked' must have no verdict")
    voted = records.classes != ABSTAIN
    _refuse(records, (status == ABSTAINED) & voted, "with the status 'abstained' must have no verdict")
    outcome = np.where(voted, VOTED, ABSTAINED).astype(np.int8)
    outcome[failed], outcome[status == NOT_ASKED] = FAILED, NOT_ASKED
    unexplained = ~verdict & ~failed & ((status == UNSAID) | (status == VOTED))
    if unexplained.any():
        outcome[unexplained] = _settle_null(records, np.flatnonzero(unexplained), null_verdict)
    return outcome, int(unexplained.sum())


def _refuse(records: Records, is_bad: AnyArray, rule: str) -> None:
    if is_bad.any():
        raise InvalidVotesError(
            f"a record {rule}; not so {records.place(np.flatnonzero(is_bad))}. Correct the verdict, status or error."
        )


def _settle_null(records: Records, rows: IntArray, null_verdict: str | None) -> int:
    if null_verdict is None:
        raise InvalidVotesError(
            "a record without a verdict must say why, by a status or an error text; not so "
            f"{records.place(rows)}. Pass ",
            Argument("null_verdict", '"abstained"'),
            " if these judges declined to answer, ",
            Argument("null_verdict", '"failed"'),
            " if they gave no usable answer.",
        )
    return STATUSES[null_verdict]


def settle_pairs(records: Records, outcome: IntArray, duplicates: Duplicates) -> Settled:
    """Of the records of one item and judge, a usable one counts; else the first failure; else it was not asked."""
    pairs = records.pairs
    usable, failures = np.flatnonzero(outcome <= ABSTAINED), np.flatnonzero(outcome == FAILED)
    if duplicates == "last":
        usable = usable[::-1]
    answered, first, times = np.unique(pairs[usable], return_index=True, return_counts=True)
    if duplicates == "raise" and (times > 1).any():
        raise _twice(records, usable[np.isin(pairs[usable], answered[times > 1])], int((times > 1).sum()))
    lost = failures[~np.isin(pairs[failures], answered)]
    failed = np.sort(lost[np.unique(pairs[lost], return_index=True)[1]])
    retried = np.setdiff1d(failures, failed, assume_unique=True)
    return Settled(np.sort(usable[first]), failed, retried, len(usable) - len(first))


def _twice(records: Records, rows: IntArray, n_pairs: int) -> InvalidVotesError:
    pairs = records.pairs[rows]
    second = rows[np.flatnonzero(pairs == pairs[0])[1]]
    return InvalidVotesError(
        f"a judge must answer at most once on an item; record {second} repeats the item and judge of "
        f"{records.place(rows)}, {n_pairs} such pairs. Drop the records that are too many, or pass ",
        Argument("duplicates", '"first"'),
        " or ",
        Argument("duplicates", '"last"'),
        ".",
    )
