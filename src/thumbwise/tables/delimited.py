"""CSV and TSV as DuckDB reads them, all fields as texts: which columns hold numbers is asked afterwards."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thumbwise.exceptions import InvalidFileError
from thumbwise.tables.coded import with_small
from thumbwise.tables.dialects import Dialect, find_dialect
from thumbwise.tables.file_formats import FileFormat
from thumbwise.tables.formats import (
    Column,
    batched,
    check_unique,
    choose_columns,
    fetch_coded,
    literal,
    numbered,
    pattern_of,
)
from thumbwise.tables.plain_files import PlainFile
from thumbwise.tables.small_numbers import SmallNumbers, create_small

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Planning a SELECT takes DuckDB a time that grows with the cube of its aggregates.
_AGGREGATES_AT_ONCE = 64
# Rows that tell of most columns of texts that they hold no numbers.
_FIRST_ROWS = 2048


def read_delimited(
    connection: DuckDBPyConnection, file: PlainFile, columns: Sequence[str] | None, form: FileFormat
) -> tuple[Mapping[str, Column], tuple[str, ...]]:
    """Columns of CSV or TSV, all or those that are asked for, and what was found out about how they are written."""
    dialect, note = find_dialect(file.path, file.ending, file.shown, form)
    names, ending = read_header(file.path, dialect)
    name_of = {f"c{j}": names[j] for j in choose_columns(file.shown, names, columns)}
    small = _create_texts(connection, file.path, names, list(name_of), dialect, ending)
    inner = [c for c in name_of if c not in small]

    def ask(query: str) -> list[tuple[Any, ...]]:
        return connection.execute(query).fetchall()

    whole = dict(zip(inner, _ask_in_two(ask, inner), strict=True))
    decimal: list[str] = []
    if may_have_commas(dialect, form):
        are_decimal = ask_columns(ask, "texts", inner, holds_decimal)
        decimal = [c for c, is_decimal in zip(inner, are_decimal, strict=True) if is_decimal]
    typed = {c: with_point(c) if c in decimal else f"CAST({c} AS BIGINT)" if whole[c] else c for c in inner}
    ((n_rows,),) = ask("SELECT count(*) FROM texts")
    texts = [name_of[c] for c in inner if not whole[c]]
    read = fetch_coded(connection, {name_of[c]: what for c, what in typed.items()}, texts, "texts", n_rows)
    notes = tuple(filter(None, (note, note_decimals(file.shown, [name_of[c] for c in decimal]))))
    return with_small(list(name_of.values()), read, {name_of[c]: column for c, column in small.items()}), notes


def _create_texts(
    connection: DuckDBPyConnection,
    path: Path,
    names: Sequence[str],
    inner: Sequence[str],
    dialect: Dialect,
    ending: str,
) -> Mapping[str, SmallNumbers]:
    """Make the table ``texts`` of the columns c0, c1, ... that are asked for; those that are small numbers already."""
    source = partial(delimited_source, [pattern_of(path)], len(names), dialect, ending)
    if len(inner) == len(names) and "\\r\\n" not in ending:
        small = create_small(connection, path, count_header_bytes(path, dialect), dialect.quote, len(names), source)
        if small:
            return small
    connection.execute(f"CREATE TABLE texts AS SELECT {', '.join(inner)} FROM {source()}")  # noqa: S608
    return {}


def _ask_in_two(ask: Callable[[str], Sequence[tuple[Any, ...]]], columns: Sequence[str]) -> list[bool]:
    """Which columns of texts hold whole numbers: all rows are asked only where the first ones say so."""
    begun = ask_columns(ask, f"(FROM texts LIMIT {_FIRST_ROWS})", columns, holds_whole)
    some = [name for name, may_be in zip(columns, begun, strict=True) if may_be]
    held = dict(zip(some, ask_columns(ask, "texts", some, holds_whole), strict=True))
    return [held.get(name, False) for name in columns]


def delimited_source(
    paths: Sequence[str], n_columns: int, dialect: Dialect, ending: str, kinds: Mapping[str, str] | None = None
) -> str:
    """CSV or TSV as a table c0, c1, ..., in SQL; an empty field, quoted or not, is NULL.

    Its columns are texts, apart from those for which another type is given.
    """
    types = ", ".join(f"{name}: '{(kinds or {}).get(name, 'VARCHAR')}'" for name in numbered(n_columns))
    skipped = f"skip = {dialect.n_skipped}, " if dialect.n_skipped else ""
    return (
        f"read_csv([{', '.join(map(literal, paths))}], auto_detect = false, columns = {{{types}}}, "
        f"delim = {literal(dialect.delimiter)}, quote = {literal(dialect.quote)}, escape = {literal(dialect.escape)}, "
        f"header = true, nullstr = '', {skipped}{ending}compression = 'none', hive_partitioning = false)"
    )


def may_have_commas(dialect: Dialect, form: FileFormat) -> bool:
    """Whether numbers may have a decimal comma: if that is said, or not, and semicolons separate the fields."""
    return (dialect.delimiter == ";") if form.decimal is None or not form.decides else form.decimal == ","


def holds_decimal(column: str) -> str:
    """Whether a column of texts holds only numbers, some of them with a decimal comma, in SQL."""
    number = f"regexp_full_match({column}, '[+-]?[0-9]+(,[0-9]+)?([eE][+-]?[0-9]+)?')"
    return f"coalesce(bool_and(coalesce({number}, true)) AND bool_or(contains({column}, ',')), false)"


def with_point(column: str) -> str:
    """A column of numbers with a decimal comma as texts with a point, in SQL."""
    return f"replace({column}, ',', '.')"


def note_decimals(shown: Path, names: Sequence[str]) -> str | None:
    """A note on the columns in which numbers have a decimal comma."""
    if not names:
        return None
    listed = ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")
    return f"in {shown.name} numbers have a decimal comma, which is read as a point: {listed}"


def read_header(path: Path, dialect: Dialect) -> tuple[list[str], str]:
    """Names of the columns, and DuckDB's option for how lines end.

    DuckDB takes the first line break of the file for the end of its lines, although it may lie within a quoted name,
    and then finds no rows.
    """
    try:
        names, seen = _first_record(path, dialect)
    except csv.Error as error:
        raise InvalidFileError(
            f"{path} must have the names of its columns in the first line; that line is no CSV: {error}."
        ) from error
    if not names:
        raise InvalidFileError(f"{path} must have the names of its columns in the first line; that line is empty.")
    check_unique(path, names)
    last = seen[-1]
    ending = next((end for end in ("\r\n", "\n", "\r") if last.endswith(end)), None)
    return names, "" if ending is None else f"new_line = {_escaped(ending)}, "


def count_header_bytes(path: Path, dialect: Dialect) -> int:
    """How many bytes stand before the rows."""
    with path.open("rb") as file:
        n_mark = len(codecs.BOM_UTF8) if file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8 else 0
    return n_mark + sum(len(line.encode()) for line in _first_record(path, dialect)[1])


def _first_record(path: Path, dialect: Dialect) -> tuple[list[str], list[str]]:
    """The names of the columns, and the lines that were read for them."""
    seen: list[str] = []
    with path.open(encoding="utf-8-sig", newline="") as lines:
        return next(iter(dialect.records(_remembered(lines, seen))), []), seen


def _remembered(lines: Iterable[str], seen: list[str]) -> Iterator[str]:
    for line in lines:
        seen.append(line)
        yield line


def _escaped(ending: str) -> str:
    return "'" + ending.replace("\r", "\\r").replace("\n", "\\n") + "'"


def holds_whole(column: str) -> str:
    """Whether a column of texts holds only integers of 64 bits that are written back with the same characters, in SQL.

    Such a column of CSV is one of numbers; ``007`` and ``1.0`` are texts.
    """
    same = f"CAST(TRY_CAST({column} AS BIGINT) AS VARCHAR) = {column}"
    return f"coalesce(bool_and(coalesce({same}, {column} IS NULL)), false)"


def ask_columns(
    ask: Callable[[str], Sequence[tuple[Any, ...]]], source: str, columns: Sequence[str], holds: Callable[[str], str]
) -> list[bool]:
    """Whether each column of texts holds what an aggregate asks for.

    Few columns are asked side by side. Of many, the fields are put below each other, with the number of their column,
    and one aggregate is asked by group: planning takes DuckDB a time that grows with the cube of the aggregates.

    Parameters
    ----------
    ask : callable
        Rows of an SQL query.
    source : str
        A table in SQL.
    columns : sequence of str
        Its columns of texts.
    holds : callable
        An aggregate over a column, in SQL.
    """
    if not columns:
        return []
    if len(columns) <= _AGGREGATES_AT_ONCE:
        return [bool(held) for held in ask(f"SELECT {', '.join(map(holds, columns))} FROM {source}")[0]]  # noqa: S608
    answers: list[bool] = []
    for some in batched(columns):
        fields = f"SELECT unnest([{', '.join(some)}]) AS field, unnest(range({len(some)})) AS k FROM {source}"  # noqa: S608
        rows = ask(f"SELECT k, {holds('field')} FROM ({fields}) GROUP BY k")  # noqa: S608
        held = dict(rows)
        answers += [bool(held.get(k)) for k in range(len(some))]
    return answers
