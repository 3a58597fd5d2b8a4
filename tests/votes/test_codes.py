"""Votes coded in another way: what a mapping says of a value, one value at a time, against what is read."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thumbwise import Votes
from thumbwise.votes.reading import codes as coding

GAPS = np.array([[0, 1, 0], [1, 1, 0], [0, 1, 1]], dtype=bool)
SQUID = {0: None, -1: "no", 1: "yes"}
unhurried = settings(deadline=None, derandomize=True, max_examples=60)


def translate(rows: Any, codes: dict[Any, Any]) -> list[list[int]]:
    """By looking each value up, as a reader would."""
    names = list(dict.fromkeys(name for name in codes.values() if name is not None))
    meant = [[None if pd.isna(value) else codes[value] for value in row] for row in rows]
    return [[-1 if name is None else names.index(name) for name in row] for row in meant]


def test_votes_of_minus_one_and_one() -> None:
    votes = Votes(np.array([[0, 1, -1], [1, 1, 0]]), codes=SQUID)
    assert votes.array.tolist() == [[-1, 1, 0], [1, 1, -1]]
    assert votes.class_names == ("no", "yes")
    assert votes.coding.startswith("codes -1 = 'no', 1 = 'yes', 0 = abstain (33.3 %")


def test_classes_numbered_from_one_in_the_order_of_the_mapping() -> None:
    votes = Votes([[2, 1], [-1, 2]], codes={2: "b", 1: "a", -1: None})
    assert votes.class_names == ("b", "a")
    assert votes.array.tolist() == [[0, 1], [-1, 0]]


@st.composite
def coded_tables(draw: st.DrawFn) -> tuple[list[list[Any]], dict[Any, Any]]:
    """Numbers near and far, several keys for one class, classes nobody votes for, gaps."""
    numbers = st.one_of(st.integers(-3, 30), st.integers(-(2**40), 2**40), st.sampled_from([0.5, -2.25]))
    keys = draw(st.lists(numbers, min_size=2, max_size=25, unique=True))
    names = st.sampled_from([None, "a", "b", "c"])
    codes = dict(zip(keys, ["x", "y", *(draw(names) for _ in keys[2:])], strict=True))
    width = draw(st.integers(1, 3))
    values = st.one_of(st.none(), st.sampled_from(keys))
    return draw(st.lists(st.lists(values, min_size=width, max_size=width), min_size=1, max_size=9)), codes


@unhurried
@given(coded_tables())
def test_numbers_are_read_as_the_mapping_says(problem: tuple[list[list[Any]], dict[Any, Any]]) -> None:
    rows, codes = problem
    wanted = translate(rows, codes)
    assert Votes(rows, codes=codes).array.tolist() == wanted
    floats = np.array([[np.nan if value is None else value for value in row] for row in rows], dtype=float)
    assert Votes(floats, codes=codes).array.tolist() == wanted
    masked = np.ma.MaskedArray(np.nan_to_num(floats, nan=12345), mask=np.isnan(floats))
    assert Votes(masked, codes=codes).array.tolist() == wanted


@pytest.mark.parametrize("n_keys", [2, 12, 13, 100])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int64, np.uint64, np.float32, np.float64])
@pytest.mark.parametrize("spacing", [1, 2, 10**15])
def test_every_width_and_number_of_keys(n_keys: int, dtype: Any, spacing: int) -> None:
    low = 0 if np.dtype(dtype).kind == "u" else -n_keys // 2
    largest = np.iinfo(dtype).max if np.dtype(dtype).kind in "iu" else 2**24
    keys = [spacing * (low + i) for i in range(n_keys) if abs(spacing * (low + i)) <= largest]
    codes = {key: None if i == 2 else f"c{i % 7}" for i, key in enumerate(keys)} | {"far": "c0", "away": "c1"}
    table = np.random.default_rng(0).choice(np.array(keys, dtype=dtype), (50, 3))
    assert Votes(table, codes=codes).array.tolist() == translate(table.tolist(), codes)


def test_keys_at_the_ends_of_their_type() -> None:
    low, high = -(2**63), 2**63 - 1
    assert Votes([[low, high]], codes={low: "a", high: "b", 2**63: "c"}).array.tolist() == [[0, 1]]
    for first, last in ((low, low + 40), (high - 40, high)):  # by a table
        codes = {key: f"c{key % 2}" for key in range(first, last + 1)}
        assert Votes([[first, last]], codes=codes).array.tolist() == translate([[first, last]], codes)
    unsigned = np.array([[2**64 - 1, 0]], dtype=np.uint64)
    assert Votes(unsigned, codes={-1: None, 2**64 - 1: "a", 0: "b"}).array.tolist() == [[0, 1]]


@pytest.mark.parametrize("one", [1, 1.0, np.int8(1), np.float64(1), Decimal(1)])
def test_keys_are_compared_by_value(one: Any) -> None:
    codes = {one: "a", 2: "b"}
    for table in ([[1, 2]], [[1.0, 2.0]], np.array([[1, 2]], dtype=np.uint8), [[1, None], [2, 1]]):
        assert Votes(table, codes=codes).array[0, 0] == 0
    assert Votes.from_long([(0, 0, 1), (0, 1, 2.0)], codes=codes).array.tolist() == [[0, 1]]


def test_strings_and_several_for_one_class() -> None:
    codes = {"y": "yes", "n": "no", "yes": "yes", "": None, "1": "no"}
    rows = [["y", "yes"], ["", "n"], [None, "1"]]
    for table in (rows, pd.DataFrame(rows), pl.DataFrame(rows, orient="row"), np.array(rows, dtype=object)):
        votes = Votes(table, codes=codes)
        assert votes.array.tolist() == translate(rows, codes)
        assert votes.class_names == ("yes", "no")
    assert votes.coding.startswith("codes 'y' = 'yes', 'n' = 'no', 'yes' = 'yes', '1' = 'no', '' = abstain")


def test_a_missing_vote_abstains_even_where_minus_one_is_a_class() -> None:
    """Readers mark a gap among integers by -1; here -1 is a vote."""
    columns = {"a": [-1, None, 1], "b": [None, None, None], "c": [1, -1, None]}
    wanted = [[0, -1, 1], [-1, -1, 0], [1, -1, -1]]
    frames = [
        pd.DataFrame(columns, dtype="Int64"),
        pd.DataFrame(columns, dtype="Int8"),
        pd.DataFrame(columns, dtype=object),
        pd.DataFrame(columns, dtype=float),
        pd.DataFrame(columns).astype("category"),
        pl.DataFrame(columns),
        pa.table(columns),
        list(zip(*columns.values(), strict=True)),
        np.ma.MaskedArray([[-1, 0, 1], [0, 1, -1], [1, 1, 0]], mask=GAPS),
        np.ma.MaskedArray(np.array([[-1, 0, 1], [0, 1, -1], [1, 1, 0]], np.int8), GAPS),
    ]
    for frame in frames:
        assert Votes(frame, codes=SQUID).array.tolist() == wanted
        assert Votes(frame, codes={-1: "no", 1: "yes", None: None}).array.tolist() == wanted


def test_booleans() -> None:
    rows, codes = [[True, False], [False, None]], {True: "yes", False: "no"}
    tables = [rows, pl.DataFrame(rows, orient="row"), pd.DataFrame(rows, dtype="boolean"), pd.DataFrame(rows)]
    tables += [np.ma.MaskedArray([[True, False], [False, True]], mask=[[False, False], [False, True]])]
    for table in tables:
        assert Votes(table, codes=codes).array.tolist() == [[0, 1], [1, -1]]
        assert Votes(table, codes={1: "yes", 0: "no"}).array.tolist() == [[0, 1], [1, -1]]
    assert Votes(np.array([[True], [False]]), codes=codes).array.tolist() == [[0], [1]]
    assert Votes(np.array([[True, False]] * 3).T, codes=codes).array.tolist() == [[0] * 3, [1] * 3]
    assert Votes.from_long([(0, 0, True), (0, 1, False), (1, 0, None)], codes=codes).array.tolist() == [
        [0, 1],
        [-1, -1],
    ]


def test_long_votes_have_codes_too() -> None:
    rows = [("q1", "ann", 1), ("q1", "bob", -1), ("q2", "ann", 0), ("q3", "bob", None), ("q3", "ann", -1)]
    votes = Votes.from_long(rows, codes=SQUID)
    assert votes.array.tolist() == [[1, 0], [-1, -1], [0, -1]]
    assert votes.coding.startswith("codes -1 = 'no', 1 = 'yes', 0 or no row = abstain (50.0 %")
    for columns in (pd.DataFrame(rows), pl.DataFrame(rows, orient="row")):
        columns.columns = ["item", "worker", "label"]
        assert Votes.from_long(columns, codes=SQUID).fingerprint == votes.fingerprint


def test_the_input_stays_as_it_is_and_votes_do_not_follow_it() -> None:
    for array in (np.array([[0, 1], [-1, 1]], np.int8), np.array([[True, False]])):
        before = array.copy()
        votes = Votes(array, codes={0: "a", 1: "b", -1: None}, copy=False)
        kept = votes.array.tolist()
        assert np.array_equal(array, before)
        array[:] = 0
        assert votes.array.tolist() == kept


def test_parts_keep_the_coding() -> None:
    votes = Votes([[0, 1, -1], [1, 1, 0]], codes=SQUID)
    assert votes.take([1]).with_rules([2, 0]).coding.startswith("codes -1 = 'no', 1 = 'yes', 0 = abstain (50.0 %")


def test_blocks_join_without_a_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coding, "_CHUNK", 7)
    table = np.random.default_rng(1).integers(-1, 2, (50, 3))
    assert Votes(table, codes=SQUID).array.tolist() == translate(table.tolist(), SQUID)
