"""Patterns and counts are the votes, whatever their shape: nothing lost, nothing invented, in one fixed order."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from thumbwise import Votes
from thumbwise.numerics.patterns import find_patterns, take_rows

Ints = npt.NDArray[np.int64]
unhurried = settings(deadline=None, derandomize=True, max_examples=80)


@st.composite
def tables(draw: st.DrawFn) -> tuple[Ints, int]:
    """Votes of up to 60 rules, several machine words, with repeated rows made likely."""
    k = draw(st.integers(2, 5))
    n_items, n_rules = draw(st.integers(1, 25)), draw(st.integers(1, 60))
    rows = draw(hnp.arrays(np.int64, (n_items, n_rules), elements=st.integers(-1, k - 1), fill=st.just(-1)))
    return rows[draw(hnp.arrays(np.int64, n_items, elements=st.integers(0, n_items - 1)))], k


def check_patterns(table: Ints, k: int) -> None:
    patterns, inverse = find_patterns(table, k)
    rows = patterns.to_rows()
    np.testing.assert_array_equal(rows[inverse], table)
    assert patterns.counts.sum() == len(table) == patterns.n_items
    np.testing.assert_array_equal(np.bincount(inverse, minlength=len(rows)), patterns.counts)
    plain = [tuple(row) for row in rows.tolist()]
    assert plain == sorted(set(plain)), "distinct and in lexicographic order"
    assert (patterns.counts > 0).all()
    assert patterns.n_classes == k


@unhurried
@given(tables())
def test_patterns_are_the_distinct_rows(problem: tuple[Ints, int]) -> None:
    check_patterns(*problem)


@unhurried
@given(tables(), st.randoms(use_true_random=False))
def test_patterns_do_not_depend_on_the_order_of_items(problem: tuple[Ints, int], random: st.DataObject) -> None:
    table, k = problem
    order = np.array(random.sample(range(len(table)), len(table)))  # type: ignore[attr-defined]
    here, inverse = find_patterns(table, k)
    there, shuffled = find_patterns(table[order], k)
    np.testing.assert_array_equal(there.to_rows(), here.to_rows())
    np.testing.assert_array_equal(there.counts, here.counts)
    np.testing.assert_array_equal(shuffled, inverse[order])
    assert Votes(table, n_classes=k).fingerprint == Votes(table[order], n_classes=k).fingerprint


@unhurried
@given(tables())
@example((np.array([[-1, -1]]), 2))
def test_counts_by_rule_and_class(problem: tuple[Ints, int]) -> None:
    table, k = problem
    patterns, _ = find_patterns(table, k)
    by_class = np.array([(table == c).sum(axis=0) for c in range(k)]).T
    np.testing.assert_array_equal(patterns.vote_table, by_class)
    np.testing.assert_array_equal(patterns.votes_per_rule, by_class.sum(axis=1))
    np.testing.assert_array_equal(Votes(table, n_classes=k).n_votes_per_item, (table >= 0).sum(axis=1))


@pytest.mark.parametrize(
    ("n_items", "n_rules", "k"),
    [
        (500, 1, 3000),
        (20, 2000, 2),
        (20, 2000, 5),
        (3000, 13, 2),
        (3000, 26, 2),
        (200, 3, 1023),
        (200, 3, 1024),
        (5, 1, 2_000_000),
    ],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_extreme_shapes(n_items: int, n_rules: int, k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(-1, k, (n_items, n_rules))
    table[rng.integers(0, n_items, n_items // 2)] = table[0]
    table[0, 0] = k - 1
    check_patterns(table, k)


def test_rows_that_differ_in_the_last_rule_only() -> None:
    """All words but the last are equal, so folding must not stop early."""
    table = np.zeros((6, 1000), dtype=np.int64)
    table[:, -1] = [2, 0, 1, -1, 0, 2]
    patterns, inverse = find_patterns(table, 3)
    assert patterns.counts.tolist() == [1, 2, 1, 2]
    assert inverse.tolist() == [3, 1, 2, 0, 1, 3]


def test_rows_that_differ_in_the_first_rule_only() -> None:
    table = np.ones((5, 1000), dtype=np.int64)
    table[:, 0] = [1, -1, 0, 1, -1]
    patterns, inverse = find_patterns(table, 2)
    assert patterns.counts.tolist() == [2, 1, 2]
    assert inverse.tolist() == [2, 0, 1, 2, 0]


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_width_of_the_integers_makes_no_difference(dtype: type) -> None:
    table = np.random.default_rng(0).integers(-1, 100, (400, 30))
    check_patterns(table.astype(dtype), 100)


@pytest.mark.parametrize("n_items", [2**14 - 1, 2**14, 2**14 + 1, 3 * 2**14 + 5])
def test_pieces_fit_together(n_items: int) -> None:
    table = np.random.default_rng(n_items).integers(-1, 2, (n_items, 4))
    check_patterns(table, 2)
    values = np.random.default_rng(0).random((81, 3))
    inverse = np.arange(n_items) % 81
    np.testing.assert_array_equal(take_rows(values, inverse), values[inverse])
