"""What the studies share: arguments, processes with progress, and Markdown tables that are written whole and kept."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.tables import write_whole

from studies.results import keep_tables

Task = TypeVar("Task")
Answer = TypeVar("Answer")


class _Quick(argparse.Action):
    """So few draws as show that a study runs; ``quick`` is for what else it then leaves out."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, *_: Any) -> None:
        namespace.quick, namespace.draws = True, self.const


def make_parser(description: str | None, *, draws: int, quick: int = 2) -> argparse.ArgumentParser:
    """What every study understands, with its number of draws; some add more."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--draws", type=int, default=draws, help=f"how many ({draws})")
    parser.add_argument("--quick", action=_Quick, nargs=0, const=quick, default=False, help=f"only {quick}, for a look")
    parser.add_argument("--seed", type=int, default=2024)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--output", type=Path, help="Markdown file to write the tables to")
    told = "write the tables to studies/results, from which python -m studies.pages fills the documentation"
    parser.add_argument("--keep", action="store_true", help=told)
    return parser


def read_arguments(description: str | None, *, draws: int, quick: int = 2) -> argparse.Namespace:
    """Of a study that has no others."""
    return make_parser(description, draws=draws, quick=quick).parse_args()


def run_tasks(work: Callable[[Task], Answer], tasks: Sequence[Task], n_processes: int) -> list[Answer]:
    """Answers in the order of the tasks; says on standard error how much time is left."""
    # The processes share the cores already; linear algebra with threads of its own would only get in their way.
    for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(threads, "1")
    started = time.perf_counter()
    with ProcessPoolExecutor(n_processes, mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(work, task) for task in tasks]
        for n_done, future in enumerate(as_completed(futures), start=1):
            if future.exception() is not None:
                pool.shutdown(wait=False, cancel_futures=True)
            future.result()
            _show_progress(n_done, len(tasks), time.perf_counter() - started)
        return [future.result() for future in futures]


def _show_progress(n_done: int, n_tasks: int, seconds: float) -> None:
    left = seconds / n_done * (n_tasks - n_done)
    end = "\n" if n_done == n_tasks else ""
    print(f"\r{n_done}/{n_tasks} settings, {seconds:.0f} s, about {left:.0f} s left ", end=end, file=sys.stderr)


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """First column to the left, numbers to the right."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join("| " + " | ".join(line) + " |" for line in [header, rule, *rows])


def publish(
    study: str,
    given: argparse.Namespace,
    parts: Sequence[str],
    tables: Mapping[str, str],
    *,
    draws: Mapping[str, int] | None = None,
) -> None:
    """Print; write to ``--output``, whole or not at all; with ``--keep`` keep the tables by their names.

    ``draws`` names tables that have another number of draws than was asked for: fewer, or 0 if nothing is drawn.
    """
    text = "\n\n".join(parts) + "\n"
    print(text)
    if given.output is not None:
        write_whole(given.output, text)
    if given.keep:
        keep_tables(study, tables, {**dict.fromkeys(tables, given.draws), **(draws or {})}, given.seed)
