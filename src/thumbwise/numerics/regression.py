"""The regression of :class:`thumbwise.Stack` in its shortest form: the mean of its two fits. Arrays in, arrays out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.class_tables import pack
from thumbwise.numerics.maxent import softmax
from thumbwise.numerics.patterns import Patterns
from thumbwise.numerics.ridge_softmax import fit_ridge_softmax
from thumbwise.numerics.stack_columns import StackColumns
from thumbwise.numerics.teaching import stack_priors


@dataclass(frozen=True, eq=False)
class Regression:
    """What it sees, and the weights that labels taught it."""

    columns: StackColumns
    weights: FloatArray

    @classmethod
    def teach(cls, columns: StackColumns, patterns: Patterns, places: IntArray, labels: IntArray) -> Regression:
        """From labels of items at some places among patterns."""
        seen, row = np.unique(places, return_inverse=True)
        table = pack(columns.table(patterns.take(seen, patterns.counts[seen])))[row]
        fits = [fit_ridge_softmax(table, labels, prior) for prior in stack_priors(columns.kinds)]
        return cls(columns, np.mean(fits, axis=0))

    def proba(self, patterns: Patterns) -> FloatArray:
        """Probabilities of each pattern, shape (n_patterns, n_classes)."""
        return softmax(self.columns.scores(patterns, self.weights))[0]

    def proba_without(self, patterns: Patterns) -> FloatArray:
        """Those of the pattern of each vote, were it an abstention; nothing is taught anew, (n_votes, n_classes)."""
        return softmax(self.columns.scores_without(patterns, self.weights))[0]


def n_products(n_labels: int, columns: StackColumns) -> float:
    """Multiplications of one step of a fit, about."""
    return float(n_labels) * columns.n_classes * columns.n_columns**2
