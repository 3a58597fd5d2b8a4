"""Distinct rows and their counts.

Arguments: DIRECTORY N_ITEMS thumbwise|unique|sum.

``sum`` reads the same bytes once, as 64-bit integers, and does nothing else with them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from benchmarks.workers.measuring import Stopwatch, read_rows, report
from thumbwise import Votes


def main() -> None:
    directory, n_items, method = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    votes = read_rows(directory / "votes.npy", n_items)
    with Stopwatch() as watch:
        if method == "thumbwise":
            counted = Votes(votes)
            n_found = counted.patterns.n_patterns
        elif method == "unique":
            rows, _, _ = np.unique(votes, axis=0, return_inverse=True, return_counts=True)
            n_found = len(rows)
        else:
            n_found = 0
            votes.ravel().view(np.int64).sum()
    report(watch, ("thumbwise", "numpy"), n_patterns=n_found, input_mb=votes.nbytes / 1e6)


if __name__ == "__main__":
    main()
