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

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from thumbwise.exceptions import InvalidFileError
from thumbwise.summaries import Shown, ShowsItself, show_table
from thumbwise.tables.budgets import check_bytes, too_large
from thumbwise.tables.coded import Coded, CodedColumns
from thumbwise.tables.delimited import read_delimited
from thumbwise.tables.dialects import DELIMITERS
from thumbwise.tables.file_formats import PLAIN, FileFormat
from thumbwise.tables.formats import (
    KINDS,
    PACKED,
    WRITTEN,
    Column,
    connect,
    copy_columns,
    gist_of,
    interruptible,
    read_parquet,
)
from thumbwise.tables.given_paths import check_plain
from thumbwise.tables.json_lines import read_json_lines
from thumbwise.tables.outputs import TABLE, Kind, check_file
from thumbwise.tables.plain_files import STANDARD, PlainFile, Scratch, make_plain, split_ending
from thumbwise.tables.small_numbers import SmallNumbers
from thumbwise.tables.stamps import unchanged
from thumbwise.tables.whole_files import replacing
from thumbwise.tables.workbooks import read_workbook


@dataclass(frozen=True, eq=False)
class Table(ShowsItself):
    """Named columns of equal length; what is missing is masked. Text is an array of Python strings.

    Notes say what was found out about the file that it comes from, if that is not the usual.
    """

    columns: Mapping[str, Column]
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.columns)

    @property
    def n_rows(self) -> int:
        return next((len(stored_column(self, name)) for name in self.columns), 0)

    def coded(self, name: str) -> Coded | Column:
        """A column; if it came as different texts and an index, these."""
        is_coded = isinstance(self.columns, CodedColumns) and name in self.columns.coded
        return self.columns.coded[name] if is_coded else self.columns[name]  # type: ignore[attr-defined]

    def _shown(self) -> Shown:
        return show_table(self)


def stored_column(table: Table, name: str) -> Coded | SmallNumbers | Column:
    """A column as it was read; whole numbers that came as small ones, as these."""
    is_small = isinstance(table.columns, CodedColumns) and name in table.columns.small
    return table.columns.small[name] if is_small else table.coded(name)  # type: ignore[attr-defined]


def as_text(column: Column) -> list[str | None]:
    """Values as they would be written, None where missing."""
    return [None if value is None else str(value) for value in column.tolist()]


def read_table(path: str | Path, columns: Sequence[str] | None = None, form: FileFormat = PLAIN) -> Table:
    """Read a file of the kind that its ending says, or standard input.

    Parameters
    ----------
    path : str or Path
        Ends in .csv, .tsv, .txt, .parquet, .jsonl, .ndjson or .xlsx; .gz or .zst may follow those of text. ``-`` is
        standard input.
    columns : sequence of str, optional
        Names of the columns to load, in the order in which they shall come; all of the file without it.
    form : FileFormat
        What is said of the file; the rest is found out, and stands in the notes of the table.

    Raises
    ------
    InvalidFileError
        The file is missing, empty, not what its ending says, without one of the columns, changed while it was read, or
        takes more than the budget of bytes.
    """
    path = Path(path)
    with ExitStack() as stack:
        if path != STANDARD:
            check_plain(path)
            if form.kind is None:
                _check_ending(path, KINDS)
            _check_readable(path)
            stack.enter_context(unchanged(path))
        file = make_plain(path, form, stack.enter_context(Scratch()))
        with renamed(file):
            read, notes = _read_plain(file, columns, form)
        return Table(read, (*file.notes, *notes))


def _read_plain(
    file: PlainFile, columns: Sequence[str] | None, form: FileFormat
) -> tuple[Mapping[str, Column], tuple[str, ...]]:
    import duckdb  # noqa: PLC0415  # importing thumbwise must not import it

    check_bytes(file.shown, file.path.stat().st_size, "it has")
    if file.ending == ".xlsx":
        return read_workbook(file, columns, form)
    with connect(file.path) as connection:
        try:
            with interruptible():
                if file.ending in DELIMITERS:
                    return read_delimited(connection, file, columns, form)
                read = read_parquet if file.ending == ".parquet" else read_json_lines
                return read(connection, file.path, columns), ()
        except duckdb.OutOfMemoryException as error:
            raise too_large(file.shown, f"its columns need more ({gist_of(error)})") from error
        except (duckdb.Error, UnicodeError, SystemError, MemoryError) as error:
            raise InvalidFileError(
                f"{file.shown} must be {KINDS[file.ending]}, {_told_by(file)}; it cannot be read as such: "
                f"{gist_of(error)}"
            ) from error


def _told_by(file: PlainFile) -> str:
    return "as its ending says" if split_ending(file.shown)[0] == file.ending else "as it was taken for"


@contextmanager
def renamed(file: PlainFile) -> Iterator[None]:
    """Errors that speak of the file that the user knows, and not of the one that was made of it."""
    try:
        yield
    except InvalidFileError as error:
        if file.path == file.shown:
            raise
        parts = [p.replace(str(file.path), str(file.shown)) if type(p) is str else p for p in error.args]
        raise InvalidFileError(*parts) from error


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
                copy_columns(connection, table.columns, part, *split_ending(Path(path)), lists)
        except (duckdb.Error, OSError) as error:
            raise InvalidFileError(f"{path} could not be written: {gist_of(error)}") from error


def check_table_file(
    path: str | Path, kind: Kind = TABLE, *, inputs: Sequence[str | Path | None] = (), overwrite: bool = False
) -> Path:
    """Find out whether a table may be written before anything is computed for it; return where it really lies."""
    _check_ending(Path(path), WRITTEN)
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


def _check_ending(path: Path, kinds: Collection[str]) -> None:
    ending, packing = split_ending(path)
    if ending not in kinds or (packing and ending not in PACKED):
        shown = repr(ending + packing) if ending + packing else "none"
        raise InvalidFileError(
            f"{path} must end in one of {', '.join(kinds)}, which says what kind of file it is, and perhaps in .gz or "
            f".zst after those of text; its ending is {shown}. Rename or convert it."
        )


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
