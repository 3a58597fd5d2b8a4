"""Query first: models that are asked about get most of the error, and their interval is that of what they get.

Kills, tried once: all of the error for the models and the rest of the box at its level too (the level would be false).
"""

from __future__ import annotations

import numpy as np
import pytest

import thumbwise as tw
from thumbwise.box.query import asked_first
from thumbwise.game.models_as_rules import FOR_MODELS, box_with_models
from thumbwise.numerics.intervals import hypergeometric_bounds

N, N_GOLD, N_DRAWS = 400, 60, 80


def _case(seed: int) -> tuple[tw.Reading, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, N)
    array = np.where(rng.random((N, 6)) < 0.75, truth[:, None], 1 - truth[:, None])
    model = np.where(rng.random(N) < 0.85, truth, 1 - truth)
    gold = np.full(N, -1)
    drawn = rng.choice(N, N_GOLD, replace=False)
    gold[drawn] = truth[drawn]
    return tw.Reading(tw.Votes(array, n_classes=2), gold), model, truth


def test_the_interval_of_the_model_is_exact_at_nine_tenths_of_the_error() -> None:
    reading, model, truth = _case(0)
    pool, box = box_with_models(reading, [model], confidence_level=0.95)
    place = box.names.index("accuracy(predictions)")
    gold = reading.gold >= 0
    fewest, most = hypergeometric_bounds(int((model == truth)[gold].sum()), N_GOLD, N, FOR_MODELS * 0.05)
    assert box.lower[place] == pytest.approx(fewest / N, abs=1e-12)
    assert box.upper[place] == pytest.approx(most / N, abs=1e-12)
    assert box.evidence.confidence_level == 0.95
    assert pool.n_rules == 7


def test_the_rest_of_the_box_is_that_of_a_tenth_of_the_error() -> None:
    reading, model, _ = _case(1)
    pool, box = box_with_models(reading, [model], confidence_level=0.95)
    plain = tw.Reading(pool, reading.gold).box(confidence_level=1 - 0.1 * 0.05)
    others = [i for i, name in enumerate(box.names) if name != "accuracy(predictions)"]
    np.testing.assert_allclose(box.lower[others], plain.lower[others], atol=1e-12)
    np.testing.assert_allclose(box.upper[others], plain.upper[others], atol=1e-12)


def test_a_range_is_hardly_wider_than_the_plain_interval() -> None:
    ratios = []
    for seed in range(8):
        reading, model, truth = _case(seed)
        certified = tw.certify(model, reading, gold_unseen=True)
        gold = reading.gold >= 0
        fewest, most = hypergeometric_bounds(int((model == truth)[gold].sum()), N_GOLD, N, 0.05)
        ratios.append((certified.upper - certified.lower) * N / (most - fewest))
    assert np.mean(ratios) < 1.06


def test_the_truth_lies_in_the_box() -> None:
    """At 80 %, at most a fifth of 80 draws may miss; 27 or more would be chance once in 300 tries."""
    misses = 0
    for seed in range(N_DRAWS):
        reading, model, truth = _case(seed)
        pool, box = box_with_models(reading, [model], confidence_level=0.8)
        misses += not box.holds(pool, truth)
    assert misses < 27


def test_a_box_without_gold_stays_as_it_is() -> None:
    votes = tw.Votes([[0, 0], [1, 1], [1, 0], [1, -1]], rule_names=["a", "b"])
    box = tw.Box.from_bounds(votes, {"a": (0.75, 1)})
    assert asked_first(box, ["a"], 0.9) is box
