"""How DuckDB reads and writes each kind of file: names, types and paths taken literally."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from thumbwise.exceptions import InvalidFileError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Column: TypeAlias = np.ma.MaskedArray[Any, Any]
Columns: TypeAlias = dict[str, Column]

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_KEPT_TYPES = {*_INTEGERS, "BOOLEAN", "FLOAT", "DOUBLE", "VARCHAR"}
# Beyond this floats skip integers.
_EXACT = 2**53


@contextmanager
def connect(path: Path) -> Iterator[DuckDBPyConnection]:
    """A database in memory that may touch this one file and load nothing."""
    import duckdb  # noqa: PLC0415  # importing thumbwise must not import it

    settings = ("autoinstall_known_extensions", "autoload_known_extensions", "allow_community_extensions")
    with duckdb.connect(":memory:", config=dict.fromkeys(settings, "false")) as connection:
        connection.execute("SET temp_directory = ''")
        try:
            connection.execute(f"SET allowed_paths = [{_literal(_place(path))}, {_literal(_pattern(path))}]")
        except duckdb.CatalogException:  # DuckDB before 1.2 allows all files or none
            pass
        else:
            connection.execute("SET enable_external_access = false")
        yield connection


@contextmanager
def interruptible() -> Iterator[None]:
    """An interrupt reaches the database, which reports it as an error of its own; give it back its name."""
    try:
        yield
    except RuntimeError as error:
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from error
        raise


def _place(path: Path) -> str:
    """Absolute, so that it is no address."""
    return os.path.abspath(path)  # noqa: PTH100  # Path.absolute keeps "..", resolve follows links


def _pattern(path: Path) -> str:
    """The wildcard pattern that fits this path only."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in _place(path))


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _numbered(n_columns: int) -> list[str]:
    """Names of columns inside the database, where the real ones would need care: c0, c1, ..."""
    return [f"c{j}" for j in range(n_columns)]


def _fetch(connection: DuckDBPyConnection, names: Sequence[str], expressions: Sequence[str], source: str) -> Columns:
    listed = ", ".join(f"{what} AS c{j}" for j, what in enumerate(expressions))
    arrays = connection.execute(f"SELECT {listed} FROM {source}").fetchnumpy()  # noqa: S608  # no name comes from outside
    return {name: np.ma.asarray(arrays[f"c{j}"]) for j, name in enumerate(names)}


def _read_delimited(connection: DuckDBPyConnection, path: Path) -> Columns:
    delimiter = _DELIMITERS[path.suffix.lower()]
    names, ending = _read_header(path, delimiter)
    inner = _numbered(len(names))
    columns = ", ".join(f"{name}: 'VARCHAR'" for name in inner)
    connection.execute(
        f"CREATE TABLE texts AS SELECT * FROM read_csv(?, auto_detect = false, columns = {{{columns}}}, "  # noqa: S608
        f"delim = {_literal(delimiter)}, quote = '\"', escape = '\"', header = true, nullstr = '', "
        f"{ending}compression = 'none', hive_partitioning = false)",
        [_pattern(path)],
    )
    whole = _are_whole(connection, inner)
    typed = [f"CAST({name} AS BIGINT)" if is_whole else name for name, is_whole in zip(inner, whole, strict=True)]
    return _fetch(connection, names, typed, "texts")


def _read_header(path: Path, delimiter: str) -> tuple[list[str], str]:
    """Names of the columns, and DuckDB's option for how lines end.

    DuckDB takes the first line break of the file for the end of its lines, although it may lie within a quoted name,
    and then finds no rows.
    """
    with path.open("rb") as file:
        if b"\0" in file.read(2**16):
            raise InvalidFileError(
                f"{path} must be UTF-8 text, as its ending says; it holds zero bytes, so it is a binary file or UTF-16."
                " Rename it to what it is, or save it as UTF-8."
            )
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            seen: list[str] = []
            names = next(csv.reader(_remembered(lines, seen), delimiter=delimiter, strict=True), [])
    except csv.Error as error:
        raise InvalidFileError(
            f"{path} must have the names of its columns in the first line; that line is no CSV: {error}."
        ) from error
    if not names:
        raise InvalidFileError(f"{path} must have the names of its columns in the first line; that line is empty.")
    _check_unique(path, names)
    last = seen[-1]
    ending = next((end for end in ("\r\n", "\n", "\r") if last.endswith(end)), None)
    return names, "" if ending is None else f"new_line = {_escaped(ending)}, "


def _remembered(lines: Iterable[str], seen: list[str]) -> Iterator[str]:
    for line in lines:
        seen.append(line)
        yield line


def _escaped(ending: str) -> str:
    return "'" + ending.replace("\r", "\\r").replace("\n", "\\n") + "'"


def _check_unique(path: Path, names: Sequence[str]) -> None:
    repeated = [name for j, name in enumerate(names) if name in names[:j]]
    if repeated:
        places = [j for j, name in enumerate(names) if name == repeated[0]]
        raise InvalidFileError(
            f"{path} must have a different name for every column; found {repeated[0]!r} at columns {places} "
            f"({len(repeated)} columns too many in all). Rename or drop them."
        )


def _are_whole(connection: DuckDBPyConnection, columns: Sequence[str]) -> list[bool]:
    """Whether each column of texts holds only integers of 64 bits that are written back with the same characters."""
    same = ", ".join(
        f"coalesce(bool_and(coalesce(CAST(TRY_CAST({c} AS BIGINT) AS VARCHAR) = {c}, {c} IS NULL)), false)"
        for c in columns
    )
    answer = connection.execute(f"SELECT {same} FROM texts").fetchone()  # noqa: S608
    return [bool(is_whole) for is_whole in answer or ()]


def _read_parquet(connection: DuckDBPyConnection, path: Path) -> Columns:
    source = "read_parquet(?, hive_partitioning = false)"
    described = connection.execute(f"DESCRIBE SELECT * FROM {source}", [_pattern(path)]).fetchall()  # noqa: S608
    names = [str(row[0]) for row in described]
    stored = connection.execute("SELECT name FROM parquet_schema(?)", [_pattern(path)]).fetchall()
    renamed = [name for name in names if (name,) not in stored]
    if renamed:
        raise InvalidFileError(
            f"{path} must have names of columns that are unique, ignoring case; {len(renamed)} are not, such as "
            f"{renamed[0].rpartition('_')[0]!r}. Rename or drop them."
        )
    inner = _numbered(len(names))
    connection.execute(
        f"CREATE VIEW stored({', '.join(inner)}) AS SELECT * FROM "  # noqa: S608
        f"read_parquet({_literal(_pattern(path))}, hive_partitioning = false)"
    )
    typed = [c if row[1] in _KEPT_TYPES else f"CAST({c} AS VARCHAR)" for c, row in zip(inner, described, strict=True)]
    return _fetch(connection, names, typed, "stored")


def _read_json_lines(connection: DuckDBPyConnection, path: Path) -> Columns:
    import duckdb  # noqa: PLC0415  # importing thumbwise must not import it

    try:
        connection.execute(
            "CREATE TABLE lines AS SELECT json FROM read_ndjson_objects(?, compression = 'none')", [_pattern(path)]
        )
    except duckdb.Error:
        raise _first_bad_line(path) from None
    strange = connection.execute("SELECT rowid, json FROM lines WHERE json_type(json) <> 'OBJECT' LIMIT 1").fetchone()
    if strange:
        raise InvalidFileError(
            f'{path} must hold one JSON object a line, such as {{"id": 1, "rule": 0}}; object {strange[0]} is '
            f"{str(strange[1])[:60]}. Write one row a line, with names."
        )
    names = _json_names(connection, path)
    if not names:
        return {}
    inner = _numbered(len(names))
    pointers = ["/" + name.replace("~", "~0").replace("/", "~1") for name in names]
    listed = ", ".join(f"json_extract_string(json, ?) AS {c}" for c in inner)
    connection.execute(f"CREATE TABLE texts AS SELECT {listed} FROM lines", pointers)  # noqa: S608
    kinds = connection.execute(
        f"SELECT {', '.join('list(DISTINCT json_type(json, ?))' for _ in inner)} FROM lines",  # noqa: S608
        pointers,
    ).fetchone()
    whole = _are_whole(connection, inner)
    typed = [
        _json_type(connection, c, {kind for kind in found if kind not in (None, "NULL")}, is_whole)
        for c, found, is_whole in zip(inner, kinds or (), whole, strict=True)
    ]
    return _fetch(connection, names, typed, "texts")


def _json_names(connection: DuckDBPyConnection, path: Path) -> list[str]:
    """All keys, in order of appearance."""
    rows = connection.execute("SELECT json_keys(json), min(rowid) FROM lines GROUP BY 1 ORDER BY 2").fetchall()
    for keys, _ in rows:
        _check_unique(path, keys)
    return list(dict.fromkeys(key for keys, _ in rows for key in keys))


def _json_type(connection: DuckDBPyConnection, column: str, kinds: set[str], is_whole: bool) -> str:
    if kinds == {"BOOLEAN"}:
        return f"CAST({column} AS BOOLEAN)"
    if not kinds <= {"UBIGINT", "BIGINT", "DOUBLE"}:
        return column
    if is_whole:
        return f"CAST({column} AS BIGINT)"
    fits = connection.execute(f"SELECT bool_and(abs(CAST({column} AS DOUBLE)) < {_EXACT}) FROM texts").fetchone()  # noqa: S608
    return f"CAST({column} AS DOUBLE)" if fits and fits[0] else column


def _first_bad_line(path: Path) -> InvalidFileError:
    """DuckDB miscounts lines and does not show them."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                json.loads(line.decode() if line.strip() else "null")
            except ValueError as error:
                shown = line[:60].decode("utf-8", "backslashreplace").strip()
                return InvalidFileError(
                    f"{path} must hold one JSON object a line, as its ending says; line {number} is no JSON ({error}): "
                    f"{shown!r}. Rename the file to what it is, or write one object a line."
                )
    return InvalidFileError(f"{path} must hold one JSON object a line, as its ending says; it cannot be read as such.")


def copy_columns(connection: DuckDBPyConnection, columns: Columns, part: Path, ending: str) -> None:
    """Write columns to a new file of the kind that the ending says."""
    inner = _numbered(len(columns))
    connection.register("rows", {c: _plain(column) for c, column in zip(inner, columns.values(), strict=True)})
    listed = ", ".join(
        f"{'CAST(' + c + ' AS VARCHAR)' if column.dtype.kind in 'OU' else c} AS {_quoted(name)}"
        for c, (name, column) in zip(inner, columns.items(), strict=True)
    )
    connection.execute(f"COPY (SELECT {listed} FROM rows) TO {_literal(_place(part))} ({_OPTIONS[ending]})")  # noqa: S608


def _plain(column: Column) -> Any:
    """What DuckDB scans: strings as objects with None where missing, everything else with its mask."""
    if column.dtype.kind not in "OU":
        return column
    values = np.array(column.data, dtype=object)
    values[np.ma.getmaskarray(column)] = None
    return values


_Reader: TypeAlias = "Callable[[DuckDBPyConnection, Path], Columns]"
READERS: dict[str, _Reader] = {
    ".csv": _read_delimited,
    ".tsv": _read_delimited,
    ".parquet": _read_parquet,
    ".jsonl": _read_json_lines,
    ".ndjson": _read_json_lines,
}
KINDS = {
    ".csv": "a table with commas between the fields",
    ".tsv": "a table with tabs between the fields",
    ".parquet": "a Parquet file",
    ".jsonl": "a file of JSON lines",
    ".ndjson": "a file of JSON lines",
}
_DELIMITED = "FORMAT csv, HEADER true, DELIMITER {}, QUOTE '\"', ESCAPE '\"', USE_TMP_FILE false"
_OPTIONS = {
    ".csv": _DELIMITED.format("','"),
    ".tsv": _DELIMITED.format("'\t'"),
    ".parquet": "FORMAT parquet, USE_TMP_FILE false",
    ".jsonl": "FORMAT json, USE_TMP_FILE false",
    ".ndjson": "FORMAT json, USE_TMP_FILE false",
}
