"""Columns of CSV that hold small whole numbers, as votes do, read as numbers in the scan that parses the file.

A text would have to be kept of every field to see how it is written: ``007``, ``+1`` and ``1.0`` stay texts. The size
of the file tells it too. A field that is read as a number from -99 to 99 has at least as many bytes as that number
needs, a text at least its own, and a separator one; if all of these add up to the size of the file, no field has a byte
more. Of such numbers only the usual spelling is that short. Where the sum is another one, the file is read as texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from thumbwise._typing import IntArray

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# As elsewhere in this room.
Column: TypeAlias = np.ma.MaskedArray[Any, Any]

MISSING = -128
# More of them are planned too slowly.
_MOST_COLUMNS = 64
_FIRST_ROWS = 2048
_FIRST_BYTES = 2**16
# 1e2 is 100, and as short.
_LARGEST = 99
_AS_WRITTEN = "0|-?[1-9][0-9]?"


@dataclass(frozen=True, eq=False)
class SmallNumbers:
    """A column of whole numbers of one byte; -128 is missing."""

    numbers: IntArray

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def counts(self) -> dict[int, int]:
        """How often each number occurs, in their order."""
        n_each = _count_bytes(self._bytes)
        numbers = np.arange(MISSING + 1, 128)
        return {int(number): int(n) for number, n in zip(numbers, n_each[numbers], strict=True) if n}

    def look_up(self, places: Mapping[int, int], missing: int) -> IntArray:
        """What each number stands for, and what stands where none is."""
        from thumbwise.numerics.patterns import take_rows  # noqa: PLC0415  # help loads nothing that computes

        table = np.full(256, missing, dtype=np.int16)
        table[list(places)] = list(places.values())
        return take_rows(table, self._bytes)

    def widen(self) -> Column:
        """As numbers of 64 bits."""
        mask = self.numbers == MISSING
        return np.ma.array(self.numbers.astype(np.int64), mask=mask if mask.any() else np.ma.nomask)

    @property
    def _bytes(self) -> IntArray:
        return self.numbers.view(np.uint8)


def _count_bytes(column: IntArray) -> IntArray:
    """How often each byte occurs; two are counted at once."""
    n_pairs = len(column) // 2
    pairs = np.bincount(column[: 2 * n_pairs].view(np.uint16), minlength=2**16).reshape(256, 256)
    n_each: IntArray = pairs.sum(axis=0) + pairs.sum(axis=1)
    n_each[column[2 * n_pairs :]] += 1
    return n_each


def create_small(
    connection: DuckDBPyConnection, path: Path, n_before: int, quote: str, n_columns: int, source: Callable[..., str]
) -> dict[str, SmallNumbers]:
    """Make the table ``texts`` of all rows, in which some columns are small numbers; nothing if none or not sure.

    Parameters
    ----------
    connection : DuckDB connection
    path : Path
        A plain file whose lines end in one byte.
    n_before : int
        Bytes before its rows.
    quote : str
        What stands around fields; where the first ones have it, the size of the file tells nothing.
    n_columns : int
    source : callable
        The file as a table in SQL, given the types of those columns that are no texts.

    Returns
    -------
    dict of str to SmallNumbers
        The small numbers, by the names c0, c1, ... of their columns.
    """
    import duckdb  # noqa: PLC0415  # importing thumbwise must not import it

    if n_columns > _MOST_COLUMNS or _has(path, n_before, quote):
        return {}
    names = [f"c{j}" for j in range(n_columns)]
    try:
        small = _find_small(connection, names, source())
        if not small:
            return {}
        connection.execute(f"CREATE TABLE texts AS FROM {source(dict.fromkeys(small, 'TINYINT'))}")
    except (duckdb.ConversionException, duckdb.InvalidInputException):  # some row holds something else
        return {}
    columns = _fetch_small(connection, small)
    texts = [name for name in names if name not in columns]
    n_bytes = _fewest_bytes(connection, columns.values(), texts, n_columns)
    if n_bytes != path.stat().st_size - n_before + _lacks_end(path):
        connection.execute("DROP TABLE texts")
        return {}
    return columns


def _fetch_small(connection: DuckDBPyConnection, names: Sequence[str]) -> dict[str, SmallNumbers]:
    asked = ", ".join(f"coalesce({name}, CAST({MISSING} AS TINYINT)) AS {name}" for name in names)
    arrays = connection.execute(f"SELECT {asked} FROM texts").fetchnumpy()  # noqa: S608  # c0, c1, ...
    return {name: SmallNumbers(np.asarray(arrays[name])) for name in names}


def _has(path: Path, n_before: int, quote: str) -> bool:
    with path.open("rb") as file:
        file.seek(n_before)
        return quote.encode() in file.read(_FIRST_BYTES)


def _find_small(connection: DuckDBPyConnection, names: Sequence[str], source: str) -> list[str]:
    """Columns whose first fields are small whole numbers."""
    asked = ", ".join(f"coalesce(bool_and(regexp_full_match({name}, '{_AS_WRITTEN}')), false)" for name in names)
    held = connection.execute(f"SELECT {asked} FROM (FROM {source} LIMIT {_FIRST_ROWS})").fetchone() or ()  # noqa: S608
    return [name for name, is_small in zip(names, held, strict=True) if is_small]


def _fewest_bytes(
    connection: DuckDBPyConnection, columns: Iterable[SmallNumbers], texts: Sequence[str], n_columns: int
) -> int | None:
    """How many bytes the rows have at least, each with its end; None if a number is not small."""
    asked = " + ".join(["0", *(f"coalesce(sum(strlen({name})), 0)" for name in texts)])
    n_rows, n_bytes = connection.execute(f"SELECT count(*), {asked} FROM texts").fetchone() or (0, 0)  # noqa: S608
    counts = [column.counts for column in columns]
    if any(abs(number) > _LARGEST for of_column in counts for number in of_column):
        return None
    n_digits = sum(len(str(number)) * n for of_column in counts for number, n in of_column.items())
    return int(n_rows) * n_columns + int(n_bytes) + n_digits


def _lacks_end(path: Path) -> bool:
    """Whether the last line has no end."""
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read() not in (b"\n", b"\r")
