"""Every answer is a distribution over the declared classes, one per item."""

from __future__ import annotations

import numpy as np
import pytest

from .cases import MODELS, NAMES, Case, make_task

every_model = pytest.mark.parametrize("case", MODELS, ids=NAMES)


@every_model
@pytest.mark.parametrize(
    ("n_items", "n_rules", "n_classes", "abstain"), [(120, 5, 2, 0.2), (90, 12, 3, 0.6), (40, 3, 6, 0.0)]
)
def test_rows_are_distributions(case: Case, n_items: int, n_rules: int, n_classes: int, abstain: float) -> None:
    task = make_task(n_items, n_rules, n_classes, abstain=abstain, n_gold=n_items // 2)
    proba = case.fit_proba(task)
    assert proba.shape == (n_items, n_classes)
    assert np.isfinite(proba).all()
    assert (proba >= 0).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=0, atol=1e-12)


@every_model
def test_better_than_guessing_where_rules_are_good(case: Case) -> None:
    task = make_task(300, 7, 3, abstain=0.1, n_gold=150)
    model = case.fit(task)
    assert model.score(task.votes, task.truth) > 0.75


@every_model
def test_predict_names_the_most_probable_class(case: Case) -> None:
    task = make_task(n_classes=3)
    model = case.fit(task)
    proba, predicted = model.predict_proba(task.votes), model.predict(task.votes)
    column = {name: c for c, name in enumerate(model.classes_.tolist())}
    chosen = proba[np.arange(len(proba)), [column[name] for name in predicted.tolist()]]
    assert (chosen >= proba.max(axis=1) - 1e-9).all()


@every_model
def test_score_counts_known_labels_only(case: Case) -> None:
    task = make_task(n_classes=2)
    model = case.fit(task)
    right = model.predict(task.votes) == task.truth
    assert model.score(task.votes, task.y) == pytest.approx(right[task.is_gold].mean())


@every_model
def test_score_without_any_known_label_is_a_clear_error(case: Case) -> None:
    task = make_task(n_classes=2)
    with pytest.raises(ValueError, match="label"):
        case.fit(task).score(task.votes, np.full(len(task.votes), -1))
