"""Losses: how far probabilities and labels are from the truth: a class number per item, or class probabilities."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from thumbwise._typing import FloatArray, IntArray

__all__ = [
    "brier_score",
    "first_best",
    "kl_sum",
    "log_loss",
    "mean_absolute_error",
    "median_class",
    "quadratic_kappa",
    "zero_one_loss",
]

# Probabilities this close are equal: what differs by less is rounding, and depends on the order of the rules.
TIE = 1e-9


def log_loss(y: npt.ArrayLike, proba: npt.ArrayLike, *, clip: float = 1e-15) -> float:
    """Mean of -log of the probability given to the truth, in nats: ``1/n sum_i sum_c -y_ic log p_ic``.

    *Guarantee*: none about other items, here and in the rest of the module: losses are those of the items given.

    Parameters
    ----------
    y : array-like of shape (n_items,) or (n_items, n_classes)
        True classes as numbers, or class probabilities.
    proba : array-like of shape (n_items, n_classes)
    clip : float
        Probabilities are clipped to ``[clip, 1 - clip]`` and rows rescaled to sum to 1, as in An and Dasgupta (2024);
        ``clip=0`` does neither, and a truth with probability 0 then costs infinity.

    Examples
    --------
    >>> round(log_loss([0, 1], [[0.5, 0.5], [0.25, 0.75]]), 6)
    0.490415
    """
    truth, given = _aligned(y, proba)
    if clip > 0:
        given = np.clip(given, clip, 1 - clip)
        given = given / given.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        costs = np.where(truth > 0, -truth * np.log(given), 0.0)
    return float(costs.sum() / len(truth))


def brier_score(y: npt.ArrayLike, proba: npt.ArrayLike) -> float:
    """Mean squared distance between prediction and truth, summed over classes: ``1/n sum_i sum_c (p_ic - y_ic)^2``.

    0 is perfect, 2 always surely wrong.

    Parameters
    ----------
    y : array-like of shape (n_items,) or (n_items, n_classes)
        True classes as numbers, or class probabilities.
    proba : array-like of shape (n_items, n_classes)

    Examples
    --------
    >>> brier_score([0, 1], [[0.5, 0.5], [0.25, 0.75]])
    0.3125
    """
    truth, given = _aligned(y, proba)
    return float(((given - truth) ** 2).sum() / len(truth))


def zero_one_loss(y: npt.ArrayLike, proba: npt.ArrayLike, *, ties: Literal["first", "share"] = "first") -> float:
    """Share of items whose most probable class is not the true one.

    Parameters
    ----------
    y : array-like of shape (n_items,) or (n_items, n_classes)
        True classes as numbers, or class probabilities.
    proba : array-like of shape (n_items, n_classes)
    ties : {"first", "share"}
        Of equally probable classes (within 1e-9) take the first, or count the chance of an error if one of them is
        drawn at random. (``predict`` of a model, which knows the votes, prefers the class with most of them.)

    Examples
    --------
    >>> proba = [[0.5, 0.5], [0.25, 0.75]]
    >>> zero_one_loss([1, 1], proba), zero_one_loss([1, 1], proba, ties="share")
    (0.5, 0.25)
    """
    truth, given = _aligned(y, proba)
    if ties == "first":
        chosen = truth[np.arange(len(truth)), first_best(given)]
        return float(1 - chosen.mean())
    if ties != "share":
        raise ValueError(f'ties must be "first" or "share"; found {ties!r}.')
    best = given >= given.max(axis=1, keepdims=True) - TIE
    return float(1 - ((best * truth).sum(axis=1) / best.sum(axis=1)).mean())


def kl_sum(truth: npt.ArrayLike, proba: npt.ArrayLike) -> float:
    """Sum over items of KL(truth_i, proba_i) = sum_c t_ic log(t_ic / p_ic), in nats.

    Infinite where a possible class is given probability 0.

    Parameters
    ----------
    truth : array-like of shape (n_items,) or (n_items, n_classes)
        True classes as numbers, or class probabilities.
    proba : array-like of shape (n_items, n_classes)

    Examples
    --------
    >>> round(kl_sum([[0.5, 0.5], [0, 1]], [[0.5, 0.5], [0.25, 0.75]]), 6)  # -log 0.75
    0.287682
    """
    p, q = _aligned(truth, proba)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p > 0, p * (np.log(p) - np.log(q)), 0.0)
    return float(terms.sum())


def first_best(proba: FloatArray) -> IntArray:
    """Most probable class of each row, shape (n_items,); of those that tie within 1e-9, the first. No label is seen.

    Examples
    --------
    >>> first_best(np.array([[0.5, 0.5], [0.25, 0.75]])).tolist()
    [0, 1]
    """
    return np.asarray(np.argmax(proba >= proba.max(axis=1, keepdims=True) - TIE, axis=1))


def mean_absolute_error(y: npt.ArrayLike, labels: npt.ArrayLike, *, values: npt.ArrayLike | None = None) -> float:
    """Mean distance between labels and truth, of ordered classes: ``1/n sum_i |v[label_i] - v[y_i]|``.

    Parameters
    ----------
    y, labels : array-like of shape (n_items,)
        Class numbers.
    values : array-like of shape (n_classes,), optional
        The number that each class stands for; absent: its place, so that distances are counted in steps.

    Examples
    --------
    >>> mean_absolute_error([0, 2, 4], [0, 3, 2]), mean_absolute_error([0, 1], [1, 1], values=[1, 5])
    (1.0, 2.0)
    """
    truth, given = _on_scale(y, labels, values)
    return float(np.abs(given - truth).mean())


def quadratic_kappa(
    y: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    values: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
) -> float:
    """Cohen's kappa of ordered classes with quadratic weights: 1 is always right, 0 no nearer than by chance.

    One minus the mean squared distance between labels and truth over that between all pairs of a label and a true
    class, drawn independently of each other. NaN where only one class is there.

    Parameters
    ----------
    y, labels : array-like of shape (n_items,)
        Class numbers.
    values : array-like of shape (n_classes,), optional
        The number that each class stands for; absent: its place.
    weights : array-like of shape (n_items,), optional
        How often each item counts; absent: once.

    Examples
    --------
    >>> round(quadratic_kappa([0, 1, 2, 3, 4], [0, 1, 3, 3, 4]), 3)
    0.952
    """
    truth, given = _on_scale(y, labels, values)
    share = np.ones(len(truth)) if weights is None else np.asarray(weights, dtype=float)
    share = share / share.sum()
    means = share @ truth, share @ given
    by_chance = share @ (truth - means[0]) ** 2 + share @ (given - means[1]) ** 2 + (means[0] - means[1]) ** 2
    apart = float(share @ (given - truth) ** 2)
    return 1 - apart / float(by_chance) if by_chance > 0 else float("nan")


def median_class(proba: npt.ArrayLike) -> IntArray:
    """The class of each row, shape (n_items,), in the middle of ordered classes: the first up to which half is reached.

    Of all labels it has the lowest expected absolute error; the most probable class has the highest accuracy. Halves
    within 1e-9 count as reached. No label is seen.

    Examples
    --------
    >>> median_class([[0.4, 0.3, 0.3], [0.6, 0.0, 0.4]]).tolist()
    [1, 0]
    """
    reached = np.cumsum(np.asarray(proba, dtype=float), axis=1) >= 0.5 - TIE
    return np.asarray(np.argmax(reached, axis=1))


def _on_scale(y: npt.ArrayLike, labels: npt.ArrayLike, values: npt.ArrayLike | None) -> tuple[FloatArray, FloatArray]:
    """Truth and labels as the numbers that their classes stand for."""
    truth, given = np.asarray(y), np.asarray(labels)
    if truth.ndim != 1 or truth.shape != given.shape or not len(truth):
        raise ValueError(
            f"y and labels must be class numbers, one per item; found shapes {truth.shape}, {given.shape}."
        )
    n_classes = int(max(truth.max(), given.max())) + 1
    scale = np.arange(n_classes, dtype=float) if values is None else np.asarray(values, dtype=float)
    both = np.concatenate([truth, given])
    if both.dtype.kind not in "iub" or both.min() < 0 or both.max() >= len(scale):
        raise ValueError(f"y and labels must be class numbers 0..{len(scale) - 1}; found {truth[:3]}, {given[:3]}.")
    return scale[truth.astype(np.int64)], scale[given.astype(np.int64)]


def _aligned(y: npt.ArrayLike, proba: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Truth and prediction as class probabilities of the same shape."""
    given = np.asarray(proba, dtype=float)
    truth = np.asarray(y)
    if given.ndim != 2 or len(truth) != len(given) or len(given) == 0:
        raise ValueError(
            f"proba must be (n_items, n_classes) with one row per item; found {given.shape} for {len(truth)} items."
        )
    if truth.ndim == 2:
        if truth.shape != given.shape:
            raise ValueError(
                f"true and given probabilities must have the same shape; found {truth.shape} and {given.shape}."
            )
        return truth.astype(float), given
    if truth.dtype.kind not in "iub" or truth.min() < 0 or truth.max() >= given.shape[1]:
        raise ValueError(
            f"y must hold class numbers 0..{given.shape[1] - 1}; found {truth.dtype} values, "
            f"such as {truth[:3].tolist()}."
        )
    hard = np.zeros_like(given)
    hard[np.arange(len(truth)), truth.astype(np.int64)] = 1
    return hard, given
