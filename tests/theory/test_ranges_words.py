"""What a range says, and what it refuses."""

from __future__ import annotations

import pickle
import re
import warnings
from collections.abc import Callable

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import thumbwise as tw
from errors.messages import assert_says, message_of
from thumbwise.game.ranges import _warn_if_loose, add_rule, certify, prediction_costs, share_range

VOTES = tw.Votes([[0, 0], [1, 1], [1, 0], [1, -1]], rule_names=["a", "b"], class_names=["ham", "spam"])
BOX = tw.Box.from_bounds(VOTES, {"a": (0.75, 1)})
HALVES = np.full((4, 2), 0.5)


def test_a_guarantee_names_level_and_assumption_and_rounds_outward() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=300)
    votes = tw.Votes(np.where(rng.random((300, 2)) < 0.9, truth[:, None], 1 - truth[:, None]), n_classes=2)
    box = tw.Box.from_gold(votes.take(range(100)), truth[:100], pool=votes, gold_is="subset")
    found = certify(votes.array[:, 0], votes, box)
    said = str(found)
    assert_says(said, "With 95 % confidence the accuracy of these predictions on these 300 items lies between ")
    assert_says(said, "if the 100 gold items are a random sample of all 300 items.")
    low, high = (float(word) for word in re.findall(r"\d\.\d{3}", said))
    assert found.lower - 0.001 < low <= found.lower
    assert found.upper <= high < found.upper + 0.001


def test_a_recipe_without_guarantee_says_so() -> None:
    box = tw.Box.from_gold(VOTES, [0, 1, 1, 1], pool=VOTES, interval="wilson", joint=False)
    assert str(certify(HALVES, VOTES, box)).startswith("No guarantee: the intervals are approximate")


def test_a_box_that_excludes_nothing_proves_nothing() -> None:
    assert str(certify(["ham"] * 4, VOTES, tw.Box.from_bounds(VOTES))).startswith("This proves nothing")


def test_a_difference_says_what_is_taken_from_what() -> None:
    said = str(certify(["ham", "spam", "spam", "spam"], VOTES, BOX, versus=["spam", "ham", "ham", "ham"]))
    assert_says(said, "minus that of the others on these 4 items lies between 0.500 and 1.000, if")


def test_a_share_names_its_class() -> None:
    said = str(share_range(VOTES, BOX, group=[1, 2, 3], of="spam"))
    assert_says(said, "The share of class spam among the 3 items of the group lies between 0.666 and 1.000")


BAD: dict[str, tuple[type[Exception], Callable[[], object], list[str]]] = {
    "rows that do not sum to 1": (
        tw.InvalidLabelsError,
        lambda: certify([[0.5, 0.5], [0.5, 0.6], [1, 0], [2, -1]], VOTES, BOX),
        ["sum to 1", "row 1 is [0.5, 0.6]", "sum 1.1", "2 such rows"],
    ),
    "not a number": (tw.InvalidLabelsError, lambda: certify(HALVES * np.nan, VOTES, BOX), ["row 0", "4 such rows"]),
    "text for probabilities": (
        tw.InvalidLabelsError,
        lambda: certify([["x", "y"]] * 4, VOTES, BOX),
        ["numbers", "'x'"],
    ),
    "too few rows": (tw.InvalidLabelsError, lambda: certify(HALVES[:3], VOTES, BOX), ["(4, 2)", "(3, 2)"]),
    "too few labels": (tw.InvalidLabelsError, lambda: certify(["ham"], VOTES, BOX), ["one label per item", "(1,)"]),
    "too many classes": (tw.InvalidLabelsError, lambda: certify(np.ones((4, 3)) / 3, VOTES, BOX), ["(4, 2)", "(4, 3)"]),
    "unknown class": (
        tw.InvalidLabelsError,
        lambda: certify(["ham", "eggs", "ham", "eggs"], VOTES, BOX),
        ["'ham', 'spam'", "'eggs'", "position 1", "2 such"],
    ),
    "missing prediction": (
        tw.InvalidLabelsError,
        lambda: certify(["ham", None, "ham", None], VOTES, BOX),
        ["prediction for every item", "position 1", "2 such"],
    ),
    "log loss of labels": (
        tw.InvalidLabelsError,
        lambda: certify(["ham"] * 4, VOTES, BOX, metric="log_loss"),
        ["log loss needs class probabilities", "(4, 2)"],
    ),
    "a zero that is not clipped": (
        tw.InvalidLabelsError,
        lambda: certify(np.eye(2)[[0, 1, 1, 0]], VOTES, BOX, metric="log_loss", clip=0),
        ["infinite", "4 rows", "positive clip"],
    ),
    "strange clip": (ValueError, lambda: certify(HALVES, VOTES, BOX, metric="log_loss", clip=0.7), ["clip", "0.7"]),
    "unknown metric": (
        ValueError,
        lambda: certify(HALVES, VOTES, BOX, metric="f1"),  # type: ignore[arg-type]
        ["'accuracy', 'log_loss', 'brier'", "'f1'"],
    ),
    "empty group": (
        tw.InvalidLabelsError,
        lambda: share_range(VOTES, BOX, group=np.zeros(4, dtype=bool), of="ham"),
        ["at least one item"],
    ),
    "group of another length": (
        tw.InvalidLabelsError,
        lambda: share_range(VOTES, BOX, group=[True], of="ham"),
        ["one per item, 4", "(1,)"],
    ),
    "unknown positions": (
        tw.InvalidLabelsError,
        lambda: share_range(VOTES, BOX, group=[0, 4, 9], of="ham"),
        ["positions", "2 of 3", "4"],
    ),
    "share of an unknown class": (
        tw.InvalidLabelsError,
        lambda: share_range(VOTES, BOX, group=[0], of="eggs"),
        ["'eggs'"],
    ),
    "box of other items": (
        tw.InvalidBoxError,
        lambda: certify(HALVES, VOTES, tw.Box.exact(add_rule(VOTES, HALVES), [0, 1, 1, 1])),
        ["made for these items", "added to both"],
    ),
    "name that is taken": (tw.InvalidVotesError, lambda: add_rule(VOTES, HALVES, "a"), ["'a' is taken"]),
    "level outside (0, 1)": (
        tw.InvalidBoxError,
        lambda: tw.Box.from_gold(VOTES, [0, 1, 1, 1], pool=VOTES, confidence_level=95),
        ["between 0 and 1", "95"],
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_with_a_clear_message(case: str) -> None:
    kind, action, parts = BAD[case]
    assert_says(message_of(kind, action), *parts)


def test_an_infeasible_box_is_refused_as_in_fit() -> None:
    votes = tw.Votes([[0, 1], [1, 0]] * 10, rule_names=["yes", "no"])
    box = tw.Box.from_bounds(votes, {"yes": (0.8, 1), "no": (0.8, 1)})
    with pytest.raises(tw.InfeasibleBoxError) as here:
        certify(np.full((20, 2), 0.5), votes, box)
    with pytest.raises(tw.InfeasibleBoxError) as there:
        tw.BalsubramaniFreund().fit(votes, box=box)
    assert set(here.value.conflicting) == set(there.value.conflicting) == {"accuracy(yes)", "accuracy(no)"}
    assert here.value.widening_amount == pytest.approx(0.3)
    assert here.value.dual_value < 0
    assert "on_infeasible" in str(there.value)
    assert "on_infeasible" not in str(here.value)  # certify has no such argument
    assert str(pickle.loads(pickle.dumps(here.value))) == str(here.value)


@pytest.mark.parametrize(
    ("gap", "spread", "words"),
    [
        (2e-6, 1.0, "solved only to 2.0e-06"),
        (0.5e-6, 1.0, None),
        (0.5e-6, 0.1, None),  # small costs are judged by 1, not by their own spread
        (2e-6, 10.0, None),
        (2e-5, 10.0, "solved only to 2.0e-05"),
        (np.inf, 1.0, "without finding a labeling in the box"),
    ],
)
def test_a_range_that_may_be_loose_warns_beyond_a_millionth_of_the_spread(
    gap: float, spread: float, words: str | None
) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _warn_if_loose(gap, spread)
    assert [str(warning.message).count(words or "") for warning in caught] == ([] if words is None else [1])
    assert all(warning.category is ConvergenceWarning for warning in caught)


def test_labels_by_name_number_and_frame_are_the_same() -> None:
    pandas = pytest.importorskip("pandas")
    expected = prediction_costs(["ham", "spam", "spam", "ham"], VOTES, "brier")
    for given in ([0, 1, 1, 0], np.eye(2)[[0, 1, 1, 0]], pandas.Series(["ham", "spam", "spam", "ham"])):
        np.testing.assert_array_equal(prediction_costs(given, VOTES, "brier"), expected)
