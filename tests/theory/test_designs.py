"""Gold that is not a plain random sample: each design's box holds the truth as often as it says.

All thresholds have a false-alarm rate of one in a million. Kills, tried once: eight times the error in each stratum;
all weights replaced by their mean; rates bounded without the deviation of the pool. Survives: the whole error in each
of two strata, whose coverage is above the level all the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import thumbwise as tw
from support.problems import item_moments, make_votes
from thumbwise.intervals import betting_bounds, realised_rate_bounds
from thumbwise.moments import build_moments, label_counts
from thumbwise.votes import Votes

N_TRIALS, LEVEL = 200, 0.8
ALLOWED = binom.ppf(1 - 1e-6, N_TRIALS, 1 - LEVEL)


def truth_of(box: tw.Box, pool: Votes, labels: np.ndarray) -> np.ndarray:
    return build_moments(box.builders, pool).averages(label_counts(pool, labels))


def test_strata_hold_though_hard_items_are_over_sampled() -> None:
    """Half of the gold comes from a small hard group; pretending that gold is a plain sample fails the same check."""
    misses = {"stratified": 0, "plain": 0}
    for seed in range(N_TRIALS):
        rng = np.random.default_rng(seed)
        labels, array = make_votes(rng, 400, 3, 2)
        hard = np.arange(400) < 80
        array[hard] = np.where(rng.random((80, 3)) < 0.8, 1 - labels[hard, None], array[hard])
        groups = np.where(hard, "hard", "easy")
        gold = np.concatenate([rng.choice(80, 40, replace=False), rng.choice(np.arange(80, 400), 40, replace=False)])
        pool = tw.Votes(array, n_classes=2, item_groups=groups)
        for name in misses:
            box = tw.Box.from_gold(
                pool.take(gold),
                labels[gold],
                pool=pool,
                gold_is="subset",
                confidence_level=LEVEL,
                stratified=name == "stratified",
            )
            misses[name] += not box.contains(truth_of(box, pool, labels))
    assert misses["stratified"] <= ALLOWED < misses["plain"]


def test_weights_hold_though_chances_differ() -> None:
    misses = {"weighted": 0, "plain": 0}
    for seed in range(N_TRIALS):
        rng = np.random.default_rng(seed)
        labels, array = make_votes(rng, 500, 3, 2)
        wrong = (array != labels[:, None]).any(axis=1)
        chances = np.where(wrong, 4.0, 1.0)
        chances /= chances.sum()
        gold = rng.choice(500, 150, p=chances)
        weights = 1 / (150 * chances)
        pool = tw.Votes(array, n_classes=2)
        options: dict[str, Any] = {"pool": pool, "confidence_level": LEVEL}
        weighted = tw.Box.from_gold(
            pool.take(gold), labels[gold], **options, weights=weights[gold], max_weight=float(weights.max())
        )
        plain = tw.Box.from_gold(pool.take(gold), labels[gold], **options)
        misses["weighted"] += not weighted.contains(truth_of(weighted, pool, labels))
        misses["plain"] += not plain.contains(truth_of(plain, pool, labels))
    assert misses["weighted"] <= ALLOWED < misses["plain"]


def test_class_balanced_gold_holds_with_frequencies_from_elsewhere() -> None:
    misses, informative = 0, 0
    for seed in range(N_TRIALS):
        rng = np.random.default_rng(seed)
        labels = (rng.random(2500) < 0.2).astype(np.int64)
        said = np.where(rng.random((2500, 2)) < [[0.9, 0.8]], labels[:, None], 1 - labels[:, None])
        said[rng.random((2500, 2)) < 0.2] = -1
        gold = np.concatenate([np.flatnonzero(labels == c)[:60] for c in (0, 1)])
        rest = np.setdiff1d(np.arange(2500), gold)
        pool, y = tw.Votes(said[rest], n_classes=2), labels[rest]
        share = y.mean()
        box = tw.Box.from_class_balanced_gold(
            tw.Votes(said[gold], n_classes=2),
            labels[gold],
            pool=pool,
            class_frequencies={0: (0.98 - share, 1.02 - share), 1: (share - 0.02, share + 0.02)},
            confidence_level=LEVEL,
        )
        misses += not box.contains(truth_of(box, pool, y))
        certificate = tw.BalsubramaniFreund().fit(pool, box=box).certificate_
        informative += certificate.log_loss_bound < 0.48  # the class frequencies alone give 0.5 and more
    assert misses <= ALLOWED
    assert informative == N_TRIALS


def test_frequencies_from_elsewhere_replace_those_of_gold() -> None:
    labels, array = make_votes(np.random.default_rng(0), 200, 3, 2)
    pool = tw.Votes(array, n_classes=2)
    gold = np.arange(50)
    plain = tw.Box.from_gold(pool.take(gold), labels[gold], pool=pool, gold_is="subset")
    box = tw.Box.from_gold(
        pool.take(gold), labels[gold], pool=pool, gold_is="subset", class_frequencies={1: (0.4, 0.6)}
    )
    np.testing.assert_array_equal((box.lower[3:], box.upper[3:]), [[0, 0.4], [1, 0.6]])
    assert (box.upper - box.lower)[:3].sum() < (plain.upper - plain.lower)[:3].sum(), "their error goes to the rules"
    assert "class frequencies lie where they are said to" in box.evidence.assumption


@pytest.mark.parametrize("level", [0.5, 0.9])
def test_betting_bounds_cover_the_mean(level: float) -> None:
    rng = np.random.default_rng(3)
    misses = 0
    for _ in range(500):
        values = rng.choice([0.0, 0.4, 3.0], p=[0.6, 0.3, 0.1], size=80)
        low, high = betting_bounds(values, 3.0, 1 - level)
        misses += not low <= 0.42 <= high
    assert misses <= binom.ppf(1 - 1e-6, 500, 1 - level)


def test_betting_bounds_narrow_with_more_values() -> None:
    values = np.tile([0.0, 0.0, 1.0], 300)
    widths = [np.diff(betting_bounds(values[:n], 1.0, 0.05))[0] for n in (30, 100, 300, 900)]
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.1


def test_realised_rates_are_covered() -> None:
    """With much gold and few items in the pool, the pool strays further from the chance than gold leaves open."""
    rng = np.random.default_rng(4)
    misses = 0
    for _ in range(1000):
        low, high = realised_rate_bounds(int(rng.binomial(1000, 0.85)), 1000, 25, 0.2)
        misses += not low <= rng.binomial(30, 0.85) / 30 <= high
    assert misses <= binom.ppf(1 - 1e-6, 1000, 0.2)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"weights": [1.0] * 49 + [-2.0], "max_weight": 5.0}, r"positive; found -2.0 at position 49 \(1 such"),
        ({"weights": [1.0] * 3, "max_weight": 5.0}, r"one weight per gold label; found shape \(3,\) for 50"),
        ({"weights": [1.0] * 50}, "max_weight"),
        ({"weights": [9.0] * 50, "max_weight": 5.0}, "exceed max_weight=5.0; found 9"),
        ({"stratified": True}, "item_groups"),
        ({"stratified": True, "weights": [1.0] * 50}, "strata and weights together"),
        ({"interval": "wilson", "stratified": True}, "have their own"),
        ({"class_frequencies": {7: (0.1, 0.2)}}, "name classes of the votes; found 7"),
        ({"symmetric": True}, 'belongs to interval="wilson"'),
    ],
)
def test_what_has_no_valid_interval_is_refused(options: dict[str, Any], said: str) -> None:
    labels, array = make_votes(np.random.default_rng(0), 200, 3, 2)
    pool = tw.Votes(array, n_classes=2)
    with pytest.raises(tw.ThumbwiseError, match=said):
        tw.Box.from_gold(pool.take(np.arange(50)), labels[:50], pool=pool, **options)


def test_gold_of_a_plain_sample_is_the_same_with_one_stratum() -> None:
    labels, array = make_votes(np.random.default_rng(1), 200, 3, 2)
    pool = tw.Votes(array, n_classes=2, item_groups=["all"] * 200)
    gold = np.arange(0, 200, 4)
    boxes = [
        tw.Box.from_gold(pool.take(gold), labels[gold], pool=pool, gold_is="subset", stratified=stratified)
        for stratified in (True, False)
    ]
    np.testing.assert_array_equal(boxes[0].lower, boxes[1].lower)
    np.testing.assert_array_equal(boxes[0].upper, boxes[1].upper)
    assert boxes[0].contains(item_moments(pool, np.eye(2)[labels])) == boxes[1].contains(
        item_moments(pool, np.eye(2)[labels])
    )
