"""Logs of Inspect are read as their specification says."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

import thumbwise as tw
from io_cases.exports import INSPECT, changed, write_log
from thumbwise.exceptions import InvalidChoiceError, InvalidFileError, InvalidLabelsError, InvalidVotesError

STYLE = ["style.clear", "style.polite"]


def sample(name: Any, epoch: int = 1, **scores: Any) -> dict[str, Any]:
    return {
        "id": name,
        "epoch": epoch,
        "input": "q",
        "target": "t",
        "scores": {k: {"value": v} for k, v in scores.items()},
    }


def edited(first: Any, *edits: tuple[Any, str]) -> dict[str, Any]:
    """A score with its history, as Inspect keeps it."""
    history = [{"value": first, "provenance": None}]
    history += [{"value": value, "provenance": {"author": author}} for value, author in edits]
    return {"value": history[-1]["value"], "history": history}


def test_a_sample_is_an_item_and_a_scorer_a_judge() -> None:
    reading = tw.read_votes(INSPECT, ignore=STYLE)
    assert reading.layout == "inspect"
    assert reading.votes.item_ids.tolist() == ["1", "two", "three", "four"]
    assert reading.votes.rule_names == ("exact", "grader")
    assert reading.votes.class_names == ("C", "I")
    # The scorer's vote on "two" is what it said before the edit; 1 and 0 are C and I.
    assert reading.votes.array.tolist() == [[0, 0], [0, 0], [-1, -1], [1, -1]]


def test_failed_and_not_asked_stay_apart() -> None:
    jury = tw.read_votes(INSPECT, ignore=STYLE).jury
    assert jury is not None
    counts = {j.name: (j.n_voted, j.n_failed, j.n_not_asked) for j in jury.judges}
    assert counts == {"exact": (3, 0, 1), "grader": (2, 1, 1)}
    assert [(f.item_id, f.message) for f in jury.failures] == [("four", "grader gave no grade")]


def test_the_last_edit_that_changes_the_value_is_gold() -> None:
    reading = tw.read_votes(INSPECT, ignore=STYLE)
    assert reading.gold.tolist() == [-1, 1, -1, -1]  # I; the edit after it changes the explanation only
    assert any("edits of 'grader' by 'ann'" in note for note in reading.notes)


def test_epochs_are_no_items() -> None:
    """One answer for each sample, the first, unless the last or all are asked for."""
    notes = tw.read_votes(INSPECT, ignore=STYLE).notes
    assert any("left out: 2 answers of further epochs" in note and "item_id='epoch'" in note for note in notes)
    last = tw.read_votes(INSPECT, ignore=STYLE, duplicates="last", class_names=["C", "I"])
    assert last.votes.array.tolist()[:2] == [[1, 1], [0, 0]]
    every = tw.read_votes(INSPECT, ignore=STYLE, item_id="epoch")
    assert every.votes.item_ids.tolist() == ["1/1", "1/2", "two/1", "two/2", "three/1", "four/1"]
    assert every.passed_on["sample"].tolist() == ["1", "1", "two", "two", "three", "four"]
    assert every.passed_on["epoch"].tolist() == [1, 2, 1, 2, 1, 1]
    assert any("6 answers to 4 samples" in note and "cluster='sample'" in note for note in every.notes)


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2)])
def test_the_first_epoch_is_the_lowest_whatever_the_order(tmp_path: Path, order: tuple[int, ...]) -> None:
    told = {1: "C", 2: "I", 3: "P"}
    path = write_log(tmp_path, *(sample("a", epoch, s=told[epoch]) for epoch in order), sample("b", s="I"))
    for duplicates, expected in (("raise", "C"), ("first", "C"), ("last", "P")):
        reading = tw.read_votes(path, duplicates=duplicates, class_names=["C", "I", "P"])  # type: ignore[arg-type]
        assert reading.votes.class_names[reading.votes.array[0, 0]] == expected


def test_samples_that_were_invalidated_are_left_out() -> None:
    reading = tw.read_votes(INSPECT, ignore=STYLE)
    assert "five" not in reading.votes.item_ids.tolist()
    assert any("marked as invalid: 1 of 7 samples" in note for note in reading.notes)


def test_columns_are_passed_on() -> None:
    columns = {name: column.tolist() for name, column in tw.read_votes(INSPECT, ignore=STYLE).passed_on.items()}
    assert columns["target"] == ["4", '["8", "eight"]', "Austen", "Goethe"]
    assert columns["metadata.topic"] == ["sums", "sums", "books", "books"]
    assert "metadata.tags" not in columns
    assert columns["error"] == [None, None, "RateLimitError", None]
    assert columns["style.polite"] == [0.5, 0.4, None, None]


def test_numbers_are_scores() -> None:
    with pytest.raises(InvalidVotesError, match=r"'style.clear', 'style.polite' gave numbers.*scores=CLASS"):
        tw.read_votes(INSPECT)
    reading = tw.read_votes(INSPECT, scores="C", class_names=["I", "C"], threshold=0.5)
    assert reading.votes.rule_names == ("exact", "grader", *STYLE)
    assert reading.votes.array[0].tolist() == [1, 1, 1, 1]
    assert reading.votes.array[1].tolist() == [1, 1, -1, 0]  # NaN is a failure, 0.4 is below


def test_letters_are_the_numbers_that_inspect_counts_them_as(tmp_path: Path) -> None:
    path = write_log(tmp_path, *(sample(letter, s=letter) for letter in "CPIN"))
    for threshold, expected in ((0.4, [1, 1, 0, 0]), (0.6, [1, 0, 0, 0])):
        reading = tw.read_votes(path, scores="C", class_names=["I", "C"], threshold=threshold)
        assert reading.votes.array[:, 0].tolist() == expected


def test_zero_and_one_are_verdicts_only_where_nothing_else_is_said(tmp_path: Path) -> None:
    path = write_log(tmp_path, sample(1, a=1, b=1.0, c=True, d="C"), sample(2, a=0, b=0.5, c=False, d="I"))
    with pytest.raises(InvalidVotesError, match=r"^judges must give verdicts; 'b' gave numbers"):
        tw.read_votes(path)
    reading = tw.read_votes(path, ignore=["b"])
    assert reading.votes.array.tolist() == [[0, 0, 0], [1, 1, 1]]
    assert any("count as I and C" in note and "'a', 'c'" in note for note in reading.notes)


def test_no_answer_is_a_verdict_unless_it_is_said_to_be_none(tmp_path: Path) -> None:
    path = write_log(tmp_path, sample(1, s="C"), sample(2, s="I"), sample(3, s="N"))
    assert tw.read_votes(path).votes.class_names == ("C", "I", "N")
    reading = tw.read_votes(path, abstain="N")
    assert reading.votes.class_names == ("C", "I")
    assert reading.jury is not None and reading.jury.judges[0].n_abstained == 1


def test_edits_of_two_scorers_are_two_questions(tmp_path: Path) -> None:
    scores = {"a": edited("C", ("I", "ann")), "b": edited("I", ("C", "ann"))}
    path = write_log(tmp_path, {"id": 1, "scores": scores}, sample(2, a="C", b="I"))
    with pytest.raises(InvalidLabelsError, match=r"answer 2: 'a', 'b'. Say which with gold_label=NAME"):
        tw.read_votes(path)
    assert tw.read_votes(path, gold_label="a").gold.tolist() == [1, -1]
    assert tw.read_votes(path, gold_label="b").gold.tolist() == [0, -1]
    assert tw.read_votes(path, ignore=["gold"]).gold.tolist() == [-1, -1]


def test_a_score_that_is_known_only_as_edited_is_no_vote(tmp_path: Path) -> None:
    scores = {"a": {"value": "I", "history": [{"value": "I", "provenance": {"author": "ann"}}]}, "b": {"value": "C"}}
    reading = tw.read_votes(write_log(tmp_path, {"id": 1, "scores": scores}, sample(2, a="C", b="I")))
    assert reading.votes.array.tolist() == [[-1, 0], [0, 1]]
    assert reading.gold.tolist() == [1, -1]


def test_a_score_without_a_name_is_of_an_older_log(tmp_path: Path) -> None:
    path = write_log(
        tmp_path, {"id": 1, "epoch": 1, "score": {"value": "C"}}, {"id": 2, "epoch": 1, "score": {"value": "I"}}
    )
    assert tw.read_votes(path).votes.rule_names == ("score",)


def test_a_run_that_did_not_end_well_is_told(tmp_path: Path) -> None:
    path = write_log(tmp_path, sample(1, s="C"), sample(2, s="I"), status="cancelled")
    assert any("status 'cancelled'" in note for note in tw.read_votes(path).notes)


@pytest.mark.parametrize(
    ("samples", "says"),
    [
        ([], "must have samples"),
        ([{"id": 1}, {"id": 2, "scores": {}}], "no sample has a score.*inspect score"),
        ([{"epoch": 1}], r"samples\[0\] must be a sample with an id"),
        ([sample(1, s="C"), sample("1", s="I")], "'1' is twice in epoch 1"),
        ([sample(1, s=["C", "I"])], r"'s' gives list on sample '1'. Leave it out with ignore=\['s'\]"),
        ([{"id": 1, "scores": {"s": "C"}}], r"scores\['s'\] of sample '1' must be an object with a value"),
        ([{"id": 1, "scores": {"s": {"value": "C", "history": "x"}}}], "must be a list of edits"),
        ([{"id": 1, "scores": {"s": edited("C", (0.7, "ann"))}}], "must be a text, or 0 or 1"),
    ],
)
def test_damaged_logs_are_refused(tmp_path: Path, samples: list[Any], says: str) -> None:
    with pytest.raises(InvalidFileError, match=says):
        tw.read_votes(write_log(tmp_path, *samples))


def test_archives_are_refused_with_the_way_to_make_json(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", "{}")
    with pytest.raises(InvalidFileError, match=r"archives. Write it with: inspect log dump LOG > log.json"):
        tw.read_votes(path)


def test_an_item_is_a_sample_or_an_epoch() -> None:
    with pytest.raises(InvalidChoiceError, match=r"an item is one of 'sample', 'epoch'; found item_id='id'"):
        tw.read_votes(INSPECT, item_id="id", ignore=STYLE)


def test_nan_is_read_where_python_writes_it(tmp_path: Path) -> None:
    path = changed(INSPECT, tmp_path, lambda value: None)
    assert "NaN" in path.read_text()
    assert tw.read_votes(path, ignore=STYLE).votes.fingerprint == tw.read_votes(INSPECT, ignore=STYLE).votes.fingerprint
