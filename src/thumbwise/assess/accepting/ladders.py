"""Ladders: nested sets of items, the surest first, and which of them are shown to be good enough."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.assess.accepting.ranked import DIGITS, Ranked
from thumbwise.numerics.fixed_sequence import (
    BoolArray,
    few_wrong,
    most_passing,
    most_promising,
    passed_in_order,
    seldom_missed,
)

# Sets of a ladder, at most, for each certifying label that is expected in the largest.
_STEPS_PER_LABEL = 2
# A test starts where it would be passed with so many wrong ones, if it can be: smaller sets have so few labels that bad
# luck with one of them would end everything.
_LEAST_WRONG = 1
# So many times as often as the ranking says, labels are taken to be wrong where the start is chosen.
_TIMES_DOUBT = 2.0


@dataclass(frozen=True, eq=False)
class Ladder:
    """Nested sets of items, and what certifying gold says of each; arrays of shape (n_steps,), the smallest set first.

    The sets follow from the ranking and from numbers of items, and so do the tests that are made of them: neither
    depends on which items are gold, nor on labels.

    Attributes
    ----------
    threshold : ndarray
        How sure a label must be to be in the set.
    size : ndarray
        Items that do not teach.
    drawn, wrong : ndarray
        Gold items in the set, and those of them whose proposed label is wrong.
    n_items, n_gold : int
        Items that do not teach, and gold items that certify, in all.
    is_outside : bool
        Whether gold lies outside of the items for which labels are wanted.
    doubt : ndarray or None
        Items of the set that the ranking takes to be wrong, the sum of one minus how sure each label is.
    """

    threshold: FloatArray
    size: IntArray
    drawn: IntArray
    wrong: IntArray
    n_items: int
    n_gold: int
    is_outside: bool
    doubt: FloatArray | None = None

    @property
    def expected(self) -> IntArray:
        """Gold items that each set may expect, rounded down."""
        return self.size * self.n_gold // max(1, self.n_items)

    def __len__(self) -> int:
        return len(self.size)

    def allowed(self, precision: float) -> IntArray:
        """Wrong ones that each set may have; gold from outside is counted as if all of it were in every set."""
        least = np.maximum(self.size - self.n_gold, 0) if self.is_outside else self.size
        return np.floor((1 - precision) * least + 1e-9).astype(np.int64)

    def start(self, precision: float, error: float, *, is_alone: bool = True) -> int | None:
        """Where the tests of a precision start; None if none could be passed by gold of this size.

        Smaller sets than the start are never tested. Candidates are the sets from the first on of which the test would
        be passed with a wrong label. The start is the one that promises most, its size times the chance to
        pass, if labels are wrong twice as often as the ranking says; or the first, if the precision is not alone but
        sets must pass other tests too, which large ones may fail. Settled by the part of gold that teaches and by
        numbers that are expected, so before certifying gold is drawn.
        """
        passing = most_passing(self.expected, self.size, self.allowed(precision), error)
        if passing.max(initial=-1) < 0:
            return None
        first = int(np.argmax(passing >= min(_LEAST_WRONG, passing.max())))
        if self.doubt is None or not is_alone:
            return first
        rate = _TIMES_DOUBT * self.doubt / self.size
        return first + most_promising(passing[first:], self.expected[first:], self.size[first:], rate[first:])

    def precise(self, precision: float, error: float, *, is_alone: bool = True) -> BoolArray:
        """Which sets are shown to have at least this share of right labels among the items for which labels are wanted.

        *Guarantee*: with probability at least ``1 - error`` all of them do, if certifying gold is a random sample.

        *Proof*: take the teaching part of gold as given, and with it the sets, their sizes, the start and ``allowed``.
        Certifying gold is a random sample of all items that do not teach, so that
        :mod:`thumbwise.numerics.fixed_sequence` applies: with probability at least ``1 - error`` no set that is claimed
        has more than ``allowed`` wrong ones. Gold that is part of the items keeps its known label: a set then has at
        most as many wrong ones among its items, and the items that teach only add right ones. Of a set with gold from
        outside, at least its size less all of certifying gold are items in question, and no more of them are wrong.
        """
        start = self.start(precision, error, is_alone=is_alone)
        if start is None:
            return np.zeros(len(self), dtype=bool)
        return passed_in_order(few_wrong(self.wrong, self.drawn, self.size, self.allowed(precision), error), start)


def climb(ranked: Ranked, among: AnyArray | None = None) -> Ladder:
    """The ladder of all patterns, or of some, by how sure their labels are."""
    inside = np.ones(len(ranked.size), dtype=bool) if among is None else np.asarray(among)
    levels = np.unique(ranked.sureness[inside & (ranked.size > 0)])[::-1]
    sizes = up_to(levels, ranked.sureness[inside], ranked.size[inside])
    kept = kept_steps(sizes, ranked)
    levels = levels[kept]
    gold = inside[ranked.place]
    sure = ranked.sureness[ranked.place[gold]]
    return Ladder(
        levels,
        sizes[kept],
        up_to(levels, sure, np.ones(len(sure), dtype=np.int64)),
        up_to(levels, sure, ranked.is_wrong[gold].astype(np.int64)),
        ranked.n_items,
        len(ranked.labels),
        ranked.is_outside,
        up_to(levels, ranked.sureness[inside], ranked.doubt[inside]) / 10**DIGITS,
    )


def up_to(levels: FloatArray, values: FloatArray, counts: IntArray) -> IntArray:
    """Counts of what is at least as sure as each level; levels fall."""
    order = np.argsort(values, kind="stable")
    total = np.concatenate([[0], np.cumsum(counts[order])])
    return np.asarray(total[-1] - total[np.searchsorted(values[order], levels, side="left")], dtype=np.int64)


def kept_steps(sizes: AnyArray, ranked: Ranked) -> IntArray:
    """The last of the sets in each stretch of so many items that half a certifying label may be expected there."""
    step = ranked.n_items / max(1, _STEPS_PER_LABEL * len(ranked.labels))
    stretch = np.floor(sizes / step)
    return np.flatnonzero(np.append(stretch[1:] != stretch[:-1], True)) if len(sizes) else np.zeros(0, dtype=np.int64)


def recalled(
    ranked: Ranked, ladder: Ladder, wanted: int, most_missed: float, error: float, among: AnyArray
) -> BoolArray:
    """Which sets are shown to miss at most this share of a class: to hold items of it under another label.

    Gold items of the class are a random sample of all items of the class, however many these are. The tests start with
    the smallest set; as sets grow, no fewer are missed, so that all sets up to some size pass.

    *Guarantee*: with probability at least ``1 - error`` all of them do, if certifying gold is a random sample and gold
    items keep their known label.

    *Proof*: of the items that do not teach, K are of the class, and M of these are missed by a set if gold does not
    help. Given how many certifying gold items are of the class, they are a random sample of the K, and those that are
    missed are hypergeometric; where M is more than this share of K, the test is passed with probability at most
    ``error`` (:func:`thumbwise.numerics.fixed_sequence.seldom_missed`), for every K. M does not depend on the draw of
    certifying gold, so the sequence of sets holds as for precision. Gold items are never missed: with them fewer than M
    are missed, and items of the class that teach only add to those that are not.
    """
    is_so = ranked.labels == wanted
    inside = among[ranked.place] & is_so & ranked.is_wrong
    sure = ranked.sureness[ranked.place[inside]]
    missed = up_to(ladder.threshold, sure, np.ones(len(sure), dtype=np.int64))
    return passed_in_order(seldom_missed(missed, int(is_so.sum()), most_missed, error), 0)
