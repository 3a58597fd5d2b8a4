"""Votes that the tests of the command line share."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Run: TypeAlias = Callable[..., Any]


def make_rows(n: int = 60) -> tuple[list[str], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Ids, truth and votes; rules are right with probability 0.9, 0.8 and 0.7 and abstain on a fifth of the items."""
    rng = np.random.default_rng(7)
    truth = rng.integers(2, size=n)
    wrong = rng.random((n, 3)) > [0.9, 0.8, 0.7]
    votes = np.where(rng.random((n, 3)) < 0.2, -1, truth[:, None] ^ wrong)
    return [f"{i:04d}" for i in range(n)], truth, votes
