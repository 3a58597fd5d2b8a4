"""Progress in the numbers that people report, valid for the stopping rule that was fixed before the first label."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.bench.reported import Progress, sentences_of
from thumbwise.bench.seen import OPEN, PanelInPlaces, Says, Seen, Surest
from thumbwise.bench.valid_now import Rule, accepted_share, least_share, share_interval
from thumbwise.io.gold_lines import Goal, Header, Settled
from thumbwise.outward import percent
from thumbwise.rates.intervals import Interval
from thumbwise.votes.votes import Votes

# Precision that accepted labels are shown at, unless the goal says another.
PRECISION = 0.95


@dataclass(frozen=True, eq=False)
class Measuring:
    """What progress is measured with: the header, and what votes say of every item. Made once, by :func:`prepare`."""

    header: Header
    panel: PanelInPlaces | None = None

    @cached_property
    def rule(self) -> Rule:
        return Rule.of(self.header)

    @cached_property
    def of(self) -> str:
        return self.header.stopping.of or self.header.classes[0]

    @cached_property
    def says(self) -> Says | None:
        return None if self.panel is None else Says.of(self.panel, self.header.classes.index(self.of))

    @cached_property
    def surest(self) -> Surest | None:
        goal = self.header.stopping.goal
        return None if self.panel is None else Surest.of(self.panel.sureness, None if goal is None else goal.share)


def prepare(header: Header, votes: Votes | None = None, order: IntArray | None = None) -> Measuring:
    """What :func:`measure` needs, made once before labeling: at a million items about a second, by the votes.

    Everything is from the header and from votes alone: the panel's verdict, how sure it is, and the sets of items that
    might be accepted are settled before the first label.

    Parameters
    ----------
    header : Header
    votes : Votes, optional
        On all items, in memory.
    order : ndarray of shape (n_items,), optional
        Row of ``votes`` of the item in each place of the draw; with votes.
    """
    if votes is None or order is None:
        return Measuring(header)
    ready = Measuring(header, PanelInPlaces.of(header, votes, order))
    _ = ready.says, ready.surest
    return ready


def measure(measuring: Measuring, settled: Settled) -> Progress:
    """What the labels say by now, valid for the rule of the header.

    Rate, bounds on it, the accuracy of the panel's labels and the share that could be accepted hold, each on its own,
    at the level of the header: under "fixed" once all planned labels are there, and not before; under "looks" as of the
    last look reached, at each of them with its part of the error; under "anytime" after every label. Places that were
    skipped count against each bound, so that skipping hard items cannot make anything look better. Stratified draws
    have no bounds under "anytime".

    Decided before the first label: the rule, the class, the goal, the panel, the sets. After it: nothing here. It takes
    a few milliseconds whatever the number of items; under "fixed" and "looks" an interval that leans on the panel takes
    up to a few tenths of a second when a look is reached, and is remembered.

    Parameters
    ----------
    measuring : Measuring
    settled : Settled
        What answers come to, by :func:`thumbwise.io.gold_lines.settle`.

    Examples
    --------
    >>> from thumbwise.io.gold_lines import Answer, Design, Items, Stopping, settle
    >>> header = Header("2024-05-01T12:00:00+00:00", ("pass", "fail"), "id", Items("a.csv", 5000, "0" * 64),
    ...                 Design("random", 1), Stopping("anytime", of="pass", goal=Goal("rate", within=0.05)))
    >>> said = (Answer(f"q{i}", i, "fail" if i % 5 == 0 else "pass", "label", "ann", 4.0, "2024-05-01T12:00:09Z")
    ...         for i in range(1, 101))
    >>> for sentence in measure(prepare(header), settle(said)).sentences:
    ...     print(sentence)  # doctest: +NORMALIZE_WHITESPACE
    With 95 % confidence the share of pass among all 5,000 items lies between 67.6 % and 89.4 % (estimate 80.0 %),
    whenever labeling stops.
    The goal is not reached: the share of pass known to within 5 points.
    The price of being free to stop at any moment: without the panel's help, 100 labels say about as much as 57 of a
    number that was fixed before.
    """
    rule, seen = measuring.rule, Seen.of(measuring.header, settled)
    n_counted = rule.counted(len(seen))
    counted = seen.first(n_counted or 0)
    share = _share(measuring, counted) if n_counted else None
    estimate = share.estimate if share is not None else _raw(measuring, seen)
    accuracy, accepted = _of_panel(measuring, counted) if n_counted else (None, None)
    goal = measuring.header.stopping.goal
    is_reached = None if goal is None else _is_reached(goal, share, accepted)
    labels_left = _labels_left(measuring, len(seen), share, is_reached)
    each = [answer.seconds for answer in settled.gold if answer.seconds is not None]
    seconds = float(np.median(each)) if each else None
    known = Progress(
        len(settled.gold),
        n_counted,
        counted.n_open if n_counted else seen.n_open,
        measuring.of,
        estimate,
        None if share is None else share.lower,
        None if share is None else share.upper,
        accuracy,
        accepted,
        _precision(goal),
        None if goal is None else _goal_words(goal, measuring.of),
        is_reached,
        labels_left,
        seconds,
        None if seconds is None or labels_left is None else seconds * labels_left,
        (),
    )
    return replace(known, sentences=sentences_of(known, rule))


def _share(measuring: Measuring, seen: Seen) -> Interval:
    is_so = seen.codes == measuring.header.classes.index(measuring.of)
    return share_interval(measuring.rule, seen, is_so, measuring.says)


def _raw(measuring: Measuring, seen: Seen) -> float | None:
    """The share among the answers, each standing for as many items as its stratum has for each answer."""
    answered = seen.codes != OPEN
    if not answered.any():
        return None
    is_so = seen.codes[answered] == measuring.header.classes.index(measuring.of)
    if seen.strata is None:
        return float(is_so.mean())
    strata, sizes = seen.strata[answered], np.array(measuring.rule.sizes)
    weights = (sizes / np.maximum(np.bincount(strata, minlength=len(sizes)), 1))[strata]
    return float(np.average(is_so, weights=weights))


def _of_panel(measuring: Measuring, seen: Seen) -> tuple[float | None, float | None]:
    """How many of the panel's labels are right, at least, and what share of them could be accepted."""
    panel, surest, rule = measuring.panel, measuring.surest, measuring.rule
    if panel is None or surest is None:
        return None, None
    is_right = (panel.verdict[: len(seen)] == seen.codes) & (seen.codes >= 0)
    accuracy = least_share(rule, seen, is_right)
    if seen.strata is not None:
        return accuracy, None
    return accuracy, accepted_share(rule, seen, is_right, surest, _precision(measuring.header.stopping.goal))


def _precision(goal: Goal | None) -> float:
    return PRECISION if goal is None or goal.precision is None else goal.precision


def _is_reached(goal: Goal, share: Interval | None, accepted: float | None) -> bool:
    if goal.kind == "rate":
        return share is not None and share.width / 2 <= float(goal.within or 0.0) + 1e-12
    return accepted is not None and accepted >= float(goal.share or 1.0) - 1e-12


def _labels_left(measuring: Measuring, n_places: int, share: Interval | None, is_reached: bool | None) -> int | None:
    """Until the planned number, the next look, or about until the goal: the width falls with the root of the number."""
    rule, goal = measuring.rule, measuring.header.stopping.goal
    if is_reached:
        return 0
    if rule.stopping.rule == "fixed":
        return max(0, (rule.n_planned or 0) - n_places)
    if rule.stopping.rule == "looks":
        return next((look - n_places for look in rule.stopping.looks if look > n_places), 0)
    if goal is None or goal.within is None or share is None:
        return None
    times = (share.width / (2 * goal.within)) ** 2
    return min(rule.n_items - n_places, int(np.ceil(n_places * (times - 1))))


def _goal_words(goal: Goal, of: str) -> str:
    if goal.kind == "rate":
        return f"the share of {of} known to within {100 * float(goal.within or 0):.3g} points"
    return (
        f"{percent(float(goal.share or 0))} of the labels accepted at {percent(float(goal.precision or 0))} precision"
    )
