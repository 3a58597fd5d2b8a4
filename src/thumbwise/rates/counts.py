"""What a question about items needs to know: how many there are of each kind, and what gold says of some of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thumbwise._typing import IntArray
from thumbwise.numerics.two_groups import TwoGroups

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Counts:
    """Items of which the panel says no (0) and yes (1), and what gold says of a random sample of them.

    Attributes
    ----------
    right, drawn, population : ndarray of shape (2,)
        Gold items that are so, gold items, and items of what gold was drawn from.
    outside, n_outside : int
        Gold items that are so, and gold items, that are not among the items in question.
    """

    right: IntArray
    drawn: IntArray
    population: IntArray
    outside: int = 0
    n_outside: int = 0

    @property
    def n_items(self) -> int:
        """Items in question."""
        return int(self.population.sum()) - self.n_outside

    @property
    def n_gold(self) -> int:
        return int(self.drawn.sum())

    @property
    def has_both(self) -> bool:
        """Whether gold says something of both kinds: known before any label is."""
        return bool((self.drawn > 0).all())

    @property
    def total_from_gold(self) -> float:
        """How many of the population are so, estimated from gold alone; half of it without gold."""
        n_items = int(self.population.sum())
        return n_items * int(self.right.sum()) / self.n_gold if self.n_gold else n_items / 2

    @property
    def total(self) -> float:
        """How many of the population are so, estimated within what the panel says, where gold has both."""
        return float((self.population * self.right / self.drawn).sum()) if self.has_both else self.total_from_gold

    def groups(self) -> TwoGroups:
        """As the groups whose numbers of right ones are added up."""
        numbers = ((int(part[0]), int(part[1])) for part in (self.right, self.drawn, self.population))
        return TwoGroups(*numbers)

    def share(self, total: float) -> float:
        """Share of the items in question, if so many of the population are so."""
        return min(1.0, max(0.0, (total - self.outside) / max(1, self.n_items)))


@dataclass(frozen=True, eq=False)
class Said:
    """What the panel says of each gold item that is asked about, and whether it is so.

    Attributes
    ----------
    says, is_right : ndarray of bool, (n_gold,)
    inside : ndarray of bool, (n_gold,)
        Which gold items are among those asked about.
    """

    says: BoolArray
    is_right: BoolArray
    inside: BoolArray

    def in_order(self, order: IntArray) -> Said:
        """Those asked about, in the order of all gold items that is given."""
        chosen = order[self.inside[order]]
        return Said(self.says[chosen], self.is_right[chosen], self.inside[chosen])


@dataclass(frozen=True, eq=False)
class Rows:
    """The population in rows of items that are alike, and which rows the gold items belong to.

    Attributes
    ----------
    pattern, group, count : ndarray of shape (n_rows,)
        Of the items in question; group numbers are 0 if there are no groups.
    gold_pattern, gold_group : ndarray of shape (n_gold,)
        Of the gold items, whose patterns are numbered on their own.
    labels : ndarray of shape (n_gold,)
        Class numbers.
    is_separate : bool
        Whether the gold items are further items, or among those in question.
    """

    pattern: IntArray
    group: IntArray
    count: IntArray
    gold_pattern: IntArray
    gold_group: IntArray
    labels: IntArray
    is_separate: bool

    def ask(self, says: BoolArray, gold_says: BoolArray, is_right: BoolArray, group: int | None = None) -> Counts:
        """Counts for a question with a yes or no for each row and each gold item, among all or in one group."""
        inside = slice(None) if group is None else self.group == group
        gold = slice(None) if group is None else self.gold_group == group
        drawn = np.bincount(gold_says[gold], minlength=2)
        population = np.bincount(says[inside], self.count[inside], minlength=2).astype(np.int64)
        right = np.bincount(gold_says[gold], is_right[gold], minlength=2).astype(np.int64)
        if not self.is_separate:
            return Counts(right, drawn, population)
        return Counts(right, drawn, population + drawn, int(right.sum()), int(drawn.sum()))

    def said(self, gold_says: BoolArray, is_right: BoolArray, group: int | None = None) -> Said:
        """The same question for each gold item."""
        inside = np.ones(len(self.labels), dtype=bool) if group is None else self.gold_group == group
        return Said(gold_says, is_right, inside)

    def where(self, chosen: BoolArray, gold_chosen: BoolArray) -> Rows:
        """Some rows, and some gold items, chosen without looking at labels."""
        pattern, group, count = (part[chosen] for part in (self.pattern, self.group, self.count))
        gold_pattern, gold_group, labels = (
            part[gold_chosen] for part in (self.gold_pattern, self.gold_group, self.labels)
        )
        return Rows(pattern, group, count, gold_pattern, gold_group, labels, self.is_separate)
