"""A constant rule, an infallible one, one that votes once, a class that gold lacks: no NaN, no crash, no silent 0.5."""

from __future__ import annotations

import numpy as np
import pytest

from thumbwise import BalsubramaniFreund, Box, DawidSkene, Votes

from .problems import Floats, moments_of, random_votes


def is_distribution(proba: Floats) -> bool:
    return bool(np.isfinite(proba).all() and (proba >= 0).all() and np.abs(proba.sum(axis=1) - 1).max() < 1e-12)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("column", ["constant", "infallible", "always wrong", "votes once"])
@pytest.mark.filterwarnings("ignore::thumbwise.exceptions.DegenerateFitWarning")
def test_odd_rules_with_exact_moments(k: int, column: str) -> None:
    rng = np.random.default_rng(k)
    votes, truth = random_votes(rng, 120, 3, k)
    odd = {
        "constant": np.zeros(120, dtype=np.int64),
        "infallible": truth,
        "always wrong": (truth + 1) % k,
        "votes once": np.where(np.arange(120) == 7, truth, -1),
    }[column]
    wide = Votes(np.column_stack([votes.array, odd]), n_classes=k)
    box = Box.exact(wide, truth)
    proba = BalsubramaniFreund().fit(wide, box=box).predict_proba(wide)
    assert is_distribution(proba)
    np.testing.assert_allclose(moments_of(wide.array, proba), box.lower, rtol=0, atol=1e-6)
    if column == "infallible":
        np.testing.assert_allclose(proba[np.arange(120), truth], 1, rtol=0, atol=1e-6)
    assert is_distribution(DawidSkene().fit(wide).predict_proba(wide))


@pytest.mark.parametrize("gold_is", ["subset", "separate"])
def test_a_class_that_gold_never_shows_stays_possible(gold_is: str) -> None:
    rng = np.random.default_rng(0)
    votes, truth = random_votes(rng, 300, 4, 3, abstain=0.2)
    gold = np.flatnonzero(truth != 2)[:40]
    box = Box.from_gold(votes.take(gold), truth[gold], pool=votes, gold_is=gold_is)  # type: ignore[arg-type]
    unseen = box.names.index("frequency(2)")
    assert box.lower[unseen] == 0
    assert box.upper[unseen] > 0
    model = BalsubramaniFreund(on_infeasible="widen").fit(votes, box=box)
    assert is_distribution(model.predict_proba(votes))
    assert (model.predict_proba(votes)[:, 2] > 0).all()


def test_a_rule_without_votes_on_gold_is_not_believed() -> None:
    rng = np.random.default_rng(2)
    votes, truth = random_votes(rng, 200, 3, 2, abstain=0)
    gold = np.arange(200) < 50
    array = np.array(votes.array)
    array[gold, 1] = -1
    pool = Votes(array)
    box = Box.from_gold(pool.take(gold), truth[gold], pool=pool, gold_is="subset")
    bounds = box.lower[1], box.upper[1]
    assert bounds == (0, 1)
    assert BalsubramaniFreund().fit(pool, box=box).weights_[1] == 0


def test_two_rules_that_always_contradict_each_other() -> None:
    votes = Votes([[0, 1], [1, 0]] * 30)
    model = BalsubramaniFreund().fit(votes, box=Box.from_bounds(votes, {"rule_0": (0.7, 0.7), "rule_1": (0.3, 0.3)}))
    np.testing.assert_allclose(model.predict_proba([[0, 1], [1, 0]]), [[0.7, 0.3], [0.3, 0.7]], rtol=0, atol=1e-8)


def test_one_item() -> None:
    votes = Votes([[0, -1, 1]], n_classes=3)
    proba = BalsubramaniFreund().fit(votes, box=Box.from_bounds(votes, {"rule_0": (0.6, 0.8)})).predict_proba(votes)
    np.testing.assert_allclose(proba, [[0.6, 0.2, 0.2]], rtol=0, atol=1e-8)
