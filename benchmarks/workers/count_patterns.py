"""Distinct rows and their counts, several ways in one process.

Arguments: DIRECTORY N_ITEMS N_RUNS METHOD...

Methods take turns; checks hold the fastest and the slowest run of each, and how many rows each found. Columns for
polars and DuckDB are made before the time starts. Both use all cores, NumPy and thumbwise one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np
import numpy.typing as npt

from benchmarks.workers.measuring import Stopwatch, read_rows, report
from thumbwise import Votes
from thumbwise.numerics.patterns import count_codes, find_patterns

# No further run of a method is started once its runs have taken this long.
ENOUGH_SECONDS = 20.0
Bytes = npt.NDArray[np.int8]


def make_method(name: str, votes: Bytes) -> Callable[[], int]:
    """Returns how many distinct rows it found, or 0 if it looks for none."""
    known: dict[str, Callable[[], int]] = {
        "sum": lambda: 0 * int(votes.sum()),
        "words": lambda: 0 * int(votes.ravel().view(np.int64).sum()),
        "counts": lambda: int(np.count_nonzero(count_codes(votes, 3))),
        "inverse": lambda: find_patterns(votes, 2)[0].n_patterns,
        "checked": lambda: Votes(votes).patterns.n_patterns,
        "unique": lambda: len(np.unique(votes, axis=0, return_counts=True)[1]),
    }
    return known[name] if name in known else {"polars": by_polars, "duckdb": by_duckdb}[name](votes)


def by_polars(votes: Bytes) -> Callable[[], int]:
    import polars as pl  # noqa: PLC0415  # only if asked for

    frame = pl.DataFrame(columns_of(votes))
    return lambda: len(frame.group_by(frame.columns).len())


def by_duckdb(votes: Bytes) -> Callable[[], int]:
    import duckdb  # noqa: PLC0415  # only if asked for
    import pyarrow as pa  # noqa: PLC0415

    connection = duckdb.connect().register("votes", pa.table(columns_of(votes)))
    return lambda: len(connection.sql("SELECT *, count(*) AS n FROM votes GROUP BY ALL").fetchnumpy()["n"])


def columns_of(votes: Bytes) -> dict[str, Bytes]:
    return {f"r{j}": np.ascontiguousarray(votes[:, j]) for j in range(votes.shape[1])}


def time_in_turn(methods: dict[str, Callable[[], int]], n_runs: int) -> tuple[dict[str, list[float]], dict[str, int]]:
    """Seconds of each run, and what each method found."""
    taken: dict[str, list[float]] = {name: [] for name in methods}
    found: dict[str, int] = {}
    for _ in range(n_runs):
        for name, method in methods.items():
            if sum(taken[name]) < ENOUGH_SECONDS:
                start = perf_counter()
                found[name] = method()
                taken[name].append(perf_counter() - start)
    return taken, found


def main() -> None:
    directory, n_items, n_runs = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    votes = read_rows(directory / "votes.npy", n_items)
    methods = {name: make_method(name, votes) for name in sys.argv[4:]}
    with Stopwatch() as watch:
        taken, found = time_in_turn(methods, n_runs)
    fastest = {name: min(seconds) for name, seconds in taken.items()}
    slowest = {name: max(seconds) for name, seconds in taken.items()}
    packages = ("thumbwise", "numpy", *(name for name in ("polars", "duckdb") if name in taken))
    report(watch, packages, fastest=fastest, slowest=slowest, found=found, input_mb=votes.nbytes / 1e6)


if __name__ == "__main__":
    main()
