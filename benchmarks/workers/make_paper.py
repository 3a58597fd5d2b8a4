"""Write one of the paper's datasets with a box by the paper's recipe.

Arguments: MAT_FILE DIRECTORY N_GOLD.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.io import loadmat

from thumbwise import Box, Votes


def save_game(
    directory: Path, votes: npt.NDArray[np.int8], gold_votes: npt.NDArray[np.int8], gold_labels: npt.NDArray[np.int64]
) -> None:
    """Votes, gold, and the bounds that every solver gets."""
    pool, gold = Votes(votes, n_classes=2), Votes(gold_votes, n_classes=2)
    box = Box.from_gold(gold, gold_labels, pool=pool, interval="wilson", joint=False, symmetric=True)
    np.savez(
        directory / "paper.npz",
        votes=votes,
        gold_votes=gold_votes,
        gold_labels=gold_labels,
        lower=box.lower,
        upper=box.upper,
    )


def main() -> None:
    tables, directory, n_gold = loadmat(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    chosen = np.random.default_rng(0).choice(len(tables["val_pred"]), n_gold, replace=False)
    gold_votes = tables["val_pred"][chosen].astype(np.int8)
    gold_labels = tables["validation_labels"].ravel()[chosen].astype(np.int64)
    save_game(directory, tables["train_pred"].astype(np.int8), gold_votes, gold_labels)


if __name__ == "__main__":
    main()
