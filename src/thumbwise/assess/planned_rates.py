"""Plans for a share: how many gold labels until the interval of ``tw.rate`` is as narrow as is wanted."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.assess.planning import planned_sizes
from thumbwise.box.estimates import check_level
from thumbwise.box.gold import Design, GoldIs
from thumbwise.box.opened_gold import check_plain
from thumbwise.exceptions import Argument, InvalidBoxError
from thumbwise.outward import at_most, level
from thumbwise.rates.asked import class_number, open_asked
from thumbwise.rates.asking import check_method
from thumbwise.rates.counts import Counts
from thumbwise.rates.intervals import BY_NAME, Method
from thumbwise.rates.questions import Shares
from thumbwise.summaries import plural
from thumbwise.votes.inputs import VotesAndGold, as_votes

# Before any gold label is there: how often the panel is taken to be right, and the first size that is planned for.
PANEL_IS_RIGHT = 0.85
_FIRST_SIZE = 25
# Labels of either kind that are added to what gold shows of each part of the items, so that 5 of 5 are no certainty.
# Half of one each was off by less than one each where the panel is nearly always right, and by as much elsewhere.
_ADDED = 0.5
# Half-widths below are written with more digits.
_COARSE = 0.01


class RateRow(NamedTuple):
    """Half of the width that is expected of the interval, with some number of gold labels."""

    n_gold: int
    within: float


@dataclass(frozen=True)
class RatePlan:
    """How many gold labels would give the share of a class as exactly as is wanted.

    Attributes
    ----------
    rows : tuple of RateRow
        Half of the width of the interval by number of gold labels. The first is that of today, the others are expected;
        the last is the first that is narrow enough.
    needed : int or None
        Gold labels in all, those of today among them. With all items labeled their share is known, so there always is
        a number; None only where gold are further items, which leave something open of these.
    of : hashable
        The class.
    within : float
        Half of the width that is wanted.
    confidence_level : float
    method : str
    """

    rows: tuple[RateRow, ...]
    needed: int | None
    of: Hashable
    within: float
    confidence_level: float
    method: str

    @property
    def n_gold(self) -> int:
        """Gold labels of today."""
        return self.rows[0].n_gold

    @property
    def is_reached(self) -> bool:
        """Whether the interval of today is narrow enough."""
        return self.needed == self.n_gold

    def frame(self) -> dict[str, list[float]]:
        """Columns ``n_gold`` and ``planned_within``."""
        return {"n_gold": [row.n_gold for row in self.rows], "planned_within": [row.within for row in self.rows]}

    def __str__(self) -> str:
        ending = "." if self.is_reached else ". A plan is no guarantee."
        return f"{self._needs()}, at {level(self.confidence_level)} confidence; {self._now()}{ending}"

    def _needs(self) -> str:
        known = f"the share of {self.of} within {100 * self.within:.4g} points"
        if self.needed is None:
            return f"No number of gold labels up to {self.rows[-1].n_gold:,} is expected to give {known}"
        if self.is_reached:
            return f"No more gold labels are needed for {known}"
        if not self.n_gold:
            return f"About {plural(self.needed, 'gold label')} would give {known}"
        return f"About {self.needed:,} gold labels in all ({self.needed - self.n_gold:,} more) would give {known}"

    def _now(self) -> str:
        if self.n_gold:
            return f"with the {self.n_gold:,} of now it is within {points(self.rows[0].within)} points"
        return (
            "there is none yet, so this is for a share of one half and a panel that is right "
            f"{100 * PANEL_IS_RIGHT:.0f} % of the time"
        )


def plan_rate(
    votes: Any,
    y: Any = None,
    *,
    of: Hashable,
    within: float,
    confidence_level: float = 0.95,
    method: Method = "assisted",
    gold_is: GoldIs | Design | None = None,
) -> RatePlan:
    """Plan how many gold labels :func:`rate` needs for an interval that is as narrow as is wanted.

    The labels at hand stay as they were counted. Further ones fall on items that the panel gives the class and on
    others as these are among the items without gold, and are of the class as often as gold shows in each of the two
    parts, with half a label of either kind added. These counts, rounded, go through the interval of :func:`rate`.
    Before there is gold, half of the items are taken to be of the class, and the panel to be right 85 % of the time.

    *Guarantee*: none. A plan is an estimate from the labels of today, and further ones must be drawn at random:
    :func:`draw_gold` draws them. If what gold shows decides how many are labeled, two looks at a level of 0.975 hold at
    0.95 together.

    Parameters
    ----------
    votes, y, confidence_level, method, gold_is
        As for :func:`rate`; ``y`` may be missing, and a reading without gold labels.
    of : hashable
        The class whose share is wanted.
    within : float
        Half of the width of the interval that is wanted: 0.03 is three points to either side of its middle.

    Returns
    -------
    RatePlan
        Half-widths by number of labels, ``needed``, and ``str(plan)``, a sentence.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> rng = np.random.default_rng(0)
    >>> truth = np.where(rng.random(3000) < 0.7, "pass", "fail")
    >>> others = np.where(truth == "pass", "fail", "pass")
    >>> judges = np.where(rng.random((3000, 3)) < 0.8, truth[:, None], others[:, None])
    >>> gold = np.where(np.arange(3000) < 100, truth, None)
    >>> planned = tw.plan_rate(judges, gold, of="pass", within=0.03)
    >>> print(planned)  # doctest: +NORMALIZE_WHITESPACE
    About 310 gold labels in all (210 more) would give the share of pass within 3 points, at 95 % confidence; with the
    100 of now it is within 6.0 points. A plan is no guarantee.
    >>> [(row.n_gold, round(row.within, 3)) for row in planned.rows]
    [(100, 0.06), (141, 0.048), (200, 0.039), (283, 0.032), (400, 0.026)]
    """
    check_level(confidence_level)
    check_method(method)
    _check_within(within)
    name, outlook = open_outlook(votes, y, of, gold_is)
    rows: list[RateRow] = []
    for n_gold in outlook.sizes():
        rows.append(RateRow(n_gold, outlook.half_width(n_gold, method, 1 - confidence_level)))
        if rows[-1].within <= within:
            break
    needed = _first(outlook, rows, within, method, 1 - confidence_level)
    return RatePlan(tuple(rows), needed, name, within, confidence_level, method)


@dataclass(frozen=True, eq=False)
class Outlook:
    """What gold shows of two parts of the items, and what further labels are expected to show.

    Attributes
    ----------
    counts : Counts
        Of today: items that the panel does not give the class, and that it does.
    rates : ndarray of shape (2,)
        How often further gold items of each part are of the class.
    is_separate : bool
        Whether gold items are further items, or among those in question.
    """

    counts: Counts
    rates: FloatArray
    is_separate: bool = False

    @classmethod
    def from_gold(cls, counts: Counts, is_separate: bool) -> Outlook:
        """At the rates that gold shows, with labels of both kinds added."""
        return cls(counts, (counts.right + _ADDED) / (counts.drawn + 2 * _ADDED), is_separate)

    @classmethod
    def without_gold(cls, n_items: int) -> Outlook:
        """For a share of one half."""
        nothing = np.zeros(2, dtype=np.int64)
        half = np.array([n_items - n_items // 2, n_items // 2])
        return cls(Counts(nothing, nothing, half), np.array([1 - PANEL_IS_RIGHT, PANEL_IS_RIGHT]))

    def sizes(self) -> list[int]:
        """Numbers of labels to plan for: that of today, then larger ones up to all items."""
        n_gold, n_items = self.counts.n_gold, self.counts.n_items
        return planned_sizes(n_gold, n_items) if n_gold else [0, *planned_sizes(min(_FIRST_SIZE, n_items), n_items)]

    def grown(self, n_gold: int) -> Counts:
        """Counts that are expected with so many gold labels."""
        now = self.counts
        left = now.population - now.drawn
        more = n_gold - now.n_gold
        of_class = round(more * int(left[1]) / max(1, int(left.sum())))
        fresh = np.array([more - of_class, of_class])
        right, drawn = now.right + np.rint(self.rates * fresh).astype(np.int64), now.drawn + fresh
        if not self.is_separate:
            return Counts(right, drawn, now.population)
        return Counts(right, drawn, now.population + fresh, int(right.sum()), int(drawn.sum()))

    def half_width(self, n_gold: int, method: Method, error: float) -> float:
        """Half of the width of the interval at these counts."""
        return BY_NAME[method](self.grown(n_gold), error).width / 2


def _first(outlook: Outlook, rows: Sequence[RateRow], within: float, method: Method, error: float) -> int | None:
    """Between the last size that is too small and the first that is enough, by halving."""
    if rows[-1].within > within:
        return None
    enough, too_few = rows[-1].n_gold, rows[-2].n_gold if len(rows) > 1 else rows[-1].n_gold - 1
    while enough - too_few > 1:
        middle = (enough + too_few) // 2
        if outlook.half_width(middle, method, error) <= within:
            enough = middle
        else:
            too_few = middle
    return enough


def open_outlook(votes: Any, y: Any, of: Hashable, gold_is: GoldIs | Design | None = None) -> tuple[Hashable, Outlook]:
    """Name of the class, and what gold shows, if there is any."""
    is_reading = isinstance(votes, VotesAndGold)
    has_gold = len(votes.gold_labels) > 0 if is_reading else y is not None
    if not has_gold:
        pool = as_votes(votes.votes if is_reading else votes)
        return pool.class_names[class_number(of, pool.class_names)], Outlook.without_gold(pool.n_items)
    asked = open_asked(votes, y, gold_is)
    sample = asked.sample
    check_plain(sample.design)
    number = class_number(of, sample.pool.class_names)
    counts = Shares(asked, None, "assisted", "", number).counts(None)
    return sample.pool.class_names[number], Outlook.from_gold(counts, sample.gold_is == "separate")


def _check_within(within: float) -> None:
    if not 0 < within < 0.5:
        raise InvalidBoxError(
            Argument("within"),
            f" must be half of the width of an interval for a share, between 0 and 0.5; found {within}. Three points "
            "to either side are 0.03.",
        )


def points(half_width: float) -> str:
    """In points, rounded up, with three digits after the point where one would be too coarse."""
    return at_most(100 * half_width, 1 if half_width >= _COARSE else 3)
