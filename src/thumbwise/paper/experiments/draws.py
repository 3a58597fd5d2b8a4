"""Seeded draws of gold labels from the validation items: the same for all methods of a run."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.datasets.paper import PaperData, load_paper

SEED = 2024
# The paper's authors draw gold again if no labeling fits it, ten times at most.
MAX_REDRAWS = 10


@cache
def paper_data(name: str, folder: Path | None) -> PaperData:
    """A dataset, read once in each process."""
    return load_paper(name, folder)


def draw_gold(dataset: str, run: int, n_gold: int, n_validation: int) -> Iterator[IntArray]:
    """Positions of gold items in the validation set, drawn without replacement; and again, as often as asked.

    The generator is ``default_rng([2024, run, n_gold, *dataset.encode()])``. Methods that are compared see the same
    first draw of a run, which makes their differences paired.
    """
    rng = np.random.default_rng([SEED, run, n_gold, *dataset.encode()])
    while True:
        yield rng.choice(n_validation, n_gold, replace=False)
