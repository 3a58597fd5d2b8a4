"""Whether values differ is told by their hashes, and exactly where hashes are equal."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pytest

from thumbwise.votes.reading.raw_votes import all_differ, first_repeated


@pytest.mark.parametrize(
    ("values", "differ"),
    [
        ([], True),
        (["a"], True),
        (["a", "b", "a"], False),
        ([0, 2**61 - 1, 2 * (2**61 - 1)], True),  # of one hash
        ([0, 2**61 - 1, 0], False),
        ([1, True], False),
        ([1, 1.0], False),
        ([1, "1"], True),
        ([-1, -2], True),  # of one hash too
    ],
)
def test_equal_hashes_are_looked_at(values: list[Hashable], differ: bool) -> None:
    assert all_differ(values) == differ == (len(set(values)) == len(values))
    assert (first_repeated(values) is None) == differ


@pytest.mark.parametrize("seed", range(20))
def test_it_is_what_a_set_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = [f"id {number}" for number in rng.integers(200, size=rng.integers(30)).tolist()]
    assert all_differ(values) == (len(set(values)) == len(values))
