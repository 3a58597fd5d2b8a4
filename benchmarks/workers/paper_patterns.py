"""Distinct rows for the solvers that are compared, without thumbwise."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.int8]


def count_rows(votes: Bytes) -> tuple[Bytes, npt.NDArray[np.float64]]:
    """Distinct rows of votes on two classes, and how often each occurs."""
    powers = 3 ** np.arange(votes.shape[1])
    _, first, counts = np.unique((votes + 1) @ powers, return_index=True, return_counts=True)
    return votes[first], counts.astype(np.float64)
