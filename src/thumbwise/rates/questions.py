"""Questions about items: each answers for all of them, for a group, and for the difference of two groups."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TypeAlias

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.rates.asked import Asked, Groups
from thumbwise.rates.counts import Counts, Rows, Said
from thumbwise.rates.differences import difference
from thumbwise.rates.intervals import Interval, Method, asymptotic, less
from thumbwise.rates.means import Drawn, Numbers
from thumbwise.rates.results import Kind, Rate, Unit
from thumbwise.summaries import plural

# What is reported of a question, once the error is known that its interval may have.
Line: TypeAlias = Callable[[float], Rate]


@dataclass(frozen=True, eq=False)
class Question(ABC):
    """Something that is asked of items.

    Attributes
    ----------
    asked : Asked
    groups : Groups or None
    method : {"assisted", "exact", "asymptotic"}
    name : str
        What is asked for, in words.
    is_apart : bool
        Whether gold was drawn within each group on its own, and not from all items.
    """

    asked: Asked
    groups: Groups | None
    method: Method
    name: str
    is_apart: bool

    @abstractmethod
    def rate(self, group: int | None, error: float) -> Rate:
        """Of all items, or of a group."""

    @abstractmethod
    def difference(self, ours: int, theirs: int, error: float) -> Rate:
        """Of one group less that of another."""

    def lines(self, pair: tuple[int, int] | None, *, has_all: bool = True) -> list[Line]:
        """All items, each group, and the difference of a pair of them."""
        lines: list[Line] = [lambda error: self.rate(None, error)] if has_all else []
        n_groups = 0 if self.groups is None else len(self.groups.names)
        lines += [lambda error, group=group: self.rate(group, error) for group in range(n_groups)]  # type: ignore[misc]
        if pair is not None:
            lines.append(lambda error: self.difference(*pair, error))
        return lines

    def group_name(self, group: int | None) -> str | None:
        return None if group is None or self.groups is None else self.groups.names[group]

    def pair(self, ours: int, theirs: int) -> tuple[str, str]:
        return str(self.group_name(ours)), str(self.group_name(theirs))

    def among(self, group: int | None, n_items: int) -> str:
        """What is asked for, among which items."""
        if group is None:
            return f"{self.name} among {'this one item' if n_items == 1 else f'all {n_items:,} items'}"
        return f"{self.name} among the {plural(n_items, 'item')} of {self.group_name(group)}"


@dataclass(frozen=True, eq=False)
class Shares(Question):
    """The share of a class.

    Attributes
    ----------
    number : int
        Of the class.
    """

    number: int

    @cached_property
    def rows(self) -> Rows:
        return self.asked.rows(self.groups)

    def said(self, group: int | None) -> Said:
        """What the panel says of the gold items: this class, or others."""
        gold_says = self.asked.panel.verdicts(self.asked.sample.votes.patterns) == self.number
        return self.rows.said(gold_says[self.rows.gold_pattern], self.rows.labels == self.number, group)

    def counts(self, group: int | None) -> Counts:
        """Items of which the panel says this class and others."""
        rows, said = self.rows, self.said(group)
        says = (self.asked.panel.verdicts(self.asked.sample.pool.patterns) == self.number)[rows.pattern]
        return rows.ask(says, said.says, said.is_right, group)

    def interval(self, group: int | None, error: float) -> Interval:
        """By the method, valid for the stopping rule."""
        return self.asked.interval(self.counts(group), error, self.method, self.said(group))

    def rate(self, group: int | None, error: float) -> Rate:
        counts = self.counts(group)
        interval = self.interval(group, error)
        beside = None if self.method == "asymptotic" else asymptotic(counts, error)
        what = self.among(group, counts.n_items)
        name = self.group_name(group)
        return Rate(interval, name, "rate", what, self.method, counts.n_gold, counts.n_items, beside)

    def difference(self, ours: int, theirs: int, error: float) -> Rate:
        both = self.counts(ours), self.counts(theirs)
        beside = None if self.method == "asymptotic" else difference(*both, error, "asymptotic")
        pair = self.pair(ours, theirs)
        if self.asked.sample.stopping.is_anytime:
            # Each share on its own, with half of the error: other ways count both groups at one number of labels.
            found = less(self.interval(ours, error / 2), self.interval(theirs, error / 2))
        else:
            found = difference(*both, error, self.method, is_apart=self.is_apart)
        return Rate(
            found,
            " - ".join(pair),
            "difference",
            f"{self.name} in {self.group_name(ours)} less that in {self.group_name(theirs)}",
            self.method,
            sum(counts.n_gold for counts in both),
            sum(counts.n_items for counts in both),
            beside,
            pair=pair,
        )


@dataclass(frozen=True, eq=False)
class Means(Question):
    """The mean of a number that each class stands for; also a share, if whole clusters of items were drawn.

    Attributes
    ----------
    values : ndarray of shape (n_classes,)
    unit : Unit
    clusters : Groups or None
    """

    values: FloatArray
    unit: Unit
    clusters: Groups | None

    @cached_property
    def numbers(self) -> Numbers:
        """Of the items, in their order."""
        sample, panel = self.asked.sample, self.asked.panel
        rows = self.asked.rows(self.groups)
        guess = panel.guesses(sample.pool.patterns, self.values)[rows.pattern]
        known, is_gold = np.zeros(len(guess)), np.zeros(len(guess), dtype=bool)
        places = self.asked.placed("values")
        known[places], is_gold[places] = self.values[rows.labels], True
        ends = float(self.values.min()), float(self.values.max())
        return Numbers(*ends, guess, known, is_gold, places[sample.in_order])

    def _weight(self, group: int | None) -> FloatArray:
        """One over the number of items in question, for each of these."""
        n = len(self.numbers.guess)
        inside = np.ones(n) if group is None or self.groups is None else (self.groups.codes == group).astype(float)
        return np.asarray(inside / inside.sum())

    def _drawn(self, weight: FloatArray) -> Drawn:
        return self.numbers.mean(weight) if self.clusters is None else self.numbers.clustered(weight, self.clusters)

    def rate(self, group: int | None, error: float) -> Rate:
        weight = self._weight(group)
        what = self.among(group, int((weight != 0).sum()))
        return self._answer(weight, partial(self._drawn(weight).interval, error), self.group_name(group), what)

    def difference(self, ours: int, theirs: int, error: float) -> Rate:
        pair = self.pair(ours, theirs)
        weights = self._weight(ours), self._weight(theirs)
        weight = weights[0] - weights[1]
        ask = partial(self._apart, weights, error) if self.is_apart else partial(self._drawn(weight).interval, error)
        return self._answer(weight, ask, " - ".join(pair), f"{self.name} in {pair[0]} less that in {pair[1]}", pair)

    def _apart(self, weights: tuple[FloatArray, FloatArray], error: float, method: Method) -> Interval:
        """Each mean on its own, with half of the error: what was drawn in one group is no sample of both."""
        mine, other = (self._drawn(weight).interval(error / 2, method) for weight in weights)
        return less(mine, other)

    def _answer(
        self,
        weight: FloatArray,
        ask: Callable[[Method], Interval],
        name: str | None,
        what: str,
        pair: tuple[str, str] | None = None,
    ) -> Rate:
        beside = None if self.method == "asymptotic" else ask("asymptotic")
        used = weight != 0
        n_gold, n_items = int(self.numbers.is_gold[used].sum()), int(used.sum())
        kind: Kind = "rate" if pair is None else "difference"
        return Rate(ask(self.method), name, kind, what, self.method, n_gold, n_items, beside, self.unit, pair)
