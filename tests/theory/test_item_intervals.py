"""Intervals of single predictions: equal to brute force and to another program, and they hold as often as is said."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom

import thumbwise as tw

_FIVE = [[0, 0], [0, 0], [1, 1], [1, 1], [1, 0]]


def _share_ends(array: np.ndarray, group: np.ndarray, bounds: list[tuple[float, float]]) -> tuple[float, float]:
    """Least and largest share of class 1 in a group, item by item, each rule right as often as bounds say."""
    right = np.where(array == 1, 1.0, -1.0)  # a rule is right with p if it says 1, with 1 - p if it says 0
    base = (array == 0).sum(axis=0)
    rows = np.vstack([right.T, -right.T])
    limits = [5 * high - b for (_, high), b in zip(bounds, base, strict=True)]
    limits += [b - 5 * low for (low, _), b in zip(bounds, base, strict=True)]
    gain = group / group.sum()
    ends = [float(linprog(sign * gain, rows, limits, bounds=(0, 1)).fun or 0.0) for sign in (1, -1)]
    return ends[0], -ends[1]


def test_a_program_over_single_items_gives_the_same_ends() -> None:
    votes, array = tw.Votes(_FIVE, rule_names=["a", "b"]), np.array(_FIVE)
    bounds = [(0.6, 0.8), (0.7, 1.0)]
    box = tw.Box.from_bounds(votes, dict(zip("ab", bounds, strict=True)))
    intervals = tw.BalsubramaniFreund().fit(votes, box=box).predict_interval(votes, by="pattern")
    for item, pattern in enumerate(votes.inverse):
        low, high = _share_ends(array, votes.inverse == pattern, bounds)
        assert intervals.lower[item, 1] == pytest.approx(low, abs=1e-7)
        assert intervals.upper[item, 1] == pytest.approx(high, abs=1e-7)
        assert intervals.lower[item, 0] == pytest.approx(1 - high, abs=1e-7)
        assert intervals.upper[item, 0] == pytest.approx(1 - low, abs=1e-7)
    assert intervals.lower[2, 1] > 0.2 and intervals.upper[0, 1] < 0.8  # the bounds matter


def _drawn(seed: int, n_items: int = 600, n_gold: int = 80) -> tuple[tw.Votes, np.ndarray, np.ndarray]:
    made = tw.datasets.make_one_coin(n_items, [0.9, 0.8, 0.75], class_frequencies=[0.3, 0.3, 0.4], random_state=seed)
    ids = [f"q{i}" for i in range(n_items)]
    votes = tw.Votes(made.votes.array, n_classes=3, item_ids=ids)
    labels = np.full(n_items, -1)
    gold = np.random.default_rng(seed).choice(n_items, n_gold, replace=False)
    labels[gold] = made.labels[gold]
    return votes, labels, np.asarray(made.labels)


@pytest.mark.parametrize("by", ["tier", "pattern"])
def test_the_ends_are_those_of_share_range_without_the_known_items(by: str) -> None:
    votes, labels, _ = _drawn(0)
    box = tw.Box.from_gold(votes.take(labels >= 0), labels[labels >= 0], pool=votes, gold_is="subset", n_permutations=0)
    intervals = tw.BalsubramaniFreund().fit(votes, box=box).predict_interval(votes, by=by)  # type: ignore[arg-type]
    n_bounded = 0
    for kind in range(min(4, intervals.n_kinds)):
        group = intervals.kinds == kind
        item = int(np.flatnonzero(group)[0])
        for c in range(3):
            asked = tw.share_range(votes, box, group=group, of=c)
            assert intervals.lower[item, c] == pytest.approx(max(0.0, asked.lower), abs=1e-6)
            assert intervals.upper[item, c] == pytest.approx(min(1.0, asked.upper), abs=1e-6)
            n_bounded += asked.lower > 0.01
    assert n_bounded


def test_items_whose_label_is_known_have_it() -> None:
    votes, labels, _ = _drawn(1)
    model = tw.BalsubramaniFreund().fit(votes, labels)
    intervals = model.predict_interval(votes)
    known = labels >= 0
    np.testing.assert_array_equal(intervals.kinds[known], -1)
    np.testing.assert_array_equal(intervals.lower[known], np.eye(3)[labels[known]])
    np.testing.assert_array_equal(intervals.upper[known], np.eye(3)[labels[known]])
    assert (intervals.kinds[~known] >= 0).all()
    assert sum(intervals.frame()["items"]) == (~known).sum()
    sizes = intervals.frame()["items"]
    assert sizes == sorted(sizes, reverse=True)


def test_kinds_have_one_label_and_probabilities_between_two_edges() -> None:
    votes, labels, _ = _drawn(2)
    model = tw.BalsubramaniFreund().fit(votes, labels)
    intervals = model.predict_interval(votes, edges=(0.6, 0.9))
    proba, best = model.predict_proba(votes), model.predict(votes)
    for kind, (label, probability) in enumerate(
        zip(intervals.frame()["label"], intervals.frame()["probability"], strict=True)
    ):
        members = intervals.kinds == kind
        assert set(best[members].tolist()) == {label}
        given = proba[members].max(axis=1)
        assert given.mean() == pytest.approx(probability)
        assert len({(p >= 0.6) + (p >= 0.9) for p in given.tolist()}) == 1


def test_all_shares_lie_in_their_intervals_as_often_as_is_said() -> None:
    """40 draws at 80 %: more than 18 that fail would come about in one run of 100,000, if the level held."""
    n_draws, level, n_missed = 40, 0.8, 0
    for seed in range(n_draws):
        votes, labels, truth = _drawn(100 + seed, n_items=300, n_gold=60)
        gold = labels >= 0
        box = tw.Box.from_gold(
            votes.take(gold), labels[gold], pool=votes, gold_is="subset", confidence_level=level, n_permutations=0
        )
        try:
            intervals = tw.BalsubramaniFreund().fit(votes, box=box).predict_interval(votes)
        except tw.InfeasibleBoxError:  # the box misses the truth
            n_missed += 1
            continue
        is_missed = False
        for kind in range(intervals.n_kinds):
            members = intervals.kinds == kind
            item = int(np.flatnonzero(members)[0])
            shares = np.bincount(truth[members], minlength=3) / members.sum()
            is_missed |= bool((shares < intervals.lower[item] - 1e-9).any())
            is_missed |= bool((shares > intervals.upper[item] + 1e-9).any())
        n_missed += is_missed
    assert n_missed <= binom.ppf(1 - 1e-5, n_draws, 1 - level)


def test_a_single_item_is_left_open() -> None:
    """Sixty items, all with different votes: no box of averages can say anything of one of them."""
    rng = np.random.default_rng(0)
    array = np.array([[(i >> j) & 1 for j in range(6)] for i in range(60)])
    truth = rng.integers(2, size=60)
    model = tw.BalsubramaniFreund().fit(array, np.where(np.arange(60) < 30, truth, -1))
    intervals = model.predict_interval(array, by="pattern")
    assert intervals.n_kinds == 60 and len(intervals.says_something) == 0
    assert (intervals.lower == 0).all() and (intervals.upper == 1).all()


def test_what_is_refused() -> None:
    votes, labels, _ = _drawn(3)
    model = tw.BalsubramaniFreund().fit(votes, labels)
    with pytest.raises(tw.InvalidChoiceError, match='must be "tier" or "pattern"; found \'item\''):
        model.predict_interval(votes, by="item")  # type: ignore[arg-type]
    with pytest.raises(tw.InvalidChoiceError, match="probabilities that increase"):
        model.predict_interval(votes, edges=(0.9, 0.8))
    with pytest.raises(tw.InvalidVotesError, match="of other items nothing is proved"):
        model.predict_interval(votes.take(range(100)))
