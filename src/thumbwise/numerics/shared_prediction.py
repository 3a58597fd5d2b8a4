"""A prediction over many classes at the cost of the votes: only classes that get a vote differ between patterns.

With scores ``base[c]`` that all patterns share and what votes add to some, a pattern's normaliser is that of the base,
less the terms of its voted classes, plus what those terms become. Nothing of size patterns x classes is made.

The subtraction costs accuracy where voted classes make up nearly all of the base and votes speak against them. Patterns
that keep less than ``_LEAST_KEPT`` of the base's normaliser get a term for every class instead, so that what is lost to
rounding is at most 1e-16 / ``_LEAST_KEPT`` in a probability.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import scipy.sparse as sp

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.shared_features import SharedFeatures

_LEAST_KEPT = 1e-2


class SharedPrediction:
    """Softmax of the scores of shared features, cell by cell for classes with votes, as a product for the others.

    The probability of class c for pattern t is ``scale[t] * terms[c]``, plus ``change`` at the cells of the features.

    Attributes
    ----------
    log_sums : ndarray of shape (n_patterns,)
    totals : ndarray of shape (n_moments,)
        Sums of the features over patterns and classes, weighted by mass and probability.
    """

    def __init__(self, weights: FloatArray, features: SharedFeatures, masses: FloatArray) -> None:
        self.masses, self.weights = masses, weights
        base = np.asarray(features.shared @ weights)
        self._top = float(base.max())
        self._base: FloatArray = base - self._top
        self.terms: FloatArray = np.exp(self._base)
        self._place_cells(features)
        poor = np.flatnonzero(~self._is_whole & (self._sums < _LEAST_KEPT * self.terms.sum() * self._shrink))
        if len(poor):
            self._place_cells(features.with_whole(poor))
        self._normalise()

    def _place_cells(self, features: SharedFeatures) -> None:
        """Sums of exponentials of each pattern, less the largest score in it."""
        n, k = features.n_patterns, features.n_classes
        self.features = features
        self.owners, self.classes, n_cells = features.places
        self._is_whole = n_cells == k
        scores = self._base[self.classes] + features.extra @ self.weights
        self._peak = _largest(scores, n_cells, np.where(self._is_whole, -np.inf, 0.0))
        self._shrink = np.exp(np.minimum(-self._peak, 0.0))
        self._grown = np.exp(scores - self._peak[self.owners])
        kept = self.terms.sum() - np.bincount(self.owners, self.terms[self.classes], minlength=n)
        kept = np.where(self._is_whole, 0.0, np.maximum(kept, 0.0))
        self._sums = kept * self._shrink + np.bincount(self.owners, self._grown, minlength=n)

    def _normalise(self) -> None:
        self.log_sums = self._top + self._peak + np.log(self._sums)
        self.chances = self._grown / self._sums[self.owners]
        self.scale = np.where(self._is_whole, 0.0, self._shrink / self._sums)
        self.change = self.chances - self.scale[self.owners] * self.terms[self.classes]
        self.totals = self.features.shared.T @ self.class_totals + self.features.extra.T @ self.cell_masses

    @cached_property
    def cell_masses(self) -> FloatArray:
        return np.asarray(self.masses[self.owners] * self.chances)

    @cached_property
    def class_totals(self) -> FloatArray:
        """Mass of each class."""
        changes = np.bincount(self.classes, self.masses[self.owners] * self.change, minlength=len(self.terms))
        return np.asarray(self.terms * (self.masses @ self.scale) + changes)

    @property
    def entropy(self) -> float:
        """Mean entropy: mean log-partition minus the mean score."""
        return float(self.masses @ self.log_sums - self.weights @ self.totals)

    @cached_property
    def proba(self) -> FloatArray:
        """All probabilities, shape (n_patterns, n_classes)."""
        table = np.outer(self.scale, self.terms)
        table.ravel()[self.features.cells] = self.chances
        return table

    @property
    def log_proba(self) -> FloatArray:
        scores = self.features @ self.weights
        return np.asarray(scores.reshape(self.proba.shape) - self.log_sums[:, None])

    @cached_property
    def _means(self) -> tuple[FloatArray, sp.csr_array]:
        """Mean features of each pattern: ``outer(scale, first) + second``, with a sparse second."""
        kept, n_cells = self.features, len(self.owners)
        starts = np.searchsorted(self.owners, np.arange(kept.n_patterns + 1))
        changes = sp.csr_array((self.change, self.classes, starts), shape=(kept.n_patterns, kept.n_classes))
        fold = sp.csr_array((self.chances, np.arange(n_cells), starts), shape=(kept.n_patterns, n_cells))
        return np.asarray(kept.shared.T @ self.terms), sp.csr_array(changes @ kept.shared + fold @ kept.extra)

    @cached_property
    def _crossed(self) -> sp.csr_array:
        """What votes add to features, summed over patterns for each class, shape (n_classes, n_moments)."""
        n_cells = len(self.owners)
        gather = sp.csr_array((self.cell_masses, (self.classes, np.arange(n_cells))), shape=(len(self.terms), n_cells))
        return sp.csr_array(gather @ self.features.extra)

    @cached_property
    def _squared(self) -> sp.csr_array:
        """Products of what votes add to features, summed over cells, shape (n_moments, n_moments)."""
        return weighted_squares(self.features.extra, self.cell_masses)

    def product(self, direction: FloatArray) -> FloatArray:
        """Second derivative of the mean log-partition times a direction."""
        shared = self.features.shared
        first, second = self._means
        means = self.masses * (self.scale * (first @ direction) + second @ direction)
        by_class = shared @ direction
        squares = shared.T @ (self.class_totals * by_class + self._crossed @ direction) + self._crossed.T @ by_class
        squares += self._squared @ direction
        return np.asarray(squares - first * (self.scale @ means) - second.T @ means)

    def curvature(self) -> FloatArray:
        """Second derivative of the mean log-partition, shape (n_moments, n_moments)."""
        shared = self.features.shared
        first, second = self._means
        crossed = shared.T @ self._crossed
        aside = np.outer(first, second.T @ (self.masses * self.scale))
        squares = weighted_squares(shared, self.class_totals) + crossed + crossed.T + self._squared
        spread = np.outer(first, first) * (self.masses @ self.scale**2) + aside + aside.T
        return np.asarray((squares - weighted_squares(second, self.masses)).toarray() - spread)

    def diagonal(self) -> FloatArray:
        """Diagonal of the second derivative."""
        shared = self.features.shared
        first, second = self._means
        squares = shared.power(2).T @ self.class_totals + self._squared.diagonal()
        squares += 2 * np.asarray(shared.multiply(self._crossed).sum(axis=0)).ravel()
        spread = first**2 * (self.masses @ self.scale**2) + second.power(2).T @ self.masses
        return np.asarray(squares - spread - 2 * first * (second.T @ (self.masses * self.scale)))


def weighted_squares(rows: sp.csr_array, weights: FloatArray) -> sp.csr_array:
    """Sum over rows of weight times the product of the row with itself: rows' diag(weights) rows."""
    data = rows.data * np.repeat(weights, np.diff(rows.indptr))
    return sp.csr_array(rows.T @ sp.csr_array((data, rows.indices, rows.indptr), rows.shape))


def _largest(scores: FloatArray, n_cells: IntArray, least: FloatArray) -> FloatArray:
    """Largest score of each pattern's cells, or ``least`` if that is larger."""
    peak = least.copy()
    filled = np.flatnonzero(n_cells)
    if len(filled):
        starts = np.concatenate([[0], np.cumsum(n_cells[filled])[:-1]])
        peak[filled] = np.maximum(np.maximum.reduceat(scores, starts), peak[filled])
    return peak
