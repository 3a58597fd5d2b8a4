"""Verdicts of aggregators that use no gold label, as moments: how often they are right where they speak."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.moments.linear import OPINION, About, Moments
from thumbwise.numerics.even_panel import verdicts, weighted_scores, weighted_verdicts
from thumbwise.numerics.patterns import Patterns
from thumbwise.numerics.shared_features import cell_features
from thumbwise.votes.counted_votes import CountedVotes


@dataclass(frozen=True, eq=False)
class Opinion(ABC):
    """A class for each item, or none, from its votes alone; as a builder of moments, how often it is right.

    *Proof* that its interval is exact: the opinion is settled before gold labels are seen, so on which items of the
    population it speaks, and on which of those it is right, does not depend on the draw; given how many gold items it
    speaks on, the number of right ones among them is hypergeometric, as for a rule.

    Attributes
    ----------
    name : str
    """

    name: str
    is_over_votes: ClassVar[bool] = False

    @abstractmethod
    def verdicts(self, patterns: Patterns) -> IntArray:
        """Class number of each pattern, -1 where it says nothing, shape (n_patterns,)."""

    def __call__(self, votes: CountedVotes) -> Moments:
        patterns, chosen = votes.patterns, self.verdicts(votes.patterns)
        speaks = np.flatnonzero(chosen >= 0)
        cells = speaks * patterns.n_classes + chosen[speaks]
        column = np.zeros(len(cells), dtype=np.int64)
        return Moments.of_shares(
            [About(f"opinion({self.name})", self.name, OPINION)],
            cell_features(cells, column, patterns.n_patterns, patterns.n_classes, 1),
            np.array([patterns.counts[speaks].sum()], dtype=np.int64),
            [(OPINION, cells.tobytes())],
        )


class SummedOpinion(Opinion):
    """An opinion that follows from how much weight votes for each class.

    Attributes
    ----------
    name : str
    weights : ndarray of shape (n_rules,)
    """

    weights: FloatArray

    def scores(self, patterns: Patterns) -> FloatArray:
        """Sum of weights for each class, shape (n_patterns, n_classes)."""
        return weighted_scores(patterns, self.weights)

    @abstractmethod
    def judge(self, scores: FloatArray) -> IntArray:
        """Class numbers that follow from such sums, -1 for none."""

    def verdicts(self, patterns: Patterns) -> IntArray:
        return self.judge(self.scores(patterns))


@dataclass(frozen=True, eq=False)
class WeightedVote(SummedOpinion):
    """The class for which the weights of its voters sum to most; nothing where two are equal.

    Attributes
    ----------
    name : str
    rules : tuple of str
    weights : ndarray of shape (n_rules,)
        0 for rules that do not count, such as copies of others.
    """

    rules: tuple[str, ...]
    weights: FloatArray

    def judge(self, scores: FloatArray) -> IntArray:
        return verdicts(scores)

    def verdicts(self, patterns: Patterns) -> IntArray:
        return weighted_verdicts(patterns, self.weights)
