"""Excel workbooks (.xlsx): the first sheet, or the one that is named, as columns.

They are read by python-calamine, an extra, in place of openpyxl: it is faster, it is maintained,
and it reads the values that Excel kept of formulas. It has two faults that are met here. It makes a
full grid of the cells between the first and the last one, so that a workbook of 5 kB with one cell at the far corner
would take all memory; and it reads an error (``#N/A``) as an empty cell, without a word. So a pass over the sheets by
Python's own parser, which expands no entities, comes first: it counts rows and columns, errors, and formulas without a
value, and everything that the zip declares is held against the budget before it is unpacked. Other formats of Excel and
LibreOffice (.xls, .xlsb, .ods) would each need such a pass, and are not read.

What a cell becomes: an empty one, an error and a formula without a kept value are missing, and the last two are noted
with their number. Excel knows only floats, so that a column of whole numbers is one of integers (1.0 is 1). Truth
values stay; dates and times become texts as ISO 8601 writes them; a column that mixes kinds is text, with whole numbers
written without a fraction. A column of texts that are all whole numbers is one of numbers, as in CSV.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import IO, Any
from xml.parsers import expat

import numpy as np

from thumbwise.exceptions import Argument, InvalidFileError, MissingPackageError
from thumbwise.tables.budgets import check_bytes
from thumbwise.tables.file_formats import FileFormat
from thumbwise.tables.formats import Column, Columns, check_unique, choose_columns
from thumbwise.tables.plain_files import PlainFile

# What a cell takes in the reader and in Python.
_BYTES_PER_CELL = 96
_AT_ONCE = 2**18
_SHEETS = re.compile(r"xl/worksheets/[^/]+\.xml", re.IGNORECASE)
_REFERENCE = re.compile(r"([A-Za-z]{1,7})([0-9]{1,9})")
_EXACT = 2**53


def read_workbook(file: PlainFile, columns: Sequence[str] | None, form: FileFormat) -> tuple[Columns, tuple[str, ...]]:
    """Columns of a sheet, all or those that are asked for, and notes on which it is and what became of its cells."""
    calamine = _load_calamine()
    seen = _look(file.path, file.shown)
    with _explained(file.shown, calamine), calamine.CalamineWorkbook.from_path(str(file.path)) as book:
        name, notes = _choose_sheet(book, file.shown, form, calamine)
        sheet = book.get_sheet_by_name(name)
        rows = sheet.to_python(skip_empty_area=True)
        merged = [area for area in sheet.merged_cell_ranges or () if sheet.start and area[0][0] == sheet.start[0]]
    names, cells = _split(file.shown, name, rows, is_merged=bool(merged))
    chosen = choose_columns(file.shown, names, columns)
    table = {names[j]: _as_column([row[j] for row in cells]) for j in chosen}
    dated = [names[j] for j in chosen if any(isinstance(row[j], (date, time, timedelta)) for row in cells)]
    return table, (*notes, *seen.notes(file.shown), *_note_dates(dated))


def _load_calamine() -> Any:
    try:
        import python_calamine  # noqa: PLC0415  # an extra: only workbooks need it
    except ImportError as error:
        raise MissingPackageError(
            "Excel workbooks need the package python-calamine, which is not installed. Run: pip install "
            "'thumbwise[excel]'"
        ) from error
    return python_calamine


@contextmanager
def _explained(shown: Path, calamine: Any) -> Iterator[None]:
    try:
        yield
    except calamine.PasswordError as error:
        raise InvalidFileError(f"{shown} must be open to read; it needs a password. Save it without one.") from error
    except (calamine.CalamineError, OSError, ValueError) as error:
        if isinstance(error, InvalidFileError):
            raise
        raise _damaged(shown, error) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # how the reader ends where it did not expect to
            raise
        raise _damaged(shown, error) from None


def _damaged(shown: Path, error: object) -> InvalidFileError:
    return InvalidFileError(
        f"{shown} must be an Excel workbook; it cannot be read as such: {' '.join(str(error).split())[:200]}. Open it "
        "in Excel or LibreOffice and save it anew as .xlsx."
    )


@dataclass
class _Seen:
    """What a pass over the sheets finds."""

    n_cells: int = 0
    n_errors: int = 0
    n_unknown: int = 0

    def notes(self, shown: Path) -> Iterator[str]:
        if self.n_errors:
            yield f"{shown.name} has {self.n_errors:,} cells with an error such as #N/A, which are read as missing"
        if self.n_unknown:
            yield (
                f"careful: {shown.name} has {self.n_unknown:,} formulas without a value, which are read as missing; "
                "open it in Excel or LibreOffice and save it, which keeps their values"
            )


def _look(path: Path, shown: Path) -> _Seen:
    """Hold a workbook against the budget, by what its zip declares, what it really holds, and where its cells lie."""
    seen = _Seen()
    try:
        with zipfile.ZipFile(path) as book:
            parts = book.infolist()
            check_bytes(shown, sum(part.file_size for part in parts), "unpacked it declares")
            for part in parts:
                with book.open(part) as stream:  # reads no more than is declared, and checks the sum of all bytes
                    pieces = _pieces(stream)
                    if _SHEETS.fullmatch(part.filename):
                        _scan(pieces, seen)
                        check_bytes(shown, seen.n_cells * _BYTES_PER_CELL, "the grid of its cells would take")
                    else:
                        for _ in pieces:
                            pass
    except InvalidFileError:
        raise
    except Exception as error:  # of zip, of the parser, of each way to pack
        raise _damaged(shown, error) from error
    return seen


def _pieces(stream: IO[bytes]) -> Iterator[bytes]:
    yield from iter(lambda: stream.read(_AT_ONCE), b"")


def _scan(pieces: Iterator[bytes], seen: _Seen) -> None:
    """Count the cells of the full grid of a sheet, errors, and formulas without a value."""
    rows, places = [0, 0, 0], [0, 0, 0]  # the current one, the first, the last, counting from 1
    inside = {"f": False, "v": False, "text": False}

    def begin(tag: str, attributes: dict[str, str]) -> None:
        kind = tag.rpartition(":")[2]
        if kind == "row":
            _move(rows, attributes.get("r", ""))
            places[0] = 0
        elif kind == "c":
            reference = _REFERENCE.fullmatch(attributes.get("r", ""))
            if reference is not None:
                _move(rows, reference[2])
            _move(places, "" if reference is None else str(_column_number(reference[1])))
            seen.n_errors += attributes.get("t") == "e"
            inside.update(f=False, text=False)
        elif kind in ("f", "v"):
            inside[kind] = True

    def end(tag: str) -> None:
        kind = tag.rpartition(":")[2]
        if kind == "v":
            inside["v"] = False
        elif kind == "c":
            seen.n_unknown += inside["f"] and not inside["text"]

    def text(content: str) -> None:
        if inside["v"] and content:
            inside["text"] = True

    def refuse(*_: object) -> None:
        raise ValueError("it declares entities, which no workbook needs")

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = begin, end, text
    parser.StartDoctypeDeclHandler = refuse
    for piece in pieces:
        parser.Parse(piece, False)
    parser.Parse(b"", True)
    seen.n_cells += (rows[2] - rows[1] + 1) * (places[2] - places[1] + 1) if places[2] else 0


def _move(place: list[int], number: str) -> None:
    """Go to a row or column, or to the next one if it has no number."""
    place[0] = int(number) if number.isdecimal() and len(number) < 10 else place[0] + 1
    place[1] = place[0] if not place[2] else min(place[1], place[0])
    place[2] = max(place[2], place[0])


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - 64
    return number


def _choose_sheet(book: Any, shown: Path, form: FileFormat, calamine: Any) -> tuple[str, list[str]]:
    sheets = [about for about in book.sheets_metadata if about.typ == calamine.SheetTypeEnum.WorkSheet]
    names = [about.name for about in sheets]
    if form.sheet is not None and form.sheet in names:
        return form.sheet, []
    if not names or (form.sheet is not None and form.decides):
        listed = ", ".join(map(repr, names[:20])) or "none"
        raise InvalidFileError(f"{shown} must have a sheet {form.sheet or 'of cells'!r}; its sheets are {listed}.")
    visible = [about.name for about in sheets if about.visible == calamine.SheetVisibleEnum.Visible]
    name = (visible or names)[0]
    others = [other for other in names if other != name and book.get_sheet_by_name(other).height]
    note = f"{shown.name} is a workbook, of which sheet {name!r} is read"
    if others:
        more = ", ".join(map(repr, others[:5])) + (", ..." if len(others) > 5 else "")
        return name, [f"{note}; {len(others)} more hold something ({more})"]
    return name, [note]


def _split(shown: Path, sheet: str, rows: list[list[Any]], *, is_merged: bool) -> tuple[list[str], list[list[Any]]]:
    """Names and rows; columns and rows with nothing in them are left out."""
    filled = [row for row in rows if any(cell != "" for cell in row)]
    if not filled:
        raise InvalidFileError(
            f"sheet {sheet!r} of {shown} must hold a table with names of columns; it is empty. Say which one does: ",
            Argument("sheet", "NAME"),
        )
    used = [j for j in range(len(filled[0])) if any(row[j] != "" for row in filled)]
    names = [_as_text(filled[0][j]) for j in used]
    unnamed = [j for j, name in enumerate(names) if not name]
    if len(unnamed) > 1:
        why = "the row has merged cells, of which only the first holds the name" if is_merged else "its cells are empty"
        raise InvalidFileError(
            f"the first row of sheet {sheet!r} of {shown} must hold the names of all columns; {len(unnamed)} have "
            f"none, such as column {unnamed[0] + 1} ({why}). Put the names into one row, with nothing above."
        )
    check_unique(shown, names)
    return names, [[row[j] for j in used] for row in filled[1:]]


def _as_text(cell: Any) -> str:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < _EXACT else repr(cell)
    if isinstance(cell, datetime) and not (cell.hour or cell.minute or cell.second or cell.microsecond):
        return cell.date().isoformat()
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ")
    return cell.isoformat() if isinstance(cell, (date, time)) else str(cell)


def _as_column(cells: list[Any]) -> Column:
    missing = np.array([isinstance(cell, str) and not cell for cell in cells], dtype=bool)
    kinds = {type(cell) for cell, gone in zip(cells, missing, strict=True) if not gone}
    if kinds == {bool}:
        return np.ma.array([cell is True for cell in cells], mask=missing)
    if kinds == {float} and not all(_is_whole(cell) for cell in cells if cell != ""):
        return np.ma.array([0.0 if gone else cell for cell, gone in zip(cells, missing, strict=True)], mask=missing)
    texts = [None if gone else _as_text(cell) for cell, gone in zip(cells, missing, strict=True)]
    known = [text for text in texts if text is not None]
    if known and all(re.fullmatch(r"0|-?[1-9][0-9]{0,17}", text) for text in known):
        return np.ma.array([int(text or 0) for text in texts], dtype=np.int64, mask=missing)
    return np.ma.array(np.array([*texts, None], dtype=object)[:-1], mask=missing)


def _is_whole(cell: float) -> bool:
    return cell.is_integer() and abs(cell) < _EXACT


def _note_dates(names: Sequence[str]) -> Iterator[str]:
    if names:
        listed = ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")
        yield f"dates and times become texts such as 2024-05-31: {listed}"
