"""Which votes each rule gives to each class, estimated item by item; what depends on it, and where there is none.

Kills, tried once each: rates normalised over classes, not votes; a prior that favours no class; copies that count
twice; no centring; patterns that count once whatever their number of items.
"""

from __future__ import annotations

import numpy as np
import pytest

import thumbwise as tw
from support.problems import FloatArray
from thumbwise.numerics import even_confusions
from thumbwise.numerics.even_confusions import confusions_of
from thumbwise.numerics.even_panel import panel_of
from thumbwise.numerics.stack_columns import StackColumns


def make_votes(seed: int, n_classes: int = 3, n_items: int = 90, n_rules: int = 5) -> np.ndarray:
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_classes, size=n_items)
    tables = rng.dirichlet(np.ones(n_classes), (n_rules, n_classes)) + 2 * np.eye(n_classes)
    tables /= tables.sum(axis=2, keepdims=True)
    array = np.array([[rng.choice(n_classes, p=tables[j, c]) for j in range(n_rules)] for c in truth])
    array[rng.random(array.shape) < 0.3] = -1
    return array


def learned(votes: tw.Votes) -> FloatArray:
    """Of rules of which copies count once."""
    return confusions_of(votes.patterns, panel_of(votes.patterns)[0])


def by_items(array: np.ndarray, n_classes: int, log_odds: FloatArray, counted: FloatArray) -> FloatArray:
    """Expectation maximisation with loops, as many iterations as there may be; what a vote adds, centred."""
    n_items, n_rules = array.shape
    scores = np.zeros((n_items, n_classes))
    for i, j in np.argwhere(array >= 0):
        scores[i, array[i, j]] += log_odds[j]
    for _ in range(100):
        proba = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        rates = np.full((n_rules, n_classes, n_classes), 1 / (n_classes - 1))  # rule, class, vote
        for c in range(n_classes):
            rates[:, c, c] = 2.0
        for i, j in np.argwhere(array >= 0):
            rates[j, :, array[i, j]] += proba[i]
        rates /= rates.sum(axis=2, keepdims=True)
        scores = np.zeros((n_items, n_classes))
        for i, j in np.argwhere(array >= 0):
            scores[i] += counted[j] * np.log(rates[j, :, array[i, j]])
    adds = counted[:, None, None] * np.log(rates).transpose(0, 2, 1)
    return np.asarray(adds - adds.mean(axis=2, keepdims=True))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_is_what_loops_over_items_give(n_classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(even_confusions, "_TOL", 0.0)
    array = make_votes(n_classes, n_classes)
    votes = tw.Votes(array, n_classes=n_classes)
    counted, log_odds = panel_of(votes.patterns)
    expected = by_items(array, n_classes, log_odds, counted)
    np.testing.assert_allclose(learned(votes), expected, atol=1e-8)


def test_a_copy_adds_nothing_and_changes_nothing() -> None:
    array = make_votes(5)
    once = learned(tw.Votes(array, n_classes=3))
    twice = learned(tw.Votes(array[:, [0, 1, 2, 3, 4, 4]], n_classes=3))
    np.testing.assert_allclose(twice[:5], once, atol=1e-12)
    assert not twice[5].any()


def test_classes_and_rules_may_be_in_any_order() -> None:
    array = make_votes(6)
    plain = learned(tw.Votes(array, n_classes=3))
    swap = np.array([2, 0, 1])
    other = learned(tw.Votes(np.where(array >= 0, swap[array], -1)[:, ::-1], n_classes=3))
    np.testing.assert_allclose(other[::-1][:, swap][:, :, swap], plain, atol=1e-9)


def test_of_too_many_rates_there_are_none_and_the_panel_has_two_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    votes = tw.Votes(make_votes(7), n_classes=3)
    assert StackColumns.choose(votes.patterns, 50).panel(votes.patterns).shape[2] == 3
    monkeypatch.setattr(even_confusions, "_MOST_RATES", 5 * 9 - 1)
    fewer = tw.Votes(make_votes(7), n_classes=3)
    columns = StackColumns.choose(fewer.patterns, 50)
    assert not columns.together.has_confusions
    assert columns.panel(fewer.patterns).shape[2] == 2
    y = np.full(90, -1)
    y[:40] = 0
    y[:20] = 1
    assert np.isfinite(tw.Stack().fit(fewer, y).predict_proba(fewer)).all()


def test_rules_that_often_take_one_class_for_the_other_are_seen_through() -> None:
    """Seven rules that hardly ever call a 0 a 1, and half of the 1s a 0: one vote for 1 says more than three for 0."""
    rng = np.random.default_rng(8)
    truth = rng.integers(2, size=3000)
    array = (rng.random((3000, 7)) < np.where(truth, 0.5, 0.02)[:, None]).astype(int)
    votes = tw.Votes(array, n_classes=2)
    columns = StackColumns.choose(votes.patterns, 50)
    said = columns.panel(votes.patterns).argmax(axis=1)[votes.inverse]
    majority, panel, confusions = (said == truth[:, None]).mean(axis=0)
    assert max(majority, panel) < 0.8
    assert confusions > 0.93
