"""Intervals for the difference of two shares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from scipy.special import ndtri

from thumbwise.numerics.two_groups import TwoGroups, about_least_worth, least_worth
from thumbwise.rates.counts import Counts
from thumbwise.rates.intervals import Interval, Method, asymptotic, exact

Bound: TypeAlias = Callable[[TwoGroups, float], float]
Way: TypeAlias = Callable[[Counts, Counts, float, Bound], tuple[float, float]]
# What the panel is supposed to be worth when a way is chosen: so often is it right, whichever it says.
_SUPPOSED = 0.85
# Ways that lean on the panel must then promise a width of at most this part of that from gold alone: where they hardly
# gain if the panel is good, they lose if it is not.
_WORTH_IT = 0.92


@dataclass(frozen=True)
class _Weighed:
    """Bounds on a sum over two groups of items whose weights lie between two numbers.

    Attributes
    ----------
    groups : TwoGroups
        Right ones of each.
    weight : tuple of float
        Sum of the weights of all items of each group.
    least, most : float
        Weights of single items.
    """

    groups: TwoGroups
    weight: tuple[float, float]
    least: float
    most: float

    def low(self, error: float, bound: Bound) -> float:
        """A lower bound on the sum, from one on what two groups are worth.

        In the second group, where most are supposed to be right, the wrong ones weigh as much as they can, and in the
        first the right ones as little.
        """
        worth = replace(self.groups, worth=(self.least, self.most))
        return self.weight[1] - self.most * self.groups.population[1] + bound(worth, error)

    def mirrored(self) -> _Weighed:
        """Right and wrong, and so the groups, exchanged."""
        other = self.groups.mirrored()
        turned = TwoGroups(*((part[1], part[0]) for part in (other.right, other.drawn, other.population)))
        return _Weighed(turned, (self.weight[1], self.weight[0]), self.least, self.most)


def difference(ours: Counts, theirs: Counts, error: float, method: Method, *, is_apart: bool = False) -> Interval:
    """Of two groups of items: the share in the first less the share in the second.

    Helped by the panel, one of three ways is taken. *Gold alone*: two groups and their random samples. *The panel
    across both*: items for which it speaks in favour of the difference, and those for which it speaks against, each a
    random sample over both groups; best for groups of about the same size. *One by one*: an assisted interval for each
    share, with half of the error. The first, unless another would be narrower by about eight per cent if the panel were
    right 85 % of the time. Numbers of items decide, labels have no part in it.

    *Guarantee*: the difference lies within with probability at least ``1 - error``, if gold is a random sample of the
    items of both groups; or of each on its own, if ``is_apart`` says so, which leaves out the panel across both.
    """
    if method == "asymptotic":
        return _asymptotic(ours, theirs, error)
    way = _gold_alone if method == "exact" else _choose(ours, theirs, error, is_apart)
    low, high = way(ours, theirs, error, least_worth)
    totals = (counts.total_from_gold if method == "exact" else counts.total for counts in (ours, theirs))
    mine, other = (counts.share(total) for counts, total in zip((ours, theirs), totals, strict=True))
    return Interval(mine - other, low, high).held(-1, 1)


def _choose(ours: Counts, theirs: Counts, error: float, is_apart: bool) -> Way:
    """By numbers of items and draws alone, and widths as they are about."""
    ways: list[Way] = [_gold_alone, _one_by_one]
    if not is_apart and ours.n_outside == 0 and (ours.drawn[::-1] + theirs.drawn > 0).all():
        ways.append(_across)
    supposed, other = _suppose(ours), _suppose(theirs)
    ends = [way(supposed, other, error, about_least_worth) for way in ways]
    widths = np.array([high - low for low, high in ends])
    widths[1:] /= _WORTH_IT
    return ways[int(np.argmin(np.round(widths, 9)))]


def _suppose(counts: Counts) -> Counts:
    """What would be counted if the panel were as good as is supposed."""
    right = np.rint(counts.drawn * [1 - _SUPPOSED, _SUPPOSED]).astype(np.int64)
    return replace(counts, right=right, outside=int(right.sum()) if counts.n_outside else 0)


def _gold_alone(ours: Counts, theirs: Counts, error: float, bound: Bound) -> tuple[float, float]:
    """Right ones of the first group and wrong ones of the second are added up."""
    right, drawn, population = (
        (int(ours_part.sum()), int(theirs_part.sum()))
        for ours_part, theirs_part in (
            (ours.right, theirs.drawn - theirs.right),
            (ours.drawn, theirs.drawn),
            (ours.population, theirs.population),
        )
    )
    groups = TwoGroups(right, drawn, population, (1 / ours.n_items, 1 / theirs.n_items))
    known = ours.outside / ours.n_items + (theirs.n_outside - theirs.outside) / theirs.n_items
    low = bound(groups, error / 2)
    high = groups.most - bound(groups.mirrored(), error / 2)
    return low - known - 1, high - known - 1


def _across(ours: Counts, theirs: Counts, error: float, bound: Bound) -> tuple[float, float]:
    """The first group of items: those that the panel puts against the difference; the second: those in favour."""
    sizes = ours.population + theirs.population[::-1]
    drawn = ours.drawn + theirs.drawn[::-1]
    right = ours.right + (theirs.drawn - theirs.right)[::-1]
    weights = (1 / ours.n_items, 1 / theirs.n_items)
    totals = ours.population * weights[0] + theirs.population[::-1] * weights[1]
    groups = TwoGroups(*((int(part[0]), int(part[1])) for part in (right, drawn, sizes)))
    weighed = _Weighed(groups, (float(totals[0]), float(totals[1])), min(weights), max(weights))
    return weighed.low(error / 2, bound) - 1, 1 - weighed.mirrored().low(error / 2, bound)


def _one_by_one(ours: Counts, theirs: Counts, error: float, bound: Bound) -> tuple[float, float]:
    """Each share with half of the error, a quarter for each end."""
    mine, other = (_ends(counts, error / 4, bound) for counts in (ours, theirs))
    return mine[0] - other[1], mine[1] - other[0]


def _ends(counts: Counts, error: float, bound: Bound) -> tuple[float, float]:
    """Of one share, each with so much of the error; from gold alone where it has nothing of one kind."""
    if not counts.has_both:
        interval = exact(counts, 2 * error)
        return interval.lower, interval.upper
    groups = counts.groups()
    low, high = bound(groups, error), groups.most - bound(groups.mirrored(), error)
    return counts.share(low), counts.share(high)


def _asymptotic(ours: Counts, theirs: Counts, error: float) -> Interval:
    """Variances added up."""
    both = [asymptotic(counts, error) for counts in (ours, theirs)]
    z = float(-ndtri(error / 2))
    spread = float(np.sqrt(sum((part.width / (2 * z)) ** 2 for part in both)))
    centre = both[0].estimate - both[1].estimate
    return Interval(centre, centre - z * spread, centre + z * spread)
