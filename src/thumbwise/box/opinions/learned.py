"""The learned opinion: a formula that gold taught, and a bound on its log loss from the same gold labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.box.gold import GoldSample
from thumbwise.box.moments.linear import LEARNED, About, Moments, one_column
from thumbwise.numerics.distilling import distil, floored_losses
from thumbwise.numerics.patterns import Patterns
from thumbwise.numerics.progressive import GoldRows, bound_progressively
from thumbwise.numerics.stack_columns import StackColumns
from thumbwise.votes.counted_votes import CountedVotes


@dataclass(frozen=True, eq=False)
class LearnedOpinion:
    """Probabilities from a regression on what the panel and the rules say; as a moment, its mean log loss.

    Attributes
    ----------
    columns : StackColumns
        What the regression sees; settled before gold labels are.
    weights : ndarray of shape (n_columns,)
    floor : float
        Weight of an even guess in its probabilities.
    taught : ndarray of shape (n_columns,), or None
        Weights that all of gold taught, which nothing is proved of: what caution aims at. No file holds them.
    """

    columns: StackColumns
    weights: FloatArray
    floor: float
    taught: FloatArray | None = None
    is_over_votes: ClassVar[bool] = False

    def log_losses(self, patterns: Patterns) -> FloatArray:
        """Minus the log of its probabilities, shape (n_patterns, n_classes)."""
        return floored_losses(self.columns.scores(patterns, self.weights), self.floor)

    def __call__(self, votes: CountedVotes) -> Moments:
        about = About("log loss(learned opinion)", "learned opinion", LEARNED)
        return one_column(about, self.log_losses(votes.patterns), votes.n_items)


def learn_opinion(sample: GoldSample, population: Patterns, error: float) -> tuple[LearnedOpinion, float]:
    """A formula, and an upper bound on its mean log loss over the pool.

    Columns, orders and lessons are settled from votes, counts and a fixed seed. The order of gold begins with that of
    ids, or of rows where there are none, and never with labels. The formula itself may be any function of gold: what is
    bounded is the loss of earlier formulas, and what that says of this one
    (:mod:`thumbwise.numerics.progressive`, :mod:`thumbwise.numerics.distilling`).

    *Guarantee*: the bound holds with probability at least ``1 - error``, if gold is a uniformly random part of the pool
    or of gold and pool together.
    """
    columns = StackColumns.choose(population, len(sample))
    order = sample.in_order
    rows = GoldRows(
        sample.votes.patterns,
        sample.votes.inverse.astype(np.int64)[order],
        sample.labels[order],
        sample.gold_is == "separate",
    )
    progress = bound_progressively(rows, sample.pool.patterns, columns, error)
    formula = distil(progress, sample.pool.patterns, columns)
    return LearnedOpinion(columns, formula.weights, formula.floor, progress.taught), formula.bound
