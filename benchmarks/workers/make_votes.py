"""Write synthetic votes.

Arguments: DIRECTORY N_ITEMS N_RULES [VOTES_PER_ITEM].

Two balanced classes; rules err independently with accuracies uniform in [0.6, 0.9]. Without ``VOTES_PER_ITEM`` each
vote is missing with probability 0.3. With it, every item is voted on by so many rules, drawn without replacement with
probabilities proportional to 1/1, 1/2, 1/3, ...: a few busy workers and a long tail, as in crowds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

BoolArray = npt.NDArray[np.bool_]
SEED = 20240715
CHUNK = 100_000


def drop_at_random(rng: np.random.Generator, shape: tuple[int, int]) -> BoolArray:
    return rng.random(shape, dtype=np.float32) < 0.3


def keep_few(rng: np.random.Generator, shape: tuple[int, int], n_votes: int) -> BoolArray:
    """Silence all but a few rules of each item: the largest of Gumbel noise plus log weights are a weighted draw."""
    keys = rng.gumbel(size=shape) - np.log(np.arange(1, shape[1] + 1))
    kept = np.argpartition(-keys, n_votes - 1, axis=1)[:, :n_votes]
    silent = np.ones(shape, dtype=bool)
    np.put_along_axis(silent, kept, False, axis=1)
    return silent


def make_votes(
    n_items: int, n_rules: int, silence: Callable[[np.random.Generator, tuple[int, int]], BoolArray]
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """Votes and truth, made a chunk at a time."""
    rng = np.random.default_rng(SEED)
    accuracies = rng.uniform(0.6, 0.9, n_rules).astype(np.float32)
    truth = rng.integers(0, 2, n_items, dtype=np.int8)
    votes = np.empty((n_items, n_rules), dtype=np.int8)
    for start in range(0, n_items, CHUNK):
        rows = slice(start, min(start + CHUNK, n_items))
        shape = (rows.stop - rows.start, n_rules)
        right = rng.random(shape, dtype=np.float32) < accuracies
        votes[rows] = np.where(right, truth[rows, None], 1 - truth[rows, None])
        votes[rows][silence(rng, shape)] = -1
    return votes, truth


def main() -> None:
    directory, n_items, n_rules = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    if len(sys.argv) > 4:
        n_votes = int(sys.argv[4])
        votes, truth = make_votes(n_items, n_rules, lambda rng, shape: keep_few(rng, shape, n_votes))
    else:
        votes, truth = make_votes(n_items, n_rules, drop_at_random)
    np.save(directory / "votes.npy", votes)
    np.save(directory / "truth.npy", truth)


if __name__ == "__main__":
    main()
