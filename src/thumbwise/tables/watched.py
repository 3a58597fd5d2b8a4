"""Databases that somebody watches while they read: who shows progress looks at them from another thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_OPEN: ContextVar[list[DuckDBPyConnection] | None] = ContextVar("databases that are watched", default=None)


@contextmanager
def watching() -> Iterator[list[DuckDBPyConnection]]:
    """All databases that are open in this block, the last one last; the list changes while it runs."""
    places: list[DuckDBPyConnection] = []
    before = _OPEN.set(places)
    try:
        yield places
    finally:
        _OPEN.reset(before)


@contextmanager
def watched(connection: DuckDBPyConnection) -> Iterator[None]:
    """While this runs, a database may be watched: it counts how far its queries are, and prints nothing itself."""
    connection.execute("SET enable_progress_bar_print = false")  # stdout is for what was asked
    connection.execute("SET enable_progress_bar = true")  # without it nothing is counted
    connection.execute("SET progress_bar_time = 0")
    places = _OPEN.get()
    if places is None:
        yield
        return
    places.append(connection)
    try:
        yield
    finally:
        places.remove(connection)
