"""Gold that is a plain random sample: exact intervals, and those of the paper's recipe."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.gold import Design, GoldCounts, GoldSample, Intervals, all_items, gold_items_are
from thumbwise.box.moments.linear import FREQUENCY
from thumbwise.numerics.anytime import anytime_sides
from thumbwise.numerics.intervals import hypergeometric_sides, symmetrise, wilson_bounds


@dataclass(frozen=True)
class Subset(Design):
    """Gold is a random part of the pool, drawn without replacement.

    Attributes
    ----------
    in_drawn_order : bool
        Whether the gold items stand in the order in which they were drawn, one after the other. Intervals that hold
        whenever labeling stopped can then lean on the panel. It must be the order of the draw: any other, such as that
        of labels or of the items, breaks their guarantee.
    """

    in_drawn_order: bool = field(default=False, kw_only=True)
    gold_is = "subset"
    is_plain = True

    def assumption(self, n_gold: int, n_items: int) -> str:
        return f"{gold_items_are(n_gold)} a random sample of {all_items(n_items)}"

    def drawn_order(self, sample: GoldSample) -> IntArray | None:
        return np.arange(len(sample)) if self.in_drawn_order else None

    def intervals(self, sample: GoldSample, errors: FloatArray) -> Intervals:
        if sample.stopping.is_anytime:
            return anytime_intervals(sample.counts, errors)
        return exact_intervals(sample.counts, errors)


@dataclass(frozen=True)
class Separate(Design):
    """Gold is a sample of its own: further items, drawn like those of the pool from the same source."""

    gold_is = "separate"
    is_plain = True

    def assumption(self, n_gold: int, n_items: int) -> str:
        return f"{gold_items_are(n_gold)} drawn at random like these items, from the same source"

    def intervals(self, sample: GoldSample, errors: FloatArray) -> Intervals:
        return exact_intervals(sample.counts, errors)


def exact_intervals(counts: GoldCounts, errors: FloatArray) -> Intervals:
    """Bounds on the moments realised on the pool, from exact bounds on the number of right ones in the population.

    If gold is a subset, the population is the pool. If it is separate, the population is gold and pool together, and
    the right ones among gold are taken off.
    """
    fewest, most = hypergeometric_sides(counts.right, counts.drawn, counts.population, *errors)
    sizes = np.maximum(counts.pool, 1)
    return np.clip((fewest - counts.outside) / sizes, 0, 1), np.clip((most - counts.outside) / sizes, 0, 1)


def anytime_intervals(counts: GoldCounts, errors: FloatArray) -> Intervals:
    """Bounds on the moments realised on the pool, which gold is part of, that hold whenever labeling stopped.

    Wagers suit the number of gold items that a moment expects of a typical number of labels, which is known before the
    first label is.
    """
    horizon = np.maximum(counts.expected, 1.0)
    fewest, most = anytime_sides(counts.right, counts.drawn, counts.population, *errors, horizon=horizon)
    sizes = np.maximum(counts.pool, 1)
    return np.clip(fewest / sizes, 0, 1), np.clip(most / sizes, 0, 1)


def wilson_intervals(counts: GoldCounts, errors: FloatArray, symmetric: bool) -> Intervals:
    """Wilson intervals, symmetric about the raw share if asked for; the paper leaves a class that gold lacks open."""
    lower, upper = wilson_bounds(counts.right, counts.drawn, errors.sum(axis=0))
    if not symmetric:
        return lower, upper
    lower, upper = symmetrise(counts.right / np.maximum(counts.drawn, 1), lower, upper)
    is_class = np.array([moment.kind == FREQUENCY for moment in counts.about])
    unseen = (counts.drawn == 0) | (is_class & (counts.right == 0))
    return np.where(unseen, 0.0, lower), np.where(unseen, 1.0, upper)
