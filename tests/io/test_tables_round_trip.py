"""What is written is read back, character by character, in every format."""

from pathlib import Path

import numpy as np
import pytest

from thumbwise.tables.table_files import Table, as_text, read_table, write_table

ENDINGS = [".csv", ".tsv", ".parquet", ".jsonl", ".ndjson"]
NASTY = [
    'quo"te',
    "apo's",
    "new\nline",
    "return\r",
    "crlf\r\nx",
    "tab\tx",
    "com,ma;semi",
    "😀 👩‍👩‍👧",
    "é ß 漢字",
    "select",
    "DROP TABLE texts; --",
    '"); DROP TABLE rows; --',
    " leading and trailing ",
    "back\\slash \\n",
    "~/$.a[0]",
    "#comment",
    "[red]x[/red]",
    "%s {0} $1 ?",
    "NULL",
    "nan",
    "x" * 10_000,
]


def column(values: list[object], dtype: type = object) -> np.ma.MaskedArray:
    filled = [0 if value is None and dtype is not object else value for value in values]
    return np.ma.array(np.array(filled, dtype=dtype), mask=[value is None for value in values])


@pytest.mark.parametrize("ending", ENDINGS)
def test_nasty_names_and_values_survive(tmp_path: Path, ending: str) -> None:
    values: list[object] = [*NASTY, None, "007", "+1", "1.0", "-0", "1e5"]
    table = Table({name: column(values) for name in NASTY})
    write_table(table, tmp_path / f"t{ending}")
    back = read_table(tmp_path / f"t{ending}")
    assert back.names == tuple(NASTY)
    for name in NASTY:
        assert back.columns[name].tolist() == values


@pytest.mark.parametrize("ending", ENDINGS)
def test_64_bit_integers_are_exact(tmp_path: Path, ending: str) -> None:
    values = [2**63 - 1, -(2**63), 2**53 + 1, 0, None]
    write_table(Table({"id": column(list(values), np.int64)}), tmp_path / f"t{ending}")
    back = read_table(tmp_path / f"t{ending}").columns["id"]
    assert back.dtype == np.int64
    assert back.tolist() == values


@pytest.mark.parametrize("ending", ENDINGS)
def test_floats_are_exact(tmp_path: Path, ending: str) -> None:
    values = [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, 0.0]
    write_table(Table({"p": column(list(values), float)}), tmp_path / f"t{ending}")
    assert [float(text or "") for text in as_text(read_table(tmp_path / f"t{ending}").columns["p"])] == values


@pytest.mark.parametrize("ending", ENDINGS)
def test_text_that_begins_late_is_not_lost(tmp_path: Path, ending: str) -> None:
    values: list[object] = [None] * 5_000 + ["late"]
    write_table(Table({"a": column(["x"] * 5_001), "b": column(values)}), tmp_path / f"t{ending}")
    assert read_table(tmp_path / f"t{ending}").columns["b"].tolist() == values


@pytest.mark.parametrize("ending", ENDINGS)
def test_names_that_differ_only_in_case_are_refused_and_nothing_is_left(tmp_path: Path, ending: str) -> None:
    with pytest.raises(ValueError, match="unique, ignoring case; found 'A' and 'a'"):
        write_table(Table({"A": column(["x"]), "a": column(["y"])}), tmp_path / f"t{ending}")
    assert list(tmp_path.iterdir()) == []
