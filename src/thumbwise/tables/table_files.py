"""Tables in files: CSV, TSV, Parquet and JSON lines, by file ending, through DuckDB, with nothing lost on the way.

What a column becomes:

- *CSV and TSV*: UTF-8 with or without a mark at its start, double quotes, column names in the first line. An empty
  field, quoted or not, is missing. A column whose every field is a whole number that would be written with the same
  characters is one of 64-bit integers; every other column is text, character by character, so that
  ``007``, ``+1`` and ``1.0`` stay.
- *JSON lines*: one object a line. A key that is absent or null is missing. Whole numbers, numbers, truth values and
  strings stay what they are; a column that mixes kinds, or numbers that no column type holds exactly, is text. A line
  has at most 32 MiB. Of a table of more than a million cells one in a hundred must be filled.
- *Parquet*: truth values, integers up to 64 bits, floats and strings stay; lists and records become
  JSON; every other type becomes its text.

Column names must differ by more than case, because DuckDB does not tell such names apart; only in CSV that is read they
may. Paths are taken literally: no wildcards, no addresses, no partitions read from folder names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from thumbwise.exceptions import InvalidFileError
from thumbwise.summaries import Shown, ShowsItself, show_table
from thumbwise.tables.formats import (
    KINDS,
    Column,
    Columns,
    connect,
    copy_columns,
    gist_of,
    interruptible,
    read_delimited,
    read_parquet,
)
from thumbwise.tables.json_lines import read_json_lines
from thumbwise.tables.outputs import TABLE, Kind, check_file
from thumbwise.tables.stamps import unchanged
from thumbwise.tables.whole_files import replacing

_READERS = {
    ".csv": read_delimited,
    ".tsv": read_delimited,
    ".parquet": read_parquet,
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
}


@dataclass(frozen=True, eq=False)
class Table(ShowsItself):
    """Named columns of equal length; what is missing is masked. Text is an array of Python strings."""

    columns: Columns

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.columns)

    @property
    def n_rows(self) -> int:
        return next((len(column) for column in self.columns.values()), 0)

    def _shown(self) -> Shown:
        return show_table(self)


def as_text(column: Column) -> list[str | None]:
    """Values as they would be written, None where missing."""
    return [None if value is None else str(value) for value in column.tolist()]


def read_table(path: str | Path, columns: Sequence[str] | None = None) -> Table:
    """Read a file of the kind that its ending says.

    Parameters
    ----------
    path : str or Path
        Ends in .csv, .tsv, .parquet, .jsonl or .ndjson.
    columns : sequence of str, optional
        Names of the columns to load, in the order in which they shall come; all of the file without it.

    Raises
    ------
    InvalidFileError
        The file is missing, empty, not what its ending says, without one of the columns, or changed while it was read.
    """
    import duckdb  # noqa: PLC0415  # importing thumbwise must not import it

    path = Path(path)
    ending = _check_ending(path)
    _check_readable(path)
    with unchanged(path), connect(path) as connection:
        try:
            with interruptible():
                return Table(_READERS[ending](connection, path, columns))
        except (duckdb.Error, UnicodeError) as error:
            raise InvalidFileError(
                f"{path} must be {KINDS[ending]}, as its ending says; it cannot be read as such: {gist_of(error)}"
            ) from error


def write_table(
    table: Table, path: str | Path, *, kind: Kind = TABLE, overwrite: bool = False, lists: Sequence[str] = ()
) -> None:
    """Write a file of the kind that its ending says, whole or not at all.

    The rows go to a file beside it, which takes the place of ``path`` in one step at the end. After an error or an
    interrupt an older file at ``path`` is as it was and the new one is gone.

    Parameters
    ----------
    table : Table
    path : path
    kind : Kind
        What the table is; an older file of the same kind is replaced if it can be recognised as one.
    overwrite : bool
        Replace any other file too.
    lists : sequence of str
        Columns whose texts are JSON lists, which JSON lines and Parquet then hold as lists.

    Raises
    ------
    InvalidFileError
        The path cannot be written or is another file, or names of columns are empty or differ only in case.
    """
    import duckdb  # noqa: PLC0415  # importing thumbwise must not import it

    target = check_table_file(path, kind, overwrite=overwrite)
    check_names(table.names)
    with replacing(target) as part, connect(part) as connection:
        try:
            with interruptible():
                copy_columns(connection, table.columns, part, target.suffix.lower(), lists)
        except (duckdb.Error, OSError) as error:
            raise InvalidFileError(f"{path} could not be written: {gist_of(error)}") from error


def check_table_file(
    path: str | Path, kind: Kind = TABLE, *, inputs: Sequence[str | Path | None] = (), overwrite: bool = False
) -> Path:
    """Find out whether a table may be written before anything is computed for it; return where it really lies."""
    _check_ending(Path(path))
    return check_file(path, kind, inputs=inputs, overwrite=overwrite)


def check_names(names: Sequence[str]) -> None:
    """Names of columns that are written must not be empty and must differ by more than case."""
    seen: dict[str, str] = {}
    for position, name in enumerate(names):
        if not name:
            raise InvalidFileError(f"columns must have names; column {position} of {len(names)} has none. Give it one.")
        if name.casefold() in seen:
            raise InvalidFileError(
                f"names of columns must be unique, ignoring case; found {seen[name.casefold()]!r} and "
                f"{name!r}. Rename one."
            )
        seen[name.casefold()] = name


def _check_ending(path: Path) -> str:
    ending = path.suffix.lower()
    if ending not in KINDS:
        shown = repr(ending) if ending else "none"
        raise InvalidFileError(
            f"{path} must end in one of {', '.join(KINDS)}, which says what kind of file it is; its ending is {shown}."
            " Rename or convert it."
        )
    return ending


def _check_readable(path: Path) -> None:
    if path.is_dir():
        raise InvalidFileError(f"{path} must be a file; it is a folder. Name a file in it.")
    try:
        with path.open("rb") as file:
            is_empty = not file.read(1)
    except FileNotFoundError:
        raise InvalidFileError(f"there is no file {path}. Check its name and folder.") from None
    except (OSError, ValueError) as error:
        raise InvalidFileError(f"{path} cannot be opened: {getattr(error, 'strerror', None) or error}.") from error
    if is_empty:
        raise InvalidFileError(f"{path} must hold a table with names of columns; it is empty (0 bytes).")
