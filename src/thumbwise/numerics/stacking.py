"""The regression of the learned opinion on all labels at once: the sharpest prediction, and no bound of its own."""

from __future__ import annotations

import math

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.ridge_softmax import fit_ridge_softmax
from thumbwise.numerics.teaching import mix, stack_priors, teach

# Lessons by which the two fits are compared, and labels in each at least.
_N_LESSONS, _SHORTEST = 20, 5


def fit_stack(table: FloatArray, labels: IntArray, kinds: IntArray) -> FloatArray:
    """Weights of a softmax regression on all labels: two priors, mixed by how well each foretold label after label.

    Parameters
    ----------
    table : ndarray of shape (n_items, n_classes, n_columns)
        Of :class:`thumbwise.numerics.stack_columns.StackColumns`, in an order that labels did not set.
    labels : ndarray of shape (n_items,)
    kinds : ndarray of shape (n_columns,)
        What each column is.

    Returns
    -------
    weights : ndarray of shape (n_columns,)
    """
    priors = stack_priors(kinds)
    spacing = max(_SHORTEST, math.ceil(len(labels) / _N_LESSONS))
    _, losses = teach(table, labels, priors, range(0, len(labels), spacing))
    return mix([fit_ridge_softmax(table, labels, prior) for prior in priors], np.asarray(losses))
