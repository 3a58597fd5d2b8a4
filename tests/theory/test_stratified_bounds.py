"""Sums over groups: every truth and every sample of small groups, and the primal problem by enumeration.

Kills, tried once: the whole error in each group; the error of both sides in each; twice the pull in the estimate; each
of the four bounds on the spread made smaller; a group without a draw that contributes nothing to the upper bound.
"""

from __future__ import annotations

from itertools import product
from math import comb, log

import numpy as np
import pytest

from thumbwise.numerics.intervals import hypergeometric_bounds, stratified_bounds

Sizes = list[tuple[int, int]]


def columns(rows: list[tuple[int, ...]]) -> np.ndarray:
    return np.array(rows, dtype=np.int64).T


def chance(right: int, drawn: int, population: int, good: int) -> float:
    return comb(good, right) * comb(population - good, drawn - right) / comb(population, drawn)


@pytest.mark.parametrize("error", [0.05, 0.3, 0.6])
@pytest.mark.parametrize(
    "sizes", [[(3, 8), (4, 6)], [(2, 5), (2, 5), (2, 5)], [(5, 6), (1, 9)], [(0, 4), (3, 7), (3, 5)], [(3, 3), (2, 6)]]
)
def test_coverage_for_every_truth(sizes: Sizes, error: float) -> None:
    samples = list(product(*(range(drawn + 1) for drawn, _ in sizes)))
    drawn, population = (np.repeat(np.array(sizes)[:, [i]], len(samples), axis=1) for i in (0, 1))
    fewest, most = stratified_bounds(columns(samples), drawn, population, np.full(len(samples), error))
    for truth in product(*(range(n + 1) for _, n in sizes)):
        covered = sum(
            np.prod([chance(x, d, n, k) for x, (d, n), k in zip(sample, sizes, truth, strict=True)])
            for sample, low, high in zip(samples, fewest, most, strict=True)
            if low <= sum(truth) <= high
        )
        assert covered >= 1 - error - 1e-12


def log_mean(t: float, drawn: int, population: int, good: int) -> float:
    """The smallest of four binomial bounds on log E exp(t X), X the right ones among those drawn."""
    f, p = drawn / population, good / population
    grow, fall = np.expm1(t), np.expm1(-t)
    with np.errstate(divide="ignore"):
        return float(
            min(
                drawn * np.log1p(p * grow),
                good * np.log1p(f * grow),
                drawn * t + (population - good) * np.log1p(f * fall) if good < population else drawn * t,
                t * good + (population - drawn) * np.log1p(p * fall),
            )
        )


def smallest_sum(sample: tuple[int, ...], sizes: Sizes, error: float) -> int:
    """Over all truths that each group leaves open, the smallest sum that no pull refutes."""
    group_error = 0.1 * error / len(sizes)
    bounds = [hypergeometric_bounds(x, d, n, group_error) for x, (d, n) in zip(sample, sizes, strict=True)]
    scales = [n / d for d, n in sizes]
    estimate = sum(a * x for a, x in zip(scales, sample, strict=True))
    pulls = np.geomspace(0.01, 10, 60)
    goal = log(1 / (0.45 * error))
    truths = product(*(range(int(low), int(high) + 1) for low, high in bounds))
    for truth in sorted(truths, key=sum):
        excess = [
            u * estimate - sum(log_mean(u * a, d, n, k) for a, (d, n), k in zip(scales, sizes, truth, strict=True))
            for u in pulls
        ]
        if max(excess) <= goal:
            return sum(truth)
    raise AssertionError("the estimate itself is never refuted")


@pytest.mark.parametrize("error", [0.02, 0.2])
@pytest.mark.parametrize(
    ("sample", "sizes"),
    [((9, 8), [(10, 30), (12, 20)]), ((11, 12), [(12, 40), (12, 40)]), ((5, 6, 7), [(6, 12), (7, 10), (8, 14)])],
)
def test_the_bound_is_the_smallest_sum_that_is_not_refuted(sample: tuple[int, ...], sizes: Sizes, error: float) -> None:
    """Weak duality gives up at most what lies between whole numbers."""
    drawn, population = columns([tuple(d for d, _ in sizes)]), columns([tuple(n for _, n in sizes)])
    fewest, most = stratified_bounds(columns([sample]), drawn, population, np.array([error]))
    expected = smallest_sum(sample, sizes, error)
    assert expected - 1 <= fewest[0] <= expected
    mirrored = tuple(d - x for x, (d, _) in zip(sample, sizes, strict=True))
    assert stratified_bounds(columns([mirrored]), drawn, population, np.array([error]))[0][0] == (
        population.sum() - most[0]
    )


@pytest.mark.parametrize(
    ("sample", "sizes", "error"),
    [
        ((7, 2), [(8, 23), (8, 10)], 0.2),
        ((2, 8, 0), [(11, 20), (8, 19), (8, 9)], 0.2),
        ((5, 14), [(5, 17), (18, 19)], 0.02),
    ],
)
def test_bounds_on_single_groups_share_their_part_of_the_error(
    sample: tuple[int, ...], sizes: Sizes, error: float
) -> None:
    """Where these bounds decide; kills the whole tenth of the error in each group."""
    drawn, population = columns([tuple(d for d, _ in sizes)]), columns([tuple(n for _, n in sizes)])
    fewest, _ = stratified_bounds(columns([sample]), drawn, population, np.array([error]))
    assert fewest[0] == smallest_sum(sample, sizes, error)


def test_one_group_in_doubt_is_exact() -> None:
    """A group that was drawn whole adds what it showed, one without a draw anything it can."""
    right, drawn, population = columns([(7, 4, 0)]), columns([(10, 4, 0)]), columns([(50, 4, 6)])
    fewest, most = stratified_bounds(right, drawn, population, np.array([0.07]))
    alone = hypergeometric_bounds(7, 10, 50, 0.07)
    assert (fewest[0], most[0]) == (alone[0] + 4, alone[1] + 4 + 6)


def test_without_an_allowed_error_the_bounds_are_certain() -> None:
    right, drawn, population = columns([(7, 3)]), columns([(10, 9)]), columns([(50, 20)])
    fewest, most = stratified_bounds(right, drawn, population, np.array([0.0]))
    assert (fewest[0], most[0]) == (10, 70 - 3 - 6)


def test_groups_cost_little_beside_one_plain_sample() -> None:
    """3 x 33 items of 3 x 1,000 at the error of one of six moments: 1.87 times as wide when groups were added up."""
    right, drawn, population = columns([(26, 27, 26)]), columns([(33, 33, 33)]), columns([(1000, 1000, 1000)])
    fewest, most = stratified_bounds(right, drawn, population, np.array([0.05 / 6]))
    low, high = hypergeometric_bounds(79, 99, 3000, 0.05 / 6)
    assert 1 <= (most[0] - fewest[0]) / (high - low) < 1.25
