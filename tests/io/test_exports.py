"""What holds for exports of every tool: they are known by what they hold, and gold comes from one place."""

from __future__ import annotations

import gc
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import thumbwise as tw
from io_cases.exports import INSPECT, LANGFUSE, PROMPTFOO, component, result, write_results
from thumbwise.exceptions import InvalidChoiceError, InvalidFileError, InvalidLabelsError, InvalidVotesError
from thumbwise.io.exports import opened
from thumbwise.io.exports.exported import Exported, abstained, as_number, as_text, failed, not_asked, voted
from thumbwise.io.exports.formats import FORMATS, Format, may_be_export
from thumbwise.io.exports.reading import read_exported
from thumbwise.io.roles import EXPORTS, LAYOUTS, Layout, Roles

SOURCES = {"promptfoo": PROMPTFOO, "inspect": INSPECT, "langfuse": LANGFUSE}
STYLE = {"inspect": ["style.clear", "style.polite"]}


def test_every_format_is_a_layout_that_can_be_named() -> None:
    assert tuple(FORMATS) == EXPORTS
    assert get_args(Layout) == LAYOUTS
    assert set(EXPORTS) < set(LAYOUTS)


@pytest.mark.parametrize("name", SOURCES)
def test_a_file_is_known_by_what_it_holds_and_by_its_name_alike(name: Any) -> None:
    told, seen = (tw.read_votes(SOURCES[name], layout=n, ignore=STYLE.get(name, ())) for n in (name, None))
    assert told.layout == seen.layout == name
    assert told.votes.fingerprint == seen.votes.fingerprint
    assert told.notes == seen.notes
    assert seen.notes[0].startswith("taken for a")


@pytest.mark.parametrize("name", SOURCES)
def test_only_its_own_reader_knows_a_file(name: str) -> None:
    knowing = [kind for kind, reader in FORMATS.items() if reader.recognise(opened.Opened(SOURCES[name]))]
    assert knowing == [name]


EXPORTED = Exported(
    "an export",
    ["d", "b", "a", "c"],
    [
        voted("b", "x", "yes"),
        abstained("b", "y"),
        failed("a", "x", "timeout"),
        voted("a", "y", "no"),
        not_asked("c", "x"),
        voted("c", "y", "yes"),
    ],
    {"topic": [1, 2, 3, 4]},
    {"b": "yes", "c": "no"},
    "marked by hand",
    ("a note",),
)


def read(gold: Any = None, **roles: Any) -> tw.Reading:
    return read_exported("promptfoo", EXPORTED, gold, Roles(**roles))


def test_items_keep_their_order_and_all_that_became_of_a_question_is_kept() -> None:
    reading = read()
    assert reading.votes.item_ids.tolist() == ["d", "b", "a", "c"]
    assert reading.votes.array.tolist() == [[-1, -1], [1, -1], [-1, 0], [-1, 1]]
    assert reading.jury is not None
    counts = [(j.n_voted, j.n_abstained, j.n_failed, j.n_not_asked) for j in reading.jury.judges]
    assert counts == [(1, 0, 1, 2), (2, 1, 0, 1)]
    assert reading.passed_on["topic"].tolist() == [1, 2, 3, 4]
    assert reading.gold.tolist() == [-1, 1, -1, 0]
    assert "a note" in reading.notes


def test_records_in_another_order_than_the_items_are_matched_by_id() -> None:
    """The votes stand in the order of the records, and columns and labels with them."""
    exported = replace(EXPORTED, item_ids=["c", "a", "b"])
    reading = read_exported("promptfoo", replace(exported, columns={"topic": [3, 1, 2]}), None, Roles())
    topics = dict(zip(reading.votes.item_ids.tolist(), reading.passed_on["topic"].tolist(), strict=True))
    assert topics == {"c": 3, "a": 1, "b": 2}
    assert reading.votes.item_ids.tolist() == ["b", "a", "c"]


def test_a_vote_without_a_number_is_a_failure_where_scores_are_asked_for() -> None:
    records = [voted("a", "x", "yes", 0.9), voted("b", "x", "no", None), voted("c", "x", "no", 0.1)]
    roles = Roles(scores="yes", class_names=["no", "yes"], threshold=0.5)
    reading = read_exported("promptfoo", Exported("an export", ["a", "b", "c"], records), None, roles)
    assert reading.jury is not None
    judge = reading.jury.judges[0]
    assert (judge.n_voted, judge.n_abstained, judge.n_failed) == (2, 0, 1)


def test_gold_comes_from_one_place() -> None:
    with pytest.raises(InvalidLabelsError, match=r"holds 2 labels by people \(marked by hand\).*ignore=\['gold'\]"):
        read(gold={"a": "no"})
    with pytest.raises(InvalidLabelsError, match=r"besides. Drop that"):
        read(gold_column="topic")
    beside = read(gold={"a": "no"}, ignore=("gold",))
    assert beside.gold.tolist() == [-1, -1, 0, -1]
    assert beside.passed_on["gold"].tolist() == [None, "yes", None, "no"]


def test_a_column_can_be_gold() -> None:
    reading = read_exported(
        "inspect",
        Exported("an export", ["a", "b"], [voted("a", "x", "1"), voted("b", "x", "0")], {"truth": ["0", None]}),
        None,
        Roles(gold_column="truth"),
    )
    assert reading.gold.tolist() == [0, -1]
    assert "truth" not in reading.passed_on


def test_a_judge_that_is_ignored_is_passed_on() -> None:
    reading = read(ignore=("x",))
    assert reading.votes.rule_names == ("y",)
    assert reading.votes.array.tolist() == [[-1], [-1], [0], [1]]
    assert reading.passed_on["x"].tolist() == [None, "yes", None, None]


@pytest.mark.parametrize(
    ("roles", "error", "says"),
    [
        ({"ignore": ("z",)}, InvalidFileError, "no judge or column 'z'. Judges: 'x', 'y'; columns: 'topic'"),
        ({"gold_column": "nobody"}, InvalidFileError, "no judge or column 'nobody'"),
        ({"ignore": ("x", "y")}, InvalidVotesError, "at least one judge must be left"),
        ({"rule": "judge"}, InvalidChoiceError, "found rule=... besides. Drop it"),
        ({"item_id": "id"}, InvalidChoiceError, "found item_id=... besides"),
        ({"null_verdict": "failed"}, InvalidChoiceError, "null_verdict"),
        ({"scores": "yes"}, InvalidVotesError, "no judge of the export gives any, judges: 'x', 'y'. Drop scores"),
    ],
)
def test_what_does_not_fit_is_refused(roles: dict[str, Any], error: type, says: str) -> None:
    with pytest.raises(error, match=says):
        read(**roles)


def test_scores_in_the_middle_are_told(tmp_path: Path) -> None:
    """A judge's middle score of three speaks for no class; nothing is counted as a vote that is none."""
    scores = [component("a", True, score=value) for value in (0.1, 0.5, 0.9)]
    path = write_results(tmp_path, *(result(i, each) for i, each in enumerate(scores)))
    reading = tw.read_votes(path, scores="pass", class_names=["fail", "pass"])
    assert reading.votes.array.tolist() == [[0], [-1], [1]]
    assert reading.jury is not None
    judge = reading.jury.judges[0]
    assert (judge.n_voted, judge.n_abstained, judge.n_failed) == (2, 1, 0)
    assert any(note.startswith("1 scores in a judge's middle") for note in reading.notes)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "whole to its end"),
        (b'{"results": {"results": [', "whole to its end"),
        (b"\xff\xfe{}", "byte 0 is not UTF-8"),
        (b"[" * 100_000, "nested deeper than exports are"),
        (b'"text"', "no list and no object"),
        (b"[1, 2]", "a list of 2 values"),
        (b'[{"a": 1}]', r"a list of objects with the fields 'a'. Say which it is with layout=NAME"),
        (b'{"results": []}', "an object with the fields 'results'"),
        (b"[1" + b"0" * 5000 + b"]", "whole to its end"),
    ],
)
def test_a_json_file_that_is_no_export_is_refused(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "votes.json"
    path.write_bytes(content)
    with pytest.raises(InvalidFileError, match=says):
        tw.read_votes(path)


def test_a_file_that_is_not_there_or_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidFileError, match="there is no file"):
        tw.read_votes(tmp_path / "none.json")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(InvalidFileError, match="cannot be opened"):
        tw.read_votes(tmp_path / "folder.json")
    monkeypatch.setattr(opened, "LARGEST", 100)
    with pytest.raises(InvalidFileError, match="at most 100 bytes"):
        tw.read_votes(PROMPTFOO)


@pytest.mark.parametrize("name", EXPORTS)
def test_another_file_is_refused_by_every_reader(tmp_path: Path, name: Any) -> None:
    (tmp_path / "votes.parquet").write_bytes(b"no table")
    for other in (tmp_path / "votes.parquet", *(path for kind, path in SOURCES.items() if kind != name)):
        with pytest.raises(InvalidFileError):
            tw.read_votes(other, layout=name)


def test_tables_are_read_as_before(tmp_path: Path) -> None:
    """A layout that is no export's, or names that no export has."""
    path = tmp_path / "votes.jsonl"
    path.write_text('{"id": "a", "x": 1}\n{"id": "b", "x": 0}\n')
    assert tw.read_votes(path).layout == "wide"
    assert not may_be_export(path, Roles())
    assert not may_be_export(PROMPTFOO, Roles(layout="wide"))
    assert may_be_export(PROMPTFOO, Roles())
    assert may_be_export(path, Roles(layout="langfuse"))


def test_the_look_for_cycles_goes_on_after_a_file_was_read(tmp_path: Path) -> None:
    assert gc.isenabled()
    tw.read_votes(PROMPTFOO)
    assert gc.isenabled()
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(InvalidFileError):
        tw.read_votes(tmp_path / "bad.json")
    assert gc.isenabled()
    gc.disable()
    try:
        tw.read_votes(PROMPTFOO)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_numbers_and_texts_are_taken_as_they_are() -> None:
    values = [1, 0.5, float("nan"), float("inf"), True, "1", None, [1]]
    assert [as_number(value) for value in values] == [1, 0.5, None, None, None, None, None, None]
    assert [as_text(value) for value in ("a", "", None, {"b": 1})] == ["a", None, None, '{"b": 1}']


def test_labels_of_an_export_are_written_with_its_columns(tmp_path: Path) -> None:
    reading = tw.read_votes(PROMPTFOO)
    model = tw.MajorityVote().fit(reading.votes)
    tw.write_labels(reading, model, tmp_path / "labels.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "labels.jsonl").read_text().splitlines()]
    assert [row["item"] for row in rows] == reading.votes.item_ids.tolist()
    assert [row["vars.topic"] for row in rows] == ["sums", "sums", "books", "books"]
    assert np.allclose([row["p_pass"] for row in rows], model.predict_proba(reading.votes)[:, 1])


def test_values_that_are_nested_deeply_are_read_or_refused(tmp_path: Path) -> None:
    """What is nested so deeply that it can be read, but hardly written again, ends in no error of Python's."""
    ends = set()
    for depth in (10, *range(900, 1000, 6)):
        rows = [result(i, component("a", bool(i))) for i in range(2)]
        path = write_results(tmp_path, *rows)
        deep = "[" * depth + "]" * depth
        path.write_text(path.read_text().replace('"vars": {"n": 0}', f'"vars": {{"n": {deep}}}'))
        try:
            tw.read_votes(path)
            ends.add("read")
        except InvalidFileError as error:
            assert "nested deeper" in str(error)
            ends.add("refused")
    assert "read" in ends


def test_a_reader_that_has_no_stack_left_refuses_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(opened: Any, roles: Roles) -> Exported:
        raise RecursionError

    monkeypatch.setitem(FORMATS, "promptfoo", Format(FORMATS["promptfoo"].recognise, give_up))
    with pytest.raises(InvalidFileError, match="nested deeper than exports are"):
        tw.read_votes(PROMPTFOO)


def test_a_name_of_its_own_in_every_row_makes_no_table_of_all_names(tmp_path: Path) -> None:
    rows = [result(i, component("a", bool(i % 2))) for i in range(300)]
    for i, each in enumerate(rows):
        each["vars"] = {f"v{i}": 1}
    many = tw.read_votes(write_results(tmp_path, *rows))
    assert [*many.passed_on] == ["test", "prompt", "provider"]
    assert any("more than 200 names: vars.NAME" in note for note in many.notes)
    few = tw.read_votes(write_results(tmp_path, *rows[:200])).passed_on
    assert len(few) == 203


def test_a_column_can_say_which_items_were_drawn_together(tmp_path: Path) -> None:
    """Both answers to each of two tests are labeled, and the two others of none."""
    person = {"pass": True, "assertion": {"type": "human"}}
    rows = [
        result(i // 2, component("a", i % 3 > 0), *([person] if i < 4 else []), prompt=i % 2, provider=f"p{i % 2}")
        for i in range(8)
    ]
    reading = tw.read_votes(write_results(tmp_path, *rows), cluster="test")
    assert reading.cluster == "test"
    assert reading.passed_on["test"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert any("4 clusters by column 'test', 2 of them with gold" in note for note in reading.notes)
    with pytest.raises(InvalidFileError, match="no judge or column 'nothing'"):
        tw.read_votes(write_results(tmp_path, *rows), cluster="nothing")
