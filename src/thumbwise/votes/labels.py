"""Labels in, class numbers out: gold labels and truths, by class name or number, -1 or missing where unknown."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import narwhals as nw
import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.exceptions import Argument, InPython, InvalidLabelsError
from thumbwise.tables.opened_frames import is_missing
from thumbwise.votes.votes import Votes

UNKNOWN = -1
# Sums of probabilities may differ from 1 by rounding.
_SUM_TOL = 1e-6


@dataclass(frozen=True, eq=False)
class KnownLabels:
    """Ids and class numbers of items whose label is certain; of these, how many were reviewed and are no gold."""

    item_ids: AnyArray
    labels: IntArray
    n_reviewed: int = 0

    def __len__(self) -> int:
        return len(self.labels)

    def positions(self, votes: Votes) -> IntArray:
        """Where the items stand among those of some votes, -1 for those that are not among them."""
        return votes.find_ids(self.item_ids)


def code_labels(labels: Any, class_names: Sequence[Hashable], n_items: int) -> IntArray:
    """Class number of each item, -1 where the label is missing or -1.

    A label that is a class name stands for that class. If no class is named by a number, numbers are class numbers.
    """
    column = _as_column(labels, n_items)
    number: dict[Hashable, int] = {name: c for c, name in enumerate(class_names)}
    if not any(isinstance(name, (int, float)) for name in class_names):
        number.update({c: c for c in range(len(class_names))})
    number.setdefault(UNKNOWN, UNKNOWN)
    if column.dtype.kind in "biu" and tuple(class_names) == tuple(range(len(class_names))):
        coded = column.astype(np.int64, copy=False)
        strange = (coded < UNKNOWN) | (coded >= len(class_names))
        if strange.any():
            raise _strange_label(column, np.flatnonzero(strange), class_names)
        return coded
    plain = column.tolist()
    coded = np.array([UNKNOWN if is_missing(v) else number.get(v, UNKNOWN - 1) for v in plain], dtype=np.int64)
    if (coded < UNKNOWN).any():
        raise _strange_label(column, np.flatnonzero(coded < UNKNOWN), class_names)
    return coded


def label_counts(votes: Votes, labels: IntArray) -> IntArray:
    """Number of items of each pattern and class, shape (n_patterns, n_classes), from class numbers; -1 counts not."""
    cells = votes.inverse.astype(np.int64) * votes.n_classes + labels
    if (labels < 0).any():
        cells = cells[labels >= 0]
    size = votes.patterns.n_patterns * votes.n_classes
    return np.bincount(cells, minlength=size).reshape(-1, votes.n_classes)


def _as_column(labels: Any, n_items: int) -> AnyArray:
    series = nw.from_native(labels, allow_series=True, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        column: AnyArray = np.array(series.to_list(), dtype=object if series.null_count() else None)
    else:
        column = np.asarray(labels)
    if column.shape == (n_items, 1):
        column = column.ravel()
    if column.ndim != 1 or len(column) != n_items:
        raise InvalidLabelsError(
            f"there must be one label per item; found labels of shape {column.shape} for {n_items} items."
        )
    return column


def _strange_label(column: AnyArray, strange: IntArray, class_names: Sequence[Hashable]) -> InvalidLabelsError:
    value = column[strange[0]]
    value = value.item() if isinstance(value, np.generic) else value
    known = ", ".join(repr(name) for name in class_names[:10]) + (", ..." if len(class_names) > 10 else "")
    near = get_close_matches(str(value), [str(name) for name in class_names], n=1) if isinstance(value, str) else []
    if near:
        hint = f"Is {near[0]!r} meant? If there is one more class, list all of them with "
    elif isinstance(value, str):
        hint = "If the votes are numbers or there is one more class, list all classes with "
    else:
        hint = "If classes are numbered from 1, subtract 1; if there is one more class, list all: "
    return InvalidLabelsError(
        f"labels must be classes of the votes ({known}), or -1 or missing where unknown; found {value!r} at position "
        f"{strange[0]} ({len(strange)} such labels). {hint}",
        Argument("class_names", [...]),
        ".",
    )


def label_masses(votes: Votes, labels: Any) -> FloatArray | IntArray:
    """Mass of items with each (pattern, class), from labels that are all known or from class probabilities.

    Returns an array of shape (n_patterns, n_classes) that sums to the number of items.
    """
    soft = np.asarray(labels) if not isinstance(labels, (str, bytes)) else None
    if soft is not None and soft.ndim == 2 and soft.shape == (votes.n_items, votes.n_classes):
        return _soft_masses(votes, check_probabilities(soft))
    coded = code_labels(labels, votes.class_names, votes.n_items)
    unknown = np.flatnonzero(coded == UNKNOWN)
    if len(unknown):
        raise InvalidLabelsError(
            f"the truth must be known for every item; it is missing at position {unknown[0]} ({len(unknown)} such "
            "items).",
            InPython(" For labels of some items, use Box.from_gold."),
        )
    return label_counts(votes, coded)


def _soft_masses(votes: Votes, soft: FloatArray) -> FloatArray:
    size = votes.patterns.n_patterns
    return np.column_stack([np.bincount(votes.inverse, column, minlength=size) for column in soft.T])


def check_probabilities(proba: Any, shape: tuple[int, int] | None = None) -> FloatArray:
    """Probabilities as an array of floats: one row per item that sums to 1, one column per class.

    Parameters
    ----------
    proba : array-like of shape (n_items, n_classes)
    shape : tuple of int, optional
        How many items and classes there are, if that is known.

    Examples
    --------
    >>> check_probabilities([[0.25, 0.75]]).tolist()
    [[0.25, 0.75]]
    """
    try:
        given = np.asarray(proba, dtype=float)
    except (TypeError, ValueError) as error:
        raise InvalidLabelsError(
            "probabilities must be a table of numbers, with one row per item and one column per class; this cannot be "
            f"read as one ({error}). Leave ids and labels out of it."
        ) from None
    if given.ndim != 2 or given.shape[1] < 2 or (shape is not None and given.shape != shape):
        raise _misshapen(given, shape)
    sums = given.sum(axis=1)
    off = np.flatnonzero(~((given >= 0).all(axis=1) & (np.abs(sums - 1) < _SUM_TOL)))
    if len(off):
        raise InvalidLabelsError(
            f"probabilities must be non-negative and sum to 1 in each row; row {off[0]} is {given[off[0]].tolist()}, "
            f"sum {sums[off[0]]:.6g} ({len(off)} such rows). Divide each row by its sum if it was rounded."
        )
    return given


def _misshapen(given: FloatArray, shape: tuple[int, int] | None) -> InvalidLabelsError:
    sizes = "of two classes or more" if shape is None else str(shape)
    hint = " If it is the probability p of the second of two classes, pass np.column_stack([1 - p, p])."
    return InvalidLabelsError(
        f"probabilities must have one row per item and one column per class, {sizes}; found shape {given.shape}.",
        InPython(hint if given.ndim < 2 or given.shape[1] < 2 else ""),
    )
