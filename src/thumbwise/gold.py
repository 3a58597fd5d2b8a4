"""From gold labels to intervals: what is counted, how the error budget is split, which tails are inverted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.counted_votes import CountedVotes
from thumbwise.exceptions import InvalidBoxError, InvalidLabelsError
from thumbwise.intervals import hypergeometric_bounds, symmetrise, wilson_bounds
from thumbwise.labels import UNKNOWN, KnownLabels, code_labels
from thumbwise.moments import STANDARD, MomentBuilder, Moments, build_moments, label_counts
from thumbwise.votes import Votes

GoldIs = Literal["separate", "subset"]
WeightedDesign = Literal["with_replacement", "poisson"]


@dataclass(frozen=True, eq=False)
class GoldCounts:
    """What gold says about each moment, and the population it was drawn from.

    Attributes
    ----------
    names : tuple of str
    right, drawn : ndarray of shape (n_moments,)
        Of ``drawn`` gold items that a moment averages over, ``right`` count for it.
    population, pool : ndarray of shape (n_moments,)
        Items the moment averages over in what gold was drawn from, and in the pool.
    outside : ndarray of shape (n_moments,)
        Right ones that are in the population but not in the pool.
    expected : ndarray of shape (n_moments,)
        Number of gold items that a random draw would bring; known before gold is.
    keys : tuple
        Equal for moments that hold or fail together.
    """

    names: tuple[str, ...]
    right: IntArray
    drawn: IntArray
    population: IntArray
    pool: IntArray
    outside: IntArray
    expected: FloatArray
    keys: tuple[Hashable, ...]


def count_gold(
    gold_votes: Votes,
    labels: IntArray,
    pool: CountedVotes,
    gold_is: GoldIs,
    builders: tuple[MomentBuilder, ...] = STANDARD,
) -> GoldCounts:
    """Count right gold votes and gold classes; ``labels`` are class numbers, all known."""
    gold, pooled = build_moments(builders, gold_votes), build_moments(builders, pool)
    if not pooled.are_shares:
        raise InvalidBoxError("moments that are estimated from gold must be shares of items; found others.")
    is_subset = gold_is == "subset"
    n_population = pool.n_items if is_subset else pool.n_items + gold_votes.n_items
    population = pooled.sizes if is_subset else pooled.sizes + gold.sizes
    if (gold.sizes > population).any():
        m = int(np.argmax(gold.sizes > population))
        raise InvalidLabelsError(
            f'gold_is="subset" needs gold to be part of the pool; {gold.names[m]} counts {gold.sizes[m]} gold items '
            f'but only {population[m]} items of the pool. Pass gold_is="separate" if gold is a sample of its own.'
        )
    right = np.rint(gold.totals(label_counts(gold_votes, labels))).astype(np.int64)
    return GoldCounts(
        names=pooled.names,
        right=right,
        drawn=gold.sizes,
        population=population,
        pool=pooled.sizes,
        outside=np.zeros_like(right) if is_subset else right,
        expected=np.asarray(population, dtype=float) * (gold_votes.n_items / n_population),
        keys=tuple(zip(pooled.keys, gold.keys, strict=True)),
    )


@dataclass(frozen=True, eq=False)
class Weighting:
    """How gold was drawn from the pool with unequal chances.

    Attributes
    ----------
    design : {"with_replacement", "poisson"}
    weights : ndarray of shape (n_gold,)
        Inverse inclusion probabilities: an item of weight 50 stands for 50 items.
    largest : float
        The largest weight that any item of the pool could have had.
    """

    design: WeightedDesign
    weights: FloatArray
    largest: float

    @property
    def may_repeat(self) -> bool:
        """Whether an item can be drawn more than once."""
        return self.design == "with_replacement"

    def expected(self, sizes: IntArray, n_items: int) -> FloatArray:
        """Draws that each so many of the pool's items may expect; from what is known before the draw.

        The number of draws is fixed with replacement. Otherwise it is not, and the least that can be expected counts.
        """
        share = len(self.weights) / n_items if self.may_repeat else 1 / self.largest
        return np.asarray(sizes, dtype=float) * share


@dataclass(frozen=True, eq=False)
class GoldSample:
    """Gold items with known labels, the pool they speak of, and the moments in question.

    Attributes
    ----------
    votes, pool : Votes
    labels : ndarray of shape (n_gold,)
        Class numbers.
    gold_is : {"separate", "subset"}
    builders : tuple of builders
    skips_classes : bool
        Class frequencies are known from elsewhere, so gold spends no error on them.
    weighting : Weighting or None
        Gold was drawn from the pool with unequal chances, an item perhaps more than once.
    """

    votes: Votes
    labels: IntArray
    pool: CountedVotes
    gold_is: GoldIs
    builders: tuple[MomentBuilder, ...] = STANDARD
    skips_classes: bool = False
    weighting: Weighting | None = None

    @property
    def pooled(self) -> Moments:
        return build_moments(self.builders, self.pool)

    @cached_property
    def counts(self) -> GoldCounts:
        # Items that were drawn more than once may be more than the pool has.
        gold_is: GoldIs = "separate" if self.weighting else self.gold_is
        counts = count_gold(self.votes, self.labels, self.pool, gold_is, self.builders)
        if self.weighting:
            counts = replace(counts, expected=self.weighting.expected(counts.pool, self.pool.n_items))
        if not self.skips_classes:
            return counts
        is_class = np.array([name.startswith("frequency(") for name in counts.names])
        return replace(counts, expected=np.where(is_class, 0.0, counts.expected))

    def split_error(self, error: float, joint: bool) -> FloatArray:
        """The allowed error of each moment: its share, or the whole if the intervals need not hold jointly."""
        return split_error(error, self.counts) if joint else np.full(len(self.pooled), error)


def split_error(error: float, counts: GoldCounts) -> FloatArray:
    """Share of the error budget for each moment, decided before any gold label or gold vote is seen.

    Evenly over the distinct moments that expect a gold vote or more; moments with the same key share one part. A moment
    that expects less than one gold vote gets 0, hence the interval [0, 1]. Which moments have gold votes is not used:
    it depends on the draw, and a budget that depends on the draw is no budget.
    """
    counted = {key for key, expected in zip(counts.keys, counts.expected, strict=True) if expected >= 1}
    part = error / max(1, len(counted))
    return np.array([part if key in counted else 0.0 for key in counts.keys])


def exact_intervals(counts: GoldCounts, errors: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Bounds on the moments realised on the pool, from exact bounds on the number of right ones in the population.

    If gold is a subset, the population is the pool. If it is separate, the population is gold and pool together, and
    the right ones among gold are taken off.
    """
    fewest, most = hypergeometric_bounds(counts.right, counts.drawn, counts.population, errors)
    sizes = np.maximum(counts.pool, 1)
    return np.clip((fewest - counts.outside) / sizes, 0, 1), np.clip((most - counts.outside) / sizes, 0, 1)


def wilson_intervals(counts: GoldCounts, errors: FloatArray, symmetric: bool) -> tuple[FloatArray, FloatArray]:
    """Wilson intervals, symmetric about the raw share if asked for; the paper leaves a class that gold lacks open."""
    lower, upper = wilson_bounds(counts.right, counts.drawn, errors)
    if not symmetric:
        return lower, upper
    lower, upper = symmetrise(counts.right / np.maximum(counts.drawn, 1), lower, upper)
    is_class = np.array([name.startswith("frequency(") for name in counts.names])
    unseen = (counts.drawn == 0) | (is_class & (counts.right == 0))
    return np.where(unseen, 0.0, lower), np.where(unseen, 1.0, upper)


def known_gold(
    gold_votes: Votes, gold_labels: Any, pool: CountedVotes, weights: Any = None
) -> tuple[Votes, IntArray, FloatArray | None]:
    """Gold items with a known label, their class numbers, and their weights if there are any."""
    if gold_votes.rule_names != pool.rule_names or gold_votes.class_names != pool.class_names:
        raise InvalidLabelsError(
            f"gold and pool must have the same rules and classes; gold has {gold_votes.n_rules} rules and classes "
            f"{_few(gold_votes.class_names)}, the pool {pool.n_rules} rules and {_few(pool.class_names)}. "
            "Give both the same rule_names and class_names."
        )
    labels = code_labels(gold_labels, gold_votes.class_names, gold_votes.n_items)
    known = labels != UNKNOWN
    if not known.any():
        raise InvalidLabelsError("there must be at least one gold label; all of them are -1 or missing.")
    values = None if weights is None else np.asarray(weights, dtype=float)
    if values is not None and values.shape != labels.shape:
        raise InvalidLabelsError(
            f"there must be one weight per gold label; found shape {values.shape} for {len(labels)} labels."
        )
    if known.all():
        return gold_votes, labels, values
    return gold_votes.take(known), labels[known], None if values is None else values[known]


def known_labels(gold: Votes, labels: IntArray, pool: CountedVotes, gold_is: GoldIs) -> KnownLabels | None:
    """Gold items that are items of the pool, each once, where ids say which."""
    if gold_is != "subset" or not (gold.has_ids and pool.has_ids):
        return None
    first = sorted({value: i for i, value in reversed([*enumerate(gold.item_ids.tolist())])}.values())
    return KnownLabels(gold.item_ids[first], labels[first])


def _few(names: Sequence[Hashable]) -> str:
    return ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")


def check_agreement(gold: Votes, labels: IntArray, weights: FloatArray) -> None:
    """Where ids are known, an item that was drawn more than once is one item, with one label and one chance."""
    if not gold.has_ids:
        return
    for what, values in (("label", labels), ("weight", weights)):
        pairs = set(zip(gold.item_ids.tolist(), values.tolist(), strict=True))
        differing = [value for value, times in Counter(value for value, _ in pairs).items() if times > 1]
        if differing:
            raise InvalidLabelsError(
                f"an item that was drawn more than once must have the same {what} each time; {len(differing)} gold ids "
                f"have several, such as {differing[0]!r}. Correct them."
            )


def check_roles(gold: Votes, pool: CountedVotes, gold_is: GoldIs, may_repeat: bool = False) -> None:
    """Where ids are known, no item counts twice, a subset lies in the pool, and separate gold does not."""
    if gold.has_ids and not may_repeat:
        _check_once(gold.item_ids.tolist())
    if not (gold.has_ids and pool.has_ids):
        return
    inside = pool.contains_ids(gold.item_ids)
    if gold_is == "subset" and not inside.all():
        outside = gold.item_ids[~inside].tolist()
        raise InvalidLabelsError(
            f'gold_is="subset" needs every gold id in the pool; {len(outside)} of {len(gold)} are not, such as '
            f'{outside[0]!r}. Drop them, or pass gold_is="separate" if gold is a sample of its own.'
        )
    if gold_is == "separate" and inside.any():
        shared = gold.item_ids[inside].tolist()
        raise InvalidLabelsError(
            f'gold_is="separate" needs gold ids that are not in the pool; {len(shared)} of {len(gold)} are, such as '
            f'{shared[0]!r}. Pass gold_is="subset" if gold is part of the pool, or drop the ids if they are unrelated.'
        )


def _check_once(ids: list[Hashable]) -> None:
    if len(set(ids)) == len(ids):
        return
    repeated = [value for value, times in Counter(ids).items() if times > 1]
    raise InvalidLabelsError(
        f"every gold item may count once; {len(repeated)} of {len(set(ids))} gold ids occur more than once, such as "
        f"{repeated[0]!r}. Keep one row of each; if items were drawn with replacement, pass weights=... and "
        'design="with_replacement".'
    )
