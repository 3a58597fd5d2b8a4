"""Processes that make fits: one thread of linear algebra each, none that outlives the process that started them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from thumbwise.exceptions import FailedFitError
from thumbwise.paper.experiments.specs import Experiment, Fit, Measure, Row, Settings

# Processes share the cores already; threads of their own would only get in each other's way, and rounding depends on
# how a sum is split among them.
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def make_fits(experiment: Experiment, fits: Sequence[Fit], n_processes: int) -> Iterator[tuple[Fit, Row]]:
    """Rows as they get done. The next fit is handed out when the row before has been taken.

    Raises
    ------
    FailedFitError
        A fit failed or its process died; the other processes are stopped.
    """
    with _started(experiment, min(n_processes, len(fits))) as connections:
        todo = iter(fits)
        busy: dict[Connection, Fit] = {}
        for connection in connections:
            _hand_out(connection, todo, busy)
        while busy:
            ready = wait(list(busy))
            for connection in [connection for connection in busy if connection in ready]:
                fit = busy.pop(connection)
                yield fit, _receive(connection, fit, experiment.name)
                _hand_out(connection, todo, busy)


def _hand_out(connection: Connection, todo: Iterator[Fit], busy: dict[Connection, Fit]) -> None:
    fit = next(todo, None)
    if fit is not None:
        connection.send(fit)
        busy[connection] = fit


def _receive(connection: Connection, fit: Fit, name: str) -> Row:
    try:
        row, trouble, trace = connection.recv()
    except (EOFError, ConnectionError):
        row, trouble, trace = None, "its process died; perhaps memory ran out, or somebody ended it", ""
    if row is None:
        error = FailedFitError(
            f"every fit of experiment {name!r} must end in a row; {fit.key} (dataset/method/run/n_gold/n_items) did "
            f"not: {trouble}. All rows that were finished are kept; run the same again to go on with this one."
        )
        error.add_note(trace)
        raise error
    return dict(row)


@contextmanager
def _started(experiment: Experiment, n_processes: int) -> Iterator[list[Connection]]:
    context = multiprocessing.get_context("spawn")
    workers: list[tuple[SpawnProcess, Connection]] = []
    try:
        with _single_threaded(), _interrupts_ignored():
            for _ in range(n_processes):
                here, there = context.Pipe()
                process = context.Process(
                    target=_work, args=(there, experiment.measure, experiment.settings), daemon=True
                )
                process.start()
                there.close()
                workers.append((process, here))
        yield [here for _, here in workers]
    finally:
        for process, here in workers:
            here.close()
            process.terminate()
        for process, _ in workers:
            process.join()


@contextmanager
def _single_threaded() -> Iterator[None]:
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(_ONE_THREAD)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Ctrl-C reaches all processes of a terminal; those started here leave it to this one."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _work(connection: Connection, measure: Measure, settings: Settings) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, ConnectionError):  # the process that asks is gone, or has no more to ask
        while True:
            connection.send(_try_fit(measure, connection.recv(), settings))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _try_fit(measure: Measure, fit: Fit, settings: Settings) -> tuple[Row | None, str, str]:
    """A row, or what went wrong, in brief and in full."""
    try:
        return _measure_quietly(measure, fit, settings), "", ""
    except Exception as error:
        return None, f"{type(error).__name__}: {error}", traceback.format_exc()


def _measure_quietly(measure: Measure, fit: Fit, settings: Settings) -> Row:
    """Warnings go into the row, by their kind, instead of to a screen that shows progress."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        row = dict(measure(fit, settings))
    kinds = sorted({warning.category.__name__ for warning in caught})
    return {**row, "warnings": ", ".join(kinds) or None}
