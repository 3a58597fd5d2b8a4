"""The dual value against an independent solver of the primal: the largest entropy of a labeling in the box.

Kills, tried once: exchanging lower and upper in the penalty; forgetting the share in front of it; dropping abstentions
from the denominators of accuracies.
"""

from __future__ import annotations

import warnings

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog

import thumbwise as tw
from support.problems import FloatArray, SmallProblem, item_features, item_moments, make_problem


def possible_cells(values: FloatArray, sums: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray | None:
    """Cells (item, class) that are positive in some labeling of the box, from one linear program; None if it is empty.

    Maximises the sum of t <= 1 with t <= z for z in the cone over the box, so that t is 1 wherever z can be positive.
    A solver of the entropy needs to know: cells that must be 0 lie outside the interior of its cone.
    """
    n_moments, n_cells = values.shape
    n_items = len(sums)
    columns = [values, -values, np.zeros((n_items, n_cells)), -np.eye(n_cells)]
    scale = [-upper, lower, np.zeros(n_items), np.zeros(n_cells)]
    t = [np.zeros((n_moments, n_cells))] * 2 + [np.zeros((n_items, n_cells)), np.eye(n_cells)]
    limits = np.hstack([np.vstack(columns), np.vstack(t), np.concatenate(scale)[:, None]])
    total = np.hstack([sums, np.zeros((n_items, n_cells)), -np.ones((n_items, 1))])
    cost = np.concatenate([np.zeros(n_cells), -np.ones(n_cells), [0]])
    bounds = [(0, None)] * n_cells + [(0, 1)] * n_cells + [(1, 1e7)]
    answer = linprog(cost, limits, np.zeros(len(limits)), total, np.zeros(n_items), bounds, method="highs")
    return None if answer.x is None else np.asarray(answer.x[n_cells : 2 * n_cells] > 0.5)


def largest_entropy(problem: SmallProblem) -> float:
    """Mean entropy of the labeling of largest entropy, item by item; minus infinity if the box is empty."""
    votes = problem.votes
    features = item_features(votes)
    sizes = features.max(axis=1).sum(axis=0)
    used = np.flatnonzero(sizes > 0)
    values = (features.reshape(-1, features.shape[2])[:, used] / sizes[used]).T
    sums = np.kron(np.eye(votes.n_items), np.ones(votes.n_classes)).astype(float)
    lower, upper = problem.lower[used], problem.upper[used]
    possible = possible_cells(values, sums, lower, upper)
    if possible is None:
        return -np.inf
    labeling = cp.Variable(int(possible.sum()))
    moments = values[:, possible] @ labeling
    is_equality = lower == upper
    constraints = [sums[:, possible] @ labeling == 1]
    if is_equality.any():
        constraints.append(moments[is_equality] == lower[is_equality])
    if not is_equality.all():
        constraints += [moments[~is_equality] >= lower[~is_equality], moments[~is_equality] <= upper[~is_equality]]
    game = cp.Problem(cp.Maximize(cp.sum(cp.entr(labeling)) / votes.n_items), constraints)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        game.solve(solver=cp.CLARABEL)
    return float(game.value)


@pytest.mark.parametrize("block", range(10))
def test_dual_value_equals_the_largest_entropy(block: int) -> None:
    """Three hundred problems, ten blocks; that both outcomes occur is checked below."""
    for seed in range(30 * block, 30 * block + 30):
        problem = make_problem(seed)
        expected = largest_entropy(problem)
        try:
            model = tw.BalsubramaniFreund(tol=1e-9).fit(problem.votes, box=problem.box)
        except tw.InfeasibleBoxError as error:
            assert expected == -np.inf, f"seed {seed}: called infeasible, but a labeling has entropy {expected}"
            assert error.dual_value < 0
            continue
        assert model.certificate_.log_loss_bound == pytest.approx(expected, abs=1e-6), f"seed {seed}"
        reached = item_moments(problem.votes, model.predict_proba(problem.votes))
        used = np.append((problem.votes.array >= 0).any(axis=0), [True] * problem.votes.n_classes)
        assert np.maximum(problem.lower - reached, reached - problem.upper)[used].max() <= 1e-8, f"seed {seed}"


def test_the_problems_include_feasible_and_infeasible_ones() -> None:
    outcomes = []
    for seed in range(300):
        problem = make_problem(seed)
        try:
            tw.BalsubramaniFreund().fit(problem.votes, box=problem.box)
            outcomes.append(True)
        except tw.InfeasibleBoxError:
            outcomes.append(False)
    assert 30 <= sum(outcomes) <= 270
