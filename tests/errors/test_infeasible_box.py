"""A box that no labeling satisfies: refused with a proof that can be checked, or widened as little as possible."""

from __future__ import annotations

import math
import pickle

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import linprog

from thumbwise import BalsubramaniFreund, Box, InfeasibleBoxError, Votes

from .messages import assert_says

Floats = npt.NDArray[np.float64]


def moment_rows(votes: Votes) -> Floats:
    """One row per moment, one column per (item, class): moments(z) = rows @ z."""
    n, k = votes.n_items, votes.n_classes
    rows = np.zeros((votes.n_rules + k, n, k))
    for rule in range(votes.n_rules):
        items = np.flatnonzero(votes.array[:, rule] >= 0)
        rows[rule, items, votes.array[items, rule]] = 1 / max(1, len(items))
    for c in range(k):
        rows[votes.n_rules + c, :, c] = 1 / n
    return rows.reshape(len(rows), n * k)


def is_feasible(votes: Votes, lower: Floats, upper: Floats) -> bool:
    rows = moment_rows(votes)
    one_class = np.kron(np.eye(votes.n_items), np.ones(votes.n_classes))
    answer = linprog(
        np.zeros(rows.shape[1]),
        np.vstack([rows, -rows]),
        np.r_[upper, -lower],
        one_class,
        np.ones(votes.n_items),
        (0, 1),
    )
    return bool(answer.status == 0)


def dual_value(votes: Votes, lower: Floats, upper: Floats, weights: Floats) -> float:
    """Mean over items of log sum over classes of exp(score), minus share times the cheapest moment, written out."""
    p, k = votes.n_rules, votes.n_classes
    total = 0.0
    for row in votes.array.tolist():
        scores = [weights[p + c] + sum(weights[j] for j in range(p) if row[j] == c) for c in range(k)]
        top = max(scores)
        total += top + math.log(sum(math.exp(score - top) for score in scores))
    shares = [*(votes.array >= 0).mean(axis=0), *[1.0] * k]
    cheapest = [
        share * min(u * low, u * high) for share, u, low, high in zip(shares, weights, lower, upper, strict=True)
    ]
    return float(total / votes.n_items - sum(cheapest))


def infeasible_problem(seed: int) -> tuple[Votes, Floats, Floats]:
    """Random rules that are all claimed to be nearly perfect."""
    rng = np.random.default_rng(seed)
    k = 2 + seed % 3
    array = rng.integers(-1, k, (40, 4))
    votes = Votes(array, n_classes=k)
    lower, upper = np.r_[rng.uniform(0.75, 0.95, 4), np.zeros(k)], np.ones(4 + k)
    if seed % 2:
        lower[4:], upper[4:] = 0.8 / k, 1.2 / k
    assert not is_feasible(votes, lower, upper)
    return votes, lower, upper


def raised(votes: Votes, lower: Floats, upper: Floats) -> InfeasibleBoxError:
    box = Box.from_bounds(votes, lower=lower, upper=upper)
    with pytest.raises(InfeasibleBoxError) as caught:
        BalsubramaniFreund().fit(votes, box=box)
    return caught.value


def stretched(lower: Floats, upper: Floats, factor: float) -> tuple[Floats, Floats]:
    centre, half = (upper + lower) / 2, (upper - lower) / 2
    return centre - factor * half, centre + factor * half


SEEDS = range(6)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_proof_holds_when_computed_by_other_means(seed: int) -> None:
    votes, lower, upper = infeasible_problem(seed)
    error = raised(votes, lower, upper)
    value = dual_value(votes, lower, upper, error.weights)
    assert value < 0
    assert value == pytest.approx(error.dual_value, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_named_moments_alone_contradict_each_other(seed: int) -> None:
    votes, lower, upper = infeasible_problem(seed)
    error = raised(votes, lower, upper)
    names = Box.from_bounds(votes).names
    assert set(error.conflicting) <= set(names)
    named = np.isin(names, error.conflicting)
    assert not is_feasible(votes, np.where(named, lower, 0), np.where(named, upper, 1))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_widening_factor_is_the_least_one(seed: int) -> None:
    votes, lower, upper = infeasible_problem(seed)
    factor = raised(votes, lower, upper).widening_factor
    assert factor > 1
    assert is_feasible(votes, *stretched(lower, upper, factor * (1 + 1e-4)))
    assert not is_feasible(votes, *stretched(lower, upper, factor * (1 - 1e-3)))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_widening_amount_is_the_least_one(seed: int) -> None:
    votes, lower, upper = infeasible_problem(seed)
    amount = raised(votes, lower, upper).widening_amount
    assert amount > 0
    assert is_feasible(votes, lower - amount * (1 + 1e-4), upper + amount * (1 + 1e-4))
    assert not is_feasible(votes, lower - amount * (1 - 1e-3), upper + amount * (1 - 1e-3))


@pytest.mark.parametrize("seed", SEEDS)
def test_fit_agrees_just_inside_and_just_outside(seed: int) -> None:
    votes, lower, upper = infeasible_problem(seed)
    factor = raised(votes, lower, upper).widening_factor
    for slack, feasible in ((1 + 1e-3, True), (1 - 1e-3, False)):
        low, high = (np.clip(bound, 0, 1) for bound in stretched(lower, upper, factor * slack))
        if feasible:
            model = BalsubramaniFreund().fit(votes, box=Box.from_bounds(votes, lower=low, upper=high))
            assert model.certificate_.box_violation <= 1e-9
        else:
            raised(votes, low, high)


def test_a_contradiction_with_a_known_answer() -> None:
    """Rules that always disagree cannot both be right in 80 %: the shortfall is 0.3, or four half-widths of 0.1."""
    votes = Votes([[0, 1], [1, 0]] * 10, rule_names=["yes", "no"])
    error = raised(votes, np.array([0.8, 0.8, 0, 0]), np.ones(4))
    assert set(error.conflicting) == {"accuracy(yes)", "accuracy(no)"}
    assert error.widening_factor == pytest.approx(4)
    assert error.widening_amount == pytest.approx(0.3)
    assert_says(
        str(error),
        "accuracy(yes)",
        "accuracy(no)",
        "In conflict (2)",
        "4 times as wide",
        "0.3",
        'on_infeasible="widen"',
    )


def test_exact_contradictions_cannot_be_stretched() -> None:
    """Intervals of width zero stay so whatever the factor."""
    votes = Votes([[0, 1], [1, 0]] * 10)
    exact = np.array([0.8, 0.8, 0.5, 0.5])
    error = raised(votes, exact, exact)
    assert error.widening_factor == np.inf
    assert error.widening_amount == pytest.approx(0.3)
    assert_says(str(error), "moved outward by 0.3")
    assert "inf" not in str(error).replace("infeasible", "")


def test_class_frequencies_that_do_not_add_up() -> None:
    votes = Votes([[0, 1], [1, 1], [0, -1]], n_classes=3)
    error = raised(votes, np.zeros(5), np.array([1, 1, 0.3, 0.3, 0.3]))
    assert set(error.conflicting) == {"frequency(0)", "frequency(1)", "frequency(2)"}
    assert (error.weights[2:] < 0).all()


def test_rules_without_part_in_the_contradiction_are_not_named() -> None:
    rng = np.random.default_rng(0)
    quarrel = np.vstack([[[0, 1], [1, 0]] * 15, np.full((30, 2), -1)])
    others = np.vstack([np.full((30, 2), -1), rng.integers(0, 2, (30, 2))])
    votes = Votes(np.hstack([quarrel, others]))
    error = raised(votes, np.array([0.9, 0.9, 0.4, 0.4, 0, 0]), np.ones(6))
    assert set(error.conflicting) == {"accuracy(rule_0)", "accuracy(rule_1)"}


@pytest.mark.parametrize("seed", SEEDS)
def test_the_error_survives_pickling(seed: int) -> None:
    error = raised(*infeasible_problem(seed))
    copy = pickle.loads(pickle.dumps(error))
    assert copy.conflicting == error.conflicting
    assert copy.widening_factor == error.widening_factor
    np.testing.assert_array_equal(copy.weights, error.weights)
    assert str(copy) == str(error)


@pytest.mark.parametrize("seed", SEEDS)
def test_widening_on_demand_gives_an_answer_without_a_guarantee(seed: int) -> None:
    votes, lower, upper = infeasible_problem(seed)
    error = raised(votes, lower, upper)
    box = Box.from_bounds(votes, lower=lower, upper=upper)
    model = BalsubramaniFreund(on_infeasible="widen").fit(votes, box=box)
    proba = model.predict_proba(votes)
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=0, atol=1e-12)
    certificate = model.certificate_
    assert certificate.widening is not None
    assert certificate.widening.factor == pytest.approx(error.widening_factor)
    assert not certificate.is_guarantee
    said = str(certificate)
    assert said.startswith("No guarantee")
    assert "contradicted" in said
    assert f"{error.widening_factor:.4g}" in said
    low, high = stretched(lower, upper, error.widening_factor)
    values = moment_rows(votes) @ proba.ravel()
    assert (values >= low - 1e-4).all()
    assert (values <= high + 1e-4).all()


def test_widening_of_exact_contradictions_moves_the_bounds() -> None:
    votes = Votes([[0, 1], [1, 0]] * 10)
    exact = np.array([0.8, 0.8, 0.5, 0.5])
    model = BalsubramaniFreund(on_infeasible="widen").fit(votes, box=Box.from_bounds(votes, lower=exact, upper=exact))
    np.testing.assert_allclose(model.predict_proba(votes), 0.5, rtol=0, atol=1e-4)
    assert "moved outward by 0.3" in str(model.certificate_)


def test_a_feasible_box_is_not_widened() -> None:
    votes = Votes([[0, 0], [1, 1], [0, 1]])
    box = Box.from_bounds(votes, {"rule_0": (0.6, 1)})
    careless, careful = (BalsubramaniFreund(on_infeasible=choice).fit(votes, box=box) for choice in ("widen", "raise"))
    assert careless.certificate_.widening is None
    assert careless.certificate_.is_guarantee
    np.testing.assert_array_equal(careless.weights_, careful.weights_)


def test_the_recipe_without_guarantee_says_so() -> None:
    votes = Votes(np.random.default_rng(0).integers(0, 2, (50, 2)))
    box = Box.from_gold(
        votes.take(np.arange(10)),
        [0, 1] * 5,
        pool=votes,
        gold_is="subset",
        interval="wilson",
        joint=False,
        symmetric=True,
    )
    assert not box.evidence.is_guarantee
    assert str(BalsubramaniFreund(on_infeasible="widen").fit(votes, box=box).certificate_).startswith("No guarantee")
