"""Patterns that an engine counts are those of the same votes in memory, to the fingerprint."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from engines.conftest import Hold
from engines.holders import Table, in_memory
from thumbwise.votes.counted_votes import locate_patterns
from thumbwise.votes.engines.vote_digits import pack_rows, rules_per_word, unpack_words
from thumbwise.votes.lazy_votes import LazyVotes

HOSTILE = ['a"; DROP TABLE x; --', "b.c `d`", "select", "two\nlines", "💥 ${x} {y}", "'", "c0", "w0", "n", "item"]


def random_numbers(n_items: int, n_rules: int, n_classes: int, seed: int) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    votes = rng.integers(-1, n_classes, size=(n_items, n_rules))
    votes[rng.random(votes.shape) < 0.5] = 0  # so that rows repeat
    return {f"r{j}": [None if v == -1 and rng.random() < 0.5 else int(v) for v in votes[:, j]] for j in range(n_rules)}


def brute_force(table: Table, number: dict[Any, int]) -> Counter[tuple[int, ...]]:
    return Counter(tuple(number.get(v, -1) for v in row) for row in zip(*table.values(), strict=True))


def shown(votes: LazyVotes) -> Counter[tuple[int, ...]]:
    patterns = votes.patterns
    return Counter(dict(zip(map(tuple, patterns.to_rows().tolist()), patterns.counts.tolist(), strict=True)))


@pytest.mark.parametrize("n_rules", [3, 45])  # 45 rules of four classes need two words
def test_whole_numbers(held: Hold, n_rules: int) -> None:
    table = random_numbers(60, n_rules, 4, seed=n_rules)
    lazy = held(table, n_classes=4)
    assert shown(lazy) == brute_force(table, {c: c for c in range(4)})
    assert lazy.fingerprint == in_memory(table, lazy.rule_names, n_classes=4).fingerprint
    assert lazy.n_items == 60


def test_classes_are_inferred_from_the_largest_vote(held: Hold) -> None:
    table: Table = {"a": [0, 2, None, -1], "b": [None, None, None, None], "c": [1, 1, 1, 0]}
    lazy = held(table)
    assert lazy.class_names == (0, 1, 2)
    assert lazy.fingerprint == in_memory(table, ["a", "b", "c"]).fingerprint


def test_floats_with_nan(held: Hold, engine: str) -> None:
    if engine == "csv":
        pytest.skip("a CSV file holds texts")
    table: Table = {"a": [0.0, float("nan"), None, 1.0, -1.0, 0.0], "b": [1, 0, 1, None, 1, 1]}
    lazy = held(table)
    assert shown(lazy) == {(0, 1): 2, (-1, 0): 1, (-1, 1): 2, (1, -1): 1}
    assert lazy.fingerprint == in_memory(table, ["a", "b"]).fingerprint


def test_truth_values(held: Hold, engine: str) -> None:
    if engine == "csv":
        pytest.skip("a CSV file holds texts")
    assert shown(held({"a": [True, False, None, True]})) == {(1,): 2, (0,): 1, (-1,): 1}


def test_strings(held: Hold) -> None:
    table: Table = {"a": ["spam", "ham", None, "?", "spam"], "b": ["ham", None, None, "ham", "ham"]}
    lazy = held(table, abstain="?")
    assert lazy.class_names == ("ham", "spam")
    assert shown(lazy) == brute_force(table, {"ham": 0, "spam": 1})
    assert lazy.fingerprint == in_memory(table, ["a", "b"], abstain="?").fingerprint


def test_more_strings_than_one_case_holds(held: Hold) -> None:
    names = [f"class {c:03}" for c in range(120)]
    table: Table = {"a": names[::-1], "b": [*names[1:], None]}
    lazy = held(table)
    assert lazy.class_names == tuple(names)
    assert shown(lazy) == brute_force(table, {name: c for c, name in enumerate(names)})


def test_hostile_names(held: Hold) -> None:
    table: Table = {name: [0, 1, None, j % 2] for j, name in enumerate(HOSTILE)}
    lazy = held({'the.id `"': [1, 2, 3, 4], **table}, item_id='the.id `"', n_classes=2)
    assert lazy.rule_names == tuple(HOSTILE)
    assert lazy.fingerprint == in_memory(table, HOSTILE, n_classes=2).fingerprint


def test_some_columns_in_another_order(held: Hold) -> None:
    table: Table = {"a": [0, 1, 1], "note": ["x", "y", "z"], "b": [1, 1, 0]}
    lazy = held(table, rules=["b", "a"])
    assert shown(lazy) == {(1, 0): 1, (1, 1): 1, (0, 1): 1}
    assert shown(lazy.with_rules([1])) == {(0,): 1, (1,): 2}
    assert lazy.with_rules([1, 0]).fingerprint == in_memory(table, ["a", "b"]).fingerprint


@pytest.mark.parametrize("base", [3, 4, 11, 1001])
def test_packing_is_undone_by_unpacking(base: int) -> None:
    rows = np.random.default_rng(base).integers(-1, base - 1, size=(50, 45))
    rows[0], rows[1] = base - 2, -1  # the largest and the smallest integer
    words = pack_rows(rows, base)
    assert len(words) == -(-45 // rules_per_word(base))
    assert all(word.min() >= 0 and word.max() < 2**63 for word in words.values())
    assert (unpack_words(list(words.values()), 45, base, np.int64) == rows).all()


def test_patterns_are_located_among_others() -> None:
    """Against a dictionary of rows."""
    whole = in_memory(random_numbers(300, 5, 3, seed=1), [f"r{j}" for j in range(5)], n_classes=3)
    other = in_memory(random_numbers(80, 5, 3, seed=2), [f"r{j}" for j in range(5)], n_classes=3)
    place = {tuple(row): i for i, row in enumerate(whole.patterns.to_rows().tolist())}
    expected = [place.get(tuple(row), -1) for row in other.patterns.to_rows().tolist()]
    assert -1 in expected
    assert max(expected) >= 0
    assert locate_patterns(other.patterns, whole.patterns).tolist() == expected
