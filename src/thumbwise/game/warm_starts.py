"""Warm starts, fits from where a fit ended: the same answer, found in fewer iterations.

The dual value is convex, so every start leads to the same minimum, and what is stopped at is an optimality residual
that does not know where the search began. A start can only cost time; the search from 0 is there when it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.numerics.maxent import Problem, dual_value
from thumbwise.numerics.solver import Solution, solve_dual


def match_weights(names: Sequence[str], old_names: Sequence[str], old_weights: FloatArray) -> FloatArray:
    """Weights of an earlier fit for the moments that it shares by name; 0 for the others.

    Examples
    --------
    >>> import numpy as np
    >>> old = ["accuracy(short)", "accuracy(loud)", "frequency(0)"]
    >>> new = ["accuracy(loud)", "accuracy(links)", "frequency(0)"]
    >>> match_weights(new, old, np.array([1.5, 0.5, -0.2])).tolist()
    [0.5, 0.0, -0.2]
    """
    bad = ~np.isfinite(old_weights)
    if bad.any():
        m = int(np.argmax(bad))
        raise InvalidChoiceError(
            f"start must have finite weights; found {old_weights[m]} for {old_names[m]} ({int(bad.sum())} such "
            "weights). Fit without start."
        )
    weight = dict(zip(old_names, old_weights.tolist(), strict=True))
    return np.array([weight.get(name, 0.0) for name in names])


def solve_from(problem: Problem, weights: FloatArray | None, *, tol: float, max_iter: int) -> Solution:
    """Minimise the dual value from some weights, or from 0 where that is the better start.

    A search from weights is kept if it converges. If it does not, or if it proves the box infeasible, the search from 0
    decides, so that neither answers nor lists of conflicting moments depend on earlier fits; ``n_iter`` counts both.
    Only if the search from 0 gets less far is the other one kept: its dual value is as good a proof.
    """
    if weights is None or not _is_better_than_zero(weights, problem):
        return solve_dual(problem, tol=tol, max_iter=max_iter)
    warm = solve_dual(problem, tol=tol, max_iter=max_iter, start=weights)
    if warm.kkt_residual <= tol and not warm.is_infeasible:
        return warm
    cold = solve_dual(problem, tol=tol, max_iter=max_iter)
    decides = cold.is_infeasible or cold.kkt_residual <= tol or not warm.dual_value < cold.dual_value
    return replace(cold if decides else warm, n_iter=warm.n_iter + cold.n_iter)


def _is_better_than_zero(weights: FloatArray, problem: Problem) -> bool:
    """Whether the dual value is lower there, and a number at all."""
    used = np.where(problem.shares > 0, weights, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        value = dual_value(used, problem)
    return bool(used.any() and value < dual_value(np.zeros_like(used), problem))
