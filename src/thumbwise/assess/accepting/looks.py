"""Looks: so many items go to people, the least sure ones; and how many of all labels are then right, at least."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.assess.accepting.ranked import Ranked
from thumbwise.exceptions import Argument, InvalidChoiceError
from thumbwise.numerics.intervals import hypergeometric_sides

# Of the order of items that are as sure as each other, of which some are looked at; not that of any split of gold.
_SEED = (17, 1)


@dataclass(frozen=True, eq=False)
class Looks:
    """What people look at, and what is then guaranteed for everything.

    Attributes
    ----------
    looked_at : ndarray of shape (n_patterns,)
        Items without a gold label of each pattern that go to people.
    n_items : int
        Items for which labels are wanted.
    drawn, wrong : int
        Gold items among those that are not looked at, and those of them whose proposed label is wrong.
    most_wrong : int
        Labels that are wrong at most, gold's and people's being right.
    """

    looked_at: IntArray
    n_items: int
    drawn: int
    wrong: int
    size: int
    most_wrong: int

    @property
    def n_looks(self) -> int:
        return int(self.looked_at.sum())

    @property
    def accuracy_at_least(self) -> float:
        """Share of all labels that are right, guaranteed."""
        return 1 - self.most_wrong / max(1, self.n_items)

    @property
    def estimate(self) -> float | None:
        """The same, as certifying gold has it; None where no gold speaks of what is not looked at."""
        if self.drawn == 0:
            return 1.0 if self.size == 0 else None
        return 1 - self.wrong / self.drawn * (self.size - self.drawn) / max(1, self.n_items)


def look_at(ranked: Ranked, n_items: int, budget: int, error: float) -> Looks:
    """Send the least sure items to people, as many as they can look at, and bound the wrong ones among the others.

    Imagine all items that do not teach in order, the least sure first, those that are as sure as each other in an order
    of their own that nothing depends on. One goes from item to item, gold ones cost nothing, until the budget is used
    up. Where that happens depends on the gold items before, not on those after: given the former, the latter are a
    random sample of what is left, and its wrong ones have an exact upper bound. Wrong ones among gold are known, and
    subtracted.

    *Guarantee*: with probability at least ``1 - error`` no more than ``most_wrong`` of the labels of all ``n_items``
    items are wrong, if certifying gold is a random sample and people's labels are right.
    """
    if not (isinstance(budget, (int, np.integer)) and not isinstance(budget, bool) and budget >= 0):
        raise InvalidChoiceError(
            Argument("budget"), f" must be a number of items that people can look at, 0 or more; found {budget!r}."
        )
    n_gold = np.bincount(ranked.place, minlength=len(ranked.size))
    walk = _walk(ranked, ranked.size - n_gold, budget)
    drawn, wrong = int(walk.is_left.sum()), int(ranked.is_wrong[walk.is_left].sum())
    size = ranked.n_items - int(walk.looked_at.sum()) - (len(walk.is_left) - drawn)
    most = int(hypergeometric_sides(wrong, drawn, size, 0.0, error)[1])
    return Looks(walk.looked_at, n_items, drawn, wrong, size, most - wrong)


@dataclass(frozen=True, eq=False)
class _Walk:
    """Items without gold of each pattern that were looked at, and which certifying gold items were not yet met."""

    looked_at: IntArray
    is_left: AnyArray


def _walk(ranked: Ranked, free: IntArray, budget: int) -> _Walk:
    """Go from the least sure item on until so many items without gold are behind, and not a step further.

    Patterns that are as sure as each other are mixed: those of gold from outside are patterns of their own, and whether
    they come first must not depend on what was drawn.
    """
    _, level = np.unique(ranked.sureness, return_inverse=True)
    up_to = np.cumsum(np.bincount(level, free)).astype(np.int64)
    stop = int(np.searchsorted(up_to, budget))
    looked_at, is_left = np.where(level < stop, free, 0), level[ranked.place] > stop
    here, gold = np.flatnonzero(level == stop), np.flatnonzero(level[ranked.place] == stop)
    if len(here):
        rng, rest = np.random.default_rng(_SEED), budget - (int(up_to[stop - 1]) if stop else 0)
        looked_at[here] = rng.multivariate_hypergeometric(free[here], rest, method="marginals")
        at = rng.choice(int(free[here].sum()) + len(gold), len(gold), replace=False)
        is_left[gold] = at - np.searchsorted(np.sort(at), at) >= rest
    return _Walk(looked_at, is_left)
