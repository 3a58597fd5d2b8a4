"""Types of JSON lines and Parquet."""

from pathlib import Path

import duckdb
import pytest

from thumbwise.tables.table_files import read_table


def read_lines(tmp_path: Path, text: str) -> dict[str, list[object]]:
    (tmp_path / "t.jsonl").write_text(text, encoding="utf-8")
    return {name: column.tolist() for name, column in read_table(tmp_path / "t.jsonl").columns.items()}


def test_kinds_stay_and_absent_keys_are_missing(tmp_path: Path) -> None:
    found = read_lines(tmp_path, '{"i":1,"s":"007","b":true,"f":0.5}\n{"i":null,"s":"2","late":"é"}\n\n{"i":3,"f":2}\n')
    assert found == {
        "i": [1, None, 3],
        "s": ["007", "2", None],
        "b": [True, None, None],
        "f": [0.5, None, 2.0],
        "late": [None, "é", None],
    }


def test_mixed_kinds_and_huge_numbers_are_text(tmp_path: Path) -> None:
    found = read_lines(tmp_path, '{"m":1,"h":1180591620717411303424}\n{"m":"1","h":1}\n')
    assert found == {"m": ["1", "1"], "h": ["1180591620717411303424", "1"]}


def test_keys_that_differ_only_in_case_are_two_columns(tmp_path: Path) -> None:
    assert read_lines(tmp_path, '{"A":1,"a":2}\n') == {"A": [1], "a": [2]}


def test_parquet_types(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    duckdb.execute(
        "COPY (SELECT 18446744073709551615::UBIGINT AS u, 1.50::DECIMAL(5,2) AS d, DATE '2020-02-03' AS t, [1] AS l) "
        f"TO '{path}'"
    )
    found = {name: column.tolist() for name, column in read_table(path).columns.items()}
    assert found == {"u": [2**64 - 1], "d": ["1.50"], "t": ["2020-02-03"], "l": ["[1]"]}


def test_parquet_columns_that_differ_only_in_case_are_refused(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    polars.DataFrame({"Rule": [1], "rule": [0]}).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="unique, ignoring case; 1 are not, such as 'rule'"):
        read_table(tmp_path / "t.parquet")
