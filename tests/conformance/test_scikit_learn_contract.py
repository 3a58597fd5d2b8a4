"""Constructors store, fit learns, clone forgets, pickle remembers, nothing else changes."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from thumbwise import Votes

from .cases import MODELS, NAMES, Case, Task, make_task

every_model = pytest.mark.parametrize("case", MODELS, ids=NAMES)


@pytest.fixture
def task() -> Task:
    return make_task(n_classes=3)


@every_model
@pytest.mark.parametrize("method", ["predict_proba", "predict"])
def test_unfitted_models_say_so(case: Case, task: Task, method: str) -> None:
    with pytest.raises(NotFittedError):
        getattr(case.make(), method)(task.votes)


@every_model
def test_unfitted_models_do_not_score(case: Case, task: Task) -> None:
    with pytest.raises(NotFittedError):
        case.make().score(task.votes, task.truth)


@every_model
def test_nothing_learned_exists_before_fit(case: Case) -> None:
    assert not [name for name in vars(case.make()) if name.endswith("_")]


@every_model
def test_fit_returns_the_model_and_keeps_its_parameters(case: Case, task: Task) -> None:
    model = case.make()
    before = model.get_params()
    assert case.fit_model(model, task) is model
    assert model.get_params() == before


@every_model
def test_refit_gives_the_identical_result(case: Case, task: Task) -> None:
    model = case.fit(task)
    first = model.predict_proba(task.votes)
    np.testing.assert_array_equal(case.fit_model(model, task).predict_proba(task.votes), first)


@every_model
def test_refit_forgets_what_was_learned_before(case: Case, task: Task) -> None:
    other = make_task(50, 4, 2, n_gold=25, seed=9)
    model = case.fit_model(case.fit(other), task)
    np.testing.assert_array_equal(model.predict_proba(task.votes), case.fit_proba(task))
    assert model.n_features_in_ == 5
    assert model.classes_.tolist() == [0, 1, 2]


@every_model
def test_global_random_state_plays_no_part(case: Case, task: Task) -> None:
    np.random.seed(1)  # noqa: NPY002
    first = case.fit_proba(task)
    np.random.seed(2)  # noqa: NPY002
    state = np.random.get_state()[1].copy()  # type: ignore[index]  # noqa: NPY002
    np.testing.assert_array_equal(case.fit_proba(task), first)
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # type: ignore[index]  # noqa: NPY002


@every_model
def test_inputs_are_left_untouched(case: Case, task: Task) -> None:
    array = np.array(task.votes.array, dtype=np.int8)
    frozen, y = array.copy(), task.y
    kept = y.copy()
    own = Task(Votes(array, n_classes=3), task.truth, task.is_gold)
    case.fit(own).predict(array)
    case.fit(own).score(array, y)
    np.testing.assert_array_equal(array, frozen)
    np.testing.assert_array_equal(y, kept)
    assert array.flags.writeable


@every_model
def test_frames_are_left_untouched(case: Case, task: Task) -> None:
    frame = pd.DataFrame(task.votes.array, columns=list("abcde")).astype("Int64").replace(-1, pd.NA)
    kept = frame.copy(deep=True)
    own = Task(Votes(frame, n_classes=3), task.truth, task.is_gold)
    case.fit(own).predict_proba(frame)
    pd.testing.assert_frame_equal(frame, kept)


@every_model
def test_clone_has_the_parameters_and_nothing_learned(case: Case, task: Task) -> None:
    model = case.fit(task)
    twin = clone(model)
    assert type(twin) is type(model)
    assert twin.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        twin.predict_proba(task.votes)
    np.testing.assert_array_equal(case.fit_model(twin, task).predict_proba(task.votes), model.predict_proba(task.votes))


@every_model
def test_parameters_can_be_set_by_name(case: Case) -> None:
    model = case.make()
    assert model.set_params(**model.get_params()) is model
    for name in model.get_params():
        marker = object()
        assert model.set_params(**{name: marker}).get_params()[name] is marker
    with pytest.raises(ValueError, match="Invalid parameter"):
        model.set_params(no_such_parameter=1)


@every_model
def test_pickle_keeps_everything(case: Case, task: Task) -> None:
    model = case.fit(task)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict_proba(task.votes), model.predict_proba(task.votes))
    np.testing.assert_array_equal(copy.predict(task.votes), model.predict(task.votes))
    assert copy.rule_names_ == model.rule_names_
    assert copy.get_params() == model.get_params()
    assert pickle.loads(pickle.dumps(case.make())).get_params() == case.make().get_params()


@every_model
def test_repr_shows_the_model(case: Case) -> None:
    assert repr(case.make()).startswith(type(case.make()).__name__)
