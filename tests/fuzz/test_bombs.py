"""Small files that would take much memory are refused, or take little; ``python -m fuzz.bombs`` at full size."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzz.bombs import BOMBS, BUDGET, SMALL, size_of

import thumbwise as tw

N = BUDGET // SMALL
REFUSED = {
    "mat_of_votes": r"reading 'train_pred', of shape \(400000, 10\), would take 60\.0 MB",
    "parquet_of_rows": r"its 500,000 rows would take at least 8\.0 MB",
    "parquet_of_texts": "in memory it would take",
    "parquet_of_a_long_text": "in memory it would take 10",
    "csv_in_gzip": r"unpacked it is more than 4\.0 MB",
    "csv_in_zstd": r"unpacked it is more than 4\.0 MB",
    "csv_of_an_open_quote": "it cannot be read as such",
    "csv_of_classes": "1,000 different values in 1,000 rows",
    "workbook_of_blanks": r"unpacked it declares 4\.2 MB",
    "workbook_of_cells": r"the grid of its cells would take 960\.0 MB",
    "json_of_great_depth": "nested too deeply",
    "json_of_one_line": "there must be at least two classes",
    "wrench_of_lists": r"in memory its JSON may take 24\.\d MB",
    "wrench_of_great_depth": "recursion",
    "export_of_lists": r"in memory its JSON may take 54\.\d MB",
}
READ = ("mat_of_many", "mat_within", "csv_of_one_field")


@pytest.mark.parametrize("name", REFUSED)
def test_a_bomb_is_a_short_message(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = BOMBS[name](tmp_path, N)
    monkeypatch.setenv("THUMBWISE_MAX_BYTES", str(N))
    with pytest.raises(tw.ThumbwiseError, match=REFUSED[name]) as caught:
        tw.read_votes(path)
    assert len(str(caught.value)) < 2000
    assert size_of(path) < N


@pytest.mark.parametrize("name", READ)
def test_what_is_within_the_budget_is_read(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = BOMBS[name](tmp_path, N)
    monkeypatch.setenv("THUMBWISE_MAX_BYTES", str(N))
    assert tw.read_votes(path).votes.n_items >= 2


def test_each_bomb_is_tried() -> None:
    assert {*REFUSED, *READ} == {*BOMBS}
