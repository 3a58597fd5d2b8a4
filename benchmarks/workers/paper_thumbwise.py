"""The paper's recipe with thumbwise, array in, probabilities out.

Arguments: DIRECTORY given|gold|counted.

``given``: the bounds are numbers, as for CVXPY. ``gold``: making them from the gold items is timed too. ``counted``:
the bounds are numbers, distinct rows are found before the time starts, and nothing is predicted.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from benchmarks.workers.measuring import Stopwatch, report
from thumbwise import BalsubramaniFreund, Box, Votes


def main() -> None:
    saved = np.load(Path(sys.argv[1]) / "paper.npz")
    array, lower, upper, gold_array, gold_labels = (
        saved[name] for name in ("votes", "lower", "upper", "gold_votes", "gold_labels")
    )
    model, mode = BalsubramaniFreund(), sys.argv[2]
    if mode == "counted":
        votes = Votes(array, n_classes=2)
        _ = votes.patterns
    with Stopwatch() as watch:
        if mode != "counted":
            votes = Votes(array, n_classes=2)
        if mode == "gold":
            gold = Votes(gold_array, n_classes=2)
            box = Box.from_gold(gold, gold_labels, pool=votes, interval="wilson", joint=False, symmetric=True)
        else:
            box = Box.from_bounds(votes, lower=lower, upper=upper)
        model.fit(votes, box=box)
        if mode != "counted":
            model.predict_proba(votes)
    report(
        watch,
        ("thumbwise", "numpy", "scipy"),
        objective=model.certificate_.log_loss_bound,
        same_box=bool(np.array_equal(box.lower, lower) and np.array_equal(box.upper, upper)),
        n_items=len(array),
        n_patterns=votes.patterns.n_patterns,
    )


if __name__ == "__main__":
    main()
