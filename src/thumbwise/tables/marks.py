"""Marks in the files of a folder that this tool wrote: proof that all of it may be replaced.

Each Parquet file carries, in its own metadata, the mark of the one run that wrote the folder. There is no list of files
beside them, which readers of whole folders, such as polars, would take for one of the tables.
"""

from __future__ import annotations

import stat
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from thumbwise.tables.formats import NOTHING_LOADED, confine, interruptible, pattern_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_KEY = "thumbwise_folder"


def new_mark() -> str:
    """An option of DuckDB's COPY that gives all files of one folder the same mark, which no other folder has."""
    return f"KV_METADATA {{{_KEY}: '{token_hex(16)}'}}"


def find_foreign(folder: Path) -> list[str]:
    """What in a folder was not written together by this tool: files without a mark, or with another one than the first.

    A file that somebody wrote anew has lost its mark, or was not written by DuckDB. An empty folder holds nothing
    foreign.
    """
    import duckdb  # noqa: PLC0415  # importing thumbwise must not import it

    with duckdb.connect(":memory:", config=NOTHING_LOADED) as connection:
        confine(connection, folders=[folder])
        marks = {path.name: _read_mark(connection, path) for path in sorted(folder.iterdir())}
    first = next((mark for mark in marks.values() if mark is not None), None)
    return [name for name, mark in marks.items() if mark is None or mark != first]


def _read_mark(connection: DuckDBPyConnection, path: Path) -> bytes | None:
    """The mark of a plain Parquet file; None for anything else."""
    import duckdb  # noqa: PLC0415  # importing thumbwise must not import it

    if path.suffix != ".parquet" or not stat.S_ISREG(path.lstat().st_mode):
        return None
    query = (
        "SELECT value FROM parquet_kv_metadata($path), parquet_file_metadata($path) AS file "
        "WHERE decode(key) = $key AND file.created_by LIKE 'DuckDB%'"
    )
    try:
        with interruptible():
            marks = connection.execute(query, {"path": pattern_of(path), "key": _KEY}).fetchall()
    except (duckdb.Error, RuntimeError):
        return None
    return bytes(marks[0][0]) if len(marks) == 1 else None
