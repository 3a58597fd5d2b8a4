"""Shares from gold that is no plain random sample: by the intervals of its design, and from rates within classes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.box.designs import ByClass, Stratified
from thumbwise.box.gold import GoldSample
from thumbwise.box.moments.linear import find_frequencies
from thumbwise.box.moments.of_classes import class_frequencies
from thumbwise.numerics.class_sizes import class_size_bounds
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
    design: Any = sample.design
    weights = design.weights(sample) if isinstance(design, Stratified) else design.weights
    return float(np.average(is_so, weights=weights))


def _by_class(asked: Asked, number: int, error: float) -> Interval:
    """From how often the panel says the class on items of each class, and how often on all items."""
    sample, panel = asked.sample, asked.panel
    says = panel.verdicts(sample.votes.patterns)[sample.votes.inverse] == number
    n_classes, pool = sample.pool.n_classes, sample.pool
    marked, drawn = (np.bincount(sample.labels, part, minlength=n_classes).astype(np.int64) for part in (says, None))
    total = int(pool.patterns.counts[panel.verdicts(pool.patterns) == number].sum())
    low, high = class_size_bounds(marked, drawn, total, pool.n_items, error, of=number, is_outside=asked.is_outside)
    n_items = max(1, pool.n_items)
    return Interval(_corrected(marked, drawn, total / n_items, number), low / n_items, high / n_items).held(0, 1)


def _corrected(marked: IntArray, drawn: IntArray, said: float, number: int) -> float:
    """What the panel says, corrected for its error (Rogan and Gladen, 1978), the other classes taken together."""
    right, own = marked[number], drawn[number]
    true = right / max(1, own)
    false = (marked.sum() - right) / max(1, drawn.sum() - own)
    return float(said if true <= false else np.clip((said - false) / (true - false), 0, 1))
