"""Run the benchmarks and print them side by side: ``python -m benchmarks``, from the root of the repository.

Every measurement runs in a fresh process, which reads the same files, imports everything before its time starts, and
says how long it took and how much memory it held at most. Methods take turns; the best of up to three runs counts, and
nothing is warmed up. Tables go to standard output and, as JSON, to ``benchmarks/results``.

Snorkel and crowd-kit live in an environment of their own: ``--make-peers`` makes it, ``--peers`` names another.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import venv
from datetime import datetime
from pathlib import Path

from benchmarks.figures import FIGURES
from benchmarks.launching import describe_load, describe_machine
from benchmarks.settings import Settings
from benchmarks.tables import Table, write_tables

HERE = Path(__file__).resolve().parent
PEERS = HERE / ".peers"
PEERS_PYTHON = PEERS / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def read_arguments() -> argparse.Namespace:
    names = ", ".join(FIGURES)
    parser = argparse.ArgumentParser("python -m benchmarks", description="Time and memory, side by side.")
    parser.add_argument("--only", nargs="+", choices=FIGURES, default=list(FIGURES), metavar="NAME", help=names)
    parser.add_argument("--quick", action="store_true", help="a tenth of the items; what was asked is then not judged")
    parser.add_argument("--peers", type=Path, default=PEERS_PYTHON, help="python with snorkel and crowd-kit")
    parser.add_argument("--make-peers", action="store_true", help="make the environment of the peers, and stop")
    return parser.parse_args()


def make_peers() -> None:
    venv.create(PEERS, with_pip=True)
    (PEERS / ".gitignore").write_text("*\n")
    subprocess.run([str(PEERS_PYTHON), "-m", "pip", "install", "-r", str(HERE / "peers.txt")], check=True)


def find_peers(python: Path) -> str | None:
    if python.exists():
        return str(python.absolute())
    print(f"No interpreter at {python}: Snorkel and crowd-kit are left out. Make one with --make-peers.\n")
    return None


def summarise(tables: list[Table]) -> str:
    judged = [row for table in tables for row in table.rows if row.reached is not None]
    missed = [row.name for row in judged if not row.reached]
    total = f"Reached {len(judged) - len(missed)} of the {len(judged)} figures asked for."
    return f"{total} Missed: {'; '.join(missed)}." if missed else total


def main() -> None:
    arguments = read_arguments()
    if arguments.make_peers:
        make_peers()
        return
    machine = describe_machine()
    settings = Settings(find_peers(arguments.peers), arguments.quick)
    print(f"# Benchmarks\n\n{machine} at the start.\n", flush=True)
    tables = []
    for name in arguments.only:
        table = FIGURES[name](settings)
        tables.append(table.unjudged() if arguments.quick else table)
        print(f"{tables[-1]}\n", flush=True)
    verdict = "A quick run: sizes are a tenth, nothing is judged." if arguments.quick else summarise(tables)
    print(f"{verdict} At the end: {describe_load()}.")
    stamp = datetime.now().strftime("%Y-%m-%dT%H%M%S")
    write_tables(HERE / "results" / f"{stamp}.json", machine, tables)


if __name__ == "__main__":
    main()
