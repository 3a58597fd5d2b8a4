"""Items in a table: a row each, with the columns that are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from thumbwise.bench.items import Items, inside, names_image, told
from thumbwise.bench.kinds import KINDS, Kind
from thumbwise.exceptions import Argument, InvalidFileError
from thumbwise.io.gold_table import read_ids
from thumbwise.io.roles import ID_NAMES, listed, named_like
from thumbwise.tables.file_formats import PLAIN, FileFormat
from thumbwise.tables.formats import Column
from thumbwise.tables.table_files import Table, read_table

_ROWS_AT_ONCE = 4096
# So many values of a column are looked at to see whether it holds classes.
_LOOKED_AT = 1_000


class TableItems(Items):
    """Rows of a table."""

    def __init__(self, path: Path, table: Table, item_id: str | None, show: Sequence[str], classes: Sequence[str]):
        self.path = path
        self.id_name, notes = _settle_id(path, table, item_id)
        self.ids = _ids(path, table, self.id_name)
        wanted = [_as_wanted(text, table) for text in show]
        hidden = [] if show else [name for name in table.names if _holds_classes(table.columns[name], classes)]
        if not show:
            wanted = [(name, None) for name in table.names if name not in (self.id_name, *hidden)]
        _check_shown(path, table, [name for name, _ in wanted], hidden)
        self._wanted: dict[str, Kind | None] = dict(wanted)
        self.names = tuple(self._wanted)
        self._columns = [table.columns[name] for name in self.names]
        self._folder = path.resolve().parent
        self.notes = (*table.notes, *notes, *([_hidden_note(hidden)] if hidden else ()))

    def _field_name(self, row: int, field: int) -> str:
        return self.names[field]

    def _text(self, row: int, field: int) -> str:
        value = self._columns[field][row]
        return "" if value is np.ma.masked else str(value)

    def _kind(self, row: int, field: int, text: str) -> Kind:
        return told(self.names[field], text, self._wanted[self.names[field]])

    def _image(self, row: int, field: int) -> Path | None:
        wanted, text = self._wanted[self.names[field]], self._text(row, field)
        return inside(self._folder, text) if wanted in (None, "image") and names_image(text) else None

    def _pieces(self) -> Iterator[list[Any]]:
        columns: list[Any] = [self.ids, *self._columns]
        for column in columns:
            for start in range(0, len(self), _ROWS_AT_ONCE):
                yield column[start : start + _ROWS_AT_ONCE].tolist()


def open_table(
    path: Path,
    *,
    item_id: str | None = None,
    show: Sequence[str] = (),
    classes: Sequence[str] = (),
    form: FileFormat = PLAIN,
) -> TableItems:
    """Items of a file that :func:`thumbwise.tables.table_files.read_table` reads.

    Nothing is drawn here. Columns that hold nothing but classes are not shown unless they are asked for: they may be
    votes or labels, which nobody shall see before labeling.

    Parameters
    ----------
    path : Path
    item_id : str, optional
        Column of ids; without it one that is called ``id`` or the like, and otherwise rows are numbered from 0.
    show : sequence of str
        Columns to show, in order, each with its kind after a colon if it shall not be told by what it holds
        (``answer:markdown``). All but ids and classes without it.
    classes : sequence of str
    form : FileFormat
        What is said of how the file is written.
    """
    table = read_table(path, form=form)
    if not table.n_rows:
        raise InvalidFileError(f"{path} must hold items, one a row; it has no row.")
    return TableItems(path, table, item_id, show, classes)


def _settle_id(path: Path, table: Table, item_id: str | None) -> tuple[str | None, tuple[str, ...]]:
    if item_id is not None:
        if item_id not in table.columns:
            raise InvalidFileError(f"{path} must have the column of ids {item_id!r}; {listed(table)}")
        return item_id, ()
    likely = named_like(table, ID_NAMES)
    exact = [name for name in likely if name.strip().lower() == "id"]
    if len(likely) > 1 and len(exact) != 1:
        raise InvalidFileError(
            f"one column of {path} must hold the ids; {len(likely)} may: {', '.join(map(repr, likely))}. Say which "
            "with ",
            Argument("item_id", "NAME"),
            ".",
        )
    if not likely:
        return None, ("no column of ids: items are numbered from 0",)
    name = (exact or likely)[0]
    return name, (f"ids are taken from column {name!r}",)


def _ids(path: Path, table: Table, id_name: str | None) -> Sequence[object]:
    if id_name is None:
        return np.arange(table.n_rows)  # type: ignore[return-value]  # an array is a sequence of its numbers
    ids = read_ids(table.columns[id_name], id_name, str(path))
    return ids if ids.dtype.kind in "iuO" else np.array(list(map(str, ids.tolist())), dtype=object)  # type: ignore[return-value]


def _as_wanted(text: str, table: Table) -> tuple[str, Kind | None]:
    """A column, and the kind behind its last colon if there is one; a column of the whole name comes first."""
    name, colon, kind = text.rpartition(":")
    known = next((known for known in KINDS if known == kind), None)
    return (name, known) if colon and known is not None and text not in table.columns else (text, None)


def _check_shown(path: Path, table: Table, names: Sequence[str], hidden: Sequence[str]) -> None:
    unknown = [name for name in names if name not in table.columns]
    if unknown:
        raise InvalidFileError(
            f"{path} must have the columns that are to be shown; found no {unknown[0]!r} ({len(unknown)} such names), "
            f"and {listed(table)} A kind may follow a name after a colon: {', '.join(KINDS)}."
        )
    if not names:
        seen = f"all others ({', '.join(map(repr, hidden[:5]))}) hold classes" if hidden else "there is no other"
        raise InvalidFileError(
            f"{path} must have a column to show besides the ids; {seen}. Name those to show with ",
            Argument("show", "NAME"),
            ".",
        )


def _holds_classes(column: Column, classes: Sequence[str]) -> bool:
    """Whether the first values that are there are all classes: votes perhaps, or labels, and nothing to look at."""
    known = {str(name).strip().lower() for name in classes}
    values = {str(value).strip().lower() for value in column[:_LOOKED_AT].compressed().tolist()}
    return bool(values) and values <= known


def _hidden_note(hidden: Sequence[str]) -> str:
    names = ", ".join(map(repr, hidden[:5])) + (", ..." if len(hidden) > 5 else "")
    return f"not shown, since they hold classes: {names}"
