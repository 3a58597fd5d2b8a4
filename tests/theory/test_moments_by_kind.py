"""Moments are found by what they are about; neither their order nor their names matter."""

from __future__ import annotations

import numpy as np
import pytest

import thumbwise as tw
from support.problems import make_votes
from thumbwise.box.moments.linear import About, MomentBuilder, find_accuracies, find_frequencies
from thumbwise.box.moments.of_classes import class_frequencies
from thumbwise.box.moments.of_rules import accuracies, class_accuracies, confusion_cells
from thumbwise.game.pinning import frequency_bounds


def problem(rule_names: tuple[str, ...] = ("a", "b", "c")) -> tuple[tw.Votes, np.ndarray]:
    labels, array = make_votes(np.random.default_rng(4), 300, len(rule_names), 2)
    return tw.Votes(array, class_names=["ham", "spam"], rule_names=rule_names), labels


def box_of(votes: tw.Votes, labels: np.ndarray, moments: tuple[MomentBuilder, ...]) -> tw.Box:
    return tw.Box.from_gold(votes.take(range(100)), labels[:100], pool=votes, gold_is="subset", moments=moments)


def test_the_order_of_moments_changes_no_interval_and_no_bound() -> None:
    votes, labels = problem()
    first, second = (
        box_of(votes, labels, moments) for moments in ((accuracies, class_frequencies), (class_frequencies, accuracies))
    )
    of_rules = [find_accuracies(box.about, votes.rule_names) for box in (first, second)]
    of_classes = [find_frequencies(box.about, votes.class_names) for box in (first, second)]
    for places in (of_rules, of_classes):
        np.testing.assert_array_equal(first.lower[places[0]], second.lower[places[1]])
        np.testing.assert_array_equal(first.upper[places[0]], second.upper[places[1]])
    bounds = [tw.BalsubramaniFreund().fit(votes, box=box).certificate_.log_loss_bound for box in (first, second)]
    assert bounds[0] == pytest.approx(bounds[1], abs=1e-9)


def test_a_rule_is_left_out_by_what_moments_are_about_and_not_by_their_names() -> None:
    """Rules whose names look like moments of each other: ``a`` and ``a: ham``."""
    votes, labels = problem(("a", "a: ham", "b"))
    box = box_of(votes, labels, (accuracies, class_accuracies, confusion_cells, class_frequencies))
    left = box.without_rules("a")
    is_open = (left.lower == 0) & (left.upper == 1)
    for m, moment in enumerate(box.about):
        if moment.rule == "a":
            assert is_open[m], moment
        else:
            assert (left.lower[m], left.upper[m]) == (box.lower[m], box.upper[m]), moment


def test_what_is_not_there_has_no_place() -> None:
    about = (About("x", "x", "linear"), About("frequency(ham in A)", "ham in A", "group frequency", class_name="ham"))
    assert find_accuracies(about, ["x"]).tolist() == [-1]
    assert find_frequencies(about, ["ham"]).tolist() == [-1]


def test_a_box_that_says_nothing_of_class_frequencies_leaves_them_to_gold_alone() -> None:
    votes, labels = problem()
    box = box_of(votes, labels, (accuracies,))
    assert box.class_bounds is not None
    lower, upper = frequency_bounds(box, votes)
    np.testing.assert_array_equal((lower, upper), box.class_bounds)
    assert (upper > 0).all()
    assert box.places("frequency", votes.class_names) == [None, None]
