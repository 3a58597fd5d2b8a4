"""Intervals that are valid for the stopping rule of the header, at the moment they are asked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.bench.seen import OPEN, BoolArray, Says, Seen, Surest
from thumbwise.box.stopping import StoppingRule
from thumbwise.io.gold_lines import Header
from thumbwise.numerics.anytime import HORIZON, anytime_sides
from thumbwise.numerics.intervals import hypergeometric_sides, stratified_bounds
from thumbwise.rates.counts import Counts, Said
from thumbwise.rates.intervals import Interval, assisted, exact
from thumbwise.rates.other_designs import two_strata
from thumbwise.rates.whenever import whenever

# Strata for which exact intervals exist.
_TWO = 2


@dataclass(frozen=True)
class Rule:
    """When labeling may stop, how sure statements are to be, and of how many items; from the header alone."""

    stopping: StoppingRule
    n_planned: int | None
    confidence_level: float
    n_items: int
    sizes: tuple[int, ...] = ()

    @classmethod
    def of(cls, header: Header) -> Rule:
        asked = header.stopping
        sizes = tuple(stratum.size for stratum in header.design.strata)
        rule = StoppingRule(asked.rule, asked.looks or ())
        planned = min(asked.n, header.items.n) if asked.rule == "fixed" and asked.n is not None else None
        return cls(rule, planned, asked.confidence_level, header.items.n, sizes)

    @property
    def error(self) -> float:
        """What is left for each look."""
        return float(self.stopping.each(1 - self.confidence_level))

    def counted(self, n_places: int) -> int | None:
        """How many places of the draw a valid statement may count now; None if it is too early for any.

        Decided by the rule and by how far labeling has come, not by what labels say.
        """
        if self.stopping.rule == "fixed":
            return self.n_planned if n_places >= (self.n_planned or 1) else None
        if self.stopping.rule == "looks":
            return self.stopping.reached(n_places)
        return n_places if n_places and not self.sizes else None

    def sides(
        self, right: IntArray, drawn: IntArray, size: IntArray, below: float, above: float
    ) -> tuple[IntArray, IntArray]:
        """Bounds on right ones of sets of items, from those of them among the places that count."""
        if not self.stopping.is_anytime:
            return hypergeometric_sides(right, drawn, size, below, above)
        horizon = np.maximum(np.asarray(size) * (HORIZON / self.n_items), 1.0)
        return anytime_sides(right, drawn, size, below, above, horizon=horizon)


def share_interval(rule: Rule, seen: Seen, is_so: BoolArray, says: Says | None) -> Interval:
    """The share of all items of which something is so, with an interval; ``says`` is what the panel says, if any.

    *Guarantee*: at the level of the header, for the rule of the header, if places are a random order of the items (of
    those of each stratum): at whichever look, or after whichever label, ``rule.counted`` chose these places. Open
    places count against both ends: more right ones never lower a bound from counts, so that with the truth in their
    place the bound would be no lower. Bets do not rise and fall with single values; where they are laid, what comes
    before the first open place counts.
    """
    if rule.stopping.is_anytime and says is not None and seen.n_open:
        n_whole = int(np.argmax(seen.codes == OPEN))
        seen, is_so = seen.first(n_whole), is_so[:n_whole]
    least, most = seen.fills(is_so)
    low = _interval(rule, seen, least, says)
    high = low if seen.n_open == 0 else _interval(rule, seen, most, says)
    return Interval((low.estimate + high.estimate) / 2, low.lower, max(low.lower, high.upper))


def _interval(rule: Rule, seen: Seen, is_so: BoolArray, says: Says | None) -> Interval:
    if seen.strata is not None:
        return _stratified(rule, seen.strata, is_so)
    counts, said = _counted(rule, is_so, says)
    if rule.stopping.is_anytime:
        return whenever(counts, rule.error, said)
    return exact(counts, rule.error) if says is None else assisted(counts, rule.error)


def _counted(rule: Rule, is_so: BoolArray, says: Says | None) -> tuple[Counts, Said | None]:
    if says is None:
        right, drawn, size = (np.array([0, n]) for n in (int(is_so.sum()), len(is_so), rule.n_items))
        return Counts(right, drawn, size), None
    here = says.in_places[: len(is_so)]
    right = np.bincount(here, is_so, minlength=2).astype(np.int64)
    counts = Counts(right, np.bincount(here, minlength=2), says.totals)
    return counts, Said(here, is_so, np.ones(len(is_so), dtype=bool))


def _stratified(rule: Rule, strata: IntArray, is_so: BoolArray) -> Interval:
    right, drawn, sizes = by_stratum(strata, is_so, rule.sizes)
    if len(sizes) == _TWO:
        return two_strata(right[:, 0], drawn[:, 0], sizes[:, 0], rule.error)
    fewest, most = stratified_bounds(right, drawn, sizes, np.array([rule.error]))
    seen = drawn[:, 0] > 0
    estimate = float((sizes[seen, 0] * right[seen, 0] / drawn[seen, 0]).sum() / max(1, sizes[seen, 0].sum()))
    ends = float(fewest[0]) / rule.n_items, float(most[0]) / rule.n_items
    return Interval(estimate, *ends).held(0, 1)


def by_stratum(strata: IntArray, is_so: BoolArray, sizes: tuple[int, ...]) -> tuple[IntArray, IntArray, IntArray]:
    """Right ones, places and items of each stratum, as one column each."""
    right = np.bincount(strata, is_so, minlength=len(sizes)).astype(np.int64)
    drawn = np.bincount(strata, minlength=len(sizes))
    return right[:, None], drawn[:, None], np.array(sizes)[:, None]


def least_share(rule: Rule, seen: Seen, is_so: BoolArray) -> float:
    """A lower bound on the share of all items of which something is so, with all of the error on this side."""
    least, _ = seen.fills(is_so)
    if seen.strata is not None:
        right, drawn, sizes = by_stratum(seen.strata, least, rule.sizes)
        fewest, _ = stratified_bounds(right, drawn, sizes, np.array([rule.error]))
        return float(fewest[0]) / rule.n_items
    right, drawn, size = (np.array([n]) for n in (int(least.sum()), len(least), rule.n_items))
    return float(rule.sides(right, drawn, size, rule.error, 0.0)[0][0]) / rule.n_items


def accepted_share(rule: Rule, seen: Seen, is_right: BoolArray, surest: Surest, precision: float) -> float:
    """Share of the items whose labels are shown to be right with some precision, the surest first.

    Sets of the surest items are tested one after the other, from the first that a perfect sample of the usual size
    could pass, to the largest, until one fails (:mod:`thumbwise.numerics.fixed_sequence`). How sure a label is, the
    sets and where to begin are settled by votes and the header, before the first label. A false claim needs the first
    set that is not precise enough to pass, which at planned looks, and at any moment too, it does with probability at
    most the error: its test is that of one set, whose bound holds at all looks or moments together.

    *Guarantee*: at the level and for the rule of the header, at least ``precision`` of the panel's labels of the set
    are right.
    """
    size = surest.sizes
    allowed = np.floor((1 - precision) * size + 1e-9).astype(np.int64)
    expected = np.floor(size * (rule.stopping.typical(len(seen)) / rule.n_items)).astype(np.int64)
    possible = rule.sides(np.zeros_like(size), np.minimum(expected, size), size, 0.0, rule.error)[1] <= allowed
    if not possible.any():
        return 0.0
    inside = surest.sureness[: len(seen)] >= surest.bars[:, None]
    least, _ = seen.fills(is_right)
    wrong, drawn = (inside & ~least).sum(axis=1), inside.sum(axis=1)
    passes = rule.sides(wrong, drawn, size, 0.0, rule.error)[1] <= allowed
    start = int(np.argmax(possible))
    n_passed = int(np.logical_and.accumulate(passes[start:]).sum())
    return float(size[start + n_passed - 1] / rule.n_items) if n_passed else 0.0
