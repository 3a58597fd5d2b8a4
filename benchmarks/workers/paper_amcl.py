"""AMCL on a dataset of the paper with 100 gold labels, exact or by subgradient steps.

Arguments: MAT_FILE {exact|subgradient}.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from benchmarks.workers.measuring import report, time_best
from thumbwise import AMCL
from thumbwise.datasets import load_paper


def main() -> None:
    path = Path(sys.argv[1])
    paper = load_paper(path.stem, path.parent)
    drawn = np.random.default_rng(0).choice(len(paper.gold_labels), 100, replace=False)
    pool, gold = paper.filled_votes, paper.filled_gold_votes.take(drawn)
    _ = pool.patterns, gold.patterns
    model = AMCL().set_params(solver=sys.argv[2])
    watch, _ = time_best(lambda: model.fit(pool, gold_votes=gold, gold_labels=paper.gold_labels[drawn]))
    report(watch, ("thumbwise", "clarabel", "scipy"), bound=model.brier_bound_)


if __name__ == "__main__":
    main()
