"""Kinds of files as DuckDB reads and writes them: names, types and paths taken literally."""

from __future__ import annotations

import csv
import os
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from thumbwise.exceptions import InvalidFileError
from thumbwise.tables.budgets import BYTES_PER_TEXT, check_bytes, most_bytes
from thumbwise.tables.coded import CodedColumns, code_texts
from thumbwise.tables.dialects import DELIMITERS
from thumbwise.tables.given_paths import as_text
from thumbwise.tables.plain_files import PACKINGS
from thumbwise.tables.watched import watched

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Column: TypeAlias = np.ma.MaskedArray[Any, Any]
Columns: TypeAlias = dict[str, Column]
_Any = TypeVar("_Any")

# Settings of a database that neither fetches nor loads extensions.
NOTHING_LOADED: dict[str, Any] = dict.fromkeys(
    ("autoinstall_known_extensions", "autoload_known_extensions", "allow_community_extensions"), "false"
)
# A database needs some whatever it reads.
_LEAST_MEMORY = 256 * 10**6
_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_COLUMNS_AT_ONCE = 2048
_KEPT_TYPES = {*_INTEGERS, "BOOLEAN", "FLOAT", "DOUBLE", "VARCHAR"}


@contextmanager
def connect(path: Path) -> Iterator[DuckDBPyConnection]:
    """A database in memory that may touch this one file and load nothing."""
    import duckdb  # noqa: PLC0415  # importing thumbwise must not import it

    with duckdb.connect(":memory:", config=NOTHING_LOADED) as connection:
        connection.execute("SET temp_directory = ''")
        connection.execute(f"SET memory_limit = '{max(most_bytes(), _LEAST_MEMORY)}B'")
        with watched(connection):
            confine(connection, files=[path])
            yield connection


def confine(
    connection: DuckDBPyConnection,
    *,
    files: Sequence[Path] = (),
    patterns: Sequence[str] = (),
    folders: Sequence[Path] = (),
) -> None:
    """From now on the database touches these files, what lies in these folders, and its own place to spill to.

    A file is also found by wildcards that are listed. Nothing can be told otherwise later: all settings are locked.
    What is in the memory of Python it sees only if it is registered by name.
    """
    names = dict.fromkeys(name for path in files for name in (_place(path), pattern_of(path)))
    roots = [literal(_place(folder) + os.sep) for folder in folders]
    connection.execute(f"SET allowed_paths = [{', '.join(map(literal, [*names, *patterns]))}]")
    connection.execute(f"SET allowed_directories = [{', '.join(roots)}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


@contextmanager
def interruptible() -> Iterator[None]:
    """An interrupt reaches the database, which reports it as an error of its own; give it back its name."""
    try:
        yield
    except RuntimeError as error:
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from error
        raise


@contextmanager
def explained(what: str) -> Iterator[None]:
    """Errors of the database as one line that says what cannot be read."""
    import duckdb  # noqa: PLC0415  # importing thumbwise must not import it

    try:
        with interruptible():
            yield
    except (duckdb.Error, OSError, UnicodeError, csv.Error, RuntimeError) as error:
        raise InvalidFileError(f"{what} cannot be read: {gist_of(error)}") from error


def gist_of(error: Exception) -> str:
    """What went wrong, in one line, without the database's advice on its own options."""
    text = " ".join(re.split(r"\n(?:Possible |Database is launched|\s*LINE \d)", str(error))[0].split())
    text = text.partition("Error: ")[2] or text
    if "state machine" in text:
        return "its lines end in different ways, or quotes are out of place; save it anew as CSV."
    return text if len(text) <= 300 else text[:300] + " ..."


def _place(path: Path) -> str:
    """Absolute, so that it is no address."""
    return as_text(os.path.abspath(path))  # noqa: PTH100  # Path.absolute keeps "..", resolve follows links


def pattern_of(path: Path) -> str:
    """The wildcard pattern that fits this path only."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in _place(path))


def literal(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def numbered(n_columns: int) -> list[str]:
    """Names of columns inside the database, where the real ones would need care: c0, c1, ..."""
    return [f"c{j}" for j in range(n_columns)]


def fetch(connection: DuckDBPyConnection, names: Sequence[str], expressions: Sequence[str], source: str) -> Columns:
    """What expressions are in the rows of a source, under other names."""
    listed = ", ".join(f"{what} AS c{j}" for j, what in enumerate(expressions))
    arrays = connection.execute(f"SELECT {listed} FROM {source}").fetchnumpy()  # noqa: S608  # no name comes from outside
    return {name: np.ma.asarray(arrays[f"c{j}"]) for j, name in enumerate(names)}


def fetch_coded(
    connection: DuckDBPyConnection, expressions: Mapping[str, str], texts: Collection[str], source: str, n_rows: int
) -> Mapping[str, Column]:
    """What expressions are in the rows of a source, by name; those of texts that repeat stay coded."""
    coded = code_texts(connection, {name: expressions[name] for name in expressions if name in texts}, source, n_rows)
    others = {name: what for name, what in expressions.items() if name not in coded}
    read: Columns = {}
    for some in batched(list(others)):
        read |= fetch(connection, some, [others[name] for name in some], source)
    return CodedColumns(list(expressions), read, coded) if coded else read


def batched(columns: Sequence[_Any]) -> Iterator[Sequence[_Any]]:
    """Columns that are named in one query: naming takes a time that grows with all columns of the table, and memory."""
    for start in range(0, len(columns), _COLUMNS_AT_ONCE):
        yield columns[start : start + _COLUMNS_AT_ONCE]


def check_unique(path: Path, names: Sequence[str]) -> None:
    """Refuse a name that several columns have."""
    n_too_many = len(names) - len(set(names))
    if n_too_many:
        counts = Counter(names)
        repeated = next(name for name in names if counts[name] > 1)
        places = [j for j, name in enumerate(names) if name == repeated]
        raise InvalidFileError(
            f"{path} must have a different name for every column; found {repeated!r} at columns {places[:10]} "
            f"({n_too_many} columns too many in all). Rename or drop them."
        )


def choose_columns(path: Path, names: Sequence[str], columns: Sequence[str] | None) -> list[int]:
    """Where the columns that are asked for are among those of the file."""
    if columns is None:
        return list(range(len(names)))
    place = {name: j for j, name in enumerate(names)}
    absent = [name for name in columns if name not in place]
    if absent or not columns:
        shown = ", ".join(repr(name) for name in names[:20]) + (", ..." if len(names) > 20 else "")
        what = f"found no {absent[0]!r} ({len(absent)} such names)" if absent else "found none"
        raise InvalidFileError(f"columns must name columns of {path}; {what}. It has {shown or 'no columns'}.")
    return [place[name] for name in dict.fromkeys(columns)]


def read_parquet(connection: DuckDBPyConnection, path: Path, columns: Sequence[str] | None) -> Mapping[str, Column]:
    """Columns of Parquet, all or those that are asked for."""
    source = "read_parquet(?, hive_partitioning = false)"
    described = connection.execute(f"DESCRIBE SELECT * FROM {source}", [pattern_of(path)]).fetchall()  # noqa: S608
    names = [str(row[0]) for row in described]
    stored = connection.execute("SELECT name FROM parquet_schema(?)", [pattern_of(path)]).fetchall()
    renamed = sorted(set(names) - {name for (name,) in stored}, key=names.index)
    if renamed:
        raise InvalidFileError(
            f"{path} must have names of columns that are unique, ignoring case; {len(renamed)} are not, such as "
            f"{renamed[0].rpartition('_')[0]!r}. Rename or drop them."
        )
    inner = numbered(len(names))
    connection.execute(
        f"CREATE VIEW stored({', '.join(inner)}) AS SELECT * FROM "  # noqa: S608
        f"read_parquet({literal(pattern_of(path))}, hive_partitioning = false)"
    )
    typed = [kept_value(c, str(row[1])) for c, row in zip(inner, described, strict=True)]
    chosen = choose_columns(path, names, columns)
    are_texts = [holds_text(str(described[j][1])) for j in chosen]
    n_rows = _check_parquet(connection, path, [typed[j] for j in chosen], are_texts)
    texts = {names[j] for j, is_text in zip(chosen, are_texts, strict=True) if is_text}
    return fetch_coded(connection, {names[j]: typed[j] for j in chosen}, texts, "stored", n_rows)


def _check_parquet(connection: DuckDBPyConnection, path: Path, typed: Sequence[str], texts: Sequence[bool]) -> int:
    """How many rows there are. They are held against the budget: as the footer counts them, then letters of texts.

    A few bytes can stand for a long text many times over, so that no size in the file says how much texts take.
    """
    counted = connection.execute("SELECT num_rows FROM parquet_file_metadata(?)", [pattern_of(path)]).fetchone()
    n_rows = int(counted[0]) if counted else 0
    n_bytes = n_rows * sum(BYTES_PER_TEXT if is_text else 8 for is_text in texts)
    check_bytes(path, n_bytes, f"its {n_rows:,} rows would take at least")
    lengths = [f"coalesce(sum(strlen({value})), 0)" for value, is_text in zip(typed, texts, strict=True) if is_text]
    for start in range(0, len(lengths), 64):
        asked = " + ".join(lengths[start : start + 64])
        total = connection.execute(f"SELECT {asked} FROM stored").fetchone()  # noqa: S608
        n_bytes += int(total[0]) if total else 0
        check_bytes(path, n_bytes, "in memory it would take")
    return n_rows


def kept_value(column: str, kind: str) -> str:
    """A column as it is read, in SQL: truth values, numbers and texts stay; lists and records become JSON.

    Every other type becomes its text.
    """
    if kind in _KEPT_TYPES:
        return column
    is_nested = kind.endswith("]") or kind.startswith(("STRUCT", "MAP"))
    return f"CAST({f'to_json({column})' if is_nested else column} AS VARCHAR)"


def holds_text(kind: str) -> bool:
    """Whether a column of this type is read as texts."""
    return kind == "VARCHAR" or kind not in _KEPT_TYPES


def copy_columns(
    connection: DuckDBPyConnection,
    columns: Mapping[str, Column],
    part: Path,
    ending: str,
    packing: str = "",
    lists: Sequence[str] = (),
) -> None:
    """Write columns to a new file of the kind that the ending says, packed as another one says, if at all.

    Those that hold JSON lists are written as lists if the kind can.
    """
    inner = numbered(len(columns))
    connection.register("rows", {c: as_scanned(column) for c, column in zip(inner, columns.values(), strict=True)})
    listed = ", ".join(
        f"{_written(c, column, is_list=name in lists and ending not in DELIMITERS)} AS {quoted(name)}"
        for c, (name, column) in zip(inner, columns.items(), strict=True)
    )
    connection.execute(f"COPY (SELECT {listed} FROM rows) TO {literal(_place(part))} ({written_as(ending, packing)})")  # noqa: S608


def _written(c: str, column: Column, *, is_list: bool) -> str:
    """A column as it is written, in SQL."""
    text = f"CAST({c} AS VARCHAR)" if column.dtype.kind in "OU" else c
    return f"CAST(CAST({text} AS JSON) AS VARCHAR[])" if is_list else text


def as_scanned(column: Column) -> Any:
    """What DuckDB scans: strings as objects with None where missing, everything else with its mask."""
    if column.dtype.kind not in "OU":
        return column
    objects = np.array(column.data, dtype=object)
    objects[np.ma.getmaskarray(column)] = None
    return objects


KINDS = {
    ".csv": "a table with commas between the fields",
    ".tsv": "a table with tabs between the fields",
    ".txt": "a table with tabs, commas or semicolons between the fields",
    ".parquet": "a Parquet file",
    ".jsonl": "a file of JSON lines",
    ".ndjson": "a file of JSON lines",
    ".xlsx": "an Excel workbook",
}
# Kinds that are text, and can be packed.
PACKED = (*DELIMITERS, ".jsonl", ".ndjson")


def written_as(ending: str, packing: str) -> str:
    """Options of DuckDB's COPY for a kind of file, and for how it is packed, if at all."""
    return _OPTIONS[ending] + (f", COMPRESSION {PACKINGS[packing]}" if packing else "")


_DELIMITED = "FORMAT csv, HEADER true, DELIMITER {}, QUOTE '\"', ESCAPE '\"', USE_TMP_FILE false"
_OPTIONS = {
    ".csv": _DELIMITED.format("','"),
    ".tsv": _DELIMITED.format("'\t'"),
    ".parquet": "FORMAT parquet, USE_TMP_FILE false",
    ".jsonl": "FORMAT json, USE_TMP_FILE false",
    ".ndjson": "FORMAT json, USE_TMP_FILE false",
}
# Kinds that are written.
WRITTEN = tuple(_OPTIONS)
