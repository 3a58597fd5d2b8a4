"""Adversarial multi-class learning: the mixture of rules that is best against the worst plausible labeling."""

from __future__ import annotations

import warnings
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from thumbwise._typing import FloatArray, IntArray
from thumbwise.exceptions import InfeasibleBoxError, InPython, Message, TooLargeError
from thumbwise.models.base import LabelModel
from thumbwise.models.compared import Compared, Split
from thumbwise.models.inputs import read_with_gold
from thumbwise.models.saved.fields import BY_RULE, ONE, Array, Number, Whole, fields
from thumbwise.numerics.amcl import BrierGame, Play, descend, solve_exact
from thumbwise.numerics.feasibility import find_widening, infeasible_error
from thumbwise.numerics.maxent import Problem
from thumbwise.numerics.patterns import ABSTAIN, Patterns, find_patterns
from thumbwise.numerics.solver import solve_dual
from thumbwise.outward import at_most
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.labels import label_counts

BoolArray: TypeAlias = npt.NDArray[np.bool_]

# An accuracy is never outside this, so such bounds say nothing; they leave room, which an interior method likes.
_FREE = (-1.0, 2.0)
# The least widening leaves a set without interior; this much more, relative, gives the solver room.
_ROOM = 1e-6
# Rules that vote: a table of their agreements is factorised in every iteration, at the cost of the cube.
_MOST_RULES = 2_000


class AMCL(LabelModel):
    """Minimises the worst-case mean Brier loss of a mixture of the rules over all plausible labelings.

    The prediction for item i is g_i = sum_j w_j * (one-hot vote of rule j), with weights w that are not negative and
    sum to 1. A labeling is plausible if the error of each rule against it is within ``widths_`` of its error on gold,

        width_j = width_scale * sqrt((v_j + n_j) * ln(4 p / (1 - confidence_level)) / (2 v_j n_j)),

    with v_j gold votes, n_j votes in the pool and p rules that vote there (Mazzetto, Cousins, Sam, Bach and Upfal,
    ICML 2021, "convex combination"). Rules may err together in any way. Weights cannot sharpen an opinion: where
    rules disagree, the answer is a compromise, and where all of them agree it is certain, hence log losses are large.

    Assumes that gold and pool are drawn at random from the same source, or gold at random from the pool.
    Takes at most 2,000 rules that vote, and says so before it begins if there are more.
    *Guarantee*: none by default, for nothing supports a ``width_scale`` below 1 but that the authors found the widths
    too large. With ``width_scale=1``, no widening and ``abstentions="uniform"``, the mean Brier loss on the fitted
    items is at most ``brier_bound_`` with probability at least ``confidence_level``. Rules, ``width_scale`` and
    ``confidence_level`` must be decided before gold labels are seen; widths come from counts of votes, the middles of
    the intervals and the weights from the labels.

    Parameters
    ----------
    solver : {"exact", "subgradient"}
        The optimum, from one quadratic program; or the best of ``n_steps`` subgradient steps of size 0.3 / (4 (p + 1)),
        a linear program each, as the authors do. The bound of the second is never lower but for rounding.
    abstentions : {"uniform", "random"}
        What a rule says where it abstains: the uniform distribution, and its error counts where it votes; or, as the
        authors do, a random class in place of each abstention in pool and gold, and the error counts everywhere. The
        random votes are for fitting only: ``predict_proba`` takes their expectation, which is uniform, so that
        identical items get identical answers.
    confidence_level : float
        Of all intervals at once, if ``width_scale`` were 1.
    width_scale : float
        Factor on the widths; 0.4 in the authors' runs.
    on_infeasible : {"raise", "widen"}
        What to do if no labeling is plausible: raise :class:`InfeasibleBoxError`, or multiply all widths by the
        smallest factor that admits one.
    n_steps : int
        Subgradient steps.
    tol : float
        Largest gap at which the exact solver counts as converged.
    max_iter : int
        Largest number of iterations of the exact solver.
    random_state : int
        For random votes in place of abstentions.

    Attributes
    ----------
    weights_ : ndarray of shape (n_rules,)
        Not negative, sum to 1; 0 for a rule that never votes (1 / n_rules if none does).
    brier_bound_ : float
        Largest mean Brier loss of these weights over all plausible labelings, summed over classes: 0 to 2.
    gap_ : float
        How far the bound may lie above the smallest possible one; not a number after subgradient steps.
    rule_risks_ : ndarray of shape (n_rules,)
        Share of wrong gold votes, half their Brier loss; not a number for a rule without gold votes.
    widths_ : ndarray of shape (n_rules,)
        How far the error of a rule may be from that, widened if need be; infinite for a rule without gold votes.
    widening_factor_ : float
        By how much the widths had to grow; 1 if a labeling was plausible.
    n_iter_ : int

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0, 0, 1], [1, 1, 1], [1, 0, 1], [0, -1, 0]])
    >>> model = tw.AMCL().fit(votes, [0, 1, 1, 0])
    >>> model.weights_.round(3)
    array([0.625, 0.25 , 0.125])
    >>> model.predict_proba(votes).round(3)
    array([[0.875, 0.125],
           [0.   , 1.   ],
           [0.25 , 0.75 ],
           [0.875, 0.125]])
    """

    _learned = fields(
        n_iter_=Whole(),
        brier_bound_=Number(special=True),
        gap_=Number(special=True),
        widening_factor_=Number(1, special=True),
        weights_=BY_RULE,
        rule_risks_=Array(("rules",), 0, ONE, special=True),
        widths_=Array(("rules",), 0, special=True),
    )
    _compared = (Compared("AMCL", {"on_infeasible": "widen"}),)
    _needs_labels = True

    def __init__(
        self,
        *,
        solver: Literal["exact", "subgradient"] = "exact",
        abstentions: Literal["uniform", "random"] = "uniform",
        confidence_level: float = 0.9,
        width_scale: float = 0.4,
        on_infeasible: Literal["raise", "widen"] = "raise",
        n_steps: int = 500,
        tol: float = 1e-8,
        max_iter: int = 200,
        random_state: int = 0,
    ) -> None:
        self.solver = solver
        self.abstentions = abstentions
        self.confidence_level = confidence_level
        self.width_scale = width_scale
        self.on_infeasible = on_infeasible
        self.n_steps = n_steps
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, votes: Any, y: Any = None, *, gold_votes: Any = None, gold_labels: Any = None) -> AMCL:
        """Find the weights for a pool and its gold.

        Parameters
        ----------
        votes : Votes, array-like or frame
            The pool: the items to be labeled.
        y : array-like of shape (n_items,), optional
            Classes of the pool's items, -1 or missing where unknown: gold is part of the pool.
        gold_votes : Votes, array-like or frame, optional
            Instead of ``y``: votes of the same rules on other items, which are gold.
        gold_labels : array-like of shape (n_gold,), optional
            Their classes.
        """
        self._check_parameters()
        votes, gold, labels = read_with_gold(votes, y, gold_votes, gold_labels)
        pool = votes.patterns
        used = pool.votes_per_rule > 0
        _check_size(int(used.sum()))
        if self.abstentions == "random":
            rng = np.random.default_rng(self.random_state)
            pool = _fill_pool(pool, used, rng)
            right, drawn = _count_filled_gold(gold.patterns, label_counts(gold, labels), used, rng)
        else:
            right, drawn = _count_gold(gold.patterns, label_counts(gold, labels))
        self._set_intervals(right, drawn, pool.votes_per_rule)
        play = self._play(pool, used, votes.rule_names)
        self.weights_ = np.full(votes.n_rules, 0.0 if used.any() else 1 / votes.n_rules)
        self.weights_[used] = play.weights
        self.brier_bound_, self.gap_, self.n_iter_ = play.bound, play.gap, play.n_iter
        self._remember(votes)
        return self

    def _fit_split(self, split: Split) -> AMCL:
        return self.fit(split.pool, gold_votes=split.fit_votes, gold_labels=split.fit_names)

    def _check_parameters(self) -> None:
        choices = {"solver": ("exact", "subgradient"), "abstentions": ("uniform", "random")}
        for name, allowed in {**choices, "on_infeasible": ("raise", "widen")}.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f'{name} must be "{allowed[0]}" or "{allowed[1]}"; found {getattr(self, name)!r}.')
        if not 0 < self.confidence_level < 1:
            raise ValueError(f"confidence_level must lie between 0 and 1; found {self.confidence_level}.")
        if not 0 < self.width_scale < np.inf:
            raise ValueError(f"width_scale must be positive and finite; found {self.width_scale}. The bound needs 1.")
        if self.n_steps < 1:
            raise ValueError(f"n_steps must be at least 1; found {self.n_steps}.")

    def _set_intervals(self, right: IntArray, drawn: IntArray, pooled: IntArray) -> None:
        """Errors on gold and the widths around them."""
        log_term = np.log(4 * max(1, int((pooled > 0).sum())) / (1 - self.confidence_level))
        with np.errstate(divide="ignore", invalid="ignore"):
            self.rule_risks_ = np.asarray(1 - right / drawn)
            self.widths_ = np.asarray(self.width_scale * np.sqrt((1 / drawn + 1 / pooled) * log_term / 2))
        self.widening_factor_ = 1.0

    def _play(self, pool: Patterns, used: BoolArray, names: tuple[str, ...]) -> Play:
        if not used.any():
            return Play(np.empty(0), 1 - 1 / pool.n_classes, 0.0, 0)
        play = self._solve(BrierGame.build(pool, used, *self._bounds(used)))
        if play.is_empty:
            conflict = self._find_conflict(pool, names)
            if self.on_infeasible == "raise" and conflict.dual_value < 0:
                raise conflict
            self.widening_factor_ = max(1.0, conflict.widening_factor) * (1 + _ROOM)
            self.widths_ = self.widths_ * self.widening_factor_
            play = self._solve(BrierGame.build(pool, used, *self._bounds(used)))
            if play.is_empty:
                raise conflict
        if not play.is_converged:
            warnings.warn(
                Message(
                    f"AMCL stopped with a gap of {play.gap:.1e}",
                    InPython(f" (tol={self.tol:.1e})"),
                    f" after {play.n_iter} iterations; the bound {at_most(play.bound, 4)} holds for the weights found, "
                    "but other weights may have a lower one.",
                ),
                ConvergenceWarning,
                stacklevel=3,
            )
        return play

    def _bounds(self, rules: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Lower and upper bounds on the accuracies of some rules."""
        accuracies, widths = 1 - self.rule_risks_[rules], self.widths_[rules]
        is_free = ~np.isfinite(widths)
        lower = np.where(is_free, _FREE[0], np.maximum(accuracies - widths, _FREE[0]))
        upper = np.where(is_free, _FREE[1], np.minimum(accuracies + widths, _FREE[1]))
        return lower, upper

    def _solve(self, game: BrierGame) -> Play:
        if self.solver == "exact":
            return solve_exact(game, tol=self.tol, max_iter=self.max_iter)
        return descend(game, n_steps=self.n_steps, step=0.3 / (4 * (game.n_rules + 1)))

    def _find_conflict(self, pool: Patterns, names: tuple[str, ...]) -> InfeasibleBoxError:
        """The rules in conflict, with a proof, and the least factor on the widths that would end it."""
        rules = np.flatnonzero(np.isfinite(self.widths_) & (pool.votes_per_rule > 0))
        accuracies, widths = 1 - self.rule_risks_[rules], self.widths_[rules]
        problem = _pose_entropy_problem(pool, rules, accuracies - widths, accuracies + widths)
        named = [f"accuracy({names[j]})" for j in rules]
        return infeasible_error(solve_dual(problem), named, find_widening(problem))

    def _predict_patterns(self, votes: CountedVotes) -> FloatArray:
        patterns, k = votes.patterns, votes.n_classes
        cells = patterns.owners * k + patterns.classes
        mixed = np.bincount(cells, self.weights_[patterns.rules], minlength=patterns.n_patterns * k).reshape(-1, k)
        silent = np.maximum(1 - mixed.sum(axis=1, keepdims=True), 0)
        proba = mixed + silent / k
        return np.asarray(proba / proba.sum(axis=1, keepdims=True))


def _check_size(n_rules: int) -> None:
    if n_rules > _MOST_RULES:
        raise TooLargeError(
            f"AMCL compares each rule with every other, and takes at most {_MOST_RULES:,} that vote on the pool; found "
            f"{n_rules:,}. Keep the rules that vote most, or use Balsubramani-Freund, which takes any number of rules "
            "and the same gold labels."
        )


def _count_gold(patterns: Patterns, gold: IntArray) -> tuple[IntArray, IntArray]:
    """Right and all gold votes of each rule, from the number of gold items of each pattern and class."""
    counted = [gold[patterns.owners, patterns.classes], gold.sum(axis=1)[patterns.owners]]
    right, drawn = (np.bincount(patterns.rules, number, minlength=patterns.n_rules) for number in counted)
    return right, drawn


def _count_filled_gold(
    patterns: Patterns, gold: IntArray, used: BoolArray, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """The same after a random vote in place of each abstention."""
    rows = _fill(np.repeat(patterns.to_rows(), gold.sum(axis=1), axis=0), used, gold.shape[1], rng)
    labels = np.repeat(np.tile(np.arange(gold.shape[1]), len(gold)), gold.ravel())
    return (rows == labels[:, None]).sum(axis=0), (rows != ABSTAIN).sum(axis=0)


def _fill_pool(patterns: Patterns, used: BoolArray, rng: np.random.Generator) -> Patterns:
    """Patterns after a random vote in place of each abstention, drawn pattern by pattern: item order plays no part."""
    rows = _fill(np.repeat(patterns.to_rows(), patterns.counts, axis=0), used, patterns.n_classes, rng)
    return find_patterns(rows, patterns.n_classes)[0]


def _fill(rows: IntArray, used: BoolArray, n_classes: int, rng: np.random.Generator) -> IntArray:
    empty = (rows == ABSTAIN) & used
    rows[empty] = rng.integers(n_classes, size=np.count_nonzero(empty))
    return rows


def _pose_entropy_problem(pool: Patterns, rules: IntArray, lower: FloatArray, upper: FloatArray) -> Problem:
    """The same box of accuracies in the game under log loss, which knows proofs of emptiness and widenings."""
    shape = (pool.n_patterns * pool.n_classes, pool.n_rules)
    places = pool.owners * pool.n_classes + pool.classes, pool.rules
    features = sp.csc_array((np.ones(len(pool.rules)), places), shape=shape)[:, rules]
    masses, shares = pool.counts / pool.n_items, pool.votes_per_rule[rules] / pool.n_items
    return Problem.build(sp.csr_array(features), masses, shares, lower, upper)
