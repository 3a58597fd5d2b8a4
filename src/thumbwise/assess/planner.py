"""Boxes and bounds for gold that has not been labeled yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.assess.consistent_rates import consistent_rates
from thumbwise.box.budget import split_error
from thumbwise.box.designs.plain import exact_intervals
from thumbwise.box.gold import GoldCounts, GoldSample
from thumbwise.box.moments.linear import build_moments
from thumbwise.box.moments.standard import STANDARD
from thumbwise.numerics.maxent import Problem
from thumbwise.numerics.solver import Solution, solve_dual
from thumbwise.votes.inputs import in_memory
from thumbwise.votes.votes import Votes

# Gains are those of this many more labels, if there are items for them.
_STEP = 100
_TOL = 1e-7


class Planner:
    """Boxes and bounds for gold that has not been labeled yet.

    The game is played on the pool, or, if gold items keep their label, on the rest of it; bounds are per item of it.
    """

    def __init__(self, sample: GoldSample, error: float, keep: bool) -> None:
        pool, counts = in_memory(sample.pool, "a plan"), sample.counts
        self.counts, self.n_gold, self.n_pool, self.error = counts, len(sample), pool.n_items, error
        self.is_subset, self.is_kept = sample.gold_is == "subset", keep
        self.problem = pose_without_bounds(pool.take(~np.isin(pool.item_ids, sample.votes.item_ids)) if keep else pool)
        self.rates = consistent_rates(self.problem, counts)
        right = counts.right.astype(float)
        today = solve_dual(self.problem.with_bounds(*self._intervals(counts, right)))  # as exact as a fit
        self.is_consistent = not today.is_infeasible
        self.today = today if self.is_consistent else self._solve(counts, right)
        self.bound = self._value(self.today, self.n_gold)

    def bounds(self, sizes: Sequence[int]) -> list[float]:
        """Planned bound for each number of gold labels."""
        bounds, start = [], self.today.weights
        for n in sizes:
            solution = self.today if n == self.n_gold else self._solve(*self._grown(n), start)
            start = solution.weights
            bounds.append(self._value(solution, n))
        return bounds

    def floor(self) -> float:
        """The value of the game with every moment known, per item of the game."""
        known = self.problem.shares > 0
        lower, upper = np.where(known, self.rates, 0.0), np.where(known, self.rates, 1.0)
        solution = solve_dual(self.problem.with_bounds(lower, upper), tol=_TOL, start=self.today.weights)
        return max(0.0, solution.dual_value)

    def random_gain(self) -> float:
        """Fall of the bound per label, over the next hundred items drawn at random."""
        step = self._step()
        return (self.bound - self.bounds([self.n_gold + step])[0]) / step if step > 0 else 0.0

    def n_unlabeled(self, rule: int) -> int:
        return int(self.counts.pool[rule] - (self.counts.drawn[rule] if self.is_subset else 0))

    def gain(self, rule: int) -> float:
        """The same through one rule: as if only its interval, and those of its copies, would profit.

        A rule that had too few votes for a part of the budget gets one if it is to have enough, at the cost of others.
        That items with a new label keep it, and cost nothing, is not the rule's doing and is left out.
        """
        step = self._step()
        if step <= 0:
            return 0.0
        same = np.array([key == self.counts.keys[rule] for key in self.counts.keys])
        grown, right = self._grown(self.n_gold + step)
        counts = replace(
            self.counts,
            drawn=np.where(same, grown.drawn, self.counts.drawn),
            population=np.where(same, grown.population, self.counts.population),
            expected=np.where(same, grown.expected, self.counts.expected),
        )
        then = self._solve(counts, np.where(same, right, self.counts.right), self.today.weights)
        return (self.bound - self._value(then, self.n_gold)) / step

    def bound_without(self, rule: int) -> float:
        """Today's bound if one rule had never been there: no interval for it, its part of the budget for the others.

        A certificate only if that was decided before gold labels were seen. Decided afterwards, the part stays spent:
        :meth:`thumbwise.Box.without_rules`.
        """
        forgotten = np.arange(len(self.counts.about)) == rule
        counts = replace(
            self.counts,
            drawn=np.where(forgotten, 0, self.counts.drawn),
            expected=np.where(forgotten, 0.0, self.counts.expected),
        )
        right = np.where(forgotten, 0.0, self.counts.right)
        solution = self._solve(counts, right, np.where(forgotten, 0.0, self.today.weights))
        return self._value(solution, self.n_gold)

    def _step(self) -> int:
        """How many more labels gains are about: a hundred, or as many as can be."""
        return min(_STEP, self.n_pool - self.n_gold if self.is_subset else self.n_pool)

    def _value(self, solution: Solution, n_gold: int) -> float:
        """The bound; 0 once every item has a gold label and keeps it."""
        return max(0.0, solution.dual_value) if self.open_share(n_gold) > 0 else 0.0

    def open_share(self, n_gold: int) -> float:
        """Share of the items that the bound is about."""
        return max(0.0, 1 - n_gold / self.n_pool) if self.is_kept else 1.0

    def _grown(self, n_gold: int) -> tuple[GoldCounts, FloatArray]:
        """Expected counts with more gold items drawn at random, at the consistent rates."""
        counts, more = self.counts, n_gold - self.n_gold
        left, n_left = counts.pool, self.n_pool
        if self.is_subset:
            left, n_left = counts.pool - counts.drawn, self.n_pool - self.n_gold
        fresh = np.rint(more * left / max(1, n_left)).astype(np.int64)
        population = counts.population + (0 if self.is_subset else fresh)
        n_population = self.n_pool + (0 if self.is_subset else n_gold)
        grown = replace(
            counts,
            drawn=counts.drawn + fresh,
            population=population,
            expected=np.asarray(population, dtype=float) * (n_gold / n_population),
        )
        return grown, counts.right + fresh * self.rates

    def _solve(self, counts: GoldCounts, right: FloatArray, start: FloatArray | None = None) -> Solution:
        lower, upper = self._intervals(counts, right)
        is_known = (self.problem.shares > 0) & (counts.drawn > 0)
        lower = np.where(is_known, np.minimum(lower, self.rates), lower)
        upper = np.where(is_known, np.maximum(upper, self.rates), upper)
        return solve_dual(self.problem.with_bounds(lower, upper), tol=_TOL, start=start)

    def _intervals(self, counts: GoldCounts, right: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Exact intervals on the items of the game; between two whole numbers of right ones, in proportion."""
        errors = split_error(self.error, counts)
        whole = np.floor(right + 1e-9).astype(np.int64)
        part = np.clip(right - whole, 0, 1)
        below = exact_intervals(_with_right(counts, whole, self.is_subset), errors)
        above = below
        if part.any():
            above = exact_intervals(_with_right(counts, np.minimum(whole + 1, counts.drawn), self.is_subset), errors)
        lower, upper = ((1 - part) * low + part * high for low, high in zip(below, above, strict=True))
        if self.is_kept:
            lower, upper = (_without_gold(bound, counts, right, self.rates) for bound in (lower, upper))
        is_empty = self.problem.shares == 0
        return np.where(is_empty, 0.0, lower), np.where(is_empty, 1.0, upper)


def pose_without_bounds(votes: Votes) -> Problem:
    """The game without any bounds."""
    moments = build_moments(STANDARD, votes)
    masses, shares = votes.patterns.counts / votes.n_items, moments.sizes / votes.n_items
    return Problem.build(moments.features, masses, shares, np.zeros(len(moments)), np.ones(len(moments)))


def _without_gold(bound: FloatArray, counts: GoldCounts, right: FloatArray, rates: FloatArray) -> FloatArray:
    """Bounds on the share of right ones among the items that are not gold; where none is left, the rate."""
    left = counts.pool - counts.drawn
    rest = np.clip((bound * counts.pool - right) / np.maximum(left, 1), 0, 1)
    return np.where(left > 0, rest, rates)


def _with_right(counts: GoldCounts, right: IntArray, is_subset: bool) -> GoldCounts:
    return replace(counts, right=right, outside=np.zeros_like(right) if is_subset else right)
