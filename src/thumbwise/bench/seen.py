"""What is known while labels are made: the answer in each place of the draw, and what the panel says of every item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from thumbwise._typing import FloatArray, IntArray
from thumbwise.exceptions import InvalidVotesError
from thumbwise.io.gold_lines import Header, Settled
from thumbwise.numerics.panel import Panel
from thumbwise.votes.votes import Votes

BoolArray: TypeAlias = npt.NDArray[np.bool_]
# Codes of places that nobody answered, and of those that fit no class.
OPEN, UNCLEAR = -2, -1


@dataclass(frozen=True, eq=False)
class PanelInPlaces:
    """What the panel of rules says of the item in each place of the draw; no label has a part in it.

    Attributes
    ----------
    verdict : ndarray of shape (n_items,)
        Number of its class among those of the header, -1 if it is none of them.
    sureness : ndarray of shape (n_items,)
        The panel's own probability of it.
    """

    verdict: IntArray
    sureness: FloatArray

    @classmethod
    def of(cls, header: Header, votes: Votes, order: IntArray) -> PanelInPlaces:
        """Of votes on all items, in the order of the draw; settled before the first label."""
        if len(order) != header.items.n or votes.n_items != header.items.n:
            raise InvalidVotesError(
                f"there must be votes on each of the {header.items.n:,} items that are drawn from; found votes on "
                f"{votes.n_items:,}. Leave the votes out, or use those on these items."
            )
        patterns = votes.patterns
        panel = Panel.of_informative(patterns)
        names = {name: number for number, name in enumerate(header.classes)}
        numbers = np.array([names.get(str(name), -1) for name in votes.class_names])
        places = votes.inverse[order]
        return cls(numbers[panel.verdicts(patterns)][places], panel.sureness(patterns)[places])


@dataclass(frozen=True, eq=False)
class Says:
    """Whether the panel says yes, in each place of the draw, and how many items it says no and yes of."""

    in_places: BoolArray
    totals: IntArray

    @classmethod
    def of(cls, panel: PanelInPlaces, number: int) -> Says:
        """That an item is of a class."""
        in_places = panel.verdict == number
        return cls(in_places, np.bincount(in_places, minlength=2))


@dataclass(frozen=True, eq=False)
class Surest:
    """Sets of the items whose label is surest: about a twentieth of all, two twentieths, and so on.

    Attributes
    ----------
    sureness : ndarray of shape (n_items,)
        In the order of the draw.
    bars, sizes : ndarray of shape (n_sets,)
        A set holds all items that are at least as sure as its bar.
    """

    sureness: FloatArray
    bars: FloatArray
    sizes: IntArray

    @classmethod
    def of(cls, sureness: FloatArray, share: float | None = None) -> Surest:
        """With a set for a share that is asked for; from votes alone."""
        shares = np.union1d(np.arange(1, 21) / 20, [] if share is None else [share])
        ranked = np.sort(sureness)[::-1]
        places = np.clip(np.ceil(shares * len(ranked) - 1e-9).astype(np.int64) - 1, 0, len(ranked) - 1)
        bars = np.unique(ranked[places])[::-1]
        return cls(sureness, bars, len(ranked) - np.searchsorted(ranked[::-1], bars, side="left"))


@dataclass(frozen=True, eq=False)
class Seen:
    """Answers in the first places of the draw.

    Attributes
    ----------
    codes : ndarray of shape (n_places,)
        Class number in each place; UNCLEAR is no class, OPEN is not answered though a later place is, or was skipped.
    strata : ndarray of shape (n_places,) or None
        Number of the stratum of each place, if gold is stratified.
    """

    codes: IntArray
    strata: IntArray | None = None

    @classmethod
    def of(cls, header: Header, settled: Settled) -> Seen:
        """Of what answers come to; up to the last place that somebody answered or skipped."""
        numbers = {name: number for number, name in enumerate(header.classes)}
        names = [stratum.name for stratum in header.design.strata]
        last = max((answer.place for answer in (*settled.gold, *settled.skipped)), default=0)
        codes, strata = np.full(last, OPEN), np.zeros(last, dtype=np.int64)
        for answer in (*settled.gold, *settled.skipped):
            if names:
                strata[answer.place - 1] = names.index(str(answer.stratum))
        for answer in settled.gold:
            codes[answer.place - 1] = UNCLEAR if answer.answer is None else numbers[answer.answer]
        return cls(codes, strata if names else None)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def n_open(self) -> int:
        return int((self.codes == OPEN).sum())

    def first(self, n_places: int) -> Seen:
        """The first so many places."""
        return Seen(self.codes[:n_places], None if self.strata is None else self.strata[:n_places])

    def fills(self, is_so: BoolArray) -> tuple[BoolArray, BoolArray]:
        """The answers to a question with open places against it, and with open places for it.

        Whoever skips an item may do so because of what it is. With all of them against, a lower bound holds whatever
        they are; with all of them for, an upper bound.
        """
        is_open = self.codes == OPEN
        return is_so & ~is_open, is_so | is_open
