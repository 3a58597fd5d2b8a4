"""Betting on weighted items: what the bettor expects, over every draw; the bounds, by a formula of products.

Kills, tried once: error in place of error / 2; the division by what all items expect left out of Poisson sampling;
cells of candidates refuted by their lower end; right and wrong exchanged on one side; bets without a limit.
"""

from __future__ import annotations

from itertools import pairwise, product
from math import ceil, exp, log, pi, prod, sin, sqrt

import numpy as np
import pytest

from thumbwise.numerics.weighted_shares import WeightedDraw, log_money, settle_bets, weighted_share_bounds

CHANCES = np.array([0.9, 0.5, 0.5, 0.2, 0.4, 0.7])
IS_RIGHT = np.array([1, 0, 1, 1, 0, 1])


def money_at_the_truth(draw: WeightedDraw, weights: np.ndarray, chosen: np.ndarray, bets: np.ndarray) -> float:
    right, wrong = (weights[chosen[IS_RIGHT[chosen] == value]] for value in (1, 0))
    return exp(log_money(right, wrong, len(IS_RIGHT), draw, np.array([IS_RIGHT.mean()]), bets[None])[0])


@pytest.mark.parametrize("bets", [[0.01], [0.19], [0.02, 0.1, 0.15]])
def test_whoever_bets_at_the_truth_expects_to_keep_the_money_poisson(bets: list[float]) -> None:
    weights = 1 / CHANCES
    draw = WeightedDraw(True, 5.0, 1.0)
    expected = 0.0
    for drawn in product([0, 1], repeat=len(CHANCES)):
        chance = np.prod(np.where(drawn, CHANCES, 1 - CHANCES))
        expected += chance * money_at_the_truth(draw, weights, np.flatnonzero(drawn), np.array(bets))
    assert expected == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("bets", [[0.01], [0.19], [0.02, 0.1, 0.15]])
def test_whoever_bets_at_the_truth_expects_to_keep_the_money_with_replacement(bets: list[float]) -> None:
    chances, n_draws = CHANCES / CHANCES.sum(), 4
    weights = 1 / (n_draws * chances)
    draw = WeightedDraw(False, float(weights.max()), 1.0)
    expected = 0.0
    for chosen in product(range(len(chances)), repeat=n_draws):
        items = np.array(chosen)
        expected += chances[items].prod() * money_at_the_truth(draw, weights, items, np.array(bets))
    assert expected == pytest.approx(1, abs=1e-12)


def refuted_below(right: list[float], wrong: list[float], size: int, draw: WeightedDraw, error: float) -> float:
    """The same by products, one candidate after the other, from below."""
    edges = [sin(g * pi / 128) ** 2 for g in range(65)]
    n_bets = max(1, ceil(log(draw.largest / draw.typical) / log(4)))
    for step in range(1, 4000):
        share = step / 4000
        cell = next((low + high) / 2 for low, high in pairwise(edges) if share <= high)
        money = 0.0
        for j in range(n_bets):
            weight = draw.largest * (draw.typical / draw.largest) ** ((j + 0.5) / n_bets)
            spread = size * (1 - cell) / cell * max(weight - draw.is_poisson, 0.25)
            bet = min(sqrt(2 * (log(1 / error) + 1) / spread), 0.95 / draw.largest)
            win = bet * (1 - share) / share
            fair = (1 + win) ** (share * size) * (1 - bet) ** ((1 - share) * size) if draw.is_poisson else 1.0
            money += prod(1 + win * w for w in right) * prod(1 - bet * w for w in wrong) / fair / n_bets
        if money < 1 / error:
            return share
    return 1.0


@pytest.mark.parametrize("error", [0.3, 0.01])
@pytest.mark.parametrize("is_poisson", [True, False])
def test_bounds_are_those_of_the_products(is_poisson: bool, error: float) -> None:
    rng = np.random.default_rng(8)
    for n_right, n_wrong in ((30, 10), (5, 40), (20, 0), (0, 7)):
        right, wrong = rng.uniform(2, 20, n_right), rng.uniform(2, 20, n_wrong)
        draw = WeightedDraw(is_poisson, 20.0, 2.0)
        is_right = np.repeat([1, 0], [n_right, n_wrong])
        bounds = weighted_share_bounds(is_right, np.concatenate([right, wrong]), 300, draw, error)
        low = refuted_below(list(right), list(wrong), 300, draw, error / 2)
        high = 1 - refuted_below(list(wrong), list(right), 300, draw, error / 2)
        if is_poisson:
            low, high = max(low, n_right / 300), min(high, 1 - n_wrong / 300)
        assert bounds == pytest.approx((low, high), abs=1 / 3000)


@pytest.mark.parametrize("is_poisson", [True, False])
def test_money_falls_as_the_candidate_grows(is_poisson: bool) -> None:
    """Within a cell, whatever was drawn; so refuting the upper end refutes all of it."""
    rng = np.random.default_rng(9)
    for _ in range(50):
        right, wrong = (rng.uniform(1, 9, rng.integers(0, 40)) for _ in range(2))
        draw = WeightedDraw(is_poisson, 9.0, 2.0)
        bets = np.repeat(settle_bets(rng.random(1), 200, draw, 0.01), 200, axis=0)
        assert (np.diff(log_money(right, wrong, 200, draw, np.linspace(0.001, 1, 200), bets)) <= 1e-9).all()


@pytest.mark.parametrize("error", [0.6, 0.2])
def test_coverage_over_every_poisson_draw(error: float) -> None:
    """All 2^12 draws of a pool of twelve."""
    rng = np.random.default_rng(10)
    chances, is_right = rng.choice([0.95, 0.8, 0.5], size=12), rng.integers(2, size=12)
    draw, covered = WeightedDraw(True, 2.0, 1.0), 0.0
    bounds: dict[tuple[float, ...], bool] = {}
    for drawn in product([0, 1], repeat=12):
        chosen = np.flatnonzero(drawn)
        key = tuple(sorted(np.where(is_right[chosen] == 1, 1, -1) / chances[chosen]))
        if key not in bounds:
            low, high = weighted_share_bounds(is_right[chosen].astype(float), 1 / chances[chosen], 12, draw, error)
            bounds[key] = low <= is_right.mean() <= high
        covered += np.prod(np.where(drawn, chances, 1 - chances)) * bounds[key]
    assert covered >= 1 - error


def test_the_order_of_the_draws_changes_no_bit() -> None:
    rng = np.random.default_rng(11)
    is_right, weights = rng.integers(2, size=80), rng.uniform(1, 30, 80)
    for is_poisson in (True, False):
        draw = WeightedDraw(is_poisson, 30.0, 4.0)
        orders = [np.arange(80), np.argsort(is_right), np.argsort(weights), rng.permutation(80), np.arange(80)[::-1]]
        bounds = {weighted_share_bounds(is_right[order], weights[order], 500, draw, 0.05) for order in orders}
        assert len(bounds) == 1


def test_bounds_narrow_with_more_draws_and_with_all_items_drawn() -> None:
    widths = []
    for n in (30, 100, 300, 900):
        is_right = np.arange(n) % 3 == 0
        low, high = weighted_share_bounds(is_right, np.full(n, 9000 / n), 9000, WeightedDraw(False, 9000 / n, 1), 0.05)
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.12
    low, high = weighted_share_bounds(np.arange(900) % 3 == 0, np.ones(900), 900, WeightedDraw(True, 1.0, 1.0), 0.05)
    assert low == pytest.approx(high) == pytest.approx(1 / 3), "in Poisson sampling, chances of 1 leave no doubt"
