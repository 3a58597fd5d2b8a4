"""Gold that is not a plain random sample: strata, unequal chances of being drawn, so many items of each class.

Each design has its own valid interval; there is no fallback from one to another.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from thumbwise._typing import FloatArray, IntArray
from thumbwise.counted_votes import CountedVotes
from thumbwise.exceptions import InvalidBoxError, InvalidLabelsError
from thumbwise.gold import GoldSample, Weighting, count_gold, exact_intervals, wilson_intervals
from thumbwise.intervals import realised_rate_bounds, stratified_bounds
from thumbwise.moments import ConditionalRate, MomentBuilder, Moments, build_moments, class_frequencies, label_counts
from thumbwise.numerics.weighted_shares import WeightedDraw, weighted_share_bounds
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


def gold_intervals(
    sample: GoldSample, errors: FloatArray, interval: str, symmetric: bool, stratified: bool
) -> tuple[str, Intervals]:
    """The name of the design, and the intervals that are valid for it."""
    if sample.weighting is not None:
        return sample.weighting.design, weighted_intervals(sample, sample.weighting, errors)
    if stratified:
        return "stratified", stratified_intervals(sample, errors)
    if interval == "exact":
        return sample.gold_is, exact_intervals(sample.counts, errors)
    return sample.gold_is, wilson_intervals(sample.counts, errors, symmetric)


def stratified_intervals(sample: GoldSample, errors: FloatArray) -> Intervals:
    """Gold drawn at random within each group of items, however many from each: bounds on the sum over the groups.

    A group without gold contributes what is certain.
    """
    gold, pool = sample.votes, sample.pool
    if not pool.group_names or gold.group_names != pool.group_names:
        raise InvalidBoxError(
            f"stratified=True needs the same item_groups in gold and pool; gold has {len(gold.group_names)} groups, "
            f"the pool {len(pool.group_names)}. Pass item_groups=... to both Votes."
        )
    counts = [_group_counts(sample, group) for group in range(len(pool.group_names))]
    right, drawn, population, outside = (np.stack(part) for part in zip(*counts, strict=True))
    fewest, most = stratified_bounds(right, drawn, population, errors)
    sizes, known = np.maximum(sample.pooled.sizes, 1), outside.sum(axis=0)
    return np.clip((fewest - known) / sizes, 0, 1), np.clip((most - known) / sizes, 0, 1)


def _group_counts(sample: GoldSample, group: int) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Right gold items, gold items, population, and right ones outside the pool, of each moment in one group."""
    pool = cast(Votes, sample.pool)  # it has groups
    in_gold, in_pool = (np.flatnonzero(votes.groups == group) for votes in (sample.votes, pool))
    nothing = np.zeros(len(sample.pooled), dtype=np.int64)
    if len(in_pool) == 0:
        return nothing, nothing, nothing, nothing
    rest = pool.take(in_pool)
    if len(in_gold) == 0:
        return nothing, nothing, build_moments(sample.builders, rest).sizes, nothing
    counts = count_gold(sample.votes.take(in_gold), sample.labels[in_gold], rest, sample.gold_is, sample.builders)
    return counts.right, counts.drawn, counts.population, counts.outside


def read_weighting(weights: FloatArray | None, max_weight: float | None, design: object) -> Weighting | None:
    """How gold was drawn, if it has weights; whoever gives weights says what they mean."""
    if weights is None:
        if design is not None or max_weight is not None:
            raise InvalidBoxError("design and max_weight belong to weights; pass weights=... or leave both out.")
        return None
    if design not in ("with_replacement", "poisson"):
        raise InvalidBoxError(
            f"weights need design, which says how gold was drawn; found {design!r}. "
            'design="with_replacement": a fixed number of draws, an item perhaps drawn more than once. '
            'design="poisson": each item of the pool drawn or not on its own, so that the number drawn is random.'
        )
    _check_weights(weights, max_weight, least=1.0 if design == "poisson" else 0.0)
    return Weighting(design, weights, float(cast(float, max_weight)))


def _check_weights(weights: FloatArray, max_weight: float | None, least: float) -> None:
    """Positive, no smaller than a chance of 1 allows, and not above the stated maximum."""
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights > 0) & (weights >= least)))
    if len(bad):
        what = "and must be positive" if least == 0 else "and must be at least 1, since no chance exceeds 1"
        raise InvalidLabelsError(
            f"weights are inverse chances of being drawn {what}; found {weights[bad[0]]} at position {bad[0]} "
            f"({len(bad)} such weights)."
        )
    if max_weight is None or not np.isfinite(max_weight):
        raise InvalidLabelsError(
            "weights need max_weight, the largest weight that any item of the pool could have had (1 / its smallest "
            f"chance of being drawn); the largest that was drawn is {weights.max():.6g}, but another draw may differ."
        )
    if weights.max() > max_weight * (1 + 1e-9):  # chances were divided and divided again
        raise InvalidLabelsError(
            f"no weight may exceed max_weight={max_weight}; found {weights.max():.6g}. Correct one of them."
        )


def weighted_intervals(sample: GoldSample, weighting: Weighting, errors: FloatArray) -> Intervals:
    """Gold drawn from the pool with known chances: bounds by betting, the same for gold in any order.

    Weights are inverse inclusion probabilities: an item of weight 50 stands for 50 items. With ``n`` draws with
    replacement and chance p at each, that is 1 / (n * p); in Poisson sampling, 1 / p. A moment counts right ones among
    the items that can be right for some class, whose number in the pool is known.
    """
    reach, sizes = _reach(sample), sample.pooled.sizes
    typical = sample.pool.n_items / len(sample.labels) if weighting.may_repeat else max(1.0, weighting.largest / 16)
    draw = WeightedDraw(not weighting.may_repeat, weighting.largest, typical)
    lower, upper = np.zeros(len(sizes)), np.ones(len(sizes))
    for m in np.flatnonzero((errors > 0) & (sizes > 0)):
        inside = reach.can_be_right[:, m]
        is_right, weights = reach.is_right[inside, m], weighting.weights[inside]
        bounds = weighted_share_bounds(is_right, weights, int(reach.sizes[m]), draw, float(errors[m]))
        lower[m], upper[m] = np.clip(np.array(bounds) * reach.sizes[m] / sizes[m], 0, 1)
    return lower, upper


class _Reach(NamedTuple):
    """Of each moment: which gold items are right, which could be, and how many items of the pool could be."""

    is_right: FloatArray
    can_be_right: npt.NDArray[np.bool_]
    sizes: IntArray


def _reach(sample: GoldSample) -> _Reach:
    """An item can be right for a moment if its feature is 1 for some class; if for several, all items count."""
    k, gold = sample.pool.n_classes, build_moments(sample.builders, sample.votes)
    in_pool = _per_pattern(sample.pooled, k)
    is_simple = in_pool.max(axis=0).toarray().ravel() <= 1
    sizes = np.where(is_simple, np.rint(in_pool.T @ sample.pool.patterns.counts), sample.pool.n_items)
    cells = sample.votes.inverse.astype(np.int64) * k + sample.labels
    can_be = _per_pattern(gold, k)[sample.votes.inverse].toarray() > 0
    return _Reach(gold.features[cells].toarray(), can_be | ~is_simple, sizes.astype(np.int64))


def _per_pattern(moments: Moments, n_classes: int) -> sp.csr_array:
    """For how many classes each moment's feature is 1, of each pattern."""
    n_patterns = moments.features.shape[0] // n_classes
    return sum(
        (moments.features[np.arange(n_patterns) * n_classes + c] for c in range(n_classes)),
        start=sp.csr_array((n_patterns, len(moments))),
    )


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
        sizes = _class_sizes(frequencies.get(name, (0.0, 1.0)), pool.n_items)
        n_said = [int(counts[rows[:, rule] == said, true].sum()) for rule, said in spoken]
        bounds = zip(*realised_rate_bounds(n_said, n_drawn, sizes, part), strict=True)
        for (rule, said), (low, high) in zip(spoken, bounds, strict=True):
            who, what = pool.rule_names[rule], pool.class_names[said]
            builders += [ConditionalRate(who, name, what, float(rate)) for rate in (low, high)]
            lower += [0.0, -np.inf]
            upper += [np.inf, 0.0]
    moments = build_moments(tuple(builders), pool)
    low_all, high_all = given_frequencies(moments, pool, frequencies, np.array(lower), np.array(upper))
    return tuple(builders), np.maximum(low_all, moments.least), np.minimum(high_all, moments.most)


def _class_sizes(share: tuple[float, float], n_items: int) -> tuple[int, int]:
    """Between which numbers of items a class lies whose share does."""
    fewest, most = int(share[0] * n_items), int(np.ceil(share[1] * n_items))
    return fewest, max(fewest, min(most, n_items))
