"""Integers of a column are told apart and counted as a dictionary does it, in every width and at its ends."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from thumbwise.io.distinct import distinct_of

N = 300


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("near", ["lowest", "highest", "all", "far"])
@pytest.mark.parametrize("share_missing", [0.0, 0.4])
def test_they_are_those_of_a_dictionary(dtype: str, near: str, share_missing: float) -> None:
    """Kills: differences of eight bits in eight bits; what stands where nothing is given among the counts."""
    rng = np.random.default_rng(0)
    info = np.iinfo(dtype)
    low = info.max - 40 if near == "highest" else info.min
    high = info.min + 40 if near == "lowest" else info.max
    numbers = rng.integers(low, high, size=N, dtype=dtype, endpoint=True)
    if near == "far":
        numbers[:2] = info.min, info.max
    mask = rng.random(N) < share_missing
    numbers[mask] = rng.integers(info.min, info.max, size=mask.sum(), dtype=dtype, endpoint=True)
    found = distinct_of("a", np.ma.array(numbers, mask=mask))
    texts: list[Any] = list(found.counts)
    assert found.index is not None
    assert [None if i < 0 else texts[i] for i in found.index.tolist()] == [
        None if gone else str(value) for value, gone in zip(numbers.tolist(), mask.tolist(), strict=True)
    ]
    present = numbers[~mask].tolist()
    assert found.counts == Counter(map(str, present))
    assert texts == [str(value) for value in sorted(set(present))]


def test_nothing_but_gaps() -> None:
    found = distinct_of("a", np.ma.array(np.arange(3), mask=True))
    assert (dict(found.counts), found.index is not None and found.index.tolist()) == ({}, [-1, -1, -1])
