"""Which returned values are classes, which abstain, and which are failures that say what must hold."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import pandas as pd
import pytest

from thumbwise import InvalidVotesError
from thumbwise.rules.labeling_functions import FailedRuleWarning, apply_rules, rule


class Number(enum.IntEnum):
    ham = 0
    spam = 1


class Word(str, enum.Enum):  # noqa: UP042  # the older form, whose str() is not its value
    ham = "ham"
    spam = "spam"


def votes_for(values: list[Any], class_names: Any = None) -> list[int]:
    """Votes of a rule that returns the items themselves."""
    applied = apply_rules(values, [rule(name="same")(lambda value: value)], class_names=class_names)
    return list(applied.votes.array[:, 0].tolist())


@pytest.mark.parametrize(
    ("values", "class_names", "expected"),
    [
        ([0, 1, None, -1], None, [0, 1, -1, -1]),
        ([3, 0], None, [3, 0]),
        (["b", "a", None, -1], None, [1, 0, -1, -1]),
        (["b", "a", None, -1], ["b", "a"], [0, 1, -1, -1]),
        ([1, "ham", "spam"], ["ham", "spam"], [1, 0, 1]),
        ([5, 2], [2, 5], [1, 0]),
        ([np.int8(1), np.int64(-1), np.uint8(0)], None, [1, -1, 0]),
        ([np.str_("b"), "a"], None, [1, 0]),
        ([Number.spam, Number.ham, 1], None, [1, 0, 1]),
        ([Word.spam, "ham"], None, [1, 0]),
        ([True, False, None, np.True_], [False, True], [1, 0, -1, 1]),
        ([0.5, 1.5], [0.5, 1.5], [0, 1]),
        ([("a", 1), ("b", 2)], [("a", 1), ("b", 2)], [0, 1]),
        (["none", "", "x"], ["none", "", "x"], [0, 1, 2]),
    ],
)
def test_classes_and_abstentions(values: list[Any], class_names: Any, expected: list[int]) -> None:
    assert votes_for(values, class_names) == expected


class Unwritable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


WRONG = [float("nan"), np.nan, pd.NA, pd.NaT, 1.0, 0.3, True, np.False_, -2, 10**30, [1], {"a": 1}, np.array([1, 0])]
WRONG += [b"ham", ("ham", [1]), Unwritable(), 2 + 0j, -1.0]


@pytest.mark.parametrize("class_names", [None, ["ham", "spam"]])
@pytest.mark.parametrize("wrong", WRONG, ids=lambda value: type(value).__name__)
def test_wrong_values_are_failures_and_not_abstentions(wrong: Any, class_names: Any) -> None:
    values = [0, wrong, 1]
    with pytest.warns(FailedRuleWarning, match="1 of 3 calls"):
        applied = apply_rules(values, [rule(name="same")(lambda value: value)], class_names=class_names)
    assert applied.failed[:, 0].tolist() == [False, True, False]
    assert applied.votes.array[:, 0].tolist() == [0, -1, 1]
    (failure,) = applied.failures
    assert (failure.position, failure.exception) == (1, "InvalidVotesError")
    assert "None or -1 to abstain" in failure.message
    (counts,) = applied.counts
    assert (counts.n_votes, counts.n_abstentions, counts.n_failures) == (2, 0, 1)


@pytest.mark.parametrize("mark", ["", "abstain", " None", "NaN", "-1", 10_000])
def test_what_looks_like_an_abstention_must_be_declared(mark: Any) -> None:
    others = [0, 1] if isinstance(mark, int) else ["ham", "spam"]
    with pytest.warns(FailedRuleWarning):
        applied = apply_rules([*others, mark], [rule(name="same")(lambda value: value)])
    assert applied.n_failures == 1
    assert "class_names" in applied.failures[0].message


def test_numbers_are_no_positions_where_classes_are_named_by_numbers() -> None:
    with pytest.warns(FailedRuleWarning):
        applied = apply_rules([2, 5, 1], [rule(name="same")(lambda value: value)], class_names=[2, 5])
    assert applied.failed[:, 0].tolist() == [False, False, True]


def test_an_undeclared_class_is_a_failure_that_names_the_classes() -> None:
    with pytest.warns(FailedRuleWarning):
        applied = apply_rules(["ham", "eggs"], [rule(name="same")(lambda v: v)], class_names=["ham", "spam"])
    assert "'ham', 'spam'" in applied.failures[0].message
    assert "found 'eggs'" in applied.failures[0].message


@pytest.mark.parametrize(
    ("values", "class_names", "said"),
    [
        ([0, None, 1, "spam"], None, "'same' returned 0 for item 0, and rule 'same' returned 'spam' for item 3"),
        ([None], None, "at least two classes; the rules returned none"),
        (["ham", "ham"], None, "the rules returned 'ham'"),
        ([0], None, "class_names"),
        ([0], ["ham", "ham"], "unique"),
        ([0], ["ham"], "at least two"),
        ([0], [-1, 1], "must not hold -1"),
        ([0], [None, "a"], "missing"),
        ([f"text {i}" for i in range(10_002)], None, "more than 10,000"),
    ],
)
def test_classes_that_cannot_be_settled(values: list[Any], class_names: Any, said: str) -> None:
    with pytest.raises(InvalidVotesError, match=said):
        votes_for(values, class_names)


def test_if_all_failed_the_error_says_why() -> None:
    with pytest.raises(InvalidVotesError, match="ZeroDivisionError"):
        apply_rules([1, 2], [rule(name="bad")(lambda value: value // 0)])
