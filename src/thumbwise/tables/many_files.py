"""Files as a DuckDB relation that reads them when asked."""

from __future__ import annotations

import os
from collections.abc import Sequence
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thumbwise.exceptions import InvalidFileError
from thumbwise.tables.formats import (
    DELIMITERS,
    NOTHING_LOADED,
    delimited_source,
    explained,
    holds_whole,
    literal,
    quoted,
    read_header,
)

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# What the columns of Parquet files hold, by the type in which DuckDB reads them; a column that holds nothing fits all.
_KIND = (
    "CASE WHEN logical_type LIKE 'NullType%' THEN 'nothing' "
    "WHEN duckdb_type LIKE '%INT' OR duckdb_type IN ('INTEGER', 'FLOAT', 'DOUBLE') OR duckdb_type LIKE 'DECIMAL%' "
    "THEN 'numbers' "
    "WHEN duckdb_type = 'VARCHAR' THEN 'texts' ELSE coalesce(duckdb_type, 'columns') END"
)


def open_files(
    pattern: str | Path | Sequence[str | Path], connection: DuckDBPyConnection | None = None, *, as_texts: bool = False
) -> Any:
    """A relation over Parquet, CSV or TSV files; kinds are not mixed.

    Columns of CSV and TSV are texts. Unless these are asked for, those that hold only whole numbers become numbers,
    which takes a look at all rows.
    """
    given = [pattern] if isinstance(pattern, (str, Path)) else list(pattern)
    paths = [_place(path) for path in given]
    endings = {Path(path).suffix.lower() for path in paths}
    if len(endings) != 1 or not endings <= {".parquet", *DELIMITERS}:
        raise InvalidFileError(
            "files must all end in .parquet, or all in .csv, or all in .tsv; found "
            f"{', '.join(sorted(map(repr, endings))) or 'no file'}."
        )
    connection = connect_files() if connection is None else connection
    ending = endings.pop()
    with explained(str(given[0])):
        if ending == ".parquet":
            by_name = _check_alike(connection, _expand(connection, paths))
            return connection.read_parquet(paths, hive_partitioning=False, union_by_name=by_name)
        texts, names = _open_texts(connection, paths, DELIMITERS[ending])
        numbers = set() if as_texts else _find_whole(texts)
        typed = (
            f"{f'CAST({inner} AS BIGINT)' if inner in numbers else inner} AS {quoted(name)}"
            for inner, name in zip(texts.columns, names, strict=True)
        )
        return texts.project(", ".join(typed))


def connect_files() -> DuckDBPyConnection:
    """A database in memory that loads nothing, for whoever brings none."""
    import duckdb  # noqa: PLC0415  # importing thumbwise must not import it

    return duckdb.connect(config=NOTHING_LOADED)


def list_files(pattern: str | Path, connection: DuckDBPyConnection) -> list[str]:
    """All files that a pattern stands for."""
    return _expand(connection, [_place(pattern)])


def _place(path: str | Path) -> str:
    """Absolute, so that it is no address; a file that exists is meant literally, whatever characters its name has."""
    place = os.path.abspath(path)  # noqa: PTH100  # Path.absolute keeps "..", resolve follows links
    if has_magic(place) and Path(place).exists():
        return "".join(f"[{char}]" if char in "*?[" else char for char in place)
    return place


def _check_alike(connection: DuckDBPyConnection, files: list[str]) -> bool:
    """Refuse Parquet files whose columns differ: what is a number in one would become a text.

    Returns whether types differ all the same, as those of numbers with and without missing ones. They must then be
    brought together, or else those of the first file would be taken for all, and fractions be rounded.
    """
    listed = ", ".join(literal(_place(file)) for file in files)
    in_order = "list({} ORDER BY column_id)".format
    rows = connection.execute(
        "SELECT min(file), names, kinds, children FROM "  # noqa: S608  # quoted
        f"(SELECT file_name AS file, {in_order('name')} AS names, {in_order(_KIND)} AS kinds, "
        f"{in_order('coalesce(num_children, 0)')} AS children, {in_order('duckdb_type')} AS types "
        f"FROM parquet_schema([{listed}]) WHERE column_id > 0 GROUP BY file_name) "
        "GROUP BY names, kinds, children, types ORDER BY 1"
    ).fetchall()
    place = rows[0][0]
    known = _kinds(*rows[0][1:])
    for file, *columns in rows[1:]:
        kinds = _kinds(*columns)
        absent = sorted(set(known) ^ set(kinds))
        if absent:
            raise _differ(place, file, f"only one of them has a column {absent[0]!r}")
        known |= {name: kind for name, kind in kinds.items() if known[name] == "nothing"}
        strange = [name for name, kind in kinds.items() if kind not in (known[name], "nothing")]
        if strange:
            name = strange[0]
            raise _differ(place, file, f"column {name!r} holds {known[name]} in one and {kinds[name]} in the other")
    return len(rows) > 1


def _kinds(names: list[str], kinds: list[str], children: list[int]) -> dict[str, str]:
    """What each column holds; parts of a nested one are left out."""
    kind_of: dict[str, str] = {}
    n_inside = 0
    for name, kind, n_children in zip(names, kinds, children, strict=True):
        if n_inside:
            n_inside += n_children - 1
        else:
            kind_of[name] = kind
            n_inside = n_children
    return kind_of


def _differ(first: str, second: str, how: str) -> InvalidFileError:
    return InvalidFileError(
        f"all files must have the same columns, of the same kind; those of {first} and {second} differ: {how}. Rewrite "
        "one, or read them apart."
    )


def _open_texts(connection: DuckDBPyConnection, paths: list[str], delimiter: str) -> tuple[Any, list[str]]:
    """Columns of texts, and their names."""
    names, line_end = _common_header(_expand(connection, paths), delimiter)
    source = delimited_source(paths, len(names), delimiter, line_end)
    return connection.sql(f"SELECT * FROM {source}"), names  # noqa: S608  # quoted


def _find_whole(texts: Any) -> set[str]:
    """Columns whose every field is a whole number."""
    whole = texts.aggregate(", ".join(map(holds_whole, texts.columns))).fetchall()[0]
    return {name for name, is_whole in zip(texts.columns, whole, strict=True) if is_whole}


def _expand(connection: DuckDBPyConnection, paths: list[str]) -> list[str]:
    """All files that the wildcards stand for."""
    files = [row[0] for path in paths for row in connection.execute("SELECT file FROM glob(?)", [path]).fetchall()]
    if not files:
        raise InvalidFileError(f"there is no file {paths[0]}. Check its name and folder.")
    return files


def _common_header(files: list[str], delimiter: str) -> tuple[list[str], str]:
    """Names of the columns, the same in all files because fields are taken by position, and how lines end."""
    first = read_header(Path(files[0]), delimiter)
    for file in files:
        other = read_header(Path(file), delimiter)
        if other != first:
            raise InvalidFileError(
                "all files must have the same columns in the same order, each once, and end lines in the same way; "
                f"{files[0]} has {first[0][:10]} and {first[1]!r}, {file} has {other[0][:10]} and {other[1]!r}. "
                "Rewrite one, or read them apart."
            )
    return first
