"""EBCC on a dataset of the paper, on patterns or by the same updates item by item.

Arguments: MAT_FILE {patterns|items}.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np

from benchmarks.workers.measuring import log_loss, report, time_best
from thumbwise import EBCC
from thumbwise.datasets import load_paper

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from support.ebcc_by_item import Setting, fit

N_STARTS = 10


def main() -> None:
    path = Path(sys.argv[1])
    paper = load_paper(path.stem, path.parent)
    votes = paper.votes
    _ = votes.patterns
    warnings.simplefilter("ignore")  # the best start may not be done after 100 iterations: the paper's setting
    array, setting = votes.array.astype(np.int64), Setting(votes.n_classes)
    fits = {
        "patterns": lambda: EBCC(n_starts=N_STARTS).fit(votes).predict_proba(votes),
        "items": lambda: fit(array, setting, n_starts=N_STARTS, random_state=0),
    }
    watch, proba = time_best(fits[sys.argv[2]])
    report(watch, ("thumbwise", "numpy", "scipy"), log_loss=log_loss(paper.labels.astype(np.int8), proba))


if __name__ == "__main__":
    main()
