"""Least widening of a box, until some labeling satisfies all of its intervals: two linear programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from thumbwise._typing import FloatArray
from thumbwise.exceptions import InfeasibleBoxError
from thumbwise.numerics.maxent import Problem
from thumbwise.numerics.shared_features import as_rows
from thumbwise.numerics.solver import Solution

# The least widening leaves a set without interior; this much more, relative, gives the solver room.
_ROOM = 1e-6


@dataclass(frozen=True)
class Widening:
    """Least common factor on all widths (infinite if none suffices), and least common outward shift of all bounds."""

    factor: float
    amount: float

    def __str__(self) -> str:
        if np.isfinite(self.factor):
            return f"widened by a factor of {self.factor:.4g}"
        return f"moved outward by {self.amount:.4g} each"


def find_widening(problem: Problem) -> Widening:
    """Solve both programs: least t such that some labeling has all moments in centre +- t * half, or in bounds -+ t."""
    half = (problem.upper - problem.lower) / 2
    centre = (problem.upper + problem.lower) / 2
    factor = _least_stretch(problem, centre, centre, half)
    amount = _least_stretch(problem, problem.lower, problem.upper, np.ones_like(half))
    return Widening(factor, amount)


def _least_stretch(problem: Problem, lower: FloatArray, upper: FloatArray, stretch: FloatArray) -> float:
    """Least t >= 0 with a labeling z such that lower - t * stretch <= moments(z) <= upper + t * stretch."""
    used = problem.shares > 0
    features = sp.csc_array(as_rows(problem.features))[:, np.flatnonzero(used)]
    cells = np.repeat(problem.masses, problem.n_classes)
    # Times a labeling, a row for each moment: its mean over the items that it averages over.
    averaging = (sp.diags_array(1 / problem.shares[used]) @ features.T @ sp.diags_array(cells)).tocsr()
    column = sp.csr_array(stretch[used][:, None])
    limits = sp.vstack([sp.hstack([averaging, -column]), sp.hstack([-averaging, -column])], format="csr")
    n_patterns = len(problem.masses)
    ones = sp.kron(sp.eye_array(n_patterns), np.ones((1, problem.n_classes)))
    sums = sp.hstack([ones, sp.csr_array((n_patterns, 1))], format="csr")
    cost = np.zeros(limits.shape[1])
    cost[-1] = 1
    answer = linprog(
        cost, limits, np.concatenate([upper[used], -lower[used]]), sums, np.ones(n_patterns), (0, None), method="highs"
    )
    return float("inf") if answer.fun is None else float(answer.fun)


def widen(problem: Problem, widening: Widening) -> Problem:
    """The box with all widths multiplied by the factor, or all bounds moved outward if no factor suffices."""
    half = (problem.upper - problem.lower) / 2
    centre = (problem.upper + problem.lower) / 2
    if np.isfinite(widening.factor):
        lower = centre - widening.factor * (1 + _ROOM) * half
        upper = centre + widening.factor * (1 + _ROOM) * half
    else:
        amount = widening.amount * (1 + _ROOM) + _ROOM
        lower, upper = problem.lower - amount, problem.upper + amount
    return problem.with_bounds(lower, upper)


def infeasible_error(
    solution: Solution, names: Sequence[str], widening: Widening, *, can_widen: bool = True
) -> InfeasibleBoxError:
    """The error, with its proof: the moments in conflict are those whose weights make up most of it, heaviest first."""
    size = np.abs(solution.weights)
    heaviest = [m for m in np.argsort(-size, kind="stable") if size[m] > 1e-3 * size.max()]
    return InfeasibleBoxError(
        conflicting=[names[m] for m in heaviest],
        weights=solution.weights,
        dual_value=solution.dual_value,
        widening_factor=widening.factor,
        widening_amount=widening.amount,
        can_widen=can_widen,
    )
