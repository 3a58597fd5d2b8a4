"""Texts that a spreadsheet would run: written as they are, or, if asked for, as texts that it does not."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import thumbwise as tw
from thumbwise.cli.main import app
from thumbwise.tables.spreadsheets import STARTS, harmless_relation, harmless_table
from thumbwise.tables.table_files import Table

HOSTILE = ["=1+1", "+1", "-1", "@SUM(A1)", "\uff1d1", "plain", "a=b", "'=1"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Hostile ids, classes, names of columns and texts that are passed on."""
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=200)
    names = ["=ham", "spam"]
    rows = [["id", "+a", "b", "-c", "=note"]]
    for i, y in enumerate(truth):
        cast = [names[y if rng.random() < 0.9 else 1 - y] for _ in range(3)]
        rows.append([f"{HOSTILE[i % 8]} {i}", *cast, HOSTILE[(i + 1) % 8]])
    for name, part in (("votes.csv", rows), ("many-0.csv", rows[:100]), ("many-1.csv", rows[:1] + rows[100:])):
        with (tmp_path / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(part)
    with (tmp_path / "gold.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(
            [["id", "label"], *([r[0], names[y]] for r, y in zip(rows[1:90], truth, strict=False))]
        )
    return tmp_path


def cells(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ","))


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("votes", ["votes.csv", "many-*.csv"])
@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_labels(votes: str, ending: str, folder: Path) -> None:
    """In memory and in files: no cell but a number begins a formula, and other cells are as they were."""
    call = ["label", folder / votes, "--gold", folder / "gold.csv", "--ignore", "=note", "-o"]
    plain, marked = folder / f"plain.{ending}", folder / f"marked.{ending}"
    assert run(*call, plain).exit_code == 0
    assert run(*call, marked, "--for-spreadsheets").exit_code == 0
    assert any(cell.startswith("=") for row in cells(plain) for cell in row)
    dangerous = [cell for row in cells(marked) for cell in row if cell.startswith(STARTS) and not is_number(cell)]
    assert dangerous == []
    header = cells(marked)[0]
    assert "'=note" in header
    bare = {row[0] for row in cells(plain)} - {"id"}
    assert {row[0] for row in cells(marked)[1:]} == {f"'{name}" if name.startswith(STARTS) else name for name in bare}
    assert len(cells(plain)) == len(cells(marked)) == 201


@pytest.mark.parametrize("votes", ["votes.csv", "many-*.csv"])
def test_accepted_labels_and_the_review(votes: str, folder: Path) -> None:
    call = ["triage", folder / votes, "--gold", folder / "gold.csv", "--ignore", "=note", "--precision", "0.97"]
    files = ["-o", folder / "accepted.csv", "--review", folder / "review.csv", "--text", "=note"]
    answer = run(*call, *files, "--for-spreadsheets")
    assert answer.exit_code == 0, answer.stderr
    for name in ("accepted.csv", "review.csv"):
        rows = cells(folder / name)
        assert len(rows) > 1
        assert not [cell for row in rows for cell in row if cell.startswith(STARTS) and not is_number(cell)]


def test_in_memory_and_in_the_database_the_same() -> None:
    column = np.ma.MaskedArray(np.array([*HOSTILE, "x", "\tx"], dtype=object), mask=[False] * 8 + [True, False])
    table = harmless_table(Table({"=a": column, "n": np.ma.asarray(np.arange(-5, 5))}))
    frame = pl.DataFrame({"=a": column.tolist(), "n": range(-5, 5)})
    relation = duckdb.connect().from_arrow(frame.to_arrow())
    found = harmless_relation(relation)
    assert list(found.columns) == list(table.names) == ["'=a", "n"]
    assert found.fetchall() == list(zip(table.columns["'=a"].tolist(), range(-5, 5), strict=True))
    assert found.fetchall()[2] == ("'-1", -3)
    assert found.fetchall()[7] == ("'=1", 2)


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_other_kinds_of_files_need_none(ending: str, folder: Path) -> None:
    answer = run(
        "label", folder / "votes.csv", "--gold", folder / "gold.csv", "-o", folder / f"x.{ending}", "--for-spreadsheets"
    )
    assert answer.exit_code == 2
    assert answer.stderr.replace("\n", " ").startswith(
        "error: --for-spreadsheets is about files that end in .csv or .tsv"
    )
    with pytest.raises(tw.InvalidChoiceError, match="for_spreadsheets is about"):
        tw.write_labels([[0, 1]], tw.MajorityVote().fit([[0, 1]]), folder / f"x.{ending}", for_spreadsheets=True)
