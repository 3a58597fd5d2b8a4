"""Gold items of the pool keep their label, and the bound is about the others.

Kills, tried once: pinned items left in the masses; their contribution not taken off the bounds.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import thumbwise as tw
from support.problems import make_votes
from thumbwise.game.pinning import pose_pinned_problem
from thumbwise.metrics import log_loss
from thumbwise.numerics.solver import solve_dual


def draw(seed: int, n_gold: int = 60) -> tuple[tw.Votes, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels, array = make_votes(rng, 300, 5, 3)
    return tw.Votes(array, n_classes=3, item_ids=np.arange(1000, 1300)), labels, rng.choice(300, n_gold, replace=False)


def box_of(votes: tw.Votes, labels: np.ndarray, gold: np.ndarray, level: float = 0.95) -> tw.Box:
    return tw.Box.from_gold(
        votes.take(gold), labels[gold], pool=votes, gold_is="subset", opinions=(), confidence_level=level
    )


@pytest.mark.parametrize("seed", range(10))
def test_gold_items_have_their_label_and_others_do_not_change_with_ids(seed: int) -> None:
    votes, labels, gold = draw(seed)
    model = tw.BalsubramaniFreund().fit(votes, box=box_of(votes, labels, gold))
    proba = model.predict_proba(votes)
    np.testing.assert_array_equal(proba[gold], np.eye(3)[labels[gold]])
    np.testing.assert_array_equal(model.predict(votes)[gold], labels[gold])
    others = np.setdiff1d(np.arange(300), gold)
    np.testing.assert_array_equal(proba[others], model.predict_proba(votes.without_ids())[others])


@pytest.mark.parametrize("seed", range(10))
def test_pinning_tightens_the_bound_and_can_be_turned_off(seed: int) -> None:
    votes, labels, gold = draw(seed)
    box = box_of(votes, labels, gold)
    pinned = tw.BalsubramaniFreund().fit(votes, box=box).certificate_
    free = tw.BalsubramaniFreund(pin_gold=False).fit(votes, box=box).certificate_
    assert pinned.log_loss_bound_all < free.log_loss_bound
    assert pinned.log_loss_bound_all == pytest.approx(pinned.log_loss_bound * 240 / 300, abs=1e-12)
    assert free.log_loss_bound_all == free.log_loss_bound
    assert (pinned.n_known, free.n_known) == (60, 0)
    assert "the 240 of these 300 items without a gold label" in str(pinned)
    assert "without a gold label" not in str(free)


@pytest.mark.parametrize("seed", range(10))
def test_the_pinned_game_is_the_game_with_those_items_fixed(seed: int) -> None:
    """Fixing the label of an item by a rule that votes on it alone and is always right gives the same value.

    Each gold item gets such a rule; what remains free is the same, and the entropy of the fixed items is 0.
    """
    votes, labels, gold = draw(seed, n_gold=6)
    box = box_of(votes, labels, gold)
    value = solve_dual(pose_pinned_problem(votes, box, gold, labels[gold])).dual_value
    extra = np.full((300, 6), -1)
    extra[gold, np.arange(6)] = labels[gold]
    wider = tw.Votes(np.column_stack([votes.array, extra]), n_classes=3)
    lower = np.concatenate([box.lower[:5], np.ones(6), box.lower[5:]])
    upper = np.concatenate([box.upper[:5], np.ones(6), box.upper[5:]])
    fixed = tw.BalsubramaniFreund().fit(wider, box=tw.Box.from_bounds(wider, lower=lower, upper=upper))
    assert value * 294 / 300 == pytest.approx(fixed.certificate_.log_loss_bound, abs=1e-7)


def test_everything_known_leaves_no_loss() -> None:
    votes, labels, _ = draw(0)
    model = tw.BalsubramaniFreund().fit(votes, box=box_of(votes, labels, np.arange(300)))
    assert model.certificate_.log_loss_bound == 0
    np.testing.assert_array_equal(model.predict(votes), labels)


def test_bound_with_known_labels_holds_as_often_as_it_says() -> None:
    """False-alarm rate one in a million."""
    n_trials, misses = 120, 0
    for seed in range(n_trials):
        votes, labels, gold = draw(seed)
        model = tw.BalsubramaniFreund().fit(votes, box=box_of(votes, labels, gold, 0.8))
        others = np.setdiff1d(np.arange(300), gold)
        loss = log_loss(labels[others], model.predict_proba(votes)[others], clip=0)
        misses += loss > model.certificate_.log_loss_bound
    assert misses <= binom.ppf(1 - 1e-6, n_trials, 0.2)


def test_labels_given_with_ids_are_pinned_by_fit_too() -> None:
    votes, labels, gold = draw(1)
    y = np.full(300, -1)
    y[gold] = labels[gold]
    direct = tw.BalsubramaniFreund().fit(votes, y)
    box = tw.Box.from_gold(votes.take(gold), labels[gold], pool=votes, gold_is="subset")
    assert direct.certificate_ == tw.BalsubramaniFreund().fit(votes, box=box).certificate_


def test_without_ids_nothing_is_pinned() -> None:
    votes, labels, gold = draw(1)
    y = np.full(300, -1)
    y[gold] = labels[gold]
    assert tw.BalsubramaniFreund().fit(votes.without_ids(), y).certificate_.n_known == 0
