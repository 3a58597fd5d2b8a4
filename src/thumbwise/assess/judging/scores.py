"""How each judge does on gold, with intervals that hold together."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from thumbwise._typing import AnyArray, FloatArray
from thumbwise.assess.judging.heard import PANEL, Heard
from thumbwise.assess.judging.steps import Steps, count_steps, has_steps
from thumbwise.box.budget import LEAST_EXPECTED
from thumbwise.numerics.agreement import cohen_kappa
from thumbwise.numerics.intervals import rate_bounds

_NOTHING = (0.0, 1.0)


@dataclass(frozen=True)
class GoldRate:
    """How often a judge says a class, on the gold items of some kind on which it says anything.

    Attributes
    ----------
    n_gold, n_said : int
        Such gold items, and those of them that it gives the class.
    estimate : float
        ``n_said / n_gold``; NaN without such items.
    interval : tuple of float
        For the share among all such items, gold included, however many they are: Clopper-Pearson, a little wider where
        one or all but one are counted, because gold is drawn without replacement. (0, 1) where nothing is known.
    """

    n_gold: int
    n_said: int
    interval: tuple[float, float] = _NOTHING

    @property
    def estimate(self) -> float:
        return self.n_said / self.n_gold if self.n_gold else float("nan")


@dataclass(frozen=True)
class ClassRates:
    """Of one class: how often a judge says it where it is so, and where it is not.

    Attributes
    ----------
    class_name : object
    true_positive, false_positive : GoldRate
    """

    class_name: Hashable
    true_positive: GoldRate
    false_positive: GoldRate


@dataclass(frozen=True)
class JudgeScore:
    """One judge, or the panel of all of them, against gold.

    Attributes
    ----------
    judge : str
    n_votes : int
        Items of the pool on which it votes.
    n_gold, n_right : int
        Gold items on which it votes, and on which it is right.
    agreement : float
        ``n_right / n_gold``; NaN if it never votes on gold.
    interval : tuple of float
        For the share of right ones among its votes on the pool: exact (hypergeometric), or by betting over clusters.
        (0, 1) where nothing is known.
    kappa : float
        Cohen's kappa with gold, where it votes: 1 is always right, 0 as often as by chance. NaN where only one class is
        there. An estimate.
    rates : tuple of ClassRates
        For the classes that were asked for.
    cost : float
        Of one vote; of the panel, of all votes on an item that it labels. NaN if not given.
    steps : Steps or None
        How far it is from gold, if three classes or more are ordered.
    """

    judge: str
    n_votes: int
    n_gold: int
    n_right: int
    interval: tuple[float, float]
    kappa: float
    rates: tuple[ClassRates, ...] = field(repr=False)
    cost: float = float("nan")
    steps: Steps | None = None

    @property
    def agreement(self) -> float:
        return self.n_right / self.n_gold if self.n_gold else float("nan")

    @property
    def cost_per_right(self) -> float:
        """Cost of a label that is right: ``cost / agreement``, an estimate; infinite if none is."""
        if self.n_gold and not self.n_right:
            return float("inf") if self.cost > 0 else float("nan")
        return self.cost / self.agreement


@dataclass(frozen=True, eq=False)
class ErrorShare:
    """The allowed error, split evenly over everything that gets an interval, before any gold label is seen.

    A judge that expects fewer than three gold votes gets none, as its interval would say nothing; judges whose votes
    are the same everywhere share theirs; and what votes alone tell (a judge that never says a class, or nothing else)
    costs nothing. Rates have intervals only where gold items were drawn one by one.

    Attributes
    ----------
    n_intervals : int
    each : float
    counted : ndarray of shape (n_voters,)
        Who gets intervals.
    open_rates : ndarray of shape (n_voters, n_asked)
        Whose rates of a class that was asked for are not known from votes alone.
    """

    n_intervals: int
    each: float
    counted: AnyArray
    open_rates: AnyArray


def share_error(heard: Heard, asked: Sequence[int], error: float) -> ErrorShare:
    """Split the error; by votes and numbers of items, not by labels."""
    counted = heard.counts.expected >= LEAST_EXPECTED
    given = heard.by_class[:, list(asked)]
    open_rates = (given > 0) & (given < heard.by_class.sum(axis=1, keepdims=True)) & counted[:, None]
    open_rates &= heard.sample.design.is_plain
    of_each = 1 + int(has_steps(heard))
    first = {key: m for m, key in reversed([*enumerate(heard.counts.keys)])}
    n_intervals = sum(of_each * int(counted[m]) + 2 * int(open_rates[m].sum()) for m in first.values())
    return ErrorShare(n_intervals, error / max(1, n_intervals), counted, open_rates)


def score_judges(
    heard: Heard, asked: Sequence[int], share: ErrorShare, costs: Mapping[str, float]
) -> tuple[JudgeScore, ...]:
    """Each judge in its place, and the panel after them if there is one."""
    counts, sample = heard.counts, heard.sample
    half = np.where(share.counted, share.each / 2, 0.0)
    lower, upper = sample.design.intervals(sample, np.stack([half, half]))
    lower, upper = np.where(share.counted, lower, 0.0), np.where(share.counted, upper, 1.0)
    kappas = cohen_kappa(heard.on_gold, heard.labels, sample.pool.n_classes)
    rates, steps = _rates(heard, asked, share), count_steps(heard, share.counted, share.each)
    names = [*heard.names, *[PANEL] * heard.has_panel]
    of_votes = [costs.get(name, float("nan")) for name in heard.names]
    of_votes += [_panel_cost(heard, of_votes)] * heard.has_panel
    return tuple(
        JudgeScore(
            judge=name,
            n_votes=int(heard.n_voted[j]),
            n_gold=int(counts.drawn[j]),
            n_right=int(counts.right[j]),
            interval=(float(lower[j]), float(upper[j])),
            kappa=float(kappas[j]),
            rates=rates[j],
            cost=of_votes[j],
            steps=steps[j],
        )
        for j, name in enumerate(names)
    )


def _panel_cost(heard: Heard, of_votes: Sequence[float]) -> float:
    """What all votes cost, over the items that the panel labels; NaN if a judge that votes has no cost."""
    n_votes = heard.n_voted[: heard.n_judges]
    paid = np.where(n_votes > 0, n_votes * np.array(of_votes), 0.0).sum()
    return float(paid / heard.n_voted[-1]) if heard.n_voted[-1] else float("nan")


def _rates(heard: Heard, asked: Sequence[int], share: ErrorShare) -> list[tuple[ClassRates, ...]]:
    """Rates of each voter, for each class that was asked for."""
    names, voted = heard.sample.pool.class_names, heard.on_gold >= 0
    columns = []
    for a, c in enumerate(asked):
        given = heard.on_gold == c
        certain = _known_from_votes(heard, c)
        sides = [
            _side(given & is_so, voted & is_so, certain, share.each * share.open_rates[:, a])
            for is_so in ((heard.labels == c)[:, None], (heard.labels != c)[:, None])
        ]
        columns.append([ClassRates(names[c], *pair) for pair in zip(*sides, strict=True)])
    return [*zip(*columns, strict=True)] if columns else [()] * heard.on_gold.shape[1]


def _known_from_votes(heard: Heard, c: int) -> FloatArray:
    """0 for a judge that votes and never says the class, 1 for one that says nothing else, NaN for the others."""
    given, total = heard.by_class[:, c], heard.by_class.sum(axis=1)
    return np.where(total == 0, np.nan, np.where(given == 0, 0.0, np.where(given == total, 1.0, np.nan)))


def _side(given: AnyArray, voted: AnyArray, certain: FloatArray, error: FloatArray) -> list[GoldRate]:
    n_said, n_gold = given.sum(axis=0), voted.sum(axis=0)
    lower, upper = rate_bounds(n_said, n_gold, error)
    is_known = ~np.isnan(certain)
    lower, upper = np.where(is_known, certain, lower), np.where(is_known, certain, upper)
    bounds = zip(lower.tolist(), upper.tolist(), strict=True)
    return [GoldRate(*entry) for entry in zip(n_gold.tolist(), n_said.tolist(), bounds, strict=True)]
