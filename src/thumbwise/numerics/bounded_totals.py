"""Bounds on a sum of bounded values over all units, from a random sample of units and a guess for each: betting.

There are N units with values y, and the question is their sum T. A guess g for each unit is known, and between which
numbers its value must lie. Units are drawn at random without replacement, and looked at one after the other. Before
the t-th, R = N - t + 1 units are left, with a known mean guess and with a mean value

    m_t(T) = (T - sum of the values so far) / R.

Each of them is as likely to come as any other, so the value that comes, moved by what its guess is off,

    x_t = y_t - slope_t * (g_t - mean guess of the units that are left),

has the mean m_t(T) given the past, for every slope that was chosen from the past. Somebody who believes that the sum is
larger than a candidate T starts with 1 and multiplies the money by 1 + stake_t * (x_t - m_t(T)).

1. *One order.* Stakes are chosen from the past, and so that no unit that could come, with no value that it could have,
   costs more than a part of the money. So if T is the truth, money stays positive and has mean 1 at the end. It still
   has if the bettor stops on reaching 2 / error, and a mean of at most 1 if what is above that is given away.
2. *Several orders.* The same sample in random orders gives several such moneys e_1, e_2, ..., none of which differs
   from the others in law. The chance that a running mean (e_1 + ... + e_k) / k reaches 1 / error for any k is at most
   ``error``: seen from the last k to the first, running means are a martingale, since given the later ones each of the
   e_1, ..., e_k is as likely to be the one left out as any other (Ramdas and Manole, 2023). T is refuted if one does.
3. *All candidates.* They are cut into cells, before values are seen, and in a cell the stakes are the same for all T.
   There money falls as T grows, at every draw, and so does what is left of it by 1 and 2: if the upper end of a cell is
   refuted, all of the cell is. The first cell that is not is cut again, with its own stakes. What lies below is
   refuted, and the truth, which lies in one cell, is refuted with probability at most ``error``.

4. *Whenever drawing stops.* In the order in which units were drawn, money ever reaches 1 / error with probability at
   most ``error`` (Ville, 1939). So with this one order, stakes that suit a number of draws which was named before, and
   everything refuted that ever was, bounds hold after every draw at once. Other orders of the same draws mix early and
   late ones, and are of no use here.

The upper bound is the lower one of the negative values. How tight it is rests on stakes and slopes: these follow the
variance of the x_t so far, and what a single unit could cost. (Betting without replacement: Waudby-Smith and Ramdas,
2020 and 2024.) Against the mean money at the end of eight orders, stopping and running means made bounds narrower by 3
to 20 % for ratings, shares and differences, and by no more than 3 % for clusters, where single units could cost most.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.hypergeometric import ROUNDING

BoolArray: TypeAlias = npt.NDArray[np.bool_]
# Which candidates money refutes, given its logarithm, of shape (n_orders, n_draws, n_totals), and the goal's.
Refutes: TypeAlias = Callable[[FloatArray, float], BoolArray]

# How much of what a guess is off may be taken from the value.
SLOPES = np.linspace(0, 1, 5)
# Candidates with the same stakes lie between two of these; then rounds of so many cuts, down to 10^-8 of the range.
_CELLS = np.sin(np.linspace(0, np.pi / 2, 65)) ** 2
_N_ROUNDS, _N_CUTS = 4, 32
# Numbers held at once.
_MOST_NUMBERS = 2**20
# No draw may cost more than this part of the money; an order is stopped at so many times what would refute alone.
_RISK, _STOP = 0.95, 2.0
# Before any value: a fifth of the largest variance is left around the guess, which counts as five draws. The mean
# guess counts as one draw.
_LEFT_AROUND_GUESS, _PRIOR_DRAWS = 0.2, 5
# Somewhat bolder than what suits money at the end, because it counts on the way too.
_BOLDNESS = 1.25


@dataclass(frozen=True, eq=False)
class Kinds:
    """All units, by kind; arrays of shape (n_kinds,).

    Attributes
    ----------
    low, high : ndarray of float
        Between which the value of each unit of the kind must lie.
    guess : ndarray of float
        At the value of each, made without values. Any numbers are allowed; bad ones cost width only.
    count : ndarray of int
        How many units there are.
    """

    low: FloatArray
    high: FloatArray
    guess: FloatArray
    count: IntArray

    @property
    def n_units(self) -> int:
        return int(self.count.sum())

    def mirrored(self) -> Kinds:
        """Of the negative values."""
        return Kinds(-self.high, -self.low, -self.guess, self.count)


@dataclass(frozen=True, eq=False)
class Looks:
    """Draws in several orders, shape (n_orders, n_draws), with what is known before each of them.

    Attributes
    ----------
    moved : ndarray
        The value x that came.
    known : ndarray
        Sum of the values before.
    left : ndarray of shape (n_draws,)
        Units that could come.
    least, most : ndarray
        The smallest x that any unit could bring, and the largest that the mean value of the units left could be.
    bold : ndarray
        The stake that the variance so far suggests.
    """

    moved: FloatArray
    known: FloatArray
    left: FloatArray
    least: FloatArray
    most: FloatArray
    bold: FloatArray


def total_bounds(
    kinds: Kinds, drawn_kinds: IntArray, values: FloatArray, error: float, *, seed: int = 0, n_orders: int = 8
) -> tuple[float, float]:
    """Bounds on the sum of the values of all units, those drawn included, by betting in seeded orders.

    *Guarantee*: the sum lies within the bounds with probability at least ``1 - error``, at any sizes, if the units were
    drawn at random without replacement and each value lies where its kind says; the probability is over the draw
    and the orders. Cells of candidates, slopes and stakes to start with follow from the kinds, the number of draws and
    the error; orders from the number of draws and the seed. So guesses, seed and number of orders must be settled, and
    the rows be in an order that does not look at values, before values are seen.

    The bounds never lie outside of what is certain: the values that were seen, and the extremes of the others.

    Parameters
    ----------
    kinds : Kinds
    drawn_kinds, values : ndarray of shape (n_draws,)
        Kind and value of each unit that was drawn.
    error : float
        Allowed probability of a miss, half of it on each side; 0 gives the bounds that are certain.

    Examples
    --------
    >>> kinds = Kinds(np.array([1.0, 1.0]), np.array([5.0, 5.0]), np.array([2.0, 4.0]), np.array([400, 600]))
    >>> low, high = total_bounds(kinds, np.arange(100) % 2, 2.0 + 2 * (np.arange(100) % 2), error=0.05)
    >>> round(low), round(high)
    (3092, 3309)
    """
    return total_sides(kinds, drawn_kinds, values, error / 2, error / 2, seed=seed, n_orders=n_orders)


def total_sides(
    kinds: Kinds,
    drawn_kinds: IntArray,
    values: FloatArray,
    below: float,
    above: float,
    *,
    seed: int = 0,
    n_orders: int = 8,
) -> tuple[float, float]:
    """:func:`total_bounds` with an error for each side, that the sum lies below the bounds or above them.

    An error of 0 gives the bound that is certain.

    Examples
    --------
    >>> kinds = Kinds(np.array([0.0]), np.array([1.0]), np.array([0.5]), np.array([1000]))
    >>> drawn, values = np.zeros(100, dtype=np.int64), np.arange(100) % 2 * 1.0
    >>> low, high = total_sides(kinds, drawn, values, 0.05, 0.0)
    >>> low > total_bounds(kinds, drawn, values, 0.05)[0], high
    (True, 950.0)
    """
    low, high = certain_bounds(kinds, drawn_kinds, values)
    if below + above <= 0 or len(values) == 0 or low >= high:
        return low, high
    rng = np.random.default_rng([seed, len(values)])
    orders = np.array([rng.permutation(len(values)) for _ in range(n_orders)])
    return _both_sides(kinds, drawn_kinds[orders], values[orders], (below, above), len(values), is_refuted)


def running_bounds(
    kinds: Kinds, drawn_kinds: IntArray, values: FloatArray, error: float, *, horizon: int
) -> tuple[float, float]:
    """Bounds on the sum of the values of all units that hold after every draw, by betting in the order of the draws.

    *Guarantee*: with probability at least ``1 - error`` the sum lies within the bounds after every draw, and so
    whenever and for whatever reason drawing stops, if units come at random without replacement, and stand in the order
    in which they came. Guesses, ``horizon`` and error must be settled before the first value is seen.

    Parameters
    ----------
    kinds, drawn_kinds, values, error
        As for :func:`total_bounds`; here in the order drawn.
    horizon : int
        Number of draws for which bounds are to be tightest. It costs width elsewhere, never the guarantee.

    Examples
    --------
    >>> kinds = Kinds(np.array([0.0, 0.0]), np.array([1.0, 1.0]), np.array([0.0, 1.0]), np.array([400, 600]))
    >>> low, high = running_bounds(kinds, np.arange(100) % 2, np.arange(100) % 2 * 1.0, error=0.05, horizon=120)
    >>> round(low), round(high)
    (563, 637)
    """
    low, high = certain_bounds(kinds, drawn_kinds, values)
    if error <= 0 or len(values) == 0 or low >= high:
        return low, high
    return _both_sides(kinds, drawn_kinds[None], values[None], (error / 2, error / 2), horizon, was_refuted)


def _both_sides(
    kinds: Kinds, drawn: IntArray, values: FloatArray, errors: tuple[float, float], horizon: int, refutes: Refutes
) -> tuple[float, float]:
    """Each with its own error; draws in one or several orders."""
    least, most = certain_bounds(kinds, drawn[0], values[0])
    low, high = least, most
    if errors[0] > 0:
        looks = look(kinds, drawn, values, errors[0], horizon)
        least = min(_largest_refuted(kinds, looks, errors[0], low, refutes), high)
    if errors[1] > 0:
        kinds = kinds.mirrored()
        looks = look(kinds, drawn, -values, errors[1], horizon)
        most = max(-_largest_refuted(kinds, looks, errors[1], -high, refutes), low)
    return least, max(least, most)


def certain_bounds(kinds: Kinds, drawn_kinds: IntArray, values: FloatArray) -> tuple[float, float]:
    """The values that were seen, and the extremes of the others."""
    others = kinds.count - np.bincount(drawn_kinds, minlength=len(kinds.count))
    seen = float(np.sum(values))
    return seen + float(others @ kinds.low), seen + float(others @ kinds.high)


def _largest_refuted(kinds: Kinds, looks: Looks, error: float, certain: float, refutes: Refutes) -> float:
    """Largest sum, as far as was looked, below which all are refuted or impossible."""
    goal = np.log(1 / error) + ROUNDING
    edges = float(kinds.count @ kinds.low) + float(kinds.count @ (kinds.high - kinds.low)) * _CELLS
    tops = edges[1:][edges[1:] > certain]
    cell = _first_open(looks, tops, tops, goal, refutes)
    if cell == len(tops):
        return float(edges[-1])
    low, high = max(certain, edges[edges < tops[cell]][-1]), tops[cell]
    for _ in range(_N_ROUNDS):
        totals = np.linspace(low, high, _N_CUTS + 1)
        first = _first_open(looks, totals[1:-1], np.full(_N_CUTS - 1, tops[cell]), goal, refutes)
        low, high = totals[first], totals[first + 1]
    return float(low)


def _first_open(looks: Looks, totals: FloatArray, tops: FloatArray, goal: float, refutes: Refutes) -> int:
    """Place of the first candidate that is not refuted, given the tops of the cells they are in; else their number."""
    n_at_once = max(1, _MOST_NUMBERS // looks.moved.size)
    for start in range(0, len(totals), n_at_once):
        some = slice(start, start + n_at_once)
        is_open = ~refutes(log_money(looks, totals[some], tops[some]), goal)
        if is_open.any():
            return start + int(np.argmax(is_open))
    return len(totals)


def was_refuted(money: FloatArray, goal: float) -> BoolArray:
    """Whether the money of one order, that of the draws, ever reached the goal."""
    return np.asarray(money[0].max(axis=0) >= goal)


def is_refuted(money: FloatArray, goal: float) -> BoolArray:
    """Whether a running mean over the orders, of the money at the end or on stopping, reaches the goal."""
    stop = goal + np.log(_STOP)
    ends = np.where(money.max(axis=1) >= stop, stop, money[:, -1])
    n_orders = np.arange(1, len(ends) + 1)[:, None]
    return np.asarray((np.logaddexp.accumulate(ends, axis=0) - np.log(n_orders)).max(axis=0) >= goal)


def log_money(looks: Looks, totals: FloatArray, tops: FloatArray) -> FloatArray:
    """Logarithm of the money after each draw, shape (n_orders, n_draws, n_totals).

    Stakes suit every candidate up to the top of its cell, and so cannot lose everything. A candidate that is impossible
    by what was seen before may seem to; it keeps next to nothing.
    """
    left, known = looks.left[:, None], looks.known[..., None]
    largest = np.minimum((tops - known) / left, looks.most[..., None])
    stake = np.minimum(looks.bold[..., None], _RISK / np.maximum(largest - looks.least[..., None], 1e-300))
    wins = stake * (looks.moved[..., None] - (totals - known) / left)
    return np.asarray(np.log(np.maximum(1 + wins, 1e-300)).cumsum(axis=1))


def look(kinds: Kinds, drawn: IntArray, values: FloatArray, error: float, horizon: int | None = None) -> Looks:
    """Slopes and stakes before each draw, from those before it; kinds and values of shape (n_orders, n_draws).

    Stakes suit ``horizon`` draws, or as many as there are.
    """
    high, guess = kinds.high[drawn], kinds.guess[drawn]
    left = kinds.n_units - np.arange(drawn.shape[1], dtype=float)
    mean_guess = (kinds.count @ kinds.guess - _before(guess)) / left
    moved = values[..., None] - SLOPES * (guess - mean_guess)[..., None]
    mean, variance = _so_far(kinds, moved)
    exists = kinds.count > 0
    least = (kinds.low[exists, None] - np.outer(kinds.guess[exists], SLOPES)).min(axis=0)
    least = least + SLOPES * mean_guess[..., None]
    # What a candidate is off by counts N / left times; stakes in proportion win most.
    growth = kinds.n_units / left
    planned = kinds.n_units / (kinds.n_units - np.arange(min(horizon or len(left), kinds.n_units), dtype=float))
    bold = np.sqrt(2 * _BOLDNESS * np.log(1 / error) / variance / (planned**2).sum())
    place = _tightest(bold, variance, _RISK / np.maximum(mean - least, 1e-300), np.log(1 / error) / len(planned))
    moved, least, bold = (np.take_along_axis(part, place, axis=2)[..., 0] for part in (moved, least, bold))
    most = (kinds.count @ kinds.high - _before(high)) / left
    return Looks(moved, _before(values), left, least, most, growth * bold)


def _tightest(bold: FloatArray, variance: FloatArray, largest: FloatArray, price: float) -> IntArray:
    """Place of the slope whose bound would be the closest: money grows by stake * gap - stake^2 * variance / 2."""
    stake = np.minimum(bold, largest)
    return np.asarray((price / stake + stake * variance / 2).argmin(axis=2)[..., None])


def _so_far(kinds: Kinds, moved: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of x at each slope before each draw; to start with, those of good guesses."""
    n_seen = np.arange(moved.shape[1], dtype=float)[:, None]
    share = kinds.count / kinds.n_units
    centre = share @ kinds.guess
    prior = _LEFT_AROUND_GUESS * (share @ (kinds.high - kinds.low) ** 2) / 4
    prior = prior + (1 - SLOPES) ** 2 * (share @ (kinds.guess - centre) ** 2)
    mean = (centre + _before(moved)) / (1 + n_seen)
    squares = _before((moved - mean) ** 2)
    return mean, (_PRIOR_DRAWS * prior + squares) / (_PRIOR_DRAWS + n_seen)


def _before(values: FloatArray) -> FloatArray:
    """Sums over the draws before each."""
    return np.asarray(np.cumsum(values, axis=1) - values)
