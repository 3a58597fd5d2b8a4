"""Ranks of patterns: a part of gold teaches how sure each label is, the rest certifies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.box.gold import GoldSample
from thumbwise.box.opinions.choosing import population_of
from thumbwise.numerics.patterns import Patterns
from thumbwise.numerics.regression import Regression
from thumbwise.numerics.stack_columns import StackColumns
from thumbwise.votes.counted_votes import locate_patterns

# Of gold, what teaches. The regression starts from what the panel says, so that few labels teach it much, and each of
# the others makes the certificate tighter. (Measured: docs/triage.md.)
TAUGHT = 0.2
# Digits to which probabilities are compared: patterns that differ by rounding alone are as sure as each other.
DIGITS = 9


@dataclass(frozen=True, eq=False)
class Parts:
    """Positions of the gold items that teach and of those that certify.

    Drawn by a seed, from gold in the order of its ids, without a look at labels: given the part that teaches, the
    other is a random sample of all items that do not teach, if the seed was chosen without a look at the items.
    """

    teach: IntArray
    certify: IntArray

    @classmethod
    def of(cls, sample: GoldSample, seed: int) -> Parts:
        """Of gold that was drawn at random."""
        order = sample.in_order[np.random.default_rng(seed).permutation(len(sample))]
        n_taught = round(TAUGHT * len(order))
        return cls(order[:n_taught], order[n_taught:])


@dataclass(frozen=True, eq=False)
class Ranked:
    """What is proposed for each pattern and how sure that is, and the gold items that certify.

    Everything but ``labels`` is settled before a certifying label is seen.

    Attributes
    ----------
    proba : ndarray of shape (n_patterns, n_classes)
        Of the population: the pool's patterns first, then those of gold that lies outside of the pool.
    size : ndarray of shape (n_patterns,)
        Items that do not teach.
    place, labels : ndarray of shape (n_certifying,)
        Pattern and class number of each gold item that certifies.
    n_taught : int
    is_outside : bool
        Whether gold lies outside of the items for which labels are wanted.
    taught : Regression or None
        Where ``proba`` comes from, if one regression gives all of it.
    """

    proba: FloatArray
    size: IntArray
    place: IntArray
    labels: IntArray
    n_taught: int
    is_outside: bool
    taught: Regression | None = None

    @classmethod
    def of(cls, taught: Regression, seen: Patterns, sample: GoldSample, parts: Parts, places: IntArray) -> Ranked:
        """What a regression says of the population, whose votes it may see all or in part, and gold at its places."""
        teach, certify = parts.teach, parts.certify
        size = seen.counts.astype(np.int64) - np.bincount(places[teach], minlength=seen.n_patterns)
        of_gold = places[certify], sample.labels[certify]
        return cls(taught.proba(seen), size, *of_gold, len(teach), sample.gold_is == "separate", taught)

    @cached_property
    def proposed(self) -> IntArray:
        """Class number of each pattern's label; of classes that are as likely the first."""
        return proposals(self.proba)[0]

    @cached_property
    def sureness(self) -> FloatArray:
        """Probability of the proposed label, by which patterns are ranked."""
        return proposals(self.proba)[1]

    @cached_property
    def is_wrong(self) -> AnyArray:
        """Whether the label proposed for each certifying gold item is wrong."""
        return np.asarray(self.proposed[self.place] != self.labels)

    @cached_property
    def doubt(self) -> IntArray:
        """Items of each pattern that are taken to be wrong, in units of the last digit: whole, they add up exactly."""
        return np.asarray(self.size * np.rint(10**DIGITS * (1 - self.sureness)).astype(np.int64))

    @property
    def n_items(self) -> int:
        """Items that do not teach."""
        return int(self.size.sum())


def proposals(proba: FloatArray) -> tuple[IntArray, FloatArray]:
    """The likeliest class of each row, the first of those that are as likely, and its probability."""
    rounded = np.round(proba, DIGITS)
    return np.asarray(np.argmax(rounded, axis=1)), np.asarray(rounded.max(axis=1))


def rank(sample: GoldSample, parts: Parts) -> Ranked:
    """Teach with one part of gold, rank all patterns, and place the other part among them.

    The regression is that of :class:`thumbwise.Stack`: on votes, and on what the panel says without any label. The
    weights of its two fits are averaged.
    """
    population, places = population_of(sample), gold_places(sample)
    taught = teach_patterns(population, places[parts.teach], sample.labels[parts.teach])
    return Ranked.of(taught, population, sample, parts, places)


def gold_places(sample: GoldSample) -> IntArray:
    """Which pattern of the population each gold item has."""
    pool, votes = sample.pool.patterns, sample.votes
    if sample.gold_is == "separate":
        return np.asarray(pool.n_patterns + votes.inverse.astype(np.int64))
    return np.asarray(locate_patterns(votes.patterns, pool)[votes.inverse])


def teach_patterns(patterns: Patterns, places: IntArray, labels: IntArray) -> Regression:
    """What labels of items that have some of the patterns teach."""
    return Regression.teach(StackColumns.choose(patterns, len(labels)), patterns, places, labels)
