"""Fit a model of thumbwise and predict.

Arguments: DIRECTORY N_ITEMS MODEL N_GOLD [--reuse].

Without ``--reuse`` the raw array goes to ``fit`` and again to ``predict_proba``, so it is checked and counted twice;
with it, one ``Votes`` object made inside the timing serves both.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.workers.measuring import Stopwatch, log_loss, read_rows, report
from thumbwise import EBCC, BalsubramaniFreund, DataProgramming, DawidSkene, HyperLabelModel, Votes
from thumbwise.models.base import LabelModel

MODELS: dict[str, Callable[[], LabelModel]] = {
    "bf": BalsubramaniFreund,
    "dawid_skene": DawidSkene,
    "dawid_skene_full": partial(DawidSkene, kind="full"),
    "data_programming": DataProgramming,
    "ebcc": EBCC,
    "hyper": HyperLabelModel,
}


def main() -> None:
    directory, n_items = Path(sys.argv[1]), int(sys.argv[2])
    model = MODELS[sys.argv[3]]()
    votes, truth = read_rows(directory / "votes.npy", n_items), read_rows(directory / "truth.npy", n_items)
    gold = np.random.default_rng(0).choice(n_items, int(sys.argv[4]), replace=False)
    y = None
    if len(gold):
        y = np.full(n_items, -1)
        y[gold] = truth[gold]
    with Stopwatch() as watch:
        given = Votes(votes) if "--reuse" in sys.argv else votes
        proba = model.fit(given, y).predict_proba(given)
    report(
        watch,
        ("thumbwise", "numpy", "scipy"),
        log_loss=log_loss(truth, proba),
        n_iter=getattr(model, "n_iter_", None),
        input_mb=votes.nbytes / 1e6,
        output_mb=proba.nbytes / 1e6,
    )


if __name__ == "__main__":
    main()
