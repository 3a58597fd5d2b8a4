"""Gold labels that are dropped are counted, and a -1 is dropped only where it cannot be a class."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import thumbwise as tw

NUMBERS = pd.DataFrame({"id": range(8), "a": [0, 1, -1, 0, 1, 1, 0, -1], "b": [0, 1, 1, 0, -1, 1, 0, 0]})
NAMES = NUMBERS.assign(**{rule: NUMBERS[rule].map({0: "ham", 1: "spam"}) for rule in ("a", "b")})
ASKED = r"may be a class or mean unknown. .*codes=\{-1: NAME, 1: NAME, 0: None\}.*abstain='-1'"


@pytest.mark.parametrize(
    ("votes", "labels", "options"),
    [
        (NUMBERS, [0, 1, -1], {}),
        (NUMBERS, [0.0, 1.0, -1.0], {}),
        (NUMBERS, ["0", "1", "-1.0"], {}),
        (NUMBERS, [1, 1, -1], {"class_names": ["ham", "spam"]}),
        (NUMBERS, [1, 1, -1], {"class_names": [0, 1]}),
        (NAMES, ["ham", "spam", "-1"], {}),
        (NAMES, ["ham", "spam", -1], {"abstain": "?"}),
        (NAMES, [0, 1, -1], {"class_names": ["ham", "spam"]}),
    ],
)
def test_ids_and_labels_with_minus_one_are_asked_for(votes: pd.DataFrame, labels: list[Any], options: Any) -> None:
    table = pd.DataFrame({"id": [3, 1, 2], "label": labels})
    for gold in (table, dict(zip([3, 1, 2], labels, strict=True))):
        with pytest.raises(tw.InvalidLabelsError, match=rf"in row 2, counting from 0 \(1 of 3 labels\), which {ASKED}"):
            tw.read_votes(votes, gold=gold, **options)
    if "abstain" not in options:
        reading = tw.read_votes(votes, gold=table, **options, abstain="-1")
        assert reading.gold[2] == -1
        assert (reading.gold[[3, 1]] >= 0).all()
        assert "2 of 3 gold labels were used: 1 is -1" in reading.notes


def test_minus_one_that_is_a_class() -> None:
    signs = pd.DataFrame({"id": range(4), "a": [1, -1, np.nan, 1], "b": [1, -1, -1, np.nan]})
    gold = {0: 1, 1: -1, 2: -1}
    for options in ({"class_names": [-1, 1]}, {"class_names": ["-1", "1"]}, {"codes": {-1: "no", 1: "yes"}}):
        reading = tw.read_votes(signs, gold=gold, **options)
        assert reading.gold.tolist() == [1, 0, 0, -1]
        assert not any("were used" in note for note in reading.notes)
    squid = signs.fillna(0)
    reading = tw.read_votes(squid, gold=gold | {3: 0}, codes={-1: "no", 1: "yes", 0: None})
    assert reading.gold.tolist() == [1, 0, 0, -1]
    assert "3 of 4 gold labels were used: 1 is 0" in reading.notes


def test_one_label_per_item() -> None:
    labels = [0, 1, -1, 0, -1, -1, -1, -1]
    reading = tw.read_votes(NUMBERS, gold=labels)
    assert reading.gold.tolist() == labels
    assert "3 of 8 items have a gold label: 5 are -1" in reading.notes
    reading = tw.read_votes(NUMBERS.assign(y=labels), gold_column="y")
    assert reading.gold.tolist() == labels
    assert "3 of 8 items have a gold label: 5 are -1" in reading.notes
    reading = tw.read_votes(NUMBERS, gold=[0, 1, None, 0, None, np.nan, None, None])
    assert "3 of 8 items have a gold label: 5 are empty" in reading.notes


@pytest.mark.parametrize(
    "labels",
    [
        [1, 1, -1, 1, -1, -1, -1, -1],  # 1 and -1 alone
        [-1] * 8,
        [0, 1, -1, 0, None, None, None, None],  # -1 beside what is empty
    ],
)
def test_one_label_per_item_is_asked_for_if_minus_one_may_be_a_class(labels: list[Any]) -> None:
    with pytest.raises(tw.InvalidLabelsError, match=ASKED):
        tw.read_votes(NUMBERS, gold=labels)
    with pytest.raises(tw.InvalidLabelsError, match=rf"column 'y' holds -1 in item \d, counting from 0.*{ASKED}"):
        tw.read_votes(NUMBERS.assign(y=labels), gold_column="y")


def test_minus_one_among_names_is_asked_for() -> None:
    labels = ["ham", "spam", "-1", "ham", "-1", "-1", "-1", "-1"]
    with pytest.raises(tw.InvalidLabelsError, match=ASKED):
        tw.read_votes(NAMES, gold=labels)
    assert tw.read_votes(NAMES, gold=labels, abstain="-1").gold.tolist() == [0, 1, -1, 0, -1, -1, -1, -1]


def test_votes_with_two_marks_make_a_column_doubtful() -> None:
    votes = NUMBERS.astype({"a": float}).assign(y=[0, 1, -1, 0, -1, -1, -1, -1])
    votes.loc[0, "a"] = np.nan
    with pytest.raises(tw.InvalidLabelsError, match=ASKED):
        tw.read_votes(votes, gold_column="y")
    assert tw.read_votes(votes, gold_column="y", abstain="-1").gold.tolist() == [0, 1, -1, 0, -1, -1, -1, -1]


@pytest.mark.parametrize(
    ("votes", "gold"),
    [
        ([True, False, None], {0: "true", 1: "False"}),
        ([True, False, None], {0: True, 1: False}),
        (["true", "false", None], {0: True, 1: False}),
        (["False", "True", None], {1: True, 0: False}),
    ],
)
def test_truth_values_are_read_in_every_spelling(votes: list[Any], gold: dict[int, Any]) -> None:
    frame = pd.DataFrame({"id": range(3), "a": votes, "b": votes})
    reading = tw.read_votes(frame, gold=gold)
    assert reading.gold.tolist()[:2] == reading.votes.array[:2, 0].tolist()
