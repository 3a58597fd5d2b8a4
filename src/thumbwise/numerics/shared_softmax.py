"""Softmax of scores that many patterns share but for a few classes, at the cost of these.

With scores ``base[c]`` that the patterns of a kind have in common and what votes add to some, a pattern's normaliser is
that of the base, less the terms of its voted classes, plus what those terms become. Nothing of size patterns x classes
is made.

The subtraction costs accuracy where voted classes make up nearly all of the base and votes speak against them. Patterns
that keep less than ``_LEAST_KEPT`` of the base's normaliser need a cell for every class instead, so that what is lost
to rounding is at most 1e-16 / ``_LEAST_KEPT`` in a probability.
"""

from __future__ import annotations

from functools import cached_property
from typing import TypeAlias

import numpy as np

from thumbwise._typing import FloatArray, IntArray

_LEAST_KEPT = 1e-2

# Pattern and class of each cell, cells ascending by pattern and then class, and the number of cells of each pattern.
Places: TypeAlias = "tuple[IntArray, IntArray, IntArray]"


def find_places(cells: IntArray, n_patterns: int, n_classes: int) -> Places:
    """Of cells ``pattern * n_classes + class``, ascending."""
    owners, classes = np.divmod(cells, n_classes)
    return owners, classes, np.bincount(owners, minlength=n_patterns)


class SharedSoftmax:
    """Probabilities from scores ``base[kinds[t], c]`` of pattern t and class c, plus ``extra`` at some cells.

    They are ``scale[t] * terms[kinds[t], c]``, but at the cells ``chances``. To be read only if no pattern is poor.

    Attributes
    ----------
    terms : ndarray of shape (n_kinds, n_classes)
    poor : ndarray of int
        Patterns that need a cell for every class.
    """

    def __init__(self, base: FloatArray, kinds: IntArray, places: Places, extra: FloatArray) -> None:
        self._owners, classes, n_cells = places
        self.spots: IntArray = kinds[self._owners] * base.shape[1] + classes
        self._is_whole = n_cells == base.shape[1]
        top = base.max(axis=1, keepdims=True)
        base = base - top
        self._top = top[kinds, 0]
        self.terms: FloatArray = np.exp(base)
        self._add_up(base.ravel()[self.spots] + extra, self.terms.sum(axis=1)[kinds], n_cells)

    def _add_up(self, scores: FloatArray, whole: FloatArray, n_cells: IntArray) -> None:
        """Sums of exponentials of each pattern, less the largest score in it."""
        owners, n = self._owners, len(whole)
        self._peak = _largest(scores, n_cells, np.where(self._is_whole, -np.inf, 0.0))
        self._shrink = np.exp(np.minimum(-self._peak, 0.0))
        self._grown = np.exp(scores - self._peak[owners])
        kept = whole - np.bincount(owners, self.terms.ravel()[self.spots], minlength=n)
        kept = np.where(self._is_whole, 0.0, np.maximum(kept, 0.0))
        self._sums = kept * self._shrink + np.bincount(owners, self._grown, minlength=n)
        self.poor = np.flatnonzero(~self._is_whole & (self._sums < _LEAST_KEPT * whole * self._shrink))

    @cached_property
    def log_sums(self) -> FloatArray:
        """Logarithm of each pattern's normaliser."""
        return np.asarray(self._top + self._peak + np.log(self._sums))

    @cached_property
    def chances(self) -> FloatArray:
        """Probability of each cell."""
        return np.asarray(self._grown / self._sums[self._owners])

    @cached_property
    def scale(self) -> FloatArray:
        """What the terms are multiplied by, 0 for patterns with a cell for every class."""
        return np.where(self._is_whole, 0.0, self._shrink / self._sums)


def _largest(scores: FloatArray, n_cells: IntArray, least: FloatArray) -> FloatArray:
    """Largest score of each pattern's cells, or ``least`` if that is larger."""
    peak = least.copy()
    filled = np.flatnonzero(n_cells)
    if len(filled):
        starts = np.concatenate([[0], np.cumsum(n_cells[filled])[:-1]])
        peak[filled] = np.maximum(np.maximum.reduceat(scores, starts), peak[filled])
    return peak
