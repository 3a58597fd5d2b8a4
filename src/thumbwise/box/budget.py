"""How the error budget is split over the moments, before any gold label or gold vote is seen."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.box.gold import GoldCounts
from thumbwise.box.moments.linear import ACCURACY, FREQUENCY, NEAR, OPINION

# A rule or opinion that expects fewer gold votes than this gets nothing: its interval would say nothing.
LEAST_EXPECTED = 3.0
# So few rules cannot be a panel: what they say together adds little to what each of them says.
FEW_RULES = 4
# What the opinions get of it, all of them together.
_FOR_OPINIONS = 0.6
# Weight of the class frequencies beside rules, whose weights are roots of their coverage.
_CLASSES_BESIDE_FEW, _CLASSES_BESIDE_MANY = 0.6, 0.3
# Of a rule's share, the part for its lower bound: that rules are right at least so often is what labels follow from.
_BELOW = 0.95


def split_error(error: float, counts: GoldCounts) -> FloatArray:
    """Error that each moment is allowed below and above, shape (2, n_moments); from votes and numbers of items alone.

    Distinct moments get parts in proportion to their weight: the root of its coverage for a rule or an opinion that
    expects at least three gold votes, opinions together six tenths of all, and for the class frequencies together as
    much as for a rule that votes on a third of the items on average (with few rules more). Moments with the same key
    share one part. Of the part of an accuracy, 95 % is for its lower bound; class frequencies have half on each side. A
    moment without a part has the interval [0, 1]. Which moments have gold votes is not used: it depends on the draw,
    and a budget that depends on the draw is no budget.
    """
    weights = _weights(counts)
    part = error * weights / max(weights.sum(), 1e-300)
    by_key: dict[Hashable, float] = {}
    for key, weight in zip(counts.keys, part.tolist(), strict=True):
        by_key[key] = max(by_key.get(key, 0.0), weight)
    whole = np.array([by_key[key] for key in counts.keys])
    below = np.where([moment.kind in (ACCURACY, NEAR, OPINION) for moment in counts.about], _BELOW, 0.5)
    return np.stack([below * whole, (1 - below) * whole])


def even_errors(error: float, n_moments: int) -> FloatArray:
    """All of the error for each moment, half on each side, if the intervals need not hold jointly."""
    return np.full((2, n_moments), error / 2)


def _weights(counts: GoldCounts) -> FloatArray:
    """Weight of each moment, on the first of those with its key; 0 on the others."""
    kinds = np.array([moment.kind for moment in counts.about], dtype=object)
    first = {key: m for m, key in reversed([*enumerate(counts.keys)])}
    is_first = np.zeros(len(kinds), dtype=bool)
    is_first[list(first.values())] = True
    of_classes, of_opinions = kinds == FREQUENCY, kinds == OPINION
    n_rules = int((is_first & (kinds == ACCURACY) & (counts.expected >= LEAST_EXPECTED)).sum())
    for_classes = _CLASSES_BESIDE_FEW if n_rules <= FEW_RULES else _CLASSES_BESIDE_MANY
    most = max(counts.expected.max(initial=0.0), 1e-300)
    weights = np.where(counts.expected >= LEAST_EXPECTED, np.sqrt(counts.expected / most), 0.0) * is_first
    is_counted = of_classes & is_first & (counts.expected > 0)
    weights = np.where(of_classes, for_classes * is_counted / max(1, is_counted.sum()), weights)
    for_opinions, rest = weights[of_opinions].sum(), weights[~of_opinions].sum()
    if for_opinions > 0 and rest > 0:
        weights = np.where(of_opinions, _FOR_OPINIONS * weights / for_opinions, (1 - _FOR_OPINIONS) * weights / rest)
    return weights
