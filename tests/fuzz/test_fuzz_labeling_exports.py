"""Exports of labeling tools made strange: read or refused, and what is read adds up."""

from __future__ import annotations

import pytest
from fuzz.labeling_checks import check_export
from fuzz.labeling_inputs import KINDS, mutate, seeds
from fuzz.mutations import seeded

from thumbwise.exceptions import ThumbwiseError


def is_read(content: bytes) -> bool:
    try:
        return check_export(content)
    except ThumbwiseError:
        return False


@pytest.mark.parametrize("kind", KINDS)
def test_exports_edited_at_random(kind: str) -> None:
    rng = seeded(5)
    pool = seeds(kind)
    ends = []
    for _ in range(80):
        content = mutate(rng.choice(pool), rng)
        ends.append(is_read(content))
        pool += [content] * ends[-1]
    assert 8 < sum(ends) < 72


@pytest.mark.parametrize("kind", KINDS)
def test_seeds_are_read_in_some_way(kind: str) -> None:
    """Spaces at the end change which choices are tried, and nothing else."""
    for seed in seeds(kind):
        assert any(is_read(seed + b" " * n) for n in range(12))
