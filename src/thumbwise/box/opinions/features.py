"""Features of the items: numbers beside the votes that a learned opinion may use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from thumbwise._typing import FloatArray
from thumbwise.exceptions import Argument, InvalidVotesError

# More columns than this are replaced by as many principal directions.
_MOST_COLUMNS = 50


def read_features(features: Any, n_items: int, name: str) -> Any:
    """A matrix with a row for each item: dense or sparse, finite."""
    matrix: Any = features.tocsr() if sp.issparse(features) else np.asarray(features, dtype=float)
    if matrix.ndim != 2 or matrix.shape[0] != n_items or matrix.shape[1] == 0:
        raise InvalidVotesError(
            Argument(name),
            f" must be a matrix with a row for each of the {n_items:,} items; found shape {matrix.shape}.",
        )
    values: Any = matrix.data if sp.issparse(matrix) else matrix
    bad = ~np.isfinite(values)
    if bad.any():
        where = "" if sp.issparse(matrix) else f", the first in row {int(np.argmax(bad.any(axis=1)))}"
        raise InvalidVotesError(
            Argument(name), f" must be finite numbers; found {int(bad.sum()):,} that are not{where}. Fill or drop them."
        )
    return matrix


@dataclass(frozen=True, eq=False)
class Scaling:
    """Few columns of about the same size, in place of whatever the user has; from all items and no label.

    Attributes
    ----------
    directions : ndarray of shape (n_columns, n_features) or None
        Principal directions, if there are more columns than can be used.
    centre, scale : ndarray of shape (n_features,)
    """

    n_columns: int
    directions: FloatArray | None
    centre: FloatArray
    scale: FloatArray

    @classmethod
    def of(cls, population: Any) -> Scaling:
        """For the items that gold was drawn from."""
        directions = _directions(population) if population.shape[1] > _MOST_COLUMNS else None
        columns = _project(population, directions)
        centre, scale = columns.mean(axis=0), columns.std(axis=0)
        return cls(population.shape[1], directions, centre, np.where(scale > 0, scale, 1.0))

    def apply(self, matrix: Any) -> FloatArray:
        """Columns of mean 0 and standard deviation 1 over the population."""
        if matrix.shape[1] != self.n_columns:
            raise InvalidVotesError(
                f"features must have the {self.n_columns:,} columns that were fitted; found {matrix.shape[1]:,}."
            )
        return np.asarray((_project(matrix, self.directions) - self.centre) / self.scale)


def _directions(population: Any) -> FloatArray:
    from sklearn.decomposition import TruncatedSVD  # noqa: PLC0415  # only for wide features

    n = min(_MOST_COLUMNS, min(population.shape) - 1)
    return np.asarray(TruncatedSVD(max(1, n), random_state=0).fit(population).components_.T)


def _project(matrix: Any, directions: FloatArray | None) -> FloatArray:
    if directions is not None:
        return np.asarray(matrix @ directions)
    dense = matrix.toarray() if sp.issparse(matrix) else matrix  # type: ignore[attr-defined]
    return np.asarray(dense, dtype=np.float64)


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
