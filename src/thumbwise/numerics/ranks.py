"""Ranks of one judge's scores among all of its scores: what is left of them when only their order counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thumbwise._typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Ranks:
    """How many scores of some items lie below any number. No label is used.

    Attributes
    ----------
    values : ndarray of shape (n_values,)
        The different scores, in order.
    below : ndarray of shape (n_values + 1,)
        How many scores are smaller than each of them; last, how many there are.
    """

    values: FloatArray
    below: IntArray

    @classmethod
    def of(cls, scores: FloatArray) -> Ranks:
        """Of the scores of some items; NaN where there is none."""
        values, counts = np.unique(scores[~np.isnan(scores)], return_counts=True)
        return cls(values, np.concatenate([[0], np.cumsum(counts)]))

    @property
    def n_scores(self) -> int:
        return int(self.below[-1])

    def above_middle(self, scores: FloatArray) -> IntArray:
        """Scores below less scores above each number, in (-n_scores, n_scores), whole; 0 for NaN.

        Zero where as many are larger as are smaller: in the middle, whatever the scores are called.
        """
        below = self.below[np.searchsorted(self.values, scores, "left")]
        up_to = self.below[np.searchsorted(self.values, scores, "right")]
        return np.where(np.isnan(scores), 0, below + up_to - self.n_scores)

    def centred(self, scores: FloatArray) -> FloatArray:
        """Share of the scores below each number, equal ones counted by half, less one half; 0 for NaN."""
        return np.asarray(self.above_middle(scores) / (2 * max(1, self.n_scores)))
