"""Intervals for means of numbers: values of labels, and shares where whole clusters of items were drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.designs.clusters import check_whole
from thumbwise.numerics.bounded_totals import Kinds, total_bounds
from thumbwise.rates.asked import Groups
from thumbwise.rates.intervals import Interval, Method


@dataclass(frozen=True, eq=False)
class Drawn:
    """Units with numbers that are added up, and those of them whose number is known because they were drawn at random.

    Attributes
    ----------
    low, high, guess : ndarray of shape (n_units,)
        Between which each number must lie, and what the panel guesses, without labels.
    places, values : ndarray of shape (n_drawn,)
        Which units were drawn, in an order that does not look at values, and their numbers.
    """

    low: FloatArray
    high: FloatArray
    guess: FloatArray
    places: IntArray
    values: FloatArray

    def interval(self, error: float, method: Method) -> Interval:
        """By betting without replacement, with the guesses or without them; or the textbook's, helped by guesses.

        *Guarantee*: that of :func:`thumbwise.numerics.bounded_totals.total_bounds`, but for the textbook's.
        """
        if method == "asymptotic":
            return self._asymptotic(error)
        guess = self.guess if method == "assisted" else self._alike()
        kinds, place = np.unique(np.stack([self.low, self.high, guess]), axis=1, return_inverse=True)
        place = place.ravel()
        units = Kinds(kinds[0], kinds[1], kinds[2], np.bincount(place))
        low, high = total_bounds(units, place[self.places], self.values, error)
        return Interval(self._estimate(guess), low, high).held(float(self.low.sum()), float(self.high.sum()))

    def _alike(self) -> FloatArray:
        """The same part of what is possible for every unit, so that nothing but its size is used."""
        room = self.high - self.low
        return np.asarray(self.low + room * float((self.guess - self.low).sum() / max(room.sum(), 1e-300)))

    def _estimate(self, guess: FloatArray) -> float:
        """Mean residual, scaled up, and the sum of the guesses."""
        return float(guess.sum() + len(guess) * (self.values - guess[self.places]).mean())

    def _asymptotic(self, error: float) -> Interval:
        residuals = self.values - self.guess[self.places]
        centre = self._estimate(self.guess)
        if len(residuals) < 2:
            return Interval(centre, float(self.low.sum()), float(self.high.sum())).held(-np.inf, np.inf)
        half = float(-ndtri(error / 2) * residuals.std(ddof=1) / np.sqrt(len(residuals)) * len(self.guess))
        return Interval(centre, centre - half, centre + half)


@dataclass(frozen=True, eq=False)
class Numbers:
    """A number for each item: what it can be, what the panel guesses, and what it is where that is known.

    Attributes
    ----------
    low, high : float
        Between which the number of every item lies.
    guess, known : ndarray of shape (n_rows,)
        What the panel guesses, and the number of gold items (anything elsewhere).
    is_gold : ndarray of bool, (n_rows,)
    order : ndarray of shape (n_gold,)
        Gold items in an order that does not look at labels.
    """

    low: float
    high: float
    guess: FloatArray
    known: FloatArray
    is_gold: npt.NDArray[np.bool_]
    order: IntArray

    def mean(self, weight: FloatArray) -> Drawn:
        """Sum of the numbers times weights, which may be negative; items of weight 0 are not in question."""
        used = np.flatnonzero(weight != 0)
        w, place = weight[used], np.full(len(weight), -1)
        place[used] = np.arange(len(used))
        ends = np.sort(np.stack([w * self.low, w * self.high]), axis=0)
        drawn = self.order[place[self.order] >= 0]
        values = weight[drawn] * self.known[drawn]
        return Drawn(ends[0], ends[1], w * self.guess[used], place[drawn], values)

    def clustered(self, weight: FloatArray, clusters: Groups) -> Drawn:
        """The same if whole clusters were drawn: units are clusters, known where all of their items are."""
        inside = (weight != 0).astype(float)
        sizes, gold = (_sums(clusters, inside * part) for part in (1.0, self.is_gold))
        check_whole(clusters.names, sizes, gold)
        ends = np.sort(np.stack([weight * self.low, weight * self.high]), axis=0)
        known = np.where(self.is_gold, self.known, 0.0)
        low, high, guess, value = (_sums(clusters, part) for part in (*ends, weight * self.guess, weight * known))
        there = np.flatnonzero(sizes > 0)
        drawn = np.flatnonzero(gold[there] > 0)
        return Drawn(low[there], high[there], guess[there], drawn, value[there][drawn])


def _sums(clusters: Groups, values: FloatArray) -> FloatArray:
    """Over the items of each cluster."""
    return np.asarray(np.bincount(clusters.codes, values, minlength=len(clusters.names)), dtype=float)
