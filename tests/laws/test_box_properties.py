"""What must hold for every box, whatever the votes and the gold."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from thumbwise import Box, Votes
from thumbwise.numerics.intervals import hypergeometric_sides

from .problems import Ints, moments_of, one_hot

GoldIs = Literal["subset", "separate"]
RECIPES = [("exact", False), ("wilson", False), ("wilson", True)]
unhurried = settings(deadline=None, derandomize=True, max_examples=40)


@st.composite
def labeled_votes(draw: st.DrawFn, max_items: int = 14, max_rules: int = 4) -> tuple[Votes, Ints, Ints]:
    """Votes, all true labels, and the positions of at least one gold item."""
    k = draw(st.integers(2, 4))
    n_items, n_rules = draw(st.integers(1, max_items)), draw(st.integers(1, max_rules))
    array = draw(hnp.arrays(np.int64, (n_items, n_rules), elements=st.integers(-1, k - 1)))
    truth = draw(hnp.arrays(np.int64, n_items, elements=st.integers(0, k - 1)))
    gold = draw(st.lists(st.integers(0, n_items - 1), min_size=1, max_size=n_items, unique=True))
    return Votes(array, n_classes=k), truth, np.array(gold)


gold_kinds = st.sampled_from(["subset", "separate"])


def gold_box(votes: Votes, truth: Ints, gold: Ints, gold_is: GoldIs = "subset", **options: Any) -> Box:
    return Box.from_gold(votes.take(gold), truth[gold], pool=votes, gold_is=gold_is, **options)


@unhurried
@given(labeled_votes(), gold_kinds, st.sampled_from(RECIPES), st.booleans(), st.floats(0.01, 0.99))
def test_intervals_are_intervals_of_shares(
    problem: tuple[Votes, Ints, Ints], gold_is: GoldIs, recipe: tuple[str, bool], joint: bool, level: float
) -> None:
    votes, truth, gold = problem
    interval, symmetric = recipe
    options = {"interval": interval, "symmetric": symmetric, "joint": joint, "confidence_level": level}
    box = gold_box(votes, truth, gold, gold_is, **options)
    assert len(box) == votes.n_rules + votes.n_classes
    assert (box.lower >= 0).all()
    assert (box.lower <= box.upper).all()
    assert (box.upper <= 1).all()
    assert box.evidence.is_guarantee == (interval == "exact" and joint)


@unhurried
@given(labeled_votes())
def test_exact_box_is_the_moments_of_the_truth(problem: tuple[Votes, Ints, Ints]) -> None:
    votes, truth, _ = problem
    box = Box.exact(votes, truth)
    voted = np.append((votes.array >= 0).any(axis=0), np.ones(votes.n_classes, dtype=bool))
    values = moments_of(votes.array, one_hot(truth, votes.n_classes))
    np.testing.assert_allclose(box.lower[voted], values[voted], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(box.lower[voted], box.upper[voted])
    assert (box.lower[~voted] == 0).all()
    assert (box.upper[~voted] == 1).all()
    soft = Box.exact(votes, one_hot(truth, votes.n_classes))
    np.testing.assert_allclose(soft.lower, box.lower, rtol=0, atol=1e-12)


@unhurried
@given(labeled_votes(), st.floats(0.01, 0.999))
def test_gold_for_everything_is_the_truth_at_every_confidence(problem: tuple[Votes, Ints, Ints], level: float) -> None:
    votes, truth, _ = problem
    known, exact = gold_box(votes, truth, np.arange(len(votes)), confidence_level=level), Box.exact(votes, truth)
    np.testing.assert_allclose(known.lower, exact.lower, rtol=0, atol=1e-12)
    np.testing.assert_allclose(known.upper, exact.upper, rtol=0, atol=1e-12)


@unhurried
@given(labeled_votes(), gold_kinds, st.floats(0.05, 0.9), st.floats(0.001, 0.09))
def test_more_confidence_is_never_narrower(
    problem: tuple[Votes, Ints, Ints], gold_is: GoldIs, level: float, more: float
) -> None:
    less, sure = (gold_box(*problem, gold_is, confidence_level=value) for value in (level, level + more))
    assert (sure.lower <= less.lower).all()
    assert (sure.upper >= less.upper).all()


@unhurried
@given(labeled_votes(), gold_kinds, st.randoms(use_true_random=False))
def test_order_of_gold_and_pool_is_irrelevant(problem: tuple[Votes, Ints, Ints], gold_is: GoldIs, random: Any) -> None:
    votes, truth, gold = problem
    shuffled = np.array(random.sample(gold.tolist(), len(gold)))
    items = np.array(random.sample(range(len(votes)), len(votes)))
    here = gold_box(votes, truth, gold, gold_is)
    there = Box.from_gold(votes.take(shuffled), truth[shuffled], pool=votes.take(items), gold_is=gold_is)
    np.testing.assert_array_equal(here.lower, there.lower)
    np.testing.assert_array_equal(here.upper, there.upper)
    assert here.evidence == there.evidence


@unhurried
@given(labeled_votes(), gold_kinds, st.integers(0, 3))
def test_a_copy_of_a_rule_costs_nothing(problem: tuple[Votes, Ints, Ints], gold_is: GoldIs, rule: int) -> None:
    votes, truth, gold = problem
    rule %= votes.n_rules
    wide = Votes(np.hstack([votes.array, votes.array[:, [rule]]]), n_classes=votes.n_classes)
    once, twice = gold_box(votes, truth, gold, gold_is), gold_box(wide, truth, gold, gold_is)
    keep = np.delete(np.arange(len(twice)), votes.n_rules)
    np.testing.assert_array_equal(twice.lower[keep], once.lower)
    np.testing.assert_array_equal(twice.upper[keep], once.upper)
    assert twice.lower[votes.n_rules] == once.lower[rule]
    assert twice.upper[votes.n_rules] == once.upper[rule]


@unhurried
@given(labeled_votes(), gold_kinds)
def test_a_rule_that_never_votes_costs_nothing(problem: tuple[Votes, Ints, Ints], gold_is: GoldIs) -> None:
    votes, truth, gold = problem
    wide = Votes(np.insert(votes.array, 0, -1, axis=1), n_classes=votes.n_classes)
    once, more = gold_box(votes, truth, gold, gold_is), gold_box(wide, truth, gold, gold_is)
    np.testing.assert_array_equal(more.lower, np.r_[0, once.lower])
    np.testing.assert_array_equal(more.upper, np.r_[1, once.upper])


@unhurried
@given(labeled_votes(), st.floats(0.01, 0.999))
def test_known_labels_are_never_contradicted(problem: tuple[Votes, Ints, Ints], level: float) -> None:
    """Gold inside the pool: what is right there is right in the pool, what is wrong is wrong, at every confidence."""
    votes, truth, gold = problem
    box = gold_box(votes, truth, gold, confidence_level=level)
    is_gold = np.isin(np.arange(len(votes)), gold)
    for rule in range(votes.n_rules):
        column = votes.array[:, rule]
        n_votes = max(1, int((column >= 0).sum()))
        right = int((is_gold & (column == truth)).sum())
        wrong = int((is_gold & (column >= 0) & (column != truth)).sum())
        assert box.lower[rule] >= right / n_votes - 1e-12 or not (column >= 0).any()
        assert box.upper[rule] <= 1 - wrong / n_votes + 1e-12 or not (column >= 0).any()
        assert box.gold_right is not None
        assert box.gold_right[rule] == right
    for c in range(votes.n_classes):
        assert box.lower[votes.n_rules + c] >= (truth[gold] == c).sum() / len(votes) - 1e-12
        assert box.upper[votes.n_rules + c] <= 1 - (truth[gold] != c).sum() / len(votes) + 1e-12


@unhurried
@given(labeled_votes(), gold_kinds)
def test_a_class_that_gold_never_shows_may_be_absent(problem: tuple[Votes, Ints, Ints], gold_is: GoldIs) -> None:
    votes, truth, gold = problem
    box = gold_box(votes, truth, gold, gold_is)
    for c in set(range(votes.n_classes)) - set(truth[gold].tolist()):
        assert box.lower[votes.n_rules + c] == 0


@unhurried
@given(labeled_votes())
def test_numbers_written_by_array_mapping_pairs_and_frame_agree(problem: tuple[Votes, Ints, Ints]) -> None:
    import polars as pl

    votes, truth, gold = problem
    box = gold_box(votes, truth, gold)
    lower, upper = (dict(zip(box.names, bound.tolist(), strict=True)) for bound in (box.lower, box.upper))
    frame = pl.DataFrame({"name": box.names, "lower": box.lower, "upper": box.upper})
    pairs = {name: (lower[name], upper[name]) for name in box.names}
    for other in (
        Box.from_bounds(votes, lower=box.lower, upper=box.upper),
        Box.from_bounds(votes, lower=lower, upper=upper),
        Box.from_bounds(votes, pairs),
        Box.from_bounds(votes, frame),
        Box.from_bounds(votes, frame.to_pandas()),
    ):
        np.testing.assert_array_equal(other.lower, box.lower)
        np.testing.assert_array_equal(other.upper, box.upper)


def test_more_gold_narrows_the_box() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 2000)
    array = np.where(rng.random((2000, 4)) < 0.8, truth[:, None], 1 - truth[:, None])
    votes = Votes(array)
    widths = [
        np.mean(box.upper - box.lower)
        for box in (gold_box(votes, truth, np.arange(n)) for n in (25, 100, 400, 1600, 2000))
    ]
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] == 0


def test_rules_too_rare_for_gold_leave_the_budget_to_the_others() -> None:
    """A rule that votes once in 1,000 items expects no vote among 100 gold items: it gets [0, 1] and costs nothing."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 1000)
    common = np.where(rng.random((1000, 2)) < 0.8, truth[:, None], 1 - truth[:, None])
    rare = np.full((1000, 30), -1)
    rare[np.arange(500, 530), np.arange(30)] = 1
    gold = np.arange(100)
    alone = gold_box(Votes(common), truth, gold)
    with_rare = gold_box(Votes(np.hstack([common, rare])), truth, gold, opinions=())
    np.testing.assert_array_equal(with_rare.lower[[0, 1, -2, -1]], alone.lower)
    np.testing.assert_array_equal(with_rare.upper[[0, 1, -2, -1]], alone.upper)
    assert (with_rare.upper[2:32] - with_rare.lower[2:32] == 1).all()


@pytest.mark.parametrize("k", [2, 3])
def test_the_budget_is_split_over_distinct_moments(k: int) -> None:
    """Five distinct rules of full coverage, one of them twice, weigh 1, the class frequencies together 0.3.

    With two classes one frequency fixes the other. Of a rule's part, 95 % is below.
    """
    rng = np.random.default_rng(k)
    votes = Votes(rng.integers(0, k, (200, 5))[:, [0, 1, 1, 2, 3, 4]], n_classes=k)
    truth = rng.integers(0, k, 200)
    gold = np.arange(60)
    of_class = 0.3 / (1 if k == 2 else k)
    below, above = (np.array([*[part] * 6, *[of_class / 2] * k]) * 0.05 / 5.3 for part in (0.95, 0.05))
    right = [*(votes.array[gold] == truth[gold, None]).sum(axis=0), *np.bincount(truth[gold], minlength=k)]
    fewest, most = hypergeometric_sides(right, 60, 200, below, above)
    box = gold_box(votes, truth, gold, confidence_level=0.95, opinions=())
    np.testing.assert_allclose(box.lower, fewest / 200, rtol=0, atol=1e-12)
    np.testing.assert_allclose(box.upper, most / 200, rtol=0, atol=1e-12)
