"""Files as a DuckDB relation that reads them when asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thumbwise.exceptions import InvalidFileError
from thumbwise.tables.databases import Database, open_database
from thumbwise.tables.delimited import (
    ask_columns,
    delimited_source,
    holds_decimal,
    holds_whole,
    may_have_commas,
    note_decimals,
    read_header,
    with_point,
)
from thumbwise.tables.dialects import DELIMITERS, find_dialect
from thumbwise.tables.file_formats import PLAIN, FileFormat
from thumbwise.tables.formats import explained, literal, quoted
from thumbwise.tables.given_paths import as_text, check_plain
from thumbwise.tables.plain_files import PlainFile, lasting_scratch, make_plain, split_ending

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
    pattern: str | Path | Sequence[str | Path], home: Database | None = None, *, as_texts: bool = False
) -> Any:
    """A relation over Parquet, CSV or TSV files; kinds are not mixed.

    Columns of CSV and TSV are texts. Unless these are asked for, those that hold only whole numbers become numbers,
    which takes a look at all rows.
    """
    return open_noted(pattern, PLAIN, home, as_texts=as_texts)[0]


def open_noted(
    pattern: str | Path | Sequence[str | Path],
    form: FileFormat,
    home: Database | None = None,
    *,
    as_texts: bool = False,
) -> tuple[Any, tuple[str, ...]]:
    """The same for files of which something is said, and notes on what was found out about them.

    A database that is brought is confined to these files before it reads one.
    """
    given = [pattern] if isinstance(pattern, (str, Path)) else list(pattern)
    paths = [_place(path) for path in given]
    endings = {split_ending(Path(path)) for path in paths}
    kinds = {ending for ending, _ in endings}
    if (
        len(kinds) != 1
        or not kinds <= {".parquet", *DELIMITERS}
        or (".parquet" in kinds and endings != {(".parquet", "")})
    ):
        raise InvalidFileError(
            "files must all end in .parquet, or all in .csv, .tsv or .txt, perhaps with .gz or .zst after it; found "
            f"{', '.join(sorted(repr(a + b) for a, b in endings)) or 'no file'}."
        )
    home = open_database() if home is None else home
    with explained(str(given[0])):
        if kinds != {".parquet"}:
            return _open_delimited(home, paths, form, as_texts)
        files = _expand(home.connection, paths)
        home.confine(files, paths)
        by_name = _check_alike(home.connection, files)
        rows = home.connection.read_parquet(paths, hive_partitioning=False, union_by_name=by_name)
        return rows, tuple(_note_links(files))


def _open_delimited(home: Database, paths: list[str], form: FileFormat, as_texts: bool) -> tuple[Any, tuple[str, ...]]:
    scratch = lasting_scratch()
    given = _expand(home.connection, paths)
    files = [make_plain(Path(file), form, scratch) for file in given]
    home.confine([file.path for file in files])
    dialect, note = find_dialect(files[0].path, files[0].ending, files[0].shown, form)
    names, line_end = read_header(files[0].path, dialect)
    for file in files[1:]:
        _check_like(file, files[0], (dialect, names, line_end), form)
    source = delimited_source([_place(file.path) for file in files], len(names), dialect, line_end)
    texts = home.connection.sql(f"SELECT * FROM {source}")  # noqa: S608  # quoted
    numbers = set() if as_texts else _find(texts, holds_whole)
    decimals = _find(texts, holds_decimal) if may_have_commas(dialect, form) else set()
    typed = (
        f"{f'CAST({c} AS BIGINT)' if c in numbers else with_point(c) if c in decimals else c} AS {quoted(name)}"
        for c, name in zip(texts.columns, names, strict=True)
    )
    commas = [name for c, name in zip(texts.columns, names, strict=True) if c in decimals]
    notes = (*files[0].notes, note, note_decimals(files[0].shown, commas), *_note_links(given))
    return texts.project(", ".join(typed)), tuple(filter(None, notes))


def _note_links(files: Sequence[str]) -> Iterator[str]:
    """A note if files that wildcards met are links that lead out of their folder."""
    places = {file: Path(file).resolve() for file in files if Path(file).is_symlink()}
    away = {file: place for file, place in places.items() if Path(file).parent.resolve() not in place.parents}
    for file, place in list(away.items())[:1]:
        yield f"links to files elsewhere were followed: {len(away):,} of {len(files):,}, such as {file} to {place}"


def _check_like(file: PlainFile, first: PlainFile, known: tuple[Any, list[str], str], form: FileFormat) -> None:
    """Refuse a file that is written otherwise than the first, because fields are taken by position."""
    dialect, _ = find_dialect(file.path, file.ending, file.shown, form)
    other = read_header(file.path, dialect)
    if (dialect, *other) != known:
        raise InvalidFileError(
            "all files must have the same columns in the same order, each once, separated in the same way, and end "
            f"lines in the same way; {first.shown} has {known[1][:10]} and {known[2]!r}, {file.shown} has "
            f"{other[0][:10]} and {other[1]!r}. Rewrite one, or read them apart."
        )


def list_files(pattern: str | Path, connection: DuckDBPyConnection) -> list[str]:
    """All files that a pattern stands for."""
    return _expand(connection, [_place(pattern)])


def _place(path: str | Path) -> str:
    """Absolute, so that it is no address; a file that exists is meant literally, whatever characters its name has."""
    place = as_text(os.path.abspath(path))  # noqa: PTH100  # Path.absolute keeps "..", resolve follows links
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


def _find(texts: Any, holds: Callable[[str], str]) -> set[str]:
    """Columns that hold what an aggregate asks for."""

    def ask(query: str) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = texts.query("thumbwise_texts", query).fetchall()
        return rows

    held = ask_columns(ask, "thumbwise_texts", texts.columns, holds)
    return {name for name, is_held in zip(texts.columns, held, strict=True) if is_held}


def _expand(connection: DuckDBPyConnection, paths: list[str]) -> list[str]:
    """All files that the wildcards stand for."""
    files = [row[0] for path in paths for row in connection.execute("SELECT file FROM glob(?)", [path]).fetchall()]
    if not files:
        raise InvalidFileError(f"there is no file {paths[0]}. Check its name and folder.")
    for file in files:
        check_plain(file)
    return files
