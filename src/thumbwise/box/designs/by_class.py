"""Gold that was drawn class by class, and class frequencies that are known from elsewhere."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.box.gold import Design, GoldSample, Intervals
from thumbwise.box.moments.linear import MomentBuilder, Moments, build_moments, find_frequencies
from thumbwise.box.moments.of_classes import class_frequencies
from thumbwise.box.moments.of_rules import ConditionalRate
from thumbwise.exceptions import Argument, InvalidBoxError
from thumbwise.numerics.intervals import realised_rate_bounds
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.labels import label_counts

Frequencies = Mapping[Hashable, tuple[float, float]]


def given_frequencies(
    moments: Moments, pool: CountedVotes, given: Frequencies, lower: FloatArray, upper: FloatArray
) -> Intervals:
    """Intervals of class frequencies as given from elsewhere; a class that is not mentioned is free."""
    unknown = [name for name in given if name not in pool.class_names]
    if unknown:
        raise InvalidBoxError(Argument("class_frequencies"), f" must name classes of the votes; found {unknown[0]!r}.")
    lower, upper = lower.copy(), upper.copy()
    for m, name in zip(find_frequencies(moments.about, pool.class_names), pool.class_names, strict=True):
        if m >= 0:
            lower[m], upper[m] = given.get(name, (0.0, 1.0))
    return lower, upper


@dataclass(frozen=True, eq=False)
class ByClass(Design):
    """Gold was drawn class by class, so many items of each: it says nothing about class frequencies.

    Bounds how often each rule says each class on items of each class, which is what such gold can show.

    Attributes
    ----------
    class_frequencies : mapping of class to (lower, upper)
        Known from elsewhere. A class of unknown frequency gets no bounds on its rates.

    Notes
    -----
    *Guarantee*: if, within each class, gold and pool items are drawn independently from the same source, and class
    frequencies lie where they are said to, the box holds the truth with probability at least its level: gold is a
    random part of gold and pool, within each class, for every number of items that its frequency allows.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> truth = np.arange(400) % 4 == 0
    >>> says = np.where(np.arange(400) % 10 == 1, ~truth, truth).astype(int)
    >>> gold = [*range(0, 200, 4), *range(1, 101, 2)]  # fifty of each class
    >>> pool = tw.Votes(says[200:, None])
    >>> by_class = tw.designs.ByClass({0: (0.7, 0.8), 1: (0.2, 0.3)})
    >>> box = tw.Box.from_gold(says[gold, None], truth[gold].astype(int), pool=pool, gold_is=by_class)
    >>> box.evidence.is_guarantee
    True
    """

    class_frequencies: Frequencies
    gold_is = "separate"
    bounds_are = "exact by class,"

    def assumption(self, n_gold: int, n_items: int) -> str:
        return (
            f"within each class the {n_gold:,} gold items are drawn at random like them, and the class frequencies lie "
            "where they are said to"
        )

    def intervals(self, sample: GoldSample, errors: FloatArray) -> Intervals:
        raise InvalidBoxError(
            "gold that was drawn class by class bounds the rates of each rule within each class, and no other moments; "
            "leave out ",
            Argument("moments"),
            ".",
        )

    def rates(self, sample: GoldSample, error: float) -> tuple[tuple[MomentBuilder, ...], FloatArray, FloatArray]:
        """Builders and bounds: class frequencies as given, and rates within each class.

        How often a rule says a class on items of a class is bounded from both sides, each side one linear moment. The
        error is split evenly over the rates of everything that some rule says on some item of the pool, which is known
        before gold is.
        """
        pool, gold = sample.pool, sample.votes
        builders: list[MomentBuilder] = [class_frequencies]
        lower, upper = [0.0] * pool.n_classes, [1.0] * pool.n_classes
        counts, rows = label_counts(gold, sample.labels), gold.patterns.to_rows()
        spoken = np.argwhere(pool.patterns.vote_table > 0).tolist()
        part = error / max(1, len(spoken) * pool.n_classes)
        for true, name in enumerate(pool.class_names):
            n_drawn = int(counts[:, true].sum())
            sizes = _class_sizes(self.class_frequencies.get(name, (0.0, 1.0)), pool.n_items)
            n_voted = [int(counts[rows[:, rule] == voted, true].sum()) for rule, voted in spoken]
            bounds = zip(*realised_rate_bounds(n_voted, n_drawn, sizes, part), strict=True)
            for (rule, voted), (low, high) in zip(spoken, bounds, strict=True):
                who, what = pool.rule_names[rule], pool.class_names[voted]
                builders += [ConditionalRate(who, name, what, float(rate)) for rate in (low, high)]
                lower += [0.0, -np.inf]
                upper += [np.inf, 0.0]
        moments = build_moments(tuple(builders), pool)
        low_all, high_all = given_frequencies(moments, pool, self.class_frequencies, np.array(lower), np.array(upper))
        return tuple(builders), np.maximum(low_all, moments.least), np.minimum(high_all, moments.most)


def _class_sizes(share: tuple[float, float], n_items: int) -> tuple[int, int]:
    """Between which numbers of items a class lies whose share does."""
    fewest, most = int(share[0] * n_items), int(np.ceil(share[1] * n_items))
    return fewest, max(fewest, min(most, n_items))
