"""What DuckDB and polars take to read, count or write the same Parquet files.

Arguments: DIRECTORY scan|write|duckdb|polars.

``scan`` adds up every column of votes. ``write`` writes the table ``labels.parquet`` again and takes off what reading
it alone takes, so that what remains is the writing. ``duckdb`` and ``polars`` count distinct rows the plain way.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import duckdb

from benchmarks.workers.measuring import Stopwatch, report

RULES = [f"r{j}" for j in range(10)]


def scan(directory: Path) -> int:
    sums = ", ".join(f"sum({rule})" for rule in RULES)
    duckdb.read_parquet(str(directory / "votes.parquet")).aggregate(sums).fetchall()
    return 0


def read_labels(directory: Path) -> None:
    labels = duckdb.read_parquet(str(directory / "labels.parquet"))
    labels.aggregate(", ".join(f'count("{name}"), sum("{name}")' for name in labels.columns)).fetchall()


def write_labels(directory: Path) -> None:
    duckdb.read_parquet(str(directory / "labels.parquet")).write_parquet(str(directory / "again.parquet"))
    (directory / "again.parquet").unlink()


def count_by_duckdb(directory: Path) -> int:
    votes = duckdb.read_parquet(str(directory / "votes.parquet"))
    return len(votes.aggregate(f"{', '.join(RULES)}, count(*) AS n").fetchnumpy()["n"])


def count_by_polars(directory: Path) -> int:
    import polars as pl  # noqa: PLC0415  # only if asked for

    return len(pl.scan_parquet(directory / "votes.parquet").group_by(RULES).len().collect())


def time_once(action: Callable[[Path], None], directory: Path) -> float:
    start = perf_counter()
    action(directory)
    return perf_counter() - start


def main() -> None:
    directory, mode = Path(sys.argv[1]), sys.argv[2]
    versions = ("duckdb", "polars") if mode == "polars" else ("duckdb",)
    if mode == "write":
        with Stopwatch() as watch:
            reading = min(time_once(read_labels, directory) for _ in range(2))
            both = time_once(write_labels, directory)
        watch.seconds = max(0.0, both - reading)
        report(watch, versions, reading=reading)
        return
    action = {"scan": scan, "duckdb": count_by_duckdb, "polars": count_by_polars}[mode]
    with Stopwatch() as watch:
        n_patterns = action(directory)
    report(watch, versions, n_patterns=n_patterns)


if __name__ == "__main__":
    main()
