"""Prodigy datasets as votes: choices, yes or no, sessions, reviews as gold, and what is refused.

Kills, tried once: an ignored example that is a vote; a rejected choice that is one; reviews that are votes; versions
that are heard twice; the task hash in place of the input hash; several labels read as one question.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import thumbwise as tw
from errors.messages import assert_says, message_of
from io_cases.exported import cells, gold_of, outcomes

OPTIONS = [{"id": "good", "text": "Good"}, {"id": "bad", "text": "Bad"}]


def example(number: int, answer: str = "accept", by: str | None = "ds-ann", **more: Any) -> dict[str, Any]:
    """As ``prodigy db-out`` writes one."""
    return {
        "text": f"text {number}",
        "meta": {"source": "mails", "key": f"m{number}"},
        "_input_hash": -1000 - number,
        "_task_hash": 50 + number,
        "_is_binary": False,
        "answer": answer,
        "_timestamp": 1707211049,
        "_view_id": "classification",
        **({} if by is None else {"_annotator_id": by, "_session_id": by}),
        **more,
    }


def choice(
    number: int, chosen: list[Any], answer: str = "accept", by: str | None = "ds-ann", **more: Any
) -> dict[str, Any]:
    style = {"choice_style": "single"}
    return example(
        number, answer, by, **{"options": OPTIONS, "accept": chosen, "config": style, "_view_id": "choice", **more}
    )


def review(number: int, chosen: list[Any], versions: list[Any]) -> dict[str, Any]:
    return choice(number, chosen, by="rev-boss", _view_id="review", view_id="choice", versions=versions, sessions=[])


def written(folder: Path, rows: list[Any], name: str = "ds.jsonl") -> Path:
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder / name


CHOICES = [
    choice(1, ["good"]),
    choice(1, ["bad"], by="ds-bob"),
    choice(2, ["bad"], "reject"),
    choice(2, [], "ignore", by="ds-bob"),
    choice(3, []),
    choice(3, ["good"], by="ds-bob"),
]


def test_choices_are_votes_and_declined_ones_abstentions(tmp_path: Path) -> None:
    reading = tw.read_votes(written(tmp_path, CHOICES))
    assert reading.layout == "prodigy"
    assert reading.votes.item_ids.tolist() == ["-1001", "-1002", "-1003"]
    assert cells(reading) == {("-1001", "ds-ann"): "good", ("-1001", "ds-bob"): "bad", ("-1003", "ds-bob"): "good"}
    assert outcomes(reading) == {"ds-ann": (1, 2, 0, 0), "ds-bob": (2, 1, 0, 0)}
    assert reading.passed_on["text"].tolist() == ["text 1", "text 2", "text 3"]
    assert len(reading.gold_labels) == 0
    assert any("3 examples were ignored, rejected or accepted without a choice" in note for note in reading.notes)


def test_yes_or_no_and_one_label_of_several(tmp_path: Path) -> None:
    rows = [
        example(1, "accept", label="SPAM"),
        example(2, "reject", label="SPAM"),
        example(3, "ignore", label="SPAM"),
    ]
    reading = tw.read_votes(written(tmp_path, rows))
    assert cells(reading) == {("-1001", "ds-ann"): "accept", ("-1002", "ds-ann"): "reject"}
    assert outcomes(reading) == {"ds-ann": (2, 1, 0, 0)}
    path = written(tmp_path, [*rows, example(1, "reject", label="URGENT"), example(4, label="URGENT")])
    said = message_of(tw.InvalidFileError, lambda: tw.read_votes(path))
    assert_says(said, "'SPAM', 'URGENT'", "label=NAME")
    assert_says(message_of(tw.InvalidFileError, lambda: tw.read_votes(path, label="X")), "'SPAM', 'URGENT'")
    urgent = tw.read_votes(path, label="URGENT")
    assert cells(urgent) == {("-1001", "ds-ann"): "reject", ("-1004", "ds-ann"): "accept"}


def test_reviews_are_gold_and_their_versions_votes_that_are_heard_once(tmp_path: Path) -> None:
    versions = [
        {"accept": ["good"], "answer": "accept", "sessions": ["ds-ann", "ds-carl"], "default": True},
        {"accept": ["bad"], "answer": "accept", "sessions": ["ds-bob"], "default": False},
    ]
    rows = [*CHOICES, review(1, ["bad"], versions), review(9, ["good"], [versions[1]]), review(2, [], [])]
    reading = tw.read_votes(written(tmp_path, rows))
    assert gold_of(reading) == {"-1001": "bad", "-1009": "good"}
    assert set(reading.votes.rule_names) == {"ds-ann", "ds-bob", "ds-carl"}
    assert cells(reading)["-1001", "ds-ann"] == "good"
    assert cells(reading)["-1001", "ds-carl"] == "good"
    assert cells(reading)["-1009", "ds-bob"] == "bad"
    assert outcomes(reading)["ds-bob"] == (3, 1, 0, 0)
    notes = " / ".join(reading.notes)
    assert "--auto-accept" in notes
    assert "1 reviewed items have no answer" in notes


def test_one_annotator_may_be_gold(tmp_path: Path) -> None:
    rows = [*CHOICES, *(choice(n, ["good" if n % 2 else "bad"], by="ds-expert") for n in (1, 2, 3))]
    reading = tw.read_votes(written(tmp_path, rows), gold_column="ds-expert")
    assert gold_of(reading) == {"-1001": "good", "-1002": "bad", "-1003": "good"}
    assert "ds-expert" not in reading.votes.rule_names


def test_sessions_that_nobody_named_are_noted(tmp_path: Path) -> None:
    unnamed = [choice(1, ["good"], by="2024-02-06_10-17-19"), choice(2, ["bad"], by="ds-2024-02-07_10-17-19")]
    assert any("one person may be several judges" in note for note in tw.read_votes(written(tmp_path, unnamed)).notes)
    assert not any("several judges" in note for note in tw.read_votes(written(tmp_path, CHOICES)).notes)
    nobody = [choice(1, ["good"], by=None), choice(2, ["bad"], by=None)]
    assert tw.read_votes(written(tmp_path, nobody)).votes.rule_names == ("annotator",)


def test_ids_may_come_from_a_field_or_from_meta(tmp_path: Path) -> None:
    reading = tw.read_votes(written(tmp_path, CHOICES), item_id="key")
    assert reading.votes.item_ids.tolist() == ["m1", "m2", "m3"]
    said = message_of(tw.InvalidFileError, lambda: tw.read_votes(written(tmp_path, CHOICES), item_id="uid"))
    assert_says(said, "[0].uid must be an id")


def test_an_annotator_who_answers_twice_is_settled_by_duplicates(tmp_path: Path) -> None:
    path = written(tmp_path, [*CHOICES, choice(1, ["bad"])])
    assert_says(message_of(tw.InvalidVotesError, lambda: tw.read_votes(path)), "at most once", "duplicates=")
    assert cells(tw.read_votes(path, duplicates="last"))["-1001", "ds-ann"] == "bad"


SPANS = [{"start": 0, "end": 4, "label": "PER"}]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([choice(1, ["good", "bad"])], ["[0].accept must be one choice", "tags"]),
        ([choice(1, ["good"], config={"choice_style": "multiple"})], ["several may be chosen", "tags"]),
        ([example(1, spans=SPANS, _view_id="ner_manual")], ["'ner_manual'", "no class of an item"]),
        ([example(1, spans=SPANS, _view_id="")], ["spans"]),
        ([example(1, relations=[{}], _view_id="relations")], ["'relations'"]),
        ([example(1, "maybe")], ["[0].answer must be one of 'accept', 'reject', 'ignore'"]),
        ([choice(1, [{}])], ["accept[0] must be the id of an option"]),
        ([choice(1, [], "ignore")], ["of 1 none says anything"]),
        ([review(1, ["good"], [])], ["votes that are no reviews", "of 0 none"]),
        ([review(1, ["good"], [{"accept": ["good"]}])], ["[0].versions[0] must be an example with its sessions"]),
        ([{**review(1, ["good"], []), "versions": {}}], ["[0].versions must be a list"]),
        ([{**example(1), "_input_hash": None}], ["[0]._input_hash must be an id"]),
    ],
)
def test_other_shapes_are_refused_with_their_place(tmp_path: Path, rows: Any, words: list[str]) -> None:
    path = written(tmp_path, rows)
    assert_says(message_of(tw.InvalidFileError, lambda: tw.read_votes(path)), str(path), *words)


def test_a_line_that_was_cut_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, CHOICES)
    path.write_bytes(path.read_bytes()[:-30])
    assert_says(message_of(tw.InvalidFileError, lambda: tw.read_votes(path)), "line 6", "whole to its end")


def test_spans_that_come_with_a_label_are_no_obstacle(tmp_path: Path) -> None:
    rows = [example(1, label="SPAM", spans=SPANS), example(2, "reject", label="SPAM")]
    assert len(cells(tw.read_votes(written(tmp_path, rows)))) == 2
