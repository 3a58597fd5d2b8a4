"""What is no vote is refused with its value, its rule and how many there are, as in memory."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import thumbwise as tw
from engines.conftest import Hold
from thumbwise.votes.lazy_votes import LazyVotes


def test_a_number_that_is_no_class(held: Hold) -> None:
    lazy = held({"a": [0, 1, -7], "b": [2, 0, 5]}, n_classes=2)
    with pytest.raises(tw.InvalidVotesError, match=r"0\.\.1 or -1 for abstain; found -7 of rule 'a' \(3 such votes\)"):
        _ = lazy.patterns


@pytest.mark.parametrize("value", [2, -2])
def test_the_numbers_next_to_the_classes(held: Hold, value: int) -> None:
    lazy = held({"a": [0, 1, -1], "b": [1, value, 0]}, n_classes=2)
    with pytest.raises(tw.InvalidVotesError, match=rf"found {value} of rule 'b' \(1 such votes\)"):
        _ = lazy.patterns


def test_a_fraction(held: Hold, engine: str) -> None:
    if engine == "csv":
        pytest.skip("a CSV file holds texts")
    lazy = held({"a": [0.0, 1.0, 0.5], "b": [float("inf"), 0.0, None]}, n_classes=2)
    with pytest.raises(tw.InvalidVotesError, match=r"whole class numbers.*found 0\.5 of rule 'a' \(2 such votes\)"):
        _ = lazy.patterns


def test_an_unknown_string(held: Hold) -> None:
    lazy = held({"a": ["ham", "spam"], "b": ["spma", None]}, class_names=["ham", "spam"])
    with pytest.raises(tw.InvalidVotesError, match=r"found 'spma' of rule 'b' \(1 such votes\)"):
        _ = lazy.patterns


def test_a_bad_vote_is_found_when_gold_is_fetched_first(held: Hold) -> None:
    lazy = held({"id": [1, 2], "a": [0, 9]}, item_id="id", n_classes=2)
    with pytest.raises(tw.InvalidVotesError, match="found 9"):
        lazy.take_ids([2])


def test_numbers_and_strings_do_not_mix(held: Hold) -> None:
    with pytest.raises(tw.InvalidVotesError, match="rule 'b' holds strings, rule 'a' numbers"):
        held({"a": [0, 1], "b": ["x", "y"]})


def test_a_mark_for_abstain_is_not_taken_for_a_class(held: Hold) -> None:
    with pytest.raises(tw.InvalidVotesError, match="abstain='n/a'"):
        held({"a": ["x", "n/a"], "b": ["y", "x"]})


def test_too_many_patterns(held: Hold) -> None:
    lazy = held({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}, max_patterns=3)
    with pytest.raises(tw.InvalidVotesError, match="at most 3 distinct rows"):
        _ = lazy.patterns


def test_classes_that_cannot_be_inferred(held: Hold) -> None:
    with pytest.raises(tw.InvalidVotesError, match="class 0 only"):
        held({"a": [0, 0], "b": [0, -1]})


def test_columns_that_are_not_there() -> None:
    frame = pl.LazyFrame({"a": [0, 1]})
    with pytest.raises(tw.InvalidVotesError, match="found 'x'"):
        LazyVotes(frame, item_id="x")
    with pytest.raises(tw.InvalidVotesError, match="no rule; found 'a' in both"):
        LazyVotes(frame, rules=["a"], item_id="a")
    with pytest.raises(tw.InvalidVotesError, match="at least one rule"):
        LazyVotes(frame, item_id="a")


def test_no_items() -> None:
    with pytest.raises(tw.InvalidVotesError, match="at least one item"):
        _ = LazyVotes(pl.LazyFrame({"a": [0, 1]}).filter(pl.col("a") > 1), n_classes=2).patterns


def test_what_is_in_memory_belongs_to_votes() -> None:
    with pytest.raises(tw.InvalidVotesError, match="Pass it to Votes"):
        LazyVotes(pl.DataFrame({"a": [0, 1]}))


def test_a_column_called_label_cannot_be_carried() -> None:
    lazy = LazyVotes(pl.LazyFrame({"Label": [1, 2], "a": [0, 1]}), item_id="Label")
    with pytest.raises(tw.InvalidVotesError, match="must not be called Label"):
        tw.MajorityVote().fit(lazy).predict_proba(lazy)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(tw.InvalidFileError, match=r"there is no file .*\.parquet"):
        LazyVotes.from_files(tmp_path / "*.parquet")
    with pytest.raises(tw.InvalidFileError, match="all end in"):
        LazyVotes.from_files([tmp_path / "a.parquet", tmp_path / "b.csv"])


def test_a_file_name_with_wildcards_is_meant_literally(tmp_path: Path) -> None:
    pl.DataFrame({"a": [0, 1]}).write_parquet(tmp_path / "votes[1].parquet")
    assert LazyVotes.from_files(tmp_path / "votes[1].parquet").n_items == 2


def test_csv_files_with_columns_in_another_order(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("a,b\n0,1\n")
    (tmp_path / "2.csv").write_text("b,a\n0,1\n")
    with pytest.raises(tw.InvalidFileError, match="same columns in the same order"):
        LazyVotes.from_files(tmp_path / "*.csv")
