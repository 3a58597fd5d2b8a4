"""Spark in local mode with several partitions: what the other engines are tested for, in few jobs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thumbwise as tw
from engines.holders import Table, lazy_votes, rows_of
from engines.holders import in_memory as read
from engines.problems import OPTIONS, assert_same_answers, fit_pinned, in_memory, make_pool
from sql.problems import FITS, HOSTILE, make_votes
from thumbwise.exceptions import MissingPackageError
from thumbwise.votes.engines.spark import check_java, start_local_spark

Start = Callable[[], Any]


def test_the_pinned_game_is_that_in_memory(spark: Start, tmp_path: Path) -> None:
    """Names with dots, quotes and backticks; strings; gold by id; probabilities by id."""
    table, _, _ = make_pool()
    lazy = lazy_votes("spark", table, tmp_path, spark, **OPTIONS)
    votes = in_memory(table)
    assert lazy._items.frame.to_native().rdd.getNumPartitions() == 3
    assert lazy.fingerprint == votes.fingerprint
    model = fit_pinned(lazy)
    answered = model.predict_proba(lazy)
    assert "BroadcastHashJoin" in plan_of(answered)
    assert_same_answers(rows_of(answered), fit_pinned(votes), votes, table)


def plan_of(frame: Any) -> str:
    shown = StringIO()
    with redirect_stdout(shown):
        frame.explain()
    return shown.getvalue()


def test_numbers_floats_and_missing_ones(spark: Start, tmp_path: Path) -> None:
    table: Table = {"a": [0.0, float("nan"), None, 1.0, -1.0, 0.0], "b": [1, 0, 2, None, 1, 1]}
    lazy = lazy_votes("spark", table, tmp_path, spark)
    assert lazy.fingerprint == read(table, ["a", "b"]).fingerprint


def test_hostile_names_in_every_role(spark: Start, tmp_path: Path) -> None:
    """Rules, classes, ids and the column of ids: votes are counted, gold is fetched, labels come back by id."""
    rng = np.random.default_rng(0)
    n, classes, (name_of_ids, *rules) = 120, HOSTILE[:3], HOSTILE[3:]
    truth = rng.integers(3, size=n)
    cast = np.where(rng.random((n, len(rules))) < 0.8, truth[:, None], rng.integers(3, size=(n, len(rules))))
    cast[rng.random(cast.shape) < 0.2] = -1
    ids = [f"{HOSTILE[i % len(HOSTILE)]} {i}" for i in range(n)]
    table: dict[str, list[Any]] = {name_of_ids: ids}
    for j, rule in enumerate(rules):
        table[rule] = [None if v < 0 else classes[v] for v in cast[:, j]]
    lazy = lazy_votes("spark", table, tmp_path, spark, rules=rules, item_id=name_of_ids, class_names=classes)
    votes = tw.Votes(cast, rule_names=rules, item_ids=np.array(ids), class_names=classes)
    assert lazy.fingerprint == votes.fingerprint
    gold = lazy.take_ids(ids[:40])
    box = tw.Box.from_gold(gold, [classes[c] for c in truth[:40]], pool=lazy, gold_is="subset")
    model = tw.BalsubramaniFreund().fit(lazy, box=box)
    rows = {row[name_of_ids]: row for row in rows_of(model.predict_proba(lazy))}
    said = np.array([[rows[name][f"p_{c}"] for c in classes] for name in ids])
    np.testing.assert_allclose(said, model.predict_proba(votes), atol=1e-12)


def test_a_bad_vote(spark: Start, tmp_path: Path) -> None:
    lazy = lazy_votes("spark", {"a": [0, 1, -7], "b": [2, 0, 5]}, tmp_path, spark, n_classes=2)
    with pytest.raises(tw.InvalidVotesError, match=r"found -7 of rule 'a' \(3 such votes\)"):
        _ = lazy.patterns


@pytest.mark.parametrize("fit", ["full", "majority vote", "game", "opinions"])
def test_a_model_as_one_select(spark: Start, fit: str) -> None:
    """What ``to_sql`` writes for Spark, run by Spark, on rules and classes with hostile names."""
    names = [name for name in HOSTILE if "${" not in name]  # Spark puts settings there, quoted or not
    votes = make_votes(3, len(names), 4, class_names=names[:3], rules=names)
    model = fit_for_sql(fit, votes)
    session = spark()
    rows = [(i, *(None if v < 0 else v for v in row)) for i, row in enumerate(votes.array.tolist())]
    schema = ", ".join(f"c{j} int" for j in range(len(names) + 1))
    frame = session.createDataFrame(rows, schema).toDF("nr", *names)
    frame.createOrReplaceTempView("some_votes")
    query = model.to_sql("spark", table="some_votes", id_column="nr")
    found = sorted(session.sql(query).collect(), key=lambda row: row["nr"])
    labels = [f"p_{name}" for name in names[:3]]
    said = np.array([[row[label] for label in labels] for row in found])
    np.testing.assert_allclose(said, model.predict_proba(votes), atol=1e-12)


def fit_for_sql(fit: str, votes: tw.Votes) -> Any:
    if fit == "majority vote":
        return tw.MajorityVote().fit(votes)
    if fit == "full":
        return tw.DawidSkene(kind="full").fit(votes)
    if fit == "opinions":
        return FITS["opinions"](votes)
    bounds = tw.Box.from_bounds(votes, lower=np.full(votes.n_rules + 3, 0.3), upper=np.full(votes.n_rules + 3, 0.9))
    return tw.BalsubramaniFreund(on_infeasible="widen").fit(votes, box=bounds)


def test_without_java_the_error_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingPackageError, match=r"no java on the PATH.*openjdk-17"):
        start_local_spark()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(MissingPackageError, match="JAVA_HOME="):
        check_java()
