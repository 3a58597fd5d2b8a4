"""The game that a model was fitted to, played anew: with some of its moments only, or against a given prediction."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.box import Box
from thumbwise.box.moments.linear import LEARNED, OPINION
from thumbwise.game.certificate import Certificate
from thumbwise.game.pinning import pose_known_problem, pose_problem
from thumbwise.game.warm_starts import solve_from
from thumbwise.numerics.feasibility import widen
from thumbwise.numerics.linear_bounds import Units, solve_at_any_price
from thumbwise.numerics.maxent import Problem
from thumbwise.votes.counted_votes import CountedVotes

# A dual value is a bound wherever a search ends; so near to the optimum it is the least one to six digits.
_ROUGH, _MAX_ITER = 1e-4, 200


class Fitted(Protocol):
    """What a model of the game has after a fit."""

    pin_gold: bool
    tol: float
    max_iter: int
    box_: Box
    weights_: FloatArray
    certificate_: Certificate


def pose_fitted(model: Fitted, votes: CountedVotes) -> Problem:
    """The game of a fit, on the votes that it was fitted to."""
    box, widening = model.box_, model.certificate_.widening
    known = box.certain(with_gold=model.pin_gold)
    problem = pose_problem(votes, box) if known is None else pose_known_problem(votes, box, known)
    return problem if widening is None else widen(problem, widening)


def bounds_by_part(model: Fitted, votes: CountedVotes) -> dict[str, float]:
    """Least bound from rules and classes, then with opinions, then with the learned one, as far as the box has them.

    Every interval is that of the box: a part that is left out gives nothing back to the others. So this is what each
    adds in this box, and not what could be proved with all of the allowed error for the others.
    """
    problem, kinds = pose_fitted(model, votes), [moment.kind for moment in model.box_.about]
    steps = {"rules": (), "opinions": (OPINION,), "learned": (OPINION, LEARNED)}
    bounds: dict[str, float] = {}
    n_before = -1
    for name, more in steps.items():
        used = np.flatnonzero([kind not in (OPINION, LEARNED) or kind in more for kind in kinds])
        if len(used) > n_before:
            bounds[name] = _least_bound(problem, used, model.weights_)
        n_before = len(used)
    return bounds


def _least_bound(problem: Problem, used: IntArray, weights: FloatArray) -> float:
    """What the game proves with some of its moments."""
    part = problem.take(used)
    return max(0.0, solve_from(part, weights[used], tol=_ROUGH, max_iter=_MAX_ITER).dual_value)


def bound_mean(costs: FloatArray, problem: Problem, n_items: int) -> float:
    """The largest mean over the items of a game of ``costs[pattern, class]``: a linear program, proved by its dual."""
    return solve_at_any_price(Units.of_game(problem, costs, n_items)).bound
