"""Progress of long queries, and how long they will take, if somebody looks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from thumbwise.cli.console import remarks
from thumbwise.tables.watched import watching

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from thumbwise.tables.databases import Database

_SECONDS = 0.2


@contextmanager
def running(home: Database, what: str) -> Iterator[None]:
    """A bar with the time left while queries of the database run in this block."""
    console = remarks()
    if not console.is_terminal or console.quiet:
        yield
        return
    percent = TextColumn("{task.percentage:>3.0f} %")
    columns = (TextColumn("{task.description}"), BarColumn(), percent, TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=100)
        with _looking(lambda: bar.update(task, completed=max(0.0, home.connection.query_progress()))):
            yield


@contextmanager
def while_reading(home: Database | None = None) -> Iterator[None]:
    """How far the query is that reads, in per cent, while files are read in this block.

    A file takes several queries, and how many is not known before, so that they are numbered.
    """
    console = remarks()
    if not console.is_terminal or console.quiet:
        yield
        return
    with console.status(Text("reading")) as status, watching() as places:
        places.extend([] if home is None else [home.connection])
        steps = Steps()
        with _looking(lambda: status.update(Text(steps.say(places)))):
            yield


class Steps:
    """Queries that run one after the other, told apart by that their progress begins anew."""

    def __init__(self) -> None:
        self._step, self._share = 1, 0.0

    def say(self, places: list[DuckDBPyConnection]) -> str:
        """Words for how far the query is that runs now, if one does and knows."""
        share = max((connection.query_progress() for connection in [*places]), default=-1.0)
        if share < 0:
            return "reading"
        self._step += share < self._share
        self._share = share
        return f"reading, step {self._step}: {share:.0f} %"


@contextmanager
def _looking(look: Callable[[], None]) -> Iterator[None]:
    """Something is done again and again by another thread while this block runs."""
    done = threading.Event()

    def keep_looking() -> None:
        import duckdb  # noqa: PLC0415  # help is quick without it

        while not done.wait(_SECONDS):
            try:
                look()
            except duckdb.Error:  # it was closed between two looks
                continue

    watcher = threading.Thread(target=keep_looking, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
