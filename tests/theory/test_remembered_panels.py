"""What is remembered of patterns is what is found anew, for each set of rules and each set of weights."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import thumbwise as tw
from thumbwise._typing import FloatArray, IntArray
from thumbwise.assess.baselines import logistic_regression
from thumbwise.models.compared import Split
from thumbwise.numerics.even_panel import first_of_copies, verdicts, weighted_verdicts


def make(k: int, seed: int) -> tw.Votes:
    array = np.random.default_rng(seed).integers(-1, k, (60, 5))
    return tw.Votes(np.column_stack([array, array[:, 0]]), n_classes=k)


def plain_verdict(scores: list[float], tie: float) -> int:
    best = max(scores)
    near = [c for c, score in enumerate(scores) if best - score <= tie]
    return near[0] if len(near) == 1 else -1


@pytest.mark.parametrize("k", [2, 3, 7])
def test_a_verdict_is_the_only_class_near_the_largest_score(k: int) -> None:
    rng = np.random.default_rng(k)
    scores = rng.choice([0.0, 0.5, 1.0, 1.0 + 1e-12, 1.25, -2.0], (400, k))
    for tie in (1e-9, 0.3):
        assert verdicts(scores, tie).tolist() == [plain_verdict(row, tie) for row in scores.tolist()]


@pytest.mark.parametrize("k", [2, 5])
def test_verdicts_of_several_weights_are_not_mixed_up(k: int) -> None:
    votes = make(k, 1)
    rows, rng = votes.patterns.to_rows(), np.random.default_rng(0)
    for weights in [np.ones(6), *rng.random((3, 6)), np.ones(6)]:
        sums = [[sum(weights[j] for j, vote in enumerate(row) if vote == c) for c in range(k)] for row in rows]
        expected = [plain_verdict(one, 1e-9) for one in sums]
        assert weighted_verdicts(votes.patterns, weights).tolist() == expected
        assert weighted_verdicts(votes.patterns, weights).tolist() == expected


def test_copies_of_rules_that_are_heard_are_not_those_of_all() -> None:
    patterns = make(3, 2).patterns
    for _ in range(2):
        assert first_of_copies(patterns).tolist() == [1, 1, 1, 1, 1, 0]
        assert first_of_copies(patterns, np.arange(6) > 0).tolist() == [0, 1, 1, 1, 1, 1]
        assert first_of_copies(patterns, np.array([0, 1, 0, 1, 0, 0])).tolist() == [0, 1, 0, 1, 0, 0]


def test_a_regression_without_the_votes_that_nobody_gave_is_the_regression_with_them() -> None:
    made = tw.datasets.make_one_coin(300, [0.9, 0.7, 0.6, 0.8], n_classes=12, random_state=2)
    fit, held = np.arange(30), np.arange(30, 70)
    votes, labels = made.votes.take(fit), made.labels[fit]
    split = Split(made.votes, votes, labels, made.votes.take(held), "subset", 0.95)

    def one_hot(array: IntArray) -> FloatArray:
        return np.hstack([array == c for c in range(-1, 12)]).astype(float)

    assert not one_hot(votes.array).any(axis=0).all()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LogisticRegression(C=1.0, max_iter=1000).fit(one_hot(votes.array), labels)
    found = logistic_regression(split)
    expected = np.zeros((len(held), 12))
    expected[:, model.classes_] = model.predict_proba(one_hot(split.votes.array))
    np.testing.assert_allclose(found, expected, atol=1e-9)
