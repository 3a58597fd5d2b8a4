"""Predictions of files and frames: the same as arrays in the order of the items, whatever order their rows have.

Kills, tried once: rows taken in the order of the file; labels counted for losses; ``gold_unseen`` that makes the box
without the model; a refusal of the first model only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import thumbwise as tw
from errors.messages import assert_says, message_of
from thumbwise.numerics.intervals import hypergeometric_bounds

CLASSES = ["ham", "spam"]
N_ITEMS, N_GOLD = 200, 80


def make_reading() -> tuple[tw.Reading, np.ndarray]:
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=N_ITEMS)
    array = np.where(rng.random((N_ITEMS, 3)) < [0.9, 0.8, 0.7], truth[:, None], 1 - truth[:, None])
    ids = [f"i{i}" for i in range(N_ITEMS)]
    table = pd.DataFrame({"id": ids, **{f"r{j}": np.array(CLASSES)[array[:, j]] for j in range(3)}})
    gold = {ids[i]: CLASSES[truth[i]] for i in rng.choice(N_ITEMS, N_GOLD, replace=False)}
    return tw.read_votes(table, gold=gold), truth


READING, TRUTH = make_reading()


def model(seed: int, accuracy: float = 0.85) -> np.ndarray:
    right = np.random.default_rng(seed).random(N_ITEMS) < accuracy
    return np.where(right, TRUTH, 1 - TRUTH)


def frame_of(labels: np.ndarray, name: str = "prediction") -> pd.DataFrame:
    """Rows in an order of their own."""
    frame = pd.DataFrame({"id": READING.votes.item_ids, name: np.array(CLASSES)[labels]})
    return frame.sample(frac=1, random_state=1)


SOURCES: dict[str, Callable[[pd.DataFrame, Path], object]] = {
    "pandas": lambda frame, _: frame,
    "polars": lambda frame, _: pl.DataFrame(frame.to_dict("list")),
    "path": lambda frame, path: frame.to_csv(path, index=False) or path,
    "name": lambda frame, path: frame.to_csv(path, index=False) or str(path),
    "index": lambda frame, _: frame.set_index("id"),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_rows_find_their_items(tmp_path: Path, kind: str) -> None:
    predictions = tw.read_predictions(SOURCES[kind](frame_of(model(1)), tmp_path / "model.csv"), READING)
    np.testing.assert_array_equal(predictions.labels, np.eye(2)[model(1)])
    assert predictions.proba is None


def test_labels_count_for_accuracy_and_probabilities_for_losses() -> None:
    proba = np.random.default_rng(3).dirichlet([1, 1], N_ITEMS)
    frame = frame_of(model(1)).sort_index()
    frame["p_ham"], frame["p_spam"] = proba.T
    both = tw.read_predictions(frame, READING)
    box = READING.box()
    for metric, given in (("accuracy", model(1)), ("log_loss", proba), ("brier", proba)):
        ours = tw.certify(both, READING, metric=metric)  # type: ignore[arg-type]
        theirs = tw.certify(given, READING.votes, box, metric=metric)  # type: ignore[arg-type]
        assert (ours.lower, ours.upper) == (theirs.lower, theirs.upper)
    alone = tw.read_predictions(frame.drop(columns="prediction"), READING)
    np.testing.assert_array_equal(alone.labels, proba)


def by_hand(*models: np.ndarray) -> tuple[tw.Votes, tw.Box]:
    """Each model one more rule, in an array of votes that nobody but NumPy made."""
    known = READING.gold >= 0
    array = np.column_stack([READING.votes.array, *models])
    pool = tw.Votes(array, class_names=CLASSES, item_ids=READING.votes.item_ids)
    labels = READING.gold[known]
    box = tw.Box.from_gold(pool.take(known), labels, pool=pool, gold_is="subset", confidence_level=0.995)
    lower, upper = box.lower.copy(), box.upper.copy()
    for j, given in enumerate(models, start=READING.votes.n_rules):  # nine tenths of the error are for the models
        n_right = int((given[known] == labels).sum())
        bounds = hypergeometric_bounds(n_right, int(known.sum()), len(given), 0.045 / len(models))
        lower[j], upper[j] = (int(bound) / len(given) for bound in bounds)
    return pool, replace(box, lower=lower, upper=upper)


@pytest.mark.parametrize("with_other", [False, True])
@pytest.mark.parametrize("as_read", [False, True])
def test_a_model_that_has_not_seen_gold_is_one_more_rule(with_other: bool, as_read: bool) -> None:
    models = [model(1), model(2, 0.6)][: 1 + with_other]
    given = [tw.read_predictions(frame_of(labels), READING) if as_read else labels for labels in models]
    pool, box = by_hand(*models)
    expected = tw.certify(models[0], pool, box, versus=models[1] if with_other else None)
    found = tw.certify(given[0], READING, versus=given[1] if with_other else None, gold_unseen=True)
    assert (found.lower, found.upper) == pytest.approx((expected.lower, expected.upper), abs=1e-12)
    plain = tw.certify(given[0], READING, versus=given[1] if with_other else None)
    assert found.upper - found.lower < plain.upper - plain.lower


def test_the_level_is_that_of_the_box() -> None:
    wide, narrow = (tw.certify(model(1), READING, gold_unseen=True, confidence_level=level) for level in (0.99, 0.6))
    assert wide.upper - wide.lower > narrow.upper - narrow.lower
    assert wide.evidence.confidence_level == 0.99


@pytest.mark.parametrize("other", [None, model(1)])
def test_predictions_that_know_gold_are_refused_in_the_words_of_python(other: np.ndarray | None) -> None:
    said = message_of(tw.InvalidLabelsError, lambda: tw.certify(TRUTH, READING, versus=other, gold_unseen=True))
    assert_says(said, "gold_unseen must be true: the predictions agree with all 80 gold labels", "Drop gold_unseen")
    assert "--" not in said


def test_the_other_model_must_not_know_gold_either() -> None:
    knows = tw.read_predictions(frame_of(TRUTH), READING)
    said = message_of(tw.InvalidLabelsError, lambda: tw.certify(model(1), READING, versus=knows, gold_unseen=True))
    assert_says(said, "the predictions of the table agree with all 80")


def test_labels_that_we_made_with_gold_are_refused_though_one_of_them_was_changed() -> None:
    fitted = tw.BalsubramaniFreund().fit(READING.votes, box=READING.box())
    ours = tw.labels_frame(READING, fitted)
    at = int(np.flatnonzero(READING.gold >= 0)[0])
    ours.loc[at, "label"] = CLASSES[1 - READING.gold[at]]
    predictions = tw.read_predictions(ours, READING)
    said = message_of(tw.InvalidLabelsError, lambda: tw.certify(predictions, READING, gold_unseen=True))
    assert_says(said, "gold_unseen must be true: the table holds labels that thumbwise made with gold")


def test_gold_that_was_not_predicted_is_said() -> None:
    known = READING.gold >= 0
    apart = tw.Reading(
        READING.votes.take(~known), READING.gold[~known], (READING.votes.take(known), READING.gold[known]), "id"
    )
    said = message_of(tw.InvalidLabelsError, lambda: tw.certify(model(1)[~known], apart, gold_unseen=True))
    assert_says(said, "gold_unseen needs gold items that have a prediction", "Drop gold_unseen")


def test_without_gold_there_is_nothing_to_make_a_box_of() -> None:
    said = message_of(tw.InvalidBoxError, lambda: tw.certify(model(1), READING.votes))
    assert_says(said, "a range needs a box", "found neither")
    said = message_of(tw.InvalidBoxError, lambda: tw.certify(model(1), READING.votes, gold_unseen=True))
    assert_says(said, "gold_unseen=True needs gold labels", "votes alone")
    said = message_of(tw.InvalidBoxError, lambda: tw.certify(model(1), READING, READING.box(), gold_unseen=True))
    assert_says(said, "gold_unseen=True needs gold labels", "a box that was made without them")


def test_losses_of_labels_are_refused_in_the_words_of_python() -> None:
    said = message_of(
        tw.InvalidFileError,
        lambda: tw.certify(tw.read_predictions(frame_of(model(1)), READING), READING, metric="brier"),
    )
    assert_says(said, "brier needs a column of probabilities", 'metric="accuracy"')
