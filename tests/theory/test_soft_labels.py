"""Soft labels: the rows say what the probabilities say, for any kind of features."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import thumbwise as tw
from thumbwise._typing import FloatArray
from thumbwise.models.end_model import SoftLabels, soft_labels

EXAMPLE = Path(__file__).parents[2] / "examples" / "train_on_soft_labels.py"
PROBA = np.array([[1.0, 0.0, 0.0], [0.5, 0.3, 0.2], [0.02, 0.9, 0.08], [0.25, 0.25, 0.5]])
C_VALUE = 0.7
ITEMS = [0, 1, 1, 1, 2, 2, 2, 3, 3, 3]


def make_problem(seed: int, k: int, n_items: int = 60) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.full(k, 0.5), size=n_items)
    proba[: n_items // 4] = np.eye(k)[rng.integers(k, size=n_items // 4)]
    return rng.normal(size=(n_items, 3)) + 2 * proba[:, :1], proba


def least_cross_entropy(features: FloatArray, proba: FloatArray, weights: FloatArray) -> FloatArray:
    """Predictions at the minimum of C * cross entropy + |W|^2 / 2, found without any expanded row."""
    n_items, k = proba.shape
    with_one = np.column_stack([features, np.ones(n_items)])

    def predict(flat: FloatArray) -> FloatArray:
        # Two classes have one vector of weights, more have one each: so does the regression that is compared.
        free = flat.reshape(with_one.shape[1], -1)
        logits = with_one @ (np.column_stack([np.zeros(len(free)), free]) if k == 2 else free)
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    def objective(flat: FloatArray) -> tuple[float, FloatArray]:
        free, q = flat.reshape(with_one.shape[1], -1).copy(), predict(flat)
        free[-1] = 0  # the intercept is not penalised
        value = -C_VALUE * (weights[:, None] * proba * np.log(q)).sum() + (free**2).sum() / 2
        slope = C_VALUE * with_one.T @ (weights[:, None] * (q - proba))
        return float(value), ((slope[:, 1:] if k == 2 else slope) + free).ravel()

    found = minimize(
        objective, np.zeros(with_one.shape[1] * (1 if k == 2 else k)), jac=True, method="BFGS", options={"gtol": 1e-8}
    )
    assert np.abs(objective(found.x)[1]).max() < 1e-5
    return predict(found.x)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("is_weighted", [False, True])
def test_logistic_regression_minimises_the_cross_entropy(k: int, seed: int, is_weighted: bool) -> None:
    features, proba = make_problem(seed, k)
    weights = np.random.default_rng(seed).uniform(0.1, 3, size=len(features)) if is_weighted else np.ones(len(features))
    soft = soft_labels(features, proba, sample_weight=weights if is_weighted else None)
    model = LogisticRegression(C=C_VALUE, tol=1e-10, max_iter=10_000).fit(*soft)
    expected = least_cross_entropy(features, proba, weights)
    assert expected.std(axis=0).min() > 0.05, "a constant prediction would test nothing"
    np.testing.assert_allclose(model.predict_proba(features), expected, atol=1e-5)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_certain_labels_give_plain_training(k: int) -> None:
    features, _ = make_problem(7, k)
    y = np.arange(len(features)) % k
    names = np.array([f"class {c}" for c in range(k)])[::-1]
    soft = soft_labels(features, np.eye(k)[y], class_names=names)
    np.testing.assert_array_equal(soft.X, features)
    assert soft.y.tolist() == names[y].tolist()
    assert (soft.sample_weight == 1).all()
    plain, trained = LogisticRegression().fit(features, names[y]), soft.fit(LogisticRegression())
    np.testing.assert_array_equal(trained.predict_proba(features), plain.predict_proba(features))


@pytest.mark.parametrize("seed", range(20))
def test_the_rows_are_those_of_a_loop(seed: int) -> None:
    rng = np.random.default_rng(seed)
    features, proba = make_problem(seed, int(rng.integers(2, 6)), 30)
    weights, n_votes, keep = rng.uniform(0, 2, size=30), rng.integers(0, 3, size=30), rng.random(30) < 0.8
    weights[3] = 0
    rows = [
        (i, c, p * weights[i])
        for i, row in enumerate(proba)
        for c, p in enumerate(row)
        if p > 0 and keep[i] and n_votes[i] > 0 and weights[i] > 0
    ]
    soft = soft_labels(features, proba, n_votes=n_votes, keep=keep, sample_weight=weights)
    assert soft.items.tolist() == [i for i, _, _ in rows]
    assert soft.y.tolist() == [c for _, c, _ in rows]
    np.testing.assert_allclose(soft.sample_weight, [w for _, _, w in rows], rtol=1e-12)
    np.testing.assert_array_equal(soft.X, features[[i for i, _, _ in rows]])


def back_to_table(soft: SoftLabels, shape: tuple[int, int]) -> FloatArray:
    table = np.zeros(shape)
    table[soft.items, soft.y] = soft.sample_weight
    return table


@pytest.mark.parametrize("min_weight", [0.0, 1e-3, 0.1, 0.3, 1.0])
@pytest.mark.parametrize("k", [2, 4])
def test_small_weights_are_dropped_and_the_rest_sums_to_one(min_weight: float, k: int) -> None:
    features, proba = make_problem(11, k, 200)
    table = back_to_table(soft_labels(features, proba, min_weight=min_weight), proba.shape)
    np.testing.assert_allclose(table.sum(axis=1), 1, atol=1e-12)
    is_best = proba == proba.max(axis=1, keepdims=True)
    np.testing.assert_array_equal(table > 0, ((proba >= min_weight) & (proba > 0)) | is_best)
    moved = np.abs(table - proba).sum(axis=1) / 2
    assert moved.max() <= (k - 1) * min_weight + 1e-12
    assert (moved.max() > 1e-6) == (min_weight > 0)
    kept = np.where(table > 0, proba, 0.0)
    np.testing.assert_allclose(table * kept.sum(axis=1, keepdims=True), kept, atol=1e-12)


def test_classes_that_tie_stay_together_however_large_min_weight() -> None:
    soft = soft_labels(list("ab"), [[1 / 3, 1 / 3, 1 / 3], [0.4, 0.4, 0.2]], min_weight=0.9)
    np.testing.assert_allclose(back_to_table(soft, (2, 3)), [[1 / 3, 1 / 3, 1 / 3], [0.5, 0.5, 0]])


def test_items_without_votes_are_dropped_or_kept() -> None:
    votes = tw.Votes([[0, 0], [-1, -1], [1, -1], [1, 1]], class_names=["no", "yes"])
    model = tw.MajorityVote().fit(votes)
    proba, n_votes = model.predict_proba(votes), votes.n_votes_per_item
    texts = ["a", "b", "c", "d"]
    assert set(soft_labels(texts, proba, class_names=model.classes_).items) == {0, 1, 2, 3}
    dropped = soft_labels(texts, proba, class_names=model.classes_, n_votes=n_votes)
    assert set(dropped.items) == {0, 2, 3}
    assert "b" not in dropped.X
    is_gold = np.array([False, True, False, False])
    assert 1 in soft_labels(texts, proba, keep=(n_votes > 0) | is_gold).items


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csc_matrix, sp.coo_array, sp.csr_array, sp.lil_array])
def test_sparse_rows_stay_sparse(kind: Any) -> None:
    dense = np.arange(12).reshape(4, 3) % 5
    soft = soft_labels(kind(dense), PROBA)
    assert soft.X.format == "csr"
    assert soft.X.dtype == dense.dtype
    assert isinstance(soft.X, sp.sparray) == issubclass(kind, sp.sparray)
    np.testing.assert_array_equal(soft.X.toarray(), dense[ITEMS])


COLUMNS = {"text": ["a", "b", "c", "d"], "length": [1, 2, 3, 4]}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_keep_their_kind(frame: Any) -> None:
    given = frame(COLUMNS)
    soft = soft_labels(given, PROBA)
    assert type(soft.X) is type(given)
    assert [str(value) for value in soft.X["text"]] == list("abbbcccddd")
    assert [int(str(value)) for value in soft.X["length"]] == [i + 1 for i in ITEMS]
    assert soft.X.shape == (len(ITEMS), 2)


def test_a_pandas_index_that_is_no_count_of_rows() -> None:
    frame = pd.DataFrame(COLUMNS, index=[3, 2, 1, 0])
    soft = soft_labels(frame, pd.DataFrame(PROBA))
    assert soft.X["length"].tolist() == [i + 1 for i in ITEMS]
    assert soft.X.index.tolist() == [3 - i for i in ITEMS]


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series, pl.Series])
def test_texts(kind: Any) -> None:
    soft = soft_labels(kind(list("abcd")), PROBA, class_names=["x", "y", "z"])
    assert list(soft.X) == list("abbbcccddd")
    assert soft.y.tolist() == list("xxyzxyzxyz")
    assert type(soft.X) is (list if kind is tuple else type(kind(["a"])))


def test_fit_hands_the_weights_to_the_right_argument() -> None:
    """By position they would be SGDClassifier's first coefficients; in a pipeline they belong to the last step."""
    features, proba = make_problem(3, 2)
    soft = soft_labels(features, proba)
    by_hand = SGDClassifier(random_state=0).fit(soft.X, soft.y, sample_weight=soft.sample_weight)
    np.testing.assert_array_equal(soft.fit(SGDClassifier(random_state=0)).coef_, by_hand.coef_)
    texts = soft_labels(["red", "green red", "blue", "blue green"], PROBA)
    piped = texts.fit(make_pipeline(CountVectorizer(), make_pipeline(MultinomialNB())))
    counted = CountVectorizer().fit_transform(texts.X)
    alone = MultinomialNB().fit(counted, texts.y, sample_weight=texts.sample_weight)
    np.testing.assert_array_equal(piped.predict_proba(texts.X), alone.predict_proba(counted))
    assert not np.allclose(alone.predict_proba(counted), MultinomialNB().fit(counted, texts.y).predict_proba(counted))


def test_a_search_takes_the_weights_and_keeps_items_together() -> None:
    features, proba = make_problem(5, 3)
    soft = soft_labels(features, proba)
    splits = list(GroupKFold(3).split(soft.X, soft.y, groups=soft.items))
    assert not any(set(soft.items[train]) & set(soft.items[test]) for train, test in splits)
    search = soft.fit(GridSearchCV(LogisticRegression(), {"C": [C_VALUE]}, cv=splits))
    np.testing.assert_allclose(
        search.predict_proba(features), least_cross_entropy(features, proba, np.ones(len(features))), atol=1e-3
    )


def test_a_classifier_without_weights_is_refused() -> None:
    with pytest.raises(tw.InvalidLabelsError, match=r"KNeighborsClassifier does not\. Choose another"):
        soft_labels(np.ones((4, 2)), PROBA).fit(KNeighborsClassifier())


BAD: list[tuple[dict[str, Any], str]] = [
    ({"proba": [[0.5, 0.4], [0.5, 0.5]]}, r"row 0 is \[0.5, 0.4\], sum 0.9 \(1 such rows\)"),
    ({"proba": [[0.5, 0.5], [np.nan, 1]]}, r"row 1 is \[nan, 1.0\]"),
    ({"proba": [[0.5, 0.5], [-0.5, 1.5]]}, r"row 1 is \[-0.5, 1.5\]"),
    ({"proba": [[0.5, 0.5], [np.inf, 0]]}, "row 1 is"),
    ({"proba": [0.5, 0.5]}, r"shape \(2,\).*column_stack"),
    ({"proba": [[1.0], [1.0]]}, r"shape \(2, 1\)"),
    ({"proba": np.empty((0, 2)), "X": []}, r"shape \(0, 2\)"),
    ({"proba": [["a", "b"], ["c", "d"]]}, "table of numbers"),
    ({"proba": [[0.5, 0.5], [1]]}, "table of numbers"),
    ({"X": ["a"]}, "found 1 rows of X and 2 of proba"),
    ({"X": np.ones((3, 2))}, "found 3 rows of X and 2 of proba"),
    ({"X": sp.eye_array(3)}, "found 3 rows of X and 2 of proba"),
    ({"X": pl.DataFrame({"a": [1]})}, "found 1 rows of X and 2 of proba"),
    ({"X": pl.LazyFrame({"a": [1, 2]})}, "lazy frame. Collect it first"),
    ({"X": pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])}, "different names"),
    ({"X": "ab"}, "found str"),
    ({"X": {"a": 1, "b": 2}}, "found dict"),
    ({"class_names": ["a"]}, "found 1 names, 1 of them different, for 2 columns"),
    ({"class_names": ["a", "a"]}, "found 2 names, 1 of them different"),
    ({"n_votes": [1]}, r"n_votes must be one number per item; found shape \(1,\) for 2 items"),
    ({"n_votes": [1, -2]}, r"n_votes must be finite and at least 0; found -2.0 at position 1 \(1 such items\)"),
    ({"sample_weight": [1, np.nan]}, "found nan at position 1"),
    ({"sample_weight": [np.inf, 1]}, "found inf at position 0"),
    ({"sample_weight": ["a", "b"]}, "cannot be read as numbers"),
    ({"keep": [0, 1]}, r"keep must be one truth value per item, 2 in all; found int64 values of shape \(2,\)"),
    ({"keep": [True]}, r"shape \(1,\)"),
    ({"keep": [False, False]}, "at least one item must be left"),
    ({"n_votes": [0, 0]}, "of 2 items none is"),
]


@pytest.mark.parametrize(("changed", "message"), BAD)
def test_what_does_not_fit_is_refused(changed: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"X": ["a", "b"], "proba": [[0.5, 0.5], [0, 1]]}
    assert len(soft_labels(**good).y) == 3
    with pytest.raises(tw.InvalidLabelsError, match=message):
        soft_labels(**(good | changed))


@pytest.mark.parametrize("min_weight", [-0.1, 1.1, np.nan])
def test_min_weight_lies_between_0_and_1(min_weight: float) -> None:
    with pytest.raises(ValueError, match="min_weight must lie between 0 and 1; found"):
        soft_labels(["a"], [[0.5, 0.5]], min_weight=min_weight)


@pytest.mark.parametrize("names", [["b", "a"], [5, 3], [True, False], [("a", 1), None], np.array([2.5, 1.5])])
def test_class_names_of_any_kind(names: Any) -> None:
    assert soft_labels(["x"], [[0.25, 0.75]], class_names=names).y.tolist() == list(names)


def test_the_example_prints_accuracies(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    if not EXAMPLE.exists():
        pytest.skip("the examples are not part of an installed package")
    monkeypatch.setattr(sys, "argv", [EXAMPLE.name])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    printed = capsys.readouterr().out.splitlines()[1:]
    accuracy = {line[:32].strip(): float(line[32:].split()[0]) for line in printed}
    assert list(accuracy)[:2] == ["100 gold labels alone", "soft labels, 95 % confidence"]
    assert min(accuracy.values()) > 1 / 3
    assert max(accuracy, key=lambda title: accuracy[title]) == "all true labels"
