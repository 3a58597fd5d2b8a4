"""A learned opinion that has seen features of the items, as groups of items: how sure it is, and of which class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.gold import GoldSample
from thumbwise.box.moments.linear import LEARNED
from thumbwise.box.moments.written import LinearMoment
from thumbwise.box.opinions.features import Scaling, read_features, stack_features
from thumbwise.exceptions import Argument, InvalidVotesError
from thumbwise.numerics.distilling import Distilled, distil, floored_losses
from thumbwise.numerics.feature_columns import FeatureColumns, ItemRows
from thumbwise.numerics.patterns import Patterns
from thumbwise.numerics.progressive import Columns, GoldRows, ProgressiveBound, bound_progressively
from thumbwise.numerics.score_columns import Consensus, ScoreColumns
from thumbwise.numerics.stack_columns import StackColumns
from thumbwise.votes.inputs import in_memory
from thumbwise.votes.votes import Votes

# Groups, at most: steps of how sure it is, for each class that it thinks most likely. Coarse steps cost bound.
_MOST_GROUPS = 128
LevelsT = TypeVar("LevelsT", bound="FeatureLevels")


@dataclass(frozen=True, eq=False)
class FeatureLevels:
    """Which group an item is in: the class that the opinion thinks most likely, and how sure it is, in steps.

    Items of a group share their probabilities if their votes are the same, so that patterns stay few.

    Attributes
    ----------
    scaling : Scaling, or Consensus for scores
    columns : FeatureColumns, or ScoreColumns
    formula : Distilled
    edges : ndarray of shape (n_classes, n_steps - 1)
        Where the steps of each class begin, as probabilities.
    """

    scaling: Scaling | Consensus
    columns: FeatureColumns | ScoreColumns
    formula: Distilled
    edges: FloatArray
    class_names: tuple[Any, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the groups, least sure first for each class."""
        return tuple(f"{name} {step + 1}" for name in self.class_names for step in range(self.edges.shape[1] + 1))

    def losses(self, rows: ItemRows) -> FloatArray:
        """Log losses of the opinion on items."""
        return floored_losses(self.columns.scores(rows, self.formula.weights), self.formula.floor)

    def places(self, rows: ItemRows) -> IntArray:
        """Group of each item, by the losses of the opinion."""
        best, sure = _verdict(self.losses(rows))
        steps = (sure[:, None] >= self.edges[best]).sum(axis=1)
        return np.asarray(best * (self.edges.shape[1] + 1) + steps)

    def group(self, votes: Votes, features: Any) -> Votes:
        """The votes with the group of each item, from a row of features for each."""
        return self._group(votes, self.scaling.apply(read_features(features, votes.n_items, "X")))

    def _group(self, votes: Votes, matrix: FloatArray) -> Votes:
        return votes.with_groups(self.places(rows_of(votes, matrix)), self.names)


def learn_levels(
    sample: GoldSample, population: Patterns, features: Any, gold_features: Any, error: float
) -> tuple[GoldSample, FeatureLevels, LinearMoment, float]:
    """The sample with groups, the groups, and a moment of them with its upper bound.

    Scaling and columns come from all items and no label; order, lessons and bound are as without features
    (:mod:`thumbwise.box.opinions.learned`). The losses by group are a further formula that may be chosen after all is
    seen.

    *Guarantee*: the bound holds with probability at least ``1 - error``, if gold is a uniformly random part of the pool
    or of gold and pool together.
    """
    pool = in_memory(sample.pool, "an opinion with features")
    matrix, of_gold = _read_both(sample, pool, features, gold_features)
    everything = matrix if sample.gold_is == "subset" else stack_features(matrix, of_gold)
    scaling = Scaling.of(everything)
    columns = FeatureColumns(StackColumns.choose(population, len(sample)), scaling.directions.shape[1])
    rows, gold_rows = rows_of(pool, scaling.apply(matrix)), rows_of(sample.votes, scaling.apply(of_gold))
    teach = Lessons(columns, rows, gold_rows, error)
    return learn_groups(sample, teach, _MOST_GROUPS, partial(FeatureLevels, scaling, columns))


@dataclass(frozen=True, eq=False)
class Lessons:
    """What is learned from: columns, settled without labels, items of pool and gold, and the error that is allowed."""

    columns: Columns
    rows: ItemRows
    gold_rows: ItemRows
    error: float


def rows_of(votes: Votes, matrix: FloatArray) -> ItemRows:
    """Items with their votes and numbers."""
    return ItemRows.of(votes.patterns, votes.inverse.astype(np.int64), matrix)


def learn_groups(
    sample: GoldSample, lessons: Lessons, most_groups: int, make: Callable[..., LevelsT]
) -> tuple[GoldSample, LevelsT, LinearMoment, float]:
    """Learn, certify, and put items into groups that the formula tells apart; ``make`` gets formula, edges, classes."""
    columns, rows, gold_rows = lessons.columns, lessons.rows, lessons.gold_rows
    names = sample.pool.class_names
    gold = GoldRows(gold_rows, sample.in_order, sample.labels[sample.in_order], sample.gold_is == "separate")
    progress = bound_progressively(gold, rows, columns, lessons.error)
    formula = distil(progress, rows, columns)
    losses = floored_losses(columns.scores(rows, formula.weights), formula.floor)
    levels = make(formula, _edges(losses, most_groups), names)
    table, bound = _by_level(levels.places(rows), losses, len(levels.names), progress, formula)
    by_class = [dict(zip(names, row, strict=True)) for row in table.tolist()]
    moment = LinearMoment("log loss(learned opinion)", dict(zip(levels.names, by_class, strict=True)), LEARNED)
    return _with_groups(sample, levels, rows, gold_rows), levels, moment, bound


def _read_both(sample: GoldSample, pool: Votes, features: Any, gold_features: Any) -> tuple[Any, Any]:
    if pool.group_names:
        raise InvalidVotesError(Argument("features"), " are for votes without ", Argument("item_groups"), ".")
    matrix = read_features(features, pool.n_items, "features")
    if gold_features is None:
        raise InvalidVotesError(
            Argument("features"), " of the pool need those of the gold items too; pass ", Argument("gold_features"), "."
        )
    return matrix, read_features(gold_features, sample.votes.n_items, "gold_features")


def _edges(losses: FloatArray, most_groups: int = _MOST_GROUPS) -> FloatArray:
    """Quantiles of the largest probability among the items of each class that is most likely."""
    best, sure = _verdict(losses)
    n_steps = max(2, most_groups // losses.shape[1])
    steps = np.arange(1, n_steps) / n_steps
    return np.stack(
        [np.quantile(sure[best == c], steps) if (best == c).any() else steps for c in range(losses.shape[1])]
    )


def _verdict(losses: FloatArray) -> tuple[IntArray, FloatArray]:
    """The class that is most likely, and its probability to nine digits: sparse features round differently."""
    return losses.argmin(axis=1), np.round(np.exp(-losses.min(axis=1)), 9)


def _by_level(
    places: IntArray, losses: FloatArray, n_levels: int, progress: ProgressiveBound, formula: Distilled
) -> tuple[FloatArray, float]:
    """Mean losses of each group, and the bound on their mean over the pool.

    As in :mod:`thumbwise.numerics.distilling`, with the losses of groups as the formula, at the same scale.
    """
    sizes = np.bincount(places, minlength=n_levels)
    sums = np.stack([np.bincount(places, column, minlength=n_levels) for column in losses.T], axis=1)
    table = np.asarray(sums / np.maximum(sizes, 1)[:, None])
    gap = (progress.losses - formula.scale * table[places]).min(axis=1)
    return table, float(progress.bound - gap.mean()) / formula.scale


def _with_groups(sample: GoldSample, levels: FeatureLevels, rows: ItemRows, gold_rows: ItemRows) -> GoldSample:
    grouped = [
        votes.with_groups(levels.places(some), levels.names)
        for votes, some in ((in_memory(sample.pool), rows), (sample.votes, gold_rows))
    ]
    return replace(sample, votes=grouped[1], pool=grouped[0])
