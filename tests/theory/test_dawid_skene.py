"""One-coin Dawid-Skene against a loop over items, and the laws of all kinds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import thumbwise as tw
from support.problems import FloatArray, IntArray, make_votes
from thumbwise.numerics.vote_rates import KINDS


def one_iteration(votes: IntArray, proba: FloatArray) -> tuple[FloatArray, float]:
    """M step, E step and log likelihood of the new parameters, written as the text says it."""
    k = proba.shape[1]
    frequencies = proba.mean(axis=0)
    joint = np.tile(frequencies, (len(votes), 1))
    for j, column in enumerate(votes.T):
        voted = np.flatnonzero(column >= 0)
        b = proba[voted, column[voted]].mean() if len(voted) else 1 / k
        for i in voted:
            for c in range(k):
                joint[i, c] *= b if votes[i, j] == c else (1 - b) / (k - 1)
    totals = joint.sum(axis=1)
    return joint / totals[:, None], float(np.log(totals).sum())


@pytest.mark.parametrize("seed", range(20))
def test_iterations_are_those_of_a_loop_over_items(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 5))
    _, array = make_votes(rng, 40, int(rng.integers(1, 6)), k)
    proba = tw.MajorityVote().fit(tw.Votes(array, n_classes=k)).predict_proba(array)
    for n_iter in range(1, 5):
        proba, log_likelihood = one_iteration(array, proba)
        with pytest.warns(ConvergenceWarning, match="still changes"):
            model = tw.DawidSkene(tol=0, max_iter=n_iter).fit(tw.Votes(array, n_classes=k))
        np.testing.assert_allclose(model.predict_proba(array), proba, atol=1e-10)
        assert model.objective_path_[-1] == pytest.approx(log_likelihood, abs=1e-8)


@pytest.mark.parametrize("seed", range(200))
@pytest.mark.filterwarnings("ignore::thumbwise.exceptions.DegenerateFitWarning")
def test_the_log_likelihood_never_decreases(seed: int) -> None:
    """Every kind, plain and accelerated, with and without known labels and prior counts."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 6))
    labels, array = make_votes(rng, int(rng.integers(2, 200)), int(rng.integers(1, 10)), k)
    y = np.where(rng.random(len(labels)) < rng.choice([0.0, 0.2]), labels, -1)
    prior = {"prior_right": rng.choice([0.0, 2.0]), "prior_wrong": rng.choice([0.0, 0.5]), "prior_class": 0.1}
    for kind in KINDS:
        for accelerate in (False, True):
            model = tw.DawidSkene(kind=kind, accelerate=accelerate, max_iter=50_000, **prior)
            path = model.fit(tw.Votes(array, n_classes=k), y).objective_path_
            assert (np.diff(path) >= -1e-12 * np.abs(path).max()).all()


@pytest.mark.parametrize("seed", range(10))
def test_weights_are_the_log_odds_of_the_parameters(seed: int) -> None:
    rng = np.random.default_rng(seed)
    _, array = make_votes(rng, 100, 4, 3)
    model = tw.DawidSkene().fit(tw.Votes(array, n_classes=3))
    u_rules, u_classes = np.split(model.weights_, [4])
    np.testing.assert_allclose(1 / (1 + 2 * np.exp(-u_rules)), model.accuracies_, atol=1e-12)
    np.testing.assert_allclose(np.exp(u_classes) / np.exp(u_classes).sum(), model.class_frequencies_, atol=1e-12)


def test_contradicting_certainties_give_no_nan() -> None:
    """Two rules that never err on the fitted items disagree on a new one."""
    seen = tw.Votes([[0, 0]] * 5 + [[1, 1]] * 5)
    proba = tw.DawidSkene().fit(seen).predict_proba([[0, 1], [1, 0], [-1, -1]])
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba, 0.5)
