"""Features of many classes without a row for each of them: what all patterns share, and what votes add.

Stored as rows, the features of 10^5 patterns and 1,000 classes are 10^8 rows, nearly all of which say only which class
they are. Here they are

    feature(t, c) = shared[c] + extra[cell],   extra only for the cells (t, c) that some vote speaks for,

so that storage and products follow the number of votes plus the number of classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.shared_softmax import Places, find_places

# Up to this many cells, a row for each is small and every sparse operation is at hand. With many classes nearly all
# rows repeat those of their class, and sharing pays earlier: 100 classes x 20 rules x 10^5 items took 27 s row by row.
_MOST_ROWS = 2**24
_MANY_CLASSES = 30
_MOST_ROWS_OF_MANY_CLASSES = 2**20


@dataclass(frozen=True, eq=False)
class SharedFeatures:
    """A tall sparse array, row ``t * n_classes + c`` for pattern t and class c, whose rows are never all made.

    Attributes
    ----------
    shared : sparse array of shape (n_classes, n_moments)
        What the rows of a class have in common.
    cells : ndarray of shape (n_cells,)
        Rows that differ from it, ascending.
    extra : sparse array of shape (n_cells, n_moments)
        By how much.
    n_patterns : int
    """

    shared: sp.csr_array
    cells: IntArray
    extra: sp.csr_array
    n_patterns: int

    @property
    def n_classes(self) -> int:
        return int(self.shared.shape[0])

    @cached_property
    def places(self) -> Places:
        """Pattern and class of each cell, and the number of cells of each pattern."""
        return find_places(self.cells, self.n_patterns, self.n_classes)

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_patterns * self.n_classes, int(self.shared.shape[1])

    @property
    def T(self) -> Transposed:  # noqa: N802 - as arrays call it
        return Transposed(self)

    def __matmul__(self, weights: FloatArray) -> FloatArray:
        """All rows times some weights, shape (n_patterns * n_classes,)."""
        rows = np.tile(self.shared @ weights, self.n_patterns)
        rows[self.cells] += self.extra @ weights
        return rows

    def __getitem__(self, rows: slice | IntArray) -> sp.csr_array:
        """Some rows, made."""
        chosen = np.arange(self.shape[0])[rows] if isinstance(rows, slice) else np.asarray(rows)
        place = np.searchsorted(self.cells, chosen)
        differs = np.flatnonzero(np.append(self.cells, -1)[place] == chosen)
        put = sp.csr_array((np.ones(len(differs)), (differs, place[differs])), shape=(len(chosen), len(self.cells)))
        return sp.csr_array(self.shared[chosen % self.n_classes] + put @ self.extra)

    def tocsr(self) -> sp.csr_array:
        """All rows, made."""
        return self[np.arange(self.shape[0])]

    def with_whole(self, patterns: IntArray) -> SharedFeatures:
        """The same features, with a cell for every class of some patterns."""
        k = self.n_classes
        cells = merge_ascending(self.cells, (patterns[:, None] * k + np.arange(k)).ravel())
        return SharedFeatures(self.shared, cells, self.extra_at(cells), self.n_patterns)

    def extra_at(self, cells: IntArray) -> sp.csr_array:
        """What votes add at some cells, ascending, that include all of these."""
        if len(cells) == len(self.cells):
            return self.extra
        place = np.searchsorted(cells, self.cells)
        put = sp.csr_array((np.ones(len(place)), (place, np.arange(len(place)))), shape=(len(cells), len(place)))
        return sp.csr_array(put @ self.extra)


@dataclass(frozen=True, eq=False)
class Transposed:
    """What ``features.T`` is good for: sums over cells."""

    features: SharedFeatures

    def __matmul__(self, by_cell: FloatArray) -> FloatArray:
        kept = self.features
        by_class = by_cell.reshape(-1, kept.n_classes).sum(axis=0)
        return np.asarray(kept.shared.T @ by_class + kept.extra.T @ by_cell[kept.cells])


@dataclass(frozen=True, eq=False)
class JoinedFeatures:
    """Two arrays side by side that are not made one: many columns that games have in common, and few of their own.

    Attributes
    ----------
    first : ndarray or sparse array of shape (n_patterns * n_classes, n_first)
    second : ndarray of shape (n_patterns * n_classes, n_second)
    """

    first: FloatArray | sp.csr_array
    second: FloatArray

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.first.shape[0]), int(self.first.shape[1] + self.second.shape[1])

    @property
    def T(self) -> JoinedTransposed:  # noqa: N802 - as arrays call it
        return JoinedTransposed(self)

    def __matmul__(self, weights: FloatArray) -> FloatArray:
        n_first = self.first.shape[1]
        return np.asarray(self.first @ weights[:n_first] + self.second @ weights[n_first:])

    def take(self, columns: IntArray) -> FloatArray | sp.csr_array:
        """Some columns, ascending, made one array."""
        n_first = self.first.shape[1]
        second = self.second[:, columns[columns >= n_first] - n_first]
        if second.shape[1] == len(columns):
            return second
        first = self.first[:, columns[columns < n_first]]
        if isinstance(first, np.ndarray):
            return np.concatenate([first, second], axis=1)
        return sp.csr_array(sp.hstack([first, sp.csr_array(second)], format="csr"))


@dataclass(frozen=True, eq=False)
class JoinedTransposed:
    """What ``features.T`` is good for: sums over cells."""

    features: JoinedFeatures

    def __matmul__(self, by_cell: FloatArray) -> FloatArray:
        return np.concatenate([self.features.first.T @ by_cell, self.features.second.T @ by_cell])


Rows: TypeAlias = "sp.csr_array | SharedFeatures"
Features: TypeAlias = "FloatArray | sp.csr_array | SharedFeatures | JoinedFeatures"


def _row_by_row(n_patterns: int, n_classes: int) -> bool:
    most = _MOST_ROWS if n_classes < _MANY_CLASSES else min(_MOST_ROWS, _MOST_ROWS_OF_MANY_CLASSES)
    return n_patterns * n_classes <= most


def cell_features(cells: IntArray, columns: IntArray, n_patterns: int, n_classes: int, n_columns: int) -> Rows:
    """Features that are 1 at some cells: rows if those are few, otherwise only the rows that are not empty."""
    if _row_by_row(n_patterns, n_classes):
        shape = (n_patterns * n_classes, n_columns)
        return sp.csr_array((np.ones(len(cells)), (cells, columns)), shape=shape)
    used, place = np.unique(cells, return_inverse=True)
    extra = sp.csr_array((np.ones(len(cells)), (place, columns)), shape=(len(used), n_columns))
    return SharedFeatures(sp.csr_array((n_classes, n_columns)), used, extra, n_patterns)


def repeated_features(by_class: sp.csr_array, n_patterns: int) -> Rows:
    """The same features for every pattern: made once a pattern if that is small, otherwise once."""
    n_classes, n_columns = by_class.shape
    if _row_by_row(n_patterns, n_classes):
        return sp.csr_array(sp.kron(np.ones((n_patterns, 1)), by_class, format="csr"))
    nothing = np.zeros(0, dtype=np.int64)
    return SharedFeatures(by_class, nothing, sp.csr_array((0, n_columns)), n_patterns)


def merge_ascending(left: IntArray, right: IntArray) -> IntArray:
    """Distinct numbers of two ascending arrays, ascending: two runs are merged, without a table or a full sort."""
    both = np.concatenate([left, right])
    both.sort(kind="stable")
    return both[np.diff(both, prepend=-1) > 0]


def join_features(left: Rows, right: Rows) -> Rows:
    """Columns side by side."""
    if not isinstance(left, SharedFeatures) and not isinstance(right, SharedFeatures):
        return sp.csr_array(sp.hstack([left, right], format="csr"))
    pair = [_as_shared(part, left, right) for part in (left, right)]
    cells = merge_ascending(pair[0].cells, pair[1].cells)
    shared = sp.hstack([part.shared for part in pair], format="csr")
    extra = sp.hstack([part.extra_at(cells) for part in pair], format="csr")
    return SharedFeatures(sp.csr_array(shared), cells, sp.csr_array(extra), pair[0].n_patterns)


def put_beside(features: Features, columns: FloatArray | Rows) -> Features:
    """Features and a few more columns, without a copy of the features where there is another way."""
    if isinstance(features, SharedFeatures) and not isinstance(columns, np.ndarray):
        return join_features(features, columns)
    if isinstance(features, (SharedFeatures, JoinedFeatures)) or not isinstance(columns, np.ndarray):
        raise TypeError("dense columns go beside dense or sparse features, others beside shared ones.")
    return JoinedFeatures(features, columns)


def _as_shared(part: Rows, *like: Rows) -> SharedFeatures:
    """Rows as cells, in the shape of the others."""
    if isinstance(part, SharedFeatures):
        return part
    model = next(other for other in like if isinstance(other, SharedFeatures))
    rows = sp.csr_array(part)
    cells = np.flatnonzero(np.diff(rows.indptr))
    return SharedFeatures(
        sp.csr_array((model.n_classes, rows.shape[1])), cells, sp.csr_array(rows[cells]), model.n_patterns
    )


def take_columns(features: Features, columns: IntArray) -> Features:
    """Some of the columns, stored as all of them are; ascending, where they are in two parts."""
    if isinstance(features, JoinedFeatures):
        return features.take(columns)
    if not isinstance(features, SharedFeatures):
        return features[:, columns]
    shared, extra = (sp.csr_array(part[:, columns]) for part in (features.shared, features.extra))
    return SharedFeatures(shared, features.cells, extra, features.n_patterns)


def stack_rows(features: Features, below: Features) -> Features:
    """The rows of further patterns below those of others, stored as these are."""
    rows = as_rows(below)
    if isinstance(features, np.ndarray):
        return np.concatenate([features, rows.toarray()])
    if not isinstance(features, SharedFeatures):
        return sp.csr_array(sp.vstack([as_rows(features), rows], format="csr"))
    k, n_rows = features.n_classes, rows.shape[0]
    cells = np.concatenate([features.cells, features.shape[0] + np.arange(n_rows)])
    extra = sp.vstack([features.extra, rows - features.shared[np.arange(n_rows) % k]], format="csr")
    return SharedFeatures(features.shared, cells, sp.csr_array(extra), features.n_patterns + n_rows // k)


def as_rows(features: Features) -> sp.csr_array:
    """One sparse row for each pattern and class, for what cannot do without."""
    if isinstance(features, JoinedFeatures):
        return sp.csr_array(features.take(np.arange(features.shape[1])))
    return features.tocsr() if isinstance(features, SharedFeatures) else sp.csr_array(features)
