"""Expectation maximisation for rules with an accuracy for each class, at the cost of the votes.

Rule j votes for the true class c with probability b_jc, and for each other one with q_jc = (1 - b_jc) / (k - 1). So
with the rules R(t) that vote on pattern t, and its votes (j, v),

    score(t, c) = log w_c + sum over j in R(t) of log q_jc  +  sum over votes with v = c of (log b_jc - log q_jc),

where the first two terms are those of all patterns that the same rules vote on, and the last one is there for classes
with a vote only. Nothing of size patterns x classes or rules x classes x classes is made. Arrays in, arrays out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.patterns import Patterns, merge_patterns
from thumbwise.numerics.rate_vectors import CoinVectors
from thumbwise.numerics.shared_softmax import SharedSoftmax, find_places
from thumbwise.numerics.vote_rates import log_rates

# Cells that are treated one by one, of all patterns and classes, up to which that is worth it.
_MOST_CELLS = 0.5


@dataclass(frozen=True, eq=False)
class VotedCells:
    """Cells (pattern, class) with a vote, and the sets of rules that vote on a pattern.

    Attributes
    ----------
    cells : ndarray of shape (n_cells,)
        Pattern times the number of classes, plus class; ascending.
    place : ndarray of shape (n_votes,)
        Cell of each vote.
    kinds : ndarray of shape (n_patterns,)
        Patterns of the same rules are of one kind.
    members : sparse array of shape (n_kinds, n_rules)
        1 for each rule of a kind.
    """

    patterns: Patterns
    cells: IntArray
    place: IntArray
    kinds: IntArray
    members: sp.csr_array

    @classmethod
    def of(cls, patterns: Patterns) -> VotedCells:
        k = patterns.n_classes
        cells, place = np.unique(patterns.owners * np.int64(k) + patterns.classes, return_inverse=True)
        alike = {name: np.zeros_like(getattr(patterns, name)) for name in ("classes", "groups")}
        sets, kinds = merge_patterns(replace(patterns, n_classes=1, **alike))
        ones = np.ones(len(sets.rules))
        members = sp.csr_array((ones, sets.rules, sets.starts), shape=(sets.n_patterns, sets.n_rules))
        return cls(patterns, cells, place, kinds.astype(np.int64), members)

    @property
    def are_few(self) -> bool:
        """Whether cells and kinds are so few that a table of all patterns and classes would take longer."""
        n_kinds, k = self.members.shape[0], self.patterns.n_classes
        return len(self.cells) + n_kinds * k <= _MOST_CELLS * self.patterns.n_patterns * k

    @cached_property
    def coins(self) -> IntArray:
        """Accuracy that each vote is about, among those of all rules and classes."""
        return self.patterns.rules * np.int64(self.patterns.n_classes) + self.patterns.classes

    def with_whole(self, some: IntArray) -> VotedCells:
        """The same, with a cell for every class of some patterns."""
        k = self.patterns.n_classes
        cells = np.union1d(self.cells, (some[:, None] * k + np.arange(k)).ravel())
        return replace(self, cells=cells, place=np.searchsorted(cells, self.cells)[self.place])

    def soften(self, base: FloatArray, by_coin: FloatArray) -> SharedSoftmax:
        """Probabilities, from scores by kind and class and what a vote adds to its class."""
        places = find_places(self.cells, self.patterns.n_patterns, self.patterns.n_classes)
        extra = np.bincount(self.place, by_coin[self.coins], minlength=len(self.cells))
        return SharedSoftmax(base, self.kinds, places, extra.astype(float))


@dataclass(frozen=True, eq=False)
class ConditionalVotes:
    """Votes, labels and prior counts that accuracies and class frequencies are estimated from.

    Attributes
    ----------
    unlabeled : ndarray of shape (n_patterns,)
        Number of items without a label.
    right, cast : ndarray of shape (n_rules, n_classes)
        Of items with a label of each class, and a priori: right votes of each rule, and all of its votes.
    by_class : ndarray of shape (n_classes,)
        Items with a label of each class, and a priori.
    """

    voted: VotedCells
    unlabeled: FloatArray
    right: FloatArray
    cast: FloatArray
    by_class: FloatArray

    @cached_property
    def vectors(self) -> CoinVectors:
        n_rules, n_classes = self.right.shape
        return CoinVectors(n_rules, n_classes, by_class=True)

    def maximise(self, right: FloatArray, cast: FloatArray, by_class: FloatArray) -> FloatArray:
        """Parameters that fit best, from votes and items that are expected of unlabeled items."""
        right, cast, by_class = self.right + right, self.cast + cast, self.by_class + by_class
        accuracies = np.divide(right, cast, out=np.full_like(right, 1 / right.shape[1]), where=cast > 0)
        return self.vectors.join(accuracies, by_class / by_class.sum())

    def start(self, shares: FloatArray) -> FloatArray:
        """Parameters that fit best to probabilities of the voted cells; patterns without votes are of no class more."""
        patterns, k = self.voted.patterns, self.right.shape[1]
        masses = self.unlabeled[self.voted.cells // k] * shares
        spots = self.voted.kinds[self.voted.cells // k] * k + self.voted.cells % k
        by_kind = np.bincount(spots, masses, minlength=self.voted.members.shape[0] * k).reshape(-1, k).astype(float)
        mute = self.unlabeled[patterns.votes_per_pattern == 0].sum() / k
        return self._follow(masses, by_kind, by_kind.sum(axis=0) + mute, self.voted)

    def step(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Log posterior of the parameters up to a constant, and the E and M step that follow."""
        right, wrong, by_class = self.vectors.parts(log_rates(parameters))
        right, wrong = right.reshape(self.right.shape), wrong.reshape(self.right.shape)
        base, by_coin, voted = self.voted.members @ wrong + by_class, (right - wrong).ravel(), self.voted
        softmax = voted.soften(base, by_coin)
        if len(softmax.poor):
            voted = voted.with_whole(softmax.poor)
            softmax = voted.soften(base, by_coin)
        objective = self.unlabeled @ softmax.log_sums + self.by_class @ by_class
        objective += (self.right * right).sum() + ((self.cast - self.right) * wrong).sum()
        masses = self.unlabeled[voted.cells // len(by_class)] * softmax.chances
        by_kind = self._by_kind(softmax, masses, voted)
        return float(objective), self._follow(masses, by_kind, by_kind.sum(axis=0), voted)

    def _by_kind(self, softmax: SharedSoftmax, masses: FloatArray, voted: VotedCells) -> FloatArray:
        """Expected unlabeled items of each kind and class: those at cells, and those of patterns without the cell."""
        n_kinds, k = softmax.terms.shape
        scaled, n_cells = self.unlabeled * softmax.scale, n_kinds * k
        there = np.bincount(softmax.spots, scaled[voted.cells // k], minlength=n_cells).reshape(n_kinds, k)
        elsewhere = np.bincount(voted.kinds, scaled, minlength=n_kinds)[:, None] - there
        at_cells = np.bincount(softmax.spots, masses, minlength=n_cells).reshape(n_kinds, k)
        return np.asarray(softmax.terms * np.maximum(elsewhere, 0) + at_cells)

    def _follow(self, masses: FloatArray, by_kind: FloatArray, by_class: FloatArray, voted: VotedCells) -> FloatArray:
        """The M step, from expected items at cells and of kinds."""
        right = np.bincount(voted.coins, masses[voted.place], minlength=self.right.size).astype(float)
        return self.maximise(right.reshape(self.right.shape), voted.members.T @ by_kind, by_class)
