"""Intervals for a share that hold whenever labeling stopped: from gold alone, and helped by the panel."""

from __future__ import annotations

import numpy as np

from thumbwise.numerics.anytime import HORIZON, anytime_bounds
from thumbwise.numerics.bounded_totals import Kinds, running_bounds
from thumbwise.rates.counts import Counts, Said
from thumbwise.rates.intervals import Interval

# Draws that stakes suit best. Bets lose less than wagers if there are fewer, and gain more if there are more.
_BETTING_HORIZON = 150


def whenever(counts: Counts, error: float, sequence: Said | None = None, *, part: float = 1.0) -> Interval:
    """An interval that holds after every label at once.

    *Guarantee*: with probability at least ``1 - error`` the share lies within, whenever and for whatever reason
    labeling stopped, if gold items are the first of a random order of the items, and stand in it where a sequence is
    given. What is used is settled before the first label: with a sequence, betting in its order with the panel's
    verdict as control variate (:func:`thumbwise.numerics.bounded_totals.running_bounds`); without, counts alone
    (:mod:`thumbwise.numerics.anytime`).

    Parameters
    ----------
    counts : Counts
        Of gold that is part of the items.
    error : float
    sequence : Said, optional
        Gold items in the order in which they were drawn, if that is known.
    part : float
        Of all draws, those that may be expected to fall among these items; known before any is made.
    """
    right, drawn, population = (int(side.sum()) for side in (counts.right, counts.drawn, counts.population))
    if sequence is None:
        fewest, most = anytime_bounds(right, drawn, population, error, horizon=max(1.0, part * HORIZON))
        estimate = counts.share(population * right / drawn if drawn else population / 2)
        return Interval(estimate, counts.share(int(fewest)), counts.share(int(most))).held(0, 1)
    kinds = Kinds(np.zeros(2), np.ones(2), np.array([0.0, 1.0]), counts.population)
    horizon = max(1, round(part * _BETTING_HORIZON))
    low, high = running_bounds(
        kinds, sequence.says.astype(np.int64), sequence.is_right.astype(float), error, horizon=horizon
    )
    # A number of items is whole.
    ends = counts.share(int(np.ceil(low - 1e-6))), counts.share(int(np.floor(high + 1e-6)))
    return Interval(_post_stratified(counts), *ends).held(0, 1)


def _post_stratified(counts: Counts) -> float:
    """The estimate that leans on the panel, where gold has items of both kinds."""
    if not counts.has_both:
        share = counts.right.sum() / counts.n_gold if counts.n_gold else 0.5
        return counts.share(float(counts.population.sum() * share))
    return counts.share(float((counts.population * counts.right / counts.drawn).sum()))
