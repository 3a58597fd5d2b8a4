"""A regression that learns label after label: what it would have said before it saw each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.class_tables import ClassTable
from thumbwise.numerics.maxent import softmax
from thumbwise.numerics.panel import TRUST
from thumbwise.numerics.ridge_softmax import Prior, fit_ridge_softmax
from thumbwise.numerics.stack_columns import CONSENSUS, FEATURE, PANEL

# Precisions of the weights of the panel, of rules, of votes, of classes: one fit that follows rules, one that hardly
# does. With features of the items, which come last, both hardly follow rules, and one follows features. Which of them
# is right differs from data to data; labels decide as they come.
_PRECISIONS = ((2.0, 1.0, 2.0, 1.0), (2.0, 16.0, 32.0, 1.0))
_WITH_FEATURES = ((2.0, 16.0, 32.0, 1.0, 1.0), (2.0, 16.0, 32.0, 1.0, 4.0))
# With scores of judges: what they say together is believed from the start, how they differ only as labels show it.
_WITH_SCORES = ((2.0, 16.0, 32.0, 1.0, 1.0, 4.0), (2.0, 16.0, 32.0, 1.0, 8.0, 4.0))
# Before any label, what the panel says (thumbwise.numerics.panel.TRUST), and one step of log-odds for each standard
# deviation of the consensus of scores.
_TRUST_IN_CONSENSUS = 1.0
# Probabilities count as no smaller than this when the two fits are compared.
_LEAST_COUNTED = 1e-3
_ROUGH = 1e-3
# How much of a difference between the losses of two fits counts for what all labels taught; all of it would follow the
# luck of few labels. (Measured: docs/methods.md.)
_BELIEVED = 0.5


def stack_priors(kinds: IntArray) -> tuple[Prior, ...]:
    """The priors of the fits, for columns of these kinds."""
    mean, of_panel = np.where(kinds == CONSENSUS, _TRUST_IN_CONSENSUS, 0.0), kinds == PANEL
    if of_panel.any():
        mean[of_panel] = TRUST[int(of_panel.sum())]
    has_scores, has_features = ((kinds == kind).any() for kind in (CONSENSUS, FEATURE))
    chosen = _WITH_SCORES if has_scores else _WITH_FEATURES if has_features else _PRECISIONS
    return tuple(Prior(mean, np.array(precisions)[kinds]) for precisions in chosen)


@dataclass(frozen=True, eq=False)
class Lesson:
    """Weights from the labels before ``start``, in force for the labels from there up to ``stop``."""

    start: int
    stop: int
    weights: FloatArray


def teach(
    table: ClassTable, labels: IntArray, priors: Sequence[Prior], breaks: Sequence[int]
) -> tuple[list[Lesson], FloatArray]:
    """Go through the labels in order, refitting where ``breaks`` say, and mix the fits by how well they did so far.

    Weights of the fits are averaged, each in proportion to the probability that it gave to the labels before, each of
    which it had not seen. Every lesson is a function of earlier labels only.

    Parameters
    ----------
    table : ndarray or SparseTable of shape (n_items, n_classes, n_columns)
    labels : ndarray of shape (n_items,)
    priors : sequence of Prior
    breaks : sequence of int
        Where lessons start; the first is 0.

    Returns
    -------
    lessons : list of Lesson
    losses : ndarray of shape (n_priors,)
        What each fit lost on all labels, each before it was seen.
    """
    losses, lessons = np.zeros(len(priors)), []
    fits = [prior.mean for prior in priors]
    for start, stop in zip(breaks, [*breaks[1:], len(labels)], strict=True):
        seen = slice(0, start)
        fits = [
            fit_ridge_softmax(table[seen], labels[seen], prior, start=fit, tol=_ROUGH)
            for prior, fit in zip(priors, fits, strict=True)
        ]
        lessons.append(Lesson(start, stop, mix(fits, losses)))
        following = np.arange(start, stop)
        for i, fit in enumerate(fits):
            given = softmax(table[following] @ fit)[0][np.arange(stop - start), labels[following]]
            losses[i] -= np.log(np.maximum(given, _LEAST_COUNTED)).sum()
    return lessons, losses


def mix(fits: Sequence[FloatArray], losses: FloatArray) -> FloatArray:
    """Average of the weights, in proportion to the exponentials of minus the losses."""
    shares = np.exp(losses.min() - losses)
    return np.asarray(sum(share * fit for share, fit in zip(shares / shares.sum(), fits, strict=True)))


def settle(
    table: ClassTable, labels: IntArray, priors: Sequence[Prior], losses: FloatArray, *, tol: float = 1e-6
) -> tuple[FloatArray, FloatArray]:
    """Fits to all labels, one for each prior, and what each counts by what it lost on labels that it had not seen.

    Returns
    -------
    fits : ndarray of shape (n_priors, n_columns)
    shares : ndarray of shape (n_priors,)
    """
    fits = np.array([fit_ridge_softmax(table, labels, prior, tol=tol) for prior in priors])
    return fits, mix([*np.eye(len(priors))], _BELIEVED * losses)
