"""Bounds on how many of a population are right that hold after every draw: ratios of likelihoods against wagers.

Items are drawn at random without replacement, one after the other, and somebody looks after each of them and stops when
they like. After n draws, x of them right, a population of N items with K right ones makes the draws, in their order, as
likely as

    L_n(K)  ~  comb(K, x) comb(N - K, n - x),

up to a factor without K. For every K' that was fixed before the draws, L_n(K') / L_n(K) starts at 1 and, if K is the
truth, stays so in the mean at each draw: what is drawn next has probabilities that sum to 1 under K' too. So does the
mean of several such ratios, with weights that sum to 1, and a nonnegative process of this kind ever reaches 1 / error
with probability at most ``error`` (Ville, 1939).

1. *A lower bound.* K is refuted, at any moment, if the mean of L_n(K') / L_n(K) over its wagers K' >= K reaches
   1 / error. The truth ever is with probability at most ``error``.
2. *All candidates.* They are cut into cells by the size of the population alone, and in a cell all K have the wagers of
   its top. L_n grows with K up to its mode, and falls beyond. So within a cell the ratio falls as K grows up to the
   mode, and beyond it is at most 1, wagers being no smaller than K: no K beyond is refuted, and where the top of a cell
   is, all of the cell is. The first cell whose top is not refuted is cut by halving.
3. *Wagers.* After h draws, K' wins most against K if h KL(K' / N, K / N) = log(1 / error). Three are made for each K:
   for a typical number of draws, a quarter and four times of it.

No order of the draws is needed, only counts. The same holds for the items of a group among all items, if it is known
before which these are: given when the draws fall among them, each of them is as likely to come as any other. (With one
prior over all K' in place of wagers that differ from K to K this is the prior-posterior ratio of Waudby-Smith and
Ramdas, 2020. Wagers are narrower by 3 to 20 % between 50 and 300 draws: docs/stopping.md.)
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.hypergeometric import ROUNDING, log_chance

# Draws that wagers suit best, unless another number is given.
HORIZON = 120
# Horizons of the three wagers, as multiples, and what each gets of the money.
_TIMES, _WEIGHTS = np.array([0.25, 1.0, 4.0]), np.array([0.1, 0.8, 0.1])
# Candidate shares with the same wagers lie between two of these.
_CELLS = np.sin(np.linspace(0, np.pi / 2, 257)) ** 2
# Questions that are looked at at once.
_MOST_QUESTIONS = 256


def anytime_bounds(
    right: npt.ArrayLike,
    drawn: npt.ArrayLike,
    population: npt.ArrayLike,
    error: npt.ArrayLike,
    *,
    horizon: npt.ArrayLike = HORIZON,
) -> tuple[IntArray, IntArray]:
    """Bounds on how many of a population are right, from the first draws of a random order of it, however many.

    *Guarantee*: with probability at least ``1 - error`` the number lies within the bounds **after every draw**, and so
    whenever and for whatever reason drawing stops. ``error`` and ``horizon`` must be settled before the first draw; the
    number of draws may depend on all that was seen.

    Parameters
    ----------
    right, drawn, population : array-like of int
        ``0 <= right <= drawn <= population``, elementwise.
    error : array-like of float
        Allowed probability that the bounds ever miss; 0 gives those that hold for certain.
    horizon : array-like of float
        Number of draws for which bounds are to be tightest. It costs width elsewhere, never the guarantee.

    Examples
    --------
    >>> fewest, most = anytime_bounds(right=80, drawn=100, population=5000, error=0.05)
    >>> int(fewest), int(most)  # for 100 draws and no others the bounds are 3,546 and 4,361
    (3382, 4467)
    """
    half = np.asarray(error, dtype=float) / 2
    return anytime_sides(right, drawn, population, half, half, horizon=horizon)


def anytime_sides(
    right: npt.ArrayLike,
    drawn: npt.ArrayLike,
    population: npt.ArrayLike,
    below: npt.ArrayLike,
    above: npt.ArrayLike,
    *,
    horizon: npt.ArrayLike = HORIZON,
) -> tuple[IntArray, IntArray]:
    """The same with an error of its own for each side: that of a lower bound that is too high, and of an upper one.

    *Guarantee*: the lower bound ever is above the number of right ones with probability at most ``below``, the upper
    one ever below it with probability at most ``above``.
    """
    given = np.broadcast_arrays(right, drawn, population, below, above, np.asarray(horizon, dtype=float))
    questions = np.stack([part.ravel().astype(float) for part in given])
    distinct, place = np.unique(questions, axis=1, return_inverse=True)
    r, d, n = distinct[:3].astype(np.int64)
    # Exchanging right and wrong turns the upper bound into a lower one.
    counts = np.stack([np.concatenate([r, d - r]), np.tile(d, 2), np.tile(n, 2)])
    errors, horizons = distinct[3:5].ravel(), np.tile(distinct[5], 2)
    sides = counts[0].copy()  # without an allowed error, what was seen
    asked = np.flatnonzero(errors > 0)
    for some in (asked[i : i + _MOST_QUESTIONS] for i in range(0, len(asked), _MOST_QUESTIONS)):
        sides[some] = _fewest(counts[:, some], errors[some], horizons[some])
    place = place.reshape(given[0].shape)
    return sides[: len(r)][place], (n - sides[len(r) :])[place]


def _fewest(counts: IntArray, error: FloatArray, horizon: FloatArray) -> IntArray:
    """The smallest number of right ones that is not refuted."""
    right, drawn, population = counts
    goal = -np.log(np.minimum(error, 0.5)) + ROUNDING
    edges = np.floor(population[:, None] * _CELLS).astype(np.int64)
    edges[:, 0], edges[:, -1] = -1, population
    won = log_winnings(counts, edges[:, 1:], goal, horizon)
    tops = np.minimum(edges[:, 1:], (population - (drawn - right))[:, None])  # more are impossible
    is_open = ~_is_refuted(counts[:, :, None], tops, won, goal[:, None])
    cell = np.argmax(is_open, axis=1)[:, None]
    low, high, won = (np.take_along_axis(part, cell, axis=1)[:, 0] for part in (edges[:, :-1], tops, won))
    low = np.maximum(low, right - 1)
    while len(left := np.flatnonzero(high - low > 1)):
        middle = (low[left] + high[left]) // 2
        refuted = _is_refuted(counts[:, left], middle, won[left], goal[left])
        low[left[refuted]] = middle[refuted]
        high[left[~refuted]] = middle[~refuted]
    return np.asarray(high)


def log_winnings(counts: IntArray, tops: IntArray, goal: FloatArray, horizon: FloatArray) -> FloatArray:
    """Logarithm of the mean of L(K') over the wagers of each cell, as chances of the counts; cells by their tops.

    KL is taken as 2 (arcsin sqrt q - arcsin sqrt p)^2, to which it is close, and h as the number of draws with
    replacement that are as informative.
    """
    right, drawn, population = (part[:, None, None] for part in counts)
    draws = np.minimum(horizon[:, None, None] * _TIMES, population / 2)
    draws = draws * np.maximum(population - 1, 1) / np.maximum(population - draws, 1)
    turn = np.sqrt((goal[:, None, None] - np.log(_WEIGHTS)) / (2 * draws))
    top = tops[:, :, None]
    share = np.clip(top / np.maximum(population, 1), 0, 1)
    wager = np.sin(np.minimum(np.arcsin(np.sqrt(share)) + turn, np.pi / 2)) ** 2
    wager = np.clip(np.rint(wager * population).astype(np.int64), top, population)
    chances = log_chance(*np.broadcast_arrays(right, drawn, population, wager))
    return np.asarray(np.logaddexp.reduce(chances + np.log(_WEIGHTS), axis=2))


def _is_refuted(
    counts: IntArray, total: IntArray, won: FloatArray, goal: FloatArray
) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Whether the wagers have won enough against so many right ones; too few for what was drawn always are."""
    right, drawn, population = counts
    lost = log_chance(*np.broadcast_arrays(right, drawn, population, np.maximum(total, 0)))
    return np.asarray(won >= goal + lost)
