"""What judges say, and what they say together: item by item on gold, in counts on all items."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.box.gold import GoldCounts, GoldSample
from thumbwise.box.moments.of_rules import accuracies
from thumbwise.box.opinions.opinion import WeightedVote
from thumbwise.numerics.even_panel import first_of_copies, panel_of
from thumbwise.numerics.patterns import Patterns
from thumbwise.votes.counted_votes import put_together

PANEL = "panel"


@dataclass(frozen=True, eq=False)
class Heard:
    """Judges, and after them the panel if there are two different judges; all from votes, without a gold label.

    Attributes
    ----------
    sample : GoldSample
        Counts how often each of them is right.
    names : tuple of str
        Of the judges.
    on_gold : ndarray of shape (n_gold, n_voters)
        Class number of what each says on each gold item, -1 where nothing.
    n_voted : ndarray of shape (n_voters,)
        Items of the pool on which each says something.
    by_class : ndarray of shape (n_voters, n_classes)
        Items of the population that each gives each class: of the pool, and of gold if it lies outside.
    panel : tuple of WeightedVote
        What they say together; empty if there are not two different judges.
    """

    sample: GoldSample
    names: tuple[str, ...]
    on_gold: IntArray
    n_voted: IntArray
    by_class: IntArray
    panel: tuple[WeightedVote, ...]

    @property
    def has_panel(self) -> bool:
        return bool(self.panel)

    @property
    def n_judges(self) -> int:
        return len(self.names)

    @property
    def labels(self) -> IntArray:
        """Class numbers of the gold items."""
        return self.sample.labels

    @property
    def counts(self) -> GoldCounts:
        """What gold says of each voter."""
        return self.sample.counts

    @property
    def is_right(self) -> AnyArray:
        """Whether each says the gold class of each item; silence is not right."""
        return np.asarray(self.on_gold == self.labels[:, None])


def hear(sample: GoldSample) -> Heard:
    """What everybody says. The panel is one-coin Dawid-Skene on all votes, with class frequencies held even."""
    population = _population(sample)
    panel = _panel(sample, population)
    sample = replace(sample, builders=(accuracies, *panel))
    on_gold: list[IntArray] = [sample.votes.array]
    by_class = [population.vote_table]
    for opinion in panel:
        on_gold.append(opinion.verdicts(sample.votes.patterns)[sample.votes.inverse][:, None])
        by_class.append(_count_classes(opinion.verdicts(population), population)[None])
    return Heard(
        sample,
        sample.pool.rule_names,
        np.hstack(on_gold),
        sample.counts.pool,
        np.vstack(by_class),
        panel,
    )


def _population(sample: GoldSample) -> Patterns:
    """What gold was drawn from: the pool, or the pool and gold itself."""
    pool = sample.pool.patterns
    return pool if sample.gold_is == "subset" else put_together(pool, sample.votes.patterns)


def _panel(sample: GoldSample, population: Patterns) -> tuple[WeightedVote, ...]:
    if first_of_copies(population).sum() < 2:
        return ()
    weights: FloatArray = panel_of(population)[1]
    return (WeightedVote(PANEL, sample.pool.rule_names, weights),)


def _count_classes(chosen: IntArray, patterns: Patterns) -> IntArray:
    speaks = chosen >= 0
    counted = np.bincount(chosen[speaks], patterns.counts[speaks].astype(float), minlength=patterns.n_classes)
    return counted.astype(np.int64)
