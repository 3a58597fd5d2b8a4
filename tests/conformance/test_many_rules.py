"""Numerics hold at 100, 300 and 1,000 rules that all vote, and for every dtype that can hold a vote."""

from __future__ import annotations

import numpy as np
import pytest

from thumbwise import Votes

from .cases import MODELS, NAMES, Case, Task, make_array

every_model = pytest.mark.parametrize("case", MODELS, ids=NAMES)


def wide_task(n_rules: int, n_classes: int = 2, n_items: int = 50) -> Task:
    array, truth = make_array(n_items, n_rules, n_classes, abstain=0, accuracy=(0.55, 0.75), seed=n_rules)
    return Task(Votes(array, n_classes=n_classes), truth, np.arange(n_items) % 2 == 0)


@every_model
@pytest.mark.parametrize("n_rules", [100, 300, 1000])
def test_full_coverage(case: Case, n_rules: int) -> None:
    task = wide_task(n_rules)
    model = case.fit(task)
    proba = model.predict_proba(task.votes)
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=0, atol=1e-12)
    # 25 gold labels say little about each of so many rules, so only a few of them get a weight.
    assert model.score(task.votes, task.truth) >= (0.75 if case.name.endswith("gold") else 0.95)


@every_model
@pytest.mark.parametrize("n_rules", [100, 500])
def test_rules_that_all_agree(case: Case, n_rules: int) -> None:
    """Five hundred agreeing rules make other label models return NaN."""
    truth = np.random.default_rng(0).integers(0, 2, 60)
    task = Task(Votes(np.repeat(truth[:, None], n_rules, axis=1)), truth, np.arange(60) % 2 == 0)
    proba = case.fit_proba(task)
    assert np.isfinite(proba).all()
    assert (proba[np.arange(60), truth] > 0.5).all()


@every_model
def test_dtype_makes_no_difference(case: Case) -> None:
    """Sums over 140 votes do not fit an int8."""
    task = wide_task(140)
    expected = case.fit_proba(task)
    for dtype in (np.int8, np.uint8, np.bool_, np.float32, np.float64):
        narrow = task.with_array(task.votes.array.astype(dtype))
        np.testing.assert_array_equal(case.fit_proba(narrow), expected)


@every_model
def test_memory_layout_makes_no_difference(case: Case) -> None:
    task = wide_task(60)
    columns_first = np.asfortranarray(task.votes.array)
    strided = np.repeat(task.votes.array, 2, axis=1)[:, ::2]
    expected = case.fit_proba(task)
    np.testing.assert_array_equal(case.fit_proba(task.with_array(columns_first)), expected)
    np.testing.assert_array_equal(case.fit_proba(task.with_array(strided)), expected)


@every_model
def test_many_classes(case: Case) -> None:
    array, truth = make_array(300, 8, 40, abstain=0.1, accuracy=(0.7, 0.9), seed=4)
    task = Task(Votes(array, n_classes=40), truth, np.arange(300) % 2 == 0)
    model = case.fit(task)
    proba = model.predict_proba(task.votes)
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=0, atol=1e-12)
    assert model.score(task.votes, task.truth) > 0.9
