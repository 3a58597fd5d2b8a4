"""Progress of a long query, and how long it will take, if somebody looks."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from thumbwise.cli.console import remarks

if TYPE_CHECKING:
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
    done = threading.Event()
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=100)

        def look() -> None:
            while not done.wait(_SECONDS):
                bar.update(task, completed=max(0.0, home.connection.query_progress()))

        watcher = threading.Thread(target=look, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()
