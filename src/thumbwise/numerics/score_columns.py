"""Columns of a regression on scores of judges: what they say together, and how they differ. Arrays in, arrays out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.patterns import Patterns
from thumbwise.numerics.stack_columns import CLASS, CONSENSUS, FEATURE

# Directions in which judges differ that are used, at most, over the classes that have weights of their own.
_MOST_DIFFERENCES = 50
_N_STEPS = 200


@dataclass(frozen=True, eq=False)
class ScoreColumns:
    """Scores that are linear in weights: one for the consensus, some for each difference, one for each class.

    Rows are :class:`thumbwise.numerics.feature_columns.ItemRows` whose numbers are those of :class:`Consensus`.

    Attributes
    ----------
    n_classes, n_differences : int
    """

    n_classes: int
    n_differences: int

    @property
    def n_scored(self) -> int:
        """Numbers of the consensus for each item: for two classes one, for the second against the first."""
        return 1 if self.n_classes == 2 else self.n_classes

    @property
    def free(self) -> IntArray:
        """Classes with weights of their own: with two, the second is enough."""
        return np.arange(self.n_classes)[self.n_classes == 2 :]

    @cached_property
    def kinds(self) -> IntArray:
        """What each column is, shape (n_columns,)."""
        n_free = len(self.free)
        return np.repeat([CONSENSUS, CLASS, FEATURE], [1, n_free, self.n_differences * n_free])

    def panel(self, rows: Any) -> FloatArray:
        """The consensus by class, centred over classes, shape (n_rows, n_classes, 1)."""
        said = rows.features[:, : self.n_scored]
        by_class = said * [-0.5, 0.5] if self.n_scored == 1 else said - said.mean(axis=1, keepdims=True)
        return np.asarray(by_class[:, :, None])

    def table(self, rows: Any) -> FloatArray:
        """All columns, dense, shape (n_rows, n_classes, n_columns)."""
        free, n = self.free, rows.n_patterns
        own = np.zeros((n, self.n_classes, self.n_differences, len(free)))
        for i, c in enumerate(free):
            own[:, c, :, i] = rows.features[:, self.n_scored :]
        classes = np.broadcast_to(np.eye(self.n_classes)[:, free], (n, self.n_classes, len(free)))
        return np.concatenate([self.panel(rows), classes, own.reshape(n, self.n_classes, -1)], axis=2)

    def scores(self, rows: Patterns, weights: FloatArray, panel: FloatArray | None = None) -> FloatArray:
        """Columns times weights, shape (n_rows, n_classes)."""
        n_free, differences = len(self.free), rows.features[:, self.n_scored :]  # type: ignore[attr-defined]
        scores = weights[0] * (self.panel(rows) if panel is None else panel)[:, :, 0]
        scores[:, self.free] += weights[1 : 1 + n_free] + differences @ weights[1 + n_free :].reshape(-1, n_free)
        return np.asarray(scores)


@dataclass(frozen=True, eq=False)
class Consensus:
    """What judges say together, and the directions in which they differ: linear in their ranks, from no label.

    Attributes
    ----------
    together : ndarray of shape (n_columns, n_scored)
        Weights of the ranks in the consensus, none negative: a higher rank never speaks against its class.
    differences : ndarray of shape (n_columns, n_differences)
    """

    together: FloatArray
    differences: FloatArray

    @classmethod
    def of(cls, ranks: FloatArray, n_scored: int) -> Consensus:
        """For the centred ranks of all items, shape (n_items, n_rules * n_scored), classes of a rule side by side.

        Of columns that are equal, the first counts, so that a judge who is there twice changes nothing. The consensus
        is the weighted mean that varies most, scaled to size 1; the rest are principal components of what it leaves,
        on the same scale.
        """
        first = _first_of_equal(ranks)
        together = np.zeros((ranks.shape[1], n_scored))
        for c in range(n_scored):
            of_class = first & (np.arange(ranks.shape[1]) % n_scored == c)
            together[of_class, c] = _leading(ranks[:, of_class])
        sizes = np.sqrt(((ranks @ together) ** 2).mean(axis=0))
        together /= np.where(sizes > 0, sizes, 1.0)
        counted = np.flatnonzero(first)
        differences = np.zeros((ranks.shape[1], 0))
        if sizes.max() > 0:
            differences = _differences(ranks, counted, together, _MOST_DIFFERENCES // n_scored) / sizes.max()
        return cls(together, differences)

    def apply(self, ranks: FloatArray) -> FloatArray:
        """Consensus and differences of some items, shape (n_items, n_components)."""
        return np.concatenate([ranks @ self.together, ranks @ self.differences], axis=1)


def _first_of_equal(columns: FloatArray) -> Any:
    seen: set[bytes] = set()
    first = np.zeros(columns.shape[1], dtype=bool)
    for j, column in enumerate(columns.T):
        text = column.tobytes()
        first[j] = column.any() and text not in seen
        seen.add(text)
    return first


def _leading(columns: FloatArray) -> FloatArray:
    """Weights of length 1, none negative, of the mean that varies most; from even weights by repeated products."""
    product = columns.T @ columns
    weights = np.full(len(product), 1 / np.sqrt(max(1, len(product))))
    for _ in range(_N_STEPS):
        moved = np.maximum(product @ weights, 0.0)
        size = np.linalg.norm(moved)
        if size == 0:
            break
        weights = moved / size
    return np.asarray(weights)


def _differences(ranks: FloatArray, counted: IntArray, together: FloatArray, most: int) -> FloatArray:
    """Principal directions of what the consensus leaves of the columns that count, largest first."""
    columns, said = ranks[:, counted], ranks @ together
    product = columns.T @ columns
    of_said = np.linalg.lstsq(said.T @ said, said.T @ columns, rcond=None)[0]
    leaves = np.eye(ranks.shape[1])[:, counted] - together @ of_said
    left = product - (columns.T @ said) @ of_said
    sizes, vectors = np.linalg.eigh((left + left.T) / 2)
    kept = np.argsort(-sizes)[:most]
    kept = kept[sizes[kept] > 1e-9 * max(1e-300, product.trace())]
    return np.asarray(leaves @ vectors[:, kept])
