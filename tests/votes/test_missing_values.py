"""What is missing abstains, in every kind of column that can miss a value, wide and long."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from thumbwise import Votes

NUMBERS: list[int | None] = [1, None, 0, 2, None]
WORDS = [None if n is None else "abc"[n] for n in NUMBERS]
WANTED = [1, -1, 0, 2, -1]
GAPS = [False, True, False, False, True]
ENUM = ["c", "a", "b", "unused"]


def dictionary(values: list[Any]) -> pa.Array:
    return pa.array(values).dictionary_encode()


COLUMNS: dict[str, Any] = {
    "pandas Int64": pd.Series(NUMBERS, dtype="Int64"),
    "pandas UInt8": pd.Series(NUMBERS, dtype="UInt8"),
    "pandas Float32": pd.Series(NUMBERS, dtype="Float32"),
    "pandas float": pd.Series(NUMBERS, dtype=float),
    "pandas object": pd.Series(NUMBERS, dtype=object),
    "pandas object with NaT": pd.Series([pd.NaT if n is None else n for n in NUMBERS], dtype=object),
    "pandas arrow int": pd.Series(NUMBERS, dtype="int8[pyarrow]"),
    "pandas arrow dictionary": pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([dictionary(WORDS)]))),
    "pandas category of numbers": pd.Series(NUMBERS, dtype="Int64").astype("category"),
    "pandas category of floats": pd.Series(NUMBERS, dtype=float).astype("category"),
    "pandas ordered category of numbers": pd.Series(pd.Categorical(NUMBERS, [2, 0, 1, 7], ordered=True)),
    "pandas category": pd.Series(WORDS, dtype="category"),
    "pandas ordered category": pd.Series(pd.Categorical(WORDS, ENUM, ordered=True)),
    "pandas string": pd.Series(WORDS, dtype="string"),
    "pandas str": pd.Series(WORDS, dtype="str"),
    "polars Int8": pl.Series(NUMBERS, dtype=pl.Int8),
    "polars Float64": pl.Series(NUMBERS, dtype=pl.Float64),
    "polars Decimal": pl.Series(NUMBERS, dtype=pl.Decimal(10, 2)),
    "polars NaN": pl.Series([np.nan if n is None else n for n in NUMBERS], dtype=pl.Float32, strict=False),
    "polars String": pl.Series(WORDS),
    "polars Categorical": pl.Series(WORDS, dtype=pl.Categorical),
    "polars Enum": pl.Series(WORDS, dtype=pl.Enum(ENUM)),
    "arrow int64": pa.chunked_array([pa.array(NUMBERS)]),
    "arrow uint8": pa.chunked_array([pa.array(NUMBERS, pa.uint8())]),
    "arrow float": pa.chunked_array([pa.array(NUMBERS, pa.float32())]),
    "arrow string": pa.chunked_array([pa.array(WORDS)]),
    "arrow dictionary": pa.chunked_array([dictionary(WORDS)]),
    "arrow dictionary of numbers": pa.chunked_array([dictionary(NUMBERS)]),
    "arrow dictionary in pieces": pa.chunked_array([dictionary(WORDS[:2]), dictionary(WORDS[2:])]),
    "arrow dictionary with a null entry": pa.chunked_array(
        [pa.DictionaryArray.from_arrays(pa.array([1, 3, 0, 2, None]), pa.array(["a", "b", "c", None]))]
    ),
    "array of floats": np.array([np.nan if n is None else n for n in NUMBERS]),
    "array of objects": np.array(NUMBERS, dtype=object),
    "array of words": np.array(WORDS, dtype=object),
    "array of words and NaN": np.array([np.nan if w is None else w for w in WORDS], dtype=object),
    "masked int8": np.ma.MaskedArray(np.array([1, 2, 0, 2, 0], np.int8), GAPS),
    "masked uint64": np.ma.MaskedArray(np.array([1, 2**64 - 1, 0, 2, 0], np.uint64), GAPS),
    "masked float with NaN": np.ma.MaskedArray([1, 7.5, 0, 2, np.nan], [False, True, False, False, False]),
    "masked words": np.ma.MaskedArray(["b", "?", "a", "c", "zzz"], GAPS),
    "masked objects": np.ma.MaskedArray(
        np.array(["b", {}, "a", "c", None], dtype=object), [False, True, False, False, False]
    ),
    "list": NUMBERS,
    "list of words": WORDS,
}


def table_of(column: Any) -> Any:
    """A frame or array with the column twice, the second time from below."""
    if isinstance(column, pd.Series):
        return pd.DataFrame({"x": column, "y": column[::-1].reset_index(drop=True)})
    if isinstance(column, pl.Series):
        return pl.DataFrame({"x": column, "y": column.reverse()})
    if isinstance(column, pa.ChunkedArray):
        return pa.table({"x": column, "y": column.take(pa.array([4, 3, 2, 1, 0]))})
    if isinstance(column, np.ma.MaskedArray):
        return np.ma.stack([column, column[::-1]], axis=1)
    if isinstance(column, np.ndarray):
        return np.stack([column, column[::-1]], axis=1)
    return list(zip(column, column[::-1], strict=True))


@pytest.mark.parametrize("kind", COLUMNS)
def test_wide(kind: str) -> None:
    votes = Votes(table_of(COLUMNS[kind]))
    assert votes.array.tolist() == [list(row) for row in zip(WANTED, WANTED[::-1], strict=True)]
    assert votes.class_names in ((0, 1, 2), ("a", "b", "c"))


@pytest.mark.parametrize("kind", COLUMNS)
def test_long(kind: str) -> None:
    votes = Votes.from_long((range(5), [0] * 5, COLUMNS[kind]))
    assert votes.array.tolist() == [[c] for c in WANTED]
    assert votes.class_names in ((0, 1, 2), ("a", "b", "c"))


@pytest.mark.parametrize("kind", COLUMNS)
def test_with_codes(kind: str) -> None:
    """Classes from the other end, and -1 a key that nobody uses."""
    codes = {2: "two", 1: "one", 0: "zero", -1: "none", "c": "two", "b": "one", "a": "zero"}
    turned = [-1 if c < 0 else 2 - c for c in WANTED]
    assert Votes(table_of(COLUMNS[kind]), codes=codes).array[:, 0].tolist() == turned
    assert Votes.from_long((range(5), [0] * 5, COLUMNS[kind]), codes=codes).array[:, 0].tolist() == turned


def test_columns_without_any_value() -> None:
    nothing: list[None] = [None] * 5
    for frame in (
        pl.DataFrame({"x": NUMBERS, "y": nothing}),
        pa.table({"x": NUMBERS, "y": nothing}),
        pd.DataFrame({"x": NUMBERS, "y": pd.Series(nothing, dtype="Int64")}),
        pd.DataFrame({"x": NUMBERS, "y": pd.Categorical(nothing)}),
    ):
        assert Votes(frame).array.tolist() == [[c, -1] for c in WANTED]


def test_masked_votes_beyond_all_classes_are_not_taken_for_abstentions() -> None:
    """As signed integers they would be -1."""
    masked = np.ma.MaskedArray(np.array([[2**64 - 1, 1, 0]], np.uint64), [[False, False, True]])
    with pytest.raises(ValueError, match="largest vote"):
        Votes(masked)
