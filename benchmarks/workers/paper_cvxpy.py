"""The same game through CVXPY and Clarabel, item by item.

Arguments: DIRECTORY primal|dual.

primal: the labeling of largest mean entropy, one probability vector an item, with all moments inside the box.
dual: Theorem 2 of the paper; one weight a moment, one log-sum-exp an item.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import cvxpy
import numpy as np
import numpy.typing as npt

from benchmarks.workers.measuring import Stopwatch, report

FloatArray = npt.NDArray[np.float64]
N_CLASSES = 2
cp: Any = cvxpy  # hides its functions from type checkers


def solve_primal(votes: npt.NDArray[np.int8], lower: FloatArray, upper: FloatArray) -> tuple[float, FloatArray]:
    n_items, n_rules = votes.shape
    labeling = cp.Variable((n_items, N_CLASSES), nonneg=True)
    classes = np.arange(N_CLASSES)
    accuracies = [
        cp.sum(cp.multiply(labeling, (votes[:, [j]] == classes).astype(float))) / max(1, np.sum(votes[:, j] >= 0))
        for j in range(n_rules)
    ]
    moments = cp.hstack([*accuracies, cp.sum(labeling, axis=0) / n_items])
    problem = cp.Problem(
        cp.Maximize(cp.sum(cp.entr(labeling)) / n_items),
        [cp.sum(labeling, axis=1) == 1, moments >= lower, moments <= upper],
    )
    problem.solve(solver=cp.CLARABEL)
    return float(problem.value), np.asarray(labeling.value)


def solve_dual(votes: npt.NDArray[np.int8], lower: FloatArray, upper: FloatArray) -> tuple[float, FloatArray]:
    n_items, n_rules = votes.shape
    weights = cp.Variable(n_rules + N_CLASSES)
    scores = _scores(votes, weights)
    sizes = np.append(np.sum(votes >= 0, axis=0), [n_items] * N_CLASSES)
    middle, half = sizes * (lower + upper) / 2, sizes * (upper - lower) / 2
    total = cp.sum(cp.log_sum_exp(scores, axis=1)) - middle @ weights + half @ cp.abs(weights)
    problem = cp.Problem(cp.Minimize(total / n_items))
    problem.solve(solver=cp.CLARABEL)
    exponent = np.asarray(scores.value)
    proba = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    return float(problem.value), proba / proba.sum(axis=1, keepdims=True)


def _scores(votes: npt.NDArray[np.int8], weights: Any) -> Any:
    """Sum of the weights that speak for each class, (n_items, n_classes)."""
    n_rules = votes.shape[1]
    columns = [(votes == c).astype(float) @ weights[:n_rules] + weights[n_rules + c] for c in range(N_CLASSES)]
    return cp.vstack(columns).T


def main() -> None:
    saved = np.load(Path(sys.argv[1]) / "paper.npz")
    votes, lower, upper = saved["votes"], saved["lower"], saved["upper"]
    solve = {"primal": solve_primal, "dual": solve_dual}[sys.argv[2]]
    with Stopwatch() as watch:
        objective, proba = solve(votes, lower, upper)
    report(watch, ("cvxpy", "clarabel", "numpy"), objective=objective, n_items=len(proba))


if __name__ == "__main__":
    main()
