"""Intervals for a share, by name: from gold alone, helped by the panel, and that of prediction-powered inference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy.special import ndtri

from thumbwise.numerics.intervals import hypergeometric_bounds
from thumbwise.numerics.two_groups import two_group_bounds
from thumbwise.rates.counts import Counts

Method = Literal["assisted", "exact", "asymptotic"]
METHODS: tuple[Method, ...] = get_args(Method)


@dataclass(frozen=True)
class Interval:
    """An estimate and between which numbers the truth lies."""

    estimate: float
    lower: float
    upper: float

    @property
    def width(self) -> float:
        return self.upper - self.lower

    def held(self, least: float, most: float) -> Interval:
        """With all three between two numbers."""
        low, high = (min(most, max(least, end)) for end in (self.lower, self.upper))
        return Interval(min(high, max(low, self.estimate)), low, high)


def less(ours: Interval, theirs: Interval) -> Interval:
    """Of a difference, where both intervals hold."""
    return Interval(ours.estimate - theirs.estimate, ours.lower - theirs.upper, ours.upper - theirs.lower)


def exact(counts: Counts, error: float) -> Interval:
    """From gold alone: tails of the hypergeometric distribution, half of the error for each.

    *Guarantee*: the share lies within with probability at least ``1 - error``, if gold is a random sample.
    """
    right, drawn, population = (int(part.sum()) for part in (counts.right, counts.drawn, counts.population))
    fewest, most = hypergeometric_bounds(right, drawn, population, error)
    estimate = counts.share(counts.total_from_gold)
    return Interval(estimate, counts.share(int(fewest)), counts.share(int(most))).held(0, 1)


def assisted(counts: Counts, error: float) -> Interval:
    """Helped by the panel: items of which it says yes and no are two groups, of which gold is a random sample each.

    Given how many gold items fall into each group, they are a random sample of it, and the sum over both is bounded
    exactly (:mod:`thumbwise.numerics.two_groups`). Where gold has none of one group, :func:`exact` is used; that is
    known before any label is.

    *Guarantee*: the share lies within with probability at least ``1 - error``, if gold is a random sample and the
    panel's verdict was made without its labels. The panel may be as wrong as it likes: then the interval is about as
    wide as from gold alone.
    """
    if not counts.has_both:
        return exact(counts, error)
    low, high = two_group_bounds(counts.groups(), error)
    return Interval(counts.share(counts.total), counts.share(low), counts.share(high)).held(0, 1)


def asymptotic(counts: Counts, error: float) -> Interval:
    """PPI++ (Angelopoulos, Duchi and Zrnic, 2023) with the panel's verdict as prediction, tuned to the data.

    *Guarantee*: none. It holds in the limit of many gold labels, for the rate behind the items rather than for these
    items; with few labels or judges that are nearly always right it may miss more often than it says.
    """
    n, n_all = counts.n_gold, int(counts.population.sum())
    if n < 2:
        return Interval(counts.share(float(counts.right.sum())), 0.0, 1.0)
    mean, said = counts.right.sum() / n, counts.drawn[1] / n
    said_of_all = counts.population[1] / n_all
    together = counts.right[1] / n - mean * said
    spread = said_of_all * (1 - said_of_all)
    slope = 0.0 if spread == 0 else float(np.clip(together / ((1 + n / n_all) * spread), 0, 1))
    estimate = slope * said_of_all + mean - slope * said
    rest = mean * (1 - mean) - 2 * slope * together + slope**2 * said * (1 - said)
    half = -ndtri(error / 2) * np.sqrt(max(0.0, slope**2 * spread / n_all + rest / n))
    return Interval(float(estimate), float(estimate - half), float(estimate + half))


BY_NAME = {"assisted": assisted, "exact": exact, "asymptotic": asymptotic}
