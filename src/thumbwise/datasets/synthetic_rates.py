"""The parameters of made-up rules, checked, as a probability for every vote given every class."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from thumbwise._typing import FloatArray


def coin_rates(accuracies: FloatArray, n_classes: int, abstain: npt.ArrayLike) -> FloatArray:
    """Rates of rules that are equally often right on every class, of shape (n_rules, n_classes, n_classes + 1)."""
    return class_rates(np.tile(accuracies[:, None], (1, n_classes)), abstain)


def class_rates(class_accuracies: FloatArray, abstain: npt.ArrayLike) -> FloatArray:
    """Rates of rules that are right as often as told on each class, and give each wrong class equally often."""
    n_rules, n_classes = class_accuracies.shape
    silent = per_rule(abstain, "abstain", n_rules)
    wrong = (1 - class_accuracies) / (n_classes - 1)
    rates = np.empty((n_rules, n_classes, n_classes + 1))
    rates[:, :, :-1] = np.where(np.eye(n_classes, dtype=bool), class_accuracies[:, :, None], wrong[:, :, None])
    rates[:, :, :-1] *= 1 - silent[:, None, None]
    rates[:, :, -1] = silent[:, None]
    return rates


def read_frequencies(frequencies: npt.ArrayLike | None, n_classes: int) -> FloatArray:
    """Class frequencies that sum to 1; all equal if none are given."""
    if frequencies is None:
        if n_classes < 2:
            raise ValueError(f"n_classes must be at least 2; found {n_classes}.")
        return np.full(n_classes, 1 / n_classes)
    checked = read_probabilities(frequencies, "class_frequencies", 1)
    if len(checked) < 2 or abs(checked.sum() - 1) > 1e-9:
        raise ValueError(f"class_frequencies must be two or more and sum to 1; found {checked.tolist()}.")
    return checked


def per_rule(probabilities: npt.ArrayLike, name: str, size: int) -> FloatArray:
    """One probability for all, or one for each."""
    given = np.asarray(probabilities, dtype=float)
    if given.shape not in {(), (size,)}:
        raise ValueError(f"{name} must be one number or {size} numbers; found an array of shape {given.shape}.")
    return read_probabilities(np.broadcast_to(given, (size,)), name, 1, may_be_empty=True)


def read_probabilities(
    probabilities: npt.ArrayLike, name: str, n_axes: int, *, may_be_empty: bool = False
) -> FloatArray:
    """Numbers from 0 to 1, copied."""
    array = np.array(probabilities, dtype=float)
    if array.ndim != n_axes or not (array.size or may_be_empty):
        expected = "a list of numbers" if n_axes == 1 else "a table of numbers, a row per rule"
        raise ValueError(f"{name} must be {expected}; found an array of shape {array.shape}.")
    strange = array[~((array >= 0) & (array <= 1))]
    if len(strange):
        raise ValueError(f"{name} must be probabilities, from 0 to 1; found {strange[0]:g} ({len(strange)} such).")
    return array
