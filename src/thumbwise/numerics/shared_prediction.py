"""A prediction over many classes at the cost of the votes: only classes that get a vote differ between patterns."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import scipy.sparse as sp

from thumbwise._typing import FloatArray
from thumbwise.numerics.shared_features import SharedFeatures
from thumbwise.numerics.shared_softmax import SharedSoftmax


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
        softmax = _softmax(weights, features)
        if len(softmax.poor):
            features = features.with_whole(softmax.poor)
            softmax = _softmax(weights, features)
        self.features = features
        self.owners, self.classes, _ = features.places
        self.terms: FloatArray = softmax.terms[0]
        self.log_sums, self.chances, self.scale = softmax.log_sums, softmax.chances, softmax.scale
        self.change: FloatArray = self.chances - self.scale[self.owners] * self.terms[self.classes]
        self.totals = features.shared.T @ self.class_totals + features.extra.T @ self.cell_masses

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


def _softmax(weights: FloatArray, features: SharedFeatures) -> SharedSoftmax:
    """All patterns are of one kind."""
    one_kind = np.zeros(features.n_patterns, dtype=np.int64)
    base = np.asarray(features.shared @ weights)[None]
    return SharedSoftmax(base, one_kind, features.places, features.extra @ weights)


def weighted_squares(rows: sp.csr_array, weights: FloatArray) -> sp.csr_array:
    """Sum over rows of weight times the product of the row with itself: rows' diag(weights) rows."""
    data = rows.data * np.repeat(weights, np.diff(rows.indptr))
    return sp.csr_array(rows.T @ sp.csr_array((data, rows.indices, rows.indptr), rows.shape))
