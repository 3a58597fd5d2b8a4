"""Caution: one dial from the worst plausible labeling to the likely one, with a certificate all along.

By weak duality D(u) bounds the loss of the prediction g(u) for every u, whenever the box holds the truth, and whether
it does has nothing to do with u. So the weights may aim at something else and keep the bound. They minimise

    c * D(u) + (1 - c) * (mean log loss of g(u) on gold),   c = caution, in (0, 1].

This is again a game: with the gold items as further rows of mass 1 - c, and with the mean G of each feature over them,

    masses' = (c * masses, (1 - c) * gold masses),   bounds' = c * bounds + (1 - c) * G / share,

since -c s min(u l, u h) - (1 - c) u G = -s min(u l', u h'). So the same solver finds it, and its gap and optimality
residual are those of what is minimised. c = 1 is the game itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import NamedTuple

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.box import Box
from thumbwise.exceptions import Argument, InvalidChoiceError
from thumbwise.game.warm_starts import solve_from
from thumbwise.numerics.maxent import Point, Problem, evaluate
from thumbwise.numerics.one_thread import one_thread
from thumbwise.numerics.shared_features import Features, stack_rows, take_columns
from thumbwise.numerics.solver import Solution
from thumbwise.votes.labels import label_counts

# Where "auto" looks, from the game itself on.
CAUTIONS = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.25, 0.2)
# How much higher than the best bound that of "auto" may be, and how much of what the votes prove it may give away.
_HIGHER, _GIVEN_AWAY = 1.05, 0.5
# A moment that was counted on fewer gold items than this would only follow their luck.
_LEAST_DRAWN = 3


class Search(NamedTuple):
    """When a search ends."""

    tol: float
    max_iter: int


@dataclass(frozen=True, eq=False)
class GoldAim:
    """Gold as further rows of the game.

    Attributes
    ----------
    features : sparse array of shape (n_gold_patterns * n_classes, n_moments)
    masses : ndarray of shape (n_gold_patterns,)
    totals : ndarray of shape (n_moments,)
        Means of the features over gold items, at their labels.
    used : ndarray of shape (n_used,)
        Moments that may have a weight; that of the others stays 0.
    """

    features: Features
    masses: FloatArray
    totals: FloatArray
    used: IntArray
    _stacked: dict[str, Features] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, box: Box) -> GoldAim | None:
        """That of the gold a box was made of, if it is at hand."""
        if box.gold is None:
            return None
        votes, labels = box.gold.votes, box.gold.labels
        moments, n = box.moments(votes), len(labels)
        drawn = np.zeros(len(box)) if box.gold_drawn is None else box.gold_drawn
        is_open = (box.lower <= box.least) & (box.upper >= box.most)
        totals = moments.totals(label_counts(votes, labels)) / n
        used = np.flatnonzero(~is_open & ((drawn == 0) | (drawn >= _LEAST_DRAWN)))
        return cls(take_columns(moments.features, used), votes.patterns.counts / n, totals[used], used)

    def join(self, problem: Problem, caution: float) -> Problem:
        """The game on the used moments whose value is caution times the problem's plus the rest times the gold loss."""
        shares = problem.shares[self.used]
        gold = np.divide(self.totals, shares, out=np.zeros_like(shares), where=shares > 0)
        lower, upper = (caution * bound[self.used] + (1 - caution) * gold for bound in (problem.lower, problem.upper))
        masses = np.concatenate([caution * problem.masses, (1 - caution) * self.masses])
        return Problem(self._below(problem.features), masses, shares, lower, upper, problem.n_classes)

    def _below(self, features: Features) -> Features:
        """The rows of a game with those of gold below; made once for all cautions."""
        if self._stacked.get("of") is not features:
            stacked = stack_rows(take_columns(features, self.used), self.features)
            self._stacked.update({"of": features, "rows": stacked})
        return self._stacked["rows"]


@dataclass(frozen=True, eq=False)
class CautiousFit:
    """Weights, and what is known of them.

    Attributes
    ----------
    caution : float
    solution : Solution
        Of what was minimised.
    point : Point
        The prediction on the items of the game; ``point.value`` is the bound on its log loss.
    """

    caution: float
    solution: Solution
    point: Point

    @property
    def bound(self) -> float:
        return self.point.value

    @property
    def weights(self) -> FloatArray:
        return self.point.weights

    def after(self, game: CautiousFit) -> CautiousFit:
        """The same, with the iterations counted that another fit took before."""
        if self is game:
            return self
        n_iter = self.solution.n_iter + game.solution.n_iter
        return replace(self, solution=replace(self.solution, n_iter=n_iter))


@one_thread()
def fit_cautiously(
    problem: Problem, aim: GoldAim | None, caution: float, start: FloatArray | None, search: Search
) -> CautiousFit:
    """The weights for one caution; those of the game itself where it is 1 or there is no gold to aim at."""
    if aim is None or caution == 1:
        solution = solve_from(problem, start, tol=search.tol, max_iter=search.max_iter)
        return CautiousFit(1.0, solution, evaluate(solution.weights, problem))
    begin = None if start is None else start[aim.used]
    solution = solve_from(aim.join(problem, caution), begin, tol=search.tol, max_iter=search.max_iter)
    weights = np.zeros(len(problem.shares))
    weights[aim.used] = solution.weights
    return CautiousFit(caution, solution, evaluate(weights, problem))


def choose_caution(
    problem: Problem, aim: GoldAim | None, game: CautiousFit, baseline: float, search: Search
) -> CautiousFit:
    """The fit with the smallest caution whose bound is close to that of the game itself.

    Close is at most 5 % higher, and if the votes prove something beyond ``baseline``, at most half of it is given away.
    The bound falls with caution, so few of the candidates are looked at. The choice sees gold, as it may: the bound
    holds for all cautions at once.
    """
    if aim is None:
        return game
    limit = highest_bound(game.bound, baseline, problem.n_classes)
    candidates: Sequence[float] = CAUTIONS[1:]
    first, last, chosen = 0, len(candidates), game
    while first < last:
        middle = (first + last) // 2
        fit = fit_cautiously(problem, aim, candidates[middle], chosen.weights, search)
        if fit.bound <= limit:
            chosen, first = fit, middle + 1
        else:
            last = middle
    return chosen


def highest_bound(best: float, baseline: float, n_classes: int) -> float:
    """How high a bound "auto" accepts, where that of the game itself is ``best``; never one that guessing beats."""
    best = max(best, 0.0)
    limit = min(_HIGHER * best, max(best, float(np.log(n_classes))))
    return min(limit, best + _GIVEN_AWAY * (baseline - best)) if best < baseline else limit


def check_caution(caution: object) -> None:
    """Refuse what is no caution."""
    is_auto = isinstance(caution, str) and caution == "auto"
    is_number = isinstance(caution, Real) and not isinstance(caution, bool)
    if not (is_auto or (is_number and 0 < caution <= 1)):  # type: ignore[operator]
        raise InvalidChoiceError(
            Argument("caution"), f" must be 'auto' or a number above 0 and at most 1; found {caution!r}."
        )
