"""Every engine; Spark is started when first needed, and skipped with a reason where it is not installed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from engines.holders import ENGINES, Table, lazy_votes
from thumbwise.exceptions import MissingPackageError
from thumbwise.votes.engines.spark import check_java, start_local_spark
from thumbwise.votes.lazy_votes import LazyVotes

Hold = Callable[..., LazyVotes]


def spark_is_missing() -> str:
    """Why Spark cannot run here, empty if it can."""
    if find_spec("pyspark") is None:
        return "pyspark is not installed"
    try:
        check_java()
    except MissingPackageError as error:
        return str(error)
    return ""


def skip_or_fail(reason: str) -> None:
    if reason and os.environ.get("THUMBWISE_REQUIRE_SPARK"):
        pytest.fail(f"THUMBWISE_REQUIRE_SPARK is set, but {reason}")
    if reason:
        pytest.skip(reason)


@pytest.fixture(scope="session")
def sessions() -> Iterator[list[Any]]:
    started: list[Any] = []
    yield started
    for session in started:
        session.stop()


@pytest.fixture
def spark(sessions: list[Any]) -> Callable[[], Any]:
    """Starts the session at the first call, so that the other engines do not wait for it."""

    def start() -> Any:
        skip_or_fail(spark_is_missing())
        if not sessions:
            sessions.append(start_local_spark(2, n_partitions=3))
            sessions[0].sparkContext.setLogLevel("ERROR")
        return sessions[0]

    return start


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    if name == "ibis":
        pytest.importorskip("ibis")
    return name


@pytest.fixture
def held(engine: str, tmp_path: Path, spark: Callable[[], Any]) -> Hold:
    """Lazy votes on a table in the engine of this test."""

    def make(table: Table, **options: Any) -> LazyVotes:
        return lazy_votes(engine, table, tmp_path, spark, **options)

    return make
