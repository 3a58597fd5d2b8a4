"""Random problems, and the formulas of the game written out item by item, as slowly as they are stated."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from thumbwise import Votes

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def random_votes(
    rng: np.random.Generator,
    n_items: int,
    n_rules: int,
    n_classes: int,
    abstain: float = 0.3,
    accuracy: tuple[float, float] = (0.2, 0.95),
) -> tuple[Votes, Ints]:
    """Votes of rules of very different accuracies, by default some worse than chance, and the truth."""
    truth = rng.integers(0, n_classes, n_items)
    wrong = (truth[:, None] + rng.integers(1, n_classes, (n_items, n_rules))) % n_classes
    is_right = rng.random((n_items, n_rules)) < rng.uniform(*accuracy, n_rules)
    array = np.where(is_right, truth[:, None], wrong)
    array[rng.random(array.shape) < abstain] = -1
    return Votes(array, n_classes=n_classes), truth


def moments_of(array: npt.NDArray[np.integer[Any]], labeling: Floats) -> Floats:
    """Accuracies (0 for a rule that never votes), then class frequencies, of class probabilities per item."""
    n_items, n_rules = array.shape
    values = []
    for rule in range(n_rules):
        items = [i for i in range(n_items) if array[i, rule] >= 0]
        values.append(sum(labeling[i, array[i, rule]] for i in items) / max(1, len(items)))
    return np.array([*values, *labeling.mean(axis=0)])


def one_hot(truth: Ints, n_classes: int) -> Floats:
    return np.eye(n_classes)[truth]


def interval_around(rng: np.random.Generator, values: Floats, width: float = 0.1) -> tuple[Floats, Floats]:
    """Bounds that hold the values, at random distances on both sides."""
    lower = np.clip(values - width * rng.random(len(values)), 0, 1)
    upper = np.clip(values + width * rng.random(len(values)), 0, 1)
    return lower, upper
