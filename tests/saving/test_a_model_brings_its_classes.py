"""A week in which nobody votes for a class is labeled by a model that knows it, without listing the classes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import thumbwise as tw
from thumbwise.tables.table_files import read_table

CLASSES = ("ham", "news", "spam")
RULES = ["caps", "links", "length"]


def make_frame(n_items: int, seed: int, classes: tuple[str, ...] = CLASSES, make: Any = pd.DataFrame) -> Any:
    rng = np.random.default_rng(seed)
    array = rng.integers(-1, len(classes), size=(n_items, 3))
    return make({rule: [None if v < 0 else classes[v] for v in array[:, j]] for j, rule in enumerate(RULES)})


@pytest.fixture
def model(tmp_path: Path) -> Any:
    """Loaded from a file, as a week later."""
    tw.DawidSkene().fit(make_frame(400, seed=1)).save(tmp_path / "model.json")
    return tw.load(tmp_path / "model.json")


def expected_proba(model: Any, frame: Any) -> Any:
    """By class numbers that are looked up here."""
    number = {name: c for c, name in enumerate(CLASSES)}
    columns = [[number.get(value, -1) for value in frame[rule]] for rule in RULES]
    votes = tw.Votes(np.array(columns).T, class_names=CLASSES, rule_names=RULES)
    return model.predict_proba(votes)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("seen", [("ham",), ("spam",), ("ham", "news"), ("spam", "news")])
def test_raw_votes(model: Any, seen: tuple[str, ...], make: Any) -> None:
    week = make_frame(60, 2, seen, make)
    expected = expected_proba(model, week)
    for votes in (week, np.array([week[rule].to_list() for rule in RULES], dtype=object).T):
        assert model.predict_proba(votes).tolist() == expected.tolist()
        assert model.predict(votes).tolist() == [CLASSES[c] for c in expected.argmax(axis=1)]
        drift = model.check_drift(votes)
        assert drift.n_items == 60


@pytest.mark.parametrize("seen", [("ham", "news"), ("spam", "news")])
def test_votes_that_were_read_without_the_model(tmp_path: Path, model: Any, seen: tuple[str, ...]) -> None:
    week = make_frame(60, 2, seen)
    expected = expected_proba(model, week)
    reading = tw.read_votes(week)
    assert reading.votes.class_names == tuple(sorted(seen))
    rows = [(i, rule, week[rule][i]) for i in range(60) for rule in RULES]
    for votes in (reading, reading.votes, tw.Votes.from_long(rows)):
        assert model.predict_proba(votes).tolist() == expected.tolist()
    frame = tw.labels_frame(reading, model)
    assert [name for name in frame.columns if name.startswith("p_")] == [f"p_{name}" for name in CLASSES]
    assert frame[[f"p_{name}" for name in CLASSES]].to_numpy().tolist() == expected.tolist()
    tw.write_labels(reading, model, tmp_path / "labels.parquet")
    assert read_table(tmp_path / "labels.parquet").columns["p_spam"].tolist() == expected[:, 2].tolist()
    assert tw.labels_frame(reading, model, shape="crowd-kit").columns.tolist() == ["task", "agg_label", *CLASSES]


@pytest.mark.parametrize("numbered", [False, True])
def test_one_class_is_read_with_the_classes_of_the_model(tmp_path: Path, numbered: bool) -> None:
    month, week = make_frame(400, 1), make_frame(60, 2, ("ham",))
    if numbered:
        number = {name: c for c, name in enumerate(CLASSES)}
        month, week = (frame.apply(lambda column: column.map(number)) for frame in (month, week))
    model = tw.DawidSkene().fit(month)
    week.to_csv(tmp_path / "week.csv", index_label="id")
    with pytest.raises(tw.InvalidVotesError, match=r"class_names=\[...\]"):
        tw.read_votes(tmp_path / "week.csv")
    reading = tw.read_votes(tmp_path / "week.csv", class_names=model.classes_)
    assert reading.votes.class_names == tuple(model.classes_.tolist())
    assert model.predict_proba(reading).tolist() == model.predict_proba(week).tolist()
    assert len(tw.labels_frame(reading, model)["label"]) == 60


def test_classes_keep_their_order_whatever_the_votes_have(model: Any) -> None:
    week = make_frame(60, 2)
    shuffled = tw.Votes(week, class_names=["spam", "ham", "news"])
    assert model.predict_proba(shuffled).tolist() == expected_proba(model, week).tolist()


def test_a_class_that_the_model_does_not_know_is_refused(model: Any) -> None:
    week = make_frame(60, 2, ("ham", "scam"))
    with pytest.raises(tw.InvalidVotesError, match="'scam'"):
        model.predict_proba(week)
    with pytest.raises(tw.InvalidVotesError, match=r"must have the classes that the model was fitted with.*'scam'"):
        model.predict_proba(tw.Votes(week))
    with pytest.raises(tw.InvalidVotesError, match="1 of theirs are not among these, such as 'scam'"):
        tw.labels_frame(tw.read_votes(week), model)
