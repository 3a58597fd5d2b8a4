"""Exact intervals are checked against exact probabilities: every population, every sample, every subset counted."""

from __future__ import annotations

from itertools import combinations
from typing import Literal

import numpy as np
import pytest
from scipy.stats import hypergeom

from thumbwise import Box, Votes
from thumbwise.numerics.intervals import hypergeometric_bounds

from .problems import moments_of, one_hot


@pytest.mark.parametrize("error", [0.01, 0.05, 0.2, 0.5])
@pytest.mark.parametrize(("population", "drawn"), [(1, 1), (7, 3), (12, 6), (20, 5), (25, 24)])
def test_the_number_right_is_covered_with_the_stated_probability(population: int, drawn: int, error: float) -> None:
    seen = np.arange(drawn + 1)
    fewest, most = hypergeometric_bounds(seen, drawn, population, error)
    for right in range(population + 1):
        covered = hypergeom.pmf(seen, population, right, drawn)[(fewest <= right) & (right <= most)].sum()
        assert covered >= 1 - error - 1e-12


@pytest.mark.parametrize("error", [0.01, 0.1, 0.5])
@pytest.mark.parametrize(("population", "drawn"), [(7, 3), (12, 6), (30, 4)])
def test_bounds_are_no_wider_than_the_tails_demand(population: int, drawn: int, error: float) -> None:
    for right in range(drawn + 1):
        likely = [
            total
            for total in range(right, population - (drawn - right) + 1)
            if hypergeom.pmf(np.arange(right, drawn + 1), population, total, drawn).sum() > error / 2
            and hypergeom.pmf(np.arange(right + 1), population, total, drawn).sum() > error / 2
        ]
        fewest, most = hypergeometric_bounds(right, drawn, population, error)
        assert (int(fewest), int(most)) == (min(likely), max(likely))


ARRAY = np.array(
    [[0, 0, 1], [0, 1, -1], [1, 1, 1], [1, 0, -1], [0, 0, 0], [1, 1, -1], [0, 0, 0], [1, -1, 1], [0, 0, 1]]
)
TRUTH = np.array([0, 0, 1, 1, 0, 1, 0, 1, 1])


def share_of_boxes_that_hold(
    gold_is: Literal["subset", "separate"], level: float, n_gold: int, *, joint: bool = True
) -> float:
    """Over every possible gold set, how often all true moments of the pool lie in the box."""
    everything = Votes(ARRAY)
    held = []
    for chosen in combinations(range(len(ARRAY)), n_gold):
        gold = np.array(chosen)
        rest = np.setdiff1d(np.arange(len(ARRAY)), gold)
        in_pool = np.arange(len(ARRAY)) if gold_is == "subset" else rest
        pool = everything.take(in_pool)
        box = Box.from_gold(
            everything.take(gold), TRUTH[gold], pool=pool, confidence_level=level, gold_is=gold_is, joint=joint
        )
        values = moments_of(pool.array, one_hot(TRUTH[in_pool], 2))
        votes_on_pool = np.append((pool.array >= 0).any(axis=0), [True, True])
        held.append(bool(((values >= box.lower - 1e-9) & (values <= box.upper + 1e-9))[votes_on_pool].all()))
    return float(np.mean(held))


@pytest.mark.parametrize("level", [0.3, 0.8])
@pytest.mark.parametrize("gold_is", ["subset", "separate"])
@pytest.mark.parametrize("n_gold", [3, 5])
def test_the_box_holds_all_moments_at_once(gold_is: Literal["subset", "separate"], level: float, n_gold: int) -> None:
    assert share_of_boxes_that_hold(gold_is, level, n_gold) >= level


def test_intervals_one_by_one_do_not_hold_at_once() -> None:
    """Guards the test above against vacuity: without the split of the budget the box misses too often."""
    assert share_of_boxes_that_hold("subset", 0.3, 3, joint=False) < 0.3
