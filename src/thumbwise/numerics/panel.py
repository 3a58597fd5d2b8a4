"""What rules say together, from votes alone: between majority vote and what agreement tells of each rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.numerics.even_confusions import confusions_of
from thumbwise.numerics.even_panel import first_informative, first_of_copies, log_odds_of, weighted_scores
from thumbwise.numerics.maxent import softmax
from thumbwise.numerics.patterns import Patterns

# Weight of an even distribution in each panel's: rules that err together make it too sure of itself.
EVEN_PART = 0.3
HALF_A_VOTE = 0.5
# Half of what majority says plus half of what the panel says that knows accuracies; or a quarter of each, plus half of
# what the panel says that knows confusions.
TRUST = {2: (0.5, 0.5), 3: (0.25, 0.25, 0.5)}
# Digits to which scores are compared: sums over rules in another order differ in the last ones.
_DIGITS = 9


@dataclass(frozen=True, eq=False)
class Panel:
    """Majority vote and one or two panels, and what follows from all of them. No label has a part in it.

    Attributes
    ----------
    counted : ndarray of shape (n_rules,)
        1 for rules that count: of copies one does.
    log_odds : ndarray of shape (n_rules,)
        Of one-coin Dawid-Skene with even class frequencies.
    confusions : ndarray of shape (n_rules, n_classes, n_classes)
        What each vote adds to each class, of Dawid-Skene with even class frequencies; of no rule, shape (0, ...), where
        there is no such panel.
    """

    counted: FloatArray
    log_odds: FloatArray
    confusions: FloatArray

    @classmethod
    def of_distinct(cls, patterns: Patterns, heard: AnyArray | None = None) -> Panel:
        """Of rules that vote, each set of copies once; of some of the rules, if these are said."""
        return cls._of(patterns, first_of_copies(patterns, heard))

    @classmethod
    def of_informative(cls, patterns: Patterns) -> Panel:
        """The same, without rules that say one class of every item: they tell no item from another."""
        return cls._of(patterns, first_informative(patterns))

    @classmethod
    def _of(cls, patterns: Patterns, counted: FloatArray) -> Panel:
        return cls(counted, log_odds_of(patterns, counted), confusions_of(patterns, counted))

    @property
    def has_confusions(self) -> bool:
        """Whether there is a panel that knows them."""
        return len(self.confusions) > 0

    @property
    def n_columns(self) -> int:
        """Majority vote and panels."""
        return 2 + self.has_confusions

    def sums(self, patterns: Patterns) -> list[FloatArray]:
        """How many rules vote for each class, the sum of their log-odds, and that of what their confusions add."""
        sums = [weighted_scores(patterns, self.counted), weighted_scores(patterns, self.log_odds)]
        return [*sums, patterns.sum_votes(self.confusions)] if self.has_confusions else sums

    def logs(self, sums: Sequence[FloatArray]) -> FloatArray:
        """Log shares of the votes, and log probabilities of the panels mixed with an even guess, from these sums.

        Centred over classes, shape (n_patterns, n_classes, n_columns).
        """
        counts = sums[0] + HALF_A_VOTE
        mixed = [(1 - EVEN_PART) * softmax(odds)[0] + EVEN_PART / odds.shape[1] for odds in sums[1:]]
        logs = np.log(np.stack([counts / counts.sum(axis=1, keepdims=True), *mixed], axis=2))
        return np.asarray(logs - logs.mean(axis=1, keepdims=True))

    def scores(self, patterns: Patterns) -> FloatArray:
        """What all of it says of each class, shape (n_patterns, n_classes): where a regression on votes starts from."""
        return np.asarray(np.round(self.logs(self.sums(patterns)) @ np.array(TRUST[self.n_columns]), _DIGITS))

    def verdicts(self, patterns: Patterns) -> IntArray:
        """Class of each pattern; of classes with the same score the first, also where nobody votes."""
        return np.asarray(self.scores(patterns).argmax(axis=1))

    def sureness(self, patterns: Patterns) -> FloatArray:
        """Its own probability of that class."""
        return np.asarray(np.round(softmax(self.scores(patterns))[0].max(axis=1), _DIGITS))

    def guesses(self, patterns: Patterns, values: FloatArray) -> FloatArray:
        """Mean of the values of the classes voted for, by pattern; that of all votes where nobody votes."""
        shares = weighted_scores(patterns, self.counted)
        n_votes = shares.sum(axis=1)
        all_votes = patterns.counts @ shares
        usual = float(values.mean()) if all_votes.sum() == 0 else float(all_votes @ values / all_votes.sum())
        return np.where(n_votes > 0, shares @ values / np.maximum(n_votes, 1), usual)
