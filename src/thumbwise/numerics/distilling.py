"""One predictor in place of many: a bound on the mean of some losses as a bound on the log loss of a single formula.

If the mean over the pool of f(p, c) is at most B, then for every g and every number w > 0 the mean of g(p, c) is at
most (B - mean over the pool of min_c (f(p, c) - w g(p, c))) / w, whatever the classes are. So g may be chosen after all
is seen, and is best where w g differs from f by a function of the votes alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from thumbwise._typing import FloatArray
from thumbwise.numerics.maxent import log_softmax, softmax
from thumbwise.numerics.patterns import Patterns
from thumbwise.numerics.progressive import FLOOR, Columns, ProgressiveBound

# How close to the largest slack over the classes the smooth stand-in for it is.
_SHARPNESS = 100.0
_MAX_ITER, _TOL, _SLOPE = 300, 1e-12, 1e-8
# Numbers in the table of columns that is looked at in each iteration.
_MOST_CELLS = 2 * 10**5


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


def distil(progress: ProgressiveBound, pool: Patterns, columns: Columns) -> Distilled:
    """The formula whose log loss follows the losses most closely, and what is proved of it.

    Chosen on the patterns that most items show; the bound is exact for all of them, whatever was chosen.
    """
    most = max(50, _MOST_CELLS // (pool.n_classes * len(columns.kinds)))
    heavy = np.sort(np.argsort(-pool.counts, kind="stable")[:most])
    part = pool if len(heavy) == pool.n_patterns else pool.take(heavy, pool.counts[heavy])
    target = log_softmax(-progress.losses[heavy])[0]
    slack = _Slack(columns.table(part), target, part.counts / part.n_items)
    start = np.concatenate([progress.weights, [np.log(FLOOR / (1 - FLOOR)), 0.0]])
    end = minimize(
        slack,
        start,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": _MAX_ITER, "ftol": _TOL, "gtol": _SLOPE},
    )
    weights, floor, scale = _take_apart(end.x)
    losses = floored_losses(columns.scores(pool, weights), floor)
    gap = (progress.losses - scale * losses).min(axis=1)
    return Distilled(weights, floor, float(progress.bound - pool.counts @ gap / pool.n_items) / scale, scale)


def _take_apart(parameters: FloatArray) -> tuple[FloatArray, float, float]:
    """Weights, floor and scale."""
    return parameters[:-2], float(1 / (1 + np.exp(-parameters[-2]))), float(np.exp(parameters[-1]))


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
