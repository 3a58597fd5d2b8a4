"""Gold: items whose label is known, how they were drawn, what is counted on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.box.moments.linear import FREQUENCY, About, MomentBuilder, Moments, build_moments
from thumbwise.box.moments.standard import STANDARD
from thumbwise.box.stopping import FIXED, StoppingRule
from thumbwise.exceptions import Argument, InvalidBoxError, InvalidLabelsError
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.labels import KnownLabels, label_counts
from thumbwise.votes.votes import Votes

GoldIs = Literal["separate", "subset"]
Intervals = tuple[FloatArray, FloatArray]


class Design(ABC):
    """How gold was drawn: which intervals follow from it, under which assumption, in which words.

    The draw is over, and the design fixed, before any gold label is seen; a draw that depends on labels is none of
    these. Make one of :mod:`thumbwise.box.designs`.

    Attributes
    ----------
    gold_is : {"separate", "subset"}
        Whether the gold items are further items of the same kind, or part of the pool.
    is_plain : bool
        Whether gold is to be a plain random sample, so that its votes can speak against it.
    may_repeat : bool
        Whether an item can be drawn more than once.
    bounds_are : str
        What kind of intervals it gives, in words.
    called : str
        What messages call it.
    objection : str or None
        What is known to speak against the draw, such as drawn items that were not labeled.
    looks : tuple of int, "anytime" or None
        Numbers of labels at which the labels could decide that labeling stops, if they could; "anytime" is all. None if
        the number of labels was fixed before the first of them.
    """

    gold_is: GoldIs = "subset"
    is_plain: bool = False
    may_repeat: bool = False
    bounds_are: str = "exact (hypergeometric)"

    @property
    def called(self) -> str:
        return type(self).__name__

    @property
    def looks(self) -> tuple[int, ...] | Literal["anytime"] | None:
        return None

    def heeding_looks(self) -> Self:
        """The same for intervals that hold at all of the looks together; those for one number of labels do not."""
        return self

    @property
    def objection(self) -> str | None:
        return None

    def drawn_order(self, sample: GoldSample) -> IntArray | None:
        """Positions of the gold items in the order in which they were drawn, if that is known."""
        return None

    @abstractmethod
    def assumption(self, n_gold: int, n_items: int) -> str:
        """What must hold for the intervals, as an "if" clause."""

    @abstractmethod
    def intervals(self, sample: GoldSample, errors: FloatArray) -> Intervals:
        """Bounds on each moment realised on the pool, which hold but for the error allowed to each.

        ``errors`` has two rows, what is allowed below and above; a design may give both sides half of their sum.
        """

    def expected(self, counts: GoldCounts, n_items: int) -> FloatArray:
        """Gold items that each moment may expect; from what is known before the draw."""
        return counts.expected

    def in_item_order(self, gold_votes: Any) -> Self:
        """With what it says of single gold items in the order of the items."""
        return self

    def take(self, chosen: AnyArray) -> Self:
        """For some of the gold items."""
        return self

    def check(self, sample: GoldSample) -> None:
        """Refuse gold that cannot have been drawn in this way."""
        return


@dataclass(frozen=True, eq=False)
class Gold:
    """Items whose label is known, and how they were drawn; taken by everything that takes gold votes and labels.

    Attributes
    ----------
    votes : Votes, array-like or frame
        Votes of the same rules as in the pool, on the gold items.
    labels : array-like of shape (n_gold,)
        Their classes, by name or number; -1 or missing where there is none.
    drawn : {"separate", "subset"} or Design
        Further items of the same kind, a random part of the pool, or a design of :mod:`thumbwise.box.designs`.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> truth = np.arange(400) % 2
    >>> votes = tw.Votes(np.where(np.arange(400)[:, None] % [5, 7] == 0, 1 - truth[:, None], truth[:, None]))
    >>> gold = tw.Gold(votes.take(range(100, 200)), truth[100:200], "subset")
    >>> box = tw.Box.from_gold(gold, pool=votes)
    >>> print(box.evidence.assumption)
    the 100 gold items are a random sample of all 400 items
    """

    votes: Any
    labels: Any
    drawn: GoldIs | Design = "separate"


@dataclass(frozen=True, eq=False)
class GoldCounts:
    """What gold says about each moment, and the population it was drawn from.

    Attributes
    ----------
    about : tuple of About
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

    about: tuple[About, ...]
    right: IntArray
    drawn: IntArray
    population: IntArray
    pool: IntArray
    outside: IntArray
    expected: FloatArray
    keys: tuple[Hashable, ...]

    @classmethod
    def of(
        cls,
        about: tuple[About, ...],
        right: IntArray,
        drawn: IntArray,
        pool: IntArray,
        keys: tuple[Hashable, ...],
        n_gold: int,
        n_pool: int,
        gold_is: GoldIs,
    ) -> GoldCounts:
        """From counts on gold and on the pool, if gold is a plain random sample."""
        is_subset = gold_is == "subset"
        n_population = n_pool if is_subset else n_pool + n_gold
        population = pool if is_subset else pool + drawn
        return cls(
            about=about,
            right=right,
            drawn=drawn,
            population=population,
            pool=pool,
            outside=np.zeros_like(right) if is_subset else right,
            expected=np.asarray(population, dtype=float) * (n_gold / n_population),
            keys=keys,
        )


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
    right = np.rint(gold.totals(label_counts(gold_votes, labels))).astype(np.int64)
    counts = GoldCounts.of(
        pooled.about,
        right,
        gold.sizes,
        pooled.sizes,
        tuple(zip(pooled.keys, gold.keys, strict=True)),
        gold_votes.n_items,
        pool.n_items,
        gold_is,
    )
    if (counts.drawn > counts.population).any():
        m = int(np.argmax(counts.drawn > counts.population))
        raise InvalidLabelsError(
            Argument("gold_is", '"subset"'),
            f" needs gold to be part of the pool; {gold.names[m]} counts {gold.sizes[m]} gold items but only "
            f"{counts.population[m]} items of the pool. Pass ",
            Argument("gold_is", '"separate"'),
            " if gold is a sample of its own.",
        )
    return counts


@dataclass(frozen=True, eq=False)
class GoldSample:
    """Gold items with known labels, the pool they speak of, and the moments in question.

    Attributes
    ----------
    votes, pool : Votes
        Under the same rules and classes.
    labels : ndarray of shape (n_gold,)
        Class numbers.
    design : Design
        How gold was drawn.
    builders : tuple of builders
    skips_classes : bool
        Class frequencies are known from elsewhere, so gold spends no error on them.
    stopping : StoppingRule
        When labeling could stop.
    """

    votes: Votes
    labels: IntArray
    pool: CountedVotes
    design: Design
    builders: tuple[MomentBuilder, ...] = STANDARD
    skips_classes: bool = False
    stopping: StoppingRule = FIXED

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def gold_is(self) -> GoldIs:
        return self.design.gold_is

    @property
    def pooled(self) -> Moments:
        return build_moments(self.builders, self.pool)

    @cached_property
    def counts(self) -> GoldCounts:
        # Items that were drawn more than once may be more than the pool has.
        gold_is: GoldIs = "separate" if self.design.may_repeat else self.gold_is
        counts = count_gold(self.votes, self.labels, self.pool, gold_is, self.builders)
        expected = self.design.expected(counts, self.pool.n_items) * (self.stopping.typical(len(self)) / len(self))
        if self.skips_classes:
            expected = np.where([moment.kind == FREQUENCY for moment in counts.about], 0.0, expected)
        return replace(counts, expected=expected)

    @property
    def features_on_gold(self) -> FloatArray:
        """Of each gold item, what it adds to each moment with the class that it has, shape (n_gold, n_moments)."""
        moments = build_moments(self.builders, self.votes)
        cells = self.votes.inverse.astype(np.int64) * self.pool.n_classes + self.labels
        return np.asarray(moments.features[cells].toarray())

    def intervals(self, errors: FloatArray) -> Intervals:
        """Bounds on the moments by the design, with the error that is left for each look."""
        return self.design.intervals(self, self.stopping.each(errors))

    @property
    def in_order(self) -> IntArray:
        """Positions of the gold items by their ids, or by row if there are none; labels have no part in it."""
        if not self.votes.has_ids:
            return np.arange(len(self))
        return np.argsort(self.votes.item_ids.astype(str), kind="stable")

    def known_labels(self) -> KnownLabels | None:
        """Gold items that are items of the pool, each once, where ids say which."""
        if self.gold_is != "subset" or not (self.votes.has_ids and self.pool.has_ids):
            return None
        ids = self.votes.item_ids
        first = sorted({value: i for i, value in reversed([*enumerate(ids.tolist())])}.values())
        return KnownLabels(ids[first], self.labels[first])


def gold_items_are(n_gold: int) -> str:
    """The beginning of an assumption."""
    return f"the {n_gold:,} gold {'item is' if n_gold == 1 else 'items are'}"


def all_items(n_items: int) -> str:
    """The pool."""
    return "this one item" if n_items == 1 else f"all {n_items:,} items"
