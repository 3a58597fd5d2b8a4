"""How far the labels of methods are from gold on a scale of ordered classes, beside those of Balsubramani-Freund."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.metrics import first_best, mean_absolute_error, quadratic_kappa
from thumbwise.numerics.resampling import percentile_intervals, resampled_means
from thumbwise.votes.ordered_classes import step_values


@dataclass(frozen=True)
class ScaleScore:
    """How far the most probable classes of a method are from gold.

    Distances are in the numbers that classes are called by, or in steps if these are words. Intervals are percentile
    bootstraps over gold items, each for itself: approximate.

    Attributes
    ----------
    mean_absolute_error, quadratic_kappa : float
    mean_absolute_error_interval, quadratic_kappa_interval : tuple of float
    difference : float
        Mean absolute error less that of Balsubramani-Freund on the same items; above 0, Balsubramani-Freund is nearer.
    difference_interval : tuple of float
        Of the paired differences.
    """

    mean_absolute_error: float
    mean_absolute_error_interval: tuple[float, float]
    quadratic_kappa: float
    quadratic_kappa_interval: tuple[float, float]
    difference: float
    difference_interval: tuple[float, float]


def score_on_scale(
    proba: Mapping[str, FloatArray],
    reference: str,
    labels: IntArray,
    class_names: Sequence[Hashable],
    confidence_level: float,
    random_state: int,
) -> dict[str, ScaleScore]:
    """Of each method, from probabilities for the gold items that have not seen their labels.

    *Guarantee*: none, these are estimates. The same items are drawn again for all methods.
    """
    values = step_values(class_names)
    chosen = {name: first_best(given) for name, given in proba.items()}
    errors = {name: np.abs(values[labels] - values[said]) for name, said in chosen.items()}
    found = {}
    for name, said in chosen.items():
        columns = np.column_stack([_columns(values[labels], values[said]), errors[name] - errors[reference]])
        means = resampled_means(columns, np.random.default_rng(random_state))
        intervals = percentile_intervals(np.column_stack([means[:, 0], _kappas(means), means[:, -1]]), confidence_level)
        found[name] = ScaleScore(
            mean_absolute_error(labels, said, values=values),
            intervals[0],
            quadratic_kappa(labels, said, values=values),
            intervals[1],
            float(columns[:, -1].mean()),
            intervals[2],
        )
    return found


def _columns(truth: FloatArray, said: FloatArray) -> FloatArray:
    """What mean absolute error and quadratic kappa are functions of, once it is averaged."""
    apart = said - truth
    return np.column_stack([np.abs(apart), apart**2, truth, said, truth**2 + said**2])


def _kappas(means: FloatArray) -> FloatArray:
    """Quadratic kappa of each resample; 1 where only one class was drawn and named, so that nothing is off."""
    _, squared, truth, said, both = means.T[:5]
    by_chance = both - 2 * truth * said
    return np.where(by_chance > 1e-12, 1 - squared / np.maximum(by_chance, 1e-12), 1.0)
