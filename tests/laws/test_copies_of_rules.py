"""One rule that is right 60 % of the time, copied five times, beside three that are right 75 %; 100 gold labels.

Kills, tried once: an error budget that counts every copy.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import thumbwise as tw
from thumbwise.assess.comparison import compare
from thumbwise.assess.planning import plan
from thumbwise.metrics import log_loss

from .problems import Ints

SEEDS = range(20)
NAMES = ["weak", "copy 1", "copy 2", "copy 3", "copy 4", "good 1", "good 2", "good 3"]


@cache
def copied(seed: int) -> tuple[tw.Votes, Ints, Ints]:
    """5,000 items, and the positions of 100 gold ones."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=5000)
    is_right = rng.random((5000, 4)) < [0.6, 0.75, 0.75, 0.75]
    array = np.where(is_right, truth[:, None], 1 - truth[:, None])[:, [0] * 5 + [1, 2, 3]]
    return tw.Votes(array, n_classes=2, rule_names=NAMES), truth, rng.permutation(5000)[:100]


def box_of(seed: int) -> tw.Box:
    votes, truth, gold = copied(seed)
    return tw.Box.from_gold(votes.take(gold), truth[gold], pool=votes, gold_is="subset")


def test_balsubramani_freund_stays_near_the_best_approximator() -> None:
    """Measured: 0.494 against 0.373, mean over the seeds."""
    excess = []
    for seed in SEEDS:
        votes, truth, _ = copied(seed)
        best = tw.BalsubramaniFreund().fit(votes, box=tw.Box.exact(votes, truth))
        model = tw.BalsubramaniFreund().fit(votes, box=box_of(seed))
        loss, least = (log_loss(truth, m.predict_proba(votes)) for m in (model, best))
        assert 0.3 < least < 0.45
        assert loss <= model.certificate_.log_loss_bound
        excess.append(loss - least)
    assert np.mean(excess) < 0.15


@pytest.mark.parametrize("seed", range(5))
def test_dawid_skene_and_majority_vote_follow_the_copies(seed: int) -> None:
    votes, truth, _ = copied(seed)
    for model in (tw.DawidSkene(), tw.MajorityVote()):
        assert np.mean(model.fit(votes).predict(votes) == votes.array[:, 0]) > 0.99
    assert log_loss(truth, tw.DawidSkene().fit(votes).predict_proba(votes)) > 5


@pytest.mark.parametrize("seed", range(5))
def test_copies_cost_no_error_budget(seed: int) -> None:
    """The same bound as without the copies: intervals, made from gold, included."""
    votes, truth, gold = copied(seed)
    once = votes.with_rules([0, 5, 6, 7])
    box = tw.Box.from_gold(once.take(gold), truth[gold], pool=once, gold_is="subset")
    np.testing.assert_array_equal(box_of(seed).lower[[0, 5, 6, 7, 8, 9]], box.lower)
    alone, among = (tw.BalsubramaniFreund().fit(v, box=b) for v, b in ((once, box), (votes, box_of(seed))))
    np.testing.assert_allclose(among.predict_proba(votes), alone.predict_proba(once), rtol=0, atol=1e-8)


def test_copies_are_reported() -> None:
    votes, truth, gold = copied(0)
    found = compare(votes.take(gold), truth[gold], pool=votes, gold_is="subset")
    pairs = {(d.first, d.second) for d in found.duplicates}
    assert pairs == {(a, b) for i, a in enumerate(NAMES[:5]) for b in NAMES[i + 1 : 5]}
    assert all(d.is_identical for d in found.duplicates)
    assert found.effective_rules == pytest.approx(4, abs=0.4)
    assert "'weak' and 'copy 1' are identical" in str(found)
    assert {p.correlation for p in found.error_pairs[:10]} == {1.0}
    assert next(d for d in found.differences if d.method == "Dawid-Skene").is_real


def test_a_plan_gives_no_copy_a_worth_of_its_own() -> None:
    votes, truth, gold = copied(0)
    worth = {w.rule: w.worth for w in plan(votes.take(gold), truth[gold], pool=votes, gold_is="subset").worth}
    for name in NAMES[:5]:
        assert worth[name] == pytest.approx(0, abs=1e-6)
    assert max(worth[name] for name in NAMES[5:]) > 0.005
