"""Targets: what accepted labels must be like, checked, and the ladders on which each is tested."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thumbwise._typing import AnyArray
from thumbwise.assess.accepting.ladders import Ladder, climb, recalled
from thumbwise.assess.accepting.ranked import Ranked
from thumbwise.exceptions import Argument, InvalidChoiceError
from thumbwise.numerics.fixed_sequence import BoolArray
from thumbwise.rates.asked import class_number

Shares = float | Mapping[Any, float] | None


@dataclass(frozen=True)
class Targets:
    """What is asked of accepted labels.

    Attributes
    ----------
    precision : mapping of int or None to float
        Share of the labels that must be right, of each class, or of all under None.
    recall : mapping of int to float
        Share of the items of a class that must not be accepted under another label.
    """

    precision: Mapping[Any, float]
    recall: Mapping[int, float]

    @property
    def is_per_class(self) -> bool:
        """Whether each class has a threshold of its own."""
        return bool(self.precision) and None not in self.precision


def read_targets(precision: Shares, recall: Any, per_class: bool, names: Sequence[Hashable]) -> Targets:
    """Targets by class number, checked."""
    if precision is None and recall is None:
        raise InvalidChoiceError(
            "triage needs to know how good accepted labels must be: ",
            Argument("precision", 0.95),
            ", ",
            Argument("recall", {str(names[-1]): 0.95}),
            ", or how many items people can look at, ",
            Argument("budget", 500),
            "; found none of them.",
        )
    missed = _by_class(recall or {}, names, "recall")
    if precision is None:
        return Targets({}, missed)
    if isinstance(precision, Mapping):
        return Targets(_by_class(precision, names, "precision"), missed)
    share = check_share(precision, "precision")
    return Targets(dict.fromkeys(range(len(names)), share) if per_class else {None: share}, missed)


def _by_class(given: Mapping[Any, float], names: Sequence[Hashable], argument: str) -> dict[int, float]:
    return {class_number(name, names, argument): check_share(value, argument) for name, value in given.items()}


def check_share(value: object, argument: str) -> float:
    """A share that is neither nothing nor all."""
    is_number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not (is_number and 0 < value < 1):  # type: ignore[operator]
        raise InvalidChoiceError(
            Argument(argument), f" must lie between 0 and 1, such as 0.95 for 95 %; found {value!r}."
        )
    return float(value)  # type: ignore[arg-type]


def check_shares(values: Sequence[float]) -> list[float]:
    """Precisions of a curve: one or more."""
    shares = [check_share(value, "precisions") for value in values]
    if not shares:
        raise InvalidChoiceError(Argument("precisions", [0.9, 0.95]), " must name one precision or more; found none.")
    return shares


@dataclass(frozen=True, eq=False)
class Family:
    """Patterns with a threshold of their own: all, or those whose proposed label is one class.

    Attributes
    ----------
    number : int or None
        Class number, None for all.
    among : ndarray of bool, (n_patterns,)
    ladder : Ladder
    """

    number: int | None
    among: AnyArray
    ladder: Ladder


def families(ranked: Ranked, targets: Targets) -> list[Family]:
    """One for each class that has a target, if some have and it is proposed at all; else one for all patterns."""
    if not targets.is_per_class:
        everything = np.ones(len(ranked.size), dtype=bool)
        return [Family(None, everything, climb(ranked))]
    parts = [(c, ranked.proposed == c) for c in targets.precision if c is not None]
    return [Family(c, among, climb(ranked, among)) for c, among in parts if ranked.size[among].any()]


def good_enough(ranked: Ranked, family: Family, every: Sequence[Family], targets: Targets, error: float) -> BoolArray:
    """Which sets of a family's ladder are shown to reach all targets.

    Each target is tested at the whole ``error`` of the family, and a set must pass all of its tests. Where several
    families can miss items of a class, each may miss an even part of the allowed share.

    *Guarantee*: with probability at least ``1 - error`` all of them do, if certifying gold is a random sample.

    *Proof*: the first set from the start on that misses some target does not depend on the draw. It is claimed, or one
    after it, only if it passes the test of that target, which has a probability of at most ``error``.
    """
    ladder = family.ladder
    claimed = np.ones(len(ladder), dtype=bool)
    missable = {number: share for number, share in targets.recall.items() if number != family.number}
    if family.number in targets.precision:
        claimed &= ladder.precise(targets.precision[family.number], error, is_alone=not missable)
    for number, share in missable.items():
        most = (1 - share) / sum(other.number != number for other in every)
        claimed &= recalled(ranked, ladder, number, most, error, family.among)
    return claimed


def count_tests(families: Sequence[Family], targets: Targets) -> int:
    """How many sequences of tests share the error: one for each family that has a target."""
    has_target = [
        family.number in targets.precision or any(number != family.number for number in targets.recall)
        for family in families
    ]
    return max(1, sum(has_target))
