"""Label Studio: drawn items go out as tasks, and the export that comes back is gold with its design.

Kills, tried once: a cancelled annotation that counts; predictions as gold; the last annotation in place of the first;
ground truth ignored; several choices of which the first is taken.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thumbwise as tw
from errors.messages import assert_says, message_of
from io_cases.hostile import NAMES
from thumbwise.io.exports.label_studio import read_export, write_tasks
from thumbwise.io.gold_draws import items_to_label
from thumbwise.tables.table_files import Table, read_table

TRUTH = np.random.default_rng(2).integers(2, size=40)


def items() -> Table:
    texts = np.array([*NAMES, *(f"text {i}" for i in range(40 - len(NAMES)))], dtype=object)
    return Table({"id": np.ma.arange(40), "text": np.ma.array(texts, mask=np.arange(40) == 39)})


def votes_file(folder: Path) -> Path:
    said = np.where(np.random.default_rng(1).random((40, 3)) < 0.8, TRUTH[:, None], 1 - TRUTH[:, None])
    rows = [f"{i}," + ",".join(["no", "yes"][vote] for vote in row) for i, row in enumerate(said.tolist())]
    (folder / "votes.csv").write_text("\n".join(["id,a,b,c", *rows]) + "\n")
    return folder / "votes.csv"


def annotation(choice: str | None, control: str = "verdict", **more: Any) -> dict[str, Any]:
    """As Label Studio exports one; fields that are not looked at included."""
    entry = {
        "id": "Dx_aB91ISN",
        "from_name": control,
        "to_name": "text",
        "type": "choices",
        "origin": "manual",
        "value": {"choices": [choice]},
    }
    plain = {"id": 1001, "completed_by": 10, "was_cancelled": False, "ground_truth": False, "lead_time": 4.288}
    return {**plain, "result": [] if choice is None else [entry], **more}


def task(data: dict[str, Any], *annotations: dict[str, Any]) -> dict[str, Any]:
    guess = {"model_version": "m", "score": 0.9, "result": annotation("guessed")["result"]}
    about = {"id": 7000, "project": 83, "created_at": "2021-03-09T21:52:49.513742Z", "meta": {}, "drafts": []}
    return {**about, "data": data, "annotations": list(annotations), "predictions": [guess]}


def export(folder: Path, tasks: Any) -> Path:
    (folder / "export.json").write_text(json.dumps(tasks))
    return folder / "export.json"


def drawn_tasks(folder: Path, n: int = 12) -> list[dict[str, Any]]:
    write_tasks(items_to_label(items(), "id", n, seed=5), folder / "tasks.json")
    tasks: list[dict[str, Any]] = json.loads((folder / "tasks.json").read_text())
    return tasks


def truth_of(one: dict[str, Any]) -> str:
    return ["no", "yes"][int(TRUTH[one["data"]["id"]])]


def test_tasks_hold_what_was_drawn_in_its_order_and_no_label(tmp_path: Path) -> None:
    tasks = drawn_tasks(tmp_path)
    assert [list(one) for one in tasks] == [["data"]] * 12
    assert [one["data"]["draw"] for one in tasks] == list(range(1, 13))
    texts = items().columns["text"].tolist()
    for one in tasks:
        assert list(one["data"]) == ["id", "text", "draw", "design"]
        assert one["data"]["text"] == texts[one["data"]["id"]]
        assert one["data"]["design"] == "random draw of 12 from 40 items without gold (seed 5)"


@pytest.mark.parametrize(
    ("left_out", "skipped", "note"),
    [
        (set(), set(), "12 of 40 items, and all of them have a label"),
        ({11, 12}, set(), "the first 10 of them have a label, 2 have none yet"),
        ({3}, set(), "1 of the 12 items that were drawn have no label"),
        (set(), {3}, "1 of the 12 items that were drawn have no label"),
    ],
)
def test_an_export_is_gold_with_its_design(tmp_path: Path, left_out: set[int], skipped: set[int], note: str) -> None:
    tasks = [
        task(one["data"], annotation(truth_of(one), was_cancelled=one["data"]["draw"] in skipped))
        for one in reversed(drawn_tasks(tmp_path))
        if one["data"]["draw"] not in left_out
    ]
    reading = tw.read_votes(votes_file(tmp_path), gold=export(tmp_path, tasks))
    known = np.flatnonzero(reading.gold >= 0)
    assert len(known) == 12 - len(left_out | skipped)
    assert (reading.gold[known] == TRUTH[known]).all()
    assert any(note in text for text in reading.notes), reading.notes
    assert reading.box().evidence.is_guarantee is ("1 of" not in note)


@pytest.mark.parametrize(
    ("annotations", "label"),
    [
        ([], None),
        ([annotation("a")], "a"),
        ([annotation("a"), annotation("b")], "a"),
        ([annotation("a", was_cancelled=True), annotation("b")], "b"),
        ([annotation("a", was_cancelled=True)], None),
        ([annotation(None), annotation("b")], "b"),
        ([annotation("a"), annotation("b", ground_truth=True), annotation("c", ground_truth=True)], "b"),
        ([annotation("a"), annotation("b", ground_truth=True, was_cancelled=True)], "a"),
        ([{"result": annotation("a")["result"]}], "a"),
    ],
)
def test_which_annotation_counts(tmp_path: Path, annotations: list[dict[str, Any]], label: str | None) -> None:
    table = read_export(export(tmp_path, [task({"id": 1}, *annotations), task({"id": 2}, annotation("z"))]))
    assert table.columns["label"].tolist() == [label, "z"]


def test_other_results_beside_a_choice_are_not_looked_at(tmp_path: Path) -> None:
    said = annotation("a")
    said["result"].insert(0, {"type": "textarea", "from_name": "why", "value": {"text": ["because"]}})
    assert read_export(export(tmp_path, [task({"id": 1}, said)])).columns["label"].tolist() == ["a"]


def test_one_of_several_controls_is_named(tmp_path: Path) -> None:
    both = annotation("yes")
    both["result"] += annotation("long", control="length")["result"]
    path = export(tmp_path, [task({"id": i}, both) for i in range(9)])
    said = message_of(tw.InvalidFileError, lambda: read_export(path))
    assert_says(said, "'verdict', 'length'", "gold_label=NAME")
    assert read_export(path, "length").columns["label"].tolist() == ["long"] * 9
    assert set(tw.read_votes(votes_file(tmp_path), gold=path, gold_label="verdict").gold.tolist()) == {1, -1}
    assert_says(message_of(tw.InvalidFileError, lambda: read_export(path, "depth")), "'verdict', 'length'")


def test_fields_are_columns_and_a_field_called_label_gives_way(tmp_path: Path) -> None:
    data = {"id": 1, "chat": [{"role": "user"}], "label": "old", "$undefined$": "x"}
    table = read_export(export(tmp_path, [task(data, annotation("new")), task({"id": 2, "more": 3.5})]))
    assert table.names == ("id", "chat", "more", "label")
    assert table.columns["label"].tolist() == ["new", None]
    assert table.columns["chat"].tolist()[0] == '[{"role": "user"}]'


CHOICE = annotation("a")["result"][0]


@pytest.mark.parametrize(
    ("tasks", "words"),
    [
        ([], ["holds no task"]),
        ({"id": 1}, ["a list of tasks", "an object with 1 fields"]),
        ([3], ["[0] must be a task with data and annotations", "found int"]),
        ([{"id": 1, "text": "x", "verdict": "a"}], ["'id', 'text', 'verdict'", "JSON_MIN"]),
        ([{"data": {}, "completions": []}], ["'completions', 'data'", "before 1.0"]),
        ([{"data": "x", "annotations": []}], ["with data and annotations"]),
        ([{"data": {}, "annotations": [1001]}], ["annotations[0] must be an annotation with its result"]),
        ([{"data": {}, "annotations": {}}], ["[0].annotations must be a list"]),
        ([task({}, {"result": {}})], ["annotations[0].result must be a list"]),
        ([task({}, {"result": [7]})], ["a result with its type"]),
        (
            [task({}, {"result": [{"type": "rectanglelabels"}]})],
            ["of type 'choices'", "found 'rectanglelabels'", "no class of an item"],
        ),
        ([task({}, {"result": [{**CHOICE, "value": {"choices": ["a", "b"]}}]})], ["one choice", "found a, b"]),
        ([task({}, {"result": [{**CHOICE, "value": {"choices": []}}]})], ["one choice", "found none"]),
        ([task({}, {"result": [{**CHOICE, "value": {"choices": [["a", "b"]]}}]})], ["one choice", "a text"]),
        ([task({}, {"result": [{**CHOICE, "value": 7}]})], ["one choice"]),
        ([task({}, {"result": [CHOICE, CHOICE]})], ["one choice"]),
        ([task({}, annotation("a", was_cancelled="no"))], ["was_cancelled must be true or false"]),
    ],
)
def test_other_shapes_are_refused_with_what_was_found(tmp_path: Path, tasks: Any, words: list[str]) -> None:
    path = export(tmp_path, tasks)
    assert_says(message_of(tw.InvalidFileError, lambda: read_export(path)), str(path), *words)


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"[" * 10**5, "nested deeper"), (b"\xff", "not UTF-8"), (b"[NaN]", "found float"), (b"", "must be JSON")],
)
def test_hostile_files_are_refused(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "bad.json").write_bytes(content)
    assert_says(message_of(tw.InvalidFileError, lambda: read_export(tmp_path / "bad.json")), words)
    assert_says(message_of(tw.InvalidFileError, lambda: read_export(tmp_path / "none.json")), "there is no file")


def test_items_drawn_from_a_table_are_those_drawn_from_votes(tmp_path: Path) -> None:
    votes = tw.read_votes(votes_file(tmp_path)).votes
    drawn = items_to_label(items(), "id", 12, seed=5).columns["id"].tolist()
    assert drawn == tw.draw_gold(votes, 12, random_state=5).tolist()
    assert read_table(votes_file(tmp_path)).n_rows == 40
