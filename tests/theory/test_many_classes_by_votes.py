"""Dawid-Skene on many classes: what is done at the cost of the votes equals loops over items and classes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import thumbwise as tw
from support.problems import FloatArray, IntArray
from thumbwise.models.dawid_skene import _any_kind, _coins_by_class, _evidence
from thumbwise.numerics import conditional_coins, confusion_tables
from thumbwise.numerics.conditional_coins import ConditionalVotes, VotedCells
from thumbwise.numerics.confusion_tables import ConfusionVotes, LiveCells
from thumbwise.numerics.shared_softmax import SharedSoftmax, find_places
from thumbwise.numerics.vote_rates import Kind

pytestmark = [
    pytest.mark.filterwarnings("ignore::thumbwise.exceptions.DegenerateFitWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


def make(seed: int, n_items: int, n_rules: int, n_votes: int, n_classes: int) -> tuple[IntArray, IntArray]:
    """Rules that are right on 30 to 60 % of the few items they vote on; some items without any vote."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_classes, size=n_items)
    is_right = rng.random((n_items, n_rules)) < rng.uniform(0.3, 0.6, n_rules)
    array = np.where(is_right, truth[:, None], rng.integers(n_classes, size=(n_items, n_rules)))
    array[rng.random(array.shape).argsort(axis=1) >= n_votes] = -1
    array[::50] = -1
    return array, truth


def step_by_loops(
    votes: tw.Votes, rates: FloatArray, frequencies: FloatArray, y: IntArray, priors: tuple[float, float, float]
) -> tuple[float, FloatArray, FloatArray, FloatArray]:
    """Objective, then expected votes by rule, vote and class, their accuracies by class, and class frequencies."""
    right, wrong, by_class = priors
    k, n_rules = votes.n_classes, votes.n_rules
    table = np.full((n_rules, k, k), wrong / (k - 1))
    table[:, np.arange(k), np.arange(k)] = right
    objective = float((table * np.log(rates)).sum() + by_class * np.log(frequencies).sum())
    totals = np.full(k, float(by_class))
    for row, label in zip(votes.array, y, strict=True):
        joint = np.log(frequencies) + sum(np.log(rates[j, v]) for j, v in enumerate(row) if v >= 0)
        top = joint.max()
        objective += joint[label] if label >= 0 else top + np.log(np.exp(joint - top).sum())
        proba = np.eye(k)[label] if label >= 0 else np.exp(joint - top) / np.exp(joint - top).sum()
        totals += proba
        for j, v in enumerate(row):
            if v >= 0:
                table[j, v] += proba
    return objective, table, np.einsum("jcc->jc", table) / table.sum(axis=1), totals / totals.sum()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("with_labels", [False, True])
def test_a_step_with_an_accuracy_for_each_class_is_that_of_loops(seed: int, with_labels: bool) -> None:
    array, truth = make(seed, 400, 6, 3, 30)
    priors = (1.5, 0.5, 2.0)
    y = np.where((np.arange(400) % 3 == 0) & with_labels, truth, -1)
    model = tw.DawidSkene(kind="class_conditional", prior_right=priors[0], prior_wrong=priors[1], prior_class=priors[2])
    votes = tw.Votes(array, n_classes=30)
    coins, start = _evidence(votes, y if with_labels else None, model)
    assert isinstance(coins, ConditionalVotes)
    rng = np.random.default_rng(seed)
    accuracies, frequencies = rng.uniform(0.001, 0.9, (6, 30)), rng.dirichlet(np.ones(30))
    tilted = coins.vectors.join(accuracies, frequencies)
    # Nearly all items are of a class that no rule votes for when it is true: votes for it leave little of the base.
    accuracies[:, 0], frequencies[0] = 1e-13, 1e12
    doubtful = coins.vectors.join(accuracies, frequencies / frequencies.sum())
    for parameters in (start, tilted, doubtful):
        rates, frequencies = coins.vectors.split(parameters)
        objective, _, expected, by_class = step_by_loops(votes, rates, frequencies, y, priors)
        found, following = coins.step(parameters)
        assert found == pytest.approx(objective, rel=1e-12)
        np.testing.assert_allclose(following[:180], expected.ravel(), rtol=1e-9, atol=1e-13)
        np.testing.assert_allclose(following[-30:], by_class, rtol=1e-9)


@pytest.mark.parametrize("with_labels", [False, True])
def test_both_begin_at_the_shares_of_votes(with_labels: bool) -> None:
    array, truth = make(1, 500, 6, 4, 20)
    votes, labels = tw.Votes(array, n_classes=20), np.where(np.arange(500) < 100, truth, -1) if with_labels else None
    model = tw.DawidSkene(kind="class_conditional")
    coins, here = _coins_by_class(VotedCells.of(votes.patterns), votes, labels, model)
    table, there = _any_kind(votes, labels, model)
    np.testing.assert_allclose(coins.vectors.split(here)[0].ravel(), there[:-20], rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(here[-20:], there[-20:], rtol=1e-11)
    moved = np.linspace(-1, 1, len(here))
    wide = np.concatenate([_spread(moved, 6, 20), moved[-20:]])
    assert coins.vectors.distance(moved) == pytest.approx(table.vectors.distance(wide))
    assert coins.vectors.size(moved) == pytest.approx(table.vectors.size(wide))
    np.testing.assert_allclose(
        _spread(coins.vectors.normalise(moved + 2), 6, 20), table.vectors.normalise(wide + 2)[:-20], rtol=1e-12
    )


def _spread(vector: FloatArray, n_rules: int, k: int) -> FloatArray:
    right, wrong = vector[: n_rules * k].reshape(n_rules, k), vector[n_rules * k : 2 * n_rules * k].reshape(n_rules, k)
    return np.where(np.eye(k, dtype=bool), right[:, None, :], wrong[:, None, :]).ravel()


@pytest.mark.parametrize("accelerate", [False, True])
@pytest.mark.parametrize("with_labels", [False, True])
@pytest.mark.parametrize("kind", ["class_conditional", "full"])
def test_a_fit_is_that_of_whole_tables(
    kind: Kind, with_labels: bool, accelerate: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    array, truth = make(3, 3000, 8, 3, 60)
    votes, y = tw.Votes(array, n_classes=60), np.where(np.arange(3000) < 300, truth, -1) if with_labels else None
    looked: list[int] = []
    find = LiveCells.find.__func__  # type: ignore[attr-defined]

    def find_and_tell(*given: Any) -> LiveCells:
        looked.append(1)
        found: LiveCells = find(*given)
        return found

    monkeypatch.setattr(LiveCells, "find", classmethod(find_and_tell))
    model = tw.DawidSkene(kind=kind, accelerate=accelerate).fit(votes, y)
    assert bool(looked) == (kind == "full")
    monkeypatch.setattr(confusion_tables, "_MANY_CELLS", np.inf)
    monkeypatch.setattr(conditional_coins, "_MOST_CELLS", 0)
    n_looks = len(looked)
    plain = tw.DawidSkene(kind=kind, accelerate=accelerate).fit(votes, y)
    assert len(looked) == n_looks
    assert model.n_iter_ == plain.n_iter_ > 20
    np.testing.assert_allclose(model.objective_path_, plain.objective_path_, rtol=1e-11)
    np.testing.assert_allclose(model.rates_, plain.rates_, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(votes), plain.predict_proba(votes), atol=1e-9)
    assert (np.diff(model.objective_path_) >= -1e-9 * abs(model.objective_path_[0])).all()


@pytest.mark.parametrize("seed", range(6))
def test_shares_of_what_patterns_have_in_common_are_a_softmax(seed: int) -> None:
    """Also where votes speak against the classes that make up nearly all of the base: those get all cells."""
    rng = np.random.default_rng(seed)
    n, k, n_kinds = 300, 12, 5
    base, kinds = 20 * rng.standard_normal((n_kinds, k)), rng.integers(n_kinds, size=n)
    cells = np.flatnonzero(rng.random(n * k) < 0.2)
    extra = 15 * rng.standard_normal(len(cells))
    scores = base[kinds]
    scores.ravel()[cells] += extra
    expected = np.exp(scores - scores.max(axis=1, keepdims=True))
    expected /= expected.sum(axis=1, keepdims=True)
    softmax = SharedSoftmax(base, kinds, find_places(cells, n, k), extra)
    assert 0 < len(softmax.poor) < n
    whole = np.union1d(cells, (softmax.poor[:, None] * k + np.arange(k)).ravel())
    wide = np.zeros(len(whole))
    wide[np.searchsorted(whole, cells)] = extra
    softmax = SharedSoftmax(base, kinds, find_places(whole, n, k), wide)
    assert not len(softmax.poor)
    found = softmax.scale[:, None] * softmax.terms[kinds]
    found.ravel()[whole] = softmax.chances
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-300)
    np.testing.assert_allclose(
        softmax.log_sums, scores.max(axis=1) + np.log(np.exp(scores - scores.max(axis=1)[:, None]).sum(axis=1))
    )


def test_improbable_patterns_and_contradictions_get_every_class(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the votes of a pattern are improbable under every live class, classes with a rate of nearly 0 matter."""
    array, _ = make(5, 400, 5, 3, 12)
    array[7:10] = [[0, 1, 2, 3, 4], [5, 6, -1, 7, -1], [8, 8, 9, -1, -1]]
    votes = tw.Votes(array, n_classes=12)
    monkeypatch.setattr(confusion_tables, "_MANY_CELLS", 0)
    monkeypatch.setattr(confusion_tables, "_MOST_LIVE_RATES", 1.0)
    monkeypatch.setattr(confusion_tables, "_MOST_LIVE_CELLS", 1.0)
    rng = np.random.default_rng(0)
    rates = 10.0 ** rng.choice([-300, -150, -95, -70, -1], size=(5, 12, 12), p=[0.3, 0.2, 0.1, 0.2, 0.2])
    evidence, _ = _any_kind(votes, None, tw.DawidSkene(kind="full"))
    parameters = evidence.vectors.join(rates, np.full(12, 1 / 12))
    evidence._sight.n_steps = 3
    found, following = evidence.step(parameters)
    cells = evidence._sight.cells
    assert cells is not None
    assert 10 < cells.is_whole.sum() < votes.patterns.n_patterns - 10
    objective, table, _, by_class = step_by_loops(votes, rates, np.full(12, 1 / 12), np.full(400, -1), (0, 0, 0))
    assert found == pytest.approx(objective, rel=1e-12)
    expected = table / np.maximum(table.sum(axis=1, keepdims=True), 1e-300)
    is_told = table.sum(axis=1) > 1e-15
    after, frequencies = evidence.vectors.split(following)
    np.testing.assert_allclose(
        np.where(is_told[:, None, :], after, 0), np.where(is_told[:, None, :], expected, 0), atol=1e-12
    )
    np.testing.assert_allclose(frequencies, by_class, atol=1e-12)


def test_cells_are_looked_for_anew_where_more_rates_are_live() -> None:
    """Steps may be taken back, to parameters with rates that had been 0."""
    array, _ = make(3, 3000, 8, 3, 60)
    votes = tw.Votes(array, n_classes=60)
    evidence, start = _any_kind(votes, None, tw.DawidSkene(kind="full"))
    assert isinstance(evidence, ConfusionVotes)
    one, late = replace(evidence), start
    for _ in range(40):
        late = one.step(late)[1]
    assert one._sight.cells is not None
    again, fresh = one.step(start), replace(evidence).step(start)
    assert again[0] == pytest.approx(fresh[0], rel=1e-13)
    np.testing.assert_allclose(again[1], fresh[1], atol=1e-13)
