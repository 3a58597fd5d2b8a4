"""Excel workbooks that openpyxl wrote are read as what they hold; hostile ones are refused before they are unpacked."""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest

import thumbwise as tw
from thumbwise.tables import workbooks
from thumbwise.tables.file_formats import FileFormat
from thumbwise.tables.table_files import read_table


def write(path: Path, **sheets: list[list[Any]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def edit(path: Path, part: str, change: Any) -> None:
    """Rewrite one file of the zip."""
    with zipfile.ZipFile(path) as book:
        contents = {name: book.read(name) for name in book.namelist()}
    contents[part] = change(contents[part])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in contents.items():
            book.writestr(name, content)


def test_kinds_of_cells(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.xlsx",
        Votes=[
            ["id", "n", "x", "ok", "mixed", "day", "moment", "text", "digits"],
            [1.0, 1, 0.25, True, 1, dt.date(2024, 5, 31), dt.datetime(2024, 5, 31, 7, 30), "007", "12"],
            [2, None, 1, False, "b", dt.date(2024, 6, 1), dt.datetime(2024, 6, 1), "a,b\nc", 7],
            [3, -2, None, None, 2.5, None, None, None, None],
        ],
    )
    table = read_table(path)
    read = {name: column.tolist() for name, column in table.columns.items()}
    assert read == {
        "id": [1, 2, 3],
        "n": [1, None, -2],
        "x": [0.25, 1.0, None],
        "ok": [True, False, None],
        "mixed": ["1", "b", "2.5"],
        "day": ["2024-05-31", "2024-06-01", None],
        "moment": ["2024-05-31 07:30:00", "2024-06-01", None],
        "text": ["007", "a,b\nc", None],
        "digits": [12, 7, None],
    }
    kinds = {name: column.dtype.kind for name, column in table.columns.items()}
    assert kinds == dict(zip(read, "iifbOOOOi", strict=True))
    assert table.notes == (
        "t.xlsx is a workbook, of which sheet 'Votes' is read",
        "dates and times become texts such as 2024-05-31: 'day', 'moment'",
    )
    assert read_table(path, columns=["x", "id"]).names == ("x", "id")


def test_sheets(tmp_path: Path) -> None:
    path = write(tmp_path / "t.xlsx", One=[["id", "a"], [1, "x"]], Two=[["id", "b"], [2, "y"]], Three=[])
    table = read_table(path)
    assert table.names == ("id", "a")
    assert table.notes == ("t.xlsx is a workbook, of which sheet 'One' is read; 1 more hold something ('Two')",)
    second = read_table(path, form=FileFormat(sheet="Two"))
    assert (second.names, second.notes) == (("id", "b"), ())
    with pytest.raises(tw.InvalidFileError, match="must have a sheet 'two'; its sheets are 'One', 'Two', 'Three'"):
        read_table(path, form=FileFormat(sheet="two"))
    assert read_table(path, form=FileFormat(sheet="two").as_hint).names == ("id", "a")
    with pytest.raises(tw.InvalidFileError, match=r"'Three' of .* it is empty\. Say which one does: sheet=NAME"):
        read_table(path, form=FileFormat(sheet="Three"))


def test_hidden_sheets_come_last(tmp_path: Path) -> None:
    path = write(tmp_path / "t.xlsx", Lists=[["x"], ["y"]], Votes=[["id", "a"], [1, "x"]])
    book = openpyxl.load_workbook(path)
    book["Lists"].sheet_state = "hidden"
    book.active = 1
    book.save(path)
    assert read_table(path).names == ("id", "a")


def test_errors_and_formulas_without_a_value_are_missing_and_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "t.xlsx", S=[["id", "a"], [1, "#N/A"], [2, "=1+1"], [3, "=B2"], [4, "x"]])
    book = openpyxl.load_workbook(path)
    book["S"]["B2"].data_type = "e"
    book.save(path)

    def keep_a_value(content: bytes) -> bytes:
        return re.sub(rb"(<f>1\+1</f>)<v ?/?>(</v>)?", rb"\1<v>2</v>", content)

    edit(path, "xl/worksheets/sheet1.xml", keep_a_value)
    table = read_table(path)
    assert table.columns["a"].tolist() == [None, "2", None, "x"]
    assert table.notes[1:] == (
        "t.xlsx has 1 cells with an error such as #N/A, which are read as missing",
        "careful: t.xlsx has 1 formulas without a value, which are read as missing; open it in Excel or LibreOffice "
        "and save it, which keeps their values",
    )


def test_a_table_away_from_the_corner_with_empty_rows_and_columns(tmp_path: Path) -> None:
    rows: list[list[Any]] = [[], [None, "id", None, "a"], [None, 1, None, "x"], [], [None, 2, None, "y"]]
    table = read_table(write(tmp_path / "t.xlsx", S=rows))
    assert {name: column.tolist() for name, column in table.columns.items()} == {"id": [1, 2], "a": ["x", "y"]}


@pytest.mark.parametrize("is_merged", [True, False])
def test_names_must_be_in_one_row(tmp_path: Path, is_merged: bool) -> None:
    path = write(tmp_path / "t.xlsx", S=[["My judges", None, None], ["id", "a", "b"], [1, "x", "y"]])
    if is_merged:
        book = openpyxl.load_workbook(path)
        book["S"].merge_cells("A1:C1")
        book.save(path)
    why = "merged cells" if is_merged else "cells are empty"
    with pytest.raises(
        tw.InvalidFileError, match=f"2 have none, such as column 2 .*{why}.* Put the names into one row"
    ):
        read_table(path)


def test_votes_and_gold_of_one_workbook(tmp_path: Path) -> None:
    rows = [[j, ["ham", "spam"][j % 2], "spam"] for j in range(10)]
    path = write(tmp_path / "v.xlsx", Votes=[["id", "a", "b"], *rows], Gold=[["id", "label"], [3, "spam"], [4, "ham"]])
    gold = read_table(path, form=FileFormat(sheet="Gold"))
    reading = tw.read_votes(path, gold={3: "spam", 4: "ham"})
    assert gold.columns["label"].tolist() == ["spam", "ham"]
    assert reading.votes.array.tolist() == [[j % 2, 1] for j in range(10)]
    assert "1 more hold something ('Gold')" in str(reading)


def test_a_cell_in_the_far_corner_is_refused_before_the_grid_is_made(tmp_path: Path) -> None:
    path = write(tmp_path / "t.xlsx", S=[["id", "a"], [1, "x"]])
    edit(path, "xl/worksheets/sheet1.xml", lambda old: old.replace(b'r="B2"', b'r="XFD1048576"'))
    with pytest.raises(tw.InvalidFileError, match=r"the grid of its cells would take 1\.6 TB.*THUMBWISE_MAX_BYTES"):
        read_table(path)


@pytest.mark.parametrize("how", ["entities", "another encoding"])
def test_references_are_read_as_the_reader_does(tmp_path: Path, how: str) -> None:
    """What is hidden from a search in the bytes is not hidden from the parser."""
    path = write(tmp_path / "t.xlsx", S=[["id", "a"], [1, "x"]])
    far = '<worksheet><sheetData><row r="1"><c r="&#88;FD1048576"/><c r="A1"/></row></sheetData></worksheet>'
    content = far.encode() if how == "entities" else far.encode("utf-16")
    edit(path, "xl/worksheets/sheet1.xml", lambda _: content)
    with pytest.raises(tw.InvalidFileError, match="the grid of its cells would take"):
        read_table(path)


def test_entities_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "t.xlsx", S=[["id"], [1]])
    edit(path, "xl/worksheets/sheet1.xml", lambda old: b'<!DOCTYPE x [<!ENTITY a "aaaa">]>' + old)
    with pytest.raises(tw.InvalidFileError, match="it declares entities"):
        read_table(path)


def test_a_zip_bomb_is_a_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "t.xlsx", S=[["id", "a"], [1, "x"]])
    edit(path, "xl/styles.xml", lambda old: old + b" " * 10**7)
    assert path.stat().st_size < 20_000
    assert read_table(path).n_rows == 1
    monkeypatch.setenv("THUMBWISE_MAX_BYTES", "5MB")
    with pytest.raises(tw.InvalidFileError, match=r"may take at most 5\.0 MB; unpacked it declares 10\.0 MB"):
        read_table(path)


def test_a_zip_that_lies_about_its_sizes_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "t.xlsx", S=[["id", "a"], [1, "x"]])
    edit(path, "xl/styles.xml", lambda old: old + b" " * 10**6)
    content = path.read_bytes()
    real = next(part.file_size for part in zipfile.ZipFile(path).infolist() if "styles" in part.filename)
    path.write_bytes(content.replace(real.to_bytes(4, "little"), (1000).to_bytes(4, "little")))
    with pytest.raises(tw.InvalidFileError, match="must be an Excel workbook; it cannot be read as such"):
        read_table(path)


@pytest.mark.parametrize("seed", range(40))
def test_damaged_workbooks_end_in_a_message_or_a_table(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    path = write(tmp_path / "t.xlsx", S=[["id", "a"], *([j, f"text {j}"] for j in range(5))])
    if seed % 2:
        content = bytearray(path.read_bytes())
        for place in rng.integers(len(content), size=3):
            content[place] = rng.integers(256)
        path.write_bytes(content)
    else:
        parts = ["xl/worksheets/sheet1.xml", "xl/_rels/workbook.xml.rels", "xl/workbook.xml", "xl/styles.xml"]

        def damage(old: bytes) -> bytes:
            cut = bytearray(old)
            del cut[(at := int(rng.integers(len(old)))) : at + int(rng.integers(1, 30))]
            return bytes(cut)

        edit(path, parts[seed // 2 % 4], damage)
    try:
        table = read_table(path)
    except tw.InvalidFileError as error:
        assert str(path) in str(error)
    else:
        assert table.n_rows <= 5


def test_the_package_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "t.xlsx", S=[["id"], [1]])
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    with pytest.raises(tw.MissingPackageError, match=r"pip install 'thumbwise\[excel\]'"):
        read_table(path)


def test_the_pass_counts_the_grid_as_it_is() -> None:
    content = b'<w><row r="3"><c r="C3"/><c/></row><row><c r="B4" t="e"/></row></w>'
    seen, stream = workbooks._Seen(), io.BytesIO(content)
    workbooks._scan(iter(lambda: stream.read(7), b""), seen)
    assert (seen.n_cells, seen.n_errors) == (2 * 3, 1)
