"""Write synthetic votes as Parquet, and 100 gold items of the same kind that are not among them.

Arguments: DIRECTORY N_ITEMS.

As ``make_votes`` with ten rules, but never all in memory. Columns: id, r0 to r9 as 8-bit integers, -1 an abstention.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.workers.make_votes import SEED, drop_at_random

N_RULES, N_GOLD, CHUNK = 10, 100, 1_000_000
Bytes = npt.NDArray[np.int8]


def draw(rng: np.random.Generator, n_items: int, accuracies: npt.NDArray[np.float32]) -> tuple[Bytes, Bytes]:
    """Votes and truth of some items."""
    truth = rng.integers(0, 2, n_items, dtype=np.int8)
    shape = (n_items, len(accuracies))
    right = rng.random(shape, dtype=np.float32) < accuracies
    votes = np.where(right, truth[:, None], 1 - truth[:, None])
    votes[drop_at_random(rng, shape)] = -1
    return votes, truth


def tables(rng: np.random.Generator, n_items: int, accuracies: npt.NDArray[np.float32]) -> Iterator[pa.Table]:
    for start in range(0, n_items, CHUNK):
        votes, _ = draw(rng, min(CHUNK, n_items - start), accuracies)
        columns = {f"r{j}": np.ascontiguousarray(votes[:, j]) for j in range(N_RULES)}
        yield pa.table({"id": np.arange(start, start + len(votes)), **columns})


def main() -> None:
    directory, n_items = Path(sys.argv[1]), int(sys.argv[2])
    rng = np.random.default_rng(SEED)
    accuracies = rng.uniform(0.6, 0.9, N_RULES).astype(np.float32)
    gold_votes, gold_labels = draw(rng, N_GOLD, accuracies)
    np.savez(directory / "gold.npz", votes=gold_votes, labels=gold_labels)
    parts = tables(rng, n_items, accuracies)
    first = next(parts)
    with pq.ParquetWriter(directory / "votes.parquet", first.schema) as writer:
        writer.write_table(first)
        for part in parts:
            writer.write_table(part)


if __name__ == "__main__":
    main()
