"""Files of triage from Python: two files, the reading that was asked about, and folders for items that stay in files.

Kills, tried once: outputs that are one file; a reading of other votes; texts of a column that is not passed on.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import thumbwise as tw
from thumbwise.tables.table_files import as_text, read_table

MADE = tw.datasets.make_one_coin(600, [0.9, 0.8, 0.7], random_state=1)
FRAME = pd.DataFrame(MADE.votes.array, columns=["large", "small", "tiny"])
FRAME.insert(0, "id", np.arange(600))
FRAME["page"] = [f"https://example.org/{i}" for i in range(600)]
GOLD = {i: int(MADE.labels[i]) for i in range(150)}


def asked() -> tuple[tw.Reading, tw.Triage]:
    reading = tw.read_votes(FRAME, gold=GOLD, ignore=["page"])
    return reading, tw.triage(reading, precision=0.85)


def test_two_outputs_are_two_files(tmp_path: Path) -> None:
    reading, found = asked()
    with pytest.raises(tw.InvalidFileError, match="each output must be a file of its own"):
        tw.write_triage(reading, found, accepted=tmp_path / "a.csv", review=tmp_path / "a.csv")
    assert list(tmp_path.iterdir()) == []


def test_what_is_written_is_about_the_reading_that_was_asked_about(tmp_path: Path) -> None:
    _, found = asked()
    with pytest.raises(tw.InvalidChoiceError, match="the votes of this reading are others"):
        tw.write_triage(tw.read_votes(FRAME[:-1], gold=GOLD, ignore=["page"]), found, accepted=tmp_path / "a.csv")


def test_the_text_is_a_column_that_was_passed_on(tmp_path: Path) -> None:
    reading, found = asked()
    with pytest.raises(tw.InvalidFileError, match=r"text must name a column .* found 'pag', .* are: 'page'"):
        tw.write_triage(reading, found, review=tmp_path / "review.csv", text="pag")
    tw.write_triage(reading, found, review=tmp_path / "review.csv", text="page")
    table = read_table(tmp_path / "review.csv")
    pages = [f"https://example.org/{i}" for i in as_text(table.columns["id"])]
    assert as_text(table.columns["page"]) == pages
    tw.write_triage(reading, found, review=tmp_path / "plain.csv")
    assert "page" not in read_table(tmp_path / "plain.csv").names


def test_folders_of_items_that_stay_in_files(tmp_path: Path) -> None:
    """Each item is in one of the two."""
    (tmp_path / "votes").mkdir()
    FRAME.to_parquet(tmp_path / "votes" / "1.parquet")
    reading = tw.read_votes(tmp_path / "votes", gold=GOLD, ignore=["page"])
    found = tw.triage(reading, budget=100)
    places: dict[str, Any] = {"accepted": tmp_path / "accepted", "review": tmp_path / "review"}
    tw.write_triage(reading, found, **places)
    ids = [pd.read_parquet(path)["id"] for path in places.values()]
    assert [len(part) for part in ids] == [500, 100]
    assert sorted(pd.concat(ids)) == list(range(600))
    with pytest.raises(tw.InvalidFileError, match="lie in each other"):
        tw.write_triage(reading, found, accepted=tmp_path / "new", review=tmp_path / "new" / "review.csv")
