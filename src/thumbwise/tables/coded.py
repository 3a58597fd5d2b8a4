"""Coded columns: texts that repeat, as different values and an index, without a Python string for every row.

The database says which texts there are, each with its hash, and of the rows only their hashes are fetched. A hash finds
its text by its last bits in a table. The answer is exact and not merely likely: texts of one hash, or a row whose hash
no text has, send the column back to be fetched as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.tables.small_numbers import SmallNumbers

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# As elsewhere in this room.
Column: TypeAlias = np.ma.MaskedArray[Any, Any]

MISSING = -1
# Tables of fewer rows, or of more columns of texts, are fetched as they are: a column costs two queries.
FEWEST_ROWS = 2**14
_MOST_COLUMNS = 64
# Texts must repeat so often on average for their index to be worth it.
_LEAST_REPEATED = 2
# Places in the table for each text, as a power of two; texts that share a place are found by bisection.
_SPARE_BITS = 4
# Bits of a hash; how few may tell up to how many hashes apart, and what holds these.
_BITS = 64
_FEW = {8: 16, 16: 512}
_KINDS = {8: "UTINYINT", 16: "USMALLINT"}
# Hashes of so few bytes are places in a table themselves.
_SHORT = 2


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of texts.

    Attributes
    ----------
    values : ndarray of object
        The different texts, in the order of their first rows.
    index : ndarray of shape (n_rows,)
        Where each row's text is among them, -1 where it is missing.
    """

    values: AnyArray
    index: IntArray

    def __len__(self) -> int:
        return len(self.index)

    @property
    def missing(self) -> AnyArray:
        """Which rows hold nothing."""
        return np.asarray(self.index == MISSING)

    def decode(self) -> Column:
        """The texts of all rows."""
        missing = self.missing
        texts = np.array([*self.values.tolist(), None], dtype=object)[self.index]
        return np.ma.array(texts, mask=missing if missing.any() else np.ma.nomask)


class CodedColumns(Mapping[str, Column]):
    """Columns by name; those that are coded become texts when they are asked for.

    Parameters
    ----------
    names : sequence of str
        In the order in which the columns stand.
    columns : mapping of str to Column
    coded : mapping of str to Coded
        Columns that are not among the former.
    small : mapping of str to SmallNumbers
        Nor these, which become numbers of 64 bits when they are asked for.
    """

    def __init__(
        self,
        names: Sequence[str],
        columns: Mapping[str, Column],
        coded: Mapping[str, Coded],
        small: Mapping[str, SmallNumbers] | None = None,
    ) -> None:
        self._names, self._columns, self.coded = dict.fromkeys(names), dict(columns), dict(coded)
        self.small = dict(small or {})

    def __getitem__(self, name: str) -> Column:
        if name not in self._columns and name in self.coded:
            self._columns[name] = self.coded[name].decode()
        elif name not in self._columns and name in self.small:
            self._columns[name] = self.small[name].widen()
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names


def with_small(
    names: Sequence[str], columns: Mapping[str, Column], small: Mapping[str, SmallNumbers]
) -> Mapping[str, Column]:
    """Columns in the order of their names, some of them small numbers."""
    if not small:
        return columns
    coded = columns.coded if isinstance(columns, CodedColumns) else {}
    plain = {name: columns[name] for name in columns if name not in coded}
    return CodedColumns(names, plain, coded, small)


def code_texts(
    connection: DuckDBPyConnection, texts: Mapping[str, str], source: str, n_rows: int
) -> Mapping[str, Coded]:
    """Columns of texts whose values repeat, coded; the others are left out.

    Parameters
    ----------
    connection : DuckDB connection
    texts : mapping of str to str
        What each column of texts is in the rows of the source, in SQL, by its name.
    source : str
        A table in SQL that gives its rows in the same order whenever it is asked.
    n_rows : int
    """
    if n_rows < FEWEST_ROWS or not 0 < len(texts) <= _MOST_COLUMNS:
        return {}
    asked = ", ".join(f"approx_count_distinct({text})" for text in texts.values())
    counted = connection.execute(f"SELECT {asked} FROM {source}").fetchone() or ()  # noqa: S608  # no name from outside
    worth = [name for name, n in zip(texts, counted, strict=True) if n * _LEAST_REPEATED <= n_rows]
    coded: dict[str, Coded] = {}
    for name in worth:
        column = _code(connection, texts[name], source)
        if column is not None:
            coded[name] = column
    return coded


def _code(connection: DuckDBPyConnection, text: str, source: str) -> Coded | None:
    listed = connection.execute(
        f"SELECT value, hash(value) AS h FROM (SELECT DISTINCT {text} AS value FROM {source})"  # noqa: S608
    ).fetchnumpy()
    values, told = np.ma.asarray(listed["value"]), np.asarray(listed["h"])
    start, n_bits = _telling_bits(told)
    asked = f"hash({text})"
    if n_bits < _BITS:
        asked = f"CAST(({asked} >> {start}) & {2**n_bits - 1} AS {_KINDS[n_bits]})"
        told = _bits_of(told, start, n_bits).astype(f"u{n_bits // 8}")
    hashes = np.asarray(connection.execute(f"SELECT {asked} AS h FROM {source}").fetchnumpy()["h"])  # noqa: S608
    # Rows of one item often follow each other.
    starts = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]]))
    codes = find_places(hashes[starts], told)
    if codes is None:
        return None
    null = np.flatnonzero(np.ma.getmaskarray(values))
    coded = coded_from(values.data, codes, int(null[0]) if len(null) else MISSING)
    return Coded(coded.values, np.repeat(coded.index, np.diff(starts, append=len(hashes))))


def _telling_bits(hashes: AnyArray) -> tuple[int, int]:
    """Bits that tell hashes apart: where they begin, and how many. Of few hashes few do, and less is fetched."""
    for n_bits, most in _FEW.items():
        for start in range(0, _BITS - n_bits, 4) if len(hashes) <= most else ():
            if len(np.unique(_bits_of(hashes, start, n_bits))) == len(hashes):
                return start, n_bits
    return 0, _BITS


def _bits_of(hashes: AnyArray, start: int, n_bits: int) -> AnyArray:
    bits: AnyArray = (hashes >> np.uint64(start)) & np.uint64(2**n_bits - 1)
    return bits


def coded_from(values: AnyArray, codes: IntArray, missing: int) -> Coded:
    """The column that holds ``values[codes]``, and nothing where the code is that of what is missing."""
    _, used, index = in_order_of_appearance(codes)
    null = np.flatnonzero(used == missing)
    if len(null):
        index = np.where(index == null[0], MISSING, index - (index > null[0])).astype(index.dtype)
        used = np.delete(used, null)
    return Coded(values[used], index)


def find_places(hashes: AnyArray, listed: AnyArray) -> IntArray | None:
    """Where each hash stands in a list; None if one stands there twice or not at all."""
    from thumbwise.numerics.patterns import take_rows  # noqa: PLC0415  # help loads nothing that computes

    ordered = np.sort(listed)
    if not len(listed) or (ordered[1:] == ordered[:-1]).any():
        return None
    is_short = hashes.dtype.itemsize <= _SHORT
    n_bits = 8 * hashes.dtype.itemsize if is_short else (len(listed) - 1).bit_length() + _SPARE_BITS
    last = np.uint64(2**n_bits - 1)
    table = np.zeros(2**n_bits, dtype=np.int32)
    table[(listed & last).astype(np.int64)] = np.arange(len(listed))
    places = take_rows(table, hashes if is_short else (hashes & last).astype(np.int64))
    others = np.flatnonzero(take_rows(listed, places) != hashes)
    if len(others):
        order = np.argsort(listed)
        found = np.searchsorted(listed, hashes[others], sorter=order)
        places[others] = order[np.minimum(found, len(order) - 1)]
        if (listed[places[others]] != hashes[others]).any():
            return None
    return np.asarray(places)


def in_order_of_appearance(codes: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """First rows of the codes that occur, in order; these codes; and where each row's code is among them."""
    from thumbwise.numerics.patterns import take_rows  # noqa: PLC0415  # help loads nothing that computes

    # Of a place that is written several times the last, here the first row, stays.
    first: IntArray = np.full(int(codes.max(initial=-1)) + 1, -1)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    used = np.flatnonzero(first >= 0)
    used = used[np.argsort(first[used])]
    number: IntArray = np.zeros(len(first), dtype=np.int32 if len(used) < 2**31 else np.int64)
    number[used] = np.arange(len(used))
    return first[used], used, take_rows(number, codes)
