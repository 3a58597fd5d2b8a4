"""crowd-kit's OneCoinDawidSkene or DawidSkene.

Arguments: DIRECTORY N_ITEMS {one_coin|full}.

Its format is one row a vote; making that from the array is not timed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from crowdkit.aggregation import DawidSkene, OneCoinDawidSkene

from benchmarks.workers.measuring import Stopwatch, log_loss, read_rows, report

MODELS = {"one_coin": OneCoinDawidSkene, "full": DawidSkene}


def main() -> None:
    directory, n_items = Path(sys.argv[1]), int(sys.argv[2])
    votes, truth = read_rows(directory / "votes.npy", n_items), read_rows(directory / "truth.npy", n_items)
    task, worker = np.nonzero(votes >= 0)
    long = pd.DataFrame({"task": task, "worker": worker, "label": votes[task, worker].astype(np.int64)})
    model = MODELS[sys.argv[3]]()
    with Stopwatch() as watch:
        proba = model.fit_predict_proba(long)
    # It leaves out items without votes, and orders classes by appearance.
    aligned = proba.reindex(index=range(n_items), columns=[0, 1]).fillna(0.5).to_numpy()
    report(watch, ("crowd-kit", "pandas", "numpy"), log_loss=log_loss(truth, aligned), n_iter=len(model.loss_history_))


if __name__ == "__main__":
    main()
