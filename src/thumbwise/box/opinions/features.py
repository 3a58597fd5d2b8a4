"""Features of the items: numbers beside the votes that a learned opinion may use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from thumbwise._typing import FloatArray
from thumbwise.exceptions import Argument, InvalidVotesError

# Principal components that are used, at most.
_MOST_COMPONENTS = 50
# Up to this many columns their products are all taken; of more, the largest components are found by random projections.
_MOST_EXACT = 1000


def read_features(features: Any, n_items: int, name: str) -> Any:
    """A matrix with a row for each item: dense or sparse, finite."""
    is_sparse = bool(sp.issparse(features))
    matrix: Any = sp.csr_array(features) if is_sparse else np.asarray(features, dtype=float)
    if matrix.ndim != 2 or matrix.shape[0] != n_items or matrix.shape[1] == 0:
        raise InvalidVotesError(
            Argument(name),
            f" must be a matrix with a row for each of the {n_items:,} items; found shape {matrix.shape}.",
        )
    values = matrix.data if is_sparse else matrix
    bad = ~np.isfinite(values)
    if bad.any():
        where = "" if is_sparse else f", the first in row {int(np.argmax(bad.any(axis=1)))}"
        raise InvalidVotesError(
            Argument(name), f" must be finite numbers; found {int(bad.sum()):,} that are not{where}. Fill or drop them."
        )
    return matrix


@dataclass(frozen=True, eq=False)
class Scaling:
    """Few columns in place of whatever the user has: principal components of standardised columns, the first of size 1.

    What many columns have in common comes first and weighs most, so that a regression with one prior for all may rely
    on it before it has seen many labels. From all items and no label.

    Attributes
    ----------
    centre, scale : ndarray of shape (n_columns,)
        Mean and standard deviation of each column; the mean of a sparse matrix is left as it is.
    directions : ndarray of shape (n_columns, n_components)
    """

    centre: FloatArray
    scale: FloatArray
    directions: FloatArray

    @classmethod
    def of(cls, population: Any) -> Scaling:
        """For the items that gold was drawn from."""
        is_sparse = sp.issparse(population)
        squares = population.multiply(population) if is_sparse else population**2
        mean, power = (np.asarray(part.mean(axis=0)).ravel() for part in (population, squares))
        spread = np.sqrt(np.maximum(power - mean**2, 0))
        centre = np.zeros_like(mean) if is_sparse else mean
        plain = cls(centre, np.where(spread > 0, spread, 1.0), np.eye(0))
        columns = plain._standardise(population)
        return cls(plain.centre, plain.scale, _directions(columns))

    def _standardise(self, matrix: Any) -> Any:
        if isinstance(matrix, np.ndarray):
            return (matrix - self.centre) / self.scale
        return matrix @ sp.diags_array(1 / self.scale)

    def apply(self, matrix: Any) -> FloatArray:
        """The components of some items, shape (n_items, n_components)."""
        if matrix.shape[1] != len(self.centre):
            raise InvalidVotesError(
                f"features must have the {len(self.centre):,} columns that were fitted; found {matrix.shape[1]:,}."
            )
        return np.asarray(self._standardise(matrix) @ self.directions)


def _directions(columns: Any) -> FloatArray:
    """Principal directions, at most fifty, over the size of the first component."""
    if columns.shape[1] <= _MOST_EXACT:
        product = columns.T @ columns
        sizes, vectors = np.linalg.eigh(product if isinstance(product, np.ndarray) else product.toarray())
        order = np.argsort(-sizes)[:_MOST_COMPONENTS]
        largest, directions = np.sqrt(max(sizes[order[0]], 0.0)), vectors[:, order]
    else:
        from sklearn.decomposition import TruncatedSVD  # noqa: PLC0415  # only for wide features

        parts = TruncatedSVD(min(_MOST_COMPONENTS, columns.shape[0]), random_state=0).fit(columns)
        largest, directions = parts.singular_values_[0], parts.components_.T
    return np.asarray(directions / (largest / np.sqrt(columns.shape[0]) or 1.0))


def stack_features(pool: Any, gold: Any) -> Any:
    """Pool and gold one below the other."""
    if pool.shape[1] != gold.shape[1]:
        raise InvalidVotesError(
            "features of gold and pool must have the same columns; ",
            Argument("gold_features"),
            f" has {gold.shape[1]:,}, ",
            Argument("features"),
            f" {pool.shape[1]:,}.",
        )
    if sp.issparse(pool) or sp.issparse(gold):
        return sp.vstack([sp.csr_array(pool), sp.csr_array(gold)], format="csr")
    return np.concatenate([pool, gold])
