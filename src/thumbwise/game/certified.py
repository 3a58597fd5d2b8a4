"""A certificate for labels that any method made: the largest mean log loss that the box allows them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.box.box import Box
from thumbwise.exceptions import InvalidBoxError
from thumbwise.game.certificate import Certificate
from thumbwise.game.pinning import pose_known_problem, pose_problem, prove_without_votes
from thumbwise.game.prediction_costs import clipped
from thumbwise.numerics.feasibility import Widening, find_widening, infeasible_error, widen
from thumbwise.numerics.linear_bounds import Answer, Units, solve_at_any_price
from thumbwise.numerics.maxent import Problem
from thumbwise.numerics.solver import solve_dual
from thumbwise.votes.counted_votes import CountedVotes

# No class gets less: if the truth may be a class of probability 0, no bound on the log loss is finite.
FLOOR = 1e-4


def floored(proba: FloatArray) -> FloatArray:
    """Probabilities of at least ``FLOOR``, before rows are made to sum to 1 again.

    Examples
    --------
    >>> floored(np.array([[1.0, 0.0], [0.75, 0.25]])).round(6).tolist()
    [[0.9999, 0.0001], [0.75, 0.25]]
    """
    return clipped(proba, FLOOR)


def certify_labels(proba: FloatArray, votes: CountedVotes, box: Box, *, may_widen: bool = False) -> Certificate:
    """Bound the mean log loss of some probabilities on the items of the pool whose label the box does not know.

    The bound is the value of a linear program: the largest mean of -log proba[item, class] over all labelings, and
    mixtures of them, whose moments lie in the box. It is a dual value, valid whether or not the program was solved to
    the end, and never above what the weights of a game prove of the same probabilities.

    *Guarantee*: that of the box, for all probabilities at once. So they may come from whatever method, chosen and
    fitted after gold labels were seen; rules, moments and level must be decided before.

    Parameters
    ----------
    proba : ndarray of shape (n_patterns, n_classes)
        Of the patterns of the votes, all positive; see :func:`floored`.
    votes : CountedVotes
        The pool.
    box : Box
        Made for these votes.
    may_widen : bool
        If no labeling lies in the box: whether to widen it, which forfeits the guarantee, or to raise an error.
    """
    if box.evidence.pool not in (None, votes.fingerprint):
        raise InvalidBoxError("the box must have been made for these items; it was made for other votes. Make it anew.")
    known = box.certain()
    problem = pose_problem(votes, box) if known is None else pose_known_problem(votes, box, known)
    n_known = 0 if known is None else len(known)
    game = _Worst(proba, problem, votes.n_items - n_known)
    answer, widening = game.solve(box, may_widen)
    return Certificate(
        log_loss_bound=max(0.0, answer.bound),
        entropy=float(-problem.masses @ (proba * np.log(proba)).sum(axis=1)),
        gap=answer.gap,
        kkt_residual=0.0,
        box_violation=game.violation,
        n_items=votes.n_items,
        n_known=n_known,
        n_reviewed=0 if known is None else known.n_reviewed,
        n_classes=votes.n_classes,
        baseline=prove_without_votes(votes, box, known),
        evidence=box.evidence if widening is None else replace(box.evidence, widening=widening),
    )


@dataclass(frozen=True, eq=False)
class _Worst:
    """The labeling of some items that makes fixed probabilities look worst.

    Attributes
    ----------
    proba : ndarray of shape (n_patterns, n_classes)
    problem : Problem
        The box, on these items.
    n_items : int
    """

    proba: FloatArray
    problem: Problem
    n_items: int

    def solve(self, box: Box, may_widen: bool) -> tuple[Answer, Widening | None]:
        """The bound, and by how much the box was widened for it."""
        answer = self._largest()
        if self.n_items == 0 or np.isfinite(answer.attained):
            return answer, None
        solution = solve_dual(self.problem)
        if not solution.is_infeasible:
            return answer, None
        widening = find_widening(self.problem)
        if not may_widen:
            raise infeasible_error(solution, box.names, widening)
        return replace(self, problem=widen(self.problem, widening))._largest(), widening

    def _largest(self) -> Answer:
        return solve_at_any_price(Units.of_game(self.problem, -np.log(self.proba), self.n_items))

    @property
    def violation(self) -> float:
        """Largest distance of a moment of the probabilities from its interval."""
        problem = self.problem
        totals = problem.features.T @ (self.proba * problem.masses[:, None]).ravel()
        moments = np.divide(totals, problem.shares, out=np.zeros_like(totals), where=problem.shares > 0)
        outside = np.maximum(problem.lower - moments, moments - problem.upper)
        return float(np.max(outside, initial=0.0, where=problem.shares > 0))
