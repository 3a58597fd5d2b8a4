"""Plans for triage: how many labels could be accepted with more gold labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.assess.accepting.ladders import climb
from thumbwise.assess.accepting.ranked import TAUGHT, Ranked
from thumbwise.assess.accepting.targets import check_share
from thumbwise.assess.planning import check_left, planned_sizes
from thumbwise.assess.triage import open_ranked
from thumbwise.box.estimates import check_level
from thumbwise.box.gold import Design, GoldIs
from thumbwise.outward import level, percent

# Imagined draws of gold for each number of labels.
_DRAWS = 20
# Patterns are put together into so many levels at most.
_MOST_LEVELS = 1000
# Planned for are up to so many times the gold labels of today.
_MOST_TIMES = 16
# Wrong ones that are added to those that gold shows and to those that the ranking expects.
_ADDED = 0.5


class TriageRow(NamedTuple):
    """Share of the labels that can be accepted, or is expected to be, with some number of gold labels."""

    n_gold: int
    accepted: float


@dataclass(frozen=True)
class TriagePlan:
    """How many labels could be accepted with more gold labels.

    Attributes
    ----------
    rows : tuple of TriageRow
        The first is that of today, the others are expected.
    precision : float
    most : float
        Share of the labels that could be accepted if all that gold can tell were known for certain.
    confidence_level : float
    """

    rows: tuple[TriageRow, ...]
    precision: float
    most: float
    confidence_level: float

    @property
    def n_gold(self) -> int:
        """Gold labels of today."""
        return self.rows[0].n_gold

    def frame(self) -> dict[str, list[float]]:
        """Columns ``n_gold`` and ``planned_accepted``."""
        return {"n_gold": [row.n_gold for row in self.rows], "planned_accepted": [row.accepted for row in self.rows]}

    def __str__(self) -> str:
        wanted = f"{percent(self.precision, 1)} precision and {level(self.confidence_level)} confidence"
        now = f"with the {self.n_gold:,} gold labels of now {percent(self.rows[0].accepted)} of the labels are accepted"
        if self.gain is None:
            return f"At {wanted}, {now}."
        then = f"about {self.gain.n_gold:,} would let about {100 * self.gain.accepted:.0f} % be accepted"
        return (
            f"At {wanted}, {now}; {then}, and no number more than about {percent(self.most)}. A plan is no guarantee."
        )

    @property
    def gain(self) -> TriageRow | None:
        """The first row half way from today to ``most``, or else the last; None if none is planned."""
        half_way = (self.rows[0].accepted + self.most) / 2
        last = None if len(self.rows) == 1 else self.rows[-1]
        return next((row for row in self.rows[1:] if row.accepted >= half_way), last)


def plan_triage(
    votes: Any,
    y: Any = None,
    *,
    precision: float,
    confidence_level: float = 0.95,
    gold_is: GoldIs | Design | None = None,
    random_state: int = 0,
) -> TriagePlan:
    """Plan how many labels :func:`triage` would accept with more gold labels.

    The ranking stays that of today. Each label is taken to be wrong as often as the ranking says, times what makes the
    sum agree with the wrong ones that certifying gold shows. Gold is imagined to be drawn twenty times for each number
    of labels, and goes through the tests of :func:`triage`; the mean share of accepted labels is planned.

    *Guarantee*: none, but for the share of today. Further labels must be drawn at random: :func:`draw_gold` draws them.

    Parameters
    ----------
    votes, y, gold_is, confidence_level, random_state
        As for :func:`triage`.
    precision : float
        Share of the accepted labels that must be right.

    Returns
    -------
    TriagePlan
        Shares by number of labels, and ``str(plan)``, a sentence.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> made = tw.datasets.make_one_coin(5000, [0.9, 0.8, 0.8, 0.7], random_state=0)
    >>> y = np.where(np.arange(5000) < 150, made.labels, -1)
    >>> planned = tw.plan_triage(made.votes, y, precision=0.95)
    >>> print(planned)  # doctest: +NORMALIZE_WHITESPACE
    At 95.0 % precision and 95 % confidence, with the 150 gold labels of now 0 % of the labels are accepted; about 212
    would let about 61 % be accepted, and no number more than about 96 %. A plan is no guarantee.
    """
    check_level(confidence_level)
    share = check_share(precision, "precision")
    asked, ranked = open_ranked(votes, y, gold_is, random_state)
    error = asked.sample.stopping.each(1 - confidence_level)
    check_left(asked.sample)
    n_gold = len(asked.sample)
    levels, wrong = coarse_levels(ranked, wrong_rates(ranked))
    sizes = [n for n in planned_sizes(n_gold, asked.sample.pool.n_items)[1:] if n <= _MOST_TIMES * n_gold]
    rows = [TriageRow(n, imagined_share(levels, wrong, n, share, error)) for n in sizes]
    today = TriageRow(n_gold, accepted_share(ranked, share, error))
    return TriagePlan((today, *rows), share, _most(levels, wrong, share), confidence_level)


def wrong_rates(ranked: Ranked) -> FloatArray:
    """How often each pattern's label is taken to be wrong."""
    doubt = 1 - ranked.sureness
    factor = (ranked.is_wrong.sum() + _ADDED) / (doubt[ranked.place].sum() + _ADDED)
    return np.asarray(np.clip(doubt * factor, 0, 1 - 1 / ranked.proba.shape[1]))


def coarse_levels(ranked: Ranked, wrong: FloatArray) -> tuple[Ranked, FloatArray]:
    """Patterns that are about as sure as each other put together, and how often the labels of each level are wrong."""
    order = np.argsort(-ranked.sureness, kind="stable")
    before = np.cumsum(ranked.size[order]) - ranked.size[order]
    level = np.zeros(len(order), dtype=np.int64)
    level[order] = before * _MOST_LEVELS // max(1, ranked.n_items)
    _, level = np.unique(level, return_inverse=True)
    size, n_wrong = np.bincount(level, ranked.size), np.bincount(level, ranked.size * wrong)
    least = np.ones(len(size))
    np.minimum.at(least, level, ranked.sureness)
    proba = np.column_stack([least, np.zeros_like(least)])  # which class is proposed makes no difference
    coarse = replace(ranked, proba=proba, size=size.astype(np.int64), place=level[ranked.place])
    return coarse, n_wrong / np.maximum(size, 1)


def imagined_share(ranked: Ranked, wrong: FloatArray, n_gold: int, precision: float, error: float) -> float:
    """Mean share of labels that are accepted, over imagined draws of so many gold labels."""
    rng = np.random.default_rng(0)
    n_certifying = n_gold - round(TAUGHT * n_gold)
    shares = []
    for _ in range(_DRAWS):
        drawn = rng.multivariate_hypergeometric(ranked.size, min(n_certifying, ranked.n_items), method="marginals")
        place = np.repeat(np.arange(len(drawn)), drawn)
        is_wrong = rng.random(len(place)) < wrong[place]
        labels = (ranked.proposed[place] + is_wrong) % ranked.proba.shape[1]
        shares.append(accepted_share(replace(ranked, place=place, labels=labels), precision, error))
    return float(np.mean(shares))


def accepted_share(ranked: Ranked, precision: float, error: float) -> float:
    """Share of the items, but for those that teach, in the largest set that is shown to be good enough."""
    ladder = climb(ranked)
    claimed = np.flatnonzero(ladder.precise(precision, error))
    return float(ladder.size[claimed[-1]] / ladder.n_items) if len(claimed) else 0.0


def _most(ranked: Ranked, wrong: FloatArray, precision: float) -> float:
    """The largest set that would be good enough if labels were wrong just as often as they are taken to be."""
    order = np.argsort(-ranked.sureness, kind="stable")
    size = np.cumsum(ranked.size[order])
    is_good = np.cumsum((ranked.size * wrong)[order]) <= (1 - precision) * size
    return float(size[is_good][-1] / size[-1]) if is_good.any() else 0.0
