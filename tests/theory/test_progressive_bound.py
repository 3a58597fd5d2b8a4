"""The progressive bound against the whole inequality, item by item and label by label.

With E_o the product of order o, at the true classes, the bound less the true mean of the losses is
(sum over orders of log(1 / error) - log E_o) / (sum of stakes as shares of the pool), so the bound fails exactly if the
mean of log E exceeds log(1 / error). The right side is computed from the classes of all items, which the library never
sees.

Kills, tried once each: the known losses of drawn items with the other sign, or left out; n_population without the gold
outside of it; log1p with the other sign; a guess, a stake or a lesson that has seen its own label; a boldness of 1.05;
a loss without its entropy; another floor.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import binom

from support.progressive_by_item import Case, Recording, Walk, make_case, recording, walk
from thumbwise.numerics import progressive
from thumbwise.numerics.progressive import ProgressiveBound, bound_progressively, lesson_starts, seeded_orders
from thumbwise.numerics.stack_columns import StackColumns

ERROR = 0.1
SIZES = [(40, 35, 5, 2), (60, 31, 4, 3), (90, 40, 3, 2)]


def choose(case: Case) -> StackColumns:
    return StackColumns.choose(case.population.patterns, len(case.gold))


def bound(case: Case, error: float = ERROR) -> tuple[ProgressiveBound, Recording]:
    with recording() as record:
        progress = bound_progressively(case.gold_rows, case.pool.patterns, choose(case), error)
    return progress, record


def walks(case: Case, record: Recording) -> list[Walk]:
    orders = seeded_orders(len(case.gold), len(case.in_pool))
    columns = choose(case)
    return [walk(case, columns, record, o, positions) for o, positions in enumerate(orders)]


@pytest.mark.parametrize("is_outside", [False, True])
@pytest.mark.parametrize("sizes", SIZES)
def test_slack_is_what_the_products_leave_of_the_price(sizes: tuple[int, int, int, int], is_outside: bool) -> None:
    case = make_case(np.random.default_rng(sizes), *sizes, is_outside)
    progress, record = bound(case)
    walked = walks(case, record)
    staked = math.fsum(one.staked for one in walked)
    slack = math.fsum(math.log(1 / ERROR) - one.log_capital for one in walked) / staked
    losses = [math.fsum(parts) / staked for parts in zip(*(one.on_pool for one in walked), strict=True)]
    of_truth = progress.losses[case.pool.inverse, case.truth[case.in_pool]]
    np.testing.assert_allclose(of_truth, losses, rtol=0, atol=1e-9)
    assert progress.bound - of_truth.mean() == pytest.approx(slack, abs=1e-9)
    mean_log = math.fsum(one.log_capital for one in walked) / len(walked)
    assert (of_truth.mean() > progress.bound) == (mean_log > math.log(1 / ERROR))
    assert len(walked) == 4


@pytest.mark.parametrize("is_outside", [False, True])
def test_it_fails_exactly_where_the_products_win(is_outside: bool) -> None:
    """An allowed error near 1 makes failures frequent, so that the sign is compared on both sides."""
    signs = set()
    for seed in range(40):
        case = make_case(np.random.default_rng(seed), 40, 30, 3, 2, is_outside)
        progress, record = bound(case, error=0.999)
        walked = walks(case, record)
        fails = progress.losses[case.pool.inverse, case.truth[case.in_pool]].mean() > progress.bound
        assert fails == (math.fsum(one.log_capital for one in walked) / len(walked) > math.log(1 / 0.999))
        signs.add(bool(fails))
        if len(signs) == 2 and seed >= 5:
            return
    raise AssertionError("all cases have the same sign")


@pytest.mark.parametrize("is_outside", [False, True])
@pytest.mark.parametrize("sizes", SIZES)
def test_no_stake_can_lose_everything(sizes: tuple[int, int, int, int], is_outside: bool) -> None:
    """Whatever item comes: with the largest loss of any item and class, computed by hand."""
    case = make_case(np.random.default_rng(sizes), *sizes, is_outside)
    for error in (0.5, 0.05, 1e-12):
        _, record = bound(case, error)
        for order, one in enumerate(walks(case, record)):
            for (stake, guess), most, recorded in zip(record.bets[order], one.most, record.most[order], strict=True):
                assert recorded == pytest.approx(most, abs=1e-12)
                assert 0 < stake * (most - guess) < 1


@pytest.mark.parametrize("is_silent", [False, True])
def test_stakes_and_guesses_by_their_formulas(is_silent: bool) -> None:
    """The guess is a mean with a hundred labels of loss 0 before; the variance likewise, with the predictor's own.

    Where nobody votes, predictors begin with an even guess, which expects no variance at all.
    """
    case = make_case(np.random.default_rng(3), 80, 40, 4, 2, is_outside=False)
    if is_silent:
        case = replace(case, rows=np.full_like(case.rows, -1))
    _, record = bound(case)
    for order, one in enumerate(walks(case, record)):
        total, squares = 0.0, 0.0
        for t, loss in enumerate(one.losses):
            guess = total / (100 + t)
            variance = (100 * max(one.variances[t], 1e-3) + squares) / (100 + t)
            stake = min(math.sqrt(2 * math.log(1 / ERROR) / (variance * 40)), 0.9 / max(one.most[t] - guess, 1e-9))
            assert record.bets[order][t] == pytest.approx((stake, guess), abs=1e-12)
            total, squares = total + loss, squares + (loss - guess) ** 2


@pytest.mark.parametrize("is_outside", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_what_is_decided_knows_the_past_alone(n_classes: int, is_outside: bool) -> None:
    """With other labels from some t on, lessons, guesses and stakes up to t are the same to the last bit."""
    case = make_case(np.random.default_rng(n_classes), 70, 40, 5, n_classes, is_outside)
    _, before = bound(case)
    for order, positions in enumerate(seeded_orders(40, len(case.in_pool))):
        for t in (0, 7, 20, 39):
            later = case.gold[positions[t:]]
            truth = case.truth.copy()
            truth[later] = (truth[later] + 1) % n_classes
            _, after = bound(replace(case, truth=truth))
            assert before.bets[order][: t + 1] == after.bets[order][: t + 1]
            pairs = zip(before.lessons[order], after.lessons[order], strict=True)
            settled = [pair for pair in pairs if pair[0].start <= t]
            assert all(a.start == b.start and np.array_equal(a.weights, b.weights) for a, b in settled)
            assert t == 39 or before.bets[order] != after.bets[order]


def test_what_is_decided_before_labels_knows_no_label() -> None:
    """Orders, columns and places of the lessons, with other labels and with other gold items of the same number."""
    case = make_case(np.random.default_rng(8), 70, 40, 5, 2, is_outside=False)
    other = replace(case, truth=1 - case.truth, gold=np.setdiff1d(np.arange(70), case.gold[:30]))
    starts = []
    for one in (case, other):
        columns = choose(one)
        table = columns.table(one.gold_rows.patterns)[one.gold_rows.place]
        starts.append(list(lesson_starts(40, one.pool.patterns, table)))
    assert starts[0] == starts[1] == list(range(0, 40, 5))
    for a, b in zip(seeded_orders(40, 70), seeded_orders(40, 70), strict=True):
        assert np.array_equal(a, b)
        assert sorted(a.tolist()) == list(range(40))


@pytest.mark.parametrize("is_outside", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_products_do_not_grow_in_the_mean_over_all_draws(
    seed: int, is_outside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every ordered draw of four out of six items, each label taught before the next: no simulation."""
    monkeypatch.setattr(progressive, "seeded_orders", lambda n_gold, n_pool: [np.arange(n_gold)])
    monkeypatch.setattr(progressive, "_SHORTEST", 1)
    population = make_case(np.random.default_rng(seed), 6, 4, 3, 2, is_outside)
    columns, capitals = choose(population), []
    for gold in permutations(range(6), 4):
        case = replace(population, gold=np.array(gold))
        with recording() as record:
            bound_progressively(case.gold_rows, case.pool.patterns, columns, 0.5)
        assert [lesson.start for lesson in record.lessons[0]] == [0, 1, 2, 3]
        capitals.append(math.exp(walk(case, columns, record, 0, np.arange(4)).log_capital))
    assert 0.5 < np.mean(capitals) <= 1 + 1e-12
    assert max(capitals) > 1.01


@pytest.mark.parametrize("is_outside", [False, True])
def test_it_holds_as_often_as_it_says(is_outside: bool) -> None:
    """A bound that may fail in half of the draws; the alarm is false once in a million runs if it fails that often."""
    rng, n_draws, error, n_fails = np.random.default_rng(17), 90, 0.5, 0
    population = make_case(rng, 80, 35, 4, 2, is_outside)
    columns = choose(population)
    for _ in range(n_draws):
        case = replace(population, gold=rng.permutation(80)[:35])
        progress = bound_progressively(case.gold_rows, case.pool.patterns, columns, error)
        n_fails += int(progress.losses[case.pool.inverse, case.truth[case.in_pool]].mean() > progress.bound)
    assert n_fails <= binom.isf(1e-6, n_draws, error)
    assert n_fails > 0  # a bound that never fails would pass as well
