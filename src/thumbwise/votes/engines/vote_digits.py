"""Votes as digits, computed by the engine: 0 for an abstention, class number + 1 for a vote, NULL for neither.

A row of digits in base ``n_classes + 1`` is then one integer, or a few; a row with a NULL is NULL, so that counting
rows and checking them is one pass.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Literal, TypeAlias

import narwhals as nw
import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.exceptions import InvalidVotesError
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.votes.reading.coding import not_whole, out_of_range, unknown_name

Kind: TypeAlias = Literal["whole", "float", "text", "silent", "other"]

_TEXTS = (nw.String, nw.Categorical, nw.Enum)
# Beyond this floats skip integers.
_EXACT = 2**53
# Up to so many texts are told apart one after the other.
_FEW_TEXTS = 8


def kind_of(dtype: Any) -> Kind:
    """What a column of this type holds."""
    if dtype == nw.Boolean or dtype.is_integer():
        return "whole"
    if dtype.is_numeric():
        return "float"
    return "text" if dtype in _TEXTS else "other"


@dataclass(frozen=True)
class VoteColumn:
    """The column of one rule, under its name inside queries.

    Attributes
    ----------
    name : str
    kind : {"whole", "float", "text", "silent", "other"}
    numbers : mapping of str to int or None
        Class number of each text, -1 for one that means abstain, if texts are not simply names of classes.
    """

    name: str
    kind: Kind
    numbers: Mapping[str, int] | None = field(default=None, compare=False)

    @property
    def value(self) -> nw.Expr:
        """What was voted, NULL where it is missing."""
        column = nw.col(self.name)
        if self.kind == "whole":
            return column.cast(nw.Int64)
        if self.kind == "text":
            return column.cast(nw.String)
        number = column.cast(nw.Float64)
        return nw.when(~number.is_nan()).then(number)

    @property
    def is_whole(self) -> nw.Expr:
        """Whether a vote that is a number is a whole one; an infinity is not."""
        value = self.value
        inside = (value > -_EXACT) & (value < _EXACT)
        return inside & (value % 1 == 0) if self.kind == "float" else ~value.is_null()

    def digit(self, class_names: Sequence[Hashable], abstain: str | None) -> nw.Expr:
        """0, class number + 1, or NULL."""
        if self.kind == "silent":
            return nw.lit(0, dtype=nw.Int64)
        if self.kind == "text":
            names = {name: c for c, name in enumerate(class_names) if isinstance(name, str)}
            marked = {} if abstain is None else {abstain: ABSTAIN}
            return _digit_of_text(self.value, names | marked if self.numbers is None else self.numbers)
        value, k = self.value, len(class_names)
        inside = self.is_whole & (value >= ABSTAIN) & (value < k)
        voted = nw.when(inside).then(value - ABSTAIN).cast(nw.Int64)
        return nw.when(value.is_null()).then(nw.lit(0, dtype=nw.Int64)).otherwise(voted)


def _digit_of_text(text: nw.Expr, numbers: Mapping[str, int]) -> nw.Expr:
    digits = {name: number - ABSTAIN for name, number in numbers.items()}
    voted = _first_of(text, digits) if len(digits) <= _FEW_TEXTS else _sum_of(text, digits)
    return nw.when(text.is_null()).then(nw.lit(0, dtype=nw.Int64)).otherwise(voted)


def _first_of(text: nw.Expr, digits: Mapping[str, int]) -> nw.Expr:
    """A case for each text, the next one within: DuckDB takes about a third of the time of a sum."""
    found = nw.lit(None, dtype=nw.Int64)
    for name, digit in digits.items():
        found = nw.when(text == name).then(nw.lit(digit, dtype=nw.Int64)).otherwise(found)
    return found


def _sum_of(text: nw.Expr, digits: Mapping[str, int]) -> nw.Expr:
    """A sum in which one term at most is not 0: engines take long sums better than deep cases."""
    terms = [(text == name).cast(nw.Int64) * digit for name, digit in digits.items()]
    return nw.when(text.is_in(list(digits))).then(_add(terms))


def _add(terms: Sequence[nw.Expr]) -> nw.Expr:
    """A sum of sums, which nests as deep as the logarithm of their number."""
    half = len(terms) // 2
    return terms[0] if half == 0 else _add(terms[:half]) + _add(terms[half:])


def rules_per_word(base: int) -> int:
    """How many digits fit 63 bits."""
    count = 1
    while base ** (count + 1) < 2**63:
        count += 1
    return count


def pack_columns(
    columns: Sequence[VoteColumn], class_names: Sequence[Hashable], abstain: str | None
) -> dict[str, nw.Expr]:
    """Rows as integers w0, w1, ..., the first rule the most significant digit."""
    size = rules_per_word(len(class_names) + 1)
    words = [columns[start : start + size] for start in range(0, len(columns), size)]
    return {f"w{i}": _pack_word(word, class_names, abstain) for i, word in enumerate(words)}


def _pack_word(columns: Sequence[VoteColumn], class_names: Sequence[Hashable], abstain: str | None) -> nw.Expr:
    """Columns of whole numbers are checked all at once, which takes DuckDB about half the time."""
    votes = {column: column.value.fill_null(ABSTAIN) for column in columns if column.kind == "whole"}
    digits = [votes[column] - ABSTAIN if column in votes else column.digit(class_names, abstain) for column in columns]
    packed = reduce(lambda read, digit: read * (len(class_names) + 1) + digit, digits)
    if not votes:
        return packed
    # Spark wants two to compare, and 0 is always a class. None is missing: databases differ in what is least then.
    compared = [*votes.values(), nw.lit(0, dtype=nw.Int64)]
    is_bad = (nw.min_horizontal(*compared) < ABSTAIN) | (nw.max_horizontal(*compared) >= len(class_names))
    return nw.when(~is_bad).then(packed)


def pack_rows(rows: IntArray, base: int) -> dict[str, IntArray]:
    """The same for rows of votes that are here."""
    packed: dict[str, IntArray] = {}
    size = rules_per_word(base)
    for i, start in enumerate(range(0, rows.shape[1], size)):
        word = np.zeros(len(rows), dtype=np.int64)
        for column in rows[:, start : start + size].T:
            word = word * base + (column - ABSTAIN)
        packed[f"w{i}"] = word
    return packed


def unpack_words(words: Sequence[AnyArray], n_rules: int, base: int, dtype: Any) -> IntArray:
    """Rows of votes from their words."""
    rows = np.empty((len(words[0]), n_rules), dtype=dtype)
    size = rules_per_word(base)
    for word, start in zip(words, range(0, n_rules, size), strict=True):
        rest = word.astype(np.int64)
        for rule in range(min(start + size, n_rules) - 1, start - 1, -1):
            rest, digit = np.divmod(rest, base)
            rows[:, rule] = digit + ABSTAIN
    return rows


def bad_votes(columns: Sequence[VoteColumn], class_names: Sequence[Hashable], abstain: str | None) -> list[nw.Expr]:
    """For each rule j: how many votes are no whole numbers, and no classes; and the smallest of each kind."""
    asked: list[nw.Expr] = []
    for j, column in enumerate(columns):
        if column.kind == "silent":
            continue
        value = column.value
        is_neither = column.digit(class_names, abstain).is_null()
        is_fraction = is_neither & ~column.is_whole if column.kind == "float" else None
        for what, is_bad in (("fraction", is_fraction), ("strange", is_neither)):
            if is_bad is not None:
                asked += [
                    nw.when(is_bad).then(nw.lit(1, dtype=nw.Int64)).sum().alias(f"{what}{j}"),
                    nw.when(is_bad).then(value).min().alias(f"{what}{j}_such_as"),
                ]
    return asked


def bad_votes_error(
    counted: dict[str, AnyArray], rule_names: Sequence[str], class_names: Sequence[Hashable], is_text: bool
) -> InvalidVotesError:
    """What the counts of bad votes say, in words; fractions first."""
    what = "fraction" if any(_count(counted, "fraction", j) for j in range(len(rule_names))) else "strange"
    counts = [_count(counted, what, j) for j in range(len(rule_names))]
    j = int(np.argmax(np.array(counts) > 0))
    value = counted[f"{what}{j}_such_as"][0]
    value = value.item() if isinstance(value, np.generic) else value
    place = f"{value!r} of rule {rule_names[j]!r} ({sum(counts)} such votes)"
    if what == "fraction":
        return not_whole(place)
    return unknown_name(class_names, place) if is_text else out_of_range(value, len(class_names), place)


def _count(counted: dict[str, AnyArray], what: str, rule: int) -> int:
    value = counted.get(f"{what}{rule}", [0])[0]
    return 0 if value is None or value != value else int(value)  # noqa: PLR0124  # a sum over nothing is NULL or NaN
