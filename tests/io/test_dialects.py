"""What csv.writer wrote, in whatever dialect people have, is read back the same; what is unclear is refused."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import thumbwise as tw
from thumbwise.tables.dialects import USUAL, Dialect, find_dialect
from thumbwise.tables.file_formats import PLAIN, FileFormat
from thumbwise.tables.many_files import open_noted
from thumbwise.tables.table_files import Table, as_text, read_table

# Letters that every encoding below has, with all that separates and quotes among them.
LETTERS = st.text(alphabet="ab1é ,;|\t\"'\n.", min_size=1, max_size=6)
NAMES = st.lists(st.text(alphabet="abcdefgh", min_size=1, max_size=3), min_size=2, max_size=4, unique=True)


def write(path: Path, rows: list[list[str]], encoding: str = "utf-8", **dialect: Any) -> None:
    with path.open("w", encoding=encoding, newline="") as file:
        csv.writer(file, **dialect).writerows(rows)


def texts(table: Table) -> list[list[str | None]]:
    return [list(row) for row in zip(*(as_text(column) for column in table.columns.values()), strict=True)]


@st.composite
def rows_of_text(draw: st.DrawFn) -> list[list[str]]:
    names = draw(NAMES)
    row = st.lists(LETTERS, min_size=len(names), max_size=len(names))
    return [names, *draw(st.lists(row, min_size=1, max_size=5))]


@settings(deadline=None, max_examples=150, suppress_health_check=list(HealthCheck))
@given(
    rows=rows_of_text(),
    delimiter=st.sampled_from(USUAL),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    lineterminator=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    is_packed=st.booleans(),
)
def test_what_was_written_is_read(
    rows: list[list[str]], delimiter: str, quoting: Any, lineterminator: str, encoding: str, is_packed: bool
) -> None:
    """If detection says that it is unclear, the delimiter settles it; it never reads something else."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / ("t.csv.gz" if is_packed else "t.csv")
        write(path, rows, encoding, delimiter=delimiter, quoting=quoting, lineterminator=lineterminator)
        if is_packed:
            path.write_bytes(gzip.compress(path.read_bytes()))
        unclear = ""
        try:
            table = read_table(path, form=FileFormat(decimal="."))
        except tw.InvalidFileError as error:
            unclear = str(error)
            assert "the delimiter of" in unclear
            table = read_table(path, form=FileFormat(delimiter=delimiter, decimal="."))
    assert list(table.names) == rows[0]
    assert texts(table) == rows[1:]
    assert bool(table.notes) == (encoding == "utf-16" or (delimiter != "," and not unclear))
    assert not any("quote" in note for note in table.notes)


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(rows=rows_of_text(), delimiter=st.sampled_from(USUAL))
def test_single_quotes_around_everything(rows: list[list[str]], delimiter: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        write(path, rows, delimiter=delimiter, quotechar="'", quoting=csv.QUOTE_ALL, lineterminator="\n")
        table = read_table(path, form=FileFormat(decimal="."))
    assert (list(table.names), texts(table)) == (rows[0], rows[1:])
    assert any("quoted by '" in note for note in table.notes)


def test_backslashes_before_quotes_as_spark_writes_them(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('id,text\n1,"he said \\"a, b\\" twice"\n2,plain\n')
    table = read_table(path)
    assert texts(table) == [["1", 'he said "a, b" twice'], ["2", "plain"]]
    assert table.notes == ('in t.csv quotes within fields are written \\"',)


@pytest.mark.parametrize(
    ("name", "content", "delimiter", "note"),
    [
        ("t.csv", "id,a\n1,x\n", ",", None),
        ("t.tsv", "id\ta\n1\tx\n", "\t", None),
        ("t.csv", "id\ta\n1\tx,y\n", "\t", "in t.csv fields are separated by tabs"),
        ("t.tsv", "id,a\n1,x\n", ",", "in t.tsv fields are separated by commas"),
        ("t.txt", "id;a\n1;x\n", ";", "in t.txt fields are separated by semicolons"),
        ("t.txt", "id\ta\n1\tx\n", "\t", "in t.txt fields are separated by tabs"),
        ("t.csv", "id|a\n1|x\n", "|", "in t.csv fields are separated by pipes (|)"),
        (
            "t.csv",
            "sep=;\nid;a\n1;x\n",
            ";",
            'in t.csv fields are separated by semicolons, as its first line "sep=;"',
        ),
        ("t.csv", "sep=§\r\nid§a\r\n1§x\r\n", "§", "in t.csv fields are separated by '§', as its first line"),
        ("t.csv", 'id,"a;b\nc;d"\n1,"x;\ny;z"\n', ",", None),
        ("t.csv", "label\nx\n", ",", None),
        ("t.csv", "id;a, b\n1;x\n2;y, z, w\n", ";", "in t.csv fields are separated by semicolons"),
        ("t.csv", "id,a;b\n1,x\n2,y;z;w\n", ",", None),
        ("t.csv", "id,a\n1,x,y\n", ",", None),
        ("t.csv", "id;a\n1;x;y\n", ";", "in t.csv fields are separated by semicolons"),
    ],
)
def test_delimiters(tmp_path: Path, name: str, content: str, delimiter: str, note: str | None) -> None:
    path = tmp_path / name
    path.write_bytes(content.encode())
    dialect, found = find_dialect(path, path.suffix, path, PLAIN)
    assert dialect.delimiter == delimiter
    assert (found is None) == (note is None) and (found or "").startswith(note or "")


def test_two_readings_are_refused_with_both(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,a;b\n1,x;y\n2,z;w\n")
    message = r"by commas, with columns 'id', 'a;b', or by semicolons, with columns 'id,a', 'b'. Say delimiter=\",\""
    with pytest.raises(tw.InvalidFileError, match=message):
        read_table(path)
    assert texts(read_table(path, form=FileFormat(delimiter=";"))) == [["1,x", "y"], ["2,z", "w"]]
    assert texts(read_table(path, form=FileFormat(delimiter=",").as_hint)) == [["1", "x;y"], ["2", "z;w"]]


def test_a_hint_yields_to_what_a_file_shows(tmp_path: Path) -> None:
    path = tmp_path / "gold.csv"
    path.write_text("id,label\n1,a\n")
    assert read_table(path, form=FileFormat(delimiter=";").as_hint).names == ("id", "label")
    assert read_table(path, form=FileFormat(delimiter=";")).names == ("id,label",)


def test_detection_looks_at_the_start_only(tmp_path: Path) -> None:
    """A quote that never ends, and a first record longer than what is looked at, take no more than it."""
    path = tmp_path / "t.csv"
    path.write_text(";".join(f"column{j}" for j in range(50_000)) + "\n")
    assert find_dialect(path, ".csv", path, PLAIN)[0] == Dialect(";")
    path.write_text('id;a\n1;"' + "x,y\n" * 10**6)
    assert find_dialect(path, ".csv", path, PLAIN)[0] == Dialect(";")


@pytest.mark.parametrize(
    ("column", "read"),
    [
        (["0,75", "1", "-2,5e-3"], ["0.75", "1", "-2.5e-3"]),
        (["0,75", "", "1"], ["0.75", None, "1"]),
        (["0,75", "0.5", "1"], ["0,75", "0.5", "1"]),
        (["1,2", "a,b", "c"], ["1,2", "a,b", "c"]),
        (["1,2,3", "1,2", "2"], ["1,2,3", "1,2", "2"]),
        (["1", "2", "3"], ["1", "2", "3"]),
    ],
)
def test_decimal_commas_of_whole_columns_in_files_with_semicolons(
    tmp_path: Path, column: list[str], read: list[str | None]
) -> None:
    path = tmp_path / "t.csv"
    write(path, [["id", "x"], *([f"i{j}", value] for j, value in enumerate(column))], delimiter=";")
    table = read_table(path)
    assert as_text(table.columns["x"]) == read
    changed = any(text != value for text, value in zip(read, column, strict=True) if text)
    assert ("in t.csv numbers have a decimal comma, which is read as a point: 'x'" in table.notes) == changed
    assert as_text(read_table(path, form=FileFormat(decimal=".")).columns["x"]) == [value or None for value in column]
    lazily, notes = open_noted(path, PLAIN)
    assert [row[1] if row[1] is None else str(row[1]) for row in sorted(lazily.fetchall())] == read
    assert notes == table.notes


def test_a_comma_in_other_files_is_no_decimal_sign(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    write(path, [["id", "x"], ["a", "1,000"]], delimiter="\t")
    assert as_text(read_table(path).columns["x"]) == ["1,000"]
    assert as_text(read_table(path, form=FileFormat(decimal=",")).columns["x"]) == ["1.000"]


@pytest.mark.parametrize("given_", ["", "ab", '"', "\n", "\0"])
def test_signs_that_separate_nothing(given_: str) -> None:
    with pytest.raises(tw.InvalidChoiceError, match="delimiter must be one character"):
        FileFormat(delimiter=given_)


def test_votes_in_semicolons_and_gold_in_commas(tmp_path: Path) -> None:
    """Eagerly and lazily the same votes, and each file as it shows itself."""
    rng = np.random.default_rng(0)
    rows = [[f"m{j}", *rng.choice(["ja", "nein", "größer"], 3).tolist()] for j in range(40)]
    write(tmp_path / "v-1.csv", [["id", "a", "b", "c"], *rows], "cp1252", delimiter=";")
    write(tmp_path / "gold.csv", [["id", "label"], *([row[0], row[1]] for row in rows[:20])])
    eager = tw.read_votes(tmp_path / "v-1.csv", gold=tmp_path / "gold.csv")
    lazy = tw.read_votes(str(tmp_path / "v-*.csv"), gold=tmp_path / "gold.csv")
    said = tw.read_votes(tmp_path / "v-1.csv", gold=tmp_path / "gold.csv", delimiter=";", encoding="cp1252")
    for reading in (eager, said):
        assert reading.votes.class_names == ("größer", "ja", "nein")
        assert reading.votes.array.tolist() == [[reading.votes.class_names.index(x) for x in row[1:]] for row in rows]
    assert (lazy.votes.patterns.counts.sum(), lazy.votes.class_names) == (40, eager.votes.class_names)
    assert lazy.gold_votes.array.tolist() == eager.gold_votes.array.tolist()
    assert "in v-1.csv fields are separated by semicolons" in eager.notes
    assert "in v-1.csv fields are separated by semicolons" in lazy.notes
    assert any("read as Windows-1252" in note and "'größer'" in note for note in eager.notes)
    assert not any("v-1.csv" in note for note in said.notes)
