"""Stored entries of a sparse table are the votes of the dense one."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from thumbwise import Votes
from thumbwise.votes.reading import triples

Ints = npt.NDArray[np.int64]
unhurried = settings(deadline=None, derandomize=True, max_examples=25)
FORMATS = ["coo", "csr", "csc", "lil", "dok", "bsr", "dia"]
EXPLICIT = ["coo", "csr", "csc", "lil", "bsr"]  # that keep explicit zeros; BSR in blocks of one


def stored(array: Ints, first_class: int, form: Any, *, old: bool = False) -> Any:
    """Class numbers from 0 or from 1 where a rule votes, nothing elsewhere."""
    items, rules = np.nonzero(array >= 0)
    make = sp.coo_matrix if old else sp.coo_array
    coo = make((array[items, rules] + first_class, (items, rules)), shape=array.shape)
    return coo.tobsr(blocksize=(1, 1)) if form == "bsr" and first_class == 0 else coo.asformat(form)


@st.composite
def tables(draw: st.DrawFn) -> tuple[Ints, int]:
    k = draw(st.integers(2, 4))
    shape = draw(st.integers(1, 8)), draw(st.integers(1, 6))
    return draw(hnp.arrays(np.int64, shape, elements=st.integers(-1, k - 1), fill=st.just(-1))), k


def assert_same(sparse: Votes, wide: Votes) -> None:
    for part in ("starts", "rules", "classes", "counts", "groups"):
        np.testing.assert_array_equal(getattr(sparse.patterns, part), getattr(wide.patterns, part))
        assert getattr(sparse.patterns, part).dtype == getattr(wide.patterns, part).dtype
    np.testing.assert_array_equal(sparse.inverse, wide.inverse)
    assert sparse.fingerprint == wide.fingerprint
    assert sparse.has_ids == wide.has_ids
    assert "array" not in vars(sparse), "nobody has asked for the array yet"
    np.testing.assert_array_equal(sparse.array, wide.array)


@pytest.mark.parametrize(("form", "first"), [*((f, 1) for f in FORMATS), *((f, 0) for f in EXPLICIT)])
@unhurried
@given(tables(), st.booleans())
@example((np.full((2, 3), -1), 2), False)
def test_every_format_is_the_table(form: str, first: int, problem: tuple[Ints, int], old: bool) -> None:
    array, k = problem
    matrix = stored(array, first, form, old=old)
    assert_same(Votes.from_sparse(matrix, first_class=first, n_classes=k), Votes(array, n_classes=k))


@unhurried
@given(tables(), st.randoms(use_true_random=False))
def test_triples_in_any_order(problem: tuple[Ints, int], random: Any) -> None:
    array, k = problem
    cells = list(zip(*np.nonzero(array >= 0), strict=True))
    random.shuffle(cells)
    items, rules, values = ([c[0] for c in cells], [c[1] for c in cells], [int(array[c]) for c in cells])
    for kind in (list, lambda x: np.array(x, dtype=np.int32), lambda x: np.array(x, dtype=np.uint8)):
        found = Votes.from_sparse(
            (kind(items), kind(rules), kind(values)), first_class=0, shape=array.shape, n_classes=k
        )
        assert_same(found, Votes(array, n_classes=k))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.float32, np.float64])
def test_numbers_of_every_width(dtype: Any) -> None:
    array = np.array([[0, -1, 2], [1, 1, -1]])
    matrix = stored(array, 1, "csr").astype(dtype)
    assert Votes.from_sparse(matrix, first_class=1).array.tolist() == array.tolist()


def test_a_stored_minus_one_abstains_if_classes_start_at_zero() -> None:
    matrix = sp.coo_array(([-1, 0, 1], ([0, 0, 1], [0, 1, 1])), shape=(2, 2))
    assert Votes.from_sparse(matrix, first_class=0).array.tolist() == [[-1, 0], [-1, 1]]


def test_missing_numbers_abstain() -> None:
    for first in (0, 1):
        matrix = sp.coo_array(([np.nan, first, 1 + first], ([0, 0, 1], [0, 1, 1])), shape=(2, 2))
        assert Votes.from_sparse(matrix, first_class=first).array.tolist() == [[-1, 0], [-1, 1]]


def test_names_ids_and_silent_items_and_rules_are_kept() -> None:
    matrix = sp.csr_array(([2, 1], ([0, 2], [1, 1])), shape=(4, 3))
    names: dict[str, Any] = {"rule_names": ["a", "b", "c"], "item_ids": ["x", "y", "z", "w"], "class_names": ["n", "p"]}
    votes = Votes.from_sparse(matrix, first_class=1, **names)
    assert_same(votes, Votes([[-1, 1, -1], [-1] * 3, [-1, 0, -1], [-1] * 3], **names))
    assert votes.item_ids.tolist() == names["item_ids"]
    assert votes.coding == "classes 'n', 'p'; not stored = abstain (83.3 % of votes)"
    assert votes.take([2, 3]).array.tolist() == [[-1, 0, -1], [-1] * 3]


def test_more_cells_than_integers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(triples, "_MOST_CELLS", 1)
    array = np.random.default_rng(0).integers(-1, 3, (100, 5))
    assert_same(Votes.from_sparse(stored(array, 0, "csc"), first_class=0), Votes(array))


@pytest.mark.parametrize("form", FORMATS)
def test_the_matrix_stays_as_it_is(form: str) -> None:
    array = np.array([[0, -1, 2], [1, 1, -1]])
    used, fresh = stored(array, 1, form), stored(array, 1, form)
    if form == "csr":  # unsorted, which SciPy would mend in place when asked for a canonical form
        for matrix in (used, fresh):
            matrix.indices[:2], matrix.data[:2] = matrix.indices[:2][::-1].copy(), matrix.data[:2][::-1].copy()
    Votes.from_sparse(used, first_class=1).array  # noqa: B018
    parts = {name: value for name, value in vars(fresh).items() if isinstance(value, np.ndarray)}
    for name, value in parts.items():
        np.testing.assert_array_equal(getattr(used, name), value)
    assert (used.toarray() == fresh.toarray()).all()


def test_memory_follows_the_entries() -> None:
    """10^5 items x 10^5 rules would take 10 GB as a table."""
    n = 100_000
    items = np.repeat(np.arange(n), 3)
    rules = (items * 7 + np.tile([0, 1, 2], n) * 33_333) % n
    tracemalloc.start()
    votes = Votes.from_sparse((items, rules, items % 2), first_class=0, shape=(n, n))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert votes.patterns.votes_per_rule.sum() == 3 * n
    assert peak < 400 * 3 * n
