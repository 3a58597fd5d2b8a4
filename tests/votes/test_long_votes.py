"""Long votes are the same votes as a table of them, whatever holds them and in whatever order, without the table."""

from __future__ import annotations

import pickle
import tracemalloc
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import thumbwise as tw
from thumbwise import InvalidVotesError, Votes
from thumbwise.numerics import patterns
from thumbwise.tables.opened_frames import is_missing
from thumbwise.votes.reading import triples

Ints = npt.NDArray[np.int64]
Triples = tuple[Any, Any, Any]
PARTS = ["starts", "rules", "classes", "counts", "groups"]
unhurried = settings(deadline=None, derandomize=True, max_examples=60)


def explode(array: Ints, seed: int) -> Triples:
    """One row per vote, in a random order."""
    items, rules = np.nonzero(array >= 0)
    order = np.random.default_rng(seed).permutation(len(items))
    return items[order], rules[order], array[items, rules][order]


def both(array: Ints, k: int, seed: int = 0, groups: Ints | None = None) -> tuple[Votes, Votes]:
    """The votes from rows in a random order, and from the table."""
    ids, names = np.arange(len(array)), [str(j) for j in range(array.shape[1])]
    long = Votes.from_long(explode(array, seed), n_classes=k, rule_names=names, item_ids=ids, item_groups=groups)
    return long, Votes(array, n_classes=k, rule_names=names, item_ids=ids, item_groups=groups)


def assert_same(long: Votes, wide: Votes) -> None:
    for part in PARTS:
        np.testing.assert_array_equal(getattr(long.patterns, part), getattr(wide.patterns, part))
        assert getattr(long.patterns, part).dtype == getattr(wide.patterns, part).dtype
    np.testing.assert_array_equal(long.inverse, wide.inverse)
    assert long.fingerprint == wide.fingerprint
    assert (len(long), long.n_rules, long.n_classes) == (len(wide), wide.n_rules, wide.n_classes)
    np.testing.assert_array_equal(long.n_votes_per_item, wide.n_votes_per_item)
    np.testing.assert_array_equal(long.item_ids, wide.item_ids)
    np.testing.assert_array_equal(long.groups, wide.groups)
    assert long.rule_names == wide.rule_names
    assert "array" not in vars(long), "nobody has asked for the array yet"


@st.composite
def tables(draw: st.DrawFn) -> tuple[Ints, int]:
    """Votes with repeated rows, empty rows and silent rules made likely."""
    k = draw(st.integers(2, 4))
    n_items, n_rules = draw(st.integers(1, 15)), draw(st.integers(1, 12))
    rows = draw(hnp.arrays(np.int64, (n_items, n_rules), elements=st.integers(-1, k - 1), fill=st.just(-1)))
    return rows[draw(hnp.arrays(np.int64, n_items, elements=st.integers(0, n_items - 1)))], k


@unhurried
@given(tables(), st.integers(0, 99))
@example((np.array([[-1, -1, -1]]), 2), 0)
@example((np.array([[1]]), 2), 0)
def test_long_votes_are_the_table_of_them(problem: tuple[Ints, int], seed: int) -> None:
    assert_same(*both(*problem, seed))


@pytest.mark.parametrize(
    ("n_items", "n_rules", "k", "share"),
    [
        (400, 70, 2, 0.1),
        (60, 70, 2, 1.0),
        (300, 4, 300, 0.5),
        (1, 50, 3, 0.5),
        (500, 1, 3, 0.7),
        (30, 1000, 5, 0.01),
        (2000, 13, 2, 0.2),
        (50, 3, 2, 0.0),
    ],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_many_shapes(n_items: int, n_rules: int, k: int, share: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    array = np.where(rng.random((n_items, n_rules)) < share, rng.integers(0, k, (n_items, n_rules)), -1)
    array = array[rng.integers(0, n_items, n_items)]
    array[:, rng.integers(n_rules)] = -1
    assert_same(*both(array, k, seed))


def test_more_letters_than_pairs_of_them_fit_an_integer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then letters are ranked before they are paired. All rows there can be, so that some differ by one letter only."""
    monkeypatch.setattr(patterns, "_MOST_LETTERS", 3)
    assert_same(*both(np.array(list(product([-1, 0, 1], repeat=5))), 2))


def test_more_cells_than_integers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then rows are sorted by two columns instead of one number."""
    monkeypatch.setattr(triples, "_MOST_CELLS", 1)
    array = np.random.default_rng(0).integers(-1, 3, (100, 5))
    assert_same(*both(array, 3))


def test_more_rules_and_classes_than_pairs_of_letters_fit_an_integer() -> None:
    """10^6 rules x 10^4 classes: a pair of letters would need 67 bits."""
    names, k = [str(j) for j in range(10**6)], 10**4
    kinds = [(first, c) for first in (600_000, 300_000, 0) for c in (0, k - 1)]
    rows = [(i, *vote) for i in range(60) for vote in ((900_000, kinds[i % 6][1]), (kinds[i % 6][0], k - 1))]
    votes = Votes.from_long(rows, n_classes=k, rule_names=names)
    # Rows begin with -1 until their first rule, so a later first rule comes first; then the smaller class.
    assert votes.patterns.rules.tolist() == [rule for first, _ in kinds for rule in (first, 900_000)]
    assert votes.patterns.classes.tolist() == [c for _, last in kinds for c in (k - 1, last)]
    assert votes.patterns.counts.tolist() == [10] * 6
    assert votes.inverse.tolist() == [i % 6 for i in range(60)]


@unhurried
@given(tables(), st.randoms(use_true_random=False))
def test_parts_of_long_votes(problem: tuple[Ints, int], random: Any) -> None:
    """take, with_rules (in another order, some, some twice), groups, names: all as of a table, none through one."""
    array, k = problem
    n_items, n_rules = array.shape
    groups = np.array([random.randrange(3) for _ in range(n_items)])
    items = np.array([random.randrange(n_items) for _ in range(random.randint(1, 8))])
    rules = [random.randrange(n_rules) for _ in range(random.randint(1, 8))]
    for long, wide in (both(array, k), both(array, k, groups=groups)):
        assert_same(long, wide)
        assert_same(long.take(items), wide.take(items))
        assert_same(long.take(groups > 0), wide.take(groups > 0))
        assert_same(long.with_rules(rules), wide.with_rules(rules))
        assert_same(long.with_rules(rules).take(items), wide.with_rules(rules).take(items))
        names = [f"n{j}" for j in range(n_rules)]
        assert_same(long.with_rule_names(names), wide.with_rule_names(names))
        assert_same(long.without_ids(), wide.without_ids())
        assert not long.without_ids().has_ids
        assert_same(pickle.loads(pickle.dumps(long)), wide)


@unhurried
@given(tables())
def test_the_array_is_there_when_asked_for(problem: tuple[Ints, int]) -> None:
    array, k = problem
    long, wide = both(array, k)
    np.testing.assert_array_equal(long.array, array)
    assert long.array.dtype == wide.array.dtype
    assert long.array is long.array
    with pytest.raises(ValueError, match="read-only"):
        long.array[0, 0] = 0
    assert "array" not in vars(pickle.loads(pickle.dumps(long)))
    assert_same(long.take(np.arange(len(array))), wide)


def test_copies_forget_what_was_computed() -> None:
    long, _ = both(np.array([[0, 1], [1, -1]]), 2)
    before = long.fingerprint
    _ = long.patterns.indicators
    other = long.with_rule_names(["a", "b"])
    assert other.fingerprint != before
    assert "indicators" not in vars(pickle.loads(pickle.dumps(long.patterns)))


# Rows of the same votes: item, rule, label; a pair without a row and a missing label are abstentions.
ROWS: list[tuple[str, str, str | None]] = [
    ("q10", "w2", "dog"),
    ("q2", "w10", "cat"),
    ("q10", "w10", "dog"),
    ("q7", "w1", None),
    ("q2", "w2", "elk"),
]
COLUMNS = dict(zip(("item", "worker", "label"), map(list, zip(*ROWS, strict=True)), strict=True))
NUMBER = {"cat": 0, "dog": 1, "elk": 2}
NUMBERED: dict[str, list[Any]] = {
    "item": [int(i[1:]) for i in COLUMNS["item"]],
    "worker": [int(w[1:]) for w in COLUMNS["worker"]],
    "label": [None if c is None else NUMBER[c] for c in COLUMNS["label"]],
}
CONTAINERS: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "mapping of lists": lambda c: c,
    "mapping of arrays": lambda c: {name: np.array(column, dtype=object) for name, column in c.items()},
    "mapping of series": lambda c: {name: pd.Series(column) for name, column in c.items()},
    "rows": lambda c: list(zip(*c.values(), strict=True)),
    "lists as rows": lambda c: [list(row) for row in zip(*c.values(), strict=True)],
    "object array of rows": lambda c: np.array(list(zip(*c.values(), strict=True)), dtype=object),
    "tuple of columns": lambda c: tuple(c.values()),
    "pandas": pd.DataFrame,
    "pandas object": lambda c: pd.DataFrame(c, dtype=object),
    "pandas category": lambda c: pd.DataFrame(c).astype("category"),
    "pandas arrow": lambda c: pd.DataFrame(c).convert_dtypes(dtype_backend="pyarrow"),
    "pandas nullable": lambda c: pd.DataFrame(c).convert_dtypes(),
    "polars": pl.DataFrame,
    "arrow": pa.table,
}


def test_strings_by_hand() -> None:
    votes = Votes.from_long(ROWS)
    assert votes.item_ids.tolist() == ["q10", "q2", "q7"]
    assert votes.rule_names == ("w1", "w2", "w10")
    assert votes.class_names == ("cat", "dog", "elk")
    assert votes.array.tolist() == [[-1, 1, 1], [-1, 2, 0], [-1, -1, -1]]


@pytest.mark.parametrize("kind", CONTAINERS)
@pytest.mark.parametrize("columns", [COLUMNS, NUMBERED], ids=["strings", "numbers"])
def test_every_container_says_the_same(kind: str, columns: dict[str, list[Any]]) -> None:
    reference = Votes.from_long(tuple(columns.values()))
    votes = Votes.from_long(CONTAINERS[kind](columns))
    assert votes.fingerprint == reference.fingerprint
    assert votes.item_ids.tolist() == reference.item_ids.tolist()
    assert [type(value) for value in votes.item_ids.tolist()] == [type(columns["item"][0])] * 3
    assert votes.inverse.tolist() == reference.inverse.tolist()


@pytest.mark.parametrize("kind", [kind for kind in CONTAINERS if "rows" not in kind and "tuple" not in kind])
def test_columns_may_have_other_names_and_come_with_others(kind: str) -> None:
    renamed = {"note": [1, 2, 3, 4, 5], **{name[0]: column for name, column in COLUMNS.items()}}
    votes = Votes.from_long(CONTAINERS[kind](renamed), item="i", rule="w", label="l")
    assert votes.fingerprint == Votes.from_long(ROWS).fingerprint


@pytest.mark.parametrize(
    "label", [np.int8, np.uint8, np.int64, np.float32, np.float64], ids=lambda dtype: dtype.__name__
)
@pytest.mark.parametrize("item", [np.int8, np.uint64, np.float64, "U4", "datetime64[D]"], ids=str)
def test_numbers_of_every_width(label: Any, item: Any) -> None:
    items = np.array([5, 3, 5, 9]).astype(item)
    votes = Votes.from_long((items, np.array([1, 1, 0, 2], dtype=np.int16), np.array([0, 1, 2, 1]).astype(label)))
    assert votes.array.tolist() == [[2, 0, -1], [-1, 1, -1], [-1, -1, 1]]
    assert votes.item_ids.dtype == items.dtype
    assert votes.item_ids.tolist() == items[[0, 1, 3]].tolist()


def test_integers_at_the_ends_of_their_type() -> None:
    for items in (
        np.array([-(2**63), 2**63 - 1, 0]),
        np.array([2**64 - 1, 2**64 - 2, 2**64 - 3], dtype=np.uint64),
        np.array([-128, 127, 0], dtype=np.int8),
        np.array([False, True, False]),
    ):
        ids = Votes.from_long((items, np.array([0, 1, 2]), np.array([0, 1, 1]))).item_ids
        assert ids.tolist() == list(dict.fromkeys(items.tolist()))


def test_mixed_ids_stay_what_they_are() -> None:
    items = [7, "7", 2.5, 2**60 + 1, ("a", 1), 7]
    votes = Votes.from_long({"item": items, "worker": [1, 1, 1, 1, 1, "b"], "label": [0, 1, 0, 1, 0, 1]})
    assert votes.item_ids.tolist() == items[:5]
    assert [type(value) for value in votes.item_ids] == [type(value) for value in items[:5]]
    assert votes.rule_names == ("1", "b")
    assert votes.array.tolist() == [[0, 1], [1, -1], [0, -1], [1, -1], [0, -1]]


def test_ids_of_several_parts() -> None:
    items = [("a", 1), ("b", 1), ("a", 1)]
    votes = Votes.from_long({"item": items, "worker": [True, False, False], "label": [True, False, True]})
    assert votes.item_ids.tolist() == items[:2]
    assert votes.rule_names == ("False", "True")
    assert votes.array.tolist() == [[1, 1], [0, -1]]


@pytest.mark.parametrize("big", [2**53 + 1, 2**63])
def test_large_ids_beside_floats_are_not_rounded(big: int) -> None:
    votes = Votes.from_long({"item": [big, 0.5, -1], "worker": [0, 0, 1], "label": [0, 1, 1]})
    assert votes.item_ids.tolist() == [big, 0.5, -1]


def test_the_order_of_rows_moves_items_only() -> None:
    rng = np.random.default_rng(0)
    rows = [(f"i{i}", f"w{j}", int(rng.integers(3))) for i in range(30) for j in range(12) if rng.random() < 0.4]
    reference = Votes.from_long(rows)
    for seed in range(5):
        shuffled = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
        votes = Votes.from_long(shuffled)
        assert votes.rule_names == reference.rule_names == tuple(f"w{j}" for j in range(12))
        assert votes.fingerprint == reference.fingerprint
        assert votes.item_ids.tolist() == list(dict.fromkeys(row[0] for row in shuffled))
        place = {value: i for i, value in enumerate(reference.item_ids.tolist())}
        assert votes.array.tolist() == reference.array[[place[value] for value in votes.item_ids.tolist()]].tolist()


def test_rules_are_sorted_as_people_do() -> None:
    def names(rules: list[Any]) -> tuple[str, ...]:
        return Votes.from_long((range(len(rules)), rules, [i % 2 for i in range(len(rules))])).rule_names

    assert names([10, 9, -1, 100]) == ("-1", "9", "10", "100")
    assert names([1.5, 10.0, 2.0]) == ("1.5", "2.0", "10.0")
    assert names(["a10b2", "a9", "b", "a10b10", "", "9"]) == ("", "9", "a9", "a10b2", "a10b10", "b")
    assert names(["w01", "w1", "w001"]) == names(["w1", "w001", "w01"]) == ("w001", "w01", "w1")
    assert names(["x", 3, "2", 1]) == ("1", "3", "2", "x")
    assert names(["7" * 5000, "8"]) == ("8", "7" * 5000), "more digits than Python reads as an integer"


def test_declared_items_and_rules_that_never_occur() -> None:
    votes = Votes.from_long(
        ROWS,
        item_ids=["q1", "q2", "q7", "q10"],
        rule_names=["w3", "w10", "w2", "w1"],
        class_names=["elk", "dog", "cat"],
    )
    assert votes.item_ids.tolist() == ["q1", "q2", "q7", "q10"]
    assert votes.rule_names == ("w3", "w10", "w2", "w1")
    assert votes.array.tolist() == [[-1, -1, -1, -1], [-1, 2, 0, -1], [-1, -1, -1, -1], [-1, 1, 1, -1]]
    assert votes.n_votes_per_item.tolist() == [0, 2, 0, 2]


def test_nothing_but_declarations() -> None:
    votes = Votes.from_long(([], [], []), item_ids=[4, 5], rule_names=["a"], n_classes=2)
    assert votes.array.tolist() == [[-1], [-1]]


@pytest.mark.parametrize("gap", [-1, None, np.nan, pd.NA])
def test_a_missing_label_keeps_its_item_and_its_rule(gap: Any) -> None:
    votes = Votes.from_long({"item": [1, 2, 3], "worker": ["a", "b", "c"], "label": [0, 1, gap]})
    assert votes.array.tolist() == [[0, -1, -1], [-1, 1, -1], [-1, -1, -1]]


def test_a_string_that_means_abstain() -> None:
    rows = [(1, "a", "yes"), (1, "b", "?"), (2, "a", "no")]
    with pytest.raises(InvalidVotesError, match=r"abstain='\?'"):
        Votes.from_long(rows)
    assert Votes.from_long(rows, abstain="?").array.tolist() == [[1, -1], [0, -1]]


def test_masked_labels_are_abstentions() -> None:
    labels = np.ma.MaskedArray([0, 1, 1], mask=[False, False, True])
    assert Votes.from_long((np.arange(3), np.zeros(3), labels)).array.tolist() == [[0], [1], [-1]]


@pytest.mark.parametrize(("keep", "expected"), [("first", [[0, 2], [1, 1]]), ("last", [[1, 2], [1, 0]])])
def test_duplicates_by_order_of_rows(keep: Any, expected: list[list[int]]) -> None:
    rows = [(1, "a", 0), (1, "b", 2), (2, "a", 1), (2, "b", 1), (1, "a", 2), (2, "a", 1), (1, "a", 1), (2, "b", 0)]
    assert Votes.from_long(rows, duplicates=keep).array.tolist() == expected


def test_containers_are_left_untouched() -> None:
    items, rules, labels = np.array([3, 1, 3]), np.array([1, 1, 0]), np.array([0.0, np.nan, 1.0])
    kept = [column.copy() for column in (items, rules, labels)]
    Votes.from_long((items, rules, labels))
    for column, before in zip((items, rules, labels), kept, strict=True):
        np.testing.assert_array_equal(column, before)


def test_a_hundred_thousand_items_and_as_many_workers() -> None:
    """As a table these votes would be 10^10 cells, 10 GB."""
    n = 10**5
    rng = np.random.default_rng(0)
    first = rng.integers(0, n // 10, n)
    items, rules = np.repeat(np.arange(n), 3), (first[:, None] + np.array([0, 7, n // 2])).ravel()
    labels = np.repeat(rng.integers(0, 2, n), 3)
    names, model = [str(j) for j in range(n)], tw.MajorityVote()
    tracemalloc.start()
    votes = Votes.from_long((items, rules, labels), rule_names=names)
    proba = model.fit(votes).predict_proba(votes)
    part = votes.take(np.arange(50)).with_rules(range(n - 1, -1, -1)).with_rules(range(n // 10))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200e6
    np.testing.assert_array_equal(proba.argmax(axis=1), labels[::3])
    # An item is known by its first worker and its class.
    assert votes.patterns.n_patterns == len(np.unique(2 * first + labels[::3])) < n
    assert part.patterns.votes_per_rule.sum() == 0, "the last rules in reverse order are those beyond all offsets"
    with pytest.raises(InvalidVotesError, match=r"10\.0 GB.*Models work without it"):
        _ = votes.array


def test_repr_says_what_an_abstention_is() -> None:
    assert repr(Votes.from_long(ROWS)) == (
        "Votes: 3 items x 3 rules, 3 patterns; classes 'cat', 'dog', 'elk'; no row = abstain (55.6 % of votes)"
    )


def test_names_that_end_in_zeros_stay_apart() -> None:
    items, rules = ["i", "i\0", "i\0\0"], ["w\0", "w", "w\0"]
    votes = Votes.from_long((items, rules, ["a\0", "a", "a"]))
    assert votes.item_ids.tolist() == items
    assert votes.rule_names == ("w", "w\0")
    assert votes.class_names == ("a", "a\0")
    assert votes.array.tolist() == [[-1, 1], [0, -1], [-1, 0]]


@pytest.mark.parametrize("column", [0, 1, 2])
@pytest.mark.parametrize("mixed", [False, True])
def test_one_long_name_takes_its_own_room_only(column: int, mixed: bool) -> None:
    """As an array of NumPy's strings a column would take 4 x 3,000 x 100,000 bytes, 1.2 GB."""
    n, long = 3000, "x" * 10**5
    columns: list[list[Any]] = [
        [f"i{i}" for i in range(n)],
        [f"w{i % 3}" for i in range(n)],
        ["ab"[i % 2] for i in range(n)],
    ]
    columns[column][7] = long
    if mixed and column < 2:
        columns[column][8] = 8
    tracemalloc.start()
    votes = Votes.from_long(tuple(columns))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6
    assert long in (votes.item_ids.tolist(), votes.rule_names, votes.class_names)[column]


def test_strings_of_other_types_become_plain() -> None:
    class Name(str):
        __slots__ = ()

        def __str__(self) -> str:
            return "not this"

    votes = Votes.from_long(([np.str_("i"), Name("j")], [Name("w"), np.str_("w")], ["a", Name("b")]))
    assert votes.item_ids.tolist() == ["i", "j"]
    assert {type(value) for value in votes.item_ids.tolist()} == {str}
    assert (votes.rule_names, votes.class_names) == (("w",), ("a", "b"))


@pytest.mark.parametrize("label", [10**400, -(10**400), Fraction(10**400, 3), Decimal("1e400"), 10**5000], ids=range(5))
def test_a_label_beyond_all_floats(label: Any) -> None:
    with pytest.raises(
        InvalidVotesError, match=r"whole class numbers.*at item 2, rule 'w' \(row 1; 1 such votes\)"
    ) as caught:
        Votes.from_long(([1, 2], ["w", "w"], [0, label]))
    assert len(str(caught.value)) < 600


def test_ids_and_rules_beyond_all_floats() -> None:
    assert Votes.from_long(([10**400, 0.5], ["w", "w"], [0, 1])).item_ids.tolist() == [10**400, 0.5]
    with pytest.raises(InvalidVotesError, match="found a number of type int with thousands of digits"):
        Votes.from_long(([1, 2], [10**5000, 1], [0, 1]))


@pytest.mark.parametrize(
    "value", [None, np.nan, pd.NA, pd.NaT, np.datetime64("NaT", "s"), Decimal("NaN"), Decimal("sNaN")]
)
def test_missing(value: Any) -> None:
    assert is_missing(value)


@pytest.mark.parametrize(
    "value",
    [0, "", "nan", False, (), [np.nan], np.zeros(3), np.zeros(1), np.zeros(0), np.array([np.nan]), pd.Series([1, 2])],
)
def test_not_missing(value: Any) -> None:
    assert not is_missing(value)
