"""Every layout is found by what it says, read as a plain loop over its rows would read it, and echoed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.io

import thumbwise as tw
from io_cases.hostile import votes_by_name

ROWS = [
    ("q1", "ann", "cat"),
    ("q1", "bob", "dog"),
    ("q2", "ann", "cat"),
    ("q2", "eve", None),
    ("q3", "bob", "dog"),
    ("q3", "eve", "cat"),
]


def write(frame: pl.DataFrame, path: Path) -> None:
    writers: dict[str, Any] = {".csv": frame.write_csv, ".jsonl": frame.write_ndjson, ".parquet": frame.write_parquet}
    writers[path.suffix](path)


@pytest.mark.parametrize(
    "names",
    [
        ("item", "worker", "label"),
        ("task", "worker", "label"),
        ("task", "performer", "label"),
        ("Task", "Rule", "Vote"),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_long_tables_are_known_by_their_names(tmp_path: Path, names: tuple[str, str, str], ending: str) -> None:
    frame = pl.DataFrame(ROWS, schema=list(names), orient="row").with_columns(seconds=pl.lit(7))
    path = tmp_path / f"votes.{ending}"
    write(frame, path)
    for reading in (tw.read_votes(path), tw.read_votes(frame)):
        assert reading.layout == "long"
        assert votes_by_name(reading.votes) == {(i, w): y for i, w, y in ROWS if y is not None}
        assert reading.votes.item_ids.tolist() == ["q1", "q2", "q3"]
        assert reading.votes.rule_names == ("ann", "bob", "eve")
        assert f"a row per vote, by the columns {names[0]!r}, {names[1]!r} and {names[2]!r}" in str(reading)
        assert "columns that were not used: 'seconds'" in str(reading)


def test_long_table_with_gold_and_text() -> None:
    frame = pd.DataFrame(ROWS, columns=["task", "worker", "label"])
    frame["text"] = frame["task"].map({"q1": "<i>", "q2": "b", "q3": "c"})
    frame["truth"] = frame["task"].map({"q2": "cat", "q3": "dog"})
    reading = tw.read_votes(frame, ignore=["text"], gold_column="truth")
    assert reading.gold.tolist() == [-1, 0, 1]
    assert reading.gold_votes.item_ids.tolist() == ["q2", "q3"]
    labeled = tw.labels_frame(reading, tw.MajorityVote().fit(reading.votes))
    assert labeled["task"].tolist() == ["q1", "q2", "q3"]
    assert labeled["text"].tolist() == ["<i>", "b", "c"]
    frame.loc[1, "text"] = "another"
    with pytest.raises(tw.InvalidFileError, match=r"'text' does not for item 'q1', rows 0 and 1"):
        tw.read_votes(frame, ignore=["text"])


def test_repeated_votes_are_settled_by_an_argument() -> None:
    frame = pd.DataFrame([*ROWS, ("q1", "ann", "dog")], columns=["item", "worker", "label"])
    with pytest.raises(tw.InvalidVotesError, match="q1"):
        tw.read_votes(frame)
    assert votes_by_name(tw.read_votes(frame, duplicates="first").votes)["q1", "ann"] == "cat"
    assert votes_by_name(tw.read_votes(frame, duplicates="last").votes)["q1", "ann"] == "dog"


def test_one_vote_per_item_may_be_either_layout() -> None:
    frame = pd.DataFrame({"item": [1, 2], "worker": ["a", "b"], "label": ["b", "a"]})
    with pytest.raises(tw.InvalidFileError, match=r'Say layout="long" or layout="wide"'):
        tw.read_votes(frame)
    assert tw.read_votes(frame, layout="long").votes.rule_names == ("a", "b")
    assert tw.read_votes(frame, layout="wide").votes.rule_names == ("worker", "label")


def wide(values: list[Any], **columns: Any) -> pd.DataFrame:
    return pd.DataFrame({"id": range(len(values)), "a": values, **columns})


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (wide([1, 2, -1]), r"found -1, 1, 2 and no 0 .*numbered from 1, list them: class_names=\[1, 2"),
        (wide([1, -1, 1]), r"if -1 is a class, say codes=\{-1: NAME, 1: NAME\}"),
        (wide(["yes", "no", "?"]), r"'\?', which may be a class or a mark for abstain"),
        (wide(["yes", "no", "none"]), "'none', which may be a class"),
        (wide(["yes", "no", "-1"]), "'-1', which may be a class"),
        (wide(["yes", "no", "yes"], b=[0, 1, 0]), r"column 'a' holds names, column 'b' numbers"),
        (pd.DataFrame({"id": [1], "item": [2], "a": [0]}), "one column must hold the ids; 2 may"),
        (pd.DataFrame({"item": [1, 1], "task": [1, 1], "worker": [1, 2], "label": [0, 1]}), "one column must hold the"),
    ],
)
def test_what_may_mean_two_things_is_asked_for(frame: pd.DataFrame, message: str) -> None:
    with pytest.raises(tw.ThumbwiseError, match=message):
        tw.read_votes(frame)


def test_numbers_from_1_are_read_as_listed() -> None:
    reading = tw.read_votes(wide([1, 2, -1]), class_names=[1, 2])
    assert reading.votes.array[:, 0].tolist() == [0, 1, -1]
    assert tw.read_votes(wide([1, 2, -1]), class_names=[0, 1, 2]).votes.array[:, 0].tolist() == [1, 2, -1]


CODES = {-1: "no", 1: "yes", 0: None}


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_flying_squids_coding_only_when_said(tmp_path: Path, ending: str) -> None:
    array = np.array([[-1, 0], [1, 1], [0, -1], [0, 0]])
    frame = pl.DataFrame({"id": [1, 2, 3, 4], "a": array[:, 0], "b": array[:, 1]})
    path = tmp_path / f"votes.{ending}"
    write(frame, path)
    assert tw.read_votes(path).votes.array.tolist() == array.tolist()
    expected = [[0, -1], [1, 1], [-1, 0], [-1, -1]]
    for reading in (tw.read_votes(path, codes=CODES, gold={2: "yes", 3: -1}), tw.read_votes(frame, codes=CODES)):
        assert reading.votes.array.tolist() == expected
        assert reading.votes.class_names == ("no", "yes")
    assert tw.read_votes(path, codes=CODES, gold={2: "yes", 3: -1}).gold.tolist() == [-1, 1, 0, -1]
    assert tw.Votes(array, codes=CODES).array.tolist() == expected
    with pytest.raises(tw.InvalidVotesError, match=r"column 'a' holds '0' in row 2, counting from 0 \(2 such rows\)"):
        tw.read_votes(path, codes={-1: "no", 1: "yes"})


def write_wrench(folder: Path, n_items: int = 40) -> tuple[dict[str, Any], np.ndarray]:
    rng = np.random.default_rng(3)
    y = rng.integers(2, size=n_items)
    votes = np.where(rng.random((n_items, 3)) < 0.8, y[:, None], -1)
    items = {
        str(i): {"label": int(y[i]), "weak_labels": votes[i].tolist(), "data": {"text": f"<b>{i}"}}
        for i in range(n_items)
    }
    for part in ("train", "valid", "test"):
        (folder / f"{part}.json").write_text(json.dumps(items))
    (folder / "label.json").write_text('{"0": "ham", "1": "spam"}')
    (folder / "labeled_ids.json").write_text('["3", "5"]')
    return items, votes


def test_wrench_folder_keeps_leaked_items_out(tmp_path: Path) -> None:
    items, votes = write_wrench(tmp_path)
    reading = tw.read_votes(tmp_path)
    kept = [i for i in range(len(items)) if i not in (3, 5)]
    assert reading.votes.item_ids.tolist() == [f"train/{i}" for i in kept]
    assert reading.votes.array.tolist() == votes[kept].tolist()
    assert reading.gold_is == "separate"
    assert reading.gold_votes.item_ids.tolist() == [f"valid/{i}" for i in items]
    assert reading.gold_labels.tolist() == [item["label"] for item in items.values()]
    assert reading.passed_on["text"].tolist() == [f"<b>{i}" for i in kept]
    assert "2 items of train.json are left out" in str(reading)
    model = tw.BalsubramaniFreund().fit(reading.votes, box=reading.box())
    assert model.certificate_.evidence.n_gold == len(items)
    with pytest.raises(tw.InvalidFileError, match="says itself what it holds; found gold"):
        tw.read_votes(tmp_path, gold={"train/0": "ham"})


def test_mat_file(tmp_path: Path) -> None:
    pool, gold = np.array([[0, 1], [2, -1], [1, 1]]), np.array([[0, 0], [1, 2]])
    parts = {"train_pred": pool, "val_pred": gold, "validation_labels": [[0, 2]], "train_labels": [[0, 1, 2]]}
    scipy.io.savemat(tmp_path / "some.mat", parts)
    reading = tw.read_votes(tmp_path / "some.mat")
    assert reading.votes.array.tolist() == pool.tolist()
    assert reading.votes.n_classes == 3
    assert reading.gold_votes.array.tolist() == gold.tolist()
    assert reading.gold_labels.tolist() == [0, 2]
    assert "3 items of 'train_pred' are the pool" in str(reading)


def test_records_of_judges(tmp_path: Path) -> None:
    records = [
        {"item": 1, "judge": "x", "verdict": "good"},
        {"item": 1, "judge": "y", "verdict": None, "status": "failed", "error": "timeout"},
        {"item": 2, "judge": "x", "verdict": "bad"},
        {"item": 2, "judge": "y", "verdict": None, "status": "abstained"},
    ]
    (tmp_path / "jury.jsonl").write_text("\n".join(map(json.dumps, records)))
    reading = tw.read_votes(tmp_path / "jury.jsonl", gold={1: "good"})
    assert reading.layout == "jury"
    assert votes_by_name(reading.votes) == {("1", "x"): "good", ("2", "x"): "bad"}
    assert reading.gold.tolist() == [1, -1]
    assert reading.jury is not None
    counts = {judge.name: (judge.n_voted, judge.n_abstained, judge.n_failed) for judge in reading.jury.judges}
    assert counts == {"x": (2, 0, 0), "y": (0, 1, 1)}


def test_gold_of_every_kind_says_the_same() -> None:
    frame = wide(["ham", "spam", "ham", None])
    by_id = {1: "spam", 3: "ham"}
    kinds = [
        by_id,
        pd.DataFrame({"id": list(by_id), "label": list(by_id.values())}),
        pl.DataFrame({"id": ["1", "3"], "y": ["spam", "ham"], "note": ["", ""]}),
        [None, "spam", None, "ham"],
        np.array([-1, 1, -1, 0]),
    ]
    for gold in kinds[:-1]:
        assert tw.read_votes(frame, gold=gold).gold.tolist() == [-1, 1, -1, 0]
    numbers = wide([0, 1, 0, -1])
    assert tw.read_votes(numbers, gold=kinds[-1]).gold.tolist() == [-1, 1, -1, 0]


def test_an_index_of_ones_own_is_the_ids() -> None:
    frame = pd.DataFrame({"a": ["ham", "spam"], "b": ["ham", None]}, index=pd.Index(["x", "y"], name="mail"))
    reading = tw.read_votes(frame, item_id="mail", gold={"y": "spam"})
    assert reading.votes.item_ids.tolist() == ["x", "y"]
    assert reading.gold.tolist() == [-1, 1]


@pytest.mark.parametrize("source", [[[0, 1]], np.zeros((2, 2)), 7])
def test_what_is_no_table_is_sent_to_votes(source: Any) -> None:
    with pytest.raises(tw.InvalidVotesError, match=r"must be a path or a frame.*Votes\.from_long"):
        tw.read_votes(source)


def test_ids_of_zero_and_minus_zero_are_one_number() -> None:
    """Two texts, so that what is repeated is not found by them."""
    votes = {"id": [0.0, 1.5, -0.0], "a": [1, 0, 1], "b": [1, 0, 0]}
    with pytest.raises(tw.InvalidVotesError, match=r"column 'id' of the votes holds '-0.0' in rows 0 and 2"):
        tw.read_votes(votes, item_id="id")
    gold = pd.DataFrame({"id": [0.0, -0.0], "label": [1, 1]})
    with pytest.raises(tw.InvalidVotesError, match=r"holds '-0.0' in rows 0 and 1, .*\(1 rows too many in all\)"):
        tw.read_votes({**votes, "id": [0.0, 1.5, 2.5]}, gold=gold, item_id="id")
