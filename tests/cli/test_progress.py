"""How far a query is, is known while it runs, and said in per cent; nothing of it is printed by the database."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import duckdb
import pytest

from thumbwise.cli.progress import Steps
from thumbwise.tables.databases import database
from thumbwise.tables.formats import connect
from thumbwise.tables.watched import watching


class Told:
    """Stands for a connection that says how far it is."""

    def __init__(self, *shares: float) -> None:
        self._shares = iter(shares)

    def query_progress(self) -> float:
        return next(self._shares)


def test_queries_are_numbered_when_their_progress_begins_anew() -> None:
    steps, told = Steps(), cast("duckdb.DuckDBPyConnection", Told(-1, 0, 41.6, 99, 3, 3, -1, 50, 10))
    assert [steps.say([told]) for _ in range(9)] == [
        "reading",
        "reading, step 1: 0 %",
        "reading, step 1: 42 %",
        "reading, step 1: 99 %",
        "reading, step 2: 3 %",
        "reading, step 2: 3 %",
        "reading",
        "reading, step 2: 50 %",
        "reading, step 3: 10 %",
    ]
    assert Steps().say([]) == "reading"


@pytest.mark.parametrize("which", ["one file", "many"])
def test_databases_count_how_far_they_are(which: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Kills: a bar that never moves, because the database was not told to count."""
    path = tmp_path / "t.csv"
    path.write_text("a\n" + "1\n" * 300_000)
    seen: list[float] = []

    def look(connection: duckdb.DuckDBPyConnection) -> Any:
        def of_rows(value: int) -> int:
            if not value % 5000:
                seen.append(connection.query_progress())
            return value

        return of_rows

    if which == "one file":
        with watching() as places, connect(path) as connection:
            assert places == [connection]
            run(connection, look(connection))
        assert places == []
    else:
        with database() as home:
            run(home.connection, look(home.connection))
    assert max(seen) > 20
    assert seen[0] < max(seen)
    assert capfd.readouterr() == ("", "")


def run(connection: duckdb.DuckDBPyConnection, function: Any) -> None:
    connection.create_function("seen", function, ["BIGINT"], "BIGINT")
    connection.execute("CREATE TABLE rows AS SELECT range AS a FROM range(600000)")
    connection.execute("SELECT sum(seen(a)) FROM rows").fetchall()
