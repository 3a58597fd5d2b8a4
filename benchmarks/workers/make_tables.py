"""Write a table that a reader is given: of many columns, keys or rows.

Arguments: DIRECTORY KIND SIZE. The file or folder is ``DIRECTORY/votes`` with the ending of its kind.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np

from benchmarks.labeling_files import write_dataset

N_ROWS, N_PARTS = 100, 200


def write_wide(path: Path, n_rules: int) -> None:
    """Class numbers of many rules; CSV or JSON lines."""
    votes = np.random.default_rng(0).integers(-1, 3, size=(N_ROWS, n_rules)).tolist()
    names = ["id", *(f"r{j}" for j in range(n_rules))]
    rows = [[f"item-{i}", *row] for i, row in enumerate(votes)]
    if path.suffix == ".csv":
        lines = [",".join(map(str, row)) for row in [names, *rows]]
    else:
        lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
    path.write_text("\n".join(lines) + "\n")


def write_rows(path: Path, n_rows: int) -> None:
    """Ten rules that vote for one of three classes on three items of four."""
    votes = ", ".join(
        f"CASE WHEN hash(i * 31 + {j}) % 4 < 3 THEN hash(i * 17 + {j}) % 3 END AS r{j}" for j in range(10)
    )
    _copy(f"SELECT 'item-' || i AS id, {votes} FROM range({n_rows}) AS t(i)", path, "FORMAT csv, HEADER")  # noqa: S608  # numbers


def write_long(path: Path, n_rows: int) -> None:
    """Ten votes an item, all columns texts."""
    label = "['ham', 'spam', 'eggs'][i * 7919 % 10007 % 3 + 1]"
    said = f"'item-' || i // 10 AS task, 'worker-' || i % 10 AS worker, {label} AS label"
    _copy(f"SELECT {said} FROM range({n_rows}) AS r(i)", path, "FORMAT parquet")  # noqa: S608  # numbers


def _copy(query: str, path: Path, options: str) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({query}) TO '{path}' ({options})")


def write_wrench(home: Path, n_items: int) -> None:
    """A folder with ten rules."""
    home.mkdir()
    votes = np.random.default_rng(0).integers(-1, 3, size=(n_items, 10)).tolist()
    items = {str(i): {"label": i % 3, "weak_labels": row} for i, row in enumerate(votes)}
    few = dict(list(items.items())[:N_PARTS])
    for part in ("train", "valid", "test"):
        (home / f"{part}.json").write_text(json.dumps(items if part == "train" else few))
    (home / "label.json").write_text('{"0": "ham", "1": "spam", "2": "eggs"}')


def write_saved(home: Path, n_rows: int) -> None:
    """A folder as ``save_to_disk`` of the library datasets writes it."""
    home.mkdir()
    write_dataset(home, n_rows)


KINDS: dict[str, tuple[str, Callable[[Path, int], None]]] = {
    "csv_columns": ("votes.csv", write_wide),
    "lazy_columns": ("votes.csv", write_wide),
    "json_keys": ("votes.jsonl", write_wide),
    "csv_rows": ("votes.csv", write_rows),
    "long_rows": ("votes.parquet", write_long),
    "wrench_items": ("votes", write_wrench),
    "dataset_rows": ("votes", write_saved),
}


def main() -> None:
    home, kind, size = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    name, write = KINDS[kind]
    write(home / name, size)


if __name__ == "__main__":
    main()
