"""Values of rules that stay in files: as a dictionary counts them, few rules or many."""

from __future__ import annotations

from collections import Counter

import duckdb
import numpy as np
import pytest

from thumbwise.io import distinct_elsewhere
from thumbwise.io.distinct_elsewhere import look_at
from thumbwise.tables import formats

VALUES = [None, "", "a", "A", "b c", "1"]


@pytest.mark.parametrize("n_rules", [1, 60, 61, 150])
def test_counts_are_those_of_a_dictionary(monkeypatch: pytest.MonkeyPatch, n_rules: int) -> None:
    monkeypatch.setattr(formats, "_COLUMNS_AT_ONCE", 64)  # many rules are asked in parts
    places = np.random.default_rng(n_rules).integers(len(VALUES), size=(40, n_rules))
    rules = [f"rule {j}" for j in range(n_rules)]
    rows = [(i, *(VALUES[place] for place in row)) for i, row in enumerate(places.tolist())]
    with duckdb.connect() as connection:
        columns = ", ".join(f'"{rule}" VARCHAR' for rule in rules)
        connection.execute(f"CREATE TABLE items (id INTEGER, {columns})")
        connection.executemany(f"INSERT INTO items VALUES (?{', ?' * n_rules})", rows)  # noqa: S608
        look = look_at(connection.table("items"), rules, "id", ())
    assert [rule.name for rule in look.rules] == rules
    for j, rule in enumerate(look.rules):
        counted = Counter(row[j + 1] for row in rows if row[j + 1] is not None)
        assert rule.counts == counted
        assert (rule.n_unlisted, rule.n_unlisted_rows) == (0, 0)
    assert (look.n_rows, look.n_ids, look.n_different) == (40, 40, 40)


@pytest.mark.parametrize("n_rules", [2, 70])
def test_values_beyond_the_listed_are_counted(monkeypatch: pytest.MonkeyPatch, n_rules: int) -> None:
    monkeypatch.setattr(distinct_elsewhere, "MOST_LISTED", 3)
    with duckdb.connect() as connection:
        columns = ", ".join(f"'v' || (i + {j}) % 5 AS r{j}" for j in range(n_rules))
        items = connection.sql(f"SELECT i AS id, {columns} FROM range(20) AS r(i)")  # noqa: S608
        look = look_at(items, [f"r{j}" for j in range(n_rules)], "id", ())
    assert all(rule.counts == {"v0": 4, "v1": 4, "v2": 4} for rule in look.rules)
    assert all((rule.n_unlisted, rule.n_unlisted_rows) == (2, 8) for rule in look.rules)
