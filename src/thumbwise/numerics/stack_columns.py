"""Columns that a regression on votes may use: what the panel says together, and what each rule says."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.numerics.panel import Panel
from thumbwise.numerics.patterns import Patterns

# Rules that expect fewer gold votes than this have no column of their own; nor have items without a vote, where gold is
# expected to have fewer such items, or fewer others.
_LEAST_EXPECTED = 3.0
# Rules with a column of their own, at most: those that vote most.
_MOST_RULES = 200
# A column for each vote and class only where these are few.
_MOST_BY_VOTE = 200
# What a column is: a verdict of the panel, a rule, a rule's vote for a class, a class, a feature of the items, what
# scores say together.
PANEL, RULE, VOTE, CLASS, FEATURE, CONSENSUS = range(6)


@dataclass(frozen=True, eq=False)
class StackColumns:
    """Scores that are linear in weights: two or three columns for the panel, some for each rule, one for each class.

    Where at least three gold items are expected to have no vote, and three to have one, classes have a further column
    each for items without: that nobody had anything to say tells of the class too, and the rest has other frequencies.

    Decided from votes and the number of gold labels, before any gold label is seen.

    Attributes
    ----------
    together : Panel
        What the rules say together, each set of copies once.
    voting : ndarray of shape (n_voting,)
        Rules with columns of their own.
    has_votes : bool
        Whether each vote and class has a column too, so that a rule may be better at one class than at another.
    n_classes : int
    has_silent : bool
        Whether classes have further columns for items without a vote.
    """

    together: Panel
    voting: IntArray
    has_votes: bool
    n_classes: int
    has_silent: bool = False

    @classmethod
    def choose(cls, population: Patterns, n_gold: int, heard: AnyArray | None = None) -> StackColumns:
        """For so many gold labels out of some items; from the votes of some of the rules, if these are said."""
        together = Panel.of_distinct(population, heard)
        per_item = n_gold / max(1, population.n_items)
        expected = together.counted * population.votes_per_rule * per_item
        often = np.argsort(-expected, kind="stable")[:_MOST_RULES]
        voting = np.sort(often[expected[often] >= _LEAST_EXPECTED])
        has_votes = len(voting) * population.n_classes**2 <= _MOST_BY_VOTE
        n_silent = int(population.counts[_is_silent(population, together.counted)].sum())
        has_silent = min(n_silent, population.n_items - n_silent) * per_item >= _LEAST_EXPECTED
        return cls(together, voting, has_votes, population.n_classes, has_silent)

    @cached_property
    def kinds(self) -> IntArray:
        """What each column is, shape (n_columns,)."""
        return np.repeat([PANEL, RULE, VOTE, CLASS], self._sizes)

    @property
    def n_columns(self) -> int:
        """Known before anything of that size is made."""
        return sum(self._sizes)

    @property
    def _sizes(self) -> list[int]:
        n = len(self.voting)
        by_vote = n * self.n_classes * self._n_free * self.has_votes
        return [self.together.n_columns, n, by_vote, self._n_free * (1 + self.has_silent)]

    @property
    def _n_free(self) -> int:
        """Classes with weights of their own: with two, one is enough."""
        return 1 if self.n_classes == 2 else self.n_classes

    @property
    def free(self) -> IntArray:
        """Which they are."""
        return np.arange(self.n_classes)[self.n_classes == 2 :]

    def panel(self, patterns: Patterns) -> FloatArray:
        """Logs of what majority vote and the panels say, shape (n_patterns, n_classes, 2 or 3)."""
        return self.together.logs(self.together.sums(patterns))

    def table(self, patterns: Patterns) -> FloatArray:
        """All columns, dense, shape (n_patterns, n_classes, n_columns)."""
        k, free = self.n_classes, self.free
        is_vote = self._votes(patterns)
        size = patterns.n_patterns
        parts = [self.panel(patterns), is_vote.transpose(0, 2, 1)]
        if self.has_votes:
            by_vote = np.zeros((size, k, len(self.voting), k, len(free)))
            for i, c in enumerate(free):
                by_vote[:, c, :, :, i] = is_vote
            parts.append(by_vote.reshape(size, k, len(self.voting) * k * len(free)))
        of_class = np.broadcast_to(np.eye(k)[:, free], (size, k, len(free)))
        parts.append(of_class)
        if self.has_silent:
            parts.append(of_class * _is_silent(patterns, self.together.counted)[:, None, None])
        return np.concatenate(parts, axis=2)

    def _votes(self, patterns: Patterns) -> FloatArray:
        """1 where a rule with columns of its own votes for a class, shape (n_patterns, n_voting, n_classes)."""
        place = np.full(patterns.n_rules, -1)
        place[self.voting] = np.arange(len(self.voting))
        there = place[patterns.rules] >= 0
        is_vote = np.zeros((patterns.n_patterns, len(self.voting), self.n_classes))
        is_vote[patterns.owners[there], place[patterns.rules[there]], patterns.classes[there]] = 1
        return is_vote

    def split(self, weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Weights of the panel's columns; what each vote adds to each class, (n_rules, n_classes, n_classes); classes.

        The last of shape (2, n_classes): on all items, and what is added where nobody votes. Scores are a sum of these.
        """
        k, free, n = self.n_classes, self.free, len(self.voting)
        by_vote = np.zeros((len(self.together.counted), k, k))
        by_vote[self.voting[:, None], np.arange(k), np.arange(k)] = weights[self.kinds == RULE][:, None]
        if self.has_votes:
            by_vote[np.ix_(self.voting, np.arange(k), free)] += weights[self.kinds == VOTE].reshape(n, k, len(free))
        by_class = np.zeros((2, k))
        by_class[: 1 + self.has_silent, free] = weights[self.kinds == CLASS].reshape(-1, len(free))
        return weights[self.kinds == PANEL], by_vote, by_class

    def scores(self, patterns: Patterns, weights: FloatArray, panel: FloatArray | None = None) -> FloatArray:
        """Columns times weights, shape (n_patterns, n_classes); with the panel's columns if they are there already."""
        of_panel, by_vote, by_class = self.split(weights)
        panel = self.panel(patterns) if panel is None else panel
        is_silent = _is_silent(patterns, self.together.counted)
        return np.asarray(panel @ of_panel + patterns.sum_votes(by_vote) + _of_classes(by_class, is_silent))

    def scores_without(self, patterns: Patterns, weights: FloatArray) -> FloatArray:
        """Scores of the pattern of each vote, were it an abstention; with the same weights, shape (n_votes, n_classes).

        Every column is a sum over votes, or a function of such sums, so no pattern is made anew.
        """
        sums = self.sums(patterns, weights)
        without = self.sums_without(sums, weights, patterns.owners, patterns.rules, patterns.classes)
        return self.scores_of_sums(without, weights)

    def sums(self, patterns: Patterns, weights: FloatArray) -> FloatArray:
        """Sums over the votes of each pattern, by class: those of the panel, and of what columns of rules add.

        Shape (n_sums, n_patterns, n_classes).
        """
        return np.stack([*self.together.sums(patterns), patterns.sum_votes(self.split(weights)[1])])

    def sums_without(
        self, sums: FloatArray, weights: FloatArray, owners: IntArray, rules: IntArray, classes: IntArray
    ) -> FloatArray:
        """The sums of the patterns of some votes, each without that vote, shape (n_sums, n_votes, n_classes)."""
        less, there, together = sums[:, owners], (np.arange(len(owners)), classes), self.together
        less[0][there] -= together.counted[rules]
        less[1][there] -= together.log_odds[rules]
        if together.has_confusions:
            less[2] -= together.confusions[rules, classes]
        less[-1] -= self.split(weights)[1][rules, classes]
        return less

    def scores_of_sums(self, sums: FloatArray, weights: FloatArray) -> FloatArray:
        """Columns times weights, from sums over votes."""
        of_panel, _, by_class = self.split(weights)
        is_silent = sums[0].sum(axis=1) == 0
        return np.asarray(self.together.logs([*sums[:-1]]) @ of_panel + sums[-1] + _of_classes(by_class, is_silent))


def _is_silent(patterns: Patterns, counted: FloatArray) -> AnyArray:
    """Patterns for which none of the rules that count votes."""
    return np.asarray(np.bincount(patterns.owners, counted[patterns.rules], minlength=patterns.n_patterns) == 0)


def _of_classes(by_class: FloatArray, is_silent: AnyArray) -> FloatArray:
    """What classes add to each pattern, shape (n_patterns, n_classes)."""
    return np.asarray(by_class[0] + is_silent[:, None] * by_class[1])
