"""Items whose label is known: they keep it, and the game is played on the others."""

from __future__ import annotations

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.box import Box
from thumbwise.exceptions import InvalidBoxError
from thumbwise.moments import build_moments, label_counts
from thumbwise.numerics.maxent import Problem
from thumbwise.votes import Votes


def pose_problem(votes: Votes, box: Box) -> Problem:
    """The game on the patterns of some votes."""
    moments = box.moments(votes)
    n = votes.n_items
    return Problem.build(moments.features, votes.patterns.counts / n, moments.sizes / n, box.lower, box.upper)


def pose_pinned_problem(votes: Votes, box: Box, positions: IntArray, labels: IntArray) -> Problem:
    """The game on the items that are not pinned, in the same units: pinned items count, with a loss of 0.

    What the pinned items contribute to a moment is certain. It is taken off the bounds of the sum, which then bound the
    sum over the others.
    """
    if (positions < 0).any():
        raise InvalidBoxError(
            f"known labels must belong to items of these votes; {int((positions < 0).sum())} of {len(positions)} have "
            "ids that are not among them. Make the box anew from these votes."
        )
    moments, n, taken = box.moments(votes), votes.n_items, votes.take(positions)
    pinned = build_moments(box.builders, taken)
    sizes, totals = moments.sizes - pinned.sizes, pinned.totals(label_counts(taken, labels))
    lower, upper = ((bound * moments.sizes - totals) / np.maximum(sizes, 1) for bound in (box.lower, box.upper))
    counts = votes.patterns.counts - np.bincount(votes.inverse[positions], minlength=votes.patterns.n_patterns)
    return Problem.build(moments.features, counts / n, sizes / n, lower, upper)
