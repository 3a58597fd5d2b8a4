"""From reading the classes to the answer, only patterns and gold leave the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from engines.holders import hold, lazy_votes
from engines.problems import OPTIONS, fit_pinned, make_pool
from thumbwise.votes.lazy_votes import LazyVotes


def forbidden(*args: Any, **kwargs: Any) -> Any:
    raise AssertionError("brings items here")


def no_spark() -> Any:
    raise AssertionError("not used")


def use(lazy: LazyVotes) -> Any:
    """All that is done with a pool."""
    return fit_pinned(lazy).predict_proba(lazy)


def test_polars_collects_no_more_rows_than_patterns_or_gold(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    table, ids, _ = make_pool()
    heights: list[int] = []
    collect = pl.LazyFrame.collect

    def watched(self: pl.LazyFrame, *args: Any, **kwargs: Any) -> Any:
        collected = collect(self, *args, **kwargs)
        heights.append(collected.height)
        return collected

    frame = hold("polars", table, tmp_path, no_spark)
    monkeypatch.setattr(pl.LazyFrame, "collect", watched)
    lazy = LazyVotes(frame, **OPTIONS)
    answered = use(lazy)
    assert isinstance(answered, pl.LazyFrame)
    assert heights
    assert max(heights) <= max(lazy.patterns.n_patterns, len(ids)) < lazy.n_items


@pytest.mark.parametrize("engine", ["duckdb", "parquet"])
def test_duckdb_fetches_no_more_rows_than_patterns_or_gold(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, engine: str
) -> None:
    table, ids, _ = make_pool()
    relation = duckdb.DuckDBPyRelation
    heights: list[int] = []
    fetch = relation.fetchnumpy

    def watched(self: Any) -> Any:
        columns = fetch(self)
        heights.append(len(next(iter(columns.values()))))
        return columns

    lazy = lazy_votes(engine, table, tmp_path, no_spark, **OPTIONS)
    monkeypatch.setattr(relation, "fetchnumpy", watched)
    for name in ("fetchall", "df", "to_df", "fetchdf", "arrow", "to_arrow_table", "fetch_arrow_table", "pl"):
        monkeypatch.setattr(relation, name, forbidden)
    answered = use(lazy)
    assert isinstance(answered, relation)
    assert heights
    assert max(heights) <= max(lazy.patterns.n_patterns, len(ids)) < lazy.n_items
