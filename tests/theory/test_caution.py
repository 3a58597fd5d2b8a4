"""Caution: what is minimised, item by item; its minimum by another solver; and a bound for every labeling in the box.

Kills, tried once each: gold masses without 1 - c; bounds that mix c and 1 - c the other way round; gold means that are
not divided by the share; idle moments that are not idle; rows of gold put on top of the others' in shared features; the
bound taken from what was minimised.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any, Literal

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

import thumbwise as tw
from support.problems import FloatArray
from thumbwise.game.caution import CAUTIONS, CautiousFit, GoldAim, Search, choose_caution, fit_cautiously
from thumbwise.game.pinning import pose_known_problem, pose_problem
from thumbwise.numerics import shared_features
from thumbwise.numerics.maxent import Problem, dual_value
from thumbwise.numerics.shared_features import SharedFeatures, as_rows

SEARCH = Search(1e-9, 200)
Kind = Literal["pinned", "free", "separate"]
KINDS: tuple[Kind, ...] = ("pinned", "free", "separate")


def make_game(seed: int, kind: Kind, n_classes: int = 3, n_rules: int = 6) -> tuple[tw.Votes, tw.Box, Problem]:
    """Opinions and a learned opinion, a rule that hardly votes, one that votes on gold alone; ids where they matter."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_classes, size=140)
    is_right = rng.random((140, n_rules)) < rng.uniform(0.5, 0.9, n_rules)
    array = np.where(is_right, truth[:, None], rng.integers(n_classes, size=(140, n_rules)))
    array[rng.random(array.shape) < 0.3] = -1
    array[5:, -1] = -1
    votes = tw.Votes(array, n_classes=n_classes, item_ids=[f"i{i}" for i in range(140)])
    gold = np.r_[0:5, 20:60]
    rest = np.setdiff1d(np.arange(140), gold)
    pool = votes.take(rest) if kind == "separate" else votes
    gold_is: Literal["separate", "subset"] = "separate" if kind == "separate" else "subset"
    box = tw.Box.from_gold(votes.take(gold), truth[gold], pool=pool, gold_is=gold_is, n_permutations=0)
    if kind == "pinned":
        assert box.known is not None
        return pool, box, pose_known_problem(pool, box, box.known)
    return pool, box, pose_problem(pool, box)


def item_rows(votes: tw.Votes, box: tw.Box) -> FloatArray:
    """Features of each item, class and moment."""
    rows = as_rows(box.moments(votes).features).toarray()
    return np.asarray(rows.reshape(-1, votes.n_classes, len(box.names))[votes.inverse])


def item_log_losses(rows: FloatArray, weights: FloatArray) -> FloatArray:
    scores = rows @ weights
    return np.asarray(np.logaddexp.reduce(scores, axis=1)[:, None] - scores)


def by_items(pool: tw.Votes, box: tw.Box, kind: Kind, weights: FloatArray) -> tuple[float, float]:
    """D(u) and the mean log loss on gold, from single items and the bounds of the box."""
    assert box.gold is not None
    gold, labels = box.gold.votes, box.gold.labels
    rows = item_rows(pool, box)
    sums = np.array([s * n for s, n in zip((box.lower, box.upper), [box.moments(pool).sizes] * 2, strict=True)])
    if kind == "pinned":
        is_gold = np.isin(pool.item_ids, gold.item_ids)
        sums -= item_rows(gold, box)[np.arange(len(labels)), labels].sum(axis=0)
        rows = rows[~is_gold]
    cheapest = np.minimum(weights * sums[0], weights * sums[1]).sum() / len(rows)
    value = np.logaddexp.reduce(rows @ weights, axis=1).mean() - cheapest
    loss = item_log_losses(item_rows(gold, box), weights)[np.arange(len(labels)), labels].mean()
    return float(value), float(loss)


def random_weights(rng: np.random.Generator, aim: GoldAim, problem: Problem) -> FloatArray:
    """Any, but 0 for moments whose weight stays 0."""
    is_free = is_used(aim, problem) & (problem.shares > 0)
    return np.where(is_free, rng.normal(size=len(is_free)) * 2, 0.0)


def is_used(aim: GoldAim, problem: Problem) -> np.ndarray:
    return np.isin(np.arange(len(problem.shares)), aim.used)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("storage", ["dense", "sparse", "shared"])
def test_value_is_that_of_the_game_and_of_gold_in_proportion(
    storage: str, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    if storage == "shared":
        monkeypatch.setattr(shared_features, "_MOST_ROWS", 0)
    pool, box, problem = make_game(1, kind)
    if storage == "dense":
        problem = replace(problem, features=as_rows(problem.features).toarray())
    if storage == "sparse":
        problem = replace(problem, features=sp.csr_array(as_rows(problem.features)))
    kinds = {"dense": np.ndarray, "sparse": sp.csr_array, "shared": SharedFeatures}
    assert isinstance(problem.features, kinds[storage])
    aim = GoldAim.of(box)
    assert aim is not None
    rng = np.random.default_rng(4)
    for caution in (1e-3, 0.2, 0.5, 0.9):
        joined = aim.join(problem, caution)
        assert isinstance(joined.features, kinds[storage])
        for _ in range(5):
            weights = random_weights(rng, aim, problem)
            value, loss = by_items(pool, box, kind, weights)
            assert dual_value(weights, problem) == pytest.approx(value, abs=1e-10)
            expected = caution * value + (1 - caution) * loss
            assert dual_value(weights[aim.used], joined) == pytest.approx(expected, abs=1e-10)


def test_some_weights_are_idle_and_some_are_not() -> None:
    """What the test above leaves at 0: intervals that say nothing, and moments with fewer than three gold items."""
    for kind in KINDS:
        _, box, problem = make_game(1, kind)
        aim = GoldAim.of(box)
        assert aim is not None
        is_open = [low <= least and high >= most for low, high, least, most in zip(*_sides(box), strict=True)]
        assert box.gold_drawn is not None
        is_idle = ~is_used(aim, problem)
        assert is_idle.tolist() == [o or n in (1, 2) for o, n in zip(is_open, box.gold_drawn, strict=True)]
        assert 0 < is_idle.sum() < len(is_idle)
        weights = fit_cautiously(problem, aim, 0.3, None, SEARCH).weights
        assert not weights[is_idle].any()


def _sides(box: tw.Box) -> list[FloatArray]:
    parts: list[Any] = [box.lower, box.upper, box.least, box.most]
    return [np.broadcast_to(np.asarray(part, dtype=float), len(box.names)) for part in parts]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("caution", [0.2, 0.6])
def test_minimum_is_that_of_another_solver(caution: float, kind: Kind) -> None:
    """L-BFGS-B on u = a - b with a, b >= 0, on which -min(u l, u h) is the linear b h - a l."""
    pool, box, problem = make_game(2, kind, n_classes=2)
    aim = GoldAim.of(box)
    assert aim is not None
    fit = fit_cautiously(problem, aim, caution, None, SEARCH)
    rows = as_rows(problem.features).toarray().reshape(-1, 2, len(box.names))
    assert box.gold is not None
    gold, labels = item_rows(box.gold.votes, box), box.gold.labels
    right = gold[np.arange(len(labels)), labels].mean(axis=0)

    def value(parts: FloatArray) -> tuple[float, FloatArray]:
        up, down = np.split(parts, 2)
        total, slope = 0.0, np.zeros(len(up))
        both = ((rows, problem.masses, caution), (gold, np.full(len(gold), 1 / len(gold)), 1 - caution))
        for table, masses, part in both:
            scores = table @ (up - down)
            log_sums = np.logaddexp.reduce(scores, axis=1)
            total += part * float(masses @ log_sums)
            slope += part * np.einsum("i,ic,icm->m", masses, np.exp(scores - log_sums[:, None]), table)
        slope -= (1 - caution) * right
        total -= (1 - caution) * float(right @ (up - down))
        linear = caution * problem.shares * np.array([-problem.lower, problem.upper])
        return total + float(linear[0] @ up + linear[1] @ down), np.concatenate([slope, -slope]) + linear.ravel()

    is_free = is_used(aim, problem) & (problem.shares > 0)
    bounds = [(0, None if free else 0) for free in (*is_free, *is_free)]
    options: Any = {"maxiter": 20000, "maxfun": 100000, "ftol": 1e-15, "gtol": 1e-10}
    other = minimize(value, np.zeros(2 * len(is_free)), jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    up, down = np.split(other.x, 2)
    assert fit.solution.dual_value <= other.fun + 1e-9
    assert fit.solution.dual_value == pytest.approx(other.fun, abs=1e-7)
    assert fit.bound == pytest.approx(by_items(pool, box, kind, fit.weights)[0], abs=1e-10)
    assert by_items(pool, box, kind, up - down)[0] == pytest.approx(fit.bound, abs=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_less_caution_buys_gold_loss_with_the_bound(kind: Kind) -> None:
    """Along c the bound falls and the loss on gold rises; a minimum of a mixture of two could not do otherwise."""
    pool, box, problem = make_game(3, kind)
    aim = GoldAim.of(box)
    fits = [fit_cautiously(problem, aim, caution, None, SEARCH) for caution in (0.05, *reversed(CAUTIONS))]
    values = np.array([by_items(pool, box, kind, fit.weights) for fit in fits])
    np.testing.assert_allclose(values[:, 0], [fit.bound for fit in fits], atol=1e-10)
    assert (np.diff(values[:, 0]) <= 1e-8).all()
    assert (np.diff(values[:, 1]) >= -1e-8).all()
    assert values[0, 0] > values[-1, 0] + 0.01
    assert values[0, 1] < values[-1, 1] - 0.01


@pytest.mark.parametrize("proved", [0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.5])
@pytest.mark.parametrize("kind", KINDS)
def test_auto_is_the_smallest_caution_that_is_close_to_the_best(kind: Kind, proved: float) -> None:
    """By looking at all of them, one after the other; ``proved`` is what the votes prove, in units of the bound."""
    _, box, problem = make_game(5, kind, n_classes=2)
    aim = GoldAim.of(box)
    fits = [fit_cautiously(problem, aim, caution, None, SEARCH) for caution in CAUTIONS]
    best = fits[0].bound
    baseline = (1 + proved) * best
    limit = max(best, min(1.05 * best, best + 0.5 * max(0.0, baseline - best)))
    expected = [fit for fit in fits if fit.bound <= limit][-1]
    chosen = choose_caution(problem, aim, fits[0], baseline, SEARCH)
    assert chosen.caution == expected.caution
    assert chosen.bound == pytest.approx(expected.bound, abs=1e-7)


def test_auto_looks_from_the_game_itself_to_a_fifth_of_it() -> None:
    assert CAUTIONS[0] == 1
    assert CAUTIONS[-1] == 0.2
    assert (np.diff(CAUTIONS) < 0).all()


def test_without_gold_the_game_itself_is_played() -> None:
    truth = np.arange(60) % 2
    votes = tw.Votes(np.column_stack([truth] * 2), n_classes=2)
    box = tw.Box.from_bounds(votes, lower=np.array([0.9, 0.8, 0, 0]), upper=np.ones(4))
    problem, aim = pose_problem(votes, box), GoldAim.of(box)
    game = fit_cautiously(problem, aim, 0.3, None, SEARCH)
    assert aim is None
    assert game.caution == 1
    assert choose_caution(problem, aim, game, 0.5, SEARCH) is game


@pytest.mark.parametrize("seed", range(8))
def test_every_weights_bound_every_labeling_in_the_box(seed: int) -> None:
    """Brute force: all labelings of seven items; weights from the fits at some cautions, and random ones."""
    rng = np.random.default_rng(seed)
    array = rng.integers(-1, 2, size=(7, 3))
    votes = tw.Votes(array, n_classes=2, item_ids=[f"i{i}" for i in range(7)])
    truth = rng.integers(2, size=7)
    box = tw.Box.from_gold(votes.take(range(4)), truth[:4], pool=votes, gold_is="subset", confidence_level=0.3)
    problem = pose_problem(votes, box)
    aim, rows, items = GoldAim.of(box), item_rows(votes, box), np.arange(7)
    plausible = [y for y in map(list, product(range(2), repeat=7)) if _is_inside(rows[items, y], box, votes)]
    assert plausible
    fits: list[CautiousFit] = [fit_cautiously(problem, aim, caution, None, SEARCH) for caution in (1.0, 0.5, 0.1)]
    for weights in [*(fit.weights for fit in fits), *rng.normal(size=(20, len(box.names))) * 2]:
        losses = item_log_losses(rows, weights)
        worst = max(losses[items, y].mean() for y in plausible)
        assert worst <= dual_value(weights, problem) + 1e-9
    for fit in fits:
        assert fit.bound == pytest.approx(dual_value(fit.weights, problem), abs=1e-12)


def _is_inside(chosen: FloatArray, box: tw.Box, votes: tw.Votes) -> bool:
    sizes = box.moments(votes).sizes
    values = chosen.sum(axis=0) / np.maximum(sizes, 1)
    return bool(((sizes == 0) | ((values >= box.lower - 1e-12) & (values <= box.upper + 1e-12))).all())
