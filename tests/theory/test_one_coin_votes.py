"""One coin a rule, from moments of the votes: what it finds is what EM finds, or it says that it does not end."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import thumbwise as tw
from thumbwise.models.dawid_skene import _any_kind, _most_iterations, _one_coin
from thumbwise.numerics.shared_features import SharedFeatures


@pytest.mark.parametrize(("n_items", "n_classes"), [(60, 2), (300, 5), (50_000, 40)])
@pytest.mark.parametrize("prior", [0.0, 1.5])
def test_a_step_is_that_of_a_table_of_rates(n_items: int, n_classes: int, prior: float) -> None:
    rng = np.random.default_rng(n_items)
    truth = rng.integers(n_classes, size=n_items)
    array = np.where(rng.random((n_items, 4)) < 0.6, truth[:, None], rng.integers(n_classes, size=(n_items, 4)))
    array[rng.random(array.shape) < 0.3] = -1
    votes = tw.Votes(array, n_classes=n_classes)
    labels = np.where(rng.random(n_items) < 0.1, truth, -1) if prior else None
    model = tw.DawidSkene(prior_right=2 * prior, prior_wrong=prior, prior_class=prior)
    coins, here = _one_coin(votes, labels, model)
    table, there = _any_kind(votes, labels, model)
    assert isinstance(coins.features, SharedFeatures) == (n_classes == 40)
    for _ in range(3):
        rates, frequencies = coins.vectors.split(here)
        np.testing.assert_allclose(np.append(rates.ravel(), frequencies), there, rtol=1e-10, atol=1e-13)
        objective, following = coins.step(here)
        expected, after = table.step(there)
        assert objective == pytest.approx(expected, rel=1e-12)
        assert coins.vectors.distance(following - here) == pytest.approx(
            table.vectors.distance(after - there), rel=1e-7
        )
        assert coins.vectors.size(following - here) == pytest.approx(table.vectors.size(after - there), rel=1e-7)
        unlike = following + np.linspace(0.01, 0.02, len(following))
        spread = np.append(_spread(unlike, 4, n_classes), unlike[8:])
        normal = coins.vectors.normalise(unlike)
        np.testing.assert_allclose(
            np.append(_spread(normal, 4, n_classes), normal[8:]), table.vectors.normalise(spread), rtol=1e-10
        )
        here, there = following, after


def _spread(parameters: np.ndarray, n_rules: int, n_classes: int) -> np.ndarray:
    right, wrong = parameters[:n_rules], parameters[n_rules : 2 * n_rules]
    rates = np.repeat(wrong, n_classes**2).reshape(n_rules, n_classes, n_classes).copy()
    rates[:, np.arange(n_classes), np.arange(n_classes)] = right[:, None]
    return rates.ravel()


def test_iterations_are_as_many_as_sizes_allow_and_it_says_where_it_ended() -> None:
    votes = tw.Votes(np.random.default_rng(0).integers(2, size=(200, 5)), n_classes=2)
    assert _most_iterations(votes.patterns, "one_coin") == _most_iterations(votes.patterns, "full") == 10_000
    wide = tw.Votes(np.random.default_rng(0).integers(300, size=(20_000, 10)), n_classes=300)
    n_votes = 200_000
    assert _most_iterations(wide.patterns, "one_coin") == int(2e9 / (3 * n_votes))
    assert _most_iterations(wide.patterns, "full") == 500
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = tw.DawidSkene(tol=0).fit(tw.Votes(votes.array[:30], n_classes=2))
    assert model.n_iter_ == 10_000
    assert any("still changes by" in str(warning.message) for warning in caught)
