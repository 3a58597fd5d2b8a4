"""How readers grow with columns, keys and rows, in processor time: slopes of logarithms, and ratios to a plain read.

Usage: python -m benchmarks.many_columns
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import duckdb
import numpy as np
import polars as pl

import thumbwise as tw

N_ROWS = 100


def seconds(action: Callable[[], Any]) -> float:
    """Processor time, the better of two runs."""
    taken = []
    for _ in range(2):
        start = process_time()
        action()
        taken.append(process_time() - start)
    return min(taken)


def write_wide(path: Path, n_rules: int) -> Path:
    """Class numbers of many rules; CSV or JSON lines."""
    votes = np.random.default_rng(0).integers(-1, 3, size=(N_ROWS, n_rules)).tolist()
    names = ["id", *(f"r{j}" for j in range(n_rules))]
    rows = [[f"{path.stem}-{i}", *row] for i, row in enumerate(votes)]
    if path.suffix == ".csv":
        lines = [",".join(map(str, row)) for row in [names, *rows]]
    else:
        lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
    path.write_text("\n".join(lines) + "\n")
    return path


def write_long(path: Path, n_rows: int) -> Path:
    """Ten votes an item, all columns texts."""
    label = "['ham', 'spam', 'eggs'][i * 7919 % 10007 % 3 + 1]"
    said = f"'item-' || i // 10 AS task, 'worker-' || i % 10 AS worker, {label} AS label"
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT {said} FROM range({n_rows}) AS r(i)) TO '{path}' (FORMAT parquet)")  # noqa: S608
    return path


def write_wrench(home: Path, n_items: int) -> Path:
    """A folder with ten rules."""
    home.mkdir()
    votes = np.random.default_rng(0).integers(-1, 3, size=(n_items, 10)).tolist()
    items = {str(i): {"label": i % 3, "weak_labels": row} for i, row in enumerate(votes)}
    for part in ("train", "valid", "test"):
        (home / f"{part}.json").write_text(json.dumps(items if part == "train" else dict(list(items.items())[:200])))
    (home / "label.json").write_text('{"0": "ham", "1": "spam", "2": "eggs"}')
    return home


def code_by_polars(path: Path) -> Any:
    """Read, code and group, as polars does it."""
    columns = pl.col("task", "worker", "label").cast(pl.Categorical).to_physical()
    return pl.read_parquet(path).with_columns(columns).group_by("task", maintain_order=True).agg("worker", "label")


def grow(name: str, sizes: list[int], make: Callable[[int], Path], peer: Callable[[Path], Any] | None = None) -> None:
    """A row of the table for each size, and the slope."""
    taken = []
    for size in sizes:
        path = make(size)
        taken.append(seconds(partial(tw.read_votes, path)))
        ratio = f"{taken[-1] / seconds(partial(peer, path)):.1f}" if peer else ""
        print(f"| {name}, {size:,} | {taken[-1]:.2f} | {ratio} |", flush=True)
    slope = np.polyfit(np.log(sizes), np.log(taken), 1)[0]
    print(f"| {name}, slope | {slope:.2f} | |", flush=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        print("| reader | seconds of processor time | ratio to a plain read |\n|---|---|---|")
        grow("CSV, columns", [1000, 4000, 16_000], lambda n: write_wide(home / f"wide{n}.csv", n))
        grow(
            "CSV that stays, columns",
            [250, 1000, 2000],
            lambda n: write_wide(home / f"s{n}x.csv", n).parent / f"s{n}*.csv",
        )
        grow(
            "JSON lines, keys",
            [500, 2000, 8000],
            lambda n: write_wide(home / f"keys{n}.jsonl", n),
            lambda path: duckdb.read_json(str(path), maximum_object_size=10**8).fetchnumpy(),
        )
        grow(
            "long Parquet of texts, rows",
            [100_000, 400_000, 1_700_000],
            lambda n: write_long(home / f"long{n}.parquet", n),
            code_by_polars,
        )
        grow(
            "WRENCH, items",
            [20_000, 80_000, 320_000],
            lambda n: write_wrench(home / f"wrench{n}", n),
            lambda path: json.loads((path / "train.json").read_bytes()),
        )


if __name__ == "__main__":
    main()
