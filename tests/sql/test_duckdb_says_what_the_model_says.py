"""The SELECT, run by DuckDB on every possible row of votes, gives ``predict_proba`` and ``predict``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import pytest

import thumbwise as tw
from thumbwise.box.moments.of_rules import ConditionalRate
from thumbwise.box.moments.written import LinearMoment
from thumbwise.models.base import LabelModel

from .problems import FITS, HOSTILE, all_votes, answers, box_around, fill, make_votes


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


def check(connection: duckdb.DuckDBPyConnection, model: LabelModel, votes: tw.Votes) -> None:
    fill(connection, "votes", votes.rule_names, "INTEGER", votes.array.tolist())
    answer = connection.execute(model.to_sql("duckdb", table="votes", id_column="nr"))
    assert {str(column[1]) for column in answer.description[1:-1]} == {"DOUBLE"}
    proba, labels = answers(answer.fetchall())
    np.testing.assert_allclose(proba, model.predict_proba(votes), rtol=0, atol=1e-12)
    assert labels == model.predict(votes).tolist()


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5])
@pytest.mark.parametrize("kind", FITS)
def test_on_all_rows_of_votes(connection: duckdb.DuckDBPyConnection, kind: str, n_classes: int) -> None:
    votes = make_votes(n_classes, 4 if n_classes < 4 else 3, seed=n_classes)
    check(connection, FITS[kind](votes), all_votes(n_classes, votes.n_rules, votes))


def test_with_opinions_of_more_rules_and_votes_never_seen(connection: duckdb.DuckDBPyConnection) -> None:
    votes = make_votes(3, 12, seed=9, n=150)
    copied = tw.Votes(np.column_stack([votes.array, votes.array[:, 0]]), n_classes=3)  # a copy does not count
    new = tw.Votes(np.random.default_rng(1).integers(-1, 3, (400, 13)), n_classes=3)
    check(connection, FITS["opinions"](copied), new)


def test_with_rates_of_zero_that_make_scores_of_minus_thousands(connection: duckdb.DuckDBPyConnection) -> None:
    votes = make_votes(3, 5, seed=1)
    model = tw.DawidSkene(kind="full", prior_right=1).fit(votes)
    model.rates_ = np.tile(np.eye(3)[None], (5, 1, 1))
    check(connection, model, all_votes(3, 5, votes))


def test_with_conditional_rates_and_linear_moments(connection: duckdb.DuckDBPyConnection) -> None:
    votes = make_votes(3, 3, seed=2)
    rate = ConditionalRate(votes.rule_names[1], 0, 2, 0.6)
    builders = (rate, LinearMoment("cost", {None: {0: 4.0, 1: 1.0}}))
    model = tw.BalsubramaniFreund().fit(votes, box=box_around(votes, builders, slack=0.001))
    assert (np.abs(model.weights_) > 1e-3).all()
    check(connection, model, all_votes(3, 3, votes))


def test_with_more_rules_than_expressions_may_nest(connection: duckdb.DuckDBPyConnection) -> None:
    votes = make_votes(2, 1100, seed=3, n=20)
    model = FITS["data_programming"](votes.with_rules(range(5)))
    model.rule_names_, model.vote_rates_ = votes.rule_names, np.tile(model.vote_rates_, (220, 1, 1))
    connection.execute("PRAGMA disable_optimizer")  # which takes ten times as long as the query
    check(connection, model, votes)


@pytest.mark.parametrize("kind", ["majority", "full", "standard_moments"])
def test_with_hostile_names_of_rules_and_classes_and_votes_stored_as_names(
    connection: duckdb.DuckDBPyConnection, kind: str
) -> None:
    classes = [*HOSTILE, "c" * 10_000]
    rules = [*HOSTILE, "r" * 10_000]
    votes = make_votes(len(classes), len(rules), seed=4, class_names=classes, rules=rules, n=60)
    model = FITS[kind](votes)
    connection.execute("PRAGMA disable_optimizer")
    connection.execute("CREATE TABLE treasure AS SELECT 42 AS gold")
    stored = [[None if v < 0 else classes[v] for v in row] for row in votes.array.tolist()]
    table = 'votes"; DROP TABLE treasure; --'
    fill(connection, table, rules, "VARCHAR", stored)
    answer = connection.sql(model.to_sql(table=table, id_column="nr", class_values="names"))
    assert answer.columns == ["nr", *(f"p_{name}" for name in classes), "label"]
    proba, labels = answers(answer.fetchall())
    np.testing.assert_allclose(proba, model.predict_proba(votes), rtol=0, atol=1e-12)
    assert labels == model.predict(votes).tolist()
    assert connection.sql("SELECT gold FROM treasure").fetchall() == [(42,)]


def test_other_columns_values_and_abstentions(connection: duckdb.DuckDBPyConnection) -> None:
    votes = make_votes(3, 3, seed=5)
    model = FITS["full"](votes)
    names = {rule: f"column of {rule}" for rule in votes.rule_names[:2]}
    values = ["it's", "no", "so\\"]
    stored = [["?" if v < 0 else values[v] for v in row] for row in votes.array.tolist()]
    fill(connection, "votes", [names.get(rule, rule) for rule in votes.rule_names], "VARCHAR", stored)
    query = model.to_sql(table=("main", "votes"), id_column="nr", columns=names, class_values=values, abstain="?")
    proba, labels = answers(connection.sql(query).fetchall())
    np.testing.assert_allclose(proba, model.predict_proba(votes), rtol=0, atol=1e-12)
    assert labels == model.predict(votes).tolist()


@pytest.mark.parametrize("kind", ["majority", "full", "standard_moments", "opinions"])
def test_a_vote_that_means_nothing_shows_as_null(connection: duckdb.DuckDBPyConnection, kind: str) -> None:
    votes = make_votes(2, 3, seed=6)
    model = FITS[kind](votes)
    fill(connection, "votes", votes.rule_names, "INTEGER", [[0, 7, 1], [0, None, 1], [0, -1, 1], [-2, -1, -1]])
    rows = sorted(connection.sql(model.to_sql(table="votes", id_column="nr")).fetchall())
    assert rows[0] == (0, None, None, None)
    assert rows[3] == (3, None, None, None)
    assert rows[1][1:] == rows[2][1:]
    assert rows[1][-1] is not None


@pytest.mark.parametrize("ids", [list(range(120)), [f"it's {i}" for i in range(120)]])
def test_known_items_keep_their_label_if_ids_are_given(connection: duckdb.DuckDBPyConnection, ids: list[Any]) -> None:
    plain = make_votes(3, 4, seed=7)
    votes = tw.Votes(plain.array, n_classes=3, item_ids=ids)
    y = np.where(np.arange(120) < 20, (plain.array[:, 0] + 1) % 3, -1)
    model = tw.DawidSkene(prior_right=2, prior_wrong=1).fit(votes, y)
    kind = "INTEGER" if isinstance(ids[0], int) else "VARCHAR"
    connection.execute(f"CREATE TABLE votes (id {kind}, a INTEGER, b INTEGER, c INTEGER, d INTEGER)")
    rows = [[i, *row] for i, row in zip(ids, votes.array.tolist(), strict=True)]
    connection.executemany("INSERT INTO votes VALUES (?, ?, ?, ?, ?)", rows)
    columns = dict(zip(votes.rule_names, "abcd", strict=True))
    found = {
        row[0]: row[1:]
        for row in connection.sql(model.to_sql(table="votes", id_column="id", columns=columns)).fetchall()
    }
    np.testing.assert_allclose([found[i][:-1] for i in ids], model.predict_proba(votes), rtol=0, atol=1e-12)
    assert [found[i][-1] for i in ids] == model.predict(votes).tolist()
    without = np.array(connection.sql(model.to_sql(table="votes", columns=columns)).fetchall(), dtype=float)
    expected = np.column_stack([model.predict_proba(votes.without_ids()), model.predict(votes.without_ids())])
    np.testing.assert_allclose(without[np.lexsort(without.T)], expected[np.lexsort(expected.T)], rtol=0, atol=1e-12)


def test_a_known_item_keeps_its_label_whatever_its_votes_are(connection: duckdb.DuckDBPyConnection) -> None:
    votes = tw.Votes(make_votes(2, 3, seed=8).array, item_ids=[f"i{i}" for i in range(120)])
    model = tw.DawidSkene(prior_right=2, prior_wrong=1).fit(votes, np.where(np.arange(120) == 3, 1, -1))
    connection.execute("CREATE TABLE v AS SELECT 'i3' AS id, 9 AS rule_0, 0 AS rule_1, 0 AS rule_2")
    assert connection.sql(model.to_sql(table="v", id_column="id")).fetchall() == [("i3", 0.0, 1.0, 1)]
