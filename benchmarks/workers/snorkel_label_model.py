"""Snorkel's LabelModel, fit and predict_proba.

Arguments: DIRECTORY N_ITEMS.
"""

from __future__ import annotations

import sys
from pathlib import Path

from snorkel.labeling.model import LabelModel

from benchmarks.workers.measuring import Stopwatch, log_loss, read_rows, report


def main() -> None:
    directory, n_items = Path(sys.argv[1]), int(sys.argv[2])
    votes, truth = read_rows(directory / "votes.npy", n_items), read_rows(directory / "truth.npy", n_items)
    with Stopwatch() as watch:
        model = LabelModel(cardinality=2, verbose=False)
        model.fit(votes, seed=0, progress_bar=False)
        proba = model.predict_proba(votes)
    report(watch, ("snorkel", "torch", "numpy"), log_loss=log_loss(truth, proba))


if __name__ == "__main__":
    main()
