"""Cross-validation and searches do what a loop over the folds does, and unknown labels stay unknown."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)

from thumbwise import BalsubramaniFreund, Box, DawidSkene, DegenerateFitWarning, MajorityVote, Votes
from thumbwise.exceptions import InvalidLabelsError
from thumbwise.models.base import LabelModel
from thumbwise.models.folds import held_out_proba, neg_log_loss

from .cases import Ints, Task, make_task

FOLDS = StratifiedKFold(4, shuffle=True, random_state=0)


@pytest.fixture(scope="module")
def task() -> Task:
    return make_task(240, 5, 3, n_gold=120, seed=3)


def by_frame(task: Task) -> pd.DataFrame:
    names = [f"i{i}" for i in range(len(task.y))]
    return pd.DataFrame(task.votes.array, index=names, columns=list("abcde"))


def loop(model: LabelModel, rows: Any, y: Ints, method: str) -> Any:
    """The prediction for each item from a model that saw neither the item nor its label."""
    parts: dict[int, Any] = {}
    for train, test in FOLDS.split(np.zeros(len(y)), y):
        fitted = clone(model).fit(rows[train], y[train])
        parts.update(zip(test.tolist(), getattr(fitted, method)(rows[test]), strict=True))
    return np.array([parts[i] for i in range(len(y))])


@pytest.mark.parametrize("model", [MajorityVote(), DawidSkene(), BalsubramaniFreund()], ids=lambda m: type(m).__name__)
def test_cross_val_predict_is_a_loop_over_the_folds(model: LabelModel, task: Task) -> None:
    array = np.array(task.votes.array)
    found = cross_val_predict(model, array, task.y, cv=FOLDS)
    np.testing.assert_array_equal(found, loop(model, array, task.y, "predict"))
    held_out = held_out_proba(model, array, task.y, cv=FOLDS)
    np.testing.assert_array_equal(held_out, loop(model, array, task.y, "predict_proba"))


def test_folds_of_frames_and_of_votes_say_the_same_as_those_of_arrays(task: Task) -> None:
    array = np.array(task.votes.array)
    expected = held_out_proba(DawidSkene(), array, task.y, cv=FOLDS)
    np.testing.assert_array_equal(held_out_proba(DawidSkene(), Votes(array), task.y, cv=FOLDS), expected)
    np.testing.assert_array_equal(held_out_proba(DawidSkene(), by_frame(task), task.y, cv=FOLDS), expected)


def test_held_out_items_do_not_keep_their_label(task: Task) -> None:
    """Fitted to all items, gold ones are certain; held out, no item is, and some gold ones are predicted wrongly."""
    frame, model = by_frame(task), DawidSkene()
    assert (model.fit(frame, task.y).predict_proba(frame)[task.is_gold].max(axis=1) == 1).all()
    held_out = held_out_proba(model, frame, task.y, cv=FOLDS)
    assert (held_out.max(axis=1) < 1).all()
    assert (held_out.argmax(axis=1) != task.truth)[task.is_gold].any()


def test_scores_pass_over_unknown_labels(task: Task) -> None:
    array = np.array(task.votes.array)
    found = cross_val_score(DawidSkene(), array, task.y, cv=FOLDS)
    for score, (train, test) in zip(found, FOLDS.split(array, task.y), strict=True):
        predicted = DawidSkene().fit(array[train], task.y[train]).predict(array[test])
        labels = task.y[test]
        assert score == pytest.approx(np.mean(predicted[labels >= 0] == labels[labels >= 0]))


def test_a_search_over_the_confidence_level_is_a_loop(task: Task) -> None:
    array, levels = np.array(task.votes.array), [0.3, 0.6, 0.9, 0.99]
    search = GridSearchCV(
        BalsubramaniFreund(on_infeasible="widen"), {"confidence_level": levels}, scoring=neg_log_loss, cv=FOLDS
    ).fit(array, task.y)
    means = []
    for level in levels:
        losses = []
        for train, test in FOLDS.split(array, task.y):
            model = BalsubramaniFreund(confidence_level=level, on_infeasible="widen").fit(array[train], task.y[train])
            known = test[task.y[test] >= 0]
            losses.append(-np.log(model.predict_proba(array[known])[np.arange(len(known)), task.y[known]]).mean())
        means.append(np.mean(losses))
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], -np.array(means), rtol=1e-12)
    assert len(set(np.round(means, 6))) == len(levels), "the level must matter for this to say anything"
    assert search.best_params_["confidence_level"] == levels[int(np.argmin(means))]
    assert search.best_estimator_.certificate_.confidence_level == search.best_params_["confidence_level"]


def test_a_higher_level_makes_a_larger_box(task: Task) -> None:
    """So the box of a level that was searched for holds the truth whenever that of the lowest level does.

    The learned opinion is another formula at each level, so its bounds are not compared.
    """
    boxes = [BalsubramaniFreund(confidence_level=p).fit(task.votes, task.y).box_ for p in (0.5, 0.8, 0.95, 0.99)]
    for inner, outer in pairwise(boxes):
        counted = [moment.kind != "learned opinion" for moment in inner.about]
        assert (outer.lower <= inner.lower + 1e-12)[counted].all()
        assert (outer.upper >= inner.upper - 1e-12)[counted].all()


def test_a_fold_without_known_labels_is_an_error(task: Task) -> None:
    model = MajorityVote().fit(task.votes)
    with pytest.raises(InvalidLabelsError, match="at least one known label"):
        neg_log_loss(model, task.votes, np.full(len(task.y), -1))


def test_renumbered_labels_are_noticed(task: Task) -> None:
    """cross_val_predict turns -1 into class 0 and every class into the next one before it asks for probabilities."""
    array = np.array(task.votes.array)
    with pytest.warns(DegenerateFitWarning, match="held_out_proba"):
        cross_val_predict(DawidSkene(), array, task.y, cv=FOLDS, method="predict_proba")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cross_val_predict(DawidSkene(), array, task.truth, cv=FOLDS, method="predict_proba")
    with pytest.raises(InvalidLabelsError, match="classes of the votes"):
        cross_val_predict(DawidSkene(), Votes(array), task.y, cv=FOLDS, method="predict_proba")


def test_class_names_need_votes_that_know_them(task: Task) -> None:
    names = np.array(["x", "y", "z"])
    array, labels = np.array(task.votes.array), names[task.truth]
    with pytest.raises(InvalidLabelsError, match="class_names"):
        DawidSkene().fit(array, labels)
    by_name = Votes(array, class_names=names.tolist())
    found = cross_val_predict(DawidSkene(), by_name, labels, cv=FOLDS)
    np.testing.assert_array_equal(found, names[cross_val_predict(DawidSkene(), array, task.truth, cv=FOLDS)])


@pytest.mark.parametrize("routing", [False, True])
def test_a_box_beside_labels_fails_clearly_in_folds(task: Task, routing: bool) -> None:
    """A fold needs labels to be scored, and a box speaks of all items."""
    box = Box.exact(task.votes, task.truth)
    with sklearn.config_context(enable_metadata_routing=routing):
        model = BalsubramaniFreund().set_fit_request(box=True) if routing else BalsubramaniFreund()
        with pytest.raises(InvalidLabelsError, match="and not both"):
            cross_validate(model, np.array(task.votes.array), task.y, params={"box": box}, error_score="raise")
