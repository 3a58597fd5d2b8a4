"""Run the benchmarks and print them side by side: ``python -m benchmarks``, from the root of the repository.

Measurements run in fresh processes, which read the same files, import everything before their time starts, and say
how long it took and how much memory they held at most; counting in memory runs in one process. Methods take turns;
the best of up to three runs counts (seven where the table says so), and nothing is warmed up. Tables go to standard
output and, as JSON, to ``benchmarks/results`` or ``--json``.

Snorkel and crowd-kit live in an environment of their own: ``python -m benchmarks.make_peers`` makes it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.figures import FIGURES
from benchmarks.launching import MAX_RUNS, describe_load, describe_machine, warn_if_busy
from benchmarks.make_peers import PEERS, python_of
from benchmarks.plotting import write_plot
from benchmarks.settings import Settings
from benchmarks.tables import Table, keep_tables, write_json, write_whole

RESULTS = Path(__file__).resolve().parent / "results"
KEPT = RESULTS.parents[1] / "studies" / "results" / "benchmarks.json"
QUICK = 100


def read_arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    names = ", ".join(FIGURES)
    parser = argparse.ArgumentParser("python -m benchmarks", description="Time and memory, side by side.")
    add = parser.add_argument
    add("--only", nargs="+", choices=FIGURES, default=list(FIGURES), metavar="NAME", help=names)
    add("--quick", action="store_true", help=f"a {QUICK}th of the items, one run each; what was asked is not judged")
    add("--shrink", type=int, default=1, metavar="N", help="divide the numbers of items; as --quick, by another number")
    add("--peers", type=Path, default=python_of(PEERS), metavar="PYTHON", help="python with snorkel and crowd-kit")
    add("--folder", type=Path, help="where to keep the votes that are made; by default they are deleted at the end")
    add("--json", type=Path, metavar="FILE", help="by default in benchmarks/results, named after the time")
    add("--markdown", type=Path, metavar="FILE", help="the tables, to be pasted into docs/benchmarks.md")
    add("--keep", action="store_true", help="put the tables into studies/results, which pages are filled from")
    add("--plot", type=Path, metavar="FILE", help="ratios and growth as a picture; needs matplotlib")
    return parser.parse_args(given)


def find_peers(python: Path) -> str | None:
    if python.exists():
        return str(python.absolute())
    print(f"No interpreter at {python}: Snorkel and crowd-kit are left out. See python -m benchmarks.make_peers.\n")
    return None


def summarise(tables: Sequence[Table], shrink: int) -> str:
    failed = [table.title for table in tables if table.failed]
    failures = f" FAILED: {', '.join(failed)}." if failed else ""
    if shrink > 1:
        return f"A small run: numbers of items are divided by {shrink}, nothing is judged.{failures}"
    judged = [(table, row) for table in tables for row in table.rows if row.reached is not None]
    missed = [f"{row.name} ({table.title})" for table, row in judged if not row.reached]
    total = f"Reached {len(judged) - len(missed)} of the {len(judged)} figures asked for."
    return total + (f" Missed: {'; '.join(missed)}." if missed else "") + failures


def run(names: Sequence[str], settings: Settings) -> dict[str, Table]:
    """Each table is printed as soon as it is there; one that fails says so, and the next begins."""
    tables = {}
    for name in names:
        try:
            table = FIGURES[name](settings)
        except Exception as error:  # an hour of measurements must not be lost to one
            table = Table(name, [], [], failed=str(error))
        tables[name] = table if settings.shrink == 1 else table.unjudged()
        print(f"{tables[name]}\n", flush=True)
    return tables


def main(given: Sequence[str] | None = None) -> int:
    """Status 1 if a table could not be made; a figure that was missed is no failure."""
    arguments = read_arguments(given)
    shrink = QUICK if arguments.quick else arguments.shrink
    started, machine, warning = datetime.now(), describe_machine(), warn_if_busy()
    header = "\n\n".join(filter(None, ["# Benchmarks", f"{machine} at the start.", warning]))
    print(f"{header}\n", flush=True)
    with TemporaryDirectory() as temporary:
        folder = (arguments.folder or Path(temporary)).absolute()
        settings = Settings(find_peers(arguments.peers), folder, shrink, MAX_RUNS if shrink == 1 else 1)
        tables = run(arguments.only, settings)
    verdict = f"{summarise(list(tables.values()), shrink)} At the end: {describe_load()}."
    print(verdict)
    about: dict[str, Any] = {"machine": machine, "warning": warning, "started": started.isoformat(), "shrink": shrink}
    path = arguments.json or RESULTS / f"{started.strftime('%Y-%m-%dT%H%M%S')}.json"
    write_json(path, {**about, "verdict": verdict}, tables)
    if arguments.keep and shrink == 1:
        keep_tables(KEPT, {"machine": machine, "started": started.isoformat()}, tables)
    if arguments.markdown:
        write_whole(arguments.markdown, "\n\n".join([header, *map(str, tables.values()), verdict]) + "\n")
    if arguments.plot:
        write_plot(arguments.plot, tables, machine)
    return int(any(table.failed for table in tables.values()))


if __name__ == "__main__":
    sys.exit(main())
