"""Progress as it is reported: numbers, and in words what holds, when it holds, and what it costs that one may look."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from thumbwise.bench.valid_now import Rule
from thumbwise.numerics.anytime import anytime_bounds
from thumbwise.numerics.intervals import hypergeometric_bounds
from thumbwise.outward import level, percent, percent_at_least, percent_at_most
from thumbwise.summaries import plural


@dataclass(frozen=True)
class Progress:
    """What the labels say by now. ``as_dict`` gives it as JSON takes it.

    Attributes
    ----------
    n_labels : int
        Answers that count, unclear ones too.
    n_counted : int or None
        Places of the draw that the bounds below speak of; None if it is too early for any, or the rule allows none.
    n_open : int
        Places before the last one that nobody answered: they count against every bound.
    of : str
        The class whose share is reported.
    estimate : float or None
        Of the share of that class among all items.
    lower, upper : float or None
        Between which it lies.
    accuracy_at_least : float or None
        Share of the panel's labels that are right, at least; None without votes.
    accepted : float or None
        Share of the items whose labels, the panel's surest ones, are right with the precision that is asked for.
    precision : float
        That precision.
    goal : str or None
        What labeling is for, in words.
    is_reached : bool or None
        Whether it is reached; None if there is no goal.
    labels_left : int or None
        Until labeling stops, or until the next look; under "anytime" about how many until the goal, if it is a rate.
    seconds_each, seconds_left : float or None
        Median time of an answer, and that times ``labels_left``.
    sentences : tuple of str
        All of it in words, with what it rests on.
    """

    n_labels: int
    n_counted: int | None
    n_open: int
    of: str
    estimate: float | None
    lower: float | None
    upper: float | None
    accuracy_at_least: float | None
    accepted: float | None
    precision: float
    goal: str | None
    is_reached: bool | None
    labels_left: int | None
    seconds_each: float | None
    seconds_left: float | None
    sentences: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers, texts and lists."""
        return {**asdict(self), "sentences": list(self.sentences)}


def sentences_of(known: Progress, rule: Rule) -> tuple[str, ...]:
    """All that is known, a sentence each."""
    if known.n_counted is None:
        parts = [_before_bounds(known, rule), _goal(known)]
    else:
        parts = [
            _rate(known, rule),
            _accuracy(known),
            _accepted(known),
            _goal(known),
            _open(known),
            _price(known, rule),
        ]
    return tuple(part for part in parts if part)


def _rate(known: Progress, rule: Rule) -> str:
    low, high = percent_at_least(float(known.lower or 0)), percent_at_most(1 if known.upper is None else known.upper)
    return (
        f"With {level(rule.confidence_level)} confidence the share of {known.of} among all {rule.n_items:,} items lies "
        f"between {low} and {high} (estimate {percent(float(known.estimate or 0), 1)}), {_when(known, rule)}."
    )


def _when(known: Progress, rule: Rule) -> str:
    if rule.stopping.is_anytime:
        return "whenever labeling stops"
    if rule.stopping.rule == "fixed":
        return f"by the {known.n_counted:,} labels that were planned"
    looks = ", ".join(f"{look:,}" for look in rule.stopping.looks)
    return f"as of the look at {known.n_counted:,} labels; it holds at each of the planned looks ({looks})"


def _before_bounds(known: Progress, rule: Rule) -> str:
    so_far = (
        "" if known.estimate is None else f"So far {percent(known.estimate)} are {known.of}, which is an estimate. "
    )
    if rule.stopping.is_anytime:
        if not rule.sizes:
            return f"{so_far}No label yet."
        return f"{so_far}Labels that are drawn by stratum have no interval that would hold at every moment."
    until = "is there once all planned labels are" if rule.stopping.rule == "fixed" else "comes with the first look"
    return f"{so_far}An interval {until}: {plural(known.labels_left or 0, 'more label')}."


def _accuracy(known: Progress) -> str:
    if known.accuracy_at_least is None:
        return ""
    return f"At least {percent_at_least(known.accuracy_at_least)} of the panel's labels are right, as surely."


def _accepted(known: Progress) -> str:
    if known.accepted is None:
        return ""
    share = percent_at_least(known.accepted) if known.accepted else "None"
    return f"{share} of them, the surest, can be accepted at {percent(known.precision)} precision, as surely."


def _goal(known: Progress) -> str:
    if known.goal is None:
        return ""
    return f"The goal is {'reached' if known.is_reached else 'not reached'}: {known.goal}."


def _open(known: Progress) -> str:
    if not known.n_open:
        return ""
    return (
        f"{plural(known.n_open, 'skipped or open item')} count against all of this: answer them, and it gets tighter."
    )


def _price(known: Progress, rule: Rule) -> str:
    """About how many labels of a number that is fixed before would do as well, from labels alone."""
    if (rule.stopping.n_looks == 1 and not rule.stopping.is_anytime) or rule.sizes:
        return ""
    n = int(known.n_counted or 0)
    right = round(float(known.estimate or 0) * n)
    bounds = anytime_bounds if rule.stopping.is_anytime else hypergeometric_bounds
    low, high = bounds(right, n, rule.n_items, rule.error)
    fixed = hypergeometric_bounds(right, n, rule.n_items, 1 - rule.confidence_level)
    # Widths fall with the root of the number of labels.
    worth = round(n * (float(fixed[1] - fixed[0]) / max(1.0, float(high - low))) ** 2)
    free = "at any moment" if rule.stopping.is_anytime else f"at {rule.stopping.n_looks} looks"
    return (
        f"The price of being free to stop {free}: without the panel's help, {n:,} labels say about as much as "
        f"{worth:,} of a number that was fixed before."
    )
