"""Strata of which only the sizes are known: the bounds are those of two sums over strata, and hold as often as said.

Kills, tried once: the whole error in both sums; the wrong ones counted among all gold items; sizes of strata exchanged.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import thumbwise as tw
from errors.messages import assert_says, message_of
from support.problems import item_moments
from thumbwise.box.gold import GoldSample
from thumbwise.numerics.intervals import stratified_bounds

SIZES = {"a": 60, "b": 90, "c": 30}
STRATA = np.repeat(list(SIZES), list(SIZES.values()))
N_DRAWN = {"a": 20, "b": 12, "c": 15}


def problem(seed: int) -> tuple[tw.Votes, np.ndarray, np.ndarray]:
    """Votes of rules that abstain, truth that differs by stratum, and a draw within each."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(len(STRATA)) < np.select([STRATA == "a", STRATA == "b"], [0.8, 0.3], 0.5)).astype(int)
    said = np.where(rng.random((len(STRATA), 2)) < 0.8, truth[:, None], 1 - truth[:, None])
    said[rng.random(said.shape) < 0.4] = -1
    drawn = [rng.choice(np.flatnonzero(name == STRATA), n, replace=False) for name, n in N_DRAWN.items()]
    return tw.Votes(said, n_classes=2), truth, rng.permutation(np.concatenate(drawn))


def design(gold: np.ndarray) -> tw.designs.Stratified:
    return tw.designs.Stratified("subset", strata=STRATA[gold], sizes=SIZES)


def test_boxes_hold_as_often_as_they_say() -> None:
    """False alarm one in a million."""
    misses, n_trials, level = 0, 120, 0.6
    for seed in range(n_trials):
        votes, truth, gold = problem(seed)
        box = tw.Box.from_gold(
            votes.take(gold), truth[gold], pool=votes, gold_is=design(gold), confidence_level=level, opinions=()
        )
        misses += not box.contains(item_moments(votes, np.eye(2)[truth]))
    assert misses <= binom.ppf(1 - 1e-6, n_trials, 1 - level)


def test_the_bounds_are_those_of_two_sums_over_strata() -> None:
    """Counted item by item: right ones, and those that a rule votes on and is wrong about, half of the error each."""
    votes, truth, gold = problem(0)
    sample = GoldSample(votes.take(gold), truth[gold], votes, design(gold).in_item_order(votes.take(gold)))
    errors = np.full((2, len(sample.pooled)), 0.01)
    lower, upper = sample.design.intervals(sample, errors)
    drawn, sizes = (np.array([[one[name]] for name in SIZES]) for one in (N_DRAWN, SIZES))

    def bounds(counted: np.ndarray, error: float) -> tuple[int, int]:
        of_each = np.array([[int((counted & (name == STRATA))[gold].sum())] for name in SIZES])
        few, many = stratified_bounds(of_each, drawn, sizes, np.array([error]))
        return int(few[0]), int(many[0])

    for rule in range(2):
        said = votes.array[:, rule]
        voting = int((said >= 0).sum())
        right, wrong = bounds(said == truth, 0.01), bounds((said >= 0) & (said != truth), 0.01)
        assert lower[rule] == max(right[0], voting - wrong[1]) / voting
        assert upper[rule] == min(right[1], voting - wrong[0]) / voting
    for class_ in range(2):
        few, many = bounds(truth == class_, 0.02)
        assert (lower[2 + class_], upper[2 + class_]) == (few / len(STRATA), many / len(STRATA))


def test_the_share_of_a_class_is_that_of_the_same_strata_in_the_votes() -> None:
    votes, truth, gold = problem(3)
    grouped = tw.Votes(votes.array, n_classes=2, item_groups=STRATA)
    known = tw.Gold(grouped.take(gold), truth[gold], tw.designs.Stratified("subset"))
    by_size = tw.Gold(votes.take(gold), truth[gold], design(gold))
    one, other = tw.rate(grouped, known, of=1), tw.rate(votes, by_size, of=1)
    assert (one.lower, one.upper) == (other.lower, other.upper)
    assert one.estimate == pytest.approx(other.estimate)
    weights = np.array([SIZES[name] / N_DRAWN[name] for name in STRATA[gold]])
    assert other.estimate == pytest.approx(np.average(truth[gold], weights=weights))


def test_items_without_a_label_are_left_out_with_their_strata() -> None:
    votes, truth, gold = problem(4)
    labels = np.where(np.arange(len(gold)) % 7 == 0, -1, truth[gold])
    kept = labels >= 0
    boxes = [
        tw.Box.from_gold(votes.take(rows), said, pool=votes, gold_is=design(rows), opinions=())
        for rows, said in ((gold, labels), (gold[kept], labels[kept]))
    ]
    assert boxes[0].lower.tolist() == boxes[1].lower.tolist()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sizes": None}, ["go with the groups of the gold items"]),
        ({"strata": None}, ["go with the groups of the gold items"]),
        ({"gold_is": "separate"}, ["part of the pool"]),
        ({"sizes": {"a": 60, "b": 90}}, ["'c' is none"]),
        ({"sizes": {**SIZES, "d": 5}}, ["add up to 185 items, and the pool has 180"]),
        ({"sizes": {"a": 60, "b": 110, "c": 10}}, ["'c' has 10 items"]),
    ],
)
def test_strata_that_do_not_fit_are_refused(change: dict[str, object], words: list[str]) -> None:
    votes, truth, gold = problem(5)
    given: dict[str, Any] = {"gold_is": "subset", "strata": STRATA[gold], "sizes": SIZES, **change}
    drawn = tw.designs.Stratified(**given)
    assert_says(
        message_of(
            tw.ThumbwiseError, lambda: tw.Box.from_gold(votes.take(gold), truth[gold], pool=votes, gold_is=drawn)
        ),
        *words,
    )
