"""Two groups: coverage over every outcome of small draws, and the limit as a plain loop over all truths finds it.

Kills, tried once: outcomes as low as the one seen left out of R; a cell bounded by its last number; cells searched from
one number too far; all of the error for single groups; empty cells at first, which made small groups worth less than
none.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, sqrt

import numpy as np
import pytest
from scipy.stats import hypergeom

from thumbwise.numerics.intervals import hypergeometric_bounds, hypergeometric_sides
from thumbwise.numerics.two_groups import (
    TwoGroups,
    about_least_worth,
    approximate_limits,
    chances,
    least_worth,
    two_group_bounds,
)

Pair = tuple[int, int]

SMALL: list[tuple[Pair, Pair, tuple[float, float]]] = [
    ((3, 3), (6, 6), (1.0, 1.0)),
    ((6, 2), (14, 9), (1.0, 1.0)),
    ((5, 5), (12, 14), (1.0, 0.25)),
    ((1, 6), (7, 13), (0.3, 2.0)),
    ((4, 5), (14, 6), (1 / 14, 1 / 6)),
]


def outcomes(drawn: Pair) -> list[Pair]:
    return list(product(range(drawn[0] + 1), range(drawn[1] + 1)))


def table(drawn: int, population: int) -> np.ndarray:
    """Chance of each number of right ones among the drawn, by the number in the population."""
    x, k = np.arange(drawn + 1), np.arange(population + 1)[:, None]
    return np.asarray(hypergeom.pmf(x, population, k, drawn))


def misses(limits: dict[Pair, float], drawn: Pair, population: Pair, worth: tuple[float, float]) -> np.ndarray:
    """For every truth, the chance of an outcome whose limit lies above it."""
    first, second = (table(n, size) for n, size in zip(drawn, population, strict=True))
    chance = np.zeros((population[0] + 1, population[1] + 1))
    for k_1, k_2 in np.ndindex(chance.shape):
        truth = worth[0] * k_1 + worth[1] * k_2
        chance[k_1, k_2] = sum(
            first[k_1, x_1] * second[k_2, x_2] for (x_1, x_2), limit in limits.items() if limit > truth + 1e-9
        )
    return chance


@pytest.mark.parametrize("error", [0.01, 0.1, 0.4])
@pytest.mark.parametrize(("drawn", "population", "worth"), SMALL)
def test_the_chance_of_a_miss_is_at_most_the_error_whatever_the_truth(
    drawn: Pair, population: Pair, worth: tuple[float, float], error: float
) -> None:
    bounds = {x: two_group_bounds(TwoGroups(x, drawn, population, worth), 2 * error) for x in outcomes(drawn)}
    most = worth[0] * population[0] + worth[1] * population[1]
    below = misses({x: low for x, (low, _) in bounds.items()}, drawn, population, worth)
    # An upper limit below the truth is a lower limit of the wrong ones above theirs.
    wrong = {(drawn[0] - x_1, drawn[1] - x_2): most - high for (x_1, x_2), (_, high) in bounds.items()}
    above = misses(wrong, drawn, population, worth)[::-1, ::-1]
    assert below.max() <= error + 1e-9
    assert above.max() <= error + 1e-9
    assert (below + above).max() <= 2 * error + 1e-9
    assert below.max() > 0.2 * error or error < 0.05


def likely(right: int, drawn: int, population: int, tail: float) -> list[int]:
    """Numbers of right ones that one group alone leaves open."""
    return [
        k
        for k in range(population + 1)
        if hypergeom.sf(right - 1, population, k, drawn) > tail and hypergeom.cdf(right, population, k, drawn) > tail
    ]


def least_by_loop(groups: TwoGroups, error: float) -> float:
    """One truth after the other, with the outcomes in their order; a thousandth of the error for single groups."""
    all_outcomes = outcomes(groups.drawn)
    x_1, x_2 = (np.array([x[h] for x in all_outcomes]) for h in (0, 1))
    order = dict(zip(all_outcomes, approximate_limits(x_1, x_2, groups, error).tolist(), strict=True))
    no_lower = [x for x in all_outcomes if order[x] >= order[groups.right]]
    first, second = (table(n, size) for n, size in zip(groups.drawn, groups.population, strict=True))
    tails = (
        likely(right, n, size, error / 4000)
        for right, n, size in zip(groups.right, groups.drawn, groups.population, strict=True)
    )
    return min(
        groups.worth[0] * k_1 + groups.worth[1] * k_2
        for k_1, k_2 in product(*tails)
        if sum(first[k_1, x] * second[k_2, y] for x, y in no_lower) > 0.999 * error
    )


@pytest.mark.parametrize(
    ("drawn", "population", "worth"),
    [*SMALL, ((12, 7), (40, 90), (1.0, 1.0)), ((6, 20), (60, 25), (1 / 60, 1 / 25)), ((15, 15), (70, 70), (1.0, 1.0))],
)
def test_the_limit_is_the_least_of_all_truths_that_are_likely_enough(
    drawn: Pair, population: Pair, worth: tuple[float, float]
) -> None:
    rng = np.random.default_rng(5)
    all_outcomes = outcomes(drawn)
    n_equal, n_cases = 0, 12
    for place in rng.choice(len(all_outcomes), n_cases):
        groups = TwoGroups(all_outcomes[place], drawn, population, worth)
        error = float(rng.choice([0.005, 0.025, 0.2]))
        expected, limit = least_by_loop(groups, error), least_worth(groups, error)
        assert limit <= expected + 1e-9
        assert limit >= expected - 3e-3 * groups.most / sqrt(sum(drawn)) - 1e-9
        n_equal += limit > expected - 1e-9
    assert n_equal >= n_cases // 2


def test_more_right_ones_never_lower_the_order() -> None:
    """So that outcomes no lower than one are an up-set, on which the search rests."""
    for drawn, population, worth in [*SMALL, ((40, 7), (1000, 30), (1.0, 0.1)), ((30, 30), (31, 10**6), (1.0, 1.0))]:
        groups = TwoGroups((0, 0), drawn, population, worth)
        x_1, x_2 = np.meshgrid(np.arange(drawn[0] + 1), np.arange(drawn[1] + 1), indexing="ij")
        for error in (0.001, 0.025, 0.4):
            limits = approximate_limits(x_1, x_2, groups, error)
            assert (np.diff(limits, axis=0) >= 0).all()
            assert (np.diff(limits, axis=1) >= 0).all()


def exact_chance(x: int, right: int, drawn: int, population: int) -> float:
    return float(Fraction(comb(right, x) * comb(population - right, drawn - x), comb(population, drawn)))


@pytest.mark.parametrize("population", [5, 40, 3000, 10**6, 10**8])
@pytest.mark.parametrize("drawn", [1, 4, 60, 300])
def test_chances_are_those_of_whole_numbers(drawn: int, population: int) -> None:
    if drawn >= population:
        return
    shares = [0.0, 1e-4, 0.03, 0.5, 0.97, 1.0]
    rights = np.unique(np.array([1, population - 1, *(round(share * population) for share in shares)]))
    for right in rights.tolist():
        first, row = chances(np.array([right]), drawn, population)
        expected = [exact_chance(first + i, right, drawn, population) for i in range(row.shape[1])]
        np.testing.assert_allclose(row[0], expected, rtol=1e-9, atol=1e-15)
        assert sum(expected) == pytest.approx(1, abs=1e-12)
    # In rows of one table, where columns reach from the least of them to the most.
    first, rows = chances(rights, drawn, population)
    columns = np.arange(first, first + rows.shape[1])
    # scipy loses digits to factorials of large populations.
    tolerance = 1e-6 if population > 10**5 else 1e-9
    np.testing.assert_allclose(
        rows, hypergeom.pmf(columns, population, rights[:, None], drawn), rtol=tolerance, atol=1e-14
    )


def pooled(groups: TwoGroups, error: float) -> tuple[float, float]:
    low, high = hypergeometric_bounds(sum(groups.right), sum(groups.drawn), sum(groups.population), error)
    return float(low), float(high)


@pytest.mark.parametrize("n_gold", [30, 100, 300])
@pytest.mark.parametrize("part", [0.5, 0.15])
@pytest.mark.parametrize("share", [0.05, 0.5, 0.8])
def test_useless_groups_cost_at_most_a_twentieth(share: float, part: float, n_gold: int) -> None:
    """On average over draws of gold from all items, where both groups have the same share."""
    rng = np.random.default_rng([n_gold, int(100 * part), int(100 * share)])
    sizes = np.array([round(2000 * (1 - part)), round(2000 * part)])
    kinds = np.array([[size - round(share * size), round(share * size)] for size in sizes]).ravel()
    wide, plain = 0.0, 0.0
    for wrong_1, right_1, wrong_2, right_2 in rng.multivariate_hypergeometric(kinds, n_gold, size=10).tolist():
        groups = TwoGroups((right_1, right_2), (wrong_1 + right_1, wrong_2 + right_2), (int(sizes[0]), int(sizes[1])))
        wide += float(np.diff(two_group_bounds(groups, 0.05))[0])
        plain += float(np.diff(pooled(groups, 0.05))[0])
    assert wide <= 1.05 * plain


def test_groups_that_are_right_and_wrong_make_it_narrower() -> None:
    groups = TwoGroups((3, 57), (40, 60), (800, 1200))
    (low, high), (least, most) = two_group_bounds(groups, 0.05), pooled(groups, 0.05)
    assert high - low < 0.6 * (most - least)


@pytest.mark.parametrize("right", [0, 3, 7])
def test_a_group_with_nothing_drawn_may_be_anything(right: int) -> None:
    groups = TwoGroups((right, 0), (7, 0), (30, 50), (2.0, 3.0))
    low, high = two_group_bounds(groups, 0.1)
    fewest, most = hypergeometric_bounds(right, 7, 30, 0.1)
    assert low == 2 * fewest
    assert high == 2 * most + 3 * 50


@pytest.mark.parametrize("right", [0, 3, 7])
def test_a_group_with_everything_drawn_is_known(right: int) -> None:
    groups = TwoGroups((4, right), (5, 7), (5, 30), (2.0, 3.0))
    low, high = two_group_bounds(groups, 0.1)
    fewest, most = hypergeometric_bounds(right, 7, 30, 0.1)
    assert low == pytest.approx(2 * 4 + 3 * fewest)
    assert high == pytest.approx(2 * 4 + 3 * most)


def test_everything_drawn_nothing_drawn_and_nothing_there() -> None:
    assert two_group_bounds(TwoGroups((4, 2), (5, 2), (5, 2)), 0.1) == (6, 6)
    assert two_group_bounds(TwoGroups((0, 0), (0, 0), (5, 2)), 0.1) == (0, 7)
    assert two_group_bounds(TwoGroups((0, 0), (0, 0), (0, 0)), 0.1) == (0, 0)
    assert two_group_bounds(TwoGroups((1, 0), (1, 0), (1, 1)), 0.1) == (1, 2)
    assert two_group_bounds(TwoGroups((0, 0), (1, 0), (1, 0)), 0.1) == (0, 0)


def test_without_an_error_only_what_is_certain_is_kept() -> None:
    groups = TwoGroups((3, 1), (5, 4), (9, 10), (1.0, 0.5))
    assert two_group_bounds(groups, 0.0) == (3 + 0.5, 7 + 0.5 * 7)


@pytest.mark.parametrize("worth", [(1.0, 1.0), (1 / 900, 1 / 300)])
def test_what_a_limit_is_about_is_near_it(worth: tuple[float, float]) -> None:
    """Mostly a little above it: what an exact limit pays for whole numbers is left out."""
    for right, drawn in [((6, 50), (40, 60)), ((20, 30), (40, 60)), ((100, 140), (150, 150))]:
        groups = TwoGroups(right, drawn, (900, 300), worth)
        seen = float(np.sum(np.array(worth) * groups.population * right / np.array(drawn)))
        limit, about = (bound(groups, 0.025) for bound in (least_worth, about_least_worth))
        assert 0.85 * (seen - limit) <= seen - about <= 1.02 * (seen - limit)
    closed = TwoGroups((3, 0), (7, 0), (30, 50))
    assert about_least_worth(closed, 0.05) == least_worth(closed, 0.05)


def some_groups() -> list[TwoGroups]:
    rng = np.random.default_rng(9)
    cases = []
    for _ in range(25):
        population = rng.integers(2, 400, size=2)
        drawn = rng.integers(0, population + 1)
        right = rng.binomial(drawn, rng.random(2))
        seen, n, size = ((int(part[0]), int(part[1])) for part in (right, drawn, population))
        cases.append(TwoGroups(seen, n, size, (float(rng.uniform(0.1, 2)), float(rng.uniform(0.1, 2)))))
    return cases


def test_laws() -> None:
    """Right and wrong exchanged, groups exchanged, worth scaled, less error; and what was seen is never doubted."""
    for groups in some_groups():
        close = 3e-3 * groups.most / sqrt(max(1, sum(groups.drawn))) + 1e-6
        low, high = two_group_bounds(groups, 0.1)
        seen = float(np.dot(groups.worth, groups.right))
        assert seen - 1e-9 <= low <= high <= seen + groups.most - float(np.dot(groups.worth, groups.drawn)) + 1e-9
        mirrored = two_group_bounds(groups.mirrored(), 0.1)
        assert mirrored == pytest.approx((groups.most - high, groups.most - low))
        turned = (part[::-1] for part in (groups.right, groups.drawn, groups.population, groups.worth))
        assert two_group_bounds(TwoGroups(*turned), 0.1) == pytest.approx((low, high), abs=close)  # type: ignore[arg-type]
        scaled = TwoGroups(groups.right, groups.drawn, groups.population, (3 * groups.worth[0], 3 * groups.worth[1]))
        assert two_group_bounds(scaled, 0.1) == pytest.approx((3 * low, 3 * high), abs=3 * close)
        # The order depends on the error, so that with one or two draws a smaller error may do better.
        if min(groups.drawn) >= 10:
            wider = two_group_bounds(groups, 0.01)
            assert wider[0] <= low + close
            assert wider[1] >= high - close


def test_one_item_of_each_group_drawn() -> None:
    groups = TwoGroups((1, 1), (1, 1), (10, 10))
    assert least_worth(groups, 0.05) <= least_by_loop(groups, 0.05)
    fewest, _ = hypergeometric_sides(2, 2, 20, 0.05, 0.0)
    assert least_worth(groups, 0.05) <= 1.3 * fewest + 1


def test_large_populations_are_searched_in_a_blink_and_agree_with_each_other() -> None:
    """Of 10^8 items in place of 10^7 the shares hardly differ."""
    shares = []
    for size in (10**7, 10**8):
        low, high = two_group_bounds(TwoGroups((40, 190), (150, 200), (size, 2 * size)), 0.05)
        shares.append((low / (3 * size), high / (3 * size)))
    assert shares[0] == pytest.approx(shares[1], abs=2e-4)
