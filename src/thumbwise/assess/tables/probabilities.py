"""Probabilities: how sure the predictions are, and whether they are right as often as they say."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.stats import beta

from thumbwise._typing import AnyArray, FloatArray
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.metrics import first_best
from thumbwise.votes.labels import check_probabilities

_N_BINS = 20
_N_RELIABILITY_BINS = 10


def confidence_table(proba: npt.ArrayLike, *, n_bins: int = _N_BINS) -> Tidy:
    """How many items have a largest probability in each of some bins between 1 / n_classes and 1.

    A bin holds its lower end; the last one holds 1 too.

    Parameters
    ----------
    proba : array-like of shape (n_items, n_classes)
    n_bins : int
        Of equal width.

    Returns
    -------
    Tidy
        Columns ``lower``, ``upper``, ``n_items``; facts ``chance`` and ``mean``.

    Examples
    --------
    >>> table = confidence_table([[0.5, 0.5], [0.8, 0.2], [0, 1]], n_bins=2)
    >>> table["lower"], table["n_items"]
    ((0.5, 0.75), (1, 2))
    """
    given = check_probabilities(proba)
    chance, top = 1 / given.shape[1], given.max(axis=1, initial=0)
    edges = np.linspace(chance, 1, n_bins + 1)
    bins = np.clip(np.searchsorted(edges, top, side="right") - 1, 0, n_bins - 1)
    counts = np.bincount(bins, minlength=n_bins)
    mean = float(top.mean()) if len(top) else None
    return Tidy.of({"lower": edges[:-1], "upper": edges[1:], "n_items": counts}, chance=chance, mean=mean)


def reliability_table(
    y: npt.ArrayLike, proba: npt.ArrayLike, *, confidence_level: float = 0.95, n_bins: int = _N_RELIABILITY_BINS
) -> Tidy:
    """In bins of the largest probability: how sure the predictions are on average, and how often they are right.

    Intervals are Clopper-Pearson, each at the confidence level on its own. Empty bins are left out.

    *Guarantee*: the interval of a bin covers the chance of being right there at that level if ``proba`` comes from a
    fit that has not seen the labels; with folds this is approximate.

    Parameters
    ----------
    y : array-like of shape (n_items,)
        Class numbers.
    proba : array-like of shape (n_items, n_classes)
    confidence_level : float
    n_bins : int
        Between 1 / n_classes and 1.

    Returns
    -------
    Tidy
        Columns ``lower``, ``upper`` (the bin), ``n_items``, ``confidence`` (mean), ``accuracy``, ``accuracy_lower``,
        ``accuracy_upper``.

    Examples
    --------
    >>> import numpy as np
    >>> table = reliability_table(np.array([0, 0, 1]), [[0.9, 0.1], [0.95, 0.05], [0.92, 0.08]], n_bins=5)
    >>> table["n_items"], round(table["confidence"][0], 3), round(table["accuracy"][0], 3)
    ((3,), 0.923, 0.667)
    """
    given = check_probabilities(proba)
    top, is_right = given.max(axis=1), first_best(given) == np.asarray(y)
    edges = np.linspace(1 / given.shape[1], 1, n_bins + 1)
    bins = np.clip(np.searchsorted(edges, top, side="right") - 1, 0, n_bins - 1)
    n_items, right, sure = (np.bincount(bins, w, minlength=n_bins) for w in (np.ones(len(top)), is_right, top))
    kept = np.flatnonzero(n_items)
    low, high = clopper_pearson(right[kept], n_items[kept], confidence_level)
    return Tidy.of(
        {
            "lower": edges[kept],
            "upper": edges[kept + 1],
            "n_items": n_items[kept].astype(int),
            "confidence": sure[kept] / n_items[kept],
            "accuracy": right[kept] / n_items[kept],
            "accuracy_lower": low,
            "accuracy_upper": high,
        }
    )


def clopper_pearson(right: AnyArray, drawn: AnyArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Exact binomial intervals through the quantiles of beta distributions."""
    tail = (1 - level) / 2
    low = np.where(right > 0, beta.ppf(tail, np.maximum(right, 1), drawn - right + 1), 0.0)
    high = np.where(right < drawn, beta.ppf(1 - tail, right + 1, np.maximum(drawn - right, 1)), 1.0)
    return low, high
