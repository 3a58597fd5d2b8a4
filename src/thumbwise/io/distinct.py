"""The different values of a column and how often each occurs, whether its rows are here or elsewhere.

All that is decided about classes is decided from these, so that it cannot depend on who read the rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.tables.coded import Coded
from thumbwise.tables.formats import Column
from thumbwise.tables.small_numbers import SmallNumbers

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
# Integers that lie so close together are counted, not sorted.
_COUNTED = 2**16


@dataclass(frozen=True, eq=False)
class Distinct:
    """The different values of one column.

    Attributes
    ----------
    name : str
        Of the column.
    counts : mapping of str to int
        How often each value occurs, by its text. What is missing is none.
    is_text : bool
        Whether the column holds texts; if not, numbers or truth values.
    index : ndarray of shape (n_rows,) or None
        Where the value of each row is among ``counts``, -1 where it is missing; None if the rows are elsewhere.
    n_unlisted, n_unlisted_rows : int
        Values that are not listed because they are too many, and how many rows have them.
    is_long : bool
        Whether a row is a vote, and not an item.
    """

    name: str
    counts: Mapping[str, int]
    is_text: bool = True
    index: IntArray | None = None
    n_unlisted: int = 0
    n_unlisted_rows: int = 0
    is_long: bool = False

    @property
    def n_values(self) -> int:
        return len(self.counts) + self.n_unlisted

    @property
    def n_filled(self) -> int:
        """Rows that hold a value."""
        return sum(self.counts.values()) + self.n_unlisted_rows

    @property
    def is_numeric(self) -> bool:
        """Numbers, or texts that are all numbers, such as ``1.0``; a column that says nothing may be either."""
        return not self.is_text or are_numbers(self.counts)

    @property
    def example(self) -> str:
        """The value of the first row that has one, or any where rows have no order."""
        if self.index is None or not self.counts:
            return next(iter(self.counts), "")
        return list(self.counts)[int(self.index[np.argmax(self.index >= 0)])]

    def without(self, text: str | None) -> Distinct:
        """The same, with this value missing."""
        if text is None or text not in self.counts:
            return self
        place = list(self.counts).index(text)
        index = self.index
        if index is not None:
            index = np.where(index == place, ABSTAIN, index - (index > place))
        return replace(self, counts={value: n for value, n in self.counts.items() if value != text}, index=index)

    def rows_of(self, texts: Collection[str]) -> IntArray | None:
        """Rows that hold one of some values; None if they are elsewhere."""
        if self.index is None:
            return None
        return np.flatnonzero(np.isin(self.index, [j for j, text in enumerate(self.counts) if text in texts]))

    def count(self, texts: Iterable[str]) -> int:
        """How many rows hold one of some values."""
        return sum(self.counts.get(text, 0) for text in texts)

    def map(self, numbers: Callable[[str], int], dtype: type[np.signedinteger[Any]]) -> IntArray:
        """The number of each row's value, -1 where it is missing; the rows must be here."""
        lookup = np.array([*map(numbers, self.counts), ABSTAIN], dtype=dtype)
        return np.asarray(lookup[self.index])


def distinct_of(name: str, column: Column | Coded | SmallNumbers, *, is_long: bool = False) -> Distinct:
    """The values of a column that is here; NaN is missing."""
    if isinstance(column, SmallNumbers):
        listed = {str(number): n for number, n in column.counts.items()}
        place_of = {number: j for j, number in enumerate(column.counts)}
        return Distinct(name, listed, False, column.look_up(place_of, ABSTAIN), is_long=is_long)
    if isinstance(column, Coded):
        n_each = np.bincount(column.index + 1, minlength=len(column.values) + 1)[1:]  # the first are missing
        listed = dict(zip(column.values.tolist(), n_each.tolist(), strict=True))
        return Distinct(name, listed, True, column.index, is_long=is_long)
    mask = np.ma.getmaskarray(column)
    if column.dtype.kind == "f":
        mask = mask | np.isnan(column.data)
    near = _near_integers(column.data, mask)
    if near is not None:
        texts, index, counts = near
    else:
        present = column.data[~mask]
        texts, places, counts = _number_texts(present) if column.dtype.kind == "O" else _number_values(present)
        index = np.full(len(column), ABSTAIN, dtype=np.int64)
        index[~mask] = places
    listed = dict(zip(texts, counts.tolist(), strict=True))
    return Distinct(name, listed, column.dtype.kind == "O", index, is_long=is_long)


def _near_integers(numbers: AnyArray, mask: AnyArray) -> tuple[list[str], IntArray, IntArray] | None:
    """Texts in order, each row's place among them, and their counts, of integers that lie close together.

    Where nothing is given stands a number that is given elsewhere, and is taken out of the counts.
    """
    if numbers.dtype.kind not in "iu" or mask.all():
        return None
    has_gaps, some = mask.any(), numbers[np.argmin(mask)]
    filled = np.where(mask, some, numbers) if has_gaps else numbers
    lowest, highest = int(filled.min()), int(filled.max())
    if highest - lowest >= _COUNTED:
        return None
    if filled.itemsize == 1:  # differences need more
        filled = filled.astype(np.int16)
    with np.errstate(over="ignore"):  # modulo 2^16, which they are below
        above = (filled - filled.dtype.type(lowest)).astype(np.uint16)
    counts = np.bincount(above, minlength=highest - lowest + 1)
    counts[int(some) - lowest] -= np.count_nonzero(mask)
    seen = np.flatnonzero(counts)
    place: IntArray = np.zeros(len(counts), dtype=np.int32)
    place[seen] = np.arange(len(seen))
    index = place[above]
    if has_gaps:
        index[mask] = ABSTAIN
    return [str(lowest + value) for value in seen.tolist()], index, counts[seen]


def _number_texts(texts: AnyArray) -> tuple[list[str], IntArray, IntArray]:
    known: dict[str, int] = {}
    places = np.fromiter((known.setdefault(text, len(known)) for text in texts.tolist()), np.int64, len(texts))
    return list(known), places, np.bincount(places, minlength=len(known))


def _number_values(numbers: AnyArray) -> tuple[list[str], IntArray, IntArray]:
    different, places, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    return [str(value) for value in different.tolist()], places, counts


def distinct_texts(column: Column) -> set[str]:
    """The different values of a column that is here, as they would be written."""
    present = column.data[~np.ma.getmaskarray(column)]
    return set(present.tolist()) if column.dtype.kind == "O" else set(map(str, np.unique(present).tolist()))


def is_number(text: str) -> bool:
    """Whether a text is a number."""
    return _NUMBER.fullmatch(text) is not None


def are_numbers(texts: Iterable[str]) -> bool:
    """Whether all texts are numbers."""
    return all(map(is_number, texts))


def spelling(value: Hashable) -> str:
    """A value as text, without space around it; whole numbers that are equal are spelled alike."""
    text = str(value).strip()
    number = float(text) if is_number(text) else np.inf
    return str(int(number)) if abs(number) < 2**53 and number == np.floor(number) else text
