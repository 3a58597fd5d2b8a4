"""Every shape that several tags come in means the same, and labels go out in the shape that came in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import thumbwise as tw

TAGS = ("fear", "joy", "rage")
JUDGES = ("ann", "bob")
N = 40


def made() -> tuple[dict[str, list[set[str] | None]], dict[str, set[str]]]:
    """What each judge says, None where it abstains, and gold: sets, which no reader knows."""
    rng = np.random.default_rng(7)
    said: dict[str, list[set[str] | None]] = {}
    for judge in JUDGES:
        there = rng.random((N, len(TAGS))) < 0.4
        said[judge] = [{tag for tag, t in zip(TAGS, row, strict=True) if t} for row in there]
        said[judge][3] = None
    said["ann"][0], said["bob"][1] = set(), {"fear", "joy", "rage"}
    gold = {f"q{i}": {tag for tag in TAGS if rng.random() < 0.5} for i in range(0, N, 3)}
    gold["q0"] = set()
    return said, gold


def expected(tag: str) -> tuple[list[list[int]], list[int]]:
    said, gold = made()
    votes = [[-1 if (own := said[judge][i]) is None else int(tag in own) for judge in JUDGES] for i in range(N)]
    return votes, [int(tag in gold[f"q{i}"]) if f"q{i}" in gold else -1 for i in range(N)]


def check(readings: tw.TagReadings, tags: tuple[str, ...] = TAGS) -> None:
    assert readings.tags == tags
    for tag in tags:
        votes, gold = expected(tag)
        assert readings[tag].votes.rule_names == JUDGES
        assert readings[tag].votes.class_names == ("no", "yes")
        assert readings[tag].votes.array.tolist() == votes
        assert readings[tag].gold.tolist() == gold
        assert readings[tag].votes.item_ids.tolist() == [f"q{i}" for i in range(N)]


def joined(tags: set[str] | None, sign: str = "|", none: str = "none") -> str | None:
    return None if tags is None else sign.join(sorted(tags, reverse=True)) or none


def listed(tags: set[str] | None) -> list[str] | None:
    return None if tags is None else sorted(tags)


def columns(**shape: Any) -> dict[str, list[Any]]:
    said, _ = made()
    return {"id": [f"q{i}" for i in range(N)], **{j: [shape["cell"](own) for own in said[j]] for j in JUDGES}}


@pytest.mark.parametrize("sign", ["|", ";", ",", " + "])
def test_joined_tags_in_a_csv_file(tmp_path: Path, sign: str) -> None:
    _, gold = made()
    pd.DataFrame(columns(cell=lambda own: joined(own, sign))).to_csv(tmp_path / "votes.csv", index=False)
    labels = [joined(own, sign) for own in gold.values()]
    pd.DataFrame({"id": list(gold), "label": labels}).to_csv(tmp_path / "gold.csv", index=False)
    say: dict[str, Any] = {"separator": sign} if sign == " + " else {}
    readings = tw.read_tags(tmp_path / "votes.csv", gold=tmp_path / "gold.csv", no_tags="none", **say)
    check(readings)
    assert f"tags are separated by {sign!r}" in readings.notes
    assert "an empty cell means abstained (2), as 'none' stands for no tags" in readings.notes


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "pandas", "polars", "pyarrow", "mapping"])
def test_lists(tmp_path: Path, kind: str) -> None:
    _, gold = made()
    table, labels = columns(cell=listed), {key: listed(own) for key, own in gold.items()}
    if kind == "jsonl":
        rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
        source: Any = tmp_path / "votes.jsonl"
        source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif kind == "parquet":
        source = tmp_path / "votes.parquet"
        pq.write_table(pa.table(table), source)
    else:
        source = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table, "mapping": dict}[kind](table)
    readings = tw.read_tags(source, gold=labels)
    check(readings)
    assert "an empty cell means abstained (2), as [] stands for no tags" in readings.notes


@pytest.mark.parametrize(("sign", "say"), [(":", False), ("_", True), ("__", False)])
def test_a_column_for_each_judge_and_tag(sign: str, say: bool) -> None:
    said, gold = made()
    options: dict[str, Any] = {"tags": TAGS} if say else {}
    table: dict[str, list[Any]] = {"id": [f"q{i}" for i in range(N)]}
    for judge in JUDGES:
        for tag in TAGS:
            table[f"{judge}{sign}{tag}"] = [None if own is None else int(tag in own) for own in said[judge]]
    by_tag = {tag: [int(tag in own) for own in gold.values()] for tag in TAGS}
    frame = pd.DataFrame({"id": list(gold), **by_tag})
    check(tw.read_tags(pd.DataFrame(table), gold=frame, **options))
    for tag in TAGS:
        table[f"truth{sign}{tag}"] = [int(tag in gold[key]) if key in gold else None for key in table["id"]]
    readings = tw.read_tags(pl.DataFrame(table), gold_column="truth", **options)
    check(readings)


def test_a_row_per_vote() -> None:
    said, gold = made()
    rows = [(f"q{i}", judge, joined(said[judge][i])) for i in range(N) for judge in JUDGES]
    table = dict(zip(("item", "worker", "label"), map(list, zip(*rows, strict=True)), strict=True))
    labels = [joined(gold[f"q{i}"]) if f"q{i}" in gold else None for i in range(N)]
    readings = tw.read_tags(table, gold=labels, no_tags="none")
    check(readings)


@pytest.mark.parametrize(("means", "vote"), [("no-tags", 0), ("abstained", -1)])
def test_an_empty_cell_means_what_is_said(means: Any, vote: int) -> None:
    table = {"id": [1, 2], "ann": ["joy|fear", None], "bob": ["joy", "  "]}
    readings = tw.read_tags(table, empty_means=means)
    for tag in ("fear", "joy"):
        assert readings[tag].votes.array[1].tolist() == [vote, vote]


@pytest.mark.parametrize(("means", "known"), [("no-tags", [1, 0]), ("unknown", [1, -1])])
def test_an_empty_gold_label_means_what_is_said(means: Any, known: list[int]) -> None:
    table = {"id": [1, 2], "ann": ["joy|fear", "joy"], "truth": ["joy", None]}
    readings = tw.read_tags(table, gold_column="truth", gold_empty_means=means)
    assert readings["joy"].gold.tolist() == known


def test_tags_are_settled_by_votes_and_list_whatever_gold_says() -> None:
    table = {"id": [1, 2, 3], "ann": ["joy|fear", "joy", "rage"]}
    for gold in ({1: "joy"}, {2: "rage"}, {1: "fear|rage", 3: "joy"}):
        assert tw.read_tags(table, gold=gold).tags == ("fear", "joy", "rage")
        listed_ones = tw.read_tags(table, gold=gold, tags=["rage", "love"])
        assert listed_ones.tags == ("rage", "love")
        assert "tags of the votes that are not asked about: 'fear', 'joy'" in listed_ones.notes
        assert listed_ones["love"].votes.array.tolist() == [[0], [0], [0]]


def majority(readings: tw.TagReadings) -> dict[str, tw.MajorityVote]:
    return {tag: tw.MajorityVote().fit(reading.votes) for tag, reading in readings.items()}


def test_joined_tags_go_out_joined(tmp_path: Path) -> None:
    table = {
        "id": ["a", "b", "c"],
        "ann": ["joy;fear", "joy", "none"],
        "bob": ["fear;joy", "joy", "none"],
        "text": "xyz",
    }
    table["text"] = ["x", "y", "z"]
    readings = tw.read_tags(table, no_tags="none", ignore=["text"])
    models = majority(readings)
    tw.write_tags(readings, models, tmp_path / "out.csv")
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines == ["id,tags,p_fear,p_joy,text", "a,fear;joy,1.0,1.0,x", "b,joy,0.0,1.0,y", "c,none,0.0,0.0,z"]
    again = tw.read_tags(tmp_path / "out.csv", no_tags="none", ignore=["text", "p_fear", "p_joy"])
    assert [again[tag].votes.array.ravel().tolist() for tag in ("fear", "joy")] == [[1, 0, 0], [1, 1, 0]]
    tw.write_tags(readings, models, tmp_path / "out.csv")  # labels are replaced, other files are not
    (tmp_path / "other.csv").write_text("id,tags\na,b\n")
    with pytest.raises(tw.InvalidFileError, match="overwrite"):
        tw.write_tags(readings, models, tmp_path / "other.csv")


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_lists_go_out_as_lists(tmp_path: Path, ending: str) -> None:
    table = {"id": ["a", "b"], "ann": [["joy", 'o"dd'], []], "bob": [['o"dd', "joy"], []]}
    readings = tw.read_tags(pl.DataFrame(table))
    tw.write_tags(readings, majority(readings), tmp_path / f"out.{ending}")
    path = tmp_path / f"out.{ending}"
    read = pl.read_ndjson(path) if ending == "jsonl" else pl.read_parquet(path)
    assert read["tags"].to_list() == [["joy", 'o"dd'], []]
    frame = tw.tags_frame(readings, majority(readings))
    assert frame["tags"].to_list() == [["joy", 'o"dd'], []]
    assert frame.columns == ["id", "tags", "p_joy", 'p_o"dd']


def test_columns_go_out_as_columns() -> None:
    frame = pd.DataFrame({"id": [1, 2], "ann_joy": [True, False], "ann_fear": [False, False]})
    readings = tw.read_tags(frame)
    out = tw.tags_frame(readings, majority(readings))
    assert out.to_dict("list") == {
        "id": [1, 2],
        "joy": [1, 0],
        "fear": [0, 0],
        "p_joy": [1.0, 0.0],
        "p_fear": [0.0, 0.0],
    }


def test_a_mark_for_no_answer_is_no_vote() -> None:
    table = {"id": [1, 2], "ann": ["joy|fear", "?"], "bob": ["joy", "none"]}
    readings = tw.read_tags(table, no_tags="none", abstain="?", gold={1: "joy", 2: "?"})
    assert readings["joy"].votes.array.tolist() == [[1, 1], [-1, 0]]
    assert readings["joy"].gold.tolist() == [1, -1]
