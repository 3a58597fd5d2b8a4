"""Reach of moments: which gold items are right for each, which could be, and how many items of the pool could."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.gold import GoldSample
from thumbwise.box.moments.linear import Moments, build_moments


class Reach(NamedTuple):
    """Of each moment: which gold items are right, which could be, and how many items of the pool could be."""

    is_right: FloatArray
    can_be_right: npt.NDArray[np.bool_]
    sizes: IntArray


def reach_of(sample: GoldSample) -> Reach:
    """An item can be right for a moment if its feature is 1 for some class; if for several, all items count."""
    k, gold = sample.pool.n_classes, build_moments(sample.builders, sample.votes)
    in_pool = _per_pattern(sample.pooled, k)
    is_simple = in_pool.max(axis=0).toarray().ravel() <= 1
    sizes = np.where(is_simple, np.rint(in_pool.T @ sample.pool.patterns.counts), sample.pool.n_items)
    can_be = _per_pattern(gold, k)[sample.votes.inverse].toarray() > 0
    return Reach(sample.features_on_gold, can_be | ~is_simple, sizes.astype(np.int64))


def _per_pattern(moments: Moments, n_classes: int) -> sp.csr_array:
    """For how many classes each moment's feature is 1, of each pattern."""
    n_patterns = moments.features.shape[0] // n_classes
    return sum(
        (moments.features[np.arange(n_patterns) * n_classes + c] for c in range(n_classes)),
        start=sp.csr_array((n_patterns, len(moments))),
    )
