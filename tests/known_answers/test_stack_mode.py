"""Stack's weights by other means: a general minimiser, a gradient in finite differences, shares from scratch.

Kills, tried once: a prior mean of 0; the two precisions in one another's place; shares without the factor one half;
gold labels in the order of items in place of that of patterns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize
from scipy.special import log_softmax, softmax

import thumbwise as tw

PRECISIONS = [(2.0, 1.0, 2.0, 1.0), (2.0, 16.0, 32.0, 1.0)]
TRUST = [0.25, 0.25, 0.5]  # in majority, in the panel that knows accuracies, in the one that knows confusions


def simulate(k: int, n: int = 200, n_rules: int = 5, seed: int = 0) -> tuple[tw.Votes, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(k, size=n)
    wrong = (truth[:, None] + rng.integers(1, k, (n, n_rules))) % k
    votes = np.where(rng.random((n, n_rules)) < np.linspace(0.55, 0.85, n_rules), truth[:, None], wrong)
    votes[rng.random(votes.shape) < 0.2] = -1
    return tw.Votes(votes, n_classes=k), truth


def penalised(weights: Any, table: Any, labels: Any, kinds: Any, precisions: tuple[float, ...]) -> float:
    """Minus the log posterior, as the docstring has it."""
    assert (kinds == 0).sum() == len(TRUST)
    away = weights - np.concatenate([TRUST, np.zeros(len(weights) - len(TRUST))])
    losses = -log_softmax(table @ weights, axis=1)[np.arange(len(labels)), labels]
    return float(losses.sum() + 0.5 * (np.array(precisions)[kinds] * away**2).sum())


def fitted(k: int, n_gold: int = 40) -> tuple[tw.Stack, tw.Votes, Any, Any]:
    votes, truth = simulate(k)
    y = np.where(np.arange(len(truth)) < n_gold, truth, -1)
    gold = votes.take(range(n_gold))
    model = tw.Stack().fit(votes, y)
    return model, votes, model.columns_.table(gold.patterns)[gold.inverse], truth[:n_gold]


@pytest.mark.parametrize("k", [2, 3])
def test_each_fit_is_the_mode(k: int) -> None:
    model, _, table, labels = fitted(k)
    kinds = model.columns_.kinds
    for fit, precisions in zip(model.fits_, PRECISIONS, strict=True):
        arguments = (table, labels, kinds, precisions)
        assert np.abs(approx_fprime(fit, penalised, 1e-6, *arguments)).max() < 1e-3
        other = minimize(penalised, np.zeros(len(fit)), arguments, method="BFGS", options={"gtol": 1e-6})
        np.testing.assert_allclose(fit, other.x, rtol=0, atol=1e-4)


@pytest.mark.parametrize("k", [2, 3])
def test_predictions_are_the_softmax_of_the_average(k: int) -> None:
    model, votes, _, _ = fitted(k)
    scores = model.columns_.table(votes.patterns) @ (
        model.shares_[0] * model.fits_[0] + model.shares_[1] * model.fits_[1]
    )
    np.testing.assert_allclose(model.predict_proba(votes), softmax(scores, axis=1)[votes.inverse], rtol=0, atol=1e-12)


def test_the_columns_of_the_panel_by_hand() -> None:
    """Log shares of the votes, each class with half a vote more, less their mean over the classes."""
    votes = tw.Votes([[0, 0, 1, -1], [1, 1, 1, 0], [0, -1, -1, 0]])
    table = tw.Stack().fit(votes, [0, 1, -1]).columns_.table(votes.patterns)[votes.inverse]
    for row, counts in zip(table, [(2.5, 1.5), (1.5, 3.5), (2.5, 0.5)], strict=True):
        logs = np.log(counts)
        np.testing.assert_allclose(row[:, 0], logs - logs.mean(), rtol=0, atol=1e-12)


def test_shares_are_those_of_labels_before_they_were_seen() -> None:
    """Twelve labels: lessons begin at 0, 5 and 10, in four orders; half of the difference of the losses counts."""
    model, votes, table, labels = fitted(2, n_gold=12)
    orders = np.random.default_rng([12, votes.n_items])
    kinds, losses = model.columns_.kinds, np.zeros(2)
    place = _place(model, votes, labels)
    for _ in range(4):
        order = place[orders.permutation(12)]
        for i, precisions in enumerate(PRECISIONS):
            for start, stop in ((0, 5), (5, 10), (10, 12)):
                known, asked = order[:start], order[start:stop]
                arguments = (table[known], labels[known], kinds, precisions)
                weights = minimize(penalised, np.zeros(len(kinds)), arguments, options={"gtol": 1e-6}).x
                given = log_softmax(table[asked] @ weights, axis=1)[np.arange(stop - start), labels[asked]]
                losses[i] -= np.maximum(given, np.log(1e-3)).sum() / 4
    np.testing.assert_allclose(model.shares_, softmax(-losses / 2), rtol=0, atol=2e-3)
    assert abs(model.shares_[0] - 0.5) > 0.01  # the test would see shares that are even


def _place(model: tw.Stack, votes: tw.Votes, labels: Any) -> Any:
    """Gold by how often the pool shows its votes, so that no order of items, rules or classes matters."""
    table, counts = votes.patterns.vote_table, votes.patterns.vote_table.sum(axis=0)
    keys = []
    for item, label in enumerate(labels):
        said = [(j, c) for j, c in enumerate(votes.array[item]) if c >= 0]
        values = [np.sqrt(1 + table[j, c]) * (1 + model.columns_.together.log_odds[j]) for j, c in said]
        weighted = [value * np.sqrt(1 + counts[c]) for value, (_, c) in zip(values, said, strict=True)]
        same = int((labels == label).sum())
        keys.append((same, counts[label], round(sum(weighted), 6), round(sum(values), 6), item))
    return np.array([key[-1] for key in sorted(keys)])
