"""Read a table of one kind, by this package and as plainly as the kind allows, in seconds of the processor.

Arguments: DIRECTORY KIND. Both take turns; the best of three reads each, so that nothing is imported in it. For WRENCH
folders the search for circles among objects is off in both.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa

import thumbwise as tw
from benchmarks.labeling_files import CLASSES
from benchmarks.workers.make_tables import KINDS
from benchmarks.workers.measuring import Stopwatch, peak_memory, report


def read_json_lines(path: Path) -> Any:
    with duckdb.connect() as connection:
        return connection.execute(f"FROM read_json('{path}', maximum_object_size = 100000000)").fetchnumpy()


def read_csv(path: Path) -> Any:
    with duckdb.connect() as connection:
        return connection.execute(f"FROM '{path}'").fetchnumpy()


def code_by_polars(path: Path) -> Any:
    """Read, code and group."""
    columns = pl.col("task", "worker", "label").cast(pl.Categorical).to_physical()
    return pl.read_parquet(path).with_columns(columns).group_by("task", maintain_order=True).agg("worker", "label")


def load_json(home: Path) -> Any:
    return json.loads((home / "train.json").read_bytes())


def read_by_pyarrow(home: Path) -> Any:
    """All values as Python has them, with the names of their classes."""
    with pa.OSFile(str(home / "data.arrow")) as source:
        columns = pa.ipc.open_stream(source).read_all().to_pydict()
    return {name: [CLASSES[i] for i in column] for name, column in columns.items() if name != "id"}


N_READS = 3
PLAIN: dict[str, Callable[[Path], Any]] = {
    "json_keys": read_json_lines,
    "csv_rows": read_csv,
    "long_rows": code_by_polars,
    "wrench_items": load_json,
    "dataset_rows": read_by_pyarrow,
}


def read_lazily(path: Path) -> Any:
    """Items that stay in their file: wildcards meet this one."""
    return tw.read_votes(path.parent / "vote*.csv")


def main() -> None:
    home, kind = Path(sys.argv[1]), sys.argv[2]
    path = home / KINDS[kind][0]
    readers: dict[str, Callable[[Path], Any]] = {
        "thumbwise": read_lazily if kind == "lazy_columns" else tw.read_votes,
        **({"plain": PLAIN[kind]} if kind in PLAIN else {}),
    }
    if kind == "wrench_items":
        gc.disable()
    taken: dict[str, list[float]] = {by: [] for by in readers}
    for _ in range(N_READS):
        for by, read in readers.items():
            start = process_time()
            read(path)
            taken[by].append(process_time() - start)
    best = {by: min(seconds) for by, seconds in taken.items()}
    watch = Stopwatch()
    watch.seconds, watch.peak_mb = best["thumbwise"], peak_memory()
    ratio = {"ratio": best["thumbwise"] / best["plain"]} if "plain" in best else {}
    report(watch, ("thumbwise", "duckdb", "numpy", "polars", "pyarrow"), **best, **ratio)


if __name__ == "__main__":
    main()
