"""Cells that a spreadsheet would run as formulas: an apostrophe before them makes them text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from thumbwise.exceptions import Argument, InvalidChoiceError
from thumbwise.tables.dialects import DELIMITERS
from thumbwise.tables.formats import Column, literal, quoted
from thumbwise.tables.table_files import Table

# Beginnings of a formula, and what some programs drop before they look for one; the wide forms are those of East Asia.
STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_MARK = "'"


def check_for_spreadsheets(*paths: Any) -> None:
    """Refuse kinds of files that hold text as text, in which an apostrophe would only be wrong; None is no path."""
    for path in filter(None, paths):
        endings = {ending.lower() for ending in Path(path).suffixes[-2:]}
        if not endings & DELIMITERS.keys():
            raise InvalidChoiceError(
                Argument("for_spreadsheets"),
                f" is about files that end in {' or '.join(DELIMITERS)}; found {str(path)!r}. Other kinds hold no "
                "formulas: drop it.",
            )


def as_text_cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula.

    Examples
    --------
    >>> as_text_cell("=HYPERLINK(1)"), as_text_cell("ham"), as_text_cell("-1")
    ("'=HYPERLINK(1)", 'ham', "'-1")
    """
    return _MARK + text if text.startswith(STARTS) else text


def harmless_table(table: Table) -> Table:
    """Names and texts of a table with an apostrophe where one is needed; numbers are numbers and stay."""
    return Table({as_text_cell(name): _harmless(column) for name, column in table.columns.items()})


def _harmless(column: Column) -> Column:
    if column.dtype.kind not in "OU":
        return column
    cells = np.empty(len(column), dtype=object)
    cells[:] = [as_text_cell(cell) if isinstance(cell, str) else cell for cell in column.data.tolist()]
    return np.ma.MaskedArray(cells, mask=np.ma.getmaskarray(column))


def harmless_relation(relation: Any) -> Any:
    """The same for rows that stay in a database."""
    starts = ", ".join(map(literal, STARTS))

    def column(name: str, kind: str) -> str:
        cell = quoted(name)
        if kind == "VARCHAR":
            cell = f"CASE WHEN left({cell}, 1) IN ({starts}) THEN {literal(_MARK)} || {cell} ELSE {cell} END"
        return f"{cell} AS {quoted(as_text_cell(name))}"

    pairs = zip(relation.columns, map(str, relation.types), strict=True)
    return relation.project(", ".join(column(name, kind) for name, kind in pairs))
