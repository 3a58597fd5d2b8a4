"""Small whole numbers of CSV are read as such only where every field is written plainly; else they stay texts."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thumbwise as tw
from thumbwise.tables import delimited, small_numbers
from thumbwise.tables.coded import CodedColumns
from thumbwise.tables.small_numbers import SmallNumbers
from thumbwise.tables.table_files import read_table, stored_column

# More than those that are looked at first, so that a strange field comes after it was decided how to read.
N_ROWS = 2100


def write(path: Path, fields: list[list[str]], ending: str = "\n", *, ends: bool = True, mark: bytes = b"") -> None:
    """Fields as they stand, below the names id, a, b."""
    text = ending.join(",".join(row) for row in [["id", "a", "b"], *fields]) + (ending if ends else "")
    path.write_bytes(mark + text.encode())


def plain_fields() -> list[list[str]]:
    rng = np.random.default_rng(0)
    votes = rng.choice(["0", "1", "-1", "12", "-99", "99", ""], size=(N_ROWS, 2))
    return [[f"item {i} ü", *row] for i, row in enumerate(votes.tolist())]


def read_by_csv(path: Path) -> dict[str, list[Any]]:
    """What the columns must be: whole numbers if all fields are written as Python writes them."""
    rows = [row for row in csv.reader(io.StringIO(path.read_text("utf-8-sig"), newline="")) if row]
    columns = {}
    for name, fields in zip(rows[0], zip(*rows[1:], strict=True), strict=True):
        whole = all(
            not field or (field.lstrip("-").isdigit() and str(int(field)) == field and abs(int(field)) < 2**63)
            for field in fields
        )
        columns[name] = [None if not field else int(field) if whole else field for field in fields]
    return columns


def check(path: Path) -> bool:
    """Columns are as they must be; whether some came as small numbers."""
    table = read_table(path)
    expected = read_by_csv(path)
    assert {name: column.tolist() for name, column in table.columns.items()} == expected
    for name, column in table.columns.items():
        is_text = any(isinstance(value, str) for value in expected[name])
        assert column.dtype == (object if is_text else np.int64)
    return any(isinstance(stored_column(table, name), SmallNumbers) for name in table.names)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("ends", [True, False])
def test_plain_numbers_are_small(tmp_path: Path, mark: bytes, ends: bool) -> None:
    write(tmp_path / "t.csv", plain_fields(), ends=ends, mark=mark)
    assert check(tmp_path / "t.csv")


STRANGE = ["+1", "01", " 1", "1 ", "1.0", "1.", ".5", "-0", "1e1", "1e2", '"1"', "100", "-128", "128", "1_0", "0x1"]


@pytest.mark.parametrize("ends", [True, False])
@pytest.mark.parametrize("field", [*STRANGE, "9" * 18, "9" * 30, "ham", "true", "\N{FULLWIDTH DIGIT ONE}"])
def test_one_strange_field_decides(tmp_path: Path, field: str, ends: bool) -> None:
    fields = plain_fields()
    fields[-1][1] = field
    write(tmp_path / "t.csv", fields, ends=ends)
    assert not check(tmp_path / "t.csv")


@pytest.mark.parametrize("ending", ["\r\n", "\n"])
def test_other_bytes_between_fields_decide_nothing(tmp_path: Path, ending: str) -> None:
    """Two bytes an end; and one end that is a byte shorter beside a field that is a byte longer."""
    fields = plain_fields()
    write(tmp_path / "t.csv", fields, ending)
    assert check(tmp_path / "t.csv") == (ending == "\n")
    fields[-1][1] = '"1"'
    fields[-2][0] = '"a, b"'
    write(tmp_path / "t.csv", fields, ending)
    assert not check(tmp_path / "t.csv")


def test_quotes_among_the_first_rows_are_left_to_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fields = plain_fields()
    fields[0][0] = '"item, 0"'
    write(tmp_path / "t.csv", fields)
    monkeypatch.setattr(small_numbers, "_find_small", lambda *_: pytest.fail("the rows were read"))
    assert not check(tmp_path / "t.csv")


def test_votes_do_not_depend_on_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    votes = rng.integers(-1, 3, size=(N_ROWS, 2)).astype(str)
    votes[rng.random(votes.shape) < 0.2] = ""
    write(tmp_path / "t.csv", [[f"i{i}", *row] for i, row in enumerate(votes.tolist())])
    small = tw.read_votes(tmp_path / "t.csv", gold={"i3": 1, "i5": 0})
    columns = read_table(tmp_path / "t.csv").columns
    assert isinstance(columns, CodedColumns)
    assert set(columns.small) == {"a", "b"}
    monkeypatch.setattr(delimited, "create_small", lambda *_: {})
    texts = tw.read_votes(tmp_path / "t.csv", gold={"i3": 1, "i5": 0})
    np.testing.assert_array_equal(small.votes.array, texts.votes.array)
    assert small.votes.array.dtype == texts.votes.array.dtype
    assert small.votes.item_ids.tolist() == texts.votes.item_ids.tolist()
    assert repr(small) == repr(texts)
    expected = np.where(votes == "", "-1", votes).astype(int)
    np.testing.assert_array_equal(small.votes.array, expected)


@pytest.mark.parametrize("n_rows", [1, 2, 7])
def test_small_numbers_are_counted_and_looked_up(n_rows: int) -> None:
    numbers = np.random.default_rng(n_rows).integers(-128, 128, size=n_rows).astype(np.int8)
    numbers[0] = 5
    column = SmallNumbers(numbers)
    present = [int(number) for number in numbers if number != -128]
    assert column.counts == {number: present.count(number) for number in sorted(set(present))}
    assert list(column.counts) == sorted(set(present))
    places = {number: j for j, number in enumerate(column.counts)}
    assert column.look_up(places, -1).tolist() == [places.get(int(number), -1) for number in numbers]
    assert column.widen().tolist() == [None if number == -128 else int(number) for number in numbers]
