"""EBCC on many classes: a piece of the rows at a time, without subtypes that have no items, and a limit."""

from __future__ import annotations

import numpy as np
import pytest

import thumbwise as tw
from support import ebcc_by_item as by_item
from support.problems import FloatArray, IntArray
from thumbwise.models import ebcc as model_of
from thumbwise.models.ebcc import EBCC, find_rows
from thumbwise.numerics import ebcc
from thumbwise.numerics.ebcc import Columns, climb, count, make_prior


def make_votes(seed: int, n_items: int, n_rules: int, k: int) -> tuple[IntArray, IntArray]:
    """Rules that are right in 70 %, some abstentions, items without votes; a few labels are known."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(k, size=n_items)
    right = rng.random((n_items, n_rules)) < 0.7
    array = np.where(right, truth[:, None], rng.integers(k, size=(n_items, n_rules)))
    array[rng.random(array.shape) < 0.2] = -1
    array[:3] = -1
    return array, np.where(rng.random(n_items) < 0.1, truth, -1)


@pytest.mark.parametrize("seed", range(4))
def test_pieces_follow_a_loop_over_items(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ebcc, "_PIECE", 1)
    k, n_groups = 6, 4
    array, y = make_votes(seed, 150, 3, k)
    votes = tw.Votes(array, n_classes=k)
    setting = by_item.Setting(k, n_groups=n_groups)
    rows = find_rows(votes, y)
    assert len(rows.split(k * n_groups)) > 2
    class_prior = np.maximum(rows.counts @ rows.shares, 1)
    prior = make_prior(class_prior, group_prior=0.1, right=4.0, wrong=1.0, n_rules=3, n_groups=n_groups)
    joint = by_item.draw_joint(by_item.class_shares(array, k, y), n_groups, np.random.default_rng(seed))
    _, row, sizes = np.unique(votes.inverse * (k + 1) + y + 1, return_inverse=True, return_counts=True)
    sums = np.zeros((len(sizes), k, n_groups))
    np.add.at(sums, row, joint)
    (run,) = climb(count((sums / sizes[:, None, None])[:, None], rows), rows, prior, tol=-1, max_iter=30)
    bounds = []
    for _ in range(30):
        factors = by_item.update_factors(array, joint, class_prior, setting)
        joint = by_item.update_joint(array, factors, y)
        bounds.append(by_item.evidence_bound(array, joint, factors, class_prior, setting))
    np.testing.assert_allclose(run.elbo_path, bounds, rtol=0, atol=1e-8)
    np.testing.assert_allclose(run.posterior.groups[0], factors.pi, rtol=0, atol=1e-8)
    np.testing.assert_allclose(run.posterior.votes[:, :, 0], np.moveaxis(factors.v, 3, 1), rtol=0, atol=1e-8)


@pytest.mark.filterwarnings("ignore:EBCC's best start:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("seed", range(6))
def test_pieces_change_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Starts are drawn alike, several stay side by side, and predictions are the same."""
    array, y = make_votes(seed, 400, 4, 5)
    votes = tw.Votes(array, n_classes=5)
    whole = EBCC(n_starts=3, n_groups=6, random_state=seed).fit(votes, y)
    monkeypatch.setattr(ebcc, "_PIECE", 1)
    left_out: list[bool] = []
    kept = Columns.with_items

    def spy(logs: ebcc.Tables) -> Columns:
        columns = kept(logs)
        left_out.append(not columns.is_all)
        return columns

    monkeypatch.setattr(Columns, "with_items", spy)
    pieces = EBCC(n_starts=3, n_groups=6, random_state=seed).fit(votes, y)
    assert any(left_out)
    np.testing.assert_allclose(pieces.elbo_path_, whole.elbo_path_, rtol=0, atol=1e-8)
    np.testing.assert_allclose(pieces.confusion_, whole.confusion_, rtol=0, atol=1e-9)
    np.testing.assert_allclose(pieces.predict_proba(array), whole.predict_proba(array), rtol=0, atol=1e-9)


def all_rows(n_rules: int, k: int) -> IntArray:
    """Every row of votes there can be."""
    return np.array(np.meshgrid(*[range(-1, k)] * n_rules)).reshape(n_rules, -1).T


@pytest.mark.parametrize("seed", range(20))
def test_a_subtype_that_is_left_out_gets_no_item_of_any_votes(seed: int) -> None:
    """The responsibilities of every possible row, from the formula; and those that are left out are not few."""
    rng = np.random.default_rng(seed)
    n_rules, k, n_groups = 3, 3, 5
    group_prior = 0.12 if seed % 2 else 0.02  # at the border, and well below it
    prior = make_prior(np.ones(k), group_prior=group_prior, right=4.0, wrong=1.0, n_rules=n_rules, n_groups=n_groups)
    sizes = rng.choice([1e-6, 1e-2, 0.3, 30.0], size=(2, k, n_groups))
    counts = rng.dirichlet(np.ones(k), size=(n_rules, 2, k, n_groups)).transpose(0, 4, 1, 2, 3) * sizes
    logs = (prior + ebcc.Tables(sizes.sum(axis=2), sizes, counts)).expected_logs()
    columns = Columns.with_items(logs)
    out = np.setdiff1d(np.arange(k * n_groups), columns.kept)
    scores = by_formula(all_rows(n_rules, k), logs.groups, logs.votes)
    best = scores.max(axis=3, keepdims=True)
    shares = np.exp(scores - best).reshape(len(scores), 2, -1)
    assert (shares[:, :, out] <= np.exp(-45)).all()
    assert set(columns.classes) == set(range(k))
    if seed == 0:
        assert len(out) > 0


def by_formula(rows: IntArray, groups: FloatArray, votes: FloatArray) -> FloatArray:
    scores = np.tile(groups, (len(rows), 1, 1, 1))
    for i, row in enumerate(rows):
        for j, vote in enumerate(row):
            if vote >= 0:
                scores[i] += votes[j, vote]
    return scores


def test_many_votes_get_fewer_starts_and_too_many_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    array, _ = make_votes(0, 100, 3, 4)
    votes = tw.Votes(array, n_classes=4)
    work = (len(votes.patterns.rules) + votes.patterns.n_patterns + 100 * 3 * 4) * 4 * 10
    monkeypatch.setattr(model_of, "_WORK", 3.5 * work)
    fewer = EBCC().fit(votes)
    np.testing.assert_array_equal(fewer.elbo_path_, EBCC(n_starts=3).fit(votes).elbo_path_)
    monkeypatch.setattr(model_of, "_MOST_WORK", work - 1)
    with pytest.raises(tw.TooLargeError, match=r"3 rules, 4 classes and 10 subtypes\. Leave out"):
        EBCC().fit(votes)
    np.testing.assert_array_equal(EBCC(n_starts=3).fit(votes).elbo_path_, fewer.elbo_path_)


def test_left_out_columns_come_back_as_nothing() -> None:
    columns = Columns(np.array([0, 3, 4]), (1, 2, 3))
    table = np.arange(6.0).reshape(1, 2, 3)
    np.testing.assert_array_equal(columns.take(table), [[0, 3, 4]])
    np.testing.assert_array_equal(columns.spread(columns.take(table)), [[[0, 0, 0], [3, 4, 0]]])
    np.testing.assert_array_equal(columns.by_class(columns.take(table)), [[0, 7]])
