"""A bound on what predictors lose on all items, from labels that both teach and test them. Arrays in, numbers out.

Labels come one after the other, in random order. The predictor q_t is made from the labels before t. Its loss on an
item with votes p and class c, less its own expectation of that loss, is

    a_t(p, c) = -log q_t(c | p) - H_t(p),   H_t(p) = -sum_c q_t(c | p) log q_t(c | p).

Of a population of M items, M - t + 1 are left when the t-th is drawn, each as likely as any other, so the mean of
x_t = a_t(item t) given the past is m_t, the mean of a_t over the items that are left. With a guess xhat_t at it and a
stake lambda_t >= 0, both from the past, and lambda_t (x_t - xhat_t) < 1 for every item that could come,

    E_t = E_{t-1} * (1 + lambda_t (xhat_t - x_t)) * exp(-lambda_t (xhat_t - m_t))

never grows in expectation, because 1 + y <= exp(y). So E_n >= 1 / error has probability at most ``error`` (Markov); the
mean of E_n over several orders has expectation at most 1 as well, and its logarithm is at least the mean of the
logarithms. What m_t says of items whose class is not known is linear in their classes: dividing by the sum of stakes
gives a bound on the mean over the pool of one function of votes and class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.class_tables import ClassTable
from thumbwise.numerics.feature_columns import FeatureColumns
from thumbwise.numerics.maxent import softmax
from thumbwise.numerics.one_thread import one_thread
from thumbwise.numerics.patterns import Patterns
from thumbwise.numerics.score_columns import ScoreColumns
from thumbwise.numerics.stack_columns import StackColumns
from thumbwise.numerics.teaching import Lesson, settle, stack_priors, teach

# Predictors give no class less than this, over the number of classes.
FLOOR = 0.1
# Of the largest stake that cannot lose everything.
_BOLDNESS = 0.9
# Guesses at mean and variance start from the predictor's own, which count as so many labels.
_OWN_LABELS = 100
_LEAST_VARIANCE = 1e-3
# Orders of gold, and lessons in each, at most; a lesson is at least so many labels.
_N_ORDERS, _N_LESSONS, _SHORTEST = 4, 20, 5
# Numbers that all lessons may write, and products that all fits may take.
_MOST_CELLS, _MOST_PRODUCTS = 2.5e7, 2e10


# Of patterns, or of single items that have features or scores.
Columns: TypeAlias = "StackColumns | FeatureColumns | ScoreColumns"


@dataclass(frozen=True, eq=False)
class GoldRows:
    """Gold items in an order that was fixed before labels were seen, and the items they were drawn from.

    Attributes
    ----------
    patterns : Patterns
        Of the gold votes.
    place : ndarray of shape (n_gold,)
        Pattern of each item.
    labels : ndarray of shape (n_gold,)
    is_outside : bool
        Whether gold items are further items of the population, or items of the pool.
    """

    patterns: Patterns
    place: IntArray
    labels: IntArray
    is_outside: bool


@dataclass(frozen=True, eq=False)
class ProgressiveBound:
    """The mean over the pool of ``losses[pattern, class]`` is at most ``bound``, but for the allowed error.

    Attributes
    ----------
    losses : ndarray of shape (n_patterns, n_classes)
        On the patterns of the pool.
    bound : float
    weights : ndarray of shape (n_columns,)
        Mean of the predictors' weights, by stake.
    taught : ndarray of shape (n_columns,)
        Weights that all labels taught, which nothing is proved of.
    """

    losses: FloatArray
    bound: float
    weights: FloatArray
    taught: FloatArray


@dataclass(frozen=True, eq=False)
class Taught:
    """A lesson's predictor on pool and gold: losses less their own expectation."""

    of_pool: FloatArray
    of_gold: FloatArray
    most: float
    variance: float


class Bets:
    """Stakes, guesses and what they won so far, in one order; from earlier labels only."""

    def __init__(self, n_labels: int, error: float) -> None:
        self.n_labels, self.price = n_labels, np.log(1 / error)
        self.total, self.squares, self.n_seen = 0.0, 0.0, 0

    def stake(self, taught: Taught) -> tuple[float, float]:
        """The next stake and the guess at the mean loss."""
        n_known = _OWN_LABELS + self.n_seen
        guess = self.total / n_known
        variance = (_OWN_LABELS * taught.variance + self.squares) / n_known
        bold = np.sqrt(2 * self.price / (variance * self.n_labels))
        return float(min(bold, _BOLDNESS / max(taught.most - guess, 1e-9))), guess

    def see(self, loss: float, guess: float) -> None:
        """Take in a label's loss."""
        self.total += loss
        self.squares += (loss - guess) ** 2
        self.n_seen += 1


@one_thread()
def bound_progressively(gold: GoldRows, pool: Patterns, columns: Columns, error: float) -> ProgressiveBound:
    """Teach in several orders, bet against each predictor, and add up what follows for the pool.

    Columns, the number of orders and lessons and the orders themselves are functions of votes, counts and a fixed seed.
    Fits, guesses and stakes use the labels before; whatever is done with the bound may use anything.

    *Guarantee*: if gold is a uniformly random part of the population, the bound holds with probability at least
    ``1 - error``.
    """
    n_gold, n_pool = len(gold.labels), pool.n_items
    n_population = n_pool + n_gold * gold.is_outside
    table = columns.table(gold.patterns)[gold.place]
    panel, breaks = columns.panel(pool), lesson_starts(n_gold, pool, table)
    losses, weights = np.zeros((pool.n_patterns, pool.n_classes)), np.zeros(table.shape[2])
    right_side, stakes = 0.0, 0.0
    orders, priors = seeded_orders(n_gold, n_pool), stack_priors(columns.kinds)
    lost = np.zeros(len(priors))
    for order in orders:
        bets = Bets(n_gold, error)
        right_side += bets.price
        lessons, lost_here = teach(table[order], gold.labels[order], priors, breaks)
        lost += lost_here / len(orders)
        for lesson in lessons:
            taught = _apply(lesson, columns, pool, panel, table[order], gold.labels[order])
            staked = 0.0
            for t, known in _known_losses(lesson, taught.of_gold, gold.is_outside):
                stake, guess = bets.stake(taught)
                loss, left = taught.of_gold[t], n_population - t
                right_side += stake * guess - np.log1p(stake * (guess - loss)) + stake * known / left
                staked += stake * n_pool / left
                bets.see(loss, guess)
            losses += staked * taught.of_pool
            weights += staked * lesson.weights
            stakes += staked
    fits, shares = settle(table, gold.labels, priors, lost)
    return ProgressiveBound(losses / stakes, right_side / stakes, weights / stakes, shares @ fits)


def _known_losses(lesson: Lesson, of_gold: FloatArray, is_outside: bool) -> Iterator[tuple[int, float]]:
    """For each label of a lesson, what is known of the sum over the items that are left, beside that over the pool.

    Of the pool's own items, those drawn before are gone. If gold is outside of the pool, those not drawn yet are left.
    """
    before = np.concatenate([[0.0], np.cumsum(of_gold)])
    for t in range(lesson.start, lesson.stop):
        yield t, float(before[t] - before[-1] if is_outside else before[t])


def _apply(
    lesson: Lesson, columns: Columns, pool: Patterns, panel: FloatArray, table: FloatArray, labels: IntArray
) -> Taught:
    proba, of_pool = _losses(columns.scores(pool, lesson.weights, panel))
    of_gold = _losses(table @ lesson.weights)[1]
    variance = pool.counts @ (proba * of_pool**2).sum(axis=1) / pool.n_items
    most = max(of_pool.max(), of_gold.max())
    return Taught(of_pool, of_gold[np.arange(len(labels)), labels], float(most), max(float(variance), _LEAST_VARIANCE))


def _losses(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Probabilities with a floor, and log losses less their expectation."""
    proba = (1 - FLOOR) * softmax(scores)[0] + FLOOR / scores.shape[1]
    losses = -np.log(proba)
    return proba, losses - (proba * losses).sum(axis=1, keepdims=True)


def seeded_orders(n_gold: int, n_pool: int) -> list[IntArray]:
    """Random orders, from a seed that knows sizes only."""
    rng = np.random.default_rng([n_gold, n_pool])
    return [rng.permutation(n_gold) for _ in range(_N_ORDERS)]


def lesson_starts(n_gold: int, pool: Patterns, table: ClassTable) -> Sequence[int]:
    """Where lessons start: evenly spaced, and fewer where items or columns are many."""
    cells = pool.n_patterns * pool.n_classes * (2 + pool.starts[-1] / max(1, pool.n_patterns))
    products = 6 * table.shape[0] * table.shape[1] * table.shape[2] ** 2
    n_lessons = min(_N_LESSONS, _MOST_CELLS / (_N_ORDERS * cells), _MOST_PRODUCTS / (_N_ORDERS * products))
    spacing = max(_SHORTEST, int(np.ceil(n_gold / max(3, n_lessons))))
    return range(0, n_gold, spacing)
