"""Ordered classes: declared, never guessed; kept by whatever is made of the votes; read from numbers."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

import thumbwise as tw
from thumbwise.exceptions import ThumbwiseError

SCALE = ["poor", "fair", "good"]


def test_order_is_declared_and_kept() -> None:
    votes = tw.Votes([["good", "poor"], ["fair", None]], class_names=SCALE, ordered=True, item_ids=["a", "b"])
    assert votes.is_ordered and not tw.Votes([[0, 1]]).is_ordered
    made = [
        votes.take([1]),
        votes.take_ids(["b"]),
        votes.with_rules([1, 0]),
        votes.without_ids(),
        votes.with_patterns(votes.patterns),
        votes.with_classes(["awful", *SCALE]),
        pickle.loads(pickle.dumps(votes)),
        tw.Votes.from_long([("q", "ann", "fair")], class_names=SCALE, ordered=True),
        tw.Votes([[1, 0]], codes={1: "low", 0: "high"}, ordered=True),
    ]
    assert all(one.is_ordered for one in made)
    assert not votes.with_classes(["good", "fair", "poor", "none"]).is_ordered, "in another order they are other steps"


def test_lazy_votes_keep_it() -> None:
    frame = duckdb.sql("SELECT * FROM (VALUES (7, 0, 1), (8, 2, 1)) AS mails(mail, ann, bob)")
    votes = tw.LazyVotes(frame, item_id="mail", ordered=True)
    assert votes.is_ordered and votes.take_ids([8]).is_ordered and votes.with_rules([0]).is_ordered


REFUSED: dict[str, tuple[Any, dict[str, Any], str]] = {
    "words": ([["good", "poor"]], {}, "words must be listed, from the lowest to the highest; found 'good', 'poor'"),
    "texts": ([["9", "10"]], {}, "must be in the order of the numbers; found '10', '9'"),
    "mixed up": ([[0, 1]], {"class_names": [1, 3, 2]}, "must be in the order of the numbers; found 1, 3, 2"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_an_order_that_nobody_states_is_refused(case: str) -> None:
    data, options, words = REFUSED[case]
    with pytest.raises(ThumbwiseError, match=words):
        tw.Votes(data, ordered=True, **options)


def test_a_scale_may_be_listed_from_the_top() -> None:
    assert tw.Votes([[0, 1]], class_names=[3, 2, 1], ordered=True).is_ordered


def read(columns: dict[str, list[Any]], **options: Any) -> tw.Reading:
    return tw.read_votes(pd.DataFrame(columns), ordered=True, **options)


def test_numbers_are_the_scale_that_occurs_with_its_gaps() -> None:
    reading = read({"id": ["a", "b", "c"], "ann": [2, 5, -1], "bob": [3, None, 2]}, gold={"a": 5})
    assert reading.votes.class_names == (2, 3, 4, 5) and reading.votes.is_ordered
    assert reading.votes.array.tolist() == [[0, 1], [3, -1], [-1, 0]] and reading.gold.tolist() == [3, -1, -1]
    assert "ordered classes, by the numbers that occur: 2 < 3 < 4 < 5" in reading.notes
    halves = read({"ann": [1, 2.5], "bob": [1.5, 2]})
    assert halves.votes.class_names == (1, 1.5, 2, 2.5)
    listed = read({"ann": [2, 5]}, class_names=[1, 2, 3, 4, 5])
    assert listed.votes.array.tolist() == [[1], [4]]
    assert "ordered classes, lowest first: 1 < 2 < 3 < 4 < 5" in listed.notes


def test_long_tables_and_records_of_judges_are_read_so_too(tmp_path: Path) -> None:
    rows: dict[str, list[Any]] = {"item": ["a", "a", "b"], "worker": ["x", "y", "x"], "label": [1, 3, 2]}
    long = read(rows)
    assert long.votes.class_names == (1, 2, 3) and long.votes.is_ordered
    records = read({"item": ["a", "a", "b"], "judge": ["x", "y", "x"], "verdict": [1, 3, 2]})
    assert records.layout == "jury" and records.votes.class_names == (1, 2, 3) and records.votes.is_ordered
    assert records.votes.array.tolist() == long.votes.array.tolist()
    for part in ("1", "2"):
        (tmp_path / f"part-{part}.csv").write_text(f"id,ann,bob\n{part},{part},4\n")
    many = tw.read_votes(tmp_path / "part-*.csv", ordered=True, item_id="id", gold={"1": 2})
    assert many.votes.class_names == (1, 2, 3, 4) and many.votes.is_ordered and many.gold_votes.is_ordered


UNREADABLE: dict[str, tuple[dict[str, list[Any]], dict[str, Any], str]] = {
    "words": ({"ann": ["good", "poor"]}, {}, "words must be listed.* found 'good', 'poor' and no list"),
    "words among numbers": ({"ann": ["1", "2", "n/c"]}, {}, "words must be listed.* found 'n/c'"),
    "scores": ({"ann": [0, 50, 99] * 9, "bob": [0, 99, 50] * 9}, {}, "at most 30 of them.* found 0, 50, 99"),
    "negative": ({"ann": [-2, 0, 2]}, {}, "numbers from 0 up.* found -2, 0, 2.*List the steps"),
    "a slip in gold": (
        {"id": list(range(40)), "ann": [1, 2, 3, 4] * 10},
        {"gold": {i: 7 if i == 5 else 1 + i % 4 for i in range(30)}},
        "7",
    ),
    "one step": ({"ann": [3, 3]}, {}, "at most 30 of them.* found 3"),
    "both": ({"ann": [3, 4]}, {"scores": "good", "class_names": ["bad", "good"]}, "found both. Drop"),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_what_is_no_scale_is_refused_with_a_way_out(case: str) -> None:
    columns, options, words = UNREADABLE[case]
    with pytest.raises(ThumbwiseError, match=words):
        read(columns, **options)
