"""Gold that was drawn in whole clusters of items: conversations, or samples that were answered several times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.box.gold import Design, GoldCounts, GoldSample, Intervals
from thumbwise.exceptions import Argument, InvalidLabelsError
from thumbwise.numerics.bounded_totals import Kinds, total_sides
from thumbwise.numerics.even_panel import panel_of, weighted_scores
from thumbwise.numerics.maxent import softmax
from thumbwise.summaries import plural
from thumbwise.tables.opened_frames import is_missing
from thumbwise.votes.inputs import in_memory
from thumbwise.votes.reading.item_order import in_item_order


@dataclass(frozen=True, eq=False)
class Clusters(Design):
    """Whole clusters of items were drawn at random from all clusters of the pool, and every item of them was labeled.

    Items of one cluster (turns of a conversation, answers to the same question in several epochs) are alike, so that
    ten of them say less than ten items drawn one by one, and intervals for single items would be too narrow. Here a
    cluster is the unit that was drawn: of each moment, what a cluster adds to it is bounded by its number of items, and
    the sum over all clusters is bounded by betting (:mod:`thumbwise.numerics.bounded_totals`).

    *Before gold labels are seen*: which items form a cluster, the guess at each cluster (from the votes of the pool),
    the order of the clusters (that of their names), and the error of each moment.

    Attributes
    ----------
    of_gold : array-like of shape (n_gold,)
        Cluster of each gold item. A pandas Series whose index holds the ids of the gold items is matched with them.
    of_pool : array-like of shape (n_items,)
        Cluster of each item of the pool, which gold is part of.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> talks = np.repeat(np.arange(200), 3)
    >>> truth = (np.arange(200) % 2)[talks]
    >>> votes = tw.Votes(np.where(np.arange(600)[:, None] % [5, 7] == 0, 1 - truth[:, None], truth[:, None]))
    >>> gold = np.flatnonzero(talks % 5 == 0)
    >>> drawn = tw.designs.Clusters(talks[gold], talks)
    >>> box = tw.Box.from_gold(votes.take(gold), truth[gold], pool=votes, gold_is=drawn)
    >>> print(box.evidence.assumption)
    the 40 clusters with gold are a random sample of all 200 clusters
    """

    of_gold: Any
    of_pool: Any
    gold_is = "subset"
    bounds_are = "finite-sample (betting over clusters)"

    @property
    def called(self) -> str:
        return "gold that was drawn in whole clusters"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Clusters of the pool, in the order of their names."""
        return tuple(sorted(set(self._texts(self.of_pool))))

    @cached_property
    def pool_codes(self) -> IntArray:
        """Number of the cluster of each item of the pool."""
        return self._codes(self.of_pool)

    @cached_property
    def gold_codes(self) -> IntArray:
        """Number of the cluster of each gold item."""
        return self._codes(self.of_gold)

    @property
    def drawn(self) -> IntArray:
        """Numbers of the clusters with gold, ascending."""
        return np.unique(self.gold_codes)

    def assumption(self, n_gold: int, n_items: int) -> str:
        return clusters_are(len(self.drawn), len(self.names))

    def in_item_order(self, gold_votes: Any) -> Self:
        return replace(self, of_gold=np.asarray(in_item_order(self.of_gold, gold_votes, "clusters"), dtype=object))

    def take(self, chosen: AnyArray) -> Self:
        of_gold = np.asarray(self.of_gold, dtype=object)
        if of_gold.shape != chosen.shape:
            raise InvalidLabelsError(
                f"there must be one cluster per gold label; found shape {of_gold.shape} for {len(chosen)} labels."
            )
        return replace(self, of_gold=of_gold[chosen])

    def check(self, sample: GoldSample) -> None:
        pool = in_memory(sample.pool, "gold that was drawn in clusters")
        if len(self._texts(self.of_pool)) != pool.n_items:
            raise InvalidLabelsError(
                f"there must be one cluster for each of the {pool.n_items:,} items of the pool; found "
                f"{len(self._texts(self.of_pool)):,}."
            )
        n_missing = sum(map(is_missing, np.asarray(self.of_pool, dtype=object).tolist()))
        if n_missing:
            raise InvalidLabelsError(
                f"every item must be of a cluster; of {plural(n_missing, 'item')} of the pool none is given. Fill it "
                "in; an item that stands alone is a cluster of its own."
            )
        strange = sorted(set(self._texts(self.of_gold)) - set(self.names))
        if strange:
            raise InvalidLabelsError(
                f"gold must be of clusters of the pool; {strange[0]!r} is none ({len(strange)} such clusters)."
            )
        sizes, gold = (np.bincount(codes, minlength=len(self.names)) for codes in (self.pool_codes, self.gold_codes))
        check_whole(self.names, sizes, gold)

    def expected(self, counts: GoldCounts, n_items: int) -> FloatArray:
        """The number of clusters is fixed before the draw, that of gold items is not."""
        return np.asarray(counts.pool, dtype=float) * (len(self.drawn) / len(self.names))

    def intervals(self, sample: GoldSample, errors: FloatArray) -> Intervals:
        """Bounds on the sum over all clusters of what each adds to a moment, helped by what the panel guesses."""
        pool, pooled = in_memory(sample.pool), sample.pooled
        proba = softmax(weighted_scores(pool.patterns, panel_of(pool.patterns)[1]))[0]
        lower, upper = np.zeros(len(pooled)), np.ones(len(pooled))
        found = sample.features_on_gold
        for m in np.flatnonzero(pooled.sizes > 0).tolist():
            column = np.asarray(pooled.features @ np.eye(1, len(pooled), m)[0]).reshape(-1, pool.n_classes)
            by_pattern = column.min(axis=1), column.max(axis=1), (column * proba).sum(axis=1)
            low, high, guess = (self._sums(self.pool_codes, part[pool.inverse]) for part in by_pattern)
            value = self._sums(self.gold_codes, found[:, m])
            least, most = self._bound(low, high, guess, value, errors[:, m])
            lower[m], upper[m] = least / pooled.sizes[m], most / pooled.sizes[m]
        return np.clip(lower, 0, 1), np.clip(upper, 0, 1)

    def _bound(
        self, low: FloatArray, high: FloatArray, guess: FloatArray, value: FloatArray, errors: FloatArray
    ) -> tuple[float, float]:
        """Of the sum over all clusters; those to which nothing can be added are none that could be drawn."""
        open_ones = np.flatnonzero(high > low)
        certain = float(low.sum() - low[open_ones].sum())
        places = np.flatnonzero(np.isin(open_ones, self.drawn))
        shape = np.stack([low, high, guess])[:, open_ones]
        kinds, of_cluster = np.unique(np.round(shape, 9), axis=1, return_inverse=True)
        of_cluster = of_cluster.ravel()
        units = Kinds(kinds[0], kinds[1], kinds[2], np.bincount(of_cluster, minlength=kinds.shape[1]))
        bounds = total_sides(units, of_cluster[places], value[open_ones[places]], float(errors[0]), float(errors[1]))
        return certain + bounds[0], certain + bounds[1]

    def _sums(self, codes: IntArray, values: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(codes, values, minlength=len(self.names)), dtype=float)

    def _texts(self, values: Any) -> list[str]:
        return [str(value) for value in np.asarray(values, dtype=object).ravel().tolist()]

    def _codes(self, values: Any) -> IntArray:
        number = {name: c for c, name in enumerate(self.names)}
        return np.array([number[text] for text in self._texts(values)], dtype=np.int64)


def check_whole(names: Sequence[str], sizes: AnyArray, gold: AnyArray) -> None:
    """Refuse clusters that are labeled in part: which of their items are may depend on what these say."""
    partly = np.flatnonzero((gold > 0) & (gold < sizes))
    if len(partly):
        c = partly[0]
        raise InvalidLabelsError(
            f"whole clusters must be labeled; {len(partly)} of {int((gold > 0).sum())} clusters with gold are labeled "
            f"in part, such as {names[c]!r} with {int(gold[c])} of {int(sizes[c])} items. Label the rest, or take the "
            "labels of these clusters out if chance alone decided where labeling ended; if items were drawn one by "
            "one, leave out ",
            Argument("cluster"),
            ".",
        )


def clusters_are(n_drawn: int, n_clusters: int) -> str:
    """What must hold of the draw, as an "if" clause."""
    what = "cluster with gold is" if n_drawn == 1 else "clusters with gold are"
    return f"the {n_drawn:,} {what} a random sample of all {n_clusters:,} clusters"


def clusters_of(sample: GoldSample) -> Clusters | None:
    """The clusters that gold was drawn in, if it was."""
    return sample.design if isinstance(sample.design, Clusters) else None
