"""Labels come out as what they should be: margins, entropies, other tools' shapes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import entropy

import thumbwise as tw
from thumbwise.tables.table_files import read_table


@pytest.fixture
def reading() -> tw.Reading:
    rng = np.random.default_rng(1)
    array = rng.integers(-1, 3, size=(50, 4))
    names = np.array(["ham", "spam", "eggs", None], dtype=object)
    frame = pd.DataFrame(names[array], columns=list("abcd")).assign(id=[f"m{i}" for i in range(50)], text="<b>")
    return tw.read_votes(frame, ignore=["text"], class_names=["ham", "spam", "eggs"])


def test_margin_and_entropy(reading: tw.Reading) -> None:
    model = tw.DawidSkene().fit(reading.votes)
    proba = model.predict_proba(reading.votes)
    frame = tw.labels_frame(reading, model)
    assert list(frame) == ["id", "label", "p_ham", "p_spam", "p_eggs", "margin", "entropy", "n_votes", "text"]
    np.testing.assert_array_equal(frame[["p_ham", "p_spam", "p_eggs"]].to_numpy(), proba)
    descending = np.sort(proba, axis=1)[:, ::-1]
    np.testing.assert_allclose(frame["margin"], descending[:, 0] - descending[:, 1], atol=1e-15)
    np.testing.assert_allclose(frame["entropy"], entropy(proba, axis=1), atol=1e-12)
    assert frame["label"].tolist() == model.predict(reading.votes).tolist()
    assert frame["n_votes"].tolist() == (reading.votes.array >= 0).sum(axis=1).tolist()


def test_certain_items_have_no_entropy() -> None:
    reading = tw.read_votes(pd.DataFrame({"a": [0, 1], "b": [0, 1]}))
    frame = tw.labels_frame(reading, tw.MajorityVote().fit(reading.votes))
    assert frame["entropy"].tolist() == [0, 0]
    assert frame["margin"].tolist() == [1, 1]


def test_shapes_of_other_tools_in_files(tmp_path: Path, reading: tw.Reading) -> None:
    model = tw.MajorityVote().fit(reading.votes)
    proba = model.predict_proba(reading.votes)
    tw.write_labels(reading, model, tmp_path / "crowd.csv", shape="crowd-kit")
    assert read_table(tmp_path / "crowd.csv").names == ("task", "agg_label", "ham", "spam", "eggs")
    tw.write_labels(reading, model, tmp_path / "snorkel.parquet", shape="snorkel")
    table = read_table(tmp_path / "snorkel.parquet")
    assert table.names == ("id", "pred", "prob_0", "prob_1", "prob_2")
    ties = (proba >= proba.max(axis=1, keepdims=True) - 1e-9).sum(axis=1) > 1
    assert 0 < ties.sum() < 50
    np.testing.assert_array_equal(table.columns["pred"].data, np.where(ties, -1, proba.argmax(axis=1)))
    with pytest.raises(tw.InvalidChoiceError, match="shape must be one of"):
        tw.labels_frame(reading, model, shape="other")  # type: ignore[arg-type]


def test_objects_of_other_tools(reading: tw.Reading) -> None:
    proba = tw.MajorityVote().fit(reading.votes).predict_proba(reading.votes)
    labels, probas = tw.as_crowd_kit(reading.votes, proba)
    assert labels.name == "agg_label"
    assert labels.index.name == "task"
    assert labels.index.tolist() == reading.votes.item_ids.tolist()
    assert labels.tolist() == probas.idxmax(axis=1).tolist()
    assert probas.columns.tolist() == ["ham", "spam", "eggs"]
    np.testing.assert_array_equal(probas.to_numpy(), proba)
    with pytest.raises(tw.InvalidLabelsError, match=r"its shape is \(50, 2\)"):
        tw.as_crowd_kit(reading.votes, proba[:, :2])
    with pytest.raises(tw.InvalidLabelsError, match=r"its shape is \(50,\)"):
        tw.as_snorkel(proba[:, 0])


def test_columns_that_would_clash_are_refused(reading: tw.Reading) -> None:
    frame = reading.source.rename(columns={"text": "Margin"})
    clashing = tw.read_votes(frame, ignore=["Margin"])
    with pytest.raises(tw.InvalidFileError, match="found 'margin' and 'Margin'"):
        tw.labels_frame(clashing, tw.MajorityVote().fit(clashing.votes))
