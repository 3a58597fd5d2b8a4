"""A model that was added as a rule and agrees with every gold label is refused: its range would be false.

Kills, tried once: no check at all (most ranges false); agreement asked of one gold label only, or of all but one.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import thumbwise as tw
from errors.messages import assert_says, message_of
from thumbwise.game.ranges import add_rule, certify

N_DRAWS = 40


def draw(seed: int) -> tuple[tw.Votes, np.ndarray, np.ndarray]:
    """300 items, three rules, 60 of them gold at random."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=300)
    array = np.where(rng.random((300, 3)) < [0.85, 0.7, 0.7], truth[:, None], 1 - truth[:, None])
    votes = tw.Votes(array, n_classes=2, item_ids=[f"i{i}" for i in range(300)])
    return votes, truth, rng.choice(300, 60, replace=False)


def box_of(votes: tw.Votes, truth: np.ndarray, gold: np.ndarray) -> tw.Box:
    return tw.Box.from_gold(votes.take(gold), truth[gold], pool=votes, gold_is="subset")


def holds(predicted: np.ndarray, truth: np.ndarray, votes: tw.Votes, box: tw.Box) -> bool:
    found = certify(predicted, votes, box)
    return bool(found.lower - 1e-9 <= np.mean(predicted == truth) <= found.upper + 1e-9)


def test_the_labels_of_a_fit_never_get_a_false_range() -> None:
    """They agree with gold because a fit keeps gold labels. Without the check most of these ranges are false."""
    n_refused = n_false = 0
    for seed in range(N_DRAWS):
        votes, truth, gold = draw(seed)
        own = tw.BalsubramaniFreund().fit(votes, box=box_of(votes, truth, gold)).predict(votes)
        pool = add_rule(votes, own)
        try:
            n_false += not holds(own, truth, pool, box_of(pool, truth, gold))
        except tw.InvalidLabelsError:
            n_refused += 1
        assert holds(own, truth, votes, box_of(votes, truth, gold))
    assert n_false == 0
    assert n_refused == N_DRAWS


def test_an_honest_model_is_certified_and_its_range_holds() -> None:
    """Right on 80 % of the items, so that agreement with all 60 has a chance of 1e-6; false alarm one in a million."""
    misses = 0
    for seed in range(N_DRAWS):
        votes, truth, gold = draw(seed)
        honest = np.where(np.random.default_rng(900 + seed).random(300) < 0.8, truth, 1 - truth)
        pool = add_rule(votes, honest)
        misses += not holds(honest, truth, pool, box_of(pool, truth, gold))
    assert misses <= binom.ppf(1 - 1e-6, N_DRAWS, 0.05)


@pytest.mark.parametrize("n_wrong", [0, 1])
def test_one_gold_label_that_it_does_not_know_is_enough(n_wrong: int) -> None:
    votes, truth, gold = draw(0)
    predicted = truth.copy()
    predicted[gold[:n_wrong]] ^= 1
    pool = add_rule(votes, predicted, "tree")
    box = box_of(pool, truth, gold)
    if n_wrong:
        certify(predicted, pool, box)
        return
    said = message_of(tw.InvalidLabelsError, lambda: certify(predicted, pool, box))
    assert_says(said, "'tree' agrees with all 60", "without it")


def test_any_range_from_such_a_box_is_refused_and_any_from_rules_alone_is_not() -> None:
    """A rule that is right on all of gold was written before gold; only what was added is suspected."""
    votes, truth, gold = draw(1)
    pool = add_rule(votes, truth)
    with pytest.raises(tw.InvalidLabelsError, match="agrees with all 60"):
        tw.share_range(pool, box_of(pool, truth, gold), group=range_of(pool), of=1)
    with pytest.raises(tw.InvalidLabelsError, match="agrees with all 60"):
        certify(votes.array[:, 0], pool, box_of(pool, truth, gold), versus=truth)
    rules = tw.Votes(np.column_stack([votes.array, truth]), n_classes=2, item_ids=votes.item_ids)
    assert certify(truth, rules, box_of(rules, truth, gold)).upper == pytest.approx(1)


def test_the_first_of_two_added_models_is_looked_at_too() -> None:
    votes, truth, gold = draw(2)
    pool = add_rule(add_rule(votes, truth, "knows"), votes.array[:, 1], "honest")
    with pytest.raises(tw.InvalidLabelsError, match="'knows' agrees with all 60"):
        certify(votes.array[:, 1], pool, box_of(pool, truth, gold))


def range_of(votes: tw.Votes) -> np.ndarray:
    return np.ones(votes.n_items, dtype=bool)
