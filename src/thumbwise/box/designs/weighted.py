"""Gold that was drawn from the pool with unequal, known chances."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.box.designs.reach import reach_of
from thumbwise.box.gold import Design, GoldCounts, GoldSample, Intervals, all_items, gold_items_are
from thumbwise.exceptions import Argument, InvalidLabelsError
from thumbwise.numerics.weighted_shares import WeightedDraw, weighted_share_bounds
from thumbwise.votes.reading.item_order import in_item_order
from thumbwise.votes.votes import Votes


@dataclass(frozen=True, eq=False)
class _Weighted(Design):
    """Gold was drawn from the pool with unequal, known chances.

    Attributes
    ----------
    weights : array-like of shape (n_gold,)
        Inverse inclusion probabilities: an item of weight 50 stands for 50 items. A pandas Series whose index holds the
        ids of the gold items is matched with them.
    max_weight : float
        The largest weight that any item of the pool could have had.
    """

    weights: Any
    max_weight: float
    bounds_are = "finite-sample (betting on weighted items)"
    # No chance of being drawn exceeds 1, unless an item can be drawn again.
    _least_weight = 0.0

    def in_item_order(self, gold_votes: Any) -> Self:
        return replace(self, weights=np.asarray(in_item_order(self.weights, gold_votes), dtype=float))

    def take(self, chosen: AnyArray) -> Self:
        if self.weights.shape != chosen.shape:
            raise InvalidLabelsError(
                f"there must be one weight per gold label; found shape {self.weights.shape} for {len(chosen)} labels."
            )
        return replace(self, weights=self.weights[chosen])

    def check(self, sample: GoldSample) -> None:
        _check_weights(self.weights, self.max_weight, self._least_weight)
        _check_agreement(sample.votes, sample.labels, self.weights)

    def intervals(self, sample: GoldSample, errors: FloatArray) -> Intervals:
        """Bounds by betting, the same for gold in any order.

        A moment counts right ones among the items that can be right for some class, whose number in the pool is known.
        """
        reach, sizes, draw = reach_of(sample), sample.pooled.sizes, self._draw(sample)
        errors = errors.sum(axis=0)
        lower, upper = np.zeros(len(sizes)), np.ones(len(sizes))
        for m in np.flatnonzero((errors > 0) & (sizes > 0)):
            inside = reach.can_be_right[:, m]
            is_right, weights = reach.is_right[inside, m], self.weights[inside]
            bounds = weighted_share_bounds(is_right, weights, int(reach.sizes[m]), draw, float(errors[m]))
            lower[m], upper[m] = np.clip(np.array(bounds) * reach.sizes[m] / sizes[m], 0, 1)
        return lower, upper

    def _draw(self, sample: GoldSample) -> WeightedDraw:
        typical = sample.pool.n_items / len(sample) if self.may_repeat else max(1.0, self.max_weight / 16)
        return WeightedDraw(not self.may_repeat, self.max_weight, typical)


@dataclass(frozen=True, eq=False)
class WithReplacement(_Weighted):
    """Gold was drawn from the pool n times independently, each time with chance 1 / (n * weight) for an item.

    An item may be drawn, and stand in gold, more than once. Items without a label count as not drawn.

    Attributes
    ----------
    weights : array-like of shape (n_gold,)
        Inverse expected numbers of draws: an item of weight 50 stands for 50 items. A pandas Series whose index holds
        the ids of the gold items is matched with them.
    max_weight : float
        The largest weight that any item of the pool could have had.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> truth = np.arange(1000) % 2
    >>> votes = tw.Votes(np.where(np.arange(1000)[:, None] % [3, 5] == 0, -1, truth[:, None]))
    >>> gold = np.arange(0, 1000, 10)
    >>> drawn = tw.designs.WithReplacement(np.full(100, 10.0), max_weight=10.0)
    >>> print(tw.Box.from_gold(votes.take(gold), truth[gold], pool=votes, gold_is=drawn).evidence.assumption)
    the 100 gold items are drawn from all 1,000 items with replacement, with the chances that weights say
    """

    may_repeat = True

    def assumption(self, n_gold: int, n_items: int) -> str:
        drawn = f"{gold_items_are(n_gold)} drawn from {all_items(n_items)} with replacement"
        return f"{drawn}, with the chances that weights say"

    def expected(self, counts: GoldCounts, n_items: int) -> FloatArray:
        """The number of draws is fixed."""
        return np.asarray(counts.pool, dtype=float) * (len(self.weights) / n_items)


@dataclass(frozen=True, eq=False)
class Poisson(_Weighted):
    """Each item of the pool was drawn or not on its own, with chance 1 / weight, so that the number drawn is random.

    Attributes
    ----------
    weights : array-like of shape (n_gold,)
        Inverse chances: an item of weight 50 stands for 50 items. A pandas Series whose index holds the ids of the gold
        items is matched with them.
    max_weight : float
        The largest weight that any item of the pool could have had.
    """

    _least_weight = 1.0

    def assumption(self, n_gold: int, n_items: int) -> str:
        drawn = f"{gold_items_are(n_gold)} those of {all_items(n_items)} that were drawn"
        return f"{drawn}, each with the chance that its weight says"

    def expected(self, counts: GoldCounts, n_items: int) -> FloatArray:
        """The number of draws is not fixed, so the least that can be expected counts."""
        return np.asarray(counts.pool, dtype=float) / self.max_weight


def _check_weights(weights: FloatArray, max_weight: float | None, least: float) -> None:
    """Positive, no smaller than a chance of 1 allows, and not above the stated maximum."""
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights > 0) & (weights >= least)))
    if len(bad):
        what = "and must be positive" if least == 0 else "and must be at least 1, since no chance exceeds 1"
        raise InvalidLabelsError(
            f"weights are inverse chances of being drawn {what}; found {weights[bad[0]]} at position {bad[0]} "
            f"({len(bad)} such weights)."
        )
    if max_weight is None or not np.isfinite(max_weight):
        raise InvalidLabelsError(
            "weights need max_weight, the largest weight that any item of the pool could have had (1 / its smallest "
            f"chance of being drawn); the largest that was drawn is {weights.max():.6g}, but another draw may differ."
        )
    if weights.max() > max_weight * (1 + 1e-9):  # chances were divided and divided again
        raise InvalidLabelsError(
            "no weight may exceed ",
            Argument("max_weight", max_weight),
            f"; found {weights.max():.6g}. Correct one of them.",
        )


def _check_agreement(gold: Votes, labels: IntArray, weights: FloatArray) -> None:
    """Where ids are known, an item that was drawn more than once is one item, with one label and one chance."""
    if not gold.has_ids:
        return
    for what, values in (("label", labels), ("weight", weights)):
        pairs = set(zip(gold.item_ids.tolist(), values.tolist(), strict=True))
        differing = [value for value, times in Counter(value for value, _ in pairs).items() if times > 1]
        if differing:
            raise InvalidLabelsError(
                f"an item that was drawn more than once must have the same {what} each time; {len(differing)} gold ids "
                f"have several, such as {differing[0]!r}. Correct them."
            )
