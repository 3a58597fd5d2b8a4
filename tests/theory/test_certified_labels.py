"""Certificates for labels of any model: the worst labeling in the box, by another program; never above the game's.

Kills, tried once: known items left among the units; costs of the unfloored probabilities; sizes of all items in place
of the open ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import thumbwise as tw
from thumbwise.exceptions import InfeasibleBoxError, InvalidBoxError
from thumbwise.game.certified import FLOOR, certify_labels, floored
from thumbwise.models.certified import CertifiedModel


def simulate(seed: int, n: int = 80, n_gold: int = 35, n_rules: int = 6, k: int = 2) -> tuple[tw.Votes, Any, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(k, size=n)
    wrong = (truth[:, None] + rng.integers(1, k, (n, n_rules))) % k
    votes = np.where(rng.random((n, n_rules)) < np.linspace(0.6, 0.9, n_rules), truth[:, None], wrong)
    votes[rng.random(votes.shape) < 0.2] = -1
    return tw.Votes(votes, n_classes=k, item_ids=np.arange(n)), truth, rng.permutation(n)[:n_gold]


def box_of(votes: tw.Votes, truth: Any, gold: Any) -> tw.Box:
    return tw.Box.from_gold(votes.take(gold), truth[gold], pool=votes, gold_is="subset")


def worst(proba: Any, votes: tw.Votes, box: tw.Box, gold: Any, truth: Any) -> float:
    """The largest mean loss on items without gold, item by item: a variable for each item and class."""
    n, k = proba.shape
    features = box.moments(votes).features[:].toarray().reshape(-1, k, len(box))[votes.inverse]
    sizes = box.moments(votes).sizes
    cells = features.reshape(n * k, len(box)).T
    limits = [(0.0, 1.0)] * (n * k)
    for item in gold:
        for c in range(k):
            limits[item * k + c] = (float(c == truth[item]),) * 2
    costs = -np.log(proba)
    costs[gold] = 0
    answer = linprog(
        -costs.ravel(),
        np.vstack([cells, -cells]),
        np.concatenate([sizes * box.upper, -sizes * box.lower]),
        np.kron(np.eye(n), np.ones(k)),
        np.ones(n),
        limits,
    )
    assert answer.fun is not None
    return float(-answer.fun / (n - len(gold)))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("k", [2, 3])
def test_the_bound_is_that_of_the_worst_labeling(seed: int, k: int) -> None:
    votes, truth, gold = simulate(seed, k=k)
    box = box_of(votes, truth, gold)
    assert "log loss(learned opinion)" in box.names
    for model in (tw.MajorityVote().fit(votes), tw.DawidSkene(prior_right=2, prior_wrong=1).fit(votes)):
        certified = CertifiedModel(model, box).fit(votes)
        proba = certified._predict_patterns(votes)[votes.inverse]
        expected = worst(proba, votes, box, gold, truth)
        assert certified.certificate_.log_loss_bound == pytest.approx(expected, abs=1e-6)
        assert certified.certificate_.n_known == len(gold)


@pytest.mark.parametrize("seed", range(3))
def test_it_is_never_above_what_the_game_proves(seed: int) -> None:
    votes, truth, gold = simulate(seed, n=300, n_gold=60)
    box = box_of(votes, truth, gold)
    for caution in (1.0, 0.3):
        model = tw.BalsubramaniFreund(caution=caution).fit(votes, box=box)
        again = certify_labels(model._predict_patterns(votes), votes, box)
        assert again.log_loss_bound <= model.certificate_.log_loss_bound + 1e-7
        assert again.entropy == pytest.approx(model.certificate_.entropy, abs=1e-9)
        assert again.box_violation == pytest.approx(model.certificate_.box_violation, abs=1e-9)
    assert again.baseline == model.certificate_.baseline


def test_it_holds_if_the_box_does() -> None:
    """The truth itself is in the exact box, so no model's loss on it exceeds its bound."""
    votes, truth, _ = simulate(0, n=300)
    box = tw.Box.exact(votes, truth)
    for model in (tw.MajorityVote().fit(votes), tw.DawidSkene().fit(votes), tw.EBCC(n_starts=2).fit(votes)):
        certified = CertifiedModel(model, box).fit(votes)
        loss = tw.metrics.log_loss(truth, certified.predict_proba(votes))
        assert loss <= certified.certificate_.log_loss_bound + 1e-9


def test_zeros_have_a_floor_and_other_probabilities_stay() -> None:
    proba = np.array([[1.0, 0.0, 0.0], [0.2, 0.3, 0.5]])
    np.testing.assert_allclose(floored(proba)[0], np.array([1 - FLOOR, FLOOR, FLOOR]) / (1 + FLOOR), rtol=1e-12)
    np.testing.assert_allclose(floored(proba)[1], proba[1], rtol=1e-15)


def test_gold_items_keep_their_label() -> None:
    votes, truth, gold = simulate(1)
    certified = CertifiedModel(tw.MajorityVote().fit(votes), box_of(votes, truth, gold)).fit(votes)
    np.testing.assert_array_equal(certified.predict(votes)[gold], truth[gold])
    np.testing.assert_array_equal(certified.predict_proba(votes)[gold, truth[gold]], 1)


def test_all_items_are_gold() -> None:
    votes, truth, _ = simulate(1, n=40)
    certificate = CertifiedModel(tw.MajorityVote().fit(votes), box_of(votes, truth, np.arange(40))).fit(votes)
    assert str(certificate.certificate_).startswith("All 40 items have a gold label")


def test_an_empty_box_is_refused_or_widened() -> None:
    votes = tw.Votes([[0, 1], [1, 0], [0, 1], [1, 0]], rule_names=["a", "b"])
    box = tw.Box.from_bounds(votes, {"a": (0.8, 1), "b": (0.8, 1)})
    model = tw.MajorityVote().fit(votes)
    with pytest.raises(InfeasibleBoxError, match=r"accuracy\(a\)"):
        CertifiedModel(model, box).fit(votes)
    certificate = CertifiedModel(model, box, on_infeasible="widen").fit(votes).certificate_
    assert not certificate.is_guarantee
    assert certificate.log_loss_bound == pytest.approx(np.log(2))


def test_a_box_of_other_votes_is_refused() -> None:
    votes, truth, gold = simulate(1)
    other, _, _ = simulate(2)
    with pytest.raises(InvalidBoxError, match="made for other votes"):
        CertifiedModel(tw.MajorityVote().fit(other), box_of(votes, truth, gold)).fit(other)
