"""Codes that do not fit the votes, or that are no codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from thumbwise import InvalidVotesError, Votes

from .messages import assert_says, message_of

SQUID = {0: None, -1: "no", 1: "yes"}
MANY = {i: f"c{i % 5}" for i in range(0, 40, 2)}


def refused(data: Any, codes: Any, **options: Any) -> str:
    return message_of(InvalidVotesError, lambda: Votes(data, codes=codes, **options))


@pytest.mark.parametrize("codes", [SQUID, MANY, MANY | {10**9: "far"}])
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32, np.float64, object])
@pytest.mark.parametrize("value", [7, -128, 127])
def test_a_value_that_is_no_key(codes: Any, dtype: Any, value: int) -> None:
    table = np.zeros((4, 3), dtype=dtype)
    table[1, 2] = table[3, 0] = value
    shown = f"found {float(value) if dtype in (np.float32, np.float64, object) else value} at item 1, rule 'rule_2'"
    assert_says(refused(table, codes), "values in codes (0, ", shown, "(2 such votes)", "Add it to codes", "None")


def test_the_place_is_right_far_down_the_table() -> None:
    table = np.zeros((200_000, 2), dtype=np.int8)
    table[[150_000, 190_000], 1] = 5
    assert_says(refused(table, SQUID), "found 5 at item 150000, rule 'rule_1' (2 such votes)")


def test_fractions_infinities_and_numbers_too_large_to_be_told_apart() -> None:
    for value in (0.5, np.inf, -np.inf, 1e300):
        assert_says(refused([[0, 1.0], [value, -1]], SQUID), f"found {value!r} at item 1, rule 'rule_0' (1 such")
    big = 2**53 + 1
    assert_says(refused([[float(big), 1]], {big: "a", 2**53: "b", 1: "c"}), "9007199254740992.0")
    assert Votes([[np.inf, 1]], codes={np.inf: "a", 1: "b"}).array.tolist() == [[0, 1]]


def test_strings() -> None:
    codes = {"y": "yes", "n": "no"}
    frame = pl.DataFrame({"a": ["y", "n", "x"], "b": ["x", None, "y"]})
    assert_says(refused(frame, codes), "('y', 'n')", "found 'x' at item 0, rule 'b' (2 such votes)", "Add it to codes")
    assert_says(refused([["Y", "n"]], codes), "'Y' at item 0")


def test_a_string_of_digits_is_no_number() -> None:
    message = refused([["1", "0"]], SQUID)
    assert_says(message, "found '1' at item 0, rule 'rule_0' (2 such votes)", "digits is no number")
    assert_says(refused([[1, 0]], {"1": "a", "0": "b"}), "found 1 at item 0")


def test_true_is_no_key_for_numbers() -> None:
    codes = {True: "yes", False: "no"}
    for table in ([[1, 0]], [[1.0, 0.0]], pd.DataFrame({"a": [1, 0]}), [[True, 0]]):
        assert_says(refused(table, codes), "(True, False)", "found 1", "at item 0")
    assert_says(refused([[True, False]], {1: "a", 2: "b"}), "found False at item 0, rule 'rule_1' (1 such")


def test_long_votes() -> None:
    rows = [("q1", "ann", 1), ("q2", "bob", 3), ("q3", "ann", 3)]
    message = message_of(InvalidVotesError, lambda: Votes.from_long(rows, codes=SQUID))
    assert_says(message, "found 3 at item 'q2', rule 'bob' (row 1; 2 such votes)", "Add it to codes")
    message = message_of(InvalidVotesError, lambda: Votes.from_long([("q", "r", "1")], codes=SQUID))
    assert_says(message, "found '1' at item 'q', rule 'r' (row 0; 1 such votes)", "no number")


@pytest.mark.parametrize("other", [{"n_classes": 2}, {"class_names": ["no", "yes"]}, {"abstain": "?"}])
def test_codes_say_what_the_others_say(other: dict[str, Any]) -> None:
    (name,) = other
    assert_says(refused([[0, 1]], SQUID, **other), name, f"Drop {name}")
    message = message_of(InvalidVotesError, lambda: Votes.from_long([(0, 0, 1)], codes=SQUID, **other))
    assert_says(message, f"Drop {name}")


@pytest.mark.parametrize("codes", [["a", "b"], "ab", 3, [(0, "a")]])
def test_no_mapping(codes: Any) -> None:
    assert_says(refused([[0, 1]], codes), "must be a mapping", type(codes).__name__)


def test_fewer_than_two_classes() -> None:
    assert_says(refused([[0, 1]], {}), "at least two classes", "none")
    assert_says(refused([[0, 1]], {0: None, 1: "a", 2: "a"}), "at least two classes", "'a'")


def test_keys_and_names_that_are_none() -> None:
    assert_says(refused([[0, 1]], {(0, 1): "a", 1: "b"}), "keys of codes", "(0, 1)", "tuple")
    assert_says(refused([[0, 1]], {b"0": "a", 1: "b"}), "keys of codes", "bytes")
    assert_says(refused([[0, 1]], {0: ["a"], 1: "b"}), "hashable", "['a'] for 0")
    for gap in (None, float("nan"), pd.NA):
        assert_says(refused([[0, 1]], {gap: "a", 1: "b", 0: "c"}), "missing vote is an abstention", "'a'")


def test_names_that_are_missing_abstain() -> None:
    """Mappings made of frames have NaN where Python has None."""
    assert Votes([[0, 1, 2]], codes={0: np.nan, 1: "a", 2: "b"}).array.tolist() == [[-1, 0, 1]]
