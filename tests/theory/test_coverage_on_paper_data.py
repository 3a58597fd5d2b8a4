"""On the paper's ten datasets the default box holds the truth as often as it says, and the paper's recipe does not.

Gold is drawn at random from training and validation items together. If every coverage were exactly its level, all
alarms of this file together would be false once in a million runs: the rate is divided over datasets, sizes, roles,
levels and the two questions.

Killed, tried once each: the whole error given to each moment; three times the budget; for the betting bound, capital
compared with half of what Ville's inequality asks for. Survives: twice the budget, whose true coverage is too near the
level to be told from it by 200 draws at this false-alarm rate.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import binom
from studies.betting import betting_upper_bound
from studies.budgets import IDEAS, Idea, add_majority, split_by_idea
from studies.coverage import (
    FALSE_ALARM,
    LEVELS,
    ROLES,
    SIZES,
    Plan,
    Recipe,
    Row,
    Setting,
    allowed_misses,
    study_setting,
)
from studies.drawing import Population, draw_gold, split_population

import thumbwise as tw
from support.paper import NAMES, load_paper
from thumbwise.box.gold import GoldIs, count_gold

N_CELLS = 2 * len(NAMES) * len(SIZES) * len(ROLES) * len(LEVELS)


def load_population(name: str) -> Population:
    paper = load_paper(name)
    array = np.concatenate([paper.votes.array, paper.gold_votes.array])
    labels = np.concatenate([paper.labels, paper.gold_labels])
    return Population(name, tw.Votes(array, n_classes=paper.votes.n_classes), labels)


def too_many_misses(rows: Sequence[Row]) -> list[Row]:
    return [
        row
        for row in rows
        if row.n_boxes - row.boxes_held > allowed_misses(row.n_boxes, row.level, N_CELLS)
        or row.n_bounds - row.bounds_held > allowed_misses(row.n_bounds, row.level, N_CELLS)
    ]


def study(name: str, n_gold: int, gold_is: GoldIs, levels: Sequence[float], plan: Plan, recipe: Recipe) -> list[Row]:
    return study_setting(load_population(name), Setting(name, n_gold, gold_is), levels, plan, [recipe])


@pytest.mark.parametrize("gold_is", ROLES)
@pytest.mark.parametrize("name", NAMES)
def test_default_box_and_bound_hold_as_often_as_they_say(name: str, gold_is: GoldIs) -> None:
    plan = Plan(n_draws=200, n_fitted=2)
    assert not too_many_misses(study(name, 100, gold_is, (0.8, 0.95), plan, "exact"))


@pytest.mark.parametrize("name", ["aa2", "sms", "yelp", "youtube"])
def test_the_papers_recipe_fails_the_same_check(name: str) -> None:
    plan = Plan(n_draws=200, n_fitted=2, n_paper_bounds=2)
    rows = study(name, 100, "separate", (0.8, 0.95), plan, "paper")
    assert too_many_misses(rows) == rows


@pytest.mark.slow
@pytest.mark.parametrize("gold_is", ROLES)
@pytest.mark.parametrize("n_gold", SIZES)
@pytest.mark.parametrize("name", NAMES)
def test_full_study(name: str, n_gold: int, gold_is: GoldIs) -> None:
    assert not too_many_misses(study(name, n_gold, gold_is, LEVELS, Plan(), "exact"))


@pytest.mark.parametrize("idea", IDEAS, ids=lambda idea: idea.title)
@pytest.mark.parametrize("name", ["domain", "sms"])
def test_ideas_spend_no_more_than_the_budget(idea: Idea, name: str) -> None:
    population = load_population(name) if idea.majority is None else add_majority(load_population(name))
    gold = draw_gold(population, 50, "separate", 1, 0)[0]
    draw = split_population(population, gold, "separate")
    counts = count_gold(draw.gold, draw.gold_labels, draw.pool, "separate")
    below, above = split_by_idea(0.05, counts, idea)
    spent = dict(zip(counts.keys, below + above, strict=True))
    assert sum(spent.values()) <= 0.05 * (1 + 1e-12)


@pytest.mark.parametrize("shares", [(0.1,), (0.02, 0.5), (0.5, 0.2, 0.2)])
def test_betting_bound_holds_as_often_as_it_says(shares: tuple[float, ...]) -> None:
    """Populations of 0 and 1 and of values between; the bound is no wider than the range either."""
    rng = np.random.default_rng(3)
    n_trials, n_items, n_drawn, error = 600, 200, 60, 0.2
    population = rng.choice(len(shares) + 1, size=n_items, p=[1 - sum(shares), *shares]) / len(shares)
    draws = [rng.choice(population, n_drawn, replace=False) for _ in range(n_trials)]
    bounds = np.array([betting_upper_bound(values, n_items, error) for values in draws])
    assert (bounds < population.mean()).sum() <= binom.isf(FALSE_ALARM, n_trials, error)
    assert bounds.mean() < population.mean() + 0.25
