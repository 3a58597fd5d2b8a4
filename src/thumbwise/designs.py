"""Gold that is not a plain random sample: strata, unequal chances of being drawn, so many items of each class.

Each design has its own valid interval; there is no fallback from one to another.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, cast

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.counted_votes import CountedVotes
from thumbwise.exceptions import InvalidBoxError, InvalidLabelsError
from thumbwise.gold import GoldSample, count_gold
from thumbwise.intervals import betting_bounds, hypergeometric_bounds, realised_rate_bounds
from thumbwise.moments import ConditionalRate, MomentBuilder, Moments, build_moments, class_frequencies, label_counts
from thumbwise.votes import Votes

Intervals = tuple[FloatArray, FloatArray]
Frequencies = Mapping[Hashable, tuple[float, float]]


def check_combination(interval: str, symmetric: bool, stratified: bool, weights: Any) -> None:
    """Refuse what has no valid interval here."""
    if symmetric and interval == "exact":
        raise InvalidBoxError('symmetric=True belongs to interval="wilson"; an exact interval is used as it is.')
    if stratified and weights is not None:
        raise InvalidBoxError("there is no valid interval here for strata and weights together; pass one of them.")
    if interval == "wilson" and (stratified or weights is not None):
        raise InvalidBoxError('interval="wilson" is for plain random gold; strata and weights have their own.')


def stratified_intervals(sample: GoldSample, errors: FloatArray) -> Intervals:
    """Gold drawn at random within each group of items, however many from each: exact bounds per group, added up.

    The error of a moment is split evenly over the groups. A group without gold contributes what is certain.
    """
    gold, pool = sample.votes, sample.pool
    if not pool.group_names or gold.group_names != pool.group_names:
        raise InvalidBoxError(
            f"stratified=True needs the same item_groups in gold and pool; gold has {len(gold.group_names)} groups, "
            f"the pool {len(pool.group_names)}. Pass item_groups=... to both Votes."
        )
    n_groups = len(pool.group_names)
    fewest, most = np.zeros(len(errors)), np.zeros(len(errors))
    for group in range(n_groups):
        low, high = _group_bounds(sample, group, errors / n_groups)
        fewest, most = fewest + low, most + high
    sizes = np.maximum(sample.pooled.sizes, 1)
    return np.clip(fewest / sizes, 0, 1), np.clip(most / sizes, 0, 1)


def _group_bounds(sample: GoldSample, group: int, errors: FloatArray) -> tuple[IntArray, IntArray]:
    """Bounds on the number of right ones among the pool's items of one group."""
    pool = cast(Votes, sample.pool)  # it has groups
    in_gold, in_pool = (np.flatnonzero(votes.groups == group) for votes in (sample.votes, pool))
    nothing = np.zeros(len(errors), dtype=np.int64)
    if len(in_pool) == 0:
        return nothing, nothing
    rest = pool.take(in_pool)
    if len(in_gold) == 0:
        return nothing, build_moments(sample.builders, rest).sizes
    counts = count_gold(sample.votes.take(in_gold), sample.labels[in_gold], rest, sample.gold_is, sample.builders)
    low, high = hypergeometric_bounds(counts.right, counts.drawn, counts.population, errors)
    return low - counts.outside, high - counts.outside


def check_weights(weights: FloatArray, max_weight: float | None) -> tuple[FloatArray, float]:
    """Weights of the gold items, positive and not above the stated maximum."""
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights > 0)))
    if len(bad):
        raise InvalidLabelsError(
            f"weights are inverse chances of being drawn and must be positive; found {weights[bad[0]]} at position "
            f"{bad[0]} ({len(bad)} such weights)."
        )
    if max_weight is None:
        raise InvalidLabelsError(
            "weights need max_weight, the largest weight that any item of the pool could have had (1 / its smallest "
            f"chance of being drawn); the largest that was drawn is {weights.max():.6g}, but another draw may differ."
        )
    if weights.max() > max_weight:
        raise InvalidLabelsError(
            f"no weight may exceed max_weight={max_weight}; found {weights.max():.6g}. Correct one of them."
        )
    return weights, float(max_weight)


def weighted_intervals(sample: GoldSample, weights: tuple[FloatArray, float], errors: FloatArray) -> Intervals:
    """Gold drawn independently from the pool with known chances: betting bounds on weighted totals.

    Weights are inverse inclusion probabilities: an item of weight 50 stands for 50 items. With v draws, the mean of
    ``weight * feature`` is the total over the pool divided by v; values lie between 0 and the largest weight.
    """
    given, largest = weights
    cells = sample.votes.inverse.astype(np.int64) * sample.votes.n_classes + sample.labels
    values = build_moments(sample.builders, sample.votes).features[cells].toarray() * given[:, None]
    pooled, n_gold = sample.pooled, len(sample.labels)
    lower, upper = np.zeros(len(pooled)), np.ones(len(pooled))
    for m in np.flatnonzero((errors > 0) & (pooled.sizes > 0)):
        low, high = betting_bounds(values[:, m], largest, float(errors[m]))
        lower[m], upper[m] = np.clip(np.array([low, high]) * n_gold / pooled.sizes[m], 0, 1)
    return lower, upper


def given_frequencies(
    moments: Moments, pool: CountedVotes, given: Frequencies, lower: FloatArray, upper: FloatArray
) -> Intervals:
    """Intervals of class frequencies as given from elsewhere; a class that is not mentioned is free."""
    unknown = [name for name in given if name not in pool.class_names]
    if unknown:
        raise InvalidBoxError(f"class_frequencies must name classes of the votes; found {unknown[0]!r}.")
    lower, upper = lower.copy(), upper.copy()
    for name in pool.class_names:
        m = moments.names.index(f"frequency({name})")
        lower[m], upper[m] = given.get(name, (0.0, 1.0))
    return lower, upper


def class_balanced_bounds(
    gold_votes: Votes, labels: IntArray, pool: CountedVotes, frequencies: Frequencies, error: float
) -> tuple[tuple[MomentBuilder, ...], FloatArray, FloatArray]:
    """Builders and bounds for gold drawn class by class: class frequencies as given, and rates within each class.

    How often a rule says a class on items of a class is bounded from both sides, each side one linear moment. The
    error is split evenly over the rates of everything that some rule says on some item of the pool.
    """
    builders: list[MomentBuilder] = [class_frequencies]
    lower, upper = [0.0] * pool.n_classes, [1.0] * pool.n_classes
    counts, rows = label_counts(gold_votes, labels), gold_votes.patterns.to_rows()
    spoken = np.argwhere(pool.patterns.vote_table > 0).tolist()
    part = error / max(1, len(spoken) * pool.n_classes)
    for true, name in enumerate(pool.class_names):
        n_drawn = int(counts[:, true].sum())
        n_least = int(frequencies.get(name, (0.0, 1.0))[0] * pool.n_items)
        for rule, said in spoken:
            n_said = int(counts[rows[:, rule] == said, true].sum())
            low, high = realised_rate_bounds(n_said, n_drawn, n_least, part)
            who, what = pool.rule_names[rule], pool.class_names[said]
            builders += [ConditionalRate(who, name, what, low), ConditionalRate(who, name, what, high)]
            lower += [0.0, -np.inf]
            upper += [np.inf, 0.0]
    moments = build_moments(tuple(builders), pool)
    low_all, high_all = given_frequencies(moments, pool, frequencies, np.array(lower), np.array(upper))
    return tuple(builders), np.maximum(low_all, moments.least), np.minimum(high_all, moments.most)
