"""One set of votes through every way in: the same array, names, ids and fingerprint, whatever the names contain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from thumbwise import Votes

Case = tuple[list[list[int]], list[str], list[str], list[str]]
Names = list[str]
NASTY = ["it's", 'say "so"', "two\nlines", "\N{PILE OF POO}\u200d", "SELECT", "; DROP TABLE votes;--", "  leading"]
NASTY += ["trailing ", "a\tb", "\\n", "%s{0}", "x" * 10_000, "1", "-1", "nan", "None", "", "\u00e9", "e\u0301"]


def columns(rows: list[list[Any]], rules: Names, ids: Names) -> dict[str, list[Any]]:
    return {"an id\n": ids} | {name: [row[j] for row in rows] for j, name in enumerate(rules)}


def words(rows: list[list[int]], classes: Names) -> list[list[str | None]]:
    return [[None if c < 0 else classes[c] for c in row] for row in rows]


def framed(make: Callable[[Any], Any]) -> Callable[..., Votes]:
    def read(rows: list[list[int]], rules: Names, ids: Names, classes: Names) -> Votes:
        frame = make(columns(words(rows, classes), rules, ids))
        return Votes(frame, item_ids="an id\n", class_names=classes)

    return read


def coded(rows: list[list[int]], rules: Names, ids: Names, classes: Names) -> Votes:
    codes = {-c: name for c, name in enumerate(classes)} | {1: None}
    return Votes([[-c for c in row] for row in rows], rule_names=rules, item_ids=ids, codes=codes)


def coded_words(rows: list[list[int]], rules: Names, ids: Names, classes: Names) -> Votes:
    """Each name stands for the next one."""
    others = classes[1:] + classes[:1]
    frame = pl.DataFrame(columns(words(rows, others), rules, ids), schema=dict.fromkeys(["an id\n", *rules], pl.String))
    return Votes(frame, item_ids="an id\n", codes=dict(zip(others, classes, strict=True)))


def long_triples(rows: list[list[int]], labels: list[Any], rules: Names, ids: Names) -> list[tuple[str, str, Any]]:
    cells = [(i, j) for i, row in enumerate(rows) for j, c in enumerate(row) if c >= 0]
    return [(ids[i], rules[j], labels[rows[i][j]]) for i, j in cells[::-1]]


def long(rows: list[list[int]], rules: Names, ids: Names, classes: Names) -> Votes:
    found = long_triples(rows, classes, rules, ids)
    return Votes.from_long(found, rule_names=rules, item_ids=ids, class_names=classes)


def long_frame(rows: list[list[int]], rules: Names, ids: Names, classes: Names) -> Votes:
    found = long_triples(rows, classes, rules, ids)
    frame = pl.DataFrame(found, schema={"i": pl.String, "r": pl.String, "l": pl.String}, orient="row")
    return Votes.from_long(frame, item="i", rule="r", label="l", rule_names=rules, item_ids=ids, class_names=classes)


def long_coded(rows: list[list[int]], rules: Names, ids: Names, classes: Names) -> Votes:
    found = long_triples(rows, list(range(9, 9 + len(classes))), rules, ids)
    codes = {9 + c: name for c, name in enumerate(classes)}
    return Votes.from_long(found, rule_names=rules, item_ids=ids, codes=codes)


def sparse(form: Any) -> Callable[..., Votes]:
    def read(rows: list[list[int]], rules: Names, ids: Names, classes: Names) -> Votes:
        matrix = sp.coo_array(np.array(rows) + 1).asformat(form)
        return Votes.from_sparse(matrix, first_class=1, rule_names=rules, item_ids=ids, class_names=classes)

    return read


def triples(rows: list[list[int]], rules: Names, ids: Names, classes: Names) -> Votes:
    array = np.array(rows)
    items, columns_ = np.nonzero(array >= 0)
    found = items, columns_, array[items, columns_]
    return Votes.from_sparse(
        found, first_class=0, shape=array.shape, rule_names=rules, item_ids=ids, class_names=classes
    )


WAYS: dict[str, Callable[..., Votes]] = {
    "pandas": framed(pd.DataFrame),
    "pandas category": framed(lambda c: pd.DataFrame(c).astype("category")),
    "polars": framed(lambda c: pl.DataFrame(c, schema=dict.fromkeys(c, pl.String))),
    "polars Categorical": framed(lambda c: pl.DataFrame(c, schema=dict.fromkeys(c, pl.Categorical))),
    "arrow": framed(lambda c: pa.table({name: pa.array(column, pa.string()) for name, column in c.items()})),
    "codes": coded,
    "codes of words": coded_words,
    "long": long,
    "long frame": long_frame,
    "long codes": long_coded,
    "triples": triples,
} | {form: sparse(form) for form in ("coo", "csr", "csc", "lil", "dok", "bsr", "dia")}


def assert_same(votes: Votes, rows: list[list[int]], rules: Names, ids: Names, classes: Names) -> None:
    assert votes.array.tolist() == rows
    assert votes.rule_names == tuple(rules)
    assert votes.item_ids.tolist() == ids
    assert votes.class_names == tuple(classes)
    wide = Votes(np.array(rows), rule_names=rules, item_ids=ids, class_names=classes)
    assert votes.fingerprint == wide.fingerprint


@pytest.mark.parametrize("way", WAYS)
def test_nasty_names(way: str) -> None:
    n = len(NASTY)
    rows = np.random.default_rng(0).integers(-1, n, (n, n)).tolist()
    case = rows, NASTY, NASTY[3:] + NASTY[:3], NASTY[5:] + NASTY[:5]
    assert_same(WAYS[way](*case), *case)


names = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    n_items, n_rules, k = draw(st.integers(1, 5)), draw(st.integers(1, 4)), draw(st.integers(2, 4))
    row = st.lists(st.integers(-1, k - 1), min_size=n_rules, max_size=n_rules)
    rows = draw(st.lists(row, min_size=n_items, max_size=n_items))
    rules, ids, classes = (draw(st.lists(names, min_size=n, max_size=n, unique=True)) for n in (n_rules, n_items, k))
    return rows, [name + "." if name == "an id\n" else name for name in rules], ids, classes


@pytest.mark.parametrize("way", WAYS)
@settings(deadline=None, derandomize=True, max_examples=15)
@given(case=cases())
def test_any_names(way: str, case: Case) -> None:
    assert_same(WAYS[way](*case), *case)
