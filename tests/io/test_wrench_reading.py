"""A file of a WRENCH folder: what is read is what is written, and the first offender is named."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thumbwise import InvalidFileError
from thumbwise.io.wrench_format import read_part


def write(path: Path, rows: list[Any]) -> Path:
    path.write_text(json.dumps({f"i{i}": {"label": i % 3, "weak_labels": row} for i, row in enumerate(rows)}))
    return path


def test_votes_are_those_of_the_file(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).integers(-1, 3, size=(50, 4)).tolist()
    part = read_part(write(tmp_path / "train.json", rows), 3)
    assert part.votes.tolist() == rows
    assert part.labels.tolist() == [i % 3 for i in range(50)]
    assert part.ids == tuple(f"i{i}" for i in range(50))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([], "item 'i1' .* a list of whole numbers"),
        ([0, True], "item 'i1' .* a list of whole numbers"),
        ([0, 1.0], "item 'i1' .* a list of whole numbers"),
        (None, "item 'i1' .* a list of whole numbers"),
        ([0, 3], r"found 3 at item 'i1' \(1 such entries\)"),
        ([-2, 10**30], r"found -2 at item 'i1' \(2 such entries\)"),
        ([0], r"1 at item 'i1' \(1 such items\)"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, row: Any, message: str) -> None:
    path = write(tmp_path / "train.json", [[0, 1], row, [1, 2]])
    with pytest.raises(InvalidFileError, match=message):
        read_part(path, 3)
    assert gc.isenabled()


def test_collection_is_left_as_it_was(tmp_path: Path) -> None:
    path = write(tmp_path / "train.json", [[0, 1]])
    gc.disable()
    try:
        read_part(path, 3)
        assert not gc.isenabled()
    finally:
        gc.enable()
