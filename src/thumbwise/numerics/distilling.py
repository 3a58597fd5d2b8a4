"""One predictor in place of many: a bound on the mean of some losses as a bound on the log loss of a single formula.

If the mean over the pool of f(p, c) is at most B, then for every g and every number w > 0 the mean of g(p, c) is at
most (B - mean over the pool of min_c (f(p, c) - w g(p, c))) / w, whatever the classes are. So g may be chosen after all
is seen, and is best where w g differs from f by a function of the votes alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.maxent import log_softmax, softmax
from thumbwise.numerics.one_thread import one_thread
from thumbwise.numerics.patterns import Patterns
from thumbwise.numerics.progressive import FLOOR, Columns, ProgressiveBound

# How close to the largest slack over the classes the smooth stand-in for it is.
_SHARPNESS = 100.0
_TOL, _SLOPE = 1e-12, 1e-8
# Iterations, at most and at least; between them, so many that all of them look at this many numbers.
_MOST_ITER, _FEWEST_ITER, _MOST_LOOKS = 300, 60, 3e7
_FARTHEST = 20.0
# Numbers in the table of columns that is looked at in each iteration.
_MOST_CELLS = 10**6
_SCATTER = 1e4


@dataclass(frozen=True, eq=False)
class Distilled:
    """A softmax of linear scores, mixed with an even guess; its mean log loss over the pool is at most ``bound``.

    Times ``scale``, its losses follow those that it stands for.
    """

    weights: FloatArray
    floor: float
    bound: float
    scale: float


def floored_losses(scores: FloatArray, floor: float) -> FloatArray:
    """Log losses of a softmax that is mixed with an even guess of weight ``floor``."""
    return np.asarray(-np.log((1 - floor) * softmax(scores)[0] + floor / scores.shape[1]))


@one_thread()
def distil(progress: ProgressiveBound, pool: Patterns, columns: Columns) -> Distilled:
    """The formula whose log loss follows the losses most closely, and what is proved of it.

    Chosen on the patterns that most items show; the bound is exact for all of them, whatever was chosen.
    """
    heavy = _heaviest(pool, columns)
    part = pool if len(heavy) == pool.n_patterns else pool.take(heavy, pool.counts[heavy])
    target = log_softmax(-progress.losses[heavy])[0]
    slack = _Slack(columns.table(part), target, part.counts / part.n_items)
    start = np.concatenate([progress.weights, [np.log(FLOOR / (1 - FLOOR)), 0.0]])
    end = minimize(
        slack,
        start,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": _n_iter(slack.table.size), "ftol": _TOL, "gtol": _SLOPE},
    )
    weights, floor, scale = _take_apart(end.x)
    losses = floored_losses(columns.scores(pool, weights), floor)
    gap = (progress.losses - scale * losses).min(axis=1)
    return Distilled(weights, floor, float(progress.bound - pool.counts @ gap / pool.n_items) / scale, scale)


def _n_iter(n_cells: int) -> int:
    """How long the search goes on; from sizes alone."""
    return int(np.clip(_MOST_LOOKS / n_cells, _FEWEST_ITER, _MOST_ITER))


def _heaviest(pool: Patterns, columns: Columns) -> IntArray:
    """Patterns that most items show, as many as the table may hold.

    Of equally many items, some are taken from everywhere: by digits of what the panel says, which depend neither on the
    order of rules nor on the numbers of classes. Their own order does, and begins with one rule's votes for one class.
    """
    most = max(50, _MOST_CELLS // (pool.n_classes * len(columns.kinds)))
    if pool.n_patterns <= most:
        return np.arange(pool.n_patterns)
    digits = _SCATTER * (columns.panel(pool) ** 2).sum(axis=(1, 2)) % 1
    return np.sort(np.lexsort((digits, -pool.counts))[:most])


def _take_apart(parameters: FloatArray) -> tuple[FloatArray, float, float]:
    """Weights, floor and scale, the last two within bounds that no good formula comes near."""
    of_floor, of_scale = np.clip(parameters[-2:], -_FARTHEST, _FARTHEST)
    return parameters[:-2], float(1 / (1 + np.exp(-of_floor))), float(np.exp(of_scale))


@dataclass(frozen=True, eq=False)
class _Slack:
    """What a formula gives away, smoothed: by how much its losses exceed the target's in the worst class."""

    table: FloatArray
    log_target: FloatArray
    masses: FloatArray

    def __call__(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient."""
        weights, floor, scale = _take_apart(parameters)
        k, target = self.log_target.shape[1], np.exp(self.log_target)
        proba = softmax(self.table @ weights)[0]
        mixed = (1 - floor) * proba + floor / k
        losses = -np.log(mixed)
        excess = scale * losses + self.log_target
        tilted, log_sums = softmax(_SHARPNESS * excess + self.log_target)
        value = self.masses @ (log_sums / _SHARPNESS - (target * excess).sum(axis=1))
        by_cell = self.masses[:, None] * (tilted - target)
        by_proba = -scale * by_cell / mixed
        by_score = (1 - floor) * proba * (by_proba - (proba * by_proba).sum(axis=1, keepdims=True))
        by_floor = (by_proba * (1 / k - proba)).sum() * floor * (1 - floor)
        by_weight = by_score.ravel() @ self.table.reshape(-1, self.table.shape[2])
        return float(value), np.concatenate([by_weight, [by_floor, scale * (by_cell * losses).sum()]])
