"""Bad intervals: crossed, outside [0, 1], unknown, ambiguous, of other votes."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from thumbwise import BalsubramaniFreund, Box, InvalidBoxError, InvalidLabelsError, Votes

from .messages import assert_says, message_of

VOTES = Votes([[0, 1], [1, 1], [0, -1], [1, 0]], rule_names=["short", "loud"], class_names=["ham", "spam"])


def refused(*args: Any, votes: Votes = VOTES, **options: Any) -> str:
    return message_of(InvalidBoxError, lambda: Box.from_bounds(votes, *args, **options))


def test_lower_above_upper() -> None:
    said = refused(lower=[0.5, 0.9, 0.2, 0.6], upper=[0.6, 0.8, 0.9, 0.5])
    assert_says(said, "lower <= upper", "[0.9, 0.8]", "accuracy(loud)", "(2 such intervals)", "Exchange")


@pytest.mark.parametrize(
    ("pair", "shown"), [((-0.1, 0.5), "[-0.1, 0.5]"), ((0.5, 1.2), "[0.5, 1.2]"), ((70, 80), "[70, 80]")]
)
def test_intervals_outside_0_and_1(pair: tuple[float, float], shown: str) -> None:
    assert_says(
        refused({"loud": pair}), "between 0 and 1", shown, "accuracy(loud)", "(1 such intervals)", "80 % is 0.8"
    )


@pytest.mark.parametrize("pair", [(np.nan, 0.5), (0.5, np.nan), (0.5, np.inf), (None, 0.5)])
def test_bounds_that_are_no_numbers(pair: tuple[Any, Any]) -> None:
    assert_says(refused({"spam": pair}), "finite", "frequency(spam)", "(1 such intervals)")


@pytest.mark.parametrize(
    "options", [{"lower": {"loud": "high"}}, {"lower": ["a", "b", "c", "d"]}, {"upper": {"spam": "0,5"}}]
)
def test_bounds_that_are_strings(options: dict[str, Any]) -> None:
    assert_says(refused(**options), "number")


@pytest.mark.parametrize("lower", [[0.5], [0.5] * 3, [0.5] * 5, [[0.5] * 4], 0.5])
def test_wrong_number_of_bounds(lower: Any) -> None:
    assert_says(refused(lower=lower), "lower", "4 in all", str(np.shape(lower)), "mapping")


def test_unknown_names() -> None:
    assert_says(refused({"horoscope": (0.5, 1)}), "'horoscope'", "accuracy(short)")
    assert_says(refused(lower={"accuracy(horoscope)": 0.5}), "'accuracy(horoscope)'")
    assert_says(refused(pl.DataFrame({"name": ["eggs"], "lower": [0.1], "upper": [0.2]})), "'eggs'", "frequency(spam)")


def test_ambiguous_names() -> None:
    votes = Votes(VOTES.array, rule_names=["spam", "loud"], class_names=["ham", "spam"])
    assert_says(refused({"spam": (0.5, 1)}, votes=votes), "'spam'", "accuracy(spam)", "frequency(spam)")
    box = Box.from_bounds(votes, {"accuracy(spam)": (0.5, 1), "frequency(spam)": (0, 0.3)})
    assert box.lower.tolist() == [0.5, 0, 0, 0]
    assert box.upper.tolist() == [1, 1, 1, 0.3]


def test_one_moment_named_twice_is_not_settled_silently() -> None:
    assert_says(refused({"loud": (0.5, 0.6), "accuracy(loud)": (0.7, 0.8)}), "accuracy(loud)")
    assert_says(refused(pl.DataFrame({"name": ["loud", "loud"], "lower": [0.5, 0.7], "upper": [0.6, 0.8]})), "loud")


@pytest.mark.parametrize("bounds", [{"loud": 0.5}, {"loud": (0.1, 0.2, 0.3)}, {"loud": ()}])
def test_bounds_that_are_no_pairs(bounds: Any) -> None:
    assert_says(refused(bounds), "pair (lower, upper)", "'loud'")


def test_bounds_of_the_wrong_kind() -> None:
    assert_says(refused(pl.DataFrame({"rule": ["loud"], "low": [0.5]})), "columns name, lower and upper")
    assert_says(refused([0.5, 0.6]), "map names")
    assert_says(refused({"loud": (0.5, 1)}, lower=[0.0] * 4), "not both")


def test_a_box_made_by_hand_is_checked_too() -> None:
    box = Box.from_bounds(VOTES)
    assert_says(
        message_of(InvalidBoxError, lambda: Box(box.about, box.upper, box.lower, box.evidence)),
        "lower <= upper",
    )


def test_labels_and_box_or_neither() -> None:
    box = Box.from_bounds(VOTES, {"loud": (0.5, 1)})
    both = message_of(InvalidLabelsError, lambda: BalsubramaniFreund().fit(VOTES, [0, 1, 0, 1], box=box))
    assert_says(both, "either labels", "box", "both", "Drop y")
    assert_says(
        message_of(InvalidLabelsError, lambda: BalsubramaniFreund().fit(VOTES)), "either labels", "box", "neither"
    )


def test_a_box_from_gold_is_for_the_items_it_was_made_for() -> None:
    box = Box.from_gold(VOTES.take([0, 1]), [0, 1], pool=VOTES, gold_is="subset")
    other = VOTES.take([0, 1, 2])
    said = message_of(InvalidBoxError, lambda: BalsubramaniFreund().fit(other, box=box))
    assert_says(said, "these items", "other votes", "Box.from_bounds(votes, lower=box.lower, upper=box.upper)")
    BalsubramaniFreund().fit(other, box=Box.from_bounds(other, lower=box.lower, upper=box.upper))
    BalsubramaniFreund().fit(VOTES.take([3, 2, 1, 0]), box=box)


def test_the_same_patterns_in_other_numbers_are_other_items() -> None:
    box = Box.exact(VOTES, [0, 1, 0, 1])
    assert_says(
        message_of(InvalidBoxError, lambda: BalsubramaniFreund().fit(VOTES.take([0, 1, 2, 3, 3]), box=box)),
        "other votes",
    )


@pytest.mark.parametrize("make", [Box.from_bounds, lambda votes: Box.exact(votes, [0, 1, 0, 1])])
def test_a_box_of_other_rules_or_classes(make: Any) -> None:
    for other in (
        VOTES.with_rules([0]),
        VOTES.with_rules([1, 0]),
        Votes(VOTES.array, rule_names=["short", "money"], class_names=["ham", "spam"]),
        Votes(VOTES.array, rule_names=["short", "loud"], class_names=["spam", "ham"]),
    ):
        said = message_of(InvalidBoxError, lambda other=other: BalsubramaniFreund().fit(other, box=make(VOTES)))  # type: ignore[misc]
        assert_says(said, "the box must")
