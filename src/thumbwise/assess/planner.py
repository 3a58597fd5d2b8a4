"""Boxes and bounds for gold that has not been labeled yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from thumbwise._typing import AnyArray, FloatArray
from thumbwise.assess.consistent_rates import Observed, consistent_labeling
from thumbwise.assess.planned_game import GoldState, PlannedGame, pose_without_bounds
from thumbwise.assess.planned_panel import PlannedPanel, open_panel
from thumbwise.assess.quiet_rules import Heard, HeardVotes
from thumbwise.box.box import Box
from thumbwise.box.gold import GoldCounts, GoldSample, count_gold
from thumbwise.box.moments.linear import Moments, build_moments
from thumbwise.box.moments.standard import standard_moments
from thumbwise.numerics.maxent import curvature_at
from thumbwise.numerics.solver import Solution, takes_curvature
from thumbwise.votes.inputs import in_memory

# Gains are those of this many more labels, if there are items for them.
_STEP = 100


class Planner:
    """Boxes and bounds for gold that has not been labeled yet.

    The game is played on the pool, or, if gold items keep their label, on the rest of it; bounds are per item of it.
    They are those of the game itself, a fit with caution 1. A box that was made of this gold, for this pool, brings its
    opinions along; without one they are chosen and learned as by default.
    """

    def __init__(self, sample: GoldSample, error: float, keep: bool, box: Box | None = None) -> None:
        sample = replace(sample, builders=standard_moments(sample.pool))
        self.sample, self.panel = sample, open_panel(sample, error, box)
        self.pool, self.n_gold, self.n_pool = in_memory(sample.pool, "a plan"), len(sample), sample.pool.n_items
        self.is_subset, self.is_kept = sample.gold_is == "subset", keep
        is_gold = np.isin(self.pool.item_ids, sample.votes.item_ids) if keep else np.zeros(self.n_pool, dtype=bool)
        self.items = self.pool.take(~is_gold) if keep else self.pool
        self.standard = sample.counts
        self.counts = self._count(self.panel, sample.votes, self.pool)
        self.state = GoldState(self.counts, self.counts.right.astype(float), self.n_gold)
        self.game = self._pose(self.panel, error)
        today = self.game.solve_exactly(self.state)
        self.is_consistent = not today.is_infeasible
        self.today = today if self.is_consistent else self.game.solve(self.state)
        self._latest = self.today  # where the search for the game with every moment known begins
        self.bound = self._value(self.today, self.n_gold)

    def bounds(self, sizes: Sequence[int]) -> list[float]:
        """Planned bound for each number of gold labels."""
        bounds, start = [], self.today
        for n in sizes:
            solution = self.today if n == self.n_gold else self.game.solve(self._grown(n), start)
            self._latest = start = solution
            bounds.append(self._value(solution, n))
        return bounds

    def floor(self) -> float:
        """The value of the game with every moment known, per item of the game."""
        return max(0.0, self.game.solve_known(self._latest).dual_value)

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
        own = {key for key, is_own in zip(self.counts.keys, self._is_of(rule), strict=True) if is_own}
        return self._gain(np.array([key in own for key in self.counts.keys]), self.n_gold)

    def _is_of(self, rule: int) -> AnyArray:
        """Which of the counted moments are about a rule."""
        name = self.counts.about[rule].rule
        return np.array([moment.rule == name for moment in self.counts.about])

    def opinion_gain(self) -> float:
        """The same through what the rules say together: opinions, and what the learned one learns."""
        is_opinion = np.arange(len(self.counts.about)) >= len(self.standard.about)
        return self._gain(is_opinion, self.n_gold + self._step()) if self.panel.builders else 0.0

    def bound_without(self, rule: int) -> float:
        """Today's bound if one rule had never been there: no interval for it, its part of the budget for the others.

        Opinions are then those of the other rules, whose weights stay as they are. The learned opinion stays the same
        formula without the rule's votes, with a bound that is higher by what that costs on gold: it is not learned
        anew. Opinions that somebody wrote stay, whatever they make of the rule.

        A certificate only if that was decided before gold labels were seen. Decided afterwards, the part stays spent:
        :meth:`thumbwise.Box.without_rules`.
        """
        if self.counts.keys.count(self.counts.keys[rule]) > 1:
            return self.bound  # its copy says the same
        game, counts = self._without(rule)
        is_rule = np.zeros(len(game.rates), dtype=bool)
        is_rule[: len(self.standard.about)] = self._is_of(rule)[: len(self.standard.about)]
        game = replace(game, problem=replace(game.problem, shares=np.where(is_rule, 0.0, game.problem.shares)))
        state = GoldState(counts, counts.right.astype(float), self.n_gold).forget(is_rule[: len(counts.about)])
        start = np.where(is_rule, 0.0, self.today.weights[: len(is_rule)])
        curvature = None if self._curvature is None else self._curvature[: len(start), : len(start)]
        return self._value(game.solve(state, start, curvature), self.n_gold)

    @cached_property
    def _curvature(self) -> FloatArray | None:
        """That of today, which games without a rule begin with where it is dear."""
        return curvature_at(self.today.prediction, self.game.problem) if takes_curvature(self.game.problem) else None

    def _without(self, rule: int) -> tuple[PlannedGame, GoldCounts]:
        """Game and counts with the opinions that there would be if a rule said nothing."""
        if not self.panel.builders or self.panel.is_written:
            return self.game, self.counts
        if self.panel.needs_all:
            return self._silent, self.standard
        gold, pool = self._gold.without(rule), self._pool.without(rule)
        items = self._items.without(rule) if self.is_kept else pool
        losses = None if gold.losses is None else gold.losses[self._gold.inverse, self.sample.labels]
        panel = self.panel.with_losses(losses)
        return self._pose_heard(panel, items), self._count_heard(gold, pool)

    @cached_property
    def _silent(self) -> PlannedGame:
        """The game without opinions."""
        return self._pose(self.panel.silent(), self.game.error)

    @cached_property
    def _gold(self) -> HeardVotes:
        return HeardVotes.of(self.sample.votes, self.panel)

    @cached_property
    def _pool(self) -> HeardVotes:
        return HeardVotes.of(self.pool, self.panel)

    @cached_property
    def _items(self) -> HeardVotes:
        return HeardVotes.of(self.items, self.panel) if self.is_kept else self._pool

    def _count_heard(self, gold: Heard, pool: Heard) -> GoldCounts:
        """What gold says of rules and classes, and of opinions that were heard."""
        if not self.panel.opinions:
            return self.standard
        said = gold.verdicts[:, self.sample.votes.inverse]
        keys = [(of_pool.tobytes(), of_gold.tobytes()) for of_pool, of_gold in zip(pool.verdicts, said, strict=True)]
        counts = GoldCounts.of(
            self.counts.about[len(self.standard.about) :],
            (said == self.sample.labels).sum(axis=1),
            (said >= 0).sum(axis=1),
            self._pool.sizes(pool),
            tuple(keys),
            self.n_gold,
            self.n_pool,
            self.sample.gold_is,
        )
        return join_counts(self.standard, counts)

    def _pose_heard(self, panel: PlannedPanel, heard: Heard) -> PlannedGame:
        """The game with opinions that were heard; the features and rates of rules and classes are always the same."""
        standard, sizes = self._silent, self._items.sizes(heard).astype(float)
        columns = self._items.features(heard, standard.problem.features)
        least, most = np.zeros(len(sizes)), np.ones(len(sizes))
        if heard.losses is not None:
            sizes = np.append(sizes, self.items.n_items)
            least, most = np.append(least, heard.losses.min()), np.append(most, heard.losses.max())
        rates = np.clip(columns.T @ self.labeling.ravel() / np.maximum(sizes, 1), least, most)
        problem = standard.problem.beside(columns, sizes / self.items.n_items)
        return replace(standard, problem=problem, rates=np.append(standard.rates, rates), panel=panel)

    def _count(self, panel: PlannedPanel, gold: Any, pool: Any) -> GoldCounts:
        """What gold says of rules and classes, and of the opinions on votes as they are or as they are heard."""
        if not panel.opinions:
            return self.standard
        counts = count_gold(gold, self.sample.labels, pool, self.sample.gold_is, panel.opinions)
        return join_counts(self.standard, counts)

    def _pose(self, panel: PlannedPanel, error: float) -> PlannedGame:
        """The game with the opinions of a panel."""
        moments = self._moments(panel)
        problem = pose_without_bounds(moments, self.items.patterns.counts)
        rates = np.clip(moments.averages(self.labeling), moments.least, moments.most)
        return PlannedGame(problem, rates, panel, error, self.n_pool, self.is_subset, self.is_kept)

    def _moments(self, panel: PlannedPanel) -> Moments:
        standard = build_moments(self.sample.builders, self.items)
        return sum((build(self.items) for build in panel.builders), start=standard)

    @cached_property
    def labeling(self) -> FloatArray:
        """The consistent labeling, as the mass of items with each pattern and class."""
        observed, learned = Observed.of(self.counts), self.panel.learned
        observed = observed if learned is None else observed.with_mean(learned.losses)
        masses = self.items.patterns.counts
        point = consistent_labeling(pose_without_bounds(self._moments(self.panel), masses), observed)
        return np.asarray(point.proba * masses[:, None])

    def _gain(self, profits: AnyArray, n_learned: int) -> float:
        """Fall of the bound per label if a hundred more are counted for some moments, and the formula has seen some."""
        step = self._step()
        if step <= 0:
            return 0.0
        grown, now = self._grown(self.n_gold + step), self.counts
        counts = replace(
            now,
            drawn=np.where(profits, grown.counts.drawn, now.drawn),
            population=np.where(profits, grown.counts.population, now.population),
            expected=np.where(profits, grown.counts.expected, now.expected),
        )
        then = GoldState(counts, np.where(profits, grown.right, self.state.right), n_learned)
        return (self.bound - self._value(self.game.solve(then, self.today), self.n_gold)) / step

    def _step(self) -> int:
        """How many more labels gains are about: a hundred, or as many as can be."""
        return min(_STEP, self.n_pool - self.n_gold if self.is_subset else self.n_pool)

    def _value(self, solution: Solution, n_gold: int) -> float:
        """The bound; 0 once every item has a gold label and keeps it."""
        return max(0.0, solution.dual_value) if self.open_share(n_gold) > 0 else 0.0

    def open_share(self, n_gold: int) -> float:
        """Share of the items that the bound is about."""
        return max(0.0, 1 - n_gold / self.n_pool) if self.is_kept else 1.0

    def _grown(self, n_gold: int) -> GoldState:
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
        return GoldState(grown, counts.right + fresh * self.game.rates[: len(fresh)], n_gold)


def join_counts(first: GoldCounts, second: GoldCounts) -> GoldCounts:
    """Counts of the moments of both."""
    return GoldCounts(
        about=first.about + second.about,
        right=np.append(first.right, second.right),
        drawn=np.append(first.drawn, second.drawn),
        population=np.append(first.population, second.population),
        pool=np.append(first.pool, second.pool),
        outside=np.append(first.outside, second.outside),
        expected=np.append(first.expected, second.expected),
        keys=first.keys + second.keys,
    )
