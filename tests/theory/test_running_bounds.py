"""Betting in the order of the draws: every order of a few units followed exactly, and money reckoned draw by draw."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest
from scipy.stats import binom

from thumbwise.numerics.bounded_totals import SLOPES, Kinds, running_bounds, total_bounds

# Kind and value of each unit: what the panel says, and what is so.
UNITS = ((1, 1), (1, 1), (1, 0), (0, 0), (0, 0), (0, 1))
KINDS = Kinds(np.zeros(2), np.ones(2), np.array([0.0, 1.0]), np.array([3, 3]))


def chances_of_next(drawn: tuple[tuple[int, int], ...]) -> dict[tuple[int, int], float]:
    left = Counter(UNITS) - Counter(drawn)
    return {unit: n / left.total() for unit, n in left.items()}


@pytest.mark.parametrize(("error", "horizon"), [(0.6, 3), (0.3, 6)])
def test_the_chance_that_bounds_ever_miss_is_at_most_the_error(error: float, horizon: int) -> None:
    """Over all orders of the units; kills stakes that see the draw they are laid on."""
    total = sum(value for _, value in UNITS)

    @cache
    def misses(drawn: tuple[tuple[int, int], ...]) -> float:
        if drawn:
            kinds, values = np.array(drawn).T
            low, high = running_bounds(KINDS, kinds, values.astype(float), error, horizon=horizon)
            if not low - 1e-9 <= total <= high + 1e-9:
                return 1.0
        if len(drawn) == len(UNITS):
            return 0.0
        return sum(chance * misses((*drawn, unit)) for unit, chance in chances_of_next(drawn).items())

    assert misses(()) <= error + 1e-9
    assert error < 0.5 or misses(()) > 0


def money_by_hand(kinds: list[int], values: list[float], total: float, top: float, error: float, horizon: int) -> float:
    """The most money that was ever there, for 0/1 values and a guess of 0 or 1, one draw after the other."""
    counts, money, best = KINDS_OF_MANY.count.tolist(), 1.0, 1.0
    seen: list[tuple[int, float, float]] = []
    n = sum(counts)
    share = counts[1] / n
    planned = sum((n / (n - t)) ** 2 for t in range(horizon))
    for t, (kind, value) in enumerate(zip(kinds, values, strict=True)):
        left = n - t
        guess_left = (counts[1] - sum(k for k, _, _ in seen)) / left
        known = sum(v for _, v, _ in seen)
        chosen = (np.inf, 0.0, 0.0, 0.0)
        for s in SLOPES.tolist():
            moved = [v - s * (k - g) for k, v, g in seen]
            mean = (share + sum(moved)) / (1 + t)
            means = [(share + sum(moved[:i])) / (1 + i) for i in range(t)]
            squares = sum((x - m) ** 2 for x, m in zip(moved, means, strict=True))
            prior = 0.2 / 4 + (1 - s) ** 2 * share * (1 - share)
            variance = (5 * prior + squares) / (5 + t)
            bold = (2 * 1.25 * np.log(1 / error) / variance / planned) ** 0.5
            least = min(0.0, -s) + s * guess_left
            stake = min(bold, 0.95 / max(mean - least, 1e-300))
            worth = np.log(1 / error) / horizon / stake + stake * variance / 2
            if worth < chosen[0] - 1e-15:
                chosen = worth, s, bold * n / left, least
        _, s, bold, least = chosen
        largest = min((top - known) / left, (n - t) / left)
        stake = min(bold, 0.95 / (largest - least))
        money *= 1 + stake * (value - s * (kind - guess_left) - (total - known) / left)
        best = max(best, money)
        seen.append((kind, value, guess_left))
    return best


KINDS_OF_MANY = Kinds(np.zeros(2), np.ones(2), np.array([0.0, 1.0]), np.array([80, 120]))


def test_what_is_refuted_had_enough_money_against_it_and_nothing_else_had() -> None:
    rng = np.random.default_rng(1)
    truth = np.where(rng.random(200) < 0.85, np.arange(200) >= 80, np.arange(200) < 80).astype(float)
    order = rng.permutation(200)[:60]
    kinds, values, error = (order >= 80).astype(int), truth[order], 0.1
    low, _ = running_bounds(KINDS_OF_MANY, kinds, values, error, horizon=40)
    edges = 200 * np.sin(np.linspace(0, np.pi / 2, 65)) ** 2
    most = [
        money_by_hand(kinds.tolist(), values.tolist(), total, float(edges[edges >= total - 1e-9][0]), error / 2, 40)
        for total in (low - 1e-3, low + 1e-3)
    ]
    assert most[0] >= 2 / error > most[1]


def test_they_hold_when_somebody_stops_as_soon_as_they_miss() -> None:
    """Simulated at a level of 0.8; the threshold has a false-alarm rate of one in a million."""
    rng = np.random.default_rng(2)
    truth = (np.arange(120) % 10 < 7).astype(float)
    says = np.where(rng.random(120) < 0.85, truth, 1 - truth).astype(int)
    kinds = Kinds(np.zeros(2), np.ones(2), np.array([0.0, 1.0]), np.bincount(says))
    n_runs, misses = 120, 0
    for _ in range(n_runs):
        order = rng.permutation(120)[:45]
        for n in (15, 30, 45):
            low, high = running_bounds(kinds, says[order][:n], truth[order][:n], 0.2, horizon=30)
            if not low <= truth.sum() <= high:
                misses += 1
                break
    assert misses <= binom.ppf(1 - 1e-6, n_runs, 0.2)


def test_later_draws_only_narrow_and_nothing_known_is_lost() -> None:
    rng = np.random.default_rng(3)
    truth = (np.arange(200) % 4 > 0).astype(float)
    kind = np.where(rng.random(200) < 0.8, truth, 1 - truth).astype(int)
    kinds = Kinds(np.zeros(2), np.ones(2), np.array([0.0, 1.0]), np.bincount(kind))
    order = rng.permutation(200)
    before = 0.0, 200.0
    for n in (0, 10, 40, 90, 199, 200):
        low, high = running_bounds(kinds, kind[order[:n]], truth[order[:n]], 0.05, horizon=50)
        assert low >= before[0] - 1e-3
        assert high <= before[1] + 1e-3
        before = low, high
    assert before == (150.0, 150.0)
    assert total_bounds(kinds, kind[order], truth[order], 0.05) == (150.0, 150.0)
