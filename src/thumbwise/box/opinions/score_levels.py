"""A learned opinion that has seen scores of judges, as groups of items: how sure it is, and of which class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from thumbwise.box.gold import GoldSample
from thumbwise.box.moments.written import LinearMoment
from thumbwise.box.opinions.levels import FeatureLevels, Lessons, learn_groups, rows_of
from thumbwise.exceptions import Argument, InPython, InvalidVotesError
from thumbwise.numerics.score_columns import Consensus, ScoreColumns
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.score_scales import ScoreScale
from thumbwise.votes.scored_votes import ScoredVotes
from thumbwise.votes.votes import Votes


@dataclass(frozen=True, eq=False)
class ScoreLevels(FeatureLevels):
    """The same, from the ranks of scores.

    Attributes
    ----------
    scale : ScoreScale
        That of the items of the fit, on which other items are put too.
    """

    scaling: Consensus
    columns: ScoreColumns
    scale: ScoreScale

    def group(self, votes: Votes, features: Any = None) -> Votes:
        """The votes with the group of each item, from their scores; as they are if they are in groups already."""
        if votes.group_names == self.names:
            return votes
        if not isinstance(votes, ScoredVotes):
            raise InvalidVotesError(
                "the model was fitted to scores, and needs them here; found votes without scores. ",
                InPython("Read them with ScoredVotes(..., like=votes of the fit)."),
            )
        scored = votes.on(self.scale)
        return self._group(scored, self.scaling.apply(scored.ranked))

    def read(self, votes: Any) -> Any:
        """Votes that are read already, whatever they are; arrays and frames as scores of the same kind."""
        if isinstance(votes, CountedVotes):
            return votes
        high, scores_are, names, threshold, _ = self.scale.declared(self.class_names)
        return ScoredVotes(votes, scores=high, scores_are=scores_are, class_names=names, threshold=threshold)


def scored_pair(sample: GoldSample, features: Any = None) -> tuple[ScoredVotes, ScoredVotes] | None:
    """Pool and gold, if there are scores to learn from; refuse gold and pool whose scores are on different scales."""
    pool, gold = sample.pool, sample.votes
    if not isinstance(pool, ScoredVotes):
        return None
    if features is not None:
        raise InvalidVotesError(
            "scores are features already, and take no others beside them. Drop ", Argument("features"), "."
        )
    if not isinstance(gold, ScoredVotes) or gold.scale is not pool.scale:
        raise InvalidVotesError(
            "gold and pool must be scored on one scale; found two, or votes without scores. Read all items together",
            InPython(", and take gold from them: votes.take(items)"),
            ".",
        )
    if sample.gold_is == "separate" and pool.scale.n_items < pool.n_items + gold.n_items:
        raise InvalidVotesError(
            f"if gold is no part of the pool, the scale must be made of both; it was made of {pool.scale.n_items:,} "
            f"items, and gold and pool are {pool.n_items + gold.n_items:,}. Read all items together",
            InPython(", and take both from them: votes.take(items)"),
            ".",
        )
    return pool, gold


def learn_score_levels(
    sample: GoldSample, pair: tuple[ScoredVotes, ScoredVotes], error: float
) -> tuple[GoldSample, ScoreLevels, LinearMoment, float]:
    """The sample with groups, the groups, and a moment of them with its upper bound.

    Before gold labels are seen: ranks, the consensus and how judges differ, from the scores of all items. Order,
    lessons and bound are as without scores (:mod:`thumbwise.box.opinions.learned`); the first lesson believes the
    consensus, each later one what the labels before it showed.

    *Guarantee*: the bound holds with probability at least ``1 - error``, if gold is a uniformly random part of the pool
    or of gold and pool together.
    """
    pool, gold = pair
    ranks, of_gold = pool.ranked, gold.ranked
    everything = ranks if sample.gold_is == "subset" else np.concatenate([ranks, of_gold])
    consensus = Consensus.of(everything, pool.numbers.shape[2])
    columns = ScoreColumns(pool.n_classes, consensus.differences.shape[1])
    lessons = Lessons(columns, rows_of(pool, consensus.apply(ranks)), rows_of(gold, consensus.apply(of_gold)), error)
    make = partial(ScoreLevels, consensus, columns, scale=pool.scale)
    return learn_groups(sample, lessons, pool.scale.n_levels, make)
