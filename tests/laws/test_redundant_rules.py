"""A copy of a rule, a rule that never votes and a bound that says nothing add nothing."""

from __future__ import annotations

import numpy as np
import pytest

from thumbwise import BalsubramaniFreund, Box, DawidSkene, MajorityVote, Votes

from .problems import Floats, interval_around, moments_of, one_hot, random_votes

SEEDS = range(8)


def problem(seed: int) -> tuple[Votes, Floats, Floats]:
    """Votes and a feasible box; every other one of width zero."""
    rng = np.random.default_rng(seed)
    k = 2 + seed % 3
    votes, truth = random_votes(rng, 120, 4, k)
    values = moments_of(votes.array, one_hot(truth, k))
    lower, upper = interval_around(rng, values, width=0.0 if seed % 2 else 0.15)
    return votes, lower, upper


def fit(votes: Votes, lower: Floats, upper: Floats) -> BalsubramaniFreund:
    return BalsubramaniFreund().fit(votes, box=Box.from_bounds(votes, lower=lower, upper=upper))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("n_copies", [1, 3])
def test_copies_of_a_rule_with_its_interval_change_nothing(seed: int, n_copies: int) -> None:
    votes, lower, upper = problem(seed)
    copies = [1] * n_copies
    wide = Votes(np.hstack([votes.array[:, copies], votes.array]), n_classes=votes.n_classes)
    once, often = fit(votes, lower, upper), fit(wide, np.r_[lower[copies], lower], np.r_[upper[copies], upper])
    np.testing.assert_allclose(often.predict_proba(wide), once.predict_proba(votes), rtol=0, atol=1e-8)
    assert often.certificate_.log_loss_bound == pytest.approx(once.certificate_.log_loss_bound, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_rule_that_never_votes_changes_nothing_whatever_its_bounds(seed: int) -> None:
    votes, lower, upper = problem(seed)
    wide = Votes(np.insert(votes.array, 2, -1, axis=1), n_classes=votes.n_classes)
    once = fit(votes, lower, upper)
    for low, high in [(0.0, 1.0), (0.9, 1.0), (0.0, 0.1)]:
        more = fit(wide, np.insert(lower, 2, low), np.insert(upper, 2, high))
        np.testing.assert_allclose(more.predict_proba(wide), once.predict_proba(votes), rtol=0, atol=1e-8)
        assert more.weights_[2] == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_a_rule_about_which_nothing_is_known_changes_nothing(seed: int) -> None:
    votes, lower, upper = problem(seed)
    rng = np.random.default_rng(seed + 100)
    noise = rng.integers(-1, votes.n_classes, (len(votes), 1))
    wide = Votes(np.hstack([noise, votes.array]), n_classes=votes.n_classes)
    once, more = fit(votes, lower, upper), fit(wide, np.r_[0.0, lower], np.r_[1.0, upper])
    np.testing.assert_allclose(more.predict_proba(wide), once.predict_proba(votes), rtol=0, atol=1e-8)
    assert more.weights_[0] == 0
    assert more.certificate_.log_loss_bound == pytest.approx(once.certificate_.log_loss_bound, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_bound_that_the_answer_satisfies_anyway_changes_nothing(seed: int) -> None:
    votes, lower, upper = problem(seed)
    lower[0], upper[0] = 0.0, 1.0
    once = fit(votes, lower, upper)
    value = moments_of(votes.array, once.predict_proba(votes))[0]
    lower[0], upper[0] = max(0.0, value - 0.01), min(1.0, value + 0.01)
    np.testing.assert_allclose(
        fit(votes, lower, upper).predict_proba(votes), once.predict_proba(votes), rtol=0, atol=1e-8
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_a_narrower_box_proves_more(seed: int) -> None:
    votes, lower, upper = problem(seed)
    wider = fit(votes, np.clip(lower - 0.05, 0, 1), np.clip(upper + 0.05, 0, 1))
    assert fit(votes, lower, upper).certificate_.log_loss_bound <= wider.certificate_.log_loss_bound + 1e-9


def test_a_copied_rule_does_change_majority_vote_and_dawid_skene() -> None:
    """Guards the law of copies against comparing models that look at nothing."""
    votes, _, _ = problem(0)
    for model in (MajorityVote(), DawidSkene()):
        once = model.fit(votes).predict_proba(votes)
        changes = []
        for rule in range(4):
            wide = votes.with_rules([rule] * 3 + [0, 1, 2, 3]).array
            changes.append(np.abs(model.fit(wide).predict_proba(wide) - once).max())
        assert max(changes) > 0.05
