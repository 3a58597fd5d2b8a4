"""Fixed sequences: every number by another formula, and the chance of a false claim by counting all draws.

Kills, tried once: claims that go on after a failed test; a start at a set that cannot pass; ``allowed`` for
``allowed + 1``; twice the error in :func:`seldom_missed`; the last promising set in place of the first.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from thumbwise.numerics.fixed_sequence import (
    few_wrong,
    fewest_labels,
    most_passing,
    most_promising,
    passed_in_order,
    seldom_missed,
)


def test_claims_end_at_the_first_failure() -> None:
    for passes in product([False, True], repeat=4):
        for start in range(4):
            by_hand = [i >= start and all(passes[start : i + 1]) for i in range(4)]
            assert passed_in_order(np.array(passes), start).tolist() == by_hand


def test_so_many_may_be_wrong() -> None:
    rng = np.random.default_rng(0)
    size = rng.integers(1, 400, 200)
    drawn, allowed = (size * rng.random(200)).astype(int), (size * 0.3 * rng.random(200)).astype(int)
    found = most_passing(drawn, size, allowed, 0.05)
    for d, n, a, c in zip(drawn, size, allowed, found, strict=True):
        chances = hypergeom.cdf(np.arange(d + 1), n, a + 1, d)
        assert c == (chances <= 0.05).sum() - 1
    assert (found >= 2).sum() > 20 and (found == -1).sum() > 20


@pytest.mark.parametrize("share", [0.5, 0.8, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("error", [0.05, 0.01])
def test_fewest_labels_by_trying(share: float, error: float) -> None:
    n = fewest_labels(share, error)
    assert binom.pmf(n, n, share) <= error < binom.pmf(n - 1, n - 1, share)
    assert few_wrong(0, n, 10**9, round((1 - share) * 10**9), error)
    assert not few_wrong(0, n - 1, 10**9, round((1 - share) * 10**9), error)


def test_the_most_promising_set_by_its_definition() -> None:
    passing, drawn = np.array([0, 1, 3, 5]), np.array([29, 46, 80, 120])
    size = drawn * 10
    for rate in (0.01, 0.03, 0.06):
        promise = [
            s * sum(binom.pmf(x, d, rate) for x in range(c + 1)) for c, d, s in zip(passing, drawn, size, strict=True)
        ]
        assert most_promising(passing, drawn, size, np.full(4, rate)) == int(np.argmax(promise))
    assert most_promising(passing, drawn, size, np.array([0.01, 0.01, 0.9, 0.9])) == 1
    assert most_promising(passing, drawn, size, np.full(4, 3.0)) == 0, "none can pass: the first"


def test_missed_items_of_a_group_of_any_size_by_counting() -> None:
    """The chance to pass where a larger share is missed, for every group of up to 12 and every sample of it."""
    worst = {}
    for error, share in product([0.05, 0.2, 0.25], [0.1, 0.3, 0.5]):
        chances = []
        for size in range(1, 13):
            for drawn in range(size + 1):
                passes = seldom_missed(np.arange(drawn + 1), drawn, share, error)
                for missed in range(int(np.floor(share * size + 1e-9)) + 1, size + 1):
                    ways = sum(comb(missed, x) * comb(size - missed, drawn - x) for x in np.flatnonzero(passes))
                    chances.append(Fraction(ways, comb(size, drawn)))
        worst[error, share] = max(chances)
        assert worst[error, share] <= Fraction(error)
    assert max(worst.values()) > 0.15, "it must be passed at times for this to say anything"


def test_missed_items_by_the_binomial_formula() -> None:
    """Passed if P(X <= missed) at the share is at most the error, where more than one was not missed."""
    for drawn in (5, 30, 59, 120):
        for share, error in product([0.05, 0.1, 0.3], [0.05, 0.01]):
            missed = np.arange(drawn - 1)
            by_formula = binom.cdf(missed, drawn, share) <= error
            assert seldom_missed(missed, drawn, share, error).tolist() == by_formula.tolist()
    assert not seldom_missed(0, 0, 0.9, 0.05), "nothing was drawn"


def chance_of_false_claims(sizes: list[int], n_gold: int, allowed: list[int], error: float, ordered: bool) -> float:
    """The largest over all numbers of wrong items in each block, each block a step of the ladder; all draws counted."""
    blocks = [[(d, x) for d in range(s + 1) for x in range(d + 1)] for s in sizes]
    draws = [d for d in product(*blocks) if sum(part[0] for part in d) == n_gold]
    counts = np.array(draws)
    drawn, wrong = counts[:, :, 0].cumsum(axis=1), counts[:, :, 1].cumsum(axis=1)
    passes = few_wrong(wrong, drawn, np.cumsum(sizes), np.array(allowed), error)
    claimed = np.array([passed_in_order(row, 0) for row in passes]) if ordered else passes
    worst = 0.0
    for n_wrong in product(*(range(s + 1) for s in sizes)):
        ways = np.ones(len(draws))
        for i, (s, w) in enumerate(zip(sizes, n_wrong, strict=True)):
            table = np.array(
                [[comb(w, x) * comb(s - w, d - x) if x <= d else 0 for x in range(s + 1)] for d in range(s + 1)]
            )
            ways *= table[counts[:, i, 0], counts[:, i, 1]]
        is_false = (claimed & (np.cumsum(n_wrong) > allowed)).any(axis=1)
        worst = max(worst, float(ways[is_false].sum() / comb(sum(sizes), n_gold)))
    return worst


def test_all_claims_at_once_by_counting() -> None:
    """In order, none of three sets costs anything; each for itself, they would break what is allowed."""
    setting = [4, 4, 6], 7, [1, 3, 5], 0.3
    assert 0.2 < chance_of_false_claims(*setting, ordered=True) <= 0.3
    assert chance_of_false_claims(*setting, ordered=False) > 0.3
