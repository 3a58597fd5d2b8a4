"""Boxes for one question about the pool: with most of the error for what is asked, and the rest as ever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.box import Box
from thumbwise.box.budget import FEW_RULES
from thumbwise.box.designs.by_class import ByClass
from thumbwise.box.gold import GoldSample
from thumbwise.box.moments.linear import FREQUENCY, LEARNED, build_moments, find_accuracies
from thumbwise.box.opinions.choosing import population_of
from thumbwise.box.opinions.opinion import Opinion
from thumbwise.box.opinions.score_levels import ScoreLevels
from thumbwise.numerics.even_panel import first_of_copies
from thumbwise.numerics.panel import Panel
from thumbwise.numerics.patterns import Patterns

# Of the allowed error, what the panel's verdict gets: nearly all for a panel, less beside a few rules, which each say
# more than they say together. (Measured: docs/guarantees.md.)
FOR_VERDICT, FOR_VERDICT_OF_FEW = 0.9, 0.3


@dataclass(frozen=True, eq=False)
class PanelVerdict(Opinion):
    """What the rules say together of every item; of classes between which it is torn, the first."""

    panel: Panel

    def verdicts(self, patterns: Patterns) -> IntArray:
        return self.panel.verdicts(patterns)


def settle_verdict(sample: GoldSample) -> PanelVerdict:
    """What the panel says of every item, from the votes of the whole population.

    It is where a regression on votes starts from, which labels follow: so they differ from it on few items. Copies of
    rules and rules that say the same of every item are left out. No label has a part in it.
    """
    return PanelVerdict("panel's verdict", Panel.of_informative(population_of(sample)))


def query_box(box: Box) -> Box | None:
    """The box made anew from its gold with part of its error, and how often the panel's verdict is right with the rest.

    Opinions, moments and the parts of the budget are those of the box. The verdict has a lower bound only, which is
    what a question such as "how many of these labels are right" needs. Nothing is learned anew from scores.

    *Guarantee*: the box holds the truth with probability at least the level of the one that is given, under the same
    assumption; not both of them at once. Everything but the intervals is settled before gold labels are seen.

    Returns
    -------
    Box or None
        None if the box was not made from gold with exact joint intervals, has been changed since, or knows features of
        the items: then it is itself the best that can be asked.
    """
    sample, level = box.gold, box.evidence.confidence_level
    has_scores = isinstance(box.levels, ScoreLevels)
    if sample is None or level is None or (box.levels is not None and not has_scores) or not _is_as_made(box):
        return None
    error = 1 - level
    is_few = first_of_copies(population_of(sample)).sum() <= FEW_RULES
    for_verdict = error * (FOR_VERDICT_OF_FEW if is_few else FOR_VERDICT)
    made = Box.from_sample(
        sample,
        confidence_level=1 - (error - for_verdict),
        moments=sample.builders,
        opinions=["learned"] if not has_scores and any(moment.kind == LEARNED for moment in box.about) else (),
        class_frequencies=_given_frequencies(box) if sample.skips_classes else None,
        n_permutations=0,
    )
    return _with_verdict(replace(made, evidence=box.evidence, reviewed=box.reviewed), sample, for_verdict)


def asked_first(box: Box, rules: Sequence[str], confidence_level: float) -> Box:
    """The box with the accuracies of some rules bounded anew, by what its own level leaves of the error.

    *Guarantee*: if the box was made from gold at a level above ``confidence_level``, the one that is returned holds the
    truth with probability at least ``confidence_level``. The rules must be named before gold labels are seen.
    """
    sample, level = box.gold, box.evidence.confidence_level
    places = find_accuracies(box.about, rules)
    if sample is None or level is None or level <= confidence_level or not len(places):
        return box
    errors = np.zeros((2, len(sample.pooled)))
    errors[:, places] = (level - confidence_level) / (2 * len(places))
    lower, upper = sample.intervals(errors)
    low, high = box.lower.copy(), box.upper.copy()
    low[places], high[places] = np.maximum(low[places], lower[places]), np.minimum(high[places], upper[places])
    high = np.maximum(low, high)
    return replace(box, lower=low, upper=high, evidence=replace(box.evidence, confidence_level=confidence_level))


def _is_as_made(box: Box) -> bool:
    if box.made is None or not box.evidence.is_implied or box.evidence.widening is not None:
        return False
    is_by_class = box.gold is not None and isinstance(box.gold.design, ByClass)
    return not is_by_class and all(map(np.array_equal, box.made, (box.lower, box.upper)))


def _given_frequencies(box: Box) -> dict[object, tuple[float, float]]:
    """Class frequencies that are known from elsewhere, as the box has them."""
    bounds = zip(box.about, box.lower.tolist(), box.upper.tolist(), strict=True)
    return {moment.class_name: (low, high) for moment, low, high in bounds if moment.kind == FREQUENCY}


def _with_verdict(box: Box, sample: GoldSample, error: float) -> Box:
    verdict = settle_verdict(sample)
    asked = replace(sample, builders=(verdict,))
    lower, upper = asked.intervals(np.array([[error], [0.0]]))
    return replace(
        box,
        about=(*box.about, *build_moments((verdict,), sample.pool).about),
        lower=np.append(box.lower, lower),
        upper=np.append(box.upper, upper),
        builders=(*box.builders, verdict),
        gold_right=None,
        gold_drawn=None,
        least=np.append(_each(box.least, len(box)), 0.0),
        most=np.append(_each(box.most, len(box)), 1.0),
    )


def _each(limit: FloatArray | float, n_moments: int) -> FloatArray:
    return np.broadcast_to(np.asarray(limit, dtype=float), (n_moments,))
