"""Bounds on the share of a pool that is right, from items drawn with unequal chances: betting without an order.

Somebody who believes that the share is larger than a candidate ``share`` bets on each draw: right items multiply the
money by 1 + weight * bet * (1 - share) / share, wrong ones by 1 - weight * bet. Weights are inverse chances, so what
the bettor can expect is known if the candidate is the truth, whatever the chances and however they go with being right:

- v draws with replacement, weight 1 / (v * chance): each draw multiplies by 1 in the mean. With T right ones in the
  pool of s, the sum over items of chance * weight * (...) is (T * (1 - share) / share - (s - T)) * bet / v = 0.
- each item drawn or not on its own (Poisson sampling), weight 1 / chance: an item that is not drawn multiplies by 1,
  and in the mean a right item multiplies by 1 + bet * (1 - share) / share, a wrong one by 1 - bet, whatever its chance.
  Money divided by the product of these over all T right and s - T wrong items has mean 1.

The mean of such money over several bets has mean 1 too; by Markov's inequality it reaches 1 / error with probability at
most ``error``. Nothing depends on an order of the draws. (Bounds by betting: Waudby-Smith and Ramdas, 2024.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.numerics.hypergeometric import ROUNDING

# Candidate shares with the same bets lie between two of these; then rounds of so many cuts, down to 10^-8.
_CELLS = np.sin(np.linspace(0, np.pi / 2, 65)) ** 2
_N_ROUNDS, _N_CUTS = 4, 32
# Numbers held at once.
_MOST_NUMBERS = 2**20
# No single draw may cost more than this part of the money.
_RISK = 0.95


@dataclass(frozen=True)
class WeightedDraw:
    """What is known of a draw before it is made.

    Attributes
    ----------
    is_poisson : bool
        Each item drawn or not on its own; if False, a fixed number of draws with replacement.
    largest, typical : float
        The largest weight that any item of the pool could have, and the smallest that their mean may be expected to be:
        bets are tuned to weights in between. The guarantee needs the first to be right, but not the second.
    """

    is_poisson: bool
    largest: float
    typical: float


def weighted_share_bounds(
    is_right: FloatArray, weights: FloatArray, size: int, draw: WeightedDraw, error: float
) -> tuple[float, float]:
    """Bounds on the share of right ones among the ``size`` items of the pool that could have been drawn.

    *Guarantee*: the share lies within the bounds with probability at least ``1 - error``, if items were drawn as
    ``draw`` and ``weights`` say. The bets are settled before the draw: by the candidate share, the size of the pool,
    what ``draw`` knows, and the error.
    """
    # Sorted, so that not even rounding knows the order of the draws.
    right, wrong = np.sort(weights[is_right == 1]), np.sort(weights[is_right == 0])
    low = _largest_refuted(right, wrong, size, draw, error / 2)
    high = 1 - _largest_refuted(wrong, right, size, draw, error / 2)
    if draw.is_poisson:  # no item is drawn twice, so what was seen is certain
        low, high = max(low, len(right) / size), min(high, 1 - len(wrong) / size)
    return low, max(low, high)


def _largest_refuted(right: FloatArray, wrong: FloatArray, size: int, draw: WeightedDraw, error: float) -> float:
    """Largest share, as far as was looked, below which all are refuted.

    Candidates are cut into cells with the same bets, within which the money falls as the candidate grows: a cell is
    refuted if its upper end is. The first that is not is cut again, with the same bets.
    """
    goal = np.log(1 / error) + ROUNDING
    bets = settle_bets((_CELLS[:-1] + _CELLS[1:]) / 2, size, draw, error)
    n_at_once = max(1, _MOST_NUMBERS // (bets.shape[1] * (len(right) + len(wrong) + 1)))
    for start in range(0, len(bets), n_at_once):
        some = slice(start, start + n_at_once)
        is_open = log_money(right, wrong, size, draw, _CELLS[1:][some], bets[some]) < goal
        if is_open.any():
            break
    else:
        return 1.0
    cell = start + int(np.argmax(is_open))
    low, high = _CELLS[cell], _CELLS[cell + 1]
    for _ in range(_N_ROUNDS):
        shares = np.linspace(low, high, _N_CUTS + 1)[1:]
        is_open = log_money(right, wrong, size, draw, shares, bets[[cell] * _N_CUTS]) < goal
        first = int(np.argmax(is_open))
        low, high = low if first == 0 else shares[first - 1], shares[first]
    return float(low)


def settle_bets(shares: FloatArray, size: int, draw: WeightedDraw, error: float) -> FloatArray:
    """Bets that would win most if the weights of the drawn items were about as large as some value; a row a share.

    Money grows most with sqrt(2 log(1 / error) / variance) times ``share``, and the variance of the weighted number of
    right ones is ``size * share * (1 - share)`` times the mean weight (less 1 in Poisson sampling), which is not
    known: one bet for each factor of four between the typical weight and the largest.
    """
    ratio = min(draw.typical / draw.largest, 1.0)
    n_bets = max(1, int(np.ceil(np.log(1 / ratio) / np.log(4))))
    means = draw.largest * ratio ** ((np.arange(n_bets) + 0.5) / n_bets)
    variances = np.outer(size * (1 - shares) / shares, np.maximum(means - draw.is_poisson, 0.25))
    return np.asarray(np.minimum(np.sqrt(2 * (np.log(1 / error) + 1) / variances), _RISK / draw.largest))


def log_money(
    right: FloatArray, wrong: FloatArray, size: int, draw: WeightedDraw, shares: FloatArray, bets: FloatArray
) -> FloatArray:
    """Logarithm of the money at the end, averaged over the bets, for each candidate share and its row of bets.

    ``right`` and ``wrong`` are the weights of the draws.
    """
    share = shares[:, None]
    wins = bets * (1 - share) / share
    money = np.log1p(wins[:, :, None] * right).sum(axis=2) + np.log1p(-bets[:, :, None] * wrong).sum(axis=2)
    if draw.is_poisson:
        money -= size * (share * np.log1p(wins) + (1 - share) * np.log1p(-bets))
    return np.asarray(np.logaddexp.reduce(money, axis=1) - np.log(bets.shape[1]))
