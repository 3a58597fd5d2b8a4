"""What coverage cannot see: weights of items across two groups, whose votes make the panel, and which way ends round.

Kills, tried once: the weights of both strata exchanged; the panel of the pool alone for gold outside of it; a lower end
that is rounded up.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

import thumbwise as tw
from thumbwise.numerics.panel import Panel
from thumbwise.numerics.two_groups import least_worth
from thumbwise.rates.asked import open_asked
from thumbwise.rates.counts import Counts
from thumbwise.rates.differences import _across, _choose, _one_by_one, difference
from thumbwise.rates.intervals import Interval, Method, assisted, exact
from thumbwise.rates.results import Rate


def known_all(sizes: tuple[int, int], right: tuple[int, int]) -> Counts:
    """Counts of a group all of whose items were drawn."""
    return Counts(np.array(right), np.array(sizes), np.array(sizes))


@pytest.mark.parametrize(("ours", "theirs"), [((2, 3), (1, 1)), ((0, 4), (3, 0)), ((1, 0), (2, 5)), ((3, 3), (2, 4))])
def test_across_two_groups_the_difference_lies_within_whatever_the_items_weigh(
    ours: tuple[int, int], theirs: tuple[int, int]
) -> None:
    """All is known, so nothing but the weights is left to bound; groups of one size leave nothing at all."""
    numbers = [range(size + 1) for size in (*ours, *theirs)]
    for a0, a1, b0, b1 in product(*numbers):
        low, high = _across(known_all(ours, (a0, a1)), known_all(theirs, (b0, b1)), 0.05, least_worth)
        truth = (a0 + a1) / sum(ours) - (b0 + b1) / sum(theirs)
        assert low - 1e-12 <= truth <= high + 1e-12
        if sum(ours) == sum(theirs):
            assert (low, high) == pytest.approx((truth, truth))


def test_a_way_is_chosen_without_labels_and_for_groups_of_one_size_it_is_the_panel() -> None:
    rng = np.random.default_rng(6)
    chosen = {}
    for sizes in ((400, 400), (450, 350), (700, 100)):
        halves = [(np.array([size // 20] * 2), np.array([size // 2] * 2)) for size in sizes]
        ways = set()
        for _ in range(20):
            ours, theirs = (Counts(rng.binomial(n, 0.5), n, size) for n, size in halves)
            ways.add(_choose(ours, theirs, 0.05, is_apart=False).__name__)
        assert len(ways) == 1
        chosen[sizes] = ways.pop()
    # Of 450 and 350 items the panel would gain four per cent, which is not enough.
    assert chosen == {(400, 400): "_across", (450, 350): "_gold_alone", (700, 100): "_gold_alone"}


def test_the_estimate_of_a_difference_is_that_of_its_shares() -> None:
    ours = Counts(np.array([3, 20]), np.array([20, 25]), np.array([250, 170]))
    theirs = Counts(np.array([5, 15]), np.array([25, 22]), np.array([150, 170]))
    methods: list[tuple[Method, Callable[[Counts, float], Interval]]] = [("exact", exact), ("assisted", assisted)]
    for method, share in methods:
        expected = share(ours, 0.05).estimate - share(theirs, 0.05).estimate
        assert difference(ours, theirs, 0.05, method).estimate == pytest.approx(expected, abs=1e-12)


def test_one_by_one_is_an_assisted_interval_for_each_with_half_of_the_error() -> None:
    both = Counts(np.array([3, 20]), np.array([20, 25]), np.array([150, 170]))
    one_kind = Counts(np.array([0, 20]), np.array([0, 25]), np.array([5, 170]))
    for ours, theirs in [(both, one_kind), (one_kind, both)]:
        mine, other = assisted(ours, 0.05), assisted(theirs, 0.05)
        low, high = _one_by_one(ours, theirs, 0.1, least_worth)
        assert (low, high) == pytest.approx((mine.lower - other.upper, mine.upper - other.lower))


def test_the_panel_is_that_of_all_that_gold_was_drawn_from() -> None:
    rng = np.random.default_rng(4)
    truth = rng.integers(2, size=300)
    array = np.where(rng.random((300, 5)) < [0.95, 0.8, 0.7, 0.6, 0.6], truth[:, None], 1 - truth[:, None])
    array[:100] = np.where(rng.random((100, 5)) < 0.5, array[:100], 1 - array[:100])  # gold is unlike the rest
    gold = tw.Gold(tw.Votes(array[:100], n_classes=2), truth[:100], "separate")
    panel = open_asked(tw.Votes(array[100:], n_classes=2), gold, None).panel
    together = Panel.of_informative(tw.Votes(array, n_classes=2).patterns)
    alone = Panel.of_informative(tw.Votes(array[100:], n_classes=2).patterns)
    np.testing.assert_allclose(panel.log_odds, together.log_odds, atol=1e-9)
    assert np.abs(panel.log_odds - alone.log_odds).max() > 1e-3


def test_ends_are_rounded_outward() -> None:
    share = Rate(Interval(0.655, 0.61291, 0.70911), None, "rate", "the share", "exact", 10, 100)
    assert "between 61.2 % and 71.0 %" in share.claim
    points = Rate(Interval(0.0, -0.07411, 0.07411), "A - B", "difference", "it", "exact", 10, 100, pair=("A", "B"))
    assert "between -7.5 and 7.5 points" in points.claim
