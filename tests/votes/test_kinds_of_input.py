"""The same votes in every container that people keep them in."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thumbwise import InvalidVotesError, Votes

NAMES = ["ham", "spam", "eggs"]
Rows = list[list[int | None]]
unhurried = settings(deadline=None, derandomize=True, max_examples=25)


def columns(rows: Rows) -> dict[str, list[int | None]]:
    return {f"r{j}": [row[j] for row in rows] for j in range(len(rows[0]))}


def floats(rows: Rows) -> dict[str, list[float]]:
    return {
        name: [np.nan if vote is None else float(vote) for vote in column] for name, column in columns(rows).items()
    }


def minus_ones(rows: Rows) -> dict[str, list[int]]:
    return {name: [-1 if vote is None else vote for vote in column] for name, column in columns(rows).items()}


def words(rows: Rows) -> dict[str, list[str | None]]:
    return {name: [None if vote is None else NAMES[vote] for vote in column] for name, column in columns(rows).items()}


def pandas_of(values: dict[str, Any], dtype: Any) -> pd.DataFrame:
    return pd.DataFrame({name: pd.Series(column, dtype=dtype) for name, column in values.items()})


def polars_of(values: dict[str, Any], dtype: Any) -> pl.DataFrame:
    return pl.DataFrame({name: pl.Series(column, dtype=dtype) for name, column in values.items()})


def arrow_of(values: dict[str, Any], dtype: Any) -> pa.Table:
    return pa.table({name: pa.array(column, type=dtype) for name, column in values.items()})


NUMBERS: dict[str, Callable[[Rows], Any]] = {
    "list with None": lambda rows: rows,
    "tuples with None": lambda rows: tuple(tuple(row) for row in rows),
    "int array": lambda rows: np.column_stack(list(minus_ones(rows).values())),
    "float array with NaN": lambda rows: np.column_stack(list(floats(rows).values())),
    "float32 array with NaN": lambda rows: np.column_stack(list(floats(rows).values())).astype(np.float32),
    "object array with None": lambda rows: np.array(rows, dtype=object),
    "object array with NA": lambda rows: np.array(
        [[pd.NA if v is None else v for v in row] for row in rows], dtype=object
    ),
    "pandas int": lambda rows: pd.DataFrame(minus_ones(rows)),
    "pandas float with NaN": lambda rows: pd.DataFrame(floats(rows)),
    "pandas Int64 with NA": lambda rows: pandas_of(columns(rows), "Int64"),
    "pandas Int8 with NA": lambda rows: pandas_of(columns(rows), "Int8"),
    "pandas UInt8 with NA": lambda rows: pandas_of(columns(rows), "UInt8"),
    "pandas Float64 with NA": lambda rows: pandas_of(columns(rows), "Float64"),
    "pandas object with None": lambda rows: pandas_of(columns(rows), object),
    "pandas arrow int": lambda rows: pandas_of(columns(rows), "int64[pyarrow]"),
    "polars with null": lambda rows: polars_of(columns(rows), pl.Int64),
    "polars UInt8 with null": lambda rows: polars_of(columns(rows), pl.UInt8),
    "polars float with NaN": lambda rows: polars_of(floats(rows), pl.Float64),
    "polars float with null": lambda rows: polars_of(
        {n: [None if v is None else float(v) for v in c] for n, c in columns(rows).items()}, pl.Float32
    ),
    "arrow with null": lambda rows: arrow_of(columns(rows), pa.int32()),
    "arrow float with null": lambda rows: arrow_of(
        {n: [None if v is None else float(v) for v in c] for n, c in columns(rows).items()}, pa.float64()
    ),
}
STRINGS: dict[str, Callable[[Rows], Any]] = {
    "lists": lambda rows: [[None if v is None else NAMES[v] for v in row] for row in rows],
    "object array": lambda rows: np.array(
        [[None if v is None else NAMES[v] for v in row] for row in rows], dtype=object
    ),
    "object array with NaN": lambda rows: np.array(
        [[np.nan if v is None else NAMES[v] for v in row] for row in rows], dtype=object
    ),
    "pandas str": lambda rows: pandas_of(words(rows), "str"),
    "pandas object": lambda rows: pandas_of(words(rows), object),
    "pandas category": lambda rows: pandas_of(words(rows), pd.CategoricalDtype(["eggs", "spam", "ham", "unused"])),
    "pandas arrow string": lambda rows: pandas_of(words(rows), "string[pyarrow]"),
    "polars String": lambda rows: polars_of(words(rows), pl.String),
    "polars Categorical": lambda rows: polars_of(words(rows), pl.Categorical),
    "polars Enum": lambda rows: polars_of(words(rows), pl.Enum(["eggs", "spam", "ham", "unused"])),
    "arrow string": lambda rows: arrow_of(words(rows), pa.string()),
    "arrow large_string": lambda rows: arrow_of(words(rows), pa.large_string()),
    "arrow dictionary": lambda rows: arrow_of(words(rows), pa.dictionary(pa.int32(), pa.string())),
}

votes_and_gaps = st.one_of(st.none(), st.integers(0, 2))
tables = st.integers(1, 4).flatmap(
    lambda p: st.lists(st.lists(votes_and_gaps, min_size=p, max_size=p), min_size=1, max_size=8)
)
FIXED: Rows = [[0, 1, None], [2, None, None], [None, 1, 0], [0, 0, 0]]


def expected(rows: Rows) -> list[list[int]]:
    return [[-1 if vote is None else vote for vote in row] for row in rows]


@pytest.mark.parametrize("kind", NUMBERS)
@unhurried
@given(rows=tables)
def test_numbers_in_every_container(kind: str, rows: Rows) -> None:
    votes = Votes(NUMBERS[kind](rows), n_classes=3)
    assert votes.array.tolist() == expected(rows)
    assert votes.class_names == (0, 1, 2)
    if "array" not in kind and not kind.startswith(("list", "tuple")):
        assert votes.rule_names == tuple(columns(rows))


@pytest.mark.parametrize("kind", STRINGS)
@unhurried
@given(rows=tables)
def test_strings_in_every_container(kind: str, rows: Rows) -> None:
    votes = Votes(STRINGS[kind](rows), class_names=NAMES)
    assert votes.array.tolist() == expected(rows)
    assert votes.class_names == tuple(NAMES)


@pytest.mark.parametrize("kind", STRINGS)
def test_classes_that_are_not_declared_are_sorted(kind: str) -> None:
    votes = Votes(STRINGS[kind](FIXED))
    assert votes.class_names == ("eggs", "ham", "spam")
    back = [[None if c < 0 else votes.class_names[c] for c in row] for row in votes.array.tolist()]
    assert back == [[None if v is None else NAMES[v] for v in row] for row in FIXED]


@pytest.mark.parametrize("kind", [*NUMBERS, *STRINGS])
def test_all_containers_have_one_fingerprint(kind: str) -> None:
    rules, given_votes = ["a", "b", "c"], (NUMBERS | STRINGS)[kind](FIXED)
    reference = Votes(expected(FIXED), class_names=NAMES, rule_names=rules)
    assert Votes(given_votes, class_names=NAMES, rule_names=rules).fingerprint == reference.fingerprint


@pytest.mark.parametrize("kind", [*NUMBERS, *STRINGS])
def test_containers_are_left_untouched(kind: str) -> None:
    make = (NUMBERS | STRINGS)[kind]
    used, fresh = make(FIXED), make(FIXED)
    votes = Votes(used, class_names=NAMES)
    _ = votes.patterns
    assert pickle.dumps(_plain(used)) == pickle.dumps(_plain(fresh))


def _plain(container: Any) -> Any:
    """The content as lists of strings, and the types."""
    if isinstance(container, np.ndarray):
        return str(container.dtype), container.flags.writeable, repr(container.tolist())
    if isinstance(container, pd.DataFrame):
        return [str(t) for t in container.dtypes], container.to_csv()
    if isinstance(container, pl.DataFrame):
        return str(container.schema), repr(container.rows())
    return repr(container)


def test_bool_frames() -> None:
    rows = [[True, None], [False, True]]
    for frame in (
        pd.DataFrame(rows, columns=["a", "b"]).astype("boolean"),
        pl.DataFrame(rows, orient="row", schema=["a", "b"]),
    ):
        assert Votes(frame).array.tolist() == [[1, -1], [0, 1]]


def test_columns_that_are_numbered() -> None:
    """pd.DataFrame(array) names its columns 0, 1, 2: the frame people make most often."""
    votes = Votes(pd.DataFrame(np.array(expected(FIXED))))
    assert votes.array.tolist() == expected(FIXED)
    assert votes.rule_names == ("0", "1", "2")


def test_a_category_of_numbers_is_numbers_or_a_clear_error() -> None:
    frame = pd.DataFrame({"a": pd.Categorical([0, 1, None]), "b": pd.Categorical([1, None, 0])})
    try:
        votes = Votes(frame)
    except InvalidVotesError:
        return
    assert votes.array.tolist() == [[0, 1], [1, -1], [-1, 0]]
    assert votes.class_names in ((0, 1), ("0", "1")), "not the floats that pandas makes of integers with gaps"


def test_masked_votes_are_abstentions_or_an_error_but_not_votes() -> None:
    masked = np.ma.MaskedArray([[0, 1], [1, 0]], mask=[[False, False], [False, True]])
    try:
        votes = Votes(masked)
    except InvalidVotesError:
        return
    assert votes.array.tolist() == [[0, 1], [1, -1]]


def test_strings_and_numbers_in_one_list_are_an_error() -> None:
    """NumPy would turn the 1 into '1' and make a class of it."""
    with pytest.raises(InvalidVotesError, match="all numbers or all strings"):
        Votes([["ham", 1], ["spam", 0]])


def test_a_silent_column_goes_with_both_kinds() -> None:
    for frame in (
        pl.DataFrame({"a": ["x", "y"], "b": [None, None]}),
        pd.DataFrame({"a": ["x", "y"], "b": [None, None]}),
    ):
        assert Votes(frame).array.tolist() == [[0, -1], [1, -1]]
    for frame in (pl.DataFrame({"a": [0, 1], "b": [None, None]}), pd.DataFrame({"a": [0, 1], "b": [None, None]})):
        assert Votes(frame).array.tolist() == [[0, -1], [1, -1]]


def test_a_string_that_means_abstain_must_be_named() -> None:
    rows = [["ham", "?"], ["spam", "ham"]]
    with pytest.raises(InvalidVotesError, match=r"'\?'.*abstain='\?'.*class_names"):
        Votes(rows)
    assert Votes(rows, abstain="?").array.tolist() == [[0, -1], [1, 0]]
    assert Votes(rows, class_names=["?", "ham", "spam"]).array.tolist() == [[1, 0], [2, 1]]


def test_votes_do_not_follow_later_changes_of_the_input() -> None:
    """Patterns are found late and remembered; an array that changes in between would make them contradict the votes."""
    array = np.array([[0, 1], [1, 1], [0, -1]], dtype=np.int8)
    votes = Votes(array)
    array[:] = 0
    assert votes.array.tolist() == [[0, 1], [1, 1], [0, -1]]


def test_votes_are_read_only() -> None:
    votes = Votes([[0, 1], [1, 1]])
    with pytest.raises(ValueError, match="read-only"):
        votes.array[0, 0] = 1


def test_pickle_keeps_votes_and_names() -> None:
    votes = Votes(FIXED, class_names=NAMES, rule_names=["a", "b", "c"], item_ids=[4, 7, 1, 2])
    _ = votes.patterns
    copy = pickle.loads(pickle.dumps(votes))
    assert copy.fingerprint == votes.fingerprint
    assert copy.item_ids.tolist() == [4, 7, 1, 2]
    assert repr(copy) == repr(votes)
