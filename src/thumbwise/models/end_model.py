"""Class probabilities as weighted rows, which any classifier with sample weights can be trained on."""

from __future__ import annotations

import inspect
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.exceptions import InvalidLabelsError
from thumbwise.metrics import TIE
from thumbwise.votes.labels import check_probabilities


@dataclass(frozen=True, eq=False)
class SoftLabels:
    """What a classifier's ``fit`` takes. Unpacks to ``X, y, sample_weight``.

    Attributes
    ----------
    X : of the kind that was passed, n_rows long
        Features. An item has one row for each class that it may be of.
    y : ndarray of shape (n_rows,)
        Class of the row.
    sample_weight : ndarray of shape (n_rows,)
        Probability of that class, times the weight of the item; always positive.
    items : ndarray of shape (n_rows,)
        Position of the item that the row came from. Cross-validation must keep the rows of an item together: these
        are its ``groups``.

    Examples
    --------
    >>> import thumbwise as tw
    >>> X, y, sample_weight = tw.soft_labels(["hello", "WIN"], [[1, 0], [0.25, 0.75]])
    >>> X, y.tolist(), sample_weight.tolist()
    (['hello', 'WIN', 'WIN'], [0, 0, 1], [1.0, 0.25, 0.75])
    """

    X: Any
    y: AnyArray
    sample_weight: FloatArray
    items: IntArray

    def __iter__(self) -> Iterator[Any]:
        return iter((self.X, self.y, self.sample_weight))

    def __repr__(self) -> str:
        n_items = len(np.unique(self.items))
        return f"SoftLabels: {len(self.y):,} rows of {n_items:,} items, total weight {self.sample_weight.sum():,.6g}"

    def fit(self, estimator: Any) -> Any:
        """Fit an estimator and return it. The weights go by name, in a pipeline to its last step."""
        prefix, last = "", estimator
        while getattr(last, "steps", None):
            step, last = last.steps[-1]
            prefix += f"{step}__"
        taken = inspect.signature(last.fit).parameters.values()
        if not any(p.name == "sample_weight" or p.kind is p.VAR_KEYWORD for p in taken):
            raise InvalidLabelsError(
                f"a classifier must take sample_weight in fit to learn from soft labels; {type(last).__name__} does "
                "not. Choose another one, or train this one on the most probable classes."
            )
        return estimator.fit(self.X, self.y, **{f"{prefix}sample_weight": self.sample_weight})


def soft_labels(
    X: Any,  # noqa: N803  # scikit-learn's name
    proba: npt.ArrayLike,
    *,
    class_names: Sequence[Hashable] | AnyArray | None = None,
    n_votes: npt.ArrayLike | None = None,
    keep: npt.ArrayLike | None = None,
    sample_weight: npt.ArrayLike | None = None,
    min_weight: float = 0.0,
) -> SoftLabels:
    """One row per item and class of positive probability, weighted by that probability.

    For every loss that is a weighted sum over rows, the rows give the expected loss under the soft labels: for log loss
    the cross entropy ``sum_i s_i sum_c -p_ic log q_c(x_i)``, with the weight s_i of the item (1 unless given). The
    weights of an item sum to s_i, so regularisation, such as C of a logistic regression, means what it means with one
    row per item.

    It assumes a classifier that does nothing else with rows than sum. Counts of rows (the smallest leaf of a tree,
    bootstraps, random parts held out for early stopping) see an item several times; so does a vectoriser that learns
    from rows: fit it before. Rows are in the order of the items, then of the classes.

    *Guarantee*: none. What is proved about ``proba`` says nothing about a classifier trained on it.

    Parameters
    ----------
    X : ndarray, sparse matrix or array, frame, series or list of n_items
        Features or texts. Kept as they are: a frame of pandas, polars or PyArrow comes back as one, a list as a list,
        sparse rows as CSR.
    proba : array-like of shape (n_items, n_classes)
        Rows sum to 1, as those of ``predict_proba`` do.
    class_names : sequence of n_classes, optional
        Class of each column, such as ``model.classes_``; column numbers if absent.
    n_votes : array-like of shape (n_items,), optional
        Number of votes on each item, such as ``votes.n_votes_per_item``. If given, items without votes are dropped:
        their probabilities are the class frequencies and have nothing to do with X. If absent, they are kept.
    keep : array-like of bool, shape (n_items,), optional
        Items to use. To keep gold items that nobody voted on, pass ``(votes.n_votes_per_item > 0) | is_gold`` here, and
        not ``n_votes``.
    sample_weight : array-like of shape (n_items,), optional
        Weights of the items, at least 0, multiplied in. Items of weight 0 are dropped.
    min_weight : float
        Between 0 and 1. Classes that are less probable are dropped and the rest of the item is divided by its sum; the
        most probable class stays, and those that tie with it. This saves rows and is not exact: the soft label
        of an item moves by what is dropped, less than ``(n_classes - 1) * min_weight`` in total variation. 0 drops
        nothing but zeros.

    Returns
    -------
    SoftLabels

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from thumbwise.models.end_model import soft_labels
    >>> X = [[0.0], [1.0], [2.0]]
    >>> soft = soft_labels(X, [[1, 0], [0.5, 0.5], [0.2, 0.8]], class_names=["ham", "spam"])
    >>> soft
    SoftLabels: 5 rows of 3 items, total weight 3
    >>> soft.y.tolist(), soft.sample_weight.tolist(), soft.items.tolist()
    (['ham', 'ham', 'spam', 'ham', 'spam'], [1.0, 0.5, 0.5, 0.2, 0.8], [0, 1, 1, 2, 2])
    >>> soft.fit(LogisticRegression()).predict([[0.0], [3.0]]).tolist()
    ['ham', 'spam']
    """
    given = check_probabilities(proba)
    if not 0 <= min_weight <= 1:
        raise ValueError(f"min_weight must lie between 0 and 1; found {min_weight}.")
    names = _check_classes(class_names, given.shape[1])
    item_weights = _item_weights(len(given), n_votes, keep, sample_weight)
    shares = _prune(given, min_weight) * item_weights[:, None]
    items, columns = np.nonzero(shares)
    if len(items) == 0:
        raise InvalidLabelsError(
            f"at least one item must be left to train on; of {len(given)} items none is (probabilities of shape "
            f"{given.shape}). Check n_votes, keep and sample_weight."
        )
    return SoftLabels(_take(X, items, len(given)), names[columns], shares[items, columns], items)


def _prune(proba: FloatArray, min_weight: float) -> FloatArray:
    """Probabilities without the small ones, rows summing to 1."""
    is_best = proba >= proba.max(axis=1, keepdims=True) - TIE
    kept = np.where((proba >= min_weight) | is_best, proba, 0.0)
    return np.asarray(kept / kept.sum(axis=1, keepdims=True))


def _check_classes(classes: Sequence[Hashable] | AnyArray | None, n_classes: int) -> AnyArray:
    """Names of the columns as an array, of objects if they are of several kinds."""
    if classes is None:
        return np.arange(n_classes)
    listed = classes.tolist() if isinstance(classes, np.ndarray) else list(classes)
    if len(listed) != n_classes or len(set(listed)) != n_classes:
        raise InvalidLabelsError(
            f"class_names must name each column of proba once; found {len(listed)} names, {len(set(listed))} of them "
            f"different, for {n_classes} columns. Pass model.classes_ of the model that made proba."
        )
    if len({type(value) for value in listed}) == 1 and isinstance(listed[0], (str, int, float)):
        return np.array(listed)
    names = np.empty(n_classes, dtype=object)
    names[:] = listed
    return names


def _item_weights(
    n_items: int, n_votes: npt.ArrayLike | None, keep: npt.ArrayLike | None, sample_weight: npt.ArrayLike | None
) -> FloatArray:
    """Weight of each item, 0 where it is not to be used."""
    weights = np.ones(n_items) if sample_weight is None else _check_numbers(sample_weight, n_items, "sample_weight")
    if n_votes is not None:
        weights = weights * (_check_numbers(n_votes, n_items, "n_votes") > 0)
    if keep is not None:
        mask = np.asarray(keep)
        if mask.dtype != bool or mask.shape != (n_items,):
            raise InvalidLabelsError(
                f"keep must be one truth value per item, {n_items} in all; found {mask.dtype} values of shape "
                f"{mask.shape}."
            )
        weights = weights * mask
    return weights


def _check_numbers(values: npt.ArrayLike, n_items: int, name: str) -> FloatArray:
    """One finite number per item, none below 0."""
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InvalidLabelsError(f"{name} must be one number per item; this cannot be read as numbers.") from None
    if numbers.shape != (n_items,):
        raise InvalidLabelsError(
            f"{name} must be one number per item; found shape {numbers.shape} for {n_items} items."
        )
    is_off = ~(np.isfinite(numbers) & (numbers >= 0))
    if is_off.any():
        raise InvalidLabelsError(
            f"{name} must be finite and at least 0; found {numbers[is_off][0]} at position {int(np.argmax(is_off))} "
            f"({int(is_off.sum())} such items)."
        )
    return numbers


def _take(X: Any, items: IntArray, n_items: int) -> Any:  # noqa: N803
    """Some rows of X, in the kind that X is of."""
    if isinstance(X, (list, tuple)):
        _check_length(len(X), n_items)
        return [X[i] for i in items.tolist()]
    if sp.issparse(X):
        rows: Any = X
        _check_length(rows.shape[0], n_items)
        return rows.tocsr()[items]
    try:
        frame = nw.from_native(X, allow_series=True, pass_through=True)
    except nw.exceptions.DuplicateError:
        raise InvalidLabelsError("columns of X must have different names; some are equal. Rename them.") from None
    if isinstance(frame, nw.LazyFrame):
        raise InvalidLabelsError("X must be in memory; found a lazy frame. Collect it first.")
    if isinstance(frame, (nw.DataFrame, nw.Series)):
        _check_length(len(frame), n_items)
        return frame[items].to_native()
    array = np.asarray(X)
    if array.ndim == 0:
        raise InvalidLabelsError(
            f"X must be an array, a sparse matrix, a frame, a series or a list; found {type(X).__name__}."
        )
    _check_length(len(array), n_items)
    return array[items]


def _check_length(n_rows: int, n_items: int) -> None:
    if n_rows != n_items:
        raise InvalidLabelsError(
            f"X and proba must have one row per item each; found {n_rows} rows of X and {n_items} of proba. "
            "Take the same items from both."
        )
