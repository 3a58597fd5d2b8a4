"""Write synthetic votes, ten rules, with a box by the paper's recipe from 100 of their labels.

Arguments: DIRECTORY N_ITEMS.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from benchmarks.workers.make_paper import save_game
from benchmarks.workers.make_votes import drop_at_random, make_votes


def main() -> None:
    directory, n_items = Path(sys.argv[1]), int(sys.argv[2])
    votes, truth = make_votes(n_items, 10, drop_at_random)
    gold = np.random.default_rng(0).choice(n_items, 100, replace=False)
    save_game(directory, votes, votes[gold], truth[gold].astype(np.int64))


if __name__ == "__main__":
    main()
