"""Bad gold: labels of other classes, of other items, of none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from thumbwise import (
    BalsubramaniFreund,
    Box,
    InvalidBoxError,
    InvalidLabelsError,
    MajorityVote,
    ThumbwiseError,
    Votes,
)

from .messages import assert_says, message_of

ARRAY = np.array([[0, 1], [1, 1], [0, -1], [1, 0], [0, 0], [1, 1]])
NUMBERS = Votes(ARRAY)
NAMED = Votes(ARRAY, class_names=["ham", "spam"], item_ids=list("abcdef"))


def refused(labels: Any, votes: Votes = NUMBERS) -> str:
    return message_of(InvalidLabelsError, lambda: BalsubramaniFreund().fit(votes, labels))


def test_numbers_out_of_range() -> None:
    assert_says(refused([0, 1, -1, 2, 2, 0]), "found 2", "position 3", "(2 such labels)", "subtract 1")
    assert_says(refused([0, 1, -1, -7, 1, 0]), "found -7", "position 3", "(1 such labels)")
    assert_says(refused([0, 1, 0.5, 1, 1, 0]), "found 0.5", "position 2", "(1 such labels)")


def test_strings_against_numbers_and_the_other_way_round() -> None:
    assert_says(refused(["0", "1", "0", "1", "0", "1"]), "found '0'", "position 0", "(6 such labels)", "class_names")
    assert_says(
        refused(["ham", "spam", None, "eggs", None, "ham"], NAMED), "'eggs'", "position 3", "(1 such", "'ham', 'spam'"
    )
    assert_says(refused([0, 1, 2, -1, -1, -1], NAMED), "found 2", "position 2", "'ham', 'spam'")


@pytest.mark.parametrize("y", [[0, 1], np.zeros((6, 2)), [[0], [1]], 0, np.zeros((6, 1, 1))])
def test_wrong_number_of_labels(y: Any) -> None:
    assert_says(refused(y), "one label per item", "6 items", str(np.shape(y)))


@pytest.mark.parametrize("y", [[-1] * 6, [None] * 6, [np.nan] * 6, pl.Series([None] * 6), pd.Series([pd.NA] * 6)])
def test_no_label_known(y: Any) -> None:
    assert_says(refused(y), "at least one gold label")


@pytest.mark.parametrize("largest", [10**15, np.inf, 1e300])
def test_labels_that_are_really_ids(largest: float) -> None:
    """A column of ids taken for labels is refused; with an array of votes, it does not make 10^15 classes."""
    y = [0, 1, -1, -1, -1, largest]
    assert_says(refused(y), "position 5", "(1 such labels)")
    assert message_of(ThumbwiseError, lambda: BalsubramaniFreund().fit(ARRAY, y))
    assert message_of(ThumbwiseError, lambda: MajorityVote().fit(ARRAY, y))


@pytest.mark.filterwarnings("ignore:A column-vector y:sklearn.exceptions.DataConversionWarning")
@pytest.mark.parametrize("y", [np.array([0, 1, 0, -1, -1, 1], dtype=np.int8), np.array([0, 1, 0, np.nan, np.nan, 1])])
@pytest.mark.parametrize("wrap", [lambda y: y, lambda y: y.tolist(), pd.Series, pl.Series, lambda y: y.reshape(-1, 1)])
def test_labels_in_every_container(y: Any, wrap: Any) -> None:
    box = BalsubramaniFreund().fit(NUMBERS, wrap(y)).box_
    assert box.gold_drawn is not None
    assert box.gold_drawn.tolist() == [4, 3, 4, 4]
    assert box.gold_right is not None
    assert box.gold_right.tolist() == [4, 2, 2, 2]


def test_unsigned_labels() -> None:
    y = np.array([0, 1, 0, 1, 0, 1], dtype=np.uint8)
    assert BalsubramaniFreund().fit(NUMBERS, y).score(NUMBERS, y) == 1


def test_gold_ids_that_are_not_among_the_items() -> None:
    gold = Votes(ARRAY[:3], class_names=["ham", "spam"], item_ids=["a", "x", "y"])
    said = message_of(InvalidLabelsError, lambda: Box.from_gold(gold, [0, 1, 0], pool=NAMED, gold_is="subset"))
    assert_says(said, "'x'", "2 of 3", 'gold_is="separate"')


def test_gold_ids_that_are_among_the_items_although_gold_is_separate() -> None:
    gold = Votes(ARRAY[:3], class_names=["ham", "spam"], item_ids=["a", "x", "b"])
    said = message_of(InvalidLabelsError, lambda: Box.from_gold(gold, [0, 1, 0], pool=NAMED, gold_is="separate"))
    assert_says(said, "'a'", "2 of 3", 'gold_is="subset"')


def test_more_gold_than_pool() -> None:
    said = message_of(
        InvalidLabelsError,
        lambda: Box.from_gold(NUMBERS, [0, 1, 0, 1, 0, 1], pool=NUMBERS.take([0, 1]), gold_is="subset"),
    )
    assert_says(said, "6 gold items", "2 items of the pool", 'gold_is="separate"')


def test_gold_of_other_rules_or_classes() -> None:
    for other in (NUMBERS.with_rules([0]), Votes(ARRAY, rule_names=["a", "b"]), Votes(ARRAY, n_classes=3), NAMED):
        said = message_of(InvalidLabelsError, lambda other=other: Box.from_gold(other, [0] * 6, pool=NUMBERS))  # type: ignore[misc]
        assert_says(said, "same rules and classes", "rule_names")


@pytest.mark.parametrize("gold_is", ["subset", "separate"])
def test_gold_on_which_no_rule_votes_says_nothing_about_rules(gold_is: Any) -> None:
    pool = Votes(np.vstack([ARRAY, np.full((4, 2), -1)]))
    silent = pool.take([6, 7, 8, 9])
    box = Box.from_gold(silent, [0, 1, 1, 1], pool=pool, gold_is=gold_is)
    assert box.lower[:2].tolist() == [0, 0]
    assert box.upper[:2].tolist() == [1, 1]
    assert (box.upper[2:] < 1).any() or gold_is == "separate"
    assert np.isfinite(BalsubramaniFreund().fit(pool, box=box).predict_proba(pool)).all()


@pytest.mark.parametrize("level", [0, 1, -0.5, 1.5, 95, np.nan])
def test_confidence_level_outside_0_and_1(level: float) -> None:
    for action in (
        lambda: Box.from_gold(NUMBERS, [0] * 6, pool=NUMBERS, confidence_level=level),
        lambda: BalsubramaniFreund(confidence_level=level).fit(NUMBERS, [0, 1, -1, -1, -1, -1]),
    ):
        assert_says(message_of(InvalidBoxError, action), "confidence_level", f"found {level}", "0.95")


@pytest.mark.parametrize(("option", "value"), [("gold_is", "part"), ("interval", "wald")])
def test_unknown_choices(option: str, value: str) -> None:
    choices: dict[str, Any] = {option: value}
    said = message_of(InvalidBoxError, lambda: Box.from_gold(NUMBERS, [0] * 6, pool=NUMBERS, **choices))
    assert_says(said, f"{option} must be one of", f"found {value!r}")


def test_unknown_choice_of_the_model() -> None:
    model = BalsubramaniFreund().set_params(on_infeasible="ignore")
    assert "'ignore'" in message_of(ValueError, lambda: model.fit(NUMBERS, [0] * 6))


def test_truth_with_gaps_or_broken_probabilities() -> None:
    assert_says(
        message_of(InvalidLabelsError, lambda: Box.exact(NUMBERS, [0, 1, -1, 1, -1, 0])),
        "position 2",
        "2 such items",
        "from_gold",
    )
    soft = np.full((6, 2), 0.5)
    soft[4] = [0.7, 0.7]
    assert_says(message_of(InvalidLabelsError, lambda: Box.exact(NUMBERS, soft)), "row 4", "[0.7, 0.7]", "1 such")
