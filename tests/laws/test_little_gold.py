"""Little gold, odd rules, many classes: with the defaults every item gets a label, and the bound is finite and holds.

Warnings are errors in these tests, so none of NumPy's is heard either.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import thumbwise as tw

from .problems import Floats
from .test_degenerate_rules import is_distribution

Ints = np.ndarray[Any, np.dtype[np.int64]]
N_ITEMS = 400


def make(seed: int, n_rules: int = 8, n_classes: int = 2, abstain: float = 0.3) -> tuple[Ints, Ints]:
    """Rules that are right on three items in four, and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_classes, size=N_ITEMS)
    size = (N_ITEMS, n_rules)
    other = (truth[:, None] + rng.integers(1, n_classes, size=size)) % n_classes
    array = np.where(rng.random(size) < 0.75, truth[:, None], other)
    array[rng.random(size) < abstain] = -1
    return array, truth


def losses(truth: Ints, proba: Floats) -> Floats:
    return np.asarray(-np.log(proba[np.arange(len(truth)), truth]))


def check(
    array: Ints, truth: Ints, gold: Ints, n_classes: int = 2, *, is_random: bool = True, **choices: Any
) -> tw.BalsubramaniFreund:
    """Fit with defaults to some gold, and look at what comes out."""
    votes = tw.Votes(array, n_classes=n_classes)
    y = np.full(len(truth), -1)
    y[gold] = truth[gold]
    model = tw.BalsubramaniFreund(**choices).fit(votes, y)
    proba, bound = model.predict_proba(votes), model.certificate_.log_loss_bound
    assert is_distribution(proba)
    assert set(model.predict(votes).tolist()) <= set(range(n_classes))
    assert len(model.predict(votes)) == len(truth)
    # Where nothing is proved, caution may give away 10 % more.
    assert 0 <= bound <= 1.1 * np.log(n_classes) + 1e-9
    assert np.isfinite(model.weights_).all()
    if is_random:
        assert losses(truth, proba).mean() <= bound + 1e-9
    return model


def draw(seed: int, n_gold: int) -> Ints:
    return np.random.default_rng([seed, n_gold]).choice(N_ITEMS, n_gold, replace=False)


@pytest.mark.parametrize("n_gold", [1, 2, 5, 29, 30, 31, 399, 400])
def test_any_number_of_labels(n_gold: int) -> None:
    array, truth = make(0)
    model = check(array, truth, draw(0, n_gold))
    assert ("log loss(learned opinion)" in model.box_.names) == (n_gold >= 30)
    # One label proves nothing, and the labels are then those of the majority.
    if n_gold == 1:
        assert not model.certificate_.proves_something
        assert (model.predict(tw.Votes(array, n_classes=2)) == truth).mean() > 0.8


@pytest.mark.parametrize("n_gold", [1, 5, 40])
@pytest.mark.parametrize("n_rules", [1, 2, 3, 4, 5])
def test_few_rules(n_rules: int, n_gold: int) -> None:
    array, truth = make(n_rules, n_rules)
    model = check(array, truth, draw(n_rules, n_gold))
    assert any("opinion" in name for name in model.box_.names) == (n_rules > 4)


@pytest.mark.parametrize("n_gold", [1, 5, 40])
def test_identical_rules_are_one(n_gold: int) -> None:
    array, truth = make(1)
    alone, eight = array[:, :1], np.repeat(array[:, :1], 8, axis=1)
    one, many = (check(votes, truth, draw(1, n_gold)) for votes in (alone, eight))
    assert not any("opinion" in name for name in many.box_.names)
    assert abs(one.certificate_.log_loss_bound - many.certificate_.log_loss_bound) < 1e-6


@pytest.mark.parametrize("n_gold", [1, 29, 40])
def test_a_rule_that_never_votes_changes_nothing(n_gold: int) -> None:
    array, truth = make(2)
    silent = np.column_stack([array, np.full(N_ITEMS, -1)])
    without, with_it = (check(votes, truth, draw(2, n_gold)) for votes in (array, silent))
    assert abs(without.certificate_.log_loss_bound - with_it.certificate_.log_loss_bound) < 1e-6


def test_four_rules_and_a_silent_one_are_four() -> None:
    array, truth = make(2)
    array[:, 4:] = -1
    assert not any("opinion" in name for name in check(array, truth, draw(2, 40)).box_.names)


@pytest.mark.parametrize("n_gold", [1, 29, 40])
def test_nobody_votes(n_gold: int) -> None:
    truth = make(3)[1]
    check(np.full((N_ITEMS, 8), -1), truth, draw(3, n_gold))


@pytest.mark.parametrize("opinions", ["majority", "panel", "learned", ["majority", "panel", "learned"]])
@pytest.mark.parametrize("n_rules", [0, 1])
def test_opinions_of_nobody_and_of_one(n_rules: int, opinions: Any) -> None:
    array, truth = make(4, 6)
    array[:, n_rules:] = -1
    votes, gold = tw.Votes(array, n_classes=2), draw(4, 60)
    box = tw.Box.from_gold(votes.take(gold), truth[gold], pool=votes, gold_is="subset", opinions=opinions)
    model = tw.BalsubramaniFreund().fit(votes, box=box)
    assert is_distribution(model.predict_proba(votes))
    most = 1.1 * np.log(2)  # what caution may cost where nothing is proved
    assert losses(truth, model.predict_proba(votes)).mean() <= model.certificate_.log_loss_bound <= most


@pytest.mark.parametrize("n_gold", [5, 40])
def test_items_without_votes(n_gold: int) -> None:
    array, truth = make(5)
    array[:150] = -1
    model = check(array, truth, draw(5, n_gold))
    silent = model.predict_proba(tw.Votes(array, n_classes=2))[:150]
    np.testing.assert_allclose(silent, silent[:1].repeat(150, axis=0), rtol=0, atol=1e-12)


def test_gold_without_votes() -> None:
    array, truth = make(6)
    array[:150] = -1
    check(array, truth, np.arange(60), is_random=False, on_infeasible="widen")


@pytest.mark.parametrize("n_gold", [1, 5, 29, 40])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_gold_of_one_class(n_classes: int, n_gold: int) -> None:
    array, truth = make(7, n_classes=n_classes)
    gold = np.flatnonzero(truth == 0)[:n_gold]
    model = check(array, truth, gold, n_classes, is_random=False, on_infeasible="widen")
    proba = model.predict_proba(tw.Votes(array, n_classes=n_classes))
    assert (proba > 0).all()


@pytest.mark.parametrize("n_gold", [5, 29, 40, 100])
@pytest.mark.parametrize("is_unanimous", [True, False])
def test_gold_of_one_pattern(n_gold: int, is_unanimous: bool) -> None:
    array, truth = make(8)
    array[:100] = 0
    if is_unanimous:
        truth[:100] = 0
    check(array, truth, np.arange(n_gold), is_random=False, on_infeasible="widen")


def test_one_pattern_everywhere() -> None:
    truth = (np.random.default_rng(9).random(N_ITEMS) < 0.3).astype(np.int64)
    check(np.zeros((N_ITEMS, 6), dtype=np.int64), truth, draw(9, 60))


@pytest.mark.parametrize("n_gold", [1, 2, 5, 29, 40])
@pytest.mark.parametrize("n_classes", [3, 5, 10, 29, 30])
def test_many_classes(n_classes: int, n_gold: int) -> None:
    array, truth = make(n_classes, n_classes=n_classes)
    check(array, truth, draw(n_classes, n_gold), n_classes)


def test_classes_that_nobody_mentions() -> None:
    array, truth = make(10)
    check(array, truth, draw(10, 60), 4)


@pytest.mark.parametrize("accuracy", [0.01, 0.99])
def test_rules_that_are_nearly_always_right_or_wrong(accuracy: float) -> None:
    rng = np.random.default_rng(11)
    truth = rng.integers(2, size=N_ITEMS)
    array = np.where(rng.random((N_ITEMS, 6)) < accuracy, truth[:, None], 1 - truth[:, None])
    model = check(array, truth, draw(11, 60))
    assert (model.predict(tw.Votes(array, n_classes=2)) == truth).mean() > 0.95


def test_many_more_rules_than_labels() -> None:
    array, truth = make(12, n_rules=300, abstain=0.9)
    check(array, truth, draw(12, 40))
