"""New items are scored without refitting, one at a time or many, matched by the names of the rules."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from thumbwise import InvalidVotesError, Votes

from .cases import MODELS, NAMES, Case, Task, make_task

every_model = pytest.mark.parametrize("case", MODELS, ids=NAMES)
RULES = ["short", "shouting", "money", "link", "greeting"]


@pytest.fixture
def task() -> Task:
    plain = make_task(n_classes=3)
    return Task(Votes(plain.votes.array, rule_names=RULES, n_classes=3), plain.truth, plain.is_gold)


@every_model
def test_one_item_alone_is_scored_as_in_the_batch(case: Case, task: Task) -> None:
    model = case.fit(task)
    batch = model.predict_proba(task.votes)
    for item in range(20):
        alone = model.predict_proba(task.votes.take([item]))
        np.testing.assert_allclose(alone, batch[item : item + 1], rtol=1e-13, atol=0)


@every_model
def test_unseen_patterns_are_scored_without_refitting(case: Case, task: Task) -> None:
    first, rest = np.arange(60), np.arange(60, 120)
    model = case.fit(task.take(first))
    before = model.predict_proba(task.votes.take(first))
    new = model.predict_proba(task.votes.take(rest))
    assert new.shape == (60, 3)
    np.testing.assert_allclose(new.sum(axis=1), 1, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(model.predict_proba(task.votes.take(first)), before)


@every_model
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_rules_in_another_order_are_matched_by_name(case: Case, task: Task, frame: type) -> None:
    model = case.fit(task)
    other = [4, 2, 0, 1, 3]
    columns = {RULES[j]: task.votes.array[:, j] for j in other}
    np.testing.assert_array_equal(model.predict_proba(frame(columns)), model.predict_proba(task.votes))
    assert model.score(frame(columns), task.truth) == model.score(task.votes, task.truth)


@every_model
def test_an_array_without_names_is_matched_by_position(case: Case, task: Task) -> None:
    model = case.fit(task)
    np.testing.assert_array_equal(model.predict_proba(task.votes.array), model.predict_proba(task.votes))


@every_model
def test_a_model_fitted_without_names_accepts_named_rules_by_position(case: Case, task: Task) -> None:
    unnamed = task.with_array(task.votes.array)
    model = case.fit(unnamed)
    np.testing.assert_array_equal(model.predict_proba(task.votes), model.predict_proba(unnamed.votes))


@every_model
@pytest.mark.parametrize("n_rules", [1, 4, 6])
def test_another_number_of_rules_is_a_clear_error(case: Case, task: Task, n_rules: int) -> None:
    with pytest.raises(InvalidVotesError, match=rf"5 rules.*found {n_rules} rules"):
        case.fit(task).predict_proba(np.zeros((4, n_rules), dtype=int))


@every_model
def test_unknown_rules_are_a_clear_error(case: Case, task: Task) -> None:
    columns = {**{name: [0, 1] for name in RULES[:4]}, "horoscope": [0, 1]}
    with pytest.raises(InvalidVotesError, match=r"1 are unknown.*'horoscope'.*'short'"):
        case.fit(task).predict_proba(pl.DataFrame(columns))


@every_model
def test_a_class_that_the_model_does_not_know_is_a_clear_error(case: Case, task: Task) -> None:
    with pytest.raises(InvalidVotesError, match=r"found 3 at item 1, rule 'rule_2'"):
        case.fit(task).predict_proba([[0, 1, 2, 0, 1], [0, 0, 3, 0, 0]])


@every_model
def test_votes_with_other_classes_are_a_clear_error(case: Case, task: Task) -> None:
    other = Votes(task.votes.array, rule_names=RULES, class_names=["a", "b", "c"])
    with pytest.raises(InvalidVotesError, match=r"\(0, 1, 2\).*\('a', 'b', 'c'\)"):
        case.fit(task).predict_proba(other)
