"""What the solver returns satisfies the optimality conditions, computed item by item with a formula it does not use."""

from __future__ import annotations

import numpy as np
import pytest

import thumbwise as tw
from support.problems import SmallProblem, item_dual, item_moments, make_problem, pose
from thumbwise.numerics.solver import solve_dual


def item_kkt(small: SmallProblem, weights: np.ndarray, proba: np.ndarray) -> float:
    """Largest violation of: u > 0 needs m = lower, u < 0 needs m = upper, u = 0 needs lower <= m <= upper."""
    used = np.append((small.votes.array >= 0).any(axis=0), [True] * small.votes.n_classes)
    worst = 0.0
    for m, value in enumerate(item_moments(small.votes, proba)):
        if not used[m]:
            assert weights[m] == 0
        elif weights[m] > 0:
            worst = max(worst, abs(value - small.lower[m]))
        elif weights[m] < 0:
            worst = max(worst, abs(value - small.upper[m]))
        else:
            worst = max(worst, small.lower[m] - value, value - small.upper[m])
    return worst


@pytest.mark.parametrize("block", range(10))
def test_optimality_conditions_hold(block: int) -> None:
    n_checked = 0
    for seed in range(2000 + 20 * block, 2020 + 20 * block):
        small = make_problem(seed)
        try:
            model = tw.BalsubramaniFreund().fit(small.votes, box=small.box)
        except tw.InfeasibleBoxError as error:
            assert item_dual(small.votes, error.weights, small.lower, small.upper) < 0
            continue
        n_checked += 1
        proba = model.predict_proba(small.votes)
        assert item_kkt(small, model.weights_, proba) <= 1.1e-9, f"seed {seed}"
        assert np.isfinite(model.weights_).all()
        bound = item_dual(small.votes, model.weights_, small.lower, small.upper)
        assert model.certificate_.log_loss_bound == pytest.approx(max(0, bound), abs=1e-12)
    assert n_checked >= 8


@pytest.mark.parametrize("seed", range(20))
def test_the_gap_closes(seed: int) -> None:
    """Dual value and entropy of the prediction meet at the optimum, which lies in the box."""
    small = make_problem(seed)
    try:
        certificate = tw.BalsubramaniFreund().fit(small.votes, box=small.box).certificate_
    except tw.InfeasibleBoxError:
        return
    assert certificate.gap == pytest.approx(0, abs=1e-6)
    assert certificate.box_violation <= 1e-9


@pytest.mark.parametrize("accuracy", [0.0, 0.05, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_one_rule_alone_has_the_closed_form(n_classes: int, accuracy: float) -> None:
    """Nothing but an accuracy b is known: the vote gets probability b, the other classes share the rest."""
    votes = tw.Votes(np.arange(4 * n_classes).reshape(-1, 1) % n_classes)
    box = tw.Box.from_bounds(votes, {"rule_0": (accuracy, accuracy)})
    model = tw.BalsubramaniFreund().fit(votes, box=box)
    proba = model.predict_proba(votes)
    at_vote = proba[np.arange(votes.n_items), votes.array[:, 0]]
    np.testing.assert_allclose(at_vote, accuracy, atol=2e-9)
    if 0 < accuracy < 1:
        expected = np.log(accuracy * (n_classes - 1) / (1 - accuracy))
        assert model.weights_[0] == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("pinned", [0.0, 1.0])
def test_contradicting_pinned_rules_are_infeasible(pinned: float) -> None:
    votes = tw.Votes([[0, 1], [1, 0], [0, 1]])
    box = tw.Box.from_bounds(votes, {"rule_0": (pinned, pinned), "rule_1": (pinned, pinned)})
    with pytest.raises(tw.InfeasibleBoxError) as caught:
        tw.BalsubramaniFreund().fit(votes, box=box)
    assert set(caught.value.conflicting) == {"accuracy(rule_0)", "accuracy(rule_1)"}
    assert caught.value.widening_amount == pytest.approx(0.5, abs=1e-6)
    assert caught.value.widening_factor == np.inf


def test_warm_start_at_the_optimum_needs_no_iteration() -> None:
    small = make_problem(4)
    problem = pose(small)
    first = solve_dual(problem)
    again = solve_dual(problem, start=first.weights)
    assert first.n_iter > 0
    assert again.n_iter == 0
    np.testing.assert_array_equal(again.weights, first.weights)
