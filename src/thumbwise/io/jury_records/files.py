"""Jury records in files; in JSON lines a field must be of one kind, because a column of several becomes text."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path

from thumbwise.exceptions import InvalidFileError
from thumbwise.tables.formats import connect, interruptible
from thumbwise.tables.table_files import Table, read_table

_JSON_LINES = (".jsonl", ".ndjson")
_LINES = "read_ndjson_objects(?, compression = 'none')"
MOST_FIELDS = 200
_IN_WORDS = {"ARRAY": "a list", "OBJECT": "an object", "BOOLEAN": "a truth value"}


def read_records(path: Path) -> Table:
    """The table in a file, whatever its lines hold."""
    if path.suffix.lower() in _JSON_LINES and path.is_file():
        _refuse_many_fields(path)
    try:
        return read_table(path)
    except RecursionError:
        raise InvalidFileError(
            f"{path} must hold one JSON object a line; a line is nested too deeply to be read. Write flat records."
        ) from None


def _refuse_many_fields(path: Path) -> None:
    """A column for each of thousands of names, as a stranger may write them, would take hours and all memory."""
    import duckdb  # noqa: PLC0415  # importing thumbwise must not import it

    query = f"SELECT count(DISTINCT name) FROM (SELECT unnest(json_keys(json)) AS name FROM {_LINES})"  # noqa: S608
    with connect(path) as connection, interruptible():
        try:
            count = connection.execute(query, [_place(path)]).fetchone()
        except duckdb.Error:  # read_table says what is wrong
            return
    if count and count[0] > MOST_FIELDS:
        raise InvalidFileError(
            f"{path}: records must have at most {MOST_FIELDS} different fields; found {count[0]:,}. Write item, judge, "
            "verdict, status and error alone, or put the others into one."
        )


def _place(path: Path) -> str:
    return glob.escape(os.path.abspath(path))  # noqa: PTH100  # the path that the connection allows


def refuse_mixed(path: Path, names: Sequence[str]) -> None:
    """Refuse JSON lines in which a field that was read as text holds anything but strings and nulls."""
    if path.suffix.lower() not in _JSON_LINES or not names:
        return
    pointers = ["/" + name.replace("~", "~0").replace("/", "~1") for name in names]
    kinds = ", ".join(f"json_type(json, ?) AS k{j}" for j in range(len(names)))
    with connect(path) as connection, interruptible():
        connection.execute(
            f"CREATE TABLE kinds AS SELECT {kinds} FROM {_LINES}",  # noqa: S608  # no name comes from outside
            [*pointers, _place(path)],
        )
        for j, name in enumerate(names):
            mixed = connection.execute(
                f"SELECT k{j}, count(*), min(rowid) FROM kinds WHERE k{j} NOT IN ('VARCHAR', 'NULL') "  # noqa: S608
                "GROUP BY 1 ORDER BY 3 LIMIT 1"
            ).fetchone()
            if mixed:
                raise _mixed(path, name, *mixed)


def _mixed(path: Path, name: str, kind: str, count: int, row: int) -> InvalidFileError:
    return InvalidFileError(
        f"{path}: field {name!r} must be all strings, or all numbers of at most 64 bits, or null; it holds "
        f"{_IN_WORDS.get(kind, 'a number')} at record {row} ({count} such records). Write one kind in all records."
    )
