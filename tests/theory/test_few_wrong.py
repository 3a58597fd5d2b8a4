"""Whether few are wrong, by one tail: the answer of exact fractions, and that of the bound it stands for.

Kills, tried once: ``allowed`` in place of ``allowed + 1`` wrong ones; a strict comparison of counts at the edge where
the drawn ones settle it; right and wrong exchanged.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest

from thumbwise.numerics.fixed_sequence import few_wrong
from thumbwise.numerics.intervals import hypergeometric_sides


def chance_of_so_few(wrong: int, drawn: int, size: int, n_wrong: int) -> Fraction:
    """P(X <= wrong) where n_wrong of size are wrong, by counting."""
    ways = sum(comb(n_wrong, x) * comb(size - n_wrong, drawn - x) for x in range(min(wrong, drawn) + 1))
    return Fraction(ways, comb(size, drawn))


@pytest.mark.parametrize("error", [0.05, 0.3])
def test_every_small_case_by_counting(error: float) -> None:
    sizes = [1, 2, 5, 9, 14]
    cases = [(w, d, n, a) for n in sizes for d, a in product(range(n + 1), repeat=2) for w in range(d + 1)]
    expected = [
        a >= n or chance_of_so_few(w, d, n, a + 1) <= Fraction(error)  # with all allowed there is nothing to show
        for w, d, n, a in cases
    ]
    wrong, drawn, size, allowed = np.array(cases).T
    assert few_wrong(wrong, drawn, size, allowed, error).tolist() == expected
    assert 0.1 < np.mean(expected) < 0.9


def test_it_is_what_the_bound_says() -> None:
    rng = np.random.default_rng(0)
    size = rng.integers(1, 10**6, 3000)
    drawn = (size * rng.random(3000) ** 6).astype(int)
    wrong = (drawn * rng.random(3000) ** 4).astype(int)
    allowed = (size * rng.random(3000) ** 3).astype(int)
    most = hypergeometric_sides(wrong, drawn, size, 0.0, 0.01)[1]
    assert (few_wrong(wrong, drawn, size, allowed, 0.01) == (most <= allowed)).all()
    for more, passes in ((0, True), (-1, False)):
        assert (few_wrong(wrong, drawn, size, most + more, 0.01) == passes).all()
