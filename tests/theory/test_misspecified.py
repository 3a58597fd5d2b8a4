"""Where Dawid-Skene stops getting closer to the best approximator with more items, and BF does not."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from studies.misspecified import FREQUENCIES, KINDS, METHODS, ONE_COIN, Setting, measure, predict_all

from thumbwise.metrics import kl_sum, log_loss

BF, TRUE, EM = ONE_COIN
SMALL, LARGE, N_DRAWS = 3_000, 30_000, 3


@cache
def means(kind: str, n_items: int) -> dict[str, tuple[float, float]]:
    """Distances to the truth and to the best approximator."""
    found = [measure(Setting(kind, n_items, draw), seed=7) for draw in range(N_DRAWS)]
    values = np.mean([[answer[method][:2] for method in METHODS] for answer in found], axis=0)
    return {
        method: (float(to_truth), float(to_best)) for method, (to_truth, to_best) in zip(METHODS, values, strict=True)
    }


@pytest.mark.parametrize(("kind", "floor"), [("shared errors", 0.06), ("copies", 0.06), ("unequal classes", 0.012)])
def test_dawid_skene_has_a_floor_that_items_do_not_lower(kind: str, floor: float) -> None:
    """With true parameters 0.13, 0.13 and 0.03 at both sizes; with EM ten times that."""
    small, large = means(kind, SMALL), means(kind, LARGE)
    assert large[TRUE][1] > floor
    assert large[TRUE][1] > 0.7 * small[TRUE][1]
    assert large[EM][1] > 3 * floor


@pytest.mark.parametrize("kind", KINDS)
def test_bf_approaches_the_best_approximator_as_gold_grows(kind: str) -> None:
    """Ten times the items and the gold: 0.07 to 0.12, then 0.014 to 0.026."""
    small, large = means(kind, SMALL), means(kind, LARGE)
    assert small[BF][1] > 2.5 * large[BF][1]
    assert large[BF][1] < 0.05


def test_dawid_skene_converges_where_its_model_holds() -> None:
    small, large = means("one coin", SMALL), means("one coin", LARGE)
    for method in (TRUE, EM):
        assert small[method][1] > 3 * large[method][1]
        assert large[method][0] < 0.001 < large[BF][0]  # and is then much better than BF


@pytest.mark.parametrize("kind", ["shared errors", "unequal, abstaining"])
def test_the_best_approximator_has_a_floor_of_its_own(kind: str) -> None:
    assert 0.01 < means(kind, LARGE)["best approximator"][0] < 0.03


@pytest.mark.parametrize("kind", ["one coin", "copies", "unequal classes"])
def test_the_truth_is_a_sum_over_votes_and_within_reach(kind: str) -> None:
    """Two classes, no abstentions: log-odds of the truth are a constant plus a number for each vote."""
    assert means(kind, LARGE)["best approximator"][0] < 0.0005


@pytest.mark.parametrize("kind", KINDS)
def test_the_distance_to_the_best_approximator_is_an_excess_of_loss(kind: str) -> None:
    measured = measure(Setting(kind, 2_000, draw=1), seed=2)
    made = KINDS[kind](2_000, class_frequencies=FREQUENCIES, random_state=2 + 1)
    predictions, _ = predict_all(made, np.random.default_rng([2, 1, 2_000]))
    best = log_loss(made.labels, predictions["best approximator"])
    for method in ONE_COIN:
        excess = log_loss(made.labels, predictions[method]) - best
        assert measured[method][1] == pytest.approx(excess, abs=1e-6)
        assert measured[method][0] == pytest.approx(kl_sum(made.proba, predictions[method]) / 2_000, abs=1e-9)
