"""Bad long votes: which value, which item and rule, which row, how many, what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from thumbwise import InvalidVotesError, Votes

from .messages import assert_says, message_of

ROWS: list[tuple[Any, Any, Any]] = [("q1", "ann", 0), ("q1", "bob", 1), ("q2", "ann", 1), ("q3", "bob", 0)]


def refused(data: Any, **options: Any) -> str:
    return message_of(InvalidVotesError, lambda: Votes.from_long(data, **options))


def with_labels(labels: list[Any]) -> list[tuple[Any, Any, Any]]:
    return [(item, rule, label) for (item, rule, _), label in zip(ROWS, labels, strict=True)]


@pytest.mark.parametrize(
    ("value", "said", "hint"),
    [
        (2, "found 2 ", "subtract 1"),
        (-2, "found -2 ", "only -1 means abstain"),
        (0.5, "found 0.5 ", "threshold"),
        (np.inf, "found inf ", "Round"),
        (1e300, "found 1e+300 ", "Round"),
    ],
)
@pytest.mark.parametrize("as_objects", [True, False])
def test_labels_that_are_no_classes(value: float, said: str, hint: str, as_objects: bool) -> None:
    rows = with_labels([0, value, 1, value])
    labels = np.array([row[2] for row in rows], dtype=object if as_objects else None)
    message = refused(([row[0] for row in rows], [row[1] for row in rows], labels), n_classes=2)
    assert_says(message, said, "at item 'q1', rule 'bob'", "(row 1; 2 such votes)", hint)


def test_items_and_rules_are_named_as_the_user_does() -> None:
    frame = pl.DataFrame({"item": [17, 5], "worker": [3, 4], "label": [0, 9]})
    assert_says(refused(frame, n_classes=3), "0..2", "found 9 at item 5, rule '4' (row 1; 1 such votes)")


def test_an_unknown_class_name() -> None:
    message = refused(with_labels(["ham", "smap", "spam", "smap"]), class_names=["ham", "spam"])
    assert_says(message, "'ham', 'spam'", "'smap' at item 'q1', rule 'bob' (row 1; 2 such votes)", "class_names")
    message = refused(with_labels(["ham", "?", "spam", "smap"]), class_names=["ham", "spam"], abstain="?")
    assert_says(message, "'smap' at item 'q3', rule 'bob' (row 3; 1 such votes)")


def test_strings_beside_numbers() -> None:
    assert_says(refused(with_labels(["ham", "spam", 3, 4])), "3 at item 'q2', rule 'ann' (row 2; 2 such votes)")


@pytest.mark.parametrize("value", [1 + 2j, b"ham", np.datetime64("2024-01-01"), (1, 2)])
def test_labels_that_are_neither(value: Any) -> None:
    assert_says(refused(with_labels([0, 1, 1, value])), "numbers, strings or missing", "item 'q3', rule 'bob' (row 3")


def test_labels_that_are_dates() -> None:
    frame = pd.DataFrame({"item": [1], "worker": [2], "label": pd.to_datetime(["2024-01-01"])})
    assert_says(refused(frame), "numbers, strings or missing", "item 1, rule '2'")


@pytest.mark.parametrize("mark", ["-1", "", "N/A", "abstain"])
def test_strings_that_look_like_abstentions(mark: str) -> None:
    assert_says(refused(with_labels(["ham", "spam", mark, "ham"])), repr(mark), f"abstain={mark!r}", "class_names")


def test_the_same_vote_twice() -> None:
    message = refused([*ROWS, ("q2", "ann", 1), ("q2", "ann", 1)])
    assert_says(message, "item 'q2', rule 'ann' has the labels 1 and 1", "(1 such pairs, 0 of them with different")
    assert_says(message, 'duplicates="first"', 'duplicates="last"')


def test_contradictions_are_shown_first() -> None:
    names = ["ham", "spam"]
    message = refused(
        [*ROWS, ("q1", "ann", 0), ("q3", "bob", 1), ("q2", "ann", 0), ("q2", "ann", 1)], class_names=names
    )
    assert_says(message, "item 'q2', rule 'ann' has the labels 'spam' and 'ham'", "(3 such pairs, 2 of them")


def test_a_repeated_vote_far_down() -> None:
    n = 200_000
    items, rules, labels = np.arange(n) // 2, np.arange(n) % 2, np.arange(n) % 3
    rules[[150_001, 190_001]] = 0
    message = refused((items, rules, labels))
    assert_says(message, f"item 75000, rule '0' has the labels {150_000 % 3} and {150_001 % 3}", "(2 such pairs")


def test_what_to_do_with_duplicates_is_one_of_three() -> None:
    assert_says(refused(ROWS, duplicates="mean"), '"raise", "first" or "last"', "'mean'")


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA, pd.NaT])
@pytest.mark.parametrize(("place", "name"), [(0, "item"), (1, "worker")])
def test_a_row_without_item_or_rule(gap: Any, place: int, name: str) -> None:
    rows = [list(row) for row in ROWS]
    rows[1][place] = rows[3][place] = gap
    assert_says(refused(rows), f"'{name}' is missing in row 1", "(2 such rows)", "drop")


def test_a_row_without_item_in_columns_of_numbers() -> None:
    columns = {"item": [1, None, 2], "worker": [1, 1, 1], "label": [0, 1, 1]}
    for frame in (
        pd.DataFrame(columns),
        pl.DataFrame(columns),
        pa.table(columns),
        pd.DataFrame(columns, dtype="Int64"),
    ):
        assert_says(refused(frame), "'item' is missing in row 1", "(1 such rows)")


def test_columns_that_are_not_there() -> None:
    columns = {"task": [1], "worker": [1], "label": [0]}
    for data in (columns, pd.DataFrame(columns), pl.DataFrame(columns)):
        assert_says(
            refused(data), "'item', 'worker', 'label'", "['task', 'worker', 'label']", "without 'item'", "item="
        )


def test_columns_of_different_lengths() -> None:
    assert_says(refused(([1, 2], [1, 2, 3], [0, 1])), "equally long", "'item' 2", "'worker' 3", "'label' 2")


@pytest.mark.parametrize("data", [np.zeros((4, 2)), np.zeros(3), 3, "abc", None, np.zeros((2, 3, 3))])
def test_things_that_are_no_rows(data: Any) -> None:
    assert_says(refused(data), "rows of three values (item, worker, label)", f"shape {np.shape(data)}")


def test_rows_of_another_length() -> None:
    assert_says(refused([*ROWS, ("q4", "ann"), "abc"]), "row 4 is ('q4', 'ann') (2 such rows)")


def test_columns_that_are_no_sequences() -> None:
    assert_says(refused({"item": "abc", "worker": [1, 2, 3], "label": [0, 1, 1]}), "'item'", "sequence")
    assert_says(refused({"item": [1], "worker": 3, "label": [0]}), "'worker'", "sequence")
    assert_says(refused({"item": np.zeros((2, 2)), "worker": [1], "label": [0]}), "'item'", "sequence")


def test_values_that_cannot_be_told_apart() -> None:
    assert_says(refused([([1], "ann", 0), ([2], "ann", 1)]), "hashable", "[1]")


def test_lazy_frames_must_be_collected() -> None:
    assert_says(refused(pl.LazyFrame({"item": [0], "worker": [0], "label": [1]})), "lazy", "Collect")


def test_items_and_rules_that_were_not_declared() -> None:
    message = refused(ROWS, item_ids=["q1", "q2"])
    assert_says(message, "'q3' of row 3", "'q1', 'q2'", "(1 such rows, 1 such items)", "item_ids")
    message = refused(ROWS, rule_names=["bob", "eve"])
    assert_says(message, "'ann' of row 0", "'bob', 'eve'", "(2 such rows, 1 such rules)", "rule_names")


def test_declarations_that_are_repeated_or_missing() -> None:
    assert_says(refused(ROWS, item_ids=["q1", "q2", "q3", "q1"]), "'q1'", "2 times")
    assert_says(refused(ROWS, item_ids=["q1", "q2", "q3", None]), "item 3 has none")
    assert_says(refused(ROWS, item_ids="q1"), "'item_ids'", "sequence")
    assert_says(refused(ROWS, rule_names=["ann", "bob", "ann"]), "'ann'", "more than once")
    assert_says(refused(ROWS, class_names=["a", "a"]), "'a'", "more than once")


def test_two_rules_with_one_name() -> None:
    assert_says(refused([(1, 7, 0), (1, "7", 1)]), "'7'", "one kind")


def test_no_rows_and_no_declarations() -> None:
    empty: list[Any] = []
    for data in (empty, (empty, empty, empty), pl.DataFrame({"item": [], "worker": [], "label": []}), np.zeros((0, 3))):
        assert_says(refused(data, n_classes=2), "at least one item and one rule")


def test_one_class_only() -> None:
    assert_says(refused(with_labels([0, 0, 0, None])), "class 0 only", "n_classes")
    assert_says(refused(with_labels([-1, None, -1, None])), "no vote at all", "n_classes")
    assert_says(refused(with_labels([None] * 4)), "no vote at all", "n_classes")
    assert_says(refused(with_labels(["ham"] * 4)), "at least two classes", "'ham'")
    assert_says(refused(ROWS, n_classes=1), "at least two classes")
    assert_says(refused(with_labels([0, 1, 1_234_567, 0])), "n_classes=1234568")


def test_groups_need_an_order_of_items() -> None:
    assert_says(refused(ROWS, item_groups=["a", "b", "a"]), "item_ids")
    assert_says(refused(ROWS, item_groups=["a", "b"], item_ids=["q1", "q2", "q3"]), "(2,)", "3 items")
