"""Folds of scikit-learn where labels are unknown: a score that passes over them, held-out probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import cross_val_predict

from thumbwise._typing import FloatArray
from thumbwise.exceptions import InvalidLabelsError
from thumbwise.metrics import log_loss
from thumbwise.votes.labels import UNKNOWN, code_labels
from thumbwise.votes.reading.item_order import in_item_order


def neg_log_loss(model: Any, votes: Any, y: Any) -> float:
    """Minus the mean log loss on the items with a known label, in nats: ``GridSearchCV(..., scoring=neg_log_loss)``.

    scikit-learn's own ``"neg_log_loss"`` takes -1 for a class. This one does not.

    *Guarantee*: none. What is chosen by this score is chosen after gold labels are seen. A certificate from the same
    labels survives that only if the choice touches neither the rules, nor the moments, nor the level of its box, which
    must be decided before.

    Parameters
    ----------
    model : fitted label model, or a pipeline that ends in one
    votes : Votes, array-like or frame
        Or what the first step of the pipeline takes.
    y : array-like of shape (n_items,)
        Classes of the items, -1 or missing where unknown.

    Examples
    --------
    >>> import thumbwise as tw
    >>> from thumbwise.models.folds import neg_log_loss
    >>> votes = [[0, 0, 1, 0], [1, 1, 1, 0], [0, 1, 1, 0]]
    >>> round(neg_log_loss(tw.MajorityVote().fit(votes), votes, [0, 1, -1]), 6)  # log(3 / 4)
    -0.287682
    """
    y = in_item_order(y, votes)
    proba = np.asarray(model.predict_proba(votes))
    labels = code_labels(y, tuple(model.classes_.tolist()), len(proba))
    known = labels != UNKNOWN
    if not known.any():
        raise InvalidLabelsError(
            f"a score needs at least one known label; all {len(labels)} are -1 or missing. Use fewer folds, or a "
            "StratifiedKFold, so that every fold has some."
        )
    return -log_loss(labels[known], proba[known])


def held_out_proba(model: Any, votes: Any, y: Any = None, *, cv: Any = None, n_jobs: int | None = None) -> FloatArray:
    """Probabilities for each item from a fit that saw neither the item nor its label, shape (n_items, n_classes).

    ``cross_val_predict(..., method="predict_proba")`` numbers the values of ``y`` anew, so that -1 becomes class 0.
    Here labels reach ``fit`` as they are.

    Folds that are stratified are split after the labels in ``y`` are seen; those of a splitter that ignores ``y``
    before. *Guarantee*: none; the probabilities of an item come from a fit to the others, about which a certificate of
    the whole pool says nothing.

    Parameters
    ----------
    model : label model, or a pipeline that ends in one
        Cloned, not changed.
    votes : Votes, array or frame
        If a class is so rare that the rest of the items may show no vote for it, pass Votes, which know all classes.
    y : array-like of shape (n_items,), optional
        Classes of the items, -1 or missing where unknown.
    cv : int, splitter or iterable, optional
        As in scikit-learn: five folds if absent, stratified by ``y``, its -1 included.
    n_jobs : int, optional

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> from thumbwise.models.folds import held_out_proba
    >>> votes = np.array([[0, 0, 1], [1, 1, 1], [0, 0, 0]] * 2)
    >>> held_out_proba(tw.MajorityVote(), votes, [0, 1, -1] * 2, cv=2).round(2).tolist()[:3]
    [[0.67, 0.33], [0.0, 1.0], [1.0, 0.0]]
    """
    y = in_item_order(y, votes)
    return np.asarray(cross_val_predict(_Probabilities(model), votes, y, cv=cv, n_jobs=n_jobs))


class _Probabilities(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """A model whose prediction is its probabilities: for predictions, scikit-learn leaves labels alone."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, votes: Any, y: Any = None) -> _Probabilities:
        self.fitted_ = clone(self.model).fit(votes, y)
        return self

    def predict(self, votes: Any) -> FloatArray:
        return np.asarray(self.fitted_.predict_proba(votes))
