"""Long votes, one row per vote: (item, rule, label) in, the votes of each item together out, never items x rules.

Every column is reduced to its distinct values and an index into them, so that a value is checked once however often it
occurs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.exceptions import Argument, InvalidVotesError
from thumbwise.numerics.patterns import ABSTAIN, take_rows
from thumbwise.votes.reading.codes import Codes
from thumbwise.votes.reading.long_columns import (
    Column,
    LongTable,
    as_array,
    find_distinct,
    open_columns,
    plain_value,
    show,
)
from thumbwise.votes.reading.long_labels import code_long_labels
from thumbwise.votes.reading.raw_votes import check_ids, first_repeated
from thumbwise.votes.reading.read_votes import ClassNames, Coding, ReadVotes
from thumbwise.votes.reading.triples import Triples, rows_of, sort_triples

Duplicates: TypeAlias = Literal["raise", "first", "last"]
_DIGITS = re.compile("([0-9]+)")


def open_long(
    votes: Any,
    columns: tuple[str, str, str],
    *,
    n_classes: int | None,
    class_names: ClassNames | None,
    rule_names: Sequence[str] | None,
    item_ids: Any,
    abstain: str | None,
    codes: Codes | None,
    duplicates: Duplicates,
) -> ReadVotes:
    """Read the columns, check every value, bring the votes of each item together."""
    if duplicates not in ("raise", "first", "last"):
        raise InvalidVotesError(f'duplicates must be "raise", "first" or "last"; found {duplicates!r}.')
    table = LongTable(*(find_distinct(column) for column in open_columns(votes, columns)))
    _refuse_missing(table.items, columns[0])
    _refuse_missing(table.rules, columns[1])
    ids, item_of = _settle_items(table.items, item_ids)
    names, rule_of = _settle_rules(table.rules, rule_names)
    if len(ids) == 0 or len(names) == 0:
        raise InvalidVotesError("votes must hold at least one item and one rule; found no row, and none was declared.")
    class_of, class_names = code_long_labels(table, n_classes, class_names, abstain, codes)
    classes = take_rows(class_of, table.labels.index)
    voted = np.flatnonzero(classes != ABSTAIN) if (class_of == ABSTAIN).any() else slice(None)
    triples = (item_of[table.items.index[voted]], rule_of[table.rules.index[voted]], classes[voted])
    shape = (len(ids), len(names), len(class_names))
    triples, repeated = sort_triples(triples, shape)
    if duplicates == "raise" and len(repeated):
        raise _twice(triples, repeated, ids, names, class_names)
    rows = rows_of(_drop_repeated(triples, repeated, duplicates) if len(repeated) else triples, shape)
    coding = Coding("no row") if codes is None else codes.describe(no_row=True)
    return ReadVotes(rows, ids, names, class_names, coding)


def _refuse_missing(column: Column, name: str) -> None:
    missing = column.missing
    if missing.any():
        rows = column.rows_of(missing)
        raise InvalidVotesError(
            f"every row must name its item and its rule; column {name!r} is missing in row {rows[0]} "
            f"({len(rows)} such rows). Fill it in or drop these rows."
        )


def _settle_items(items: Column, item_ids: Any) -> tuple[AnyArray, IntArray]:
    """Ids of all items, and where each of the distinct values is among them."""
    if item_ids is None:
        return items.values, np.arange(len(items.values))
    ids = as_array(item_ids, "item_ids")
    ids = check_ids(ids, len(ids))
    place = {value: i for i, value in enumerate(ids.tolist())}
    where = np.array([place.get(value, -1) for value in items.values.tolist()], dtype=np.int64)
    _refuse_undeclared(items, where, "item_ids", "item", ids)
    return ids, where


def _settle_rules(rules: Column, rule_names: Sequence[str] | None) -> tuple[tuple[str, ...], IntArray]:
    """Names of all rules, and where each of the distinct values is among them."""
    occurring = [_name_of(value) for value in rules.values.tolist()]
    repeated = first_repeated(occurring)
    if repeated is not None:
        raise InvalidVotesError(
            f"rules must differ in their names; found {repeated!r} as a string and as another value. "
            "Convert the column to one kind first."
        )
    if rule_names is None:
        names = tuple(occurring[j] for j in _natural_order(rules.values))
    else:
        names = tuple(str(name) for name in rule_names)
        repeated = first_repeated(names)
        if repeated is not None:
            raise InvalidVotesError(Argument("rule_names"), f" must be unique; found {repeated!r} more than once.")
    place = {name: j for j, name in enumerate(names)}
    where = np.array([place.get(name, -1) for name in occurring], dtype=np.int64)
    _refuse_undeclared(rules, where, "rule_names", "rule", names)
    return names, where


def _name_of(rule: object) -> str:
    try:
        return str(rule)
    except ValueError as error:  # an integer of more than 4,300 digits
        raise InvalidVotesError(f"rules must have names that can be written; found {show(rule)} ({error}).") from None


def _refuse_undeclared(
    column: Column, where: IntArray, argument: str, what: str, declared: Sequence[Any] | AnyArray
) -> None:
    unknown = where < 0
    if unknown.any():
        rows = column.rows_of(unknown)
        value = plain_value(column.values[column.index[rows[0]]])
        shown = ", ".join(show(plain_value(name)) for name in declared[:5]) + (", ..." if len(declared) > 5 else "")
        raise InvalidVotesError(
            Argument(argument),
            f" must hold every {what} of the votes; {show(value)} of row {rows[0]} is not among {shown} "
            f"({len(rows)} such rows, {unknown.sum()} such {what}s). Add it to ",
            Argument(argument),
            ", or drop its rows.",
        )


def _natural_order(values: AnyArray) -> IntArray:
    """Numbers by size, then strings as people sort them: w2 before w10. Rows in another order change nothing."""
    if values.dtype.kind in "biufMm":
        return np.argsort(values)
    keys = [_natural_key(value) for value in values.tolist()]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)


def _natural_key(value: object) -> tuple[Any, ...]:
    if isinstance(value, (Real, Decimal)):
        return (0, value)
    if not isinstance(value, str):
        return (1, type(value).__name__, str(value))
    parts: list[Any] = _DIGITS.split(value)
    parts[1::2] = [(len(digits.lstrip("0")), digits.lstrip("0")) for digits in parts[1::2]]
    return (2, parts, value)


def _drop_repeated(triples: Triples, repeated: IntArray, duplicates: Duplicates) -> Triples:
    keep = np.ones(len(triples[0]), dtype=bool)
    keep[repeated if duplicates == "first" else repeated - 1] = False
    items, rules, classes = triples
    return items[keep], rules[keep], classes[keep]


def _twice(
    triples: Triples, repeated: IntArray, ids: AnyArray, names: tuple[str, ...], class_names: ClassNames
) -> InvalidVotesError:
    items, rules, classes = triples
    pairs = np.column_stack([items[repeated], rules[repeated]])
    differ = classes[repeated] != classes[repeated - 1]
    n_pairs, n_different = len(np.unique(pairs, axis=0)), len(np.unique(pairs[differ], axis=0))
    # A contradiction says more than a repetition.
    place = repeated[np.argmax(differ)]
    item, rule = plain_value(ids[items[place]]), names[rules[place]]
    labels = [class_names[classes[at]] for at in (place - 1, place)]
    return InvalidVotesError(
        f"a rule must vote at most once on an item; item {item!r}, rule {rule!r} has the labels {labels[0]!r} and "
        f"{labels[1]!r} ({n_pairs} such pairs, {n_different} of them with different labels). Drop the rows that are "
        "too many, or pass ",
        Argument("duplicates", '"first"'),
        " or ",
        Argument("duplicates", '"last"'),
        ".",
    )
