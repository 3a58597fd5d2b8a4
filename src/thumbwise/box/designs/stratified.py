"""Gold that was drawn at random within each group of items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.gold import Design, GoldIs, GoldSample, Intervals, count_gold, gold_items_are
from thumbwise.box.moments.linear import build_moments
from thumbwise.exceptions import Argument, InPython, InvalidBoxError
from thumbwise.numerics.intervals import stratified_bounds
from thumbwise.votes.votes import Votes


@dataclass(frozen=True)
class Stratified(Design):
    """Gold was drawn at random within each group of items (``item_groups`` of both votes), however many from each.

    A group without gold contributes what is certain.

    Attributes
    ----------
    gold_is : {"separate", "subset"}
        Whether each group's gold items are further items of the group, or part of it.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> truth, groups = np.arange(300) % 2, np.repeat(["easy", "hard"], [200, 100])
    >>> votes = tw.Votes(truth[:, None], item_groups=groups)
    >>> gold = [*range(20), *range(200, 260)]
    >>> drawn = tw.designs.Stratified("subset")
    >>> print(tw.Box.from_gold(votes.take(gold), truth[gold], pool=votes, gold_is=drawn).evidence.assumption)
    the 80 gold items are drawn at random within each group
    """

    gold_is: GoldIs = "separate"
    bounds_are = "finite-sample (Chernoff over the groups)"

    def assumption(self, n_gold: int, n_items: int) -> str:
        return f"{gold_items_are(n_gold)} drawn at random within each group"

    def check(self, sample: GoldSample) -> None:
        gold, pool = sample.votes, sample.pool
        if not pool.group_names or gold.group_names != pool.group_names:
            raise InvalidBoxError(
                f"stratified gold needs the same groups in gold and pool; gold has {len(gold.group_names)} groups, the "
                f"pool {len(pool.group_names)}. Pass ",
                Argument("item_groups", ...),
                InPython(" to both Votes"),
                ".",
            )

    def intervals(self, sample: GoldSample, errors: FloatArray) -> Intervals:
        """Bounds on the sum over the groups."""
        counts = [_group_counts(sample, group) for group in range(len(sample.pool.group_names))]
        right, drawn, population, outside = (np.stack(part) for part in zip(*counts, strict=True))
        fewest, most = stratified_bounds(right, drawn, population, errors.sum(axis=0))
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
