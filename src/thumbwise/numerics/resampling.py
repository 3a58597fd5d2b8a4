"""Intervals and tests by resampling, and a correction for many tests."""

from __future__ import annotations

import numpy as np

from thumbwise._typing import FloatArray

_N_RESAMPLES = 9_999
# Resamples are drawn this many numbers at a time.
_CHUNK = 2**20


def bootstrap_means(columns: FloatArray, rng: np.random.Generator, level: float) -> list[tuple[float, float]]:
    """Percentile bootstrap interval of the mean of each column; rows are drawn, the same for all columns.

    *Guarantee*: none; coverage is approximate, for many rows.

    Examples
    --------
    >>> values = np.arange(101.0)[:, None]
    >>> [(low, high)] = bootstrap_means(values, np.random.default_rng(0), 0.95)
    >>> low < 46 < 54 < high, high - low < 13
    (True, True)
    """
    return percentile_intervals(resampled_means(columns, rng), level)


def resampled_means(columns: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Means of each column over rows that are drawn again with replacement, shape (n_resamples, n_columns)."""
    n_rows = len(columns)
    means = [
        columns[rng.integers(n_rows, size=(size, n_rows))].mean(axis=1) for size in _chunk_sizes(_N_RESAMPLES, n_rows)
    ]
    return np.concatenate(means)


def percentile_intervals(resampled: FloatArray, level: float) -> list[tuple[float, float]]:
    """Between which the middle of each column of resampled values lies; NaN if one of them is not known."""
    low, high = np.quantile(resampled, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return list(zip(low.tolist(), high.tolist(), strict=True))


def _chunk_sizes(n_draws: int, n_rows: int) -> list[int]:
    size = max(1, _CHUNK // n_rows)
    return [size] * (n_draws // size) + [n_draws % size] * (n_draws % size > 0)


def sign_flip_test(differences: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Two-sided p-value of the mean of each column of paired differences: how often flipped signs give one as extreme.

    All signs are tried if there are at most 13 rows, which makes the test exact where signs are exchangeable; otherwise
    9,999 random ones and the observed one.

    Examples
    --------
    >>> sign_flip_test(np.ones((4, 1)), np.random.default_rng(0)).tolist()  # 2 of 16
    [0.125]
    """
    n_rows = len(differences)
    # What is as extreme as observed up to rounding counts as extreme.
    limit = np.abs(differences.sum(axis=0)) - 1e-12 * np.abs(differences).sum(axis=0)
    if 2**n_rows <= _N_RESAMPLES:
        signs = 1.0 - 2 * (np.arange(2**n_rows)[:, None] >> np.arange(n_rows) & 1)
        return np.asarray((np.abs(signs @ differences) >= limit).mean(axis=0))
    n_extreme = np.ones(differences.shape[1])
    for size in _chunk_sizes(_N_RESAMPLES, n_rows):
        signs = rng.choice(np.array([-1.0, 1.0]), size=(size, n_rows))
        n_extreme += (np.abs(signs @ differences) >= limit).sum(axis=0)
    return n_extreme / (1 + _N_RESAMPLES)


def holm(p_values: FloatArray) -> FloatArray:
    """P-values after Holm's step-down correction: the i-th smallest of m becomes max over l <= i of (m - l + 1) p_(l).

    What exceeds 1 is cut to it.

    *Guarantee*: rejecting what is at most a level gives any false alarm at all with at most that probability, however
    the m tests depend on each other, if each p-value is valid and the level is set before they are seen.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    factors = len(p_values) - np.arange(len(p_values))
    stepped = np.maximum.accumulate(p_values[order] * factors)
    corrected = np.empty_like(p_values)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected
