"""A row nobody voted on gets the softmax of the class weights: the class frequencies where nothing else is known."""

from __future__ import annotations

import numpy as np
import pytest

from thumbwise import BalsubramaniFreund, Box, DawidSkene, MajorityVote, Votes

from .problems import Floats, random_votes


def softmax(weights: Floats) -> Floats:
    powers: Floats = np.exp(weights - weights.max())
    return np.asarray(powers / powers.sum())


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.filterwarnings("ignore::thumbwise.exceptions.DegenerateFitWarning")
def test_silent_rows_get_the_softmax_of_the_class_weights(k: int, seed: int) -> None:
    votes, truth = random_votes(np.random.default_rng(seed), 150, 3, k, abstain=0.5)
    model = BalsubramaniFreund().fit(votes, box=Box.exact(votes, truth))
    silent = model.predict_proba(np.full((1, 3), -1))[0]
    np.testing.assert_allclose(silent, softmax(model.weights_[3:]), rtol=0, atol=1e-12)
    dawid_skene = DawidSkene().fit(votes)
    silent = dawid_skene.predict_proba(np.full((1, 3), -1))[0]
    np.testing.assert_allclose(silent, dawid_skene.class_frequencies_, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(MajorityVote().fit(votes).predict_proba(np.full((1, 3), -1))[0], np.full(k, 1 / k))


@pytest.mark.parametrize("frequencies", [[0.9, 0.1], [0.25, 0.75], [0.2, 0.3, 0.5], [0.01, 0.09, 0.2, 0.7]])
def test_without_informative_rules_every_row_gets_the_class_frequencies(frequencies: list[float]) -> None:
    k = len(frequencies)
    votes, _ = random_votes(np.random.default_rng(k), 100, 3, k)
    exact = {f"frequency({c})": (share, share) for c, share in enumerate(frequencies)}
    proba = BalsubramaniFreund().fit(votes, box=Box.from_bounds(votes, exact)).predict_proba(votes)
    np.testing.assert_allclose(proba, np.tile(frequencies, (100, 1)), rtol=0, atol=1e-8)


def test_rare_class_is_not_a_silent_half() -> None:
    """Rules vote on half of the items; the other half still shows that class 1 is rare."""
    rng = np.random.default_rng(1)
    truth = (rng.random(400) < 0.1).astype(np.int64)
    array = np.where(rng.random((400, 3)) < 0.8, truth[:, None], 1 - truth[:, None])
    array[200:] = -1
    votes = Votes(array)
    silent = BalsubramaniFreund().fit(votes, box=Box.exact(votes, truth)).predict_proba(array[-1:])[0]
    assert silent[1] < 0.3


def test_frequency_interval_moves_no_further_than_its_nearest_end() -> None:
    votes = Votes(np.full((50, 2), -1), n_classes=2)
    box = Box.from_bounds(votes, {"frequency(1)": (0.1, 0.3)})
    proba = BalsubramaniFreund().fit(votes, box=box).predict_proba(votes)
    np.testing.assert_allclose(proba, np.tile([0.7, 0.3], (50, 1)), rtol=0, atol=1e-8)
