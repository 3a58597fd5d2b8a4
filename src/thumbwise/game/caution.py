"""Caution: one dial from the worst plausible labeling to the likely one, with a certificate all along.

By weak duality D(u) bounds the loss of the prediction g(u) for every u, whenever the box holds the truth, and whether
it does has nothing to do with u. So the weights may aim at something else and keep the bound. They minimise

    c * D(u) + (1 - c) * L(u),   c = caution, in (0, 1],

where L(u) is the mean log loss of g(u) if labels are as likely as q says: q is what a regression that gold taught gives
the items of the game (:mod:`thumbwise.numerics.regression`). With the moments Q of q this is again a game, on the same
items, in a box that is drawn together around Q:

    bounds' = c * bounds + (1 - c) * Q,

since L(u) = sum_t mass_t logsumexp s_t - sum_m share_m u_m Q_m, and -c s min(u l, u h) - (1 - c) s u Q = -s min(u l',
u h'). So the same solver finds it, and its gap and optimality residual are those of what is minimised. c = 1 is the
game itself. Where the regression cannot be had, q is gold itself: the gold items are further rows of mass 1 - c, those
of the game have mass c, and Q is the mean over gold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import NamedTuple

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.box.box import Box
from thumbwise.box.gold import GoldSample
from thumbwise.box.moments.linear import LEARNED
from thumbwise.box.opinions.learned import LearnedOpinion
from thumbwise.exceptions import Argument, InvalidChoiceError
from thumbwise.game.warm_starts import solve_from
from thumbwise.numerics.maxent import Point, Problem, evaluate
from thumbwise.numerics.one_thread import one_thread
from thumbwise.numerics.regression import Regression, n_products
from thumbwise.numerics.shared_features import Features, stack_rows, take_columns
from thumbwise.numerics.solver import Solution
from thumbwise.numerics.stack_columns import StackColumns
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.labels import label_counts

# Where "auto" looks, from the game itself on.
CAUTIONS = (1.0, 0.7, 0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05)
# How much higher than the best bound that of "auto" may be, less where it follows gold itself, which is few items; how
# much of what votes prove it may give away; and what part of what class frequencies prove is too little to keep.
_HIGHER, _HIGHER_AT_GOLD, _GIVEN_AWAY, _LITTLE = 1.1, 1.05, 0.5, 0.05
# A moment that was counted on fewer gold items than this would only follow their luck.
_LEAST_DRAWN = 3
# Multiplications of a step of the regression, at most.
_MOST_PRODUCTS = 2e8


class Search(NamedTuple):
    """When a search ends."""

    tol: float
    max_iter: int


@dataclass(frozen=True, eq=False)
class Aim:
    """The likely labeling: what the moments are there, and where.

    Attributes
    ----------
    totals : ndarray of shape (n_used,)
        Means of the features over its items, at its labels.
    used : ndarray of shape (n_used,)
        Moments that may have a weight; that of the others stays 0.
    rows : (features, masses) or None
        Patterns of its items, of shape (n_patterns * n_classes, n_used), if these are not the items of the game.
    """

    totals: FloatArray
    used: IntArray
    rows: tuple[Features, FloatArray] | None = None
    _stacked: dict[str, Features] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, box: Box, votes: CountedVotes, problem: Problem) -> Aim | None:
        """That of the gold a box was made of, if it is at hand: what it taught about the game's items, or gold itself.

        The regression knows votes alone and holds a table of gold items and classes, so where the box is about further
        numbers of the items, or where that table is large, the aim is at gold itself.
        """
        if box.gold is None:
            return None
        regression = None if box.levels is not None else _taught_by(box, box.gold, votes)
        return cls.at_gold(box, box.gold) if regression is None else cls.at_taught(box, regression, votes, problem)

    @classmethod
    def at_taught(cls, box: Box, regression: Regression, votes: CountedVotes, problem: Problem) -> Aim:
        """At what a regression that gold taught says of the game's items."""
        likely = problem.masses[:, None] * regression.proba(votes.patterns)
        used = _used(box)
        return cls(np.asarray(problem.features.T @ likely.ravel())[used], used)

    @classmethod
    def at_gold(cls, box: Box, gold: GoldSample) -> Aim:
        """At gold, whose items are further rows of the game."""
        used = _used(box)
        moments, n = box.moments(gold.votes), len(gold.labels)
        totals = moments.totals(label_counts(gold.votes, gold.labels)) / n
        rows = take_columns(moments.features, used), gold.votes.patterns.counts / n
        return cls(totals[used], used, rows)

    def join(self, problem: Problem, caution: float) -> Problem:
        """The game on used moments whose value is caution times the problem's, plus the rest times the likely loss."""
        shares = problem.shares[self.used]
        likely = np.divide(self.totals, shares, out=np.zeros_like(shares), where=shares > 0)
        lower, upper = (caution * bound[self.used] + (1 - caution) * likely for bound in (problem.lower, problem.upper))
        masses = problem.masses
        if self.rows is not None:
            masses = np.concatenate([caution * masses, (1 - caution) * self.rows[1]])
        return Problem(self._features(problem.features), masses, shares, lower, upper, problem.n_classes)

    def _features(self, features: Features) -> Features:
        """The rows of a game, perhaps with others below; made once for all cautions."""
        if self._stacked.get("of") is not features:
            own = take_columns(features, self.used)
            self._stacked.update({"of": features, "rows": stack_rows(own, self.rows[0]) if self.rows else own})
        return self._stacked["rows"]


def _taught_by(box: Box, gold: GoldSample, votes: CountedVotes) -> Regression | None:
    """The learned opinion's last, or one that is taught now; none where it would take long.

    Nor where the box says nothing about the learned opinion. One that is taught now hears the rules that the box says
    something about: what is left out of the box is to have no part in labels.
    """
    said = dict(zip(box.about, (~_is_open(box)).tolist(), strict=True))
    for builder in box.builders:
        if isinstance(builder, LearnedOpinion) and builder.taught is not None:
            is_said = any(is_said for moment, is_said in said.items() if moment.kind == LEARNED)
            return Regression(builder.columns, builder.taught) if is_said else None
    known = {moment.rule for moment, is_said in said.items() if is_said}
    heard = np.array([rule in known for rule in votes.rule_names])
    columns = StackColumns.choose(votes.patterns, len(gold), heard)
    if not heard.any() or n_products(len(gold), columns) > _MOST_PRODUCTS:
        return None
    return Regression.teach(columns, gold.votes.patterns, gold.votes.inverse.astype(np.int64), gold.labels)


def _used(box: Box) -> IntArray:
    """Moments that say something and were counted on enough gold items, if on any."""
    drawn = np.zeros(len(box)) if box.gold_drawn is None else box.gold_drawn
    return np.flatnonzero(~_is_open(box) & ((drawn == 0) | (drawn >= _LEAST_DRAWN)))


def _is_open(box: Box) -> AnyArray:
    """Which moments nothing is said about."""
    return np.asarray((box.lower <= box.least) & (box.upper >= box.most))


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
    problem: Problem, aim: Aim | None, caution: float, start: FloatArray | None, search: Search
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
    problem: Problem, aim: Aim | None, game: CautiousFit, baseline: float, search: Search
) -> CautiousFit:
    """The fit with the smallest caution whose bound is close to that of the game itself.

    Close is at most 10 % higher, 5 % where the aim is at gold itself, and if the votes prove more than a little beyond
    ``baseline``, at most half of that is given away. The bound falls with caution, so few of the candidates are looked
    at. The choice sees gold, as it may: the bound holds for all cautions at once.
    """
    if aim is None:
        return game
    limit = highest_bound(aim, game.bound, baseline)
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


def highest_bound(aim: Aim | None, best: float, baseline: float) -> float:
    """How high a bound "auto" accepts, where that of the game itself is ``best``."""
    higher = _HIGHER if aim is None or aim.rows is None else _HIGHER_AT_GOLD
    limit, proved = higher * max(best, 0.0), baseline - max(best, 0.0)
    return min(limit, max(best, 0.0) + _GIVEN_AWAY * proved) if proved > _LITTLE * baseline else limit


def check_caution(caution: object) -> None:
    """Refuse what is no caution."""
    is_auto = isinstance(caution, str) and caution == "auto"
    is_number = isinstance(caution, Real) and not isinstance(caution, bool)
    if not (is_auto or (is_number and 0 < caution <= 1)):  # type: ignore[operator]
        raise InvalidChoiceError(
            Argument("caution"), f" must be 'auto' or a number above 0 and at most 1; found {caution!r}."
        )
