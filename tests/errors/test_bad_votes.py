"""Bad votes: which value, where, how many, what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from thumbwise import InvalidVotesError, Votes

from .messages import assert_says, message_of

GOOD = np.array([[0, 1, -1], [1, 1, 0], [0, -1, 1], [1, 0, 0]])


def refused(data: Any, **options: Any) -> str:
    return message_of(InvalidVotesError, lambda: Votes(data, **options))


def with_bad(value: float, places: list[tuple[int, int]], dtype: type = float) -> np.ndarray:
    array: np.ndarray = GOOD.astype(dtype)
    for place in places:
        array[place] = value
    return array


@pytest.mark.parametrize(
    ("value", "dtype", "said", "hint"),
    [
        (2, int, "found 2 ", "n_classes"),
        (7, np.uint8, "found 7 ", "subtract 1"),
        (-2, int, "found -2 ", "Only -1 means abstain"),
        (-99, np.int8, "found -99 ", "Only -1 means abstain"),
        (0.5, float, "found 0.5 ", "threshold"),
        (np.inf, float, "found inf ", "Round"),
        (-np.inf, float, "found -inf ", "Round"),
        (1e300, float, "found 1e+300 ", "Round"),
        (-2.0, np.float32, "found -2", "Only -1 means abstain"),
    ],
)
def test_strange_values(value: float, dtype: type, said: str, hint: str) -> None:
    array = with_bad(value, [(1, 2), (3, 0)], dtype)
    if np.dtype(dtype).kind == "u":
        array[array == 255] = 0
    assert_says(refused(array, n_classes=2), said, "item 1", "'rule_2'", "(2 such votes)", hint)


def test_strange_values_are_named_by_the_users_names() -> None:
    frame = pl.DataFrame({"short": [0, 1], "shouting": [1, 9]})
    assert_says(refused(frame, class_names=["ham", "spam"]), "0..1", "found 9", "item 1", "'shouting'", "1 such")


def test_the_place_is_right_far_down_the_table() -> None:
    array = np.zeros((200_000, 2), dtype=np.int8)
    array[[150_000, 190_000], 1] = 5
    assert_says(refused(array, n_classes=2), "found 5 at item 150000, rule 'rule_1' (2 such votes)")


def test_a_number_that_would_make_a_million_classes() -> None:
    assert_says(refused([[0, 1], [1, 1_234_567]]), "1234567", "n_classes=1234568")


def test_an_unknown_class_name() -> None:
    rows = [["ham", None], ["spam", "smap"], ["smap", "ham"]]
    assert_says(
        refused(rows, class_names=["ham", "spam"]), "'smap'", "at item", "rule 'rule_", "(2 such votes)", "class_names"
    )
    frame = pd.DataFrame(rows, columns=["a", "b"])
    assert_says(refused(frame, class_names=["ham", "spam"]), "'smap' at item 2, rule 'a'", "(2 such votes)")


@pytest.mark.parametrize("mark", ["-1", "", "N/A", "abstain", "None"])
def test_strings_that_look_like_abstentions(mark: str) -> None:
    assert_says(refused([["ham", "spam"], ["spam", mark]]), repr(mark), f"abstain={mark!r}", "class_names")


def test_ragged_rows() -> None:
    assert_says(refused([[0, 1], [1, 0], [1], [0, 1, 1]]), "row 0 has 2", "row 2 has 1", "(2 such rows)", "-1")


@pytest.mark.parametrize(("shape", "said"), [((0, 3), "no items"), ((3, 0), "no rules"), ((0, 0), "at least one")])
def test_nothing_to_read(shape: tuple[int, int], said: str) -> None:
    assert_says(refused(np.empty(shape, dtype=int)), said, str(shape))
    assert_says(refused(np.empty(shape, dtype=float), n_classes=2), said)


def test_empty_frames() -> None:
    assert_says(refused(pl.DataFrame({"a": [], "b": []})), "no items")
    assert_says(refused(pd.DataFrame({"id": [1, 2]}), item_ids="id"), "no rules")


@pytest.mark.parametrize("data", [[], [0, 1, 1], np.zeros((2, 2, 2)), 3])
def test_wrong_dimensions(data: Any) -> None:
    assert_says(refused(data), "two-dimensional", str(np.shape(data)))


def test_one_class_only() -> None:
    assert_says(refused([[0, 0], [0, -1]]), "class 0 only", "n_classes")
    assert_says(refused([["ham", None], ["ham", "ham"]]), "at least two classes", "'ham'", "class_names")
    assert_says(refused(GOOD, n_classes=1), "at least two classes", "1")
    assert_says(refused(GOOD, class_names=["ham"]), "at least two classes")
    assert_says(refused([[-1, -1]]), "no vote at all", "n_classes")


def test_names_that_do_not_fit() -> None:
    assert_says(refused(GOOD, rule_names=["a", "b"]), "2 names", "3 rules")
    assert_says(refused(GOOD, rule_names=["a", "b", "a"]), "'a'", "more than once")
    assert_says(refused(GOOD, class_names=["a", "a"]), "'a'", "more than once")
    assert_says(refused(GOOD, class_names=["a", "b"], n_classes=3), "n_classes=3", "2 names")


def test_ids_that_are_repeated_missing_or_too_few() -> None:
    assert_says(refused(GOOD, item_ids=["a", "b", "a", "a"]), "'a'", "3 times", "[0, 2, 3]", "2 items too many")
    assert_says(refused(GOOD, item_ids=[4, 5, 5, 6]), "found 5", "2 times", "[1, 2]")
    assert_says(refused(GOOD, item_ids=["a", None, "b", None]), "item 1", "2 such items")
    assert_says(refused(GOOD, item_ids=[1.0, 2.0, np.nan, 3.0]), "item 2", "1 such")
    assert_says(refused(GOOD, item_ids=["a", "b"]), "(2,)", "4 items")
    assert_says(refused(pd.DataFrame(GOOD, columns=list("abc"), index=[1, 1, 2, 3])), "found 1", "2 times")
    assert_says(refused(pl.DataFrame(GOOD, schema=["a", "b", "c"]), item_ids="id"), "'id'", "'a'")
    assert_says(refused(GOOD, item_ids="id"), "'id'", "not a frame")


def test_strings_beside_numbers() -> None:
    frame = pl.DataFrame({"text": ["x", "y"], "vote": [0, 1]})
    assert_says(
        refused(frame), "'text' holds strings", "'vote' numbers", "1 columns of strings, 1 of numbers", "item_ids"
    )
    mixed = np.array([["x", "y"], ["y", 3]], dtype=object)
    assert_says(refused(mixed), "found 3 (int)", "item 1", "'rule_1'")


@pytest.mark.parametrize(
    "data",
    [
        np.array([["2024-01-01"]], dtype="datetime64[D]"),
        np.array([[1 + 2j]]),
        np.array([[object()]], dtype=object),
        pl.DataFrame({"a": [[1, 2], [3]]}),
        pd.DataFrame({"a": pd.to_datetime(["2024-01-01"])}),
    ],
)
def test_things_that_are_no_votes(data: Any) -> None:
    assert_says(refused(data), "votes must be")


def test_lazy_frames_must_be_collected() -> None:
    assert_says(refused(pl.LazyFrame({"a": [0, 1]})), "lazy", "Collect")


def test_sparse_matrices_are_read_or_refused_by_name() -> None:
    assert_says(refused(sp.csr_array(GOOD)), "sparse", "Votes.from_sparse(matrix, first_class=...)", "toarray")


def test_columns_with_one_name_twice() -> None:
    frame = pd.DataFrame(GOOD, columns=["a", "b", "a"])
    assert_says(refused(frame), "'a'")


@pytest.mark.parametrize("n_classes", [2.5, "2", np.nan, True])
def test_n_classes_must_be_a_whole_number(n_classes: Any) -> None:
    assert_says(
        refused(GOOD, n_classes=n_classes),
        "n_classes",
        repr(n_classes) if isinstance(n_classes, str) else str(n_classes),
    )


def test_votes_of_votes() -> None:
    assert_says(refused(Votes(GOOD)), "already")
