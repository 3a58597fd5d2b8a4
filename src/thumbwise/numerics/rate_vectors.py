"""Vote rates and class frequencies as one vector, and how far two of them are apart. Arrays in, arrays out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.numerics.vote_rates import spread_accuracies


@dataclass(frozen=True)
class CoinVectors:
    """Accuracies b, rates q of each wrong vote, class frequencies w: rules that say any wrong class alike.

    Attributes
    ----------
    n_rules, n_classes : int
    by_class : bool
        Whether a rule has an accuracy for each class, or one for all of them.
    """

    n_rules: int
    n_classes: int
    by_class: bool

    @property
    def n_coins(self) -> int:
        """Number of accuracies."""
        return self.n_rules * (self.n_classes if self.by_class else 1)

    @property
    def _n_alike(self) -> int:
        """In how many columns of a table of rates an accuracy stands."""
        return 1 if self.by_class else self.n_classes

    def join(self, accuracies: FloatArray, frequencies: FloatArray) -> FloatArray:
        """The vector, without what rounding adds to probabilities."""
        accuracies = np.clip(accuracies.ravel(), 0, 1)
        # By subtraction: docs/decisions/0004.
        return np.concatenate([accuracies, (1 - accuracies) / (self.n_classes - 1), frequencies])

    def parts(self, vector: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Of accuracies, rates of a wrong vote, and frequencies."""
        right, wrong, by_class = np.split(vector, [self.n_coins, 2 * self.n_coins])
        return right, wrong, by_class

    def distance(self, moved: FloatArray) -> float:
        """Larger of the summed changes of the rates, each as often as it stands in a table, and of the frequencies."""
        right, wrong, by_class = self.parts(np.abs(moved))
        rates = self._n_alike * (right.sum() + (self.n_classes - 1) * wrong.sum())
        return float(max(rates, by_class.sum()))

    def size(self, moved: FloatArray) -> float:
        """Root of the summed squares, each as often as it stands in a table."""
        right, wrong, by_class = self.parts(moved**2)
        return float(np.sqrt(self._n_alike * (right.sum() + (self.n_classes - 1) * wrong.sum()) + by_class.sum()))

    def normalise(self, vector: FloatArray) -> FloatArray:
        right, wrong, by_class = self.parts(vector)
        total = right + (self.n_classes - 1) * wrong
        return np.concatenate([right / total, wrong / total, by_class / by_class.sum()])

    def split(self, vector: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Rates by rule, class voted for and true class; class frequencies."""
        accuracies, _, frequencies = self.parts(vector)
        accuracies = accuracies.reshape(self.n_rules, -1)
        return spread_accuracies(np.broadcast_to(accuracies, (self.n_rules, self.n_classes))), frequencies


@dataclass(frozen=True)
class TableVectors:
    """Rates by rule, class voted for and true class, then class frequencies."""

    n_rules: int
    n_classes: int

    def join(self, rates: FloatArray, frequencies: FloatArray) -> FloatArray:
        """The vector."""
        return np.concatenate([rates.ravel(), frequencies])

    def split(self, vector: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The table of rates, shape (n_rules, n_classes, n_classes), and the frequencies."""
        shape = (self.n_rules, self.n_classes, self.n_classes)
        rates, frequencies = np.split(vector, [self.n_rules * self.n_classes**2])
        return rates.reshape(shape), frequencies

    def distance(self, moved: FloatArray) -> float:
        """Larger of the summed changes of the rates and of the class frequencies."""
        rates, frequencies = self.split(np.abs(moved))
        return float(max(rates.sum(), frequencies.sum()))

    def size(self, moved: FloatArray) -> float:
        """Root of the summed squares."""
        return float(np.linalg.norm(moved))

    def normalise(self, vector: FloatArray) -> FloatArray:
        rates, frequencies = self.split(vector)
        return self.join(rates / rates.sum(axis=1, keepdims=True), frequencies / frequencies.sum())
