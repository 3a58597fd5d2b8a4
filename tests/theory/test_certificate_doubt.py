"""The certificate says when the votes speak against its assumption."""

from __future__ import annotations

import numpy as np
import pytest

import thumbwise as tw
from support.paper import load_paper
from support.problems import make_votes


def test_gold_that_is_no_random_sample_is_doubted() -> None:
    """The published validation split of Basketball differs from the training items in votes alone."""
    data = load_paper("basketball")
    box = tw.Box.from_gold(data.gold_votes, data.gold_labels, pool=data.votes)
    certificate = tw.BalsubramaniFreund(on_infeasible="widen").fit(data.votes, box=box).certificate_
    assert box.evidence.doubt is not None
    assert not certificate.is_guarantee
    assert "No guarantee: " in str(certificate)
    assert "random" in str(certificate)


def test_a_random_sample_is_not() -> None:
    labels, array = make_votes(np.random.default_rng(0), 600, 5, 2)
    votes = tw.Votes(array, n_classes=2)
    gold = np.random.default_rng(1).choice(600, 100, replace=False)
    box = tw.Box.from_gold(votes.take(gold), labels[gold], pool=votes, gold_is="subset", n_permutations=999)
    certificate = tw.BalsubramaniFreund().fit(votes, box=box).certificate_
    assert box.evidence.sample_check is not None
    assert box.evidence.sample_check.omnibus_p_value is not None
    assert box.evidence.doubt is None
    assert certificate.is_guarantee
    assert str(certificate).startswith("With 95 % confidence")


def test_gold_drawn_for_one_rule_is_doubted_from_the_votes() -> None:
    labels, array = make_votes(np.random.default_rng(2), 1000, 4, 2)
    votes = tw.Votes(array, n_classes=2)
    gold = np.flatnonzero(array[:, 1] >= 0)[:100]
    box = tw.Box.from_gold(votes.take(gold), labels[gold], pool=votes, gold_is="subset")
    assert box.evidence.doubt is not None
    assert "rule 'rule_1'" in box.evidence.doubt


def test_strata_are_not_expected_to_look_like_the_pool() -> None:
    labels, array = make_votes(np.random.default_rng(3), 400, 3, 2)
    votes = tw.Votes(array, n_classes=2, item_groups=np.where(np.arange(400) < 40, "a", "b"))
    gold = np.concatenate([np.arange(30), np.arange(40, 70)])
    box = tw.Box.from_gold(votes.take(gold), labels[gold], pool=votes, gold_is=tw.designs.Stratified("subset"))
    assert box.evidence.sample_check is None


def test_groups_of_items_do_not_change_the_verdict() -> None:
    labels, array = make_votes(np.random.default_rng(4), 500, 4, 2)
    gold = np.random.default_rng(5).choice(500, 80, replace=False)
    checks = []
    for groups in (None, np.arange(500) % 3):
        votes = tw.Votes(array, n_classes=2, item_groups=groups)
        box = tw.Box.from_gold(votes.take(gold), labels[gold], pool=votes, gold_is="subset", n_permutations=199)
        checks.append(box.evidence.sample_check)
    assert checks[0] == checks[1]


def test_known_labels_of_other_items_are_refused() -> None:
    labels, array = make_votes(np.random.default_rng(6), 100, 3, 2)
    made = tw.Votes(array, n_classes=2, item_ids=np.arange(100))
    used = tw.Votes(array, n_classes=2, item_ids=np.arange(1000, 1100))
    box = tw.Box.from_gold(made.take(np.arange(40)), labels[:40], pool=made, gold_is="subset")
    with pytest.raises(tw.InvalidBoxError, match=r"known labels must belong to items of these votes.*40 of 40 are not"):
        tw.BalsubramaniFreund().fit(used, box=box)
