"""What the studies share: arguments, processes with progress, and Markdown tables that are written whole."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

from studies.results import add_keep

Task = TypeVar("Task")
Answer = TypeVar("Answer")


def read_arguments(description: str, *, keeps: bool = False) -> argparse.Namespace:
    """--quick, --seed, --processes, --output; --keep of a study whose tables stand in the documentation."""
    parser = make_parser(description)
    if keeps:
        add_keep(parser)
    return parser.parse_args()


def make_parser(description: str | None) -> argparse.ArgumentParser:
    """The same arguments, for a study that has more."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="few draws: a minute or so, to see that it runs")
    parser.add_argument("--seed", type=int, default=2024)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--output", type=Path, help="Markdown file to write the tables to")
    return parser


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


def publish(parts: Sequence[str], output: Path | None) -> None:
    """Print, and write to a file that is there whole or not at all."""
    text = "\n\n".join(parts) + "\n"
    print(text)
    if output is not None:
        unfinished = output.with_name(output.name + ".part")
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(output)
