"""Stages of a cascade: judges that cost the same, and what is proposed once they have voted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.assess.accepting.ranked import DIGITS, Parts, Ranked, gold_places, teach_patterns
from thumbwise.assess.costs import cost_of_each
from thumbwise.box.gold import GoldSample
from thumbwise.box.opinions.choosing import population_of
from thumbwise.numerics.regression import Regression

# A doubt of an early stage counts so many times: what stopping there saves is a few votes, and a wrong label that it
# lets pass is paid for with items that people must look at. (Measured: docs/decisions/0009-cascades.md.)
_EARLY_DOUBT = 3


@dataclass(frozen=True, eq=False)
class Stage:
    """Judges that are asked together, and what is proposed once they have voted.

    Attributes
    ----------
    judges : tuple of str
    asked : tuple of str
        Judges of this stage and of those before, in the order of the votes.
    each : float
        Cost of one vote of a judge of this stage.
    cost : ndarray of shape (n_patterns,)
        Of the votes of this stage's judges on an item; a judge that says nothing costs nothing.
    taught : Regression
        The regression on the votes of all that were asked.
    ranked : Ranked
        What it says of all patterns.
    """

    judges: tuple[str, ...]
    asked: tuple[str, ...]
    each: float
    cost: FloatArray
    taught: Regression
    ranked: Ranked


def early_sureness(sureness: FloatArray) -> FloatArray:
    """How sure an early stage counts as, beside the last one.

    Examples
    --------
    >>> early_sureness(np.array([0.9, 0.75, 0.5])).tolist()
    [0.7, 0.25, -0.5]
    """
    return np.asarray(np.round(1 - _EARLY_DOUBT * (1 - sureness), DIGITS))


def needed_early(level: float) -> float:
    """How sure an early stage must be to count as so sure.

    Examples
    --------
    >>> round(needed_early(0.7), 9)
    0.9
    """
    return 1 - (1 - level) / _EARLY_DOUBT


def open_stages(sample: GoldSample, parts: Parts, costs: Mapping[str, float]) -> tuple[Stage, ...]:
    """By cost, the cheapest first; all of them taught by the same part of gold.

    The stages follow from costs alone, what they propose from votes and the labels that teach.
    """
    names, population, places = sample.pool.rule_names, population_of(sample), gold_places(sample)
    price, labels, stages = cost_of_each(costs, names), sample.labels[parts.teach], []
    for each in np.unique(price):
        is_asked, is_new = price <= each, price == each
        votes = population if is_asked.all() else population.with_rules(np.flatnonzero(is_asked).tolist())
        taught = teach_patterns(votes, places[parts.teach], labels)
        ranked = Ranked.of(taught, votes, sample, parts, places)
        n_votes = np.bincount(population.owners[is_new[population.rules]], minlength=population.n_patterns)
        judges, asked = (tuple(names[j] for j in np.flatnonzero(some)) for some in (is_new, is_asked))
        stages.append(Stage(judges, asked, float(each), each * n_votes, taught, ranked))
    return tuple(stages)
