"""What opinions would say if one rule said nothing: looked at again only where that rule votes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from thumbwise._typing import FloatArray, IntArray
from thumbwise.assess.planned_panel import PlannedPanel
from thumbwise.box.opinions.learned import LearnedOpinion
from thumbwise.box.opinions.opinion import SummedOpinion
from thumbwise.numerics.distilling import floored_losses
from thumbwise.numerics.patterns import Patterns
from thumbwise.numerics.shared_features import Features, Rows, SharedFeatures, cell_features, join_features
from thumbwise.votes.votes import Votes


@dataclass(frozen=True, eq=False)
class Heard:
    """What a panel says of each pattern.

    Attributes
    ----------
    verdicts : ndarray of shape (n_opinions, n_patterns)
        Class numbers, -1 where an opinion says nothing.
    losses : ndarray of shape (n_patterns, n_classes) or None
        Of the learned opinion, if there is one.
    """

    verdicts: IntArray
    losses: FloatArray | None

    def put(self, rows: IntArray, there: Heard) -> Heard:
        """With what is said of some patterns in place of what was said of them."""
        verdicts = self.verdicts.copy()
        verdicts[:, rows] = there.verdicts
        if self.losses is None or there.losses is None:
            return Heard(verdicts, None)
        losses = self.losses.copy()
        losses[rows] = there.losses
        return Heard(verdicts, losses)


@dataclass(frozen=True, eq=False)
class HeardVotes:
    """Votes, and what a panel says of them.

    Attributes
    ----------
    patterns : Patterns
    inverse : ndarray of shape (n_items,)
    panel : PlannedPanel
    """

    patterns: Patterns
    inverse: IntArray
    panel: PlannedPanel

    @classmethod
    def of(cls, votes: Votes, panel: PlannedPanel) -> HeardVotes:
        return cls(votes.patterns, votes.inverse, panel)

    @cached_property
    def now(self) -> Heard:
        """As it is."""
        return self._hear(self._scores, self._sums, self.patterns.n_patterns)

    def without(self, rule: int) -> Heard:
        """As if a rule said nothing.

        Opinions follow from sums over the votes of a pattern, so patterns without its vote stay as they are, and from
        the sums of the others its vote is taken off.
        """
        owners, classes, ends = self._by_rule
        own = slice(ends[rule], ends[rule + 1])
        rows, voted = owners[own], classes[own]
        scores = [by_class[rows] for by_class in self._scores]
        for opinion, by_class in zip(self._opinions, scores, strict=True):
            by_class[np.arange(len(rows)), voted] -= opinion.weights[rule]
        sums = self._sums
        if sums is not None and self._learned is not None:
            rules = np.full(len(rows), rule)
            sums = self._learned.columns.sums_without(sums, self._learned.weights, rows, rules, voted)
        return self.now.put(rows, self._hear(scores, sums, len(rows)))

    def _hear(self, scores: Sequence[FloatArray], sums: FloatArray | None, n_patterns: int) -> Heard:
        said = [opinion.judge(by_class) for opinion, by_class in zip(self._opinions, scores, strict=True)]
        losses = None
        if sums is not None and self._learned is not None:
            learned = self._learned
            losses = floored_losses(learned.columns.scores_of_sums(sums, learned.weights), learned.floor)
        return Heard(np.array(said, dtype=np.int64).reshape(len(said), n_patterns), losses)

    @property
    def _opinions(self) -> tuple[SummedOpinion, ...]:
        return tuple(opinion for opinion in self.panel.opinions if isinstance(opinion, SummedOpinion))

    @property
    def _learned(self) -> LearnedOpinion | None:
        return None if self.panel.learned is None else self.panel.learned.opinion

    @cached_property
    def _scores(self) -> list[FloatArray]:
        """For each opinion, the weight that votes for each class, shape (n_patterns, n_classes)."""
        return [opinion.scores(self.patterns) for opinion in self._opinions]

    @cached_property
    def _sums(self) -> FloatArray | None:
        """What the learned opinion adds up."""
        learned = self._learned
        return None if learned is None else learned.columns.sums(self.patterns, learned.weights)

    @cached_property
    def _by_rule(self) -> tuple[IntArray, IntArray, IntArray]:
        """Pattern and class of each vote, rule after rule, and where those of a rule begin."""
        rules = self.patterns.rules
        order = np.argsort(rules, kind="stable")
        ends = np.searchsorted(rules[order], np.arange(self.patterns.n_rules + 1))
        return self.patterns.owners[order], self.patterns.classes[order], ends

    def sizes(self, heard: Heard) -> IntArray:
        """Items that each opinion speaks on."""
        return np.asarray((heard.verdicts >= 0) @ self.patterns.counts)

    def features(self, heard: Heard, beside: Features) -> FloatArray | Rows:
        """A column for each opinion and one for the losses of the learned one, stored as those beside them need it."""
        k, n_patterns, n_opinions = self.patterns.n_classes, self.patterns.n_patterns, len(heard.verdicts)
        opinion, owner = np.nonzero(heard.verdicts >= 0)
        cells = owner * k + heard.verdicts[opinion, owner]
        if isinstance(beside, SharedFeatures):
            columns = cell_features(cells, opinion, n_patterns, k, n_opinions)
            return (
                columns if heard.losses is None else join_features(columns, sp.csr_array(heard.losses.reshape(-1, 1)))
            )
        dense = np.zeros((n_patterns * k, n_opinions + (heard.losses is not None)), order="F")
        dense[cells, opinion] = 1
        if heard.losses is not None:
            dense[:, -1] = heard.losses.ravel()
        return dense
