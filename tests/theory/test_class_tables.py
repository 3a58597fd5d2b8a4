"""Tables with their zeros left out: the same fits as with all numbers written out, and as by SciPy's minimiser."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax

import thumbwise as tw
from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics import class_tables
from thumbwise.numerics.class_tables import SparseTable, covariances_of, means_of, pack, sum_at
from thumbwise.numerics.ridge_softmax import Prior, fit_ridge_softmax
from thumbwise.numerics.stack_columns import StackColumns
from thumbwise.numerics.teaching import settle, stack_priors, teach

Packed: TypeAlias = tuple[FloatArray, SparseTable, IntArray, tuple[Prior, ...]]


def make(n_classes: int = 40, n_gold: int = 60) -> tuple[FloatArray, IntArray, tuple[Prior, ...]]:
    made = tw.datasets.make_one_coin(500, np.linspace(0.5, 0.9, 8), n_classes=n_classes, random_state=3)
    gold = made.votes.take(np.arange(n_gold))
    columns = StackColumns.choose(made.votes.patterns, n_gold)
    return columns.table(gold.patterns)[gold.inverse], made.labels[:n_gold], stack_priors(columns.kinds)


@pytest.fixture
def packed(monkeypatch: pytest.MonkeyPatch) -> Packed:
    monkeypatch.setattr(class_tables, "_SMALL", 0)
    table, labels, priors = make()
    sparse = pack(table)
    assert isinstance(sparse, SparseTable)
    return table, sparse, labels, priors


def test_parts_of_a_step_are_sums_over_items_and_classes(packed: Packed) -> None:
    table, sparse, labels, _ = packed
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(table.shape[1]), len(table))
    means, covariances = np.zeros((len(table), table.shape[2])), np.zeros((table.shape[2],) * 2)
    for i, (p, rows) in enumerate(zip(proba, table, strict=True)):
        means[i] = p @ rows
        covariances += sum(p[c] * np.outer(rows[c] - means[i], rows[c] - means[i]) for c in range(len(p)))
    at_labels = sum(table[i, c] for i, c in enumerate(labels))
    for form in (table, sparse):
        np.testing.assert_allclose(means_of(form, proba), means, atol=1e-12)
        np.testing.assert_allclose(covariances_of(form, proba, means), covariances, atol=1e-10)
        np.testing.assert_allclose(sum_at(form, labels), at_labels, atol=1e-12)


def test_items_and_scores_of_a_packed_table_are_those_of_the_table(packed: Packed) -> None:
    table, sparse, _, _ = packed
    weights = np.random.default_rng(1).standard_normal(table.shape[2:])
    order = np.array([5, 0, 5, 41])
    assert sparse.shape == table.shape
    for items in (slice(7, 30), slice(0, 0), order):
        np.testing.assert_allclose(sparse[items] @ weights, table[items] @ weights, atol=1e-12)


def test_lessons_and_fits_are_the_same_without_zeros(packed: Packed) -> None:
    table, sparse, labels, priors = packed
    (plain, plain_losses), (lessons, losses) = (teach(t, labels, priors, range(0, 60, 15)) for t in (table, sparse))
    np.testing.assert_allclose(losses, plain_losses, rtol=1e-9)
    for one, other in zip(lessons, plain, strict=True):
        np.testing.assert_allclose(one.weights, other.weights, atol=1e-9)
    (fits, shares), (plain_fits, plain_shares) = (settle(t, labels, priors, losses) for t in (sparse, table))
    np.testing.assert_allclose(fits, plain_fits, atol=1e-9)
    np.testing.assert_allclose(shares, plain_shares, atol=1e-9)


def test_a_fit_without_zeros_is_where_another_minimiser_ends(packed: Packed) -> None:
    table, sparse, labels, (prior, _) = packed

    def penalised(weights: FloatArray) -> tuple[Any, Any]:
        logs = log_softmax(table @ weights, axis=1)
        away = prior.precision * (weights - prior.mean)
        slope = np.einsum("nk,nkm->m", np.exp(logs), table) - table[np.arange(len(labels)), labels].sum(axis=0) + away
        return -logs[np.arange(len(labels)), labels].sum() + 0.5 * away @ (weights - prior.mean), slope

    end = minimize(penalised, prior.mean, jac=True, options={"gtol": 1e-8, "maxiter": 5000})
    np.testing.assert_allclose(fit_ridge_softmax(sparse, labels, prior, tol=1e-9), end.x, atol=1e-5)


def test_zeros_stay_where_they_are_few_or_the_table_is_small() -> None:
    assert isinstance(pack(make()[0]), np.ndarray)
    assert isinstance(pack(np.ones((100, 60, 80))), np.ndarray)
    assert isinstance(pack(make(n_classes=100, n_gold=100)[0]), SparseTable)


def test_stack_says_the_same_of_many_classes_with_and_without_zeros(monkeypatch: pytest.MonkeyPatch) -> None:
    made = tw.datasets.make_one_coin(400, np.linspace(0.5, 0.9, 6), n_classes=60, random_state=5)
    known = np.where(np.arange(400) < 80, made.labels, -1)
    answers = []
    for small in (0, 10**12):
        monkeypatch.setattr(class_tables, "_SMALL", small)
        answers.append(tw.Stack().fit(made.votes, known).predict_proba(made.votes))
    np.testing.assert_allclose(answers[0], answers[1], atol=1e-9)
