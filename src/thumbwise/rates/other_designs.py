"""Shares from gold that is no plain random sample: by the intervals of its design, and from rates within classes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from thumbwise.box.designs import ByClass
from thumbwise.box.gold import GoldSample
from thumbwise.box.moments.linear import find_frequencies
from thumbwise.box.moments.of_classes import class_frequencies
from thumbwise.rates.asked import Asked
from thumbwise.rates.intervals import Interval
from thumbwise.rates.results import Rate

BY_CLASS = (
    "gold was drawn class by class, so that the share of a class is known only through the panel's error: a random "
    "sample of as many items would give a narrower interval"
)


def ask_design(asked: Asked, number: int, what: str, error: float) -> Rate:
    """The share of a class among all items, by the intervals of the design that gold was drawn by.

    *Guarantee*: that of the design.
    """
    sample = asked.sample
    interval, method = (
        (_by_class(asked, number, error), "by class")
        if isinstance(sample.design, ByClass)
        else (_by_design(sample, number, error), sample.design.bounds_are)
    )
    return Rate(interval, None, "rate", what, method, len(sample), sample.pool.n_items)


def _by_design(sample: GoldSample, number: int, error: float) -> Interval:
    """All of the error goes into the frequency that is asked for."""
    alone = replace(sample, builders=(class_frequencies,))
    names = alone.pool.class_names
    place = int(find_frequencies(alone.pooled.about, names)[number])
    errors = np.zeros((2, len(alone.pooled)))
    errors[:, place] = error / 2
    lower, upper = alone.design.intervals(alone, errors)
    return Interval(_estimate(sample, number), float(lower[place]), float(upper[place])).held(0, 1)


def _estimate(sample: GoldSample, number: int) -> float:
    """Each gold item stands for as many as its weight says, or as its group has items for each gold item."""
    is_so = (sample.labels == number).astype(float)
    weights = getattr(sample.design, "weights", None)
    if weights is None:
        pool: Any = sample.pool  # it has groups
        sizes, drawn = (np.bincount(votes.groups, minlength=len(pool.group_names)) for votes in (pool, sample.votes))
        weights = (sizes / np.maximum(drawn, 1))[sample.votes.groups]
    return float(np.average(is_so, weights=weights))


def _by_class(asked: Asked, number: int, error: float) -> Interval:
    """From how often the panel says the class on items of each class, and how often on all items."""
    raise NotImplementedError
