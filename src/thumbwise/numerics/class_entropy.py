"""The largest entropy of class frequencies within bounds: what can be said of a labeling without any vote."""

from __future__ import annotations

import numpy as np
from scipy.special import entr

from thumbwise._typing import FloatArray


def largest_entropy(lower: FloatArray, upper: FloatArray) -> float:
    """Largest entropy of a distribution over classes with every frequency in its interval.

    The frequencies are as equal as the bounds allow: clip(t, lower, upper) with the t at which they sum to 1 (all
    derivatives -1 - ln w are equal where no bound is met). This is the value of the game whose only moments are the
    class frequencies: the smallest mean log loss that they alone can guarantee. Where no distribution fits the bounds,
    nothing is known: ln of the number of classes.

    Examples
    --------
    >>> round(largest_entropy(np.array([0.0, 0.7]), np.array([1.0, 0.9])), 6)  # at 0.3 and 0.7
    0.610864
    """
    if lower.sum() > 1 + 1e-9 or upper.sum() < 1 - 1e-9:
        return float(np.log(len(lower)))
    low, high = 0.0, 1.0
    for _ in range(60):
        level = (low + high) / 2
        low, high = (low, level) if np.clip(level, lower, upper).sum() > 1 else (level, high)
    return float(entr(np.clip(high, lower, upper)).sum())
