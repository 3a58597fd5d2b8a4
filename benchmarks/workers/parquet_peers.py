"""Votes in Parquet to labels in Parquet with Snorkel's LabelModel or crowd-kit's OneCoinDawidSkene.

Arguments: DIRECTORY snorkel|crowdkit.

Reads ``votes.parquet``, writes ``labels.peer.parquet`` beside it: id, a probability per class, label. For crowd-kit
the table of one row a vote is made inside the time, because whoever has such a file must make it.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from benchmarks.workers.measuring import Stopwatch, limit_memory, report


def read_votes(path: Path) -> tuple[Any, Any]:
    table = pq.read_table(path)
    ids = table.column("id").to_numpy()
    columns = [table.column(name).to_numpy() for name in table.column_names if name != "id"]
    return ids, np.stack(columns, axis=1)


def fit_snorkel(votes: Any) -> Any:
    from snorkel.labeling.model import LabelModel  # noqa: PLC0415  # one of the two is used

    model = LabelModel(cardinality=2, verbose=False)
    model.fit(votes, seed=0, progress_bar=False)
    return model.predict_proba(votes)


def fit_crowdkit(votes: Any) -> Any:
    from crowdkit.aggregation import OneCoinDawidSkene  # noqa: PLC0415  # one of the two is used

    task, worker = np.nonzero(votes >= 0)
    long = pd.DataFrame({"task": task, "worker": worker, "label": votes[task, worker].astype(np.int64)})
    proba = OneCoinDawidSkene().fit_predict_proba(long)
    # It leaves out items without votes, and orders classes by appearance.
    return proba.reindex(index=range(len(votes)), columns=[0, 1]).fillna(0.5).to_numpy()


PEERS = {
    "snorkel": ("snorkel.labeling.model", fit_snorkel),
    "crowdkit": ("crowdkit.aggregation", fit_crowdkit),
}


def main() -> None:
    directory, name = Path(sys.argv[1]), sys.argv[2]
    limit_memory()
    module, fit = PEERS[name]
    import_module(module)  # not timed
    with Stopwatch() as watch:
        ids, votes = read_votes(directory / "votes.parquet")
        proba = fit(votes)
        labels = {"id": ids, "p_0": proba[:, 0], "p_1": proba[:, 1], "label": proba.argmax(axis=1)}
        pd.DataFrame(labels).to_parquet(directory / "labels.peer.parquet")
    package = {"snorkel": "snorkel", "crowdkit": "crowd-kit"}[name]
    report(watch, (package, "numpy", "pandas", "pyarrow"), n_items=len(ids))


if __name__ == "__main__":
    main()
