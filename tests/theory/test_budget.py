"""How the error is split: no more than is allowed, from votes and numbers of items alone.

Kills, tried once each: a part for each copy; the opinions' six tenths taken of all without the rest getting four; parts
for moments that expect fewer than three gold votes; sides that are exchanged; 95 % below for the class frequencies too;
a weight that is the coverage and not its root; few rules that count copies; the error of one side used for both.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, sqrt
from typing import Literal

import numpy as np
import pytest

import thumbwise as tw
from support.problems import FloatArray, IntArray, make_votes
from thumbwise.box.budget import even_errors, split_error
from thumbwise.box.gold import GoldCounts, count_gold
from thumbwise.box.moments.linear import MomentBuilder
from thumbwise.box.moments.standard import STANDARD
from thumbwise.box.opinions.opinion import Opinion, WeightedVote
from thumbwise.box.opinions.tiers import InTiers
from thumbwise.numerics.even_panel import even_log_odds, first_of_copies
from thumbwise.numerics.intervals import hypergeometric_sides

GoldIs = Literal["separate", "subset"]
ROLES: tuple[GoldIs, ...] = ("subset", "separate")


def panel_of(votes: tw.Votes) -> tuple[Opinion, ...]:
    counted = first_of_copies(votes.patterns)
    majority = WeightedVote("majority", votes.rule_names, counted)
    panel = WeightedVote("panel", votes.rule_names, even_log_odds(votes.patterns, counted))
    return (majority, panel, *InTiers("panel", 2).split(panel, votes.patterns))


def count(
    array: IntArray, labels: IntArray, gold: IntArray, n_classes: int, gold_is: GoldIs, *, opinions: bool = True
) -> GoldCounts:
    """Counts on gold; opinions are those of the whole population, as the library asks them."""
    votes = tw.Votes(array, n_classes=n_classes)
    pool = votes if gold_is == "subset" else votes.take(np.setdiff1d(np.arange(len(array)), gold))
    builders: tuple[MomentBuilder, ...] = (*STANDARD, *panel_of(votes)) if opinions else STANDARD
    return count_gold(votes.take(gold), labels[gold], pool, gold_is, builders)


def make_counts(seed: int, gold_is: GoldIs, *, opinions: bool = True) -> GoldCounts:
    rng = np.random.default_rng(seed)
    n_classes, n_rules = int(rng.integers(2, 5)), int(rng.integers(1, 9))
    labels, array = make_votes(rng, 200, n_rules, n_classes)
    array[rng.random(array.shape) < rng.choice([0.0, 0.95], n_rules)] = -1
    return count(array, labels, rng.permutation(200)[:40], n_classes, gold_is, opinions=opinions)


def spent(errors: FloatArray, counts: GoldCounts) -> float:
    """What distinct moments get, each once."""
    return float(sum(dict(zip(counts.keys, errors.sum(axis=0).tolist(), strict=True)).values()))


@pytest.mark.parametrize("gold_is", ROLES)
@pytest.mark.parametrize("opinions", [True, False])
@pytest.mark.parametrize("seed", range(20))
def test_distinct_moments_spend_all_of_it_and_no_more(seed: int, opinions: bool, gold_is: GoldIs) -> None:
    counts = make_counts(seed, gold_is, opinions=opinions)
    for error in (0.2, 0.05, 1e-6):
        errors = split_error(error, counts)
        assert errors.shape == (2, len(counts.about))
        assert (errors >= 0).all()
        assert spent(errors, counts) == pytest.approx(error, rel=1e-12)
        assert spent(errors, counts) <= error * (1 + 1e-12)


@pytest.mark.parametrize("gold_is", ROLES)
@pytest.mark.parametrize("seed", range(20))
def test_parts_by_a_loop_over_the_moments(seed: int, gold_is: GoldIs) -> None:
    counts = make_counts(seed, gold_is)
    seen: set[object] = set()
    weights: list[float] = []
    kinds = [about.kind for about in counts.about]
    rules = {
        key for key, kind, n in zip(counts.keys, kinds, counts.expected, strict=True) if kind == "accuracy" and n >= 3
    }
    classes = {key for key, kind in zip(counts.keys, kinds, strict=True) if kind == "frequency"}
    most = max(counts.expected)
    for key, kind, expected in zip(counts.keys, kinds, counts.expected, strict=True):
        weight = sqrt(expected / most) if expected >= 3 else 0.0
        if kind == "frequency":
            weight = (0.6 if len(rules) <= 4 else 0.3) / len(classes)
        weights.append(0.0 if key in seen else weight)
        seen.add(key)
    of_opinions = sum(w for w, kind in zip(weights, kinds, strict=True) if kind == "opinion")
    of_others = sum(weights) - of_opinions
    whole: dict[object, float] = {}
    for key, kind, weight in zip(counts.keys, kinds, weights, strict=True):
        share = 0.6 * weight / of_opinions if kind == "opinion" and of_opinions else weight
        if kind != "opinion":
            share = (0.4 if of_opinions else 1.0) * weight / of_others
        whole[key] = max(whole.get(key, 0.0), 0.05 * share)
    for m, (key, kind) in enumerate(zip(counts.keys, kinds, strict=True)):
        below = 0.5 if kind == "frequency" else 0.95
        expected_parts = [below * whole[key], (1 - below) * whole[key]]
        np.testing.assert_allclose(split_error(0.05, counts)[:, m], expected_parts, rtol=1e-9, atol=1e-18)


def test_the_loop_saw_every_case() -> None:
    """Few rules and many, moments without a part, copies, opinions."""
    every = [make_counts(seed, "subset") for seed in range(20)]
    assert {sum(a.kind == "accuracy" for a in c.about) <= 4 for c in every} == {True, False}
    assert any(len(set(c.keys)) < len(c.keys) for c in every)
    assert any((split_error(0.05, c) == 0).any() for c in every)
    assert all("opinion" in {a.kind for a in c.about} for c in every)


@pytest.mark.parametrize("gold_is", ROLES)
def test_neither_labels_nor_which_items_are_gold_matter(gold_is: GoldIs) -> None:
    rng = np.random.default_rng(1)
    labels, array = make_votes(rng, 300, 7, 3)
    first = split_error(0.05, count(array, labels, np.arange(50), 3, gold_is))
    for _ in range(5):
        gold, shuffled = rng.permutation(300)[:50], rng.permutation(labels)
        np.testing.assert_array_equal(split_error(0.05, count(array, shuffled, gold, 3, gold_is)), first)


@pytest.mark.parametrize("gold_is", ROLES)
@pytest.mark.parametrize("opinions", [True, False])
@pytest.mark.parametrize("n_rules", [3, 4, 5, 8])
def test_copies_change_nothing(n_rules: int, opinions: bool, gold_is: GoldIs) -> None:
    rng = np.random.default_rng(n_rules)
    labels, array = make_votes(rng, 300, n_rules, 2)
    array[:, -1] = rng.integers(2, size=300)
    gold = rng.permutation(300)[:50]
    alone = split_error(0.05, count(array, labels, gold, 2, gold_is, opinions=opinions))
    copies = array[:, [0, 1, 1, *range(n_rules), 0]]
    among = split_error(0.05, count(copies, labels, gold, 2, gold_is, opinions=opinions))
    places = [3 + j for j in range(n_rules)] + [n_rules + 4 + m for m in range(alone.shape[1] - n_rules)]
    np.testing.assert_allclose(among[:, places], alone, rtol=1e-12)
    np.testing.assert_array_equal(among[:, [0, 1, 2]], among[:, [3, 4, 4]])


def test_without_a_joint_claim_each_has_all_of_it() -> None:
    np.testing.assert_array_equal(even_errors(0.1, 3), np.full((2, 3), 0.05))


def at_least(right: int, drawn: int, population: int, good: int) -> Fraction:
    """P(X >= right), by adding up."""
    ways = sum(comb(good, x) * comb(population - good, drawn - x) for x in range(right, drawn + 1))
    return Fraction(ways, comb(population, drawn))


@pytest.mark.parametrize("seed", range(4))
def test_sides_have_the_errors_they_are_given(seed: int) -> None:
    """The fewest right ones that make what was seen likelier than ``below``; the most, than ``above``."""
    rng = np.random.default_rng(seed)
    for _ in range(25):
        population = int(rng.integers(1, 40))
        drawn = int(rng.integers(0, population + 1))
        right = int(rng.integers(0, drawn + 1))
        below, above = rng.choice([0.0, 1e-6, 0.0025, 0.0475, 0.3], 2)
        fewest, most = (int(side) for side in hypergeometric_sides(right, drawn, population, below, above))
        possible = range(right, population - (drawn - right) + 1)
        lows = [good for good in possible if at_least(right, drawn, population, good) > below]
        highs = [good for good in possible if at_least(drawn - right, drawn, population, population - good) > above]
        assert fewest == (min(lows) if below > 0 else right)
        assert most == (max(highs) if above > 0 else population - (drawn - right))


@pytest.mark.parametrize("good", [0, 7, 18, 30])
def test_each_side_fails_no_more_often_than_allowed(good: int) -> None:
    """Over all draws of 12 out of 30, in whole numbers."""
    for below, above in ((0.0475, 0.0025), (0.0025, 0.0475), (0.2, 0.01)):
        misses = [Fraction(0), Fraction(0)]
        for right in range(max(0, 12 - (30 - good)), min(12, good) + 1):
            chance = Fraction(comb(good, right) * comb(30 - good, 12 - right), comb(30, 12))
            fewest, most = hypergeometric_sides(right, 12, 30, below, above)
            misses[0] += chance * bool(fewest > good)
            misses[1] += chance * bool(most < good)
        assert misses[0] <= below
        assert misses[1] <= above
