"""Bad sparse votes: which entry, where, how many, what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from thumbwise import InvalidVotesError, Votes

from .messages import assert_says, message_of


def refused(matrix: Any, first_class: Any = 0, **options: Any) -> str:
    return message_of(InvalidVotesError, lambda: Votes.from_sparse(matrix, first_class=first_class, **options))


def coo(values: list[Any], items: list[int], rules: list[int], shape: tuple[int, int] = (3, 3)) -> sp.coo_array:
    return sp.coo_array((values, (items, rules)), shape=shape)


def test_first_class_must_be_said() -> None:
    with pytest.raises(TypeError, match="first_class"):
        Votes.from_sparse(coo([1], [0], [0]))  # type: ignore[call-arg]
    for wrong in (2, -1, None, "0", True, 0.5):
        assert_says(refused(coo([1], [0], [0]), wrong), "first_class must be 0", f"found {wrong!r}")


@pytest.mark.parametrize("form", ["coo", "csr", "csc", "lil"])
def test_a_stored_zero_if_classes_start_at_one(form: Any) -> None:
    matrix = coo([1, 0, 2, 0], [0, 1, 1, 2], [0, 0, 1, 2]).asformat(form)
    message = refused(matrix, 1, rule_names=["a", "b", "c"], item_ids=["x", "y", "z"])
    assert_says(message, "classes 1, 2, ...", "found 0 at item 'y', rule 'a' (2 such entries)")
    assert_says(message, "first_class=0", "eliminate_zeros")


def test_numbers_that_are_no_classes() -> None:
    assert_says(refused(coo([1, -2], [0, 1], [0, 2])), "found -2 at item 1, rule 'rule_2' (1 such", "Only -1")
    assert_says(refused(coo([1, -1], [0, 1], [0, 2]), 1), "found -1 at item 1", "1, 2, ...")
    assert_says(refused(coo([1, 0.5], [0, 1], [0, 2])), "whole class numbers", "found 0.5 at item 1", "threshold")
    assert_says(refused(coo([1, np.inf], [0, 1], [0, 2])), "found inf at item 1")
    assert_says(refused(coo([1, 1e300], [0, 1], [0, 2])), "found 1e+300 at item 1")
    assert_says(refused(coo([1, 5], [0, 1], [0, 2]), n_classes=3), "0..2", "found 5 at item 1", "n_classes")
    assert_says(refused(coo([1, 5], [0, 1], [0, 2]), 1, class_names=["a", "b"]), "1..2", "found 5", "first_class")
    assert_says(refused(coo([1j, 2], [0, 1], [0, 2])), "must be numbers", "complex")
    huge = np.array([1, 2**63], dtype=np.uint64)
    assert_says(refused(([0, 1], [0, 1], huge), shape=(2, 2), n_classes=3), "found 9223372036854775808 at item 1")
    assert_says(refused(([0, 1], [0, 1], ["a", "b"]), shape=(2, 2)), "must be numbers")


@pytest.mark.parametrize("form", ["coo", "csr", "csc"])
def test_several_entries_for_one_cell(form: str) -> None:
    """SciPy would make class 3 of classes 1 and 2."""
    items, rules, values = np.array([0, 2, 2, 1, 0]), np.array([0, 1, 1, 2, 0]), np.array([1, 1, 2, 1, 1])
    matrix: Any = sp.coo_array((values, (items, rules)), shape=(3, 3))
    if form != "coo":  # built by hand, since conversions add up
        order = np.argsort(items if form == "csr" else rules, kind="stable")
        major, minor = (items, rules) if form == "csr" else (rules, items)
        starts = np.concatenate([[0], np.cumsum(np.bincount(major, minlength=3))])
        matrix = (sp.csr_array if form == "csr" else sp.csc_array)((values[order], minor[order], starts), shape=(3, 3))
    for first in (0, 1):
        message = refused(matrix, first, item_ids=["x", "y", "z"])
        assert_says(message, "item 'z', rule 'rule_1' has the entries 1 and 2", "(2 entries too many, 1 of them differ")
        assert_says(message, "from_long")
    assert matrix.nnz == 5


def test_an_abstention_beside_a_vote_is_also_one_too_many() -> None:
    assert_says(refused(coo([-1, 1, 0], [0, 0, 1], [0, 0, 0])), "item 0, rule 'rule_0' has the entries -1 and 1")


@pytest.mark.parametrize("form", ["dia", "bsr"])
def test_formats_that_are_filled_up_with_zeros(form: str) -> None:
    some = coo([1, 2], [0, 1], [1, 1], (2, 2))
    matrix = some.todia() if form == "dia" else some.tobsr(blocksize=(2, 2))
    assert matrix.data.size > some.nnz, "there are zeros that fill it up"
    assert_says(refused(matrix, 0), form.upper(), "filled up", "first_class=1")
    assert Votes.from_sparse(matrix, first_class=1).array.tolist() == [[-1, 0], [-1, 1]]


def test_triples_need_a_shape() -> None:
    good = ([0, 1], [0, 1], [0, 1])
    for shape in (None, 3, (3,), (2, 2, 2), (2.5, 3), (-1, 3), "ab", (np.inf, 2)):
        assert_says(refused(good, shape=shape), "shape=(n_items, n_rules)")
    assert_says(refused(coo([1], [0], [0]), shape=(2, 2)), "(3, 3)", "(2, 2)")


def test_triples_that_do_not_fit() -> None:
    assert_says(refused(([0, 1], [0], [1, 1]), shape=(2, 2)), "equally long", "1 rule positions")
    assert_says(refused(([0, 2, 3], [0, 1, 1], [1, 1, 1]), shape=(2, 2)), "0..1", "found 2 in triple 1 (2 such")
    assert_says(refused(([0, 1], [0, -1], [1, 1]), shape=(2, 2)), "rule positions", "found -1 in triple 1")
    assert_says(refused((["a", "b"], [0, 1], [1, 1]), shape=(2, 2)), "item positions", "from_long")
    assert_says(refused(([0.0, 1.0], [0, 1], [1, 1]), shape=(2, 2)), "whole numbers", "float64")
    assert_says(refused((3, [0, 1], [1, 1]), shape=(2, 2)), "item positions", "sequence")


def test_things_that_are_not_sparse() -> None:
    for thing in (np.zeros((2, 2)), [[0, 1]], None, "abc", ([0], [0])):
        assert_says(refused(thing, shape=(2, 2)), "SciPy sparse matrix", type(thing).__name__)
    assert_says(refused(sp.coo_array(([1], ([0],)), shape=(3,))), "two-dimensional", "(3,)")


def test_nothing_to_read() -> None:
    assert_says(refused(sp.csr_array((0, 3)), n_classes=2), "no items")
    assert_says(refused(([], [], []), shape=(3, 0), n_classes=2), "no rules")
    assert_says(refused(sp.csr_array((2, 3))), "no vote at all", "n_classes")
    assert_says(refused(coo([1], [0], [0]), 1), "class 0 only", "n_classes")


def test_a_shape_out_of_all_proportion() -> None:
    """Memory follows the shape: without a limit one wrong number would take it all."""
    assert_says(
        refused(([0], [0], [1]), shape=(10**15, 2)), "at most 100,000,000 items for 1 stored", "1000000000000000"
    )
    assert_says(refused(([0], [0], [1]), shape=(2, 10**12)), "at most 1,000,000 rules", "transposed")
    assert_says(refused(coo([1], [0], [0], (2, 10**9))), "rules")


def test_names_that_do_not_fit() -> None:
    matrix = coo([1, 0], [0, 1], [0, 1])
    assert_says(refused(matrix, rule_names=["a"]), "1 names", "3 rules")
    assert_says(refused(matrix, rule_names=["a", "b", "a"]), "'a'", "more than once")
    assert_says(refused(matrix, item_ids=["a", "b"]), "(2,)", "3 items")
    assert_says(refused(matrix, item_ids=["a", "b", "a"]), "'a'", "2 times")
    assert_says(refused(matrix, class_names=["a", "a"]), "'a'", "more than once")
    assert_says(refused(matrix, n_classes=1), "at least two classes")
    assert_says(refused(matrix, item_ids="id"), "item_ids")


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize(
    ("pointers", "positions"),
    [([0, 1, 2, 3], [0, 10**8, 1]), ([0, 10**8, 2, 3], [0, 1, 1]), ([0, 1, 2, 10**8], [0, 1, 1]),
     ([0, 1, 2, 3], [0, -1, 1])],
)  # fmt: skip
def test_positions_that_point_out_of_memory(form: Any, pointers: list[int], positions: list[int]) -> None:
    """As ``scipy.sparse.load_npz`` accepts them from a file; followed, they crash the process."""
    matrix: Any = sp.csr_matrix(np.eye(3, dtype=np.int64)).asformat(form)
    matrix.indptr, matrix.indices = np.array(pointers, np.int32), np.array(positions, np.int32)
    matrix.data = np.ones(3, np.int64)
    assert_says(refused(matrix, 1), "a sparse matrix must be sound", f"in {form.upper()} format, is damaged")


def test_triples_of_a_matrix_that_point_outside() -> None:
    matrix = coo([1], [0], [0])
    matrix.row = np.array([10**9], np.int32)
    assert_says(refused(matrix, 1), "is damaged: numbers of a row must lie from 0 to 2")
