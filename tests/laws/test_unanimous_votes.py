"""When are unanimous votes never flipped, and when can they be?

A weight is positive only where a lower bound binds and negative only where an upper bound does. So if every rule has
only a lower bound, and nothing is said about class frequencies, no weight is negative, and the class that all votes of
an item name is at least as probable as every other. An upper bound can turn a rule around even though its whole
interval is better than chance; that is shown below, because it is easily overlooked.
"""

from __future__ import annotations

import numpy as np
import pytest

from thumbwise import BalsubramaniFreund, Box, MajorityVote, Votes

from .problems import Floats, Ints, moments_of, one_hot, random_votes


def unanimous_items(votes: Votes) -> tuple[Ints, Ints]:
    """Items on which all votes name the same class, and that class."""
    found = [(i, int(max(row))) for i, row in enumerate(votes.array.tolist()) if len({v for v in row if v >= 0}) == 1]
    assert found
    items, classes = zip(*found, strict=True)
    return np.array(items), np.array(classes)


def lower_bounds_only(rng: np.random.Generator, votes: Votes, truth: Ints) -> Box:
    """Lower bounds that are better than chance and that the truth satisfies."""
    chance = 1 / votes.n_classes
    values = moments_of(votes.array, one_hot(truth, votes.n_classes))[: votes.n_rules]
    assert (values > chance).all()
    lower = {f"rule_{j}": chance + (value - chance) * rng.uniform(0.2, 1) for j, value in enumerate(values)}
    return Box.from_bounds(votes, lower=lower)


@pytest.mark.parametrize("seed", range(12))
def test_lower_bounds_never_flip_unanimous_votes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k = 2 + seed % 3
    votes, truth = random_votes(rng, 150, 4, k, abstain=0.5, accuracy=(1 / k + 0.15, 0.95))
    model = BalsubramaniFreund().fit(votes, box=lower_bounds_only(rng, votes, truth))
    assert (model.weights_ >= 0).all()
    assert model.weights_.any()
    proba = model.predict_proba(votes)
    items, classes = unanimous_items(votes)
    for_class: Floats = proba[items, classes]
    assert (for_class >= proba[items].max(axis=1) - 1e-12).all()
    weighty = (model.weights_[:4] * (votes.array[items] >= 0)).sum(axis=1) > 1e-6
    others = proba[items[weighty]].copy()
    others[np.arange(len(others)), classes[weighty]] = 0
    assert (for_class[weighty] > others.max(axis=1)).all()


@pytest.mark.parametrize("k", [2, 3, 5])
def test_one_rule_better_than_chance_is_believed_and_one_worse_is_turned_around(k: int) -> None:
    votes, _ = random_votes(np.random.default_rng(k), 90, 1, k)
    believed = BalsubramaniFreund().fit(votes, box=Box.from_bounds(votes, {"rule_0": (1 / k + 0.05, 0.95)}))
    doubted = BalsubramaniFreund().fit(votes, box=Box.from_bounds(votes, {"rule_0": (0.0, 1 / k - 0.05)}))
    voted = votes.array[:, 0] >= 0
    own = votes.array[voted, 0]
    np.testing.assert_allclose(believed.predict_proba(votes)[voted, own], 1 / k + 0.05, rtol=0, atol=1e-8)
    np.testing.assert_allclose(doubted.predict_proba(votes)[voted, own], 1 / k - 0.05, rtol=0, atol=1e-8)
    assert believed.active_[0] == 1
    assert doubted.active_[0] == -1


def test_an_upper_bound_can_flip_the_vote_of_a_rule_that_is_better_than_chance() -> None:
    """Rule 1 is right in 55 to 60 %. Where rule 0, right in 95 %, agrees, it is right; so alone it must fail."""
    array = [[0, 0]] * 45 + [[1, 1]] * 45 + [[0, -1]] * 5 + [[1, -1]] * 5 + [[-1, 0]] * 30 + [[-1, 1]] * 30
    votes = Votes(array)
    model = BalsubramaniFreund().fit(votes, box=Box.from_bounds(votes, {"rule_0": (0.95, 1), "rule_1": (0.55, 0.6)}))
    alone = model.predict_proba([[-1, 0], [-1, 1]])
    assert (np.diag(alone) < 0.5).all()
    assert model.active_[1] == -1, "the flip is said: the upper bound of rule 1 binds"
    agreed = model.predict_proba([[0, 0], [1, 1]])
    assert (np.diag(agreed) > 0.5).all()


@pytest.mark.parametrize("seed", range(3))
def test_majority_vote_never_flips(seed: int) -> None:
    votes, _ = random_votes(np.random.default_rng(seed), 100, 4, 3, abstain=0.5)
    items, classes = unanimous_items(votes)
    assert (MajorityVote().fit(votes).predict_proba(votes)[items, classes] == 1).all()
