"""The bound without a rule, from sums of which its votes are taken off, is that of votes from which they are missing.

The slow way makes the votes anew, with no vote of the rule, and asks every opinion about them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest

import thumbwise as tw
from thumbwise.assess.planned_game import GoldState, PlannedGame, pose_without_bounds
from thumbwise.assess.planner import Planner, join_counts
from thumbwise.box.gold import count_gold
from thumbwise.box.moments.linear import build_moments
from thumbwise.box.moments.standard import STANDARD
from thumbwise.box.opened_gold import open_gold


def simulate(n: int, n_rules: int, n_classes: int, seed: int) -> tuple[tw.Votes, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_classes, size=n)
    guesses = rng.integers(n_classes, size=(n, n_rules))
    array = np.where(rng.random((n, n_rules)) < np.linspace(0.4, 0.9, n_rules), truth[:, None], guesses)
    array[rng.random(array.shape) < 0.3] = -1
    return tw.Votes(array, n_classes=n_classes, item_ids=[f"item {i}" for i in range(n)]), truth


def hush(votes: tw.Votes, rule: int) -> tw.Votes:
    array = votes.array.copy()
    array[:, rule] = -1
    return tw.Votes(array, n_classes=votes.n_classes, rule_names=votes.rule_names)


def slow_bound_without(planner: Planner, rule: int) -> float:
    sample, panel = planner.sample, planner.panel
    gold, pool, items = (hush(votes, rule) for votes in (sample.votes, planner.pool, planner.items))
    counts = planner.standard
    if panel.opinions:
        counts = join_counts(counts, count_gold(gold, sample.labels, pool, sample.gold_is, panel.opinions))
    if panel.learned is not None:
        losses = panel.learned.opinion.log_losses(gold.patterns)[gold.inverse, sample.labels]
        bound = panel.learned.bound + float(losses.mean() - panel.learned.losses.mean())
        panel = replace(panel, learned=replace(panel.learned, losses=losses, bound=bound))
    moments = build_moments((*STANDARD, *panel.builders), items)
    place = np.zeros(len(planner.labeling), dtype=int)  # of each pattern that was, the pattern without the rule
    place[planner.items.inverse] = items.inverse
    labeling = np.zeros((items.patterns.n_patterns, items.n_classes))
    np.add.at(labeling, place, planner.labeling)
    rates = np.clip(moments.averages(labeling), moments.least, moments.most)
    problem = pose_without_bounds(moments, items.patterns.counts)
    game = PlannedGame(problem, rates, panel, planner.game.error, planner.n_pool, planner.is_subset, planner.is_kept)
    is_rule = np.arange(len(counts.about)) == rule
    solution = game.solve(GoldState(counts, counts.right.astype(float), planner.n_gold).forget(is_rule))
    return max(0.0, solution.dual_value)


@pytest.mark.parametrize("n_rules", [7, 45])  # 45: so many that most rest at their kinks and are left out
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    ("gold_is", "keep", "options"),
    [
        ("subset", True, {}),
        ("subset", False, {}),
        ("separate", False, {}),
        ("subset", True, {"opinions": ("majority",)}),
        ("subset", True, {"opinions": ("learned",)}),
        ("subset", False, {"opinions": (tw.opinions.InTiers("panel", 3), "majority")}),
    ],
)
def test_the_bound_without_a_rule_is_that_of_votes_without_it(
    gold_is: Literal["subset", "separate"], keep: bool, options: dict[str, Any], n_classes: int, n_rules: int
) -> None:
    votes, truth = simulate(600, n_rules, n_classes, 3)
    pool = votes if gold_is == "subset" else votes.take(range(80, 600))
    sample = open_gold(votes.take(range(80)), truth[:80], pool, gold_is)
    box = tw.Box.from_gold(votes.take(range(80)), truth[:80], pool=pool, gold_is=gold_is, n_permutations=0, **options)
    planner = Planner(sample, 0.05, keep, box)
    assert len(planner.panel.builders) > 0
    bounds = {rule: planner.bound_without(rule) for rule in (0, 3, n_rules - 1)}
    for rule, bound in bounds.items():
        assert bound == pytest.approx(slow_bound_without(planner, rule), abs=1e-9)
    assert n_rules > 7 or np.ptp([*bounds.values(), planner.bound]) > 1e-4
