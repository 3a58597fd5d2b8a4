"""The same items in a list, a generator, a column or a frame give the same votes, ids and failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from thumbwise import InvalidVotesError
from thumbwise.rules.labeling_functions import FailedRuleWarning, apply_rules, rule

TEXTS = [f"text {i}" if i % 3 else f"TEXT {i} X" for i in range(1500)]
IDS = [f"id{i}" for i in range(1500)]
COLUMNS = {"id": IDS, "text": TEXTS, "n": list(range(1500))}


def upper(text: str) -> str | None:
    return "spam" if text.isupper() else "ham" if text.endswith("4") else None


def fails(text: str) -> str | None:
    return "ham" if 1 // int(text.split()[1]) < 2 else None


def of_row(function: Callable[[str], object]) -> Callable[[dict[str, Any]], object]:
    return rule(name=function.__name__)(lambda row: function(row["text"]) if row["id"] == f"id{row['n']}" else 1 / 0)


EXPECTED = [[{"ham": 0, "spam": 1, None: -1}[upper(text)], 0 if i else -1] for i, text in enumerate(TEXTS)]

ROWS: dict[str, Any] = {
    "pandas": pd.DataFrame(COLUMNS),
    "pandas with its index": pd.DataFrame(COLUMNS, index=pd.Index(list(reversed(range(1500))))),
    "polars": pl.DataFrame(COLUMNS),
    "arrow": pa.table(COLUMNS),
    "list of dictionaries": pl.DataFrame(COLUMNS).rows(named=True),
    "generator of dictionaries": (row for row in pl.DataFrame(COLUMNS).rows(named=True)),
}


@pytest.mark.parametrize("kind", ROWS)
def test_rows(kind: str) -> None:
    with pytest.warns(FailedRuleWarning):
        applied = apply_rules(ROWS[kind], [of_row(upper), of_row(fails)], item_ids="id")
    assert applied.votes.array.tolist() == EXPECTED
    assert applied.votes.item_ids.tolist() == IDS
    assert [(f.item_id, f.position) for f in applied.failures] == [("id0", 0)]
    assert np.argwhere(applied.failed).tolist() == [[0, 1]]


VALUES: dict[str, Any] = {
    "list": TEXTS,
    "tuple": tuple(TEXTS),
    "generator": (text for text in TEXTS),
    "array": np.array(TEXTS),
    "pandas column": pd.Series(TEXTS),
    "polars column": pl.Series(TEXTS),
    "arrow column": pa.chunked_array([TEXTS[:700], TEXTS[700:]]),
}


@pytest.mark.parametrize("kind", VALUES)
def test_values(kind: str) -> None:
    with pytest.warns(FailedRuleWarning):
        applied = apply_rules(VALUES[kind], [upper, fails], item_ids=np.array(IDS))
    assert applied.votes.array.tolist() == EXPECTED
    assert applied.votes.item_ids.tolist() == IDS
    assert applied.failures[0].item_id == "id0"


def test_the_index_of_a_pandas_column_gives_ids_and_a_counting_one_does_not() -> None:
    column = pd.Series(["A b", "B", "c4"], index=["p", "q", "r"])
    assert apply_rules(column, [upper]).votes.item_ids.tolist() == ["p", "q", "r"]
    assert not apply_rules(column.reset_index(drop=True), [upper]).votes.has_ids


def test_an_iterable_is_read_once_and_not_ahead() -> None:
    seen: list[int] = []

    def stream() -> Iterator[int]:
        for i in range(5000):
            seen.append(i)
            yield i

    reached: list[int] = []

    def look(item: int) -> int:
        reached.append(len(seen) - item)
        return item % 2

    apply_rules(stream(), [look])
    assert seen == list(range(5000))
    assert max(reached) <= 1024


def test_an_error_of_the_items_themselves_is_not_a_failure_of_a_rule() -> None:
    def stream() -> Iterator[int]:
        yield 1
        raise OSError("disk gone")

    with pytest.raises(OSError, match="disk gone"):
        apply_rules(stream(), [rule(name="one")(lambda item: 1)], class_names=["a", "b"])


FEW = ["A", "b4"]


@pytest.mark.parametrize(
    ("items", "item_ids", "said"),
    [
        ("one text", None, "found one str"),
        ({"a": 1}, None, "values"),
        (3, None, "found int"),
        ([], None, "at least one item"),
        (iter([]), None, "at least one item"),
        (pl.LazyFrame({"a": [1]}), None, "Collect"),
        (pa.record_batch({"a": [1]}), None, "to_pylist"),
        (pa.array(FEW), None, "to_pylist"),
        (pl.DataFrame({"a": FEW}), "b", "columns are \\['a'\\]"),
        (FEW, "b", "item 0 \\(str\\)"),
        ([{"b": 1}, {"c": 1}], "b", "item 1 \\(dict\\)"),
        (FEW, [1], "one id per item"),
        (FEW, [1, 1], "unique"),
        (iter(FEW), [1], "found 1 ids and more items"),
        (iter(FEW), [1, 2, 3], "one id per item"),
        (iter(FEW), [1, 1], "unique"),
        (FEW, [None, 1], "missing"),
    ],
)
def test_items_and_ids_that_do_not_fit(items: Any, item_ids: Any, said: str) -> None:
    with pytest.raises(InvalidVotesError, match=said):
        apply_rules(items, [upper], item_ids=item_ids)
