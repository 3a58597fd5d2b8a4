"""Tables of items, classes and columns, with zeros left out where there are many classes.

With k classes a column for each class is zero in all but one of k rows, and the products of a step of Newton's method,
n * k * m^2 with all numbers written out, are then n * k * (numbers in a row)^2 + n * m^2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from thumbwise._typing import FloatArray, IntArray

# Tables of fewer numbers stay as they are: products of small matrices cost less than looking after zeros.
_SMALL = 2**18
# One multiplication of a sparse product costs about this many of a dense one.
_SPARSE_COST = 60


@dataclass(frozen=True, eq=False)
class SparseTable:
    """A table of shape (n_items, n_classes, n_columns) as sparse rows, ``item * n_classes + class``."""

    rows: sp.csr_array
    n_classes: int

    @property
    def shape(self) -> tuple[int, int, int]:
        n_rows, n_columns = self.rows.shape
        return n_rows // self.n_classes, self.n_classes, n_columns

    def __getitem__(self, items: slice | IntArray) -> SparseTable:
        """Some of the items."""
        k = self.n_classes
        chosen = np.arange(self.shape[0])[items]
        return SparseTable(sp.csr_array(self.rows[(chosen[:, None] * k + np.arange(k)).ravel()]), k)

    def __matmul__(self, weights: FloatArray) -> FloatArray:
        """Scores of the classes of each item."""
        return np.asarray(self.rows @ weights).reshape(-1, self.n_classes)


ClassTable: TypeAlias = "FloatArray | SparseTable"


def pack(table: FloatArray) -> ClassTable:
    """The table without its zeros, where products are cheaper so."""
    n_items, n_classes, n_columns = table.shape
    if table.size < _SMALL:
        return table
    rows = sp.csr_array(table.reshape(n_items * n_classes, n_columns))
    per_row = np.diff(rows.indptr).astype(float)
    return SparseTable(rows, n_classes) if _SPARSE_COST * (per_row @ per_row) < table.size * n_columns else table


def sum_at(table: ClassTable, labels: IntArray) -> FloatArray:
    """Sum over items of the columns at their labels."""
    items = np.arange(len(labels))
    if isinstance(table, SparseTable):
        return np.asarray(table.rows[items * table.n_classes + labels].sum(axis=0), dtype=float).ravel()
    return np.asarray(table[items, labels].sum(axis=0))


def means_of(table: ClassTable, proba: FloatArray) -> FloatArray:
    """Mean columns of each item under some probabilities of its classes, shape (n_items, n_columns)."""
    if not isinstance(table, SparseTable):
        return np.asarray(np.einsum("nk,nkm->nm", proba, table))
    n, k = proba.shape
    fold = sp.csr_array((proba.ravel(), np.arange(n * k), np.arange(0, n * k + 1, k)), shape=(n, n * k))
    return np.asarray((fold @ table.rows).toarray())


def covariances_of(table: ClassTable, proba: FloatArray, means: FloatArray) -> FloatArray:
    """Sum over items of the covariances of the columns, shape (n_columns, n_columns)."""
    if isinstance(table, SparseTable):
        rows = table.rows
        weighted = sp.csr_array(
            (rows.data * np.repeat(proba.ravel(), np.diff(rows.indptr)), rows.indices, rows.indptr), shape=rows.shape
        )
        return np.asarray((rows.T @ weighted).toarray() - means.T @ means)
    centred = ((table - means[:, None, :]) * np.sqrt(proba)[:, :, None]).reshape(-1, table.shape[2])
    return np.asarray(centred.T @ centred)
