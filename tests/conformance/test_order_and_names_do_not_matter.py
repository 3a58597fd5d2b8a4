"""Order of items, order of rules, names and numbers of classes, and repetition change no model's answer."""

from __future__ import annotations

import numpy as np
import pytest

from thumbwise import Votes

from .cases import MODELS, NAMES, Case, Task, make_task

SHAPES = [(2, 0.2), (3, 0.2), (4, 0.5)]


@pytest.fixture(params=SHAPES, ids=lambda shape: f"k={shape[0]}")
def task(request: pytest.FixtureRequest) -> Task:
    n_classes, abstain = request.param
    return make_task(n_classes=n_classes, abstain=abstain, seed=n_classes)


every_model = pytest.mark.parametrize("case", MODELS, ids=NAMES)
SCALING = [case for case in MODELS if case.scales]
every_scaling_model = pytest.mark.parametrize("case", SCALING, ids=[case.name for case in SCALING])


@every_model
def test_order_of_items_is_irrelevant_to_the_last_bit(case: Case, task: Task) -> None:
    order = np.random.default_rng(5).permutation(len(task.votes))
    shuffled = case.fit_proba(task.take(order))
    np.testing.assert_array_equal(shuffled, case.fit_proba(task)[order])


@every_model
def test_order_of_rules_is_irrelevant(case: Case, task: Task) -> None:
    rules = [3, 0, 4, 1, 2]
    np.testing.assert_allclose(case.fit_proba(task.with_rules(rules)), case.fit_proba(task), rtol=0, atol=1e-9)


@every_model
def test_numbering_of_classes_is_irrelevant(case: Case, task: Task) -> None:
    number = np.roll(np.arange(task.votes.n_classes), 1)
    array = np.where(task.votes.array == -1, -1, number[task.votes.array])
    renumbered = Task(Votes(array, n_classes=len(number)), number[task.truth], task.is_gold)
    np.testing.assert_allclose(case.fit_proba(renumbered)[:, number], case.fit_proba(task), rtol=0, atol=1e-9)


@every_model
def test_names_of_classes_are_only_names(case: Case, task: Task) -> None:
    names = ["zebra", "ant", "yak", "bee"][: task.votes.n_classes]
    named = Task(Votes(task.votes.array, class_names=names), task.truth, task.is_gold)
    model = case.fit(named)
    np.testing.assert_array_equal(model.predict_proba(named.votes), case.fit_proba(task))
    assert model.classes_.tolist() == names
    assert set(model.predict(named.votes)) <= set(names)


@every_model
def test_strings_say_the_same_as_numbers(case: Case, task: Task) -> None:
    names: list[str | None] = ["zebra", "ant", "yak", "bee"][: task.votes.n_classes]  # type: ignore[assignment]
    strings = np.array([*names, None], dtype=object)[task.votes.array]  # -1, abstain, is the last
    spelled = Task(Votes(strings, class_names=names), task.truth, task.is_gold)
    np.testing.assert_array_equal(case.fit_proba(spelled), case.fit_proba(task))


@every_scaling_model
def test_every_item_three_times_is_every_item_once(case: Case, task: Task) -> None:
    n_items = len(task.votes)
    thrice = task.take(np.tile(np.arange(n_items), 3))
    np.testing.assert_allclose(case.fit_proba(thrice)[:n_items], case.fit_proba(task), rtol=0, atol=1e-9)


@every_scaling_model
def test_an_item_that_occurs_more_often_weighs_more(case: Case, task: Task) -> None:
    """Guards the law above against a model that forgets counts altogether."""
    often = task.take(np.concatenate([np.arange(len(task.votes)), np.zeros(200, dtype=np.int64)]))
    assert np.abs(case.fit_proba(often)[: len(task.votes)] - case.fit_proba(task)).max() > 1e-3


@every_model
def test_identical_items_get_identical_answers(case: Case, task: Task) -> None:
    proba = case.fit_proba(task)
    for pattern in range(task.votes.patterns.n_patterns):
        rows = proba[task.votes.inverse == pattern]
        np.testing.assert_array_equal(rows, np.tile(rows[0], (len(rows), 1)))
