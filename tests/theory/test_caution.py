"""Caution: what is minimised, item by item; its minimum by another solver; and a bound for every labeling in the box.

Two aims: gold itself, and what a regression that gold taught says of the game's items. Kills, tried once each: gold
masses without 1 - c; bounds that mix c and 1 - c the other way round; means that are not divided by the share; idle
moments that are not idle; rows of gold put on top of the others' in shared features; the bound taken from what was
minimised; likely labels of all items where pinned ones are not of the game; a regression that hears rules that were
left out.
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
from thumbwise.game import caution
from thumbwise.game.caution import CAUTIONS, Aim, CautiousFit, Search, choose_caution, fit_cautiously
from thumbwise.game.pinning import pose_known_problem, pose_problem
from thumbwise.numerics import shared_features
from thumbwise.numerics.even_panel import first_of_copies
from thumbwise.numerics.maxent import Problem, dual_value
from thumbwise.numerics.shared_features import SharedFeatures, as_rows

SEARCH = Search(1e-9, 200)
Kind = Literal["pinned", "free", "separate"]
KINDS: tuple[Kind, ...] = ("pinned", "free", "separate")
AIMS = ("gold", "taught")


def aim_at(name: str, pool: tw.Votes, box: tw.Box, problem: Problem) -> Aim:
    """Both aims there are; that of a fit is the second."""
    assert box.gold is not None
    if name == "gold":
        return Aim.at_gold(box, box.gold)
    aim = Aim.of(box, pool, problem)
    assert aim is not None
    assert aim.rows is None
    return aim


def likely(box: tw.Box, pool: tw.Votes) -> FloatArray:
    """What the regression says of each item of the pool."""
    (learned,) = (builder for builder in box.builders if isinstance(builder, tw.opinions.LearnedOpinion))
    assert learned.taught is not None
    scores = learned.columns.table(pool.patterns) @ learned.taught
    return np.asarray(np.exp(scores - np.logaddexp.reduce(scores, axis=1)[:, None])[pool.inverse])


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


def by_items(
    pool: tw.Votes, box: tw.Box, kind: Kind, weights: FloatArray, towards: str = "gold"
) -> tuple[float, float]:
    """D(u) and the mean log loss that is aimed at, from single items and the bounds of the box."""
    assert box.gold is not None
    gold, labels = box.gold.votes, box.gold.labels
    rows, in_game = item_rows(pool, box), np.ones(pool.n_items, dtype=bool)
    sums = np.array([s * n for s, n in zip((box.lower, box.upper), [box.moments(pool).sizes] * 2, strict=True)])
    if kind == "pinned":
        in_game = ~np.isin(pool.item_ids, gold.item_ids)
        sums -= item_rows(gold, box)[np.arange(len(labels)), labels].sum(axis=0)
        rows = rows[in_game]
    cheapest = np.minimum(weights * sums[0], weights * sums[1]).sum() / len(rows)
    value = np.logaddexp.reduce(rows @ weights, axis=1).mean() - cheapest
    if towards == "taught":
        loss = (likely(box, pool)[in_game] * item_log_losses(rows, weights)).sum(axis=1).mean()
    else:
        loss = item_log_losses(item_rows(gold, box), weights)[np.arange(len(labels)), labels].mean()
    return float(value), float(loss)


def random_weights(rng: np.random.Generator, aim: Aim, problem: Problem) -> FloatArray:
    """Any, but 0 for moments whose weight stays 0."""
    is_free = is_used(aim, problem) & (problem.shares > 0)
    return np.where(is_free, rng.normal(size=len(is_free)) * 2, 0.0)


def is_used(aim: Aim, problem: Problem) -> np.ndarray:
    return np.isin(np.arange(len(problem.shares)), aim.used)


@pytest.mark.parametrize("towards", AIMS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("storage", ["dense", "sparse", "shared"])
def test_value_is_that_of_the_game_and_of_the_aim_in_proportion(
    storage: str, kind: Kind, towards: str, monkeypatch: pytest.MonkeyPatch
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
    aim = aim_at(towards, pool, box, problem)
    rng = np.random.default_rng(4)
    for share in (1e-3, 0.2, 0.5, 0.9):
        joined = aim.join(problem, share)
        assert isinstance(joined.features, kinds[storage])
        for _ in range(5):
            weights = random_weights(rng, aim, problem)
            value, loss = by_items(pool, box, kind, weights, towards)
            assert dual_value(weights, problem) == pytest.approx(value, abs=1e-10)
            expected = share * value + (1 - share) * loss
            assert dual_value(weights[aim.used], joined) == pytest.approx(expected, abs=1e-10)


def test_some_weights_are_idle_and_some_are_not() -> None:
    """What the test above leaves at 0: intervals that say nothing, and moments with fewer than three gold items."""
    for kind in KINDS:
        pool, box, problem = make_game(1, kind)
        aim = aim_at("taught", pool, box, problem)
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
@pytest.mark.parametrize("share", [0.2, 0.6])
def test_minimum_is_that_of_another_solver(share: float, kind: Kind) -> None:
    """L-BFGS-B on u = a - b with a, b >= 0, on which -min(u l, u h) is the linear b h - a l."""
    pool, box, problem = make_game(2, kind, n_classes=2)
    aim = aim_at("gold", pool, box, problem)
    fit = fit_cautiously(problem, aim, share, None, SEARCH)
    rows = as_rows(problem.features).toarray().reshape(-1, 2, len(box.names))
    assert box.gold is not None
    gold, labels = item_rows(box.gold.votes, box), box.gold.labels
    right = gold[np.arange(len(labels)), labels].mean(axis=0)

    def value(parts: FloatArray) -> tuple[float, FloatArray]:
        up, down = np.split(parts, 2)
        total, slope = 0.0, np.zeros(len(up))
        both = ((rows, problem.masses, share), (gold, np.full(len(gold), 1 / len(gold)), 1 - share))
        for table, masses, part in both:
            scores = table @ (up - down)
            log_sums = np.logaddexp.reduce(scores, axis=1)
            total += part * float(masses @ log_sums)
            slope += part * np.einsum("i,ic,icm->m", masses, np.exp(scores - log_sums[:, None]), table)
        slope -= (1 - share) * right
        total -= (1 - share) * float(right @ (up - down))
        linear = share * problem.shares * np.array([-problem.lower, problem.upper])
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


@pytest.mark.parametrize("towards", AIMS)
@pytest.mark.parametrize("kind", KINDS)
def test_less_caution_buys_likely_loss_with_the_bound(kind: Kind, towards: str) -> None:
    """Along c the bound falls and the likely loss rises; a minimum of a mixture of two could not do otherwise."""
    pool, box, problem = make_game(3, kind)
    aim = aim_at(towards, pool, box, problem)
    fits = [fit_cautiously(problem, aim, c, None, SEARCH) for c in (0.02, *reversed(CAUTIONS))]
    values = np.array([by_items(pool, box, kind, fit.weights, towards) for fit in fits])
    np.testing.assert_allclose(values[:, 0], [fit.bound for fit in fits], atol=1e-10)
    assert (np.diff(values[:, 0]) <= 1e-8).all()
    assert (np.diff(values[:, 1]) >= -1e-8).all()
    assert values[0, 0] > values[-1, 0] + 0.01
    assert values[0, 1] < values[-1, 1] - 0.01


@pytest.mark.parametrize("proved", [-0.1, 0.01, 0.04, 0.06, 0.1, 0.15, 0.3, 0.6])
@pytest.mark.parametrize("kind", KINDS)
def test_auto_is_the_smallest_caution_that_is_close_to_the_best(kind: Kind, proved: float) -> None:
    """By looking at all of them, one after the other; ``proved`` is what votes prove, as a part of the baseline."""
    pool, box, problem = make_game(5, kind, n_classes=2)
    aim = aim_at("taught", pool, box, problem)
    fits = [fit_cautiously(problem, aim, c, None, SEARCH) for c in CAUTIONS]
    best = fits[0].bound
    baseline = best / (1 - proved)
    limit = 1.1 * best if proved < 0.05 else min(1.1 * best, (best + baseline) / 2)
    expected = [fit for fit in fits if fit.bound <= limit][-1]
    chosen = choose_caution(problem, aim, fits[0], baseline, SEARCH)
    assert chosen.caution == expected.caution
    assert chosen.bound == pytest.approx(expected.bound, abs=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_where_the_aim_is_at_gold_auto_gives_half_as_much_away(kind: Kind) -> None:
    pool, box, problem = make_game(5, kind, n_classes=2)
    aim = aim_at("gold", pool, box, problem)
    fits = [fit_cautiously(problem, aim, c, None, SEARCH) for c in CAUTIONS]
    expected = [fit for fit in fits if fit.bound <= 1.05 * fits[0].bound][-1]
    assert choose_caution(problem, aim, fits[0], fits[0].bound, SEARCH).caution == expected.caution


def test_auto_looks_from_the_game_itself_to_a_twentieth_of_it() -> None:
    assert CAUTIONS[0] == 1
    assert CAUTIONS[-1] == 0.05
    assert (np.diff(CAUTIONS) < 0).all()


def test_with_few_rules_the_regression_is_taught_anew_and_where_it_is_large_the_aim_is_at_gold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Taught by gold of the box alone: the mean of the fits of :class:`Stack`."""
    pool, box, problem = make_game(7, "free", n_rules=3)
    assert not any(isinstance(builder, tw.opinions.LearnedOpinion) for builder in box.builders)
    aim = aim_at("taught", pool, box, problem)
    assert box.gold is not None
    stack = tw.Stack(tol=1e-9).fit(pool, gold_votes=box.gold.votes, gold_labels=box.gold.labels)
    scores = stack.columns_.scores(pool.patterns, stack.fits_.mean(axis=0))
    proba = np.exp(scores - np.logaddexp.reduce(scores, axis=1)[:, None])[pool.inverse]
    by_item = np.einsum("ic,icm->m", proba, item_rows(pool, box)) / pool.n_items
    np.testing.assert_allclose(aim.totals, by_item[aim.used], atol=1e-6)
    monkeypatch.setattr(caution, "_MOST_PRODUCTS", 10)
    large = Aim.of(box, pool, problem)
    assert large is not None
    assert large.rows is not None


def silenced(votes: tw.Votes, rule: int) -> tw.Votes:
    array = votes.array.copy()
    array[:, rule] = -1
    return tw.Votes(array, n_classes=votes.n_classes, rule_names=votes.rule_names)


@pytest.mark.parametrize("left_out", [0, 1])
def test_the_regression_hears_the_rules_that_the_box_says_something_about(left_out: int) -> None:
    """It is that of votes which the rule never cast; a copy of the rule that is not left out is heard."""
    pool, box, problem = make_game(7, "free", n_rules=4)
    assert box.gold is not None
    less = box.without_rules(f"rule_{left_out}")
    aim = Aim.of(less, pool, problem.with_bounds(less.lower, less.upper))
    assert aim is not None
    assert aim.rows is None
    assert not any(box.about[m].rule == f"rule_{left_out}" for m in aim.used)
    stack = tw.Stack(tol=1e-9)
    others = silenced(pool, left_out)
    stack.fit(others, gold_votes=silenced(box.gold.votes, left_out), gold_labels=box.gold.labels)
    scores = stack.columns_.scores(others.patterns, stack.fits_.mean(axis=0))
    proba = np.exp(scores - np.logaddexp.reduce(scores, axis=1)[:, None])[others.inverse]
    by_item = np.einsum("ic,icm->m", proba, item_rows(pool, box)) / pool.n_items
    np.testing.assert_allclose(aim.totals, by_item[aim.used], atol=1e-6)
    every = aim_at("taught", pool, box, problem)
    assert np.abs(every.totals[np.isin(every.used, aim.used)] - aim.totals).max() > 1e-3


def test_of_copies_the_first_that_is_heard_counts() -> None:
    votes = tw.Votes([[0, 0, 1, 0], [1, 1, 0, 1], [0, 0, 0, -1]], n_classes=2)
    assert first_of_copies(votes.patterns).tolist() == [1, 0, 1, 1]
    assert first_of_copies(votes.patterns, np.array([False, True, True, False])).tolist() == [0, 1, 1, 0]


def test_where_the_box_says_nothing_about_what_was_learned_or_any_rule_the_aim_is_at_gold() -> None:
    for n_rules in (3, 6):
        pool, box, problem = make_game(7, "free", n_rules=n_rules)
        less = box.without_rules([f"rule_{j}" for j in range(n_rules if n_rules == 3 else 1)])
        aim = Aim.of(less, pool, problem.with_bounds(less.lower, less.upper))
        assert aim is not None
        assert aim.rows is not None


def test_without_gold_the_game_itself_is_played() -> None:
    truth = np.arange(60) % 2
    votes = tw.Votes(np.column_stack([truth] * 2), n_classes=2)
    box = tw.Box.from_bounds(votes, lower=np.array([0.9, 0.8, 0, 0]), upper=np.ones(4))
    problem = pose_problem(votes, box)
    aim = Aim.of(box, votes, problem)
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
    aim, rows, items = Aim.of(box, votes, problem), item_rows(votes, box), np.arange(7)
    plausible = [y for y in map(list, product(range(2), repeat=7)) if _is_inside(rows[items, y], box, votes)]
    assert plausible
    fits: list[CautiousFit] = [fit_cautiously(problem, aim, c, None, SEARCH) for c in (1.0, 0.5, 0.1)]
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
