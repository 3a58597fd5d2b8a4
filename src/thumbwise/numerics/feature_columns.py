"""Columns of a regression on votes and on features of the items: a row for each item instead of each pattern."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.patterns import Patterns
from thumbwise.numerics.stack_columns import FEATURE, StackColumns


@dataclass(frozen=True, eq=False)
class ItemRows(Patterns):
    """Items, each with its votes and with numbers of its own, shape (n_items, n_features)."""

    features: FloatArray

    @classmethod
    def of(cls, patterns: Patterns, inverse: IntArray, features: FloatArray) -> ItemRows:
        """A row for each item, from the pattern that each shows."""
        rows = patterns.take(inverse, np.ones(len(inverse), dtype=np.int64))
        return cls(
            rows.starts, rows.rules, rows.classes, rows.counts, rows.groups, rows.n_rules, rows.n_classes, features
        )

    def take(self, positions: IntArray, counts: IntArray) -> ItemRows:
        rows = super().take(positions, counts)
        return ItemRows(**vars(rows), features=self.features[positions])


@dataclass(frozen=True, eq=False)
class FeatureColumns:
    """What :class:`StackColumns` has, and for each feature a column for each class that needs one."""

    of_votes: StackColumns
    n_features: int

    @cached_property
    def kinds(self) -> IntArray:
        """What each column is."""
        n_free = len(self.of_votes.free)
        return np.concatenate([self.of_votes.kinds, np.full(self.n_features * n_free, FEATURE)])

    def panel(self, rows: Patterns) -> FloatArray:
        """As for votes alone."""
        return self.of_votes.panel(rows)

    def table(self, rows: Any) -> FloatArray:
        """All columns of :class:`ItemRows`, dense, shape (n_rows, n_classes, n_columns)."""
        free = self.of_votes.free
        by_class = np.zeros((rows.n_patterns, self.of_votes.n_classes, self.n_features, len(free)))
        for i, c in enumerate(free):
            by_class[:, c, :, i] = rows.features
        return np.concatenate([self.of_votes.table(rows), by_class.reshape(*by_class.shape[:2], -1)], axis=2)

    def scores(self, rows: Any, weights: FloatArray, panel: FloatArray | None = None) -> FloatArray:
        """Columns times weights, shape (n_rows, n_classes)."""
        n = len(self.of_votes.kinds)
        scores = self.of_votes.scores(rows, weights[:n], panel)
        scores[:, self.of_votes.free] += rows.features @ weights[n:].reshape(self.n_features, -1)
        return scores
