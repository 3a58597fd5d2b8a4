"""Plans for labels: how many gold labels until as many labels are guaranteed to be right as are wanted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from thumbwise.assess.baselines import REFERENCE
from thumbwise.assess.cross_fitting import N_FOLDS, cross_fit
from thumbwise.assess.planning import check_left, planned_sizes
from thumbwise.box.box import Box
from thumbwise.box.estimates import check_level
from thumbwise.box.gold import Design, GoldIs, GoldSample
from thumbwise.box.opened_gold import check_plain
from thumbwise.exceptions import Argument, InvalidBoxError
from thumbwise.game.accuracy import AccuracyProof
from thumbwise.models.balsubramani_freund import BalsubramaniFreund
from thumbwise.outward import level, percent, percent_at_least
from thumbwise.rates.asked import open_asked


class AccuracyRow(NamedTuple):
    """Share of right labels that is guaranteed, or expected to be, with some number of gold labels."""

    n_gold: int
    at_least: float


@dataclass(frozen=True)
class AccuracyPlan:
    """How many gold labels would let as many labels be guaranteed as are wanted.

    Attributes
    ----------
    rows : tuple of AccuracyRow
        The guaranteed share of right labels by number of gold labels, among items without a gold label if gold items
        keep theirs. The first is that of today, the others are expected.
    needed : int or None
        Gold labels in all, those of today among them; None if no number below that of the items would do.
    at_least : float
        The share that is wanted.
    expected : float
        Share of the labels that are right, as far as gold can tell: no bound is expected to pass it.
    confidence_level : float
    is_guarantee : bool
        Whether the share of today is guaranteed: the intervals of gold fit together, and nothing speaks against a
        random draw.
    """

    rows: tuple[AccuracyRow, ...]
    needed: int | None
    at_least: float
    expected: float
    confidence_level: float
    is_guarantee: bool

    @property
    def n_gold(self) -> int:
        """Gold labels of today."""
        return self.rows[0].n_gold

    @property
    def is_reached(self) -> bool:
        """Whether the share of today is enough."""
        return self.needed == self.n_gold

    def frame(self) -> dict[str, list[float]]:
        """Columns ``n_gold`` and ``planned_accuracy_at_least``."""
        columns = zip(*self.rows, strict=True)
        return dict(zip(("n_gold", "planned_accuracy_at_least"), map(list, columns), strict=True))

    def __str__(self) -> str:
        what = "guaranteed" if self.is_guarantee else "reached, which is no guarantee,"
        today = percent_at_least(self.rows[0].at_least)
        now = f"with the {self.n_gold:,} of now {today} are {what} at {level(self.confidence_level)} confidence"
        ending = "." if self.is_reached else ". A plan is no guarantee."
        return f"{self._needs()}; {now}{ending}"

    def _needs(self) -> str:
        wanted = f"at least {percent(self.at_least, 1)} right labels"
        if self.needed is None:
            most, share = self.rows[-1].n_gold, percent_at_least(self.rows[-1].at_least)
            right = f"about {percent(self.expected, 1)} of the labels are right"
            return (
                f"No number of gold labels is expected to guarantee {wanted} with these rules: {right}, and {most:,} "
                f"gold labels would guarantee about {share}. Write better rules, or ask for less"
            )
        if self.is_reached:
            return f"No more gold labels are needed for {wanted}"
        return f"About {self.needed:,} gold labels in all ({self.needed - self.n_gold:,} more) would guarantee {wanted}"


def plan_accuracy(
    votes: Any,
    y: Any = None,
    *,
    at_least: float,
    confidence_level: float = 0.95,
    gold_is: GoldIs | Design | None = None,
    box: Box | None = None,
) -> AccuracyPlan:
    """Plan how many gold labels it takes until so many labels are guaranteed to be right.

    With n gold labels today, of which a fit guarantees the share b, and a share e of right labels, n' gold labels are
    expected to guarantee

        e - (e - b) * sqrt(n / n').

    For e, gold items are labeled by fits that have not seen their labels (ten folds, one half of a right and of a wrong
    label added), so that further labels are taken to make the labels surer, not better.

    *Guarantee*: none, but for the share of today, if ``is_guarantee``. Further labels must be drawn at random:
    :func:`draw_gold` draws them.

    Parameters
    ----------
    votes, y, gold_is
        As for :func:`rate`. Gold must be a plain random sample.
    at_least : float
        Share of right labels that is wanted, above one over the number of classes and below 1.
    confidence_level : float
    box : Box, optional
        That of this gold, if there is one already.

    Returns
    -------
    AccuracyPlan
        Shares by number of labels, ``needed``, and ``str(plan)``, a sentence.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(2, size=2000)
    >>> is_right = rng.random((2000, 3)) < [0.95, 0.8, 0.7]
    >>> votes = np.where(is_right, truth[:, None], 1 - truth[:, None])
    >>> gold = np.where(np.arange(2000) < 100, truth, -1)
    >>> planned = tw.plan_accuracy(votes, gold, at_least=0.92)
    >>> print(planned)  # doctest: +NORMALIZE_WHITESPACE
    About 287 gold labels in all (187 more) would guarantee at least 92.0 % right labels; with the 100 of now 89.5 % are
    guaranteed at 95 % confidence. A plan is no guarantee.
    """
    check_level(confidence_level)
    sample = open_asked(votes, y, gold_is).sample
    check_plain(sample.design)
    check_left(sample)
    _check_share(at_least, sample.pool.n_classes)
    proof = _today(sample, Box.from_sample(sample, confidence_level=confidence_level) if box is None else box)
    return _planned(sample, proof, at_least, confidence_level)


def _planned(sample: GoldSample, proof: AccuracyProof, at_least: float, confidence_level: float) -> AccuracyPlan:
    now = proof.accuracy_at_least
    expected = max(now, expected_share(sample, proof.expected, confidence_level))
    n_left = sample.pool.n_items - (sample.gold_is == "subset")  # with all items labeled there is nothing to guarantee
    sizes = planned_sizes(len(sample), n_left)
    rows = [AccuracyRow(n, planned_share(now, expected, len(sample), n)) for n in sizes]
    needed = needed_labels(now, expected, len(sample), at_least)
    if needed is not None and needed > rows[-1].n_gold:
        needed = None
    return AccuracyPlan(tuple(rows), needed, at_least, expected, confidence_level, proof.is_guarantee)


def planned_share(now: float, expected: float, n_gold: int, n_then: int) -> float:
    """What is expected to be guaranteed with other gold labels: the gap closes like one over the root of their number.

    Examples
    --------
    >>> round(planned_share(0.8, 0.9, 100, 400), 6)
    0.85
    """
    return expected - (expected - now) * math.sqrt(n_gold / n_then)


def needed_labels(now: float, expected: float, n_gold: int, at_least: float) -> int | None:
    """The smallest number with which :func:`planned_share` is enough; None if there is none.

    Examples
    --------
    >>> needed_labels(0.8, 0.9, 100, 0.85), needed_labels(0.8, 0.9, 100, 0.7), needed_labels(0.8, 0.9, 100, 0.9)
    (400, 100, None)
    """
    if now >= at_least:
        return n_gold
    if at_least >= expected:
        return None
    return math.ceil(n_gold * ((expected - now) / (expected - at_least)) ** 2 - 1e-6)


def expected_share(sample: GoldSample, by_probabilities: float, confidence_level: float) -> float:
    """Share of right labels, on gold that the fits have not seen; by the probabilities themselves from one label."""
    if len(sample) < 2:
        return by_probabilities
    runs, _, _ = cross_fit(sample, [REFERENCE], N_FOLDS, np.random.default_rng(0), confidence_level)
    n_right = int((runs[0].proba.argmax(axis=1) == sample.labels).sum())
    return (n_right + 0.5) / (len(sample) + 1)


def _today(sample: GoldSample, box: Box) -> AccuracyProof:
    """What the labels of a fit are guaranteed; intervals that contradict each other are widened."""
    certificate = BalsubramaniFreund(on_infeasible="widen").fit(sample.pool, box=box).certificate_
    return certificate.accuracy  # type: ignore[return-value]  # None only in models that were read from a file


def _check_share(at_least: float, n_classes: int) -> None:
    if not 1 / n_classes < at_least < 1:
        raise InvalidBoxError(
            Argument("at_least"),
            f" must be a share of right labels above 1/{n_classes}, which guessing reaches, and below 1; found "
            f"{at_least}. Nine in ten are 0.9.",
        )
