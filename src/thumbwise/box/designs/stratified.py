"""Gold that was drawn at random within each group of items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self, cast

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.box.designs.reach import reach_of
from thumbwise.box.gold import Design, GoldIs, GoldSample, Intervals, count_gold, gold_items_are
from thumbwise.box.moments.linear import build_moments
from thumbwise.exceptions import Argument, InPython, InvalidBoxError, InvalidLabelsError
from thumbwise.numerics.intervals import stratified_bounds
from thumbwise.votes.reading.item_order import in_item_order
from thumbwise.votes.votes import Votes


@dataclass(frozen=True, eq=False)
class Stratified(Design):
    """Gold was drawn at random within each group of items, however many from each.

    Groups are those of the votes (``item_groups`` of gold and pool). If the votes have none, ``strata`` and ``sizes``
    say of the gold items which group each is of, and of the pool how many items each group has; the bounds are then
    wider for rules that abstain, since it is not known in which groups they vote. A group without gold contributes what
    is certain.

    Attributes
    ----------
    gold_is : {"separate", "subset"}
        Whether each group's gold items are further items of the group, or part of it.
    strata : array-like of shape (n_gold,), optional
        Group of each gold item. A pandas Series whose index holds the ids of the gold items is matched with them.
    sizes : mapping of group to int, optional
        Items of the pool in each group; with ``strata``, and gold that is part of the pool.

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
    strata: Any = field(default=None, kw_only=True)
    sizes: Mapping[Any, int] | None = field(default=None, kw_only=True)
    bounds_are = "finite-sample (Chernoff over the groups)"

    def assumption(self, n_gold: int, n_items: int) -> str:
        return f"{gold_items_are(n_gold)} drawn at random within each group"

    def in_item_order(self, gold_votes: Any) -> Self:
        if self.strata is None:
            return self
        return replace(self, strata=np.asarray(in_item_order(self.strata, gold_votes), dtype=object))

    def take(self, chosen: AnyArray) -> Self:
        if self.strata is None:
            return self
        if self.strata.shape != chosen.shape:
            raise InvalidLabelsError(
                f"there must be one stratum per gold label; found shape {self.strata.shape} for {len(chosen)} labels."
            )
        return replace(self, strata=self.strata[chosen])

    def check(self, sample: GoldSample) -> None:
        gold, pool = sample.votes, sample.pool
        if self.sizes is not None or self.strata is not None:
            self._check_sizes(sample)
        elif not pool.group_names or gold.group_names != pool.group_names:
            raise InvalidBoxError(
                f"stratified gold needs the same groups in gold and pool; gold has {len(gold.group_names)} groups, the "
                f"pool {len(pool.group_names)}. Pass ",
                Argument("item_groups", ...),
                InPython(" to both Votes"),
                ".",
            )

    def _check_sizes(self, sample: GoldSample) -> None:
        """Groups that say where gold is from must be those whose sizes are known, and make up the pool."""
        if self.sizes is None or self.strata is None or self.gold_is != "subset":
            raise InvalidBoxError(
                "the sizes of groups go with the groups of the gold items, and with gold that is part of the pool; "
                "pass ",
                Argument("strata", ...),
                ", ",
                Argument("sizes", ...),
                " and ",
                Argument("gold_is", '"subset"'),
                ".",
            )
        strange = sorted({str(name) for name in self.strata.tolist() if name not in self.sizes})
        if strange:
            raise InvalidLabelsError(
                f"every gold item must be of a group whose size is known; {strange[0]!r} is none ({len(strange)} such "
                "groups)."
            )
        total, n_items = sum(self.sizes.values()), sample.pool.n_items
        if total != n_items:
            raise InvalidLabelsError(
                f"the groups must make up the pool; their sizes add up to {total:,} items, and the pool has "
                f"{n_items:,}. Use the votes on the items that gold was drawn from."
            )
        too_many = [
            name for name, drawn in zip(self.sizes, self.n_drawn_of_each, strict=True) if drawn > self.sizes[name]
        ]
        if too_many:
            raise InvalidLabelsError(
                f"no group can have more gold items than items; {too_many[0]!r} has {self.sizes[too_many[0]]:,} items."
            )

    @property
    def n_drawn_of_each(self) -> IntArray:
        """Gold items of each group whose size is known, in the order of the sizes."""
        return np.array([int((self.strata == name).sum()) for name in self.sizes or ()], dtype=np.int64)

    def weights(self, sample: GoldSample) -> FloatArray:
        """How many items each gold item stands for."""
        if self.sizes is None:
            pool = cast(Votes, sample.pool)  # it has groups
            sizes, drawn = (np.bincount(v.groups, minlength=len(pool.group_names)) for v in (pool, sample.votes))
            return np.asarray((sizes / np.maximum(drawn, 1))[sample.votes.groups])
        each = dict(zip(self.sizes, self.n_drawn_of_each.tolist(), strict=True))
        return np.array([self.sizes[name] / each[name] for name in self.strata.tolist()])

    def counts(self, sample: GoldSample, is_so: AnyArray) -> tuple[IntArray, IntArray, IntArray]:
        """Of each group, how many gold items are so, how many there are, and how many items of the pool.

        For gold that is part of the pool.
        """
        if self.sizes is not None:
            inside = [self.strata == name for name in self.sizes]
            population = np.array(list(self.sizes.values()))
        else:
            pool = cast(Votes, sample.pool)  # it has groups
            inside = [sample.votes.groups == group for group in range(len(pool.group_names))]
            population = np.bincount(pool.groups, minlength=len(inside))
        right, drawn = (np.array([int(part[one].sum()) for one in inside]) for part in (is_so, np.ones(len(is_so))))
        return right, drawn, population

    def intervals(self, sample: GoldSample, errors: FloatArray) -> Intervals:
        """Bounds on the sum over the groups."""
        if self.sizes is not None:
            return _bounds_by_size(sample, self.strata, self.sizes, errors.sum(axis=0))
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


def _bounds_by_size(sample: GoldSample, strata: AnyArray, sizes: Mapping[Any, int], errors: FloatArray) -> Intervals:
    """Bounds where it is known how many items each group has, and not which.

    Of each moment the items that are right are counted among all items of a group, and so are those that could be right
    and are not. Together they are the items that could be right, whose number in the pool is known from its votes: the
    bounds on both give two on the right ones, of which the narrower holds. Each has half of the error; where all items
    could be right, both counts say the same and the first has all of it. Which it is follows from the votes alone.
    """
    reach, pooled = reach_of(sample), sample.pooled
    is_whole = reach.sizes == sample.pool.n_items
    is_right = np.rint(reach.is_right).astype(np.int64)
    inside = [strata == name for name in sizes]
    shape = (len(inside), len(pooled))
    drawn = np.broadcast_to(np.array([int(part.sum()) for part in inside])[:, None], shape)
    population = np.broadcast_to(np.array(list(sizes.values()))[:, None], shape)
    right = np.stack([is_right[part].sum(axis=0) for part in inside])
    wrong = np.stack([(reach.can_be_right[part] & (is_right[part] == 0)).sum(axis=0) for part in inside])
    fewest, most = stratified_bounds(right, drawn, population, np.where(is_whole, errors, errors / 2))
    few_wrong, many_wrong = stratified_bounds(wrong, drawn, population, np.where(is_whole, 0.0, errors / 2))
    lower = np.maximum(fewest, reach.sizes - many_wrong) / np.maximum(pooled.sizes, 1)
    upper = np.minimum(most, reach.sizes - few_wrong) / np.maximum(pooled.sizes, 1)
    return np.clip(lower, 0, 1), np.clip(np.maximum(upper, lower), 0, 1)
