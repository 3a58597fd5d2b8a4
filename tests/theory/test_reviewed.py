"""Reviewed labels: chosen with an eye on gold and on what the model gets wrong, they are pinned, and guarantees stay.

Kills, tried once: see the notes of each test.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog
from scipy.stats import binom

import thumbwise as tw
from thumbwise.exceptions import InvalidFileError, InvalidLabelsError
from thumbwise.metrics import log_loss
from thumbwise.models.certified import CertifiedModel

N_DRAWS, LEVEL = 60, 0.8
# Of six statistics, each at this rate: a false alarm in any of them about once in a million runs.
FALSE_ALARM = 2e-7
# Programs stop within this of their optimum, in shares of the items.
CLOSE = 2e-5


def simulate(seed: int, n: int = 120, n_gold: int = 30, n_rules: int = 5) -> tuple[tw.Votes, Any, tw.Box]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=n)
    wrong = rng.random((n, n_rules)) > np.linspace(0.6, 0.85, n_rules)
    votes = np.where(rng.random((n, n_rules)) < 0.2, -1, truth[:, None] ^ wrong)
    pool, gold = tw.Votes(votes, n_classes=2, item_ids=np.arange(n) + 500), rng.permutation(n)[:n_gold]
    options: Any = {"gold_is": "subset", "confidence_level": LEVEL, "n_permutations": 0}
    return pool, truth, tw.Box.from_gold(pool.take(gold), truth[gold], pool=pool, **options)


def fit(votes: tw.Votes, box: tw.Box, reviewed: Any = None) -> Any:
    return tw.BalsubramaniFreund(on_infeasible="widen").fit(votes, box=box, reviewed=reviewed)


def chosen(how: str, model: Any, votes: tw.Votes, truth: Any, n: int = 20) -> Any:
    """Labels of items that are chosen in the way that would mislead most, -1 for the others."""
    proba = model.predict_proba(votes)
    given = proba[np.arange(len(truth)), truth]
    score = {"wrong": given, "right": -given, "unsure": proba.max(axis=1)}[how]
    places = np.argsort(score, kind="stable")
    places = places[~np.isin(votes.item_ids[places], model.known_.item_ids)][:n]
    labels = np.full(len(truth), -1)
    labels[places] = truth[places]
    return labels


def test_guarantees_hold_however_reviewed_items_are_chosen() -> None:
    """Reviewed labels that entered the gold counts would make these fail for "right"; all ways see the same draws."""
    ways = ("wrong", "right", "unsure")
    misses = np.zeros((len(ways), 2), dtype=int)
    for seed in range(N_DRAWS):
        votes, truth, box = simulate(seed)
        first = fit(votes, box)
        for i, how in enumerate(ways):
            reviewed = chosen(how, first, votes, truth, 40)
            model = fit(votes, box, reviewed)
            is_open = (reviewed < 0) & ~np.isin(votes.item_ids, box.known.item_ids)  # type: ignore[union-attr]
            right = np.mean(model.predict(votes)[is_open] == truth[is_open])
            loss = log_loss(truth[is_open], model.predict_proba(votes)[is_open])
            certificate = model.certificate_
            assert certificate.n_open == is_open.sum()
            misses[i] += [right < certificate.accuracy_at_least - 1e-9, loss > certificate.log_loss_bound + 1e-9]
    assert (misses <= binom.ppf(1 - FALSE_ALARM, N_DRAWS, 1 - LEVEL)).all()


@pytest.mark.parametrize("seed", range(4))
def test_the_same_as_a_program_over_single_items_with_reviewed_labels_fixed(seed: int) -> None:
    votes, truth, box = simulate(seed, n=60, n_gold=20)
    model = fit(votes, box, chosen("wrong", fit(votes, box), votes, truth, 8))
    proof = model.certificate_.accuracy
    is_known = np.isin(votes.item_ids, model.known_.item_ids)
    assert (is_known.sum(), proof.n_reviewed) == (28, 8)
    moments = proof.box.moments(votes)
    features = moments.features[:].toarray().reshape(-1, 2, len(proof.box))[votes.inverse].reshape(120, -1).T
    labels, low = model.predict(votes), np.zeros((60, 2))
    low[is_known, truth[is_known]] = 1  # all 60 items are variables; those that are known have no choice
    high = np.where(is_known[:, None], low, 1)
    limits = np.concatenate([moments.sizes * proof.box.upper, -moments.sizes * proof.box.lower])
    answer = linprog(
        (labels[:, None] == np.arange(2)).astype(float).ravel(),
        np.vstack([features, -features]),
        limits + 1e-9,
        np.kron(np.eye(60), np.ones(2)),
        np.ones(60),
        [(float(least), float(most)) for least, most in zip(low.ravel(), high.ravel(), strict=True)],
    )
    assert answer.fun is not None
    assert proof.accuracy_at_least_all == pytest.approx(answer.fun / 60, abs=CLOSE)
    assert proof.verify(votes, labels) == pytest.approx(proof.accuracy_at_least, abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("how", ["wrong", "right", "unsure"])
def test_reviewing_never_lowers_what_the_same_box_proves_of_all_items(seed: int, how: str) -> None:
    """Of the same labels otherwise: fewer labelings are left, and no known label is wrong."""
    votes, truth, box = simulate(seed)
    first = fit(votes, box)
    if first.certificate_.widening is not None or not box.holds(votes, truth):
        pytest.skip("the box does not hold the truth")
    reviewed = chosen(how, first, votes, truth)
    alone, after = (CertifiedModel(first, given).fit(votes) for given in (box, box.with_reviewed(votes, reviewed)))
    before, now = alone.certificate_, after.certificate_
    assert now.accuracy.accuracy_at_least_all >= before.accuracy.accuracy_at_least_all - CLOSE  # type: ignore[union-attr]
    assert fit(votes, box, reviewed).certificate_.log_loss_bound_all <= fit(votes, box).certificate_.log_loss_bound_all


def test_reviewed_items_have_their_label_and_change_no_interval_and_no_gold() -> None:
    votes, truth, box = simulate(0)
    reviewed = chosen("wrong", fit(votes, box), votes, truth)
    model = fit(votes, box, reviewed)
    there = reviewed >= 0
    np.testing.assert_array_equal(model.predict(votes)[there], truth[there])
    np.testing.assert_array_equal(model.predict_proba(votes)[there], np.eye(2)[truth[there]])
    np.testing.assert_array_equal(model.box_.lower, box.lower)
    np.testing.assert_array_equal(model.box_.upper, box.upper)
    assert model.box_.evidence is box.evidence
    assert model.box_.gold is box.gold
    certificate = model.certificate_
    assert (certificate.n_known, certificate.n_reviewed, certificate.n_open) == (50, 20, 70)
    assert "the 70 of these 120 items that are neither gold nor among the 20 reviewed" in str(certificate)
    assert "the 70 labels that are neither gold nor among the 20 reviewed" in str(certificate.accuracy)
    assert "if the 30 gold items are a random sample of all 120 items" in str(certificate)
    assert model.explain(votes, int(votes.item_ids[there][0])) is not None


def test_gold_that_is_reviewed_too_counts_once_and_series_are_matched_by_ids() -> None:
    votes, truth, box = simulate(1)
    assert box.known is not None
    series = pd.Series(truth[[5, 6]], index=votes.item_ids[[5, 6]])
    whole = pd.Series(np.full(120, -1), index=votes.item_ids[::-1])
    whole.loc[box.known.item_ids] = box.known.labels
    whole.loc[series.index] = series
    certain = fit(votes, box, whole).known_
    assert len(certain) == len(set(certain.item_ids.tolist())) == 30 + certain.n_reviewed
    free = tw.BalsubramaniFreund(pin_gold=False).fit(votes, box=box, reviewed=whole).certificate_
    assert free.n_known == free.n_reviewed == (whole >= 0).sum()
    assert f"not among the {free.n_known} reviewed" in str(free)


def test_all_reviewed_leaves_nothing_to_prove() -> None:
    votes, truth, box = simulate(2)
    certificate = fit(votes, box, truth).certificate_
    assert str(certificate).startswith("All 120 items have a gold or a reviewed label")
    assert certificate.log_loss_bound_all == 0


def test_what_is_refused(tmp_path: Path) -> None:
    votes, truth, box = simulate(3)
    assert box.known is not None
    with pytest.raises(InvalidLabelsError, match=r"gold and reviewed labels of an item must be equal; item .*30 such"):
        box.with_reviewed(votes, 1 - truth)
    with pytest.raises(InvalidLabelsError, match="at least one reviewed label"):
        box.with_reviewed(votes, np.full(120, -1))
    with pytest.raises(InvalidLabelsError, match="need items with ids"):
        box.with_reviewed(votes.without_ids(), truth)
    with pytest.raises(InvalidFileError, match="keeps 120 reviewed labels"):
        fit(votes, box, truth).save(tmp_path / "model.json")
