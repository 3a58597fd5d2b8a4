"""The same game through CVXPY and Clarabel.

Arguments: DIRECTORY primal|dual|patterns.

primal: the labeling of largest mean entropy, one probability vector an item, with all moments inside the box.
dual: Theorem 2 of the paper; one weight a moment, one log-sum-exp an item.
patterns: the dual with one log-sum-exp a distinct row, weighted; rows are found before the time starts.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import cvxpy
import numpy as np
import numpy.typing as npt

from benchmarks.workers.measuring import Stopwatch, limit_memory, report
from benchmarks.workers.paper_patterns import Bytes, count_rows

FloatArray = npt.NDArray[np.float64]
N_CLASSES = 2
cp: Any = cvxpy  # hides its functions from type checkers


def solve_primal(votes: Bytes, lower: FloatArray, upper: FloatArray) -> float:
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
    return float(problem.value)


def solve_dual(votes: Bytes, counts: FloatArray, lower: FloatArray, upper: FloatArray) -> float:
    """Rows may be items, with counts of 1, or patterns."""
    n_items, n_rules = counts.sum(), votes.shape[1]
    weights = cp.Variable(n_rules + N_CLASSES)
    scores = _scores(votes, weights)
    sizes = np.append(counts @ (votes >= 0), [n_items] * N_CLASSES)
    middle, half = sizes * (lower + upper) / 2, sizes * (upper - lower) / 2
    total = counts @ cp.log_sum_exp(scores, axis=1) - middle @ weights + half @ cp.abs(weights)
    problem = cp.Problem(cp.Minimize(total / n_items))
    problem.solve(solver=cp.CLARABEL)
    exponent = np.asarray(scores.value)
    proba = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    proba /= proba.sum(axis=1, keepdims=True)
    return float(problem.value)


def _scores(votes: Bytes, weights: Any) -> Any:
    """Sum of the weights that speak for each class, (n_rows, n_classes)."""
    n_rules = votes.shape[1]
    columns = [(votes == c).astype(float) @ weights[:n_rules] + weights[n_rules + c] for c in range(N_CLASSES)]
    return cp.vstack(columns).T


def main() -> None:
    limit_memory()
    saved = np.load(Path(sys.argv[1]) / "paper.npz")
    votes, lower, upper = saved["votes"], saved["lower"], saved["upper"]
    n_items = len(votes)
    if sys.argv[2] == "patterns":
        votes, counts = count_rows(votes)
    else:
        counts = np.ones(n_items)
    with Stopwatch() as watch:
        primal = sys.argv[2] == "primal"
        objective = solve_primal(votes, lower, upper) if primal else solve_dual(votes, counts, lower, upper)
    report(watch, ("cvxpy", "clarabel", "numpy"), objective=objective, n_items=n_items)


if __name__ == "__main__":
    main()
