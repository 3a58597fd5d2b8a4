"""The study of triage on made-up items: it judges item by item, accepts what triage accepts, and few draws fail."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom
from studies.drawing import Population
from studies.triage import (
    Draw,
    Items,
    accept,
    compare_with_triage,
    hold_out,
    judge,
    of_budget,
    of_recall,
    oracle,
    row_of_others,
    row_of_precision,
)

import thumbwise as tw
from thumbwise.assess.accepting.targets import Targets

N_DRAWS = 40


@pytest.fixture(scope="module")
def draws() -> list[Draw]:
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=900)
    array = np.where(rng.random((900, 4)) < [0.9, 0.8, 0.75, 0.7], truth[:, None], 1 - truth[:, None])
    array[rng.random((900, 4)) < 0.3] = -1
    items = Items(Population("made", tw.Votes(array, n_classes=2), truth))
    return [Draw.of(items, rng.choice(900, 150, replace=False)) for _ in range(N_DRAWS)]


def test_judged_by_item(draws: list[Draw]) -> None:
    for draw in draws[:5]:
        votes, truth = draw.items.population.votes, draw.items.population.labels
        for taken in (accept(draw.ranked, Targets({None: 0.85}, {})), hold_out(draw, 0.7), oracle(draw, 0.9)):
            is_gold = np.isin(np.arange(900), draw.gold)
            by_rule = taken[votes.inverse]
            wrong = by_rule & ~is_gold & (draw.ranked.proposed[votes.inverse] != truth)
            kept = judge(draw, taken, 0.85)
            assert kept.share == pytest.approx((by_rule | is_gold).mean())
            assert kept.holds == (wrong.sum() <= 0.15 * by_rule.sum() + 1e-9)


def test_it_accepts_what_triage_accepts(draws: list[Draw]) -> None:
    compare_with_triage(draws[0].items, draws[0].gold)


def test_few_draws_fail_and_the_oracle_accepts_most(draws: list[Draw]) -> None:
    """A false alarm has a chance of one in a million for each of the three."""
    most = binom.ppf(1 - 1e-6, N_DRAWS, 0.05)
    row = row_of_precision(draws, [draw.halved() for draw in draws], 0.85, 0)
    assert int(row[2]) <= most
    assert float(row[4]) >= float(row[5]) > float(row[7]), "oracle, triage, hold-out"
    others = row_of_others(draws)
    assert max(int(others[1]), int(others[2])) <= most
    assert float(others[4]) < float(others[5])
    assert all(judge(draw, oracle(draw, 0.85), 0.85).holds for draw in draws)
    assert all(of_recall(draw).share > 0 and of_budget(draw, 0)[0] > 0 for draw in draws[:3])
