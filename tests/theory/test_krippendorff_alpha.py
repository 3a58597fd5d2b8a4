"""Krippendorff's alpha: the example that its author works out, and the definition, pair by pair."""

from __future__ import annotations

import numpy as np
import pytest

from thumbwise.numerics.agreement import nominal_alpha
from thumbwise.numerics.patterns import find_patterns

# Krippendorff (2011), Computing Krippendorff's alpha-reliability, example C: four observers, twelve units, five values.
OBSERVERS = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""


def by_definition(array: np.ndarray) -> tuple[float, int]:
    """From ordered pairs of votes on the same item, each weighing 1 / (m - 1), and all pairs of votes at all."""
    items = [row[row >= 0] for row in array if (row >= 0).sum() > 1]
    votes = np.concatenate([*items, []])
    if len(set(votes.tolist())) < 2:
        return np.nan, len(items)
    within = sum((row[:, None] != row[None, :]).sum() / (len(row) - 1) for row in items) / len(votes)
    overall = (votes[:, None] != votes[None, :]).sum() / (len(votes) * (len(votes) - 1))
    return 1 - within / overall, len(items)


def test_the_authors_example() -> None:
    rows = [line.split() for line in OBSERVERS.strip().splitlines()]
    array = np.array([[-1 if value == "." else int(value) - 1 for value in row] for row in rows]).T
    alpha, n_items = nominal_alpha(find_patterns(array, 5)[0])
    assert round(alpha, 3) == 0.743
    assert n_items == 11


@pytest.mark.parametrize("seed", range(8))
def test_it_is_the_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k, n_rules = rng.integers(2, 5), rng.integers(2, 6)
    truth = rng.integers(k, size=60)
    array = np.where(rng.random((60, n_rules)) < 0.7, truth[:, None], rng.integers(k, size=(60, n_rules)))
    array[rng.random(array.shape) < 0.4] = -1
    assert nominal_alpha(find_patterns(array, int(k))[0]) == pytest.approx(by_definition(array))


@pytest.mark.parametrize("array", [[[0, -1], [-1, 1]], [[0, 0], [0, 0], [1, -1]], [[-1, -1]]])
def test_where_nobody_could_disagree_it_is_not_known(array: list[list[int]]) -> None:
    alpha, n_items = nominal_alpha(find_patterns(np.array(array), 2)[0])
    assert np.isnan(alpha)
    assert n_items == by_definition(np.array(array))[1]
