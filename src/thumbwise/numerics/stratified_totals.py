"""Lower bounds on how many items are right in several groups together, from a random sample of each.

With K_h right ones of N_h in group h, of which X_h are among the n_h drawn, the sum of a_h * X_h, a_h = N_h / n_h,
estimates the sum of the K_h. By Markov's inequality for exp(pull * sum), with probability at least 1 - error

    pull * sum_h a_h X_h - log(1 / error)  <=  sum_h g_h(K_h),    g_h(K) >= log E exp(pull * a_h * X_h),

and the smallest sum of K_h that satisfies this is a lower bound on the truth. Each g_h is concave, so by weak duality

    D(pull, price) = price * (pull * sum_h a_h X_h - log(1 / error)) + sum_h min_K (K - price * g_h(K))

is a lower bound for every pull and price: the largest is searched for, and a search that stops early costs width only.
The pull may be chosen after the sum is seen, since P(sum >= x) is below the smallest of the bounds for every x.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thumbwise._typing import FloatArray, IntArray

# Pulls and prices that are tried at first, and then, a few times, around the best so far.
_FIRST, _CLOSER, _N_ROUNDS = (10, 10), (5, 5), 5
# Logarithms of price * pull between which the best price lies: it is near 1 / pull.
_PRICES = (-4.0, 4.0)
# Numbers held at once.
_MOST_NUMBERS = 2**17


@dataclass(frozen=True, eq=False)
class GroupCounts:
    """Counts of shape (n_groups, n_questions).

    Attributes
    ----------
    right, drawn, population
        Right ones among those drawn from each group's population, as floats.
    least, most
        Between which numbers the right ones of each population are known to lie.
    """

    right: FloatArray
    drawn: FloatArray
    population: FloatArray
    least: FloatArray
    most: FloatArray

    @classmethod
    def of(cls, *counts: IntArray) -> GroupCounts:
        return cls(*(np.asarray(part, dtype=float) for part in counts))

    def part(self, questions: slice) -> GroupCounts:
        """Some of the questions."""
        parts = (self.right, self.drawn, self.population, self.least, self.most)
        return GroupCounts(*(part[:, questions] for part in parts))

    def mirrored(self) -> GroupCounts:
        """Right and wrong exchanged."""
        n = self.population
        return GroupCounts(self.drawn - self.right, self.drawn, n, n - self.most, n - self.least)

    @cached_property
    def scale(self) -> FloatArray:
        """How many items each drawn one stands for; 0 in a group without a draw."""
        return np.where(self.drawn > 0, self.population / np.maximum(self.drawn, 1), 0.0)


def fewest_in_groups(counts: GroupCounts, error: FloatArray) -> FloatArray:
    """Lower bounds on sums over groups of the number of right ones, one for each question.

    *Guarantee*: each is at most the truth with probability at least ``1 - error``, if each group's sample is random,
    independently of the other groups', and ``least`` and ``most`` hold.
    """
    n_at_once = max(1, _MOST_NUMBERS // (_FIRST[0] * _FIRST[1] * len(counts.right)))
    parts = [slice(start, start + n_at_once) for start in range(0, len(error), n_at_once)]
    best = np.concatenate([_largest_dual(counts.part(part), np.log(error[part])) for part in parts])
    # A number of items is whole. What rounding may have added is far below a millionth.
    whole = np.ceil(best - 1e-6 - 1e-12 * counts.population.sum(axis=0))
    return np.asarray(np.maximum(whole, counts.least.sum(axis=0)))


def _largest_dual(counts: GroupCounts, log_error: FloatArray) -> FloatArray:
    """Largest D met on a grid of pulls and prices, and on finer ones around the best, for each question on its own."""
    low, high = _pulls(counts, log_error)
    centre = np.stack([(low + high) / 2, np.full_like(low, sum(_PRICES) / 2)])
    reach = np.stack([(high - low) / 2, np.full_like(low, (_PRICES[1] - _PRICES[0]) / 2)])
    best = np.full_like(low, -np.inf)
    for shape in (_FIRST, *[_CLOSER] * _N_ROUNDS):
        steps = np.stack(np.meshgrid(*(np.linspace(-1, 1, n) for n in shape)), axis=-1).reshape(-1, 2)
        points = centre + steps[:, :, None] * reach
        pull = np.exp(points[:, 0])
        duals = dual_value(counts, log_error, pull, np.exp(points[:, 1]) / pull)
        chosen = np.argmax(duals, axis=0), np.arange(len(low))
        is_better = duals[chosen] > best
        best = np.where(is_better, duals[chosen], best)
        centre = np.where(is_better, points[chosen[0], :, chosen[1]].T, centre)
        reach = reach * 2.5 / np.array(shape)[:, None]
    return best


def _pulls(counts: GroupCounts, log_error: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Logarithms, from half of what suits shares of one half, where the spread is largest, to what gains no more."""
    spread = np.maximum((counts.scale * counts.population).sum(axis=0) / 4, 1e-12)
    weakest = 0.5 * np.sqrt(-2 * log_error / spread)
    strongest = np.maximum(40 / np.maximum(counts.scale.max(axis=0), 1e-12), 2 * weakest)
    return np.log(weakest), np.log(strongest)


def dual_value(counts: GroupCounts, log_error: FloatArray, pull: FloatArray, price: FloatArray) -> FloatArray:
    """D at pulls and prices of shape (n_points, n_questions)."""
    costs = _costs(counts, pull[:, None] * counts.scale, price[:, None])
    costs = np.where(counts.drawn > 0, costs, counts.least)
    estimate = (counts.scale * counts.right).sum(axis=0)
    return np.asarray(price * (pull * estimate + log_error) + costs.sum(axis=1))


def _costs(counts: GroupCounts, t: FloatArray, price: FloatArray) -> FloatArray:
    """min_K (K - price * g(K)) for each group, with the best of four bounds g(K) on log E exp(t * X).

    A sample without replacement is less spread than one with replacement (Hoeffding, 1963), and can be seen in four
    ways: X is a number of draws that are right, of right items that are drawn, n less the wrong items that are drawn,
    K less the right ones among the items that are not drawn. The second and third are straight in K.
    """
    n, size, least, most = counts.drawn, np.maximum(counts.population, 1), counts.least, counts.most
    grow, fall = np.expm1(t), -np.expm1(-t)
    with np.errstate(divide="ignore", invalid="ignore"):
        k = np.clip(np.nan_to_num(price * n - size / grow), least, most)
        draws = k - price * n * np.log1p(k / size * grow)
        k = np.where(t * price > 1, size / fall - (size - n) / (t - 1 / price), least)
        k = np.clip(np.nan_to_num(k), least, most)
        rest = k - price * (t * k + np.where(n < size, (size - n) * np.log1p(-k / size * fall), 0))
        wrong = np.log1p(-n / size * fall)
        right_at = [k * (1 - price * np.log1p(n / size * grow)) for k in (least, most)]
        wrong_at = [k - price * (n * t + np.where(k < size, (size - k) * wrong, 0)) for k in (least, most)]
    return np.asarray(np.max([draws, rest, np.minimum(*right_at), np.minimum(*wrong_at)], axis=0))
