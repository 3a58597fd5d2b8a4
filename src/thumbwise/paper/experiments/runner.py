"""The runner of an experiment: it can be interrupted at any moment and resumed, without losing or repeating a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from thumbwise.exceptions import InvalidFileError
from thumbwise.paper.experiments.journal import Journal, locked, make_row
from thumbwise.paper.experiments.specs import Experiment, Fit, Row
from thumbwise.paper.experiments.workers import make_fits
from thumbwise.tables.formats import Column
from thumbwise.tables.table_files import Table, write_table


def run(experiment: Experiment, folder: Path, *, processes: int = 2, progress: bool = True) -> list[Row]:
    """Make the fits that are not done yet and return all rows, sorted.

    Each finished row is appended to ``<name>.jsonl`` in the folder. When all are there they are written, sorted by
    dataset, method, run, n_gold and n_items, to ``<name>.parquet``. Rows do not depend on the number of processes, on
    the order in which fits end, or on interrupts; ``seconds`` do.

    Parameters
    ----------
    experiment : Experiment
    folder : Path
        Made if it does not exist.
    processes : int
    progress : bool
        Show how many fits are done and the time left, if standard error is a terminal.

    Raises
    ------
    InvalidFileError
        The folder holds rows of another experiment of this name, or another process is at work in it.
    FailedFitError
        A fit failed. What was finished before is kept.
    """
    if processes < 1:
        raise ValueError(f"processes must be at least 1; found {processes}.")
    _make_folder(folder)
    with locked(folder), Journal(folder / f"{experiment.name}.jsonl", experiment) as journal:
        left = sorted((fit for fit in experiment.fits if fit not in journal.rows), key=experiment.cost, reverse=True)
        with _shown(experiment, left, is_wanted=progress) as advance:
            for fit, measured in make_fits(experiment, left, processes):
                journal.append(fit, make_row(fit, measured))
                advance(fit)
        rows = [journal.rows[fit] for fit in sorted(experiment.fits)]
        write_table(as_table(rows), folder / f"{experiment.name}.parquet", overwrite=True)
    return rows


def as_table(rows: list[Row]) -> Table:
    """Columns in the order in which the rows name them; what a row does not have is missing."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return Table({name: _as_column([row.get(name) for row in rows]) for name in names})


def _as_column(entries: list[object]) -> Column:
    known = [value for value in entries if value is not None]
    missing = [value is None for value in entries]
    if any(isinstance(value, str) for value in known):
        return np.ma.array(np.array([value or "" for value in entries], dtype=object), mask=missing)
    kind = next((kind for kind in (bool, int) if known and all(isinstance(value, kind) for value in known)), float)
    return np.ma.array(np.array([0 if value is None else value for value in entries], dtype=kind), mask=missing)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidFileError(
            f"{folder} must be a folder that can be written to; it cannot be made: {error.strerror}. Choose another."
        ) from error


@contextmanager
def _shown(experiment: Experiment, left: list[Fit], *, is_wanted: bool) -> Iterator[Callable[[Fit], None]]:
    """A bar with the time left, where somebody looks; it grows with the cost of what is done."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[n_done]} of {task.fields[n_fits]} fits,"),
        TimeElapsedColumn(),
        TextColumn("gone, left"),
        TimeRemainingColumn(),
    )
    is_hidden = not (is_wanted and console.is_terminal)
    with Progress(*columns, console=console, disable=is_hidden, speed_estimate_period=3600) as bar:
        n_fits, n_done = len(experiment.fits), count(len(experiment.fits) - len(left))
        cost = sum(map(experiment.cost, left))
        task = bar.add_task(experiment.name, total=cost, n_fits=n_fits, n_done=next(n_done))
        yield lambda fit: bar.update(task, advance=experiment.cost(fit), n_done=next(n_done))
