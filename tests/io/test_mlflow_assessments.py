"""MLflow assessments as votes: judges, failures, gold by people, and what overriding means.

Kills, tried once: overridden verdicts of judges dropped; human feedback as a judge; an error that is a vote; the first
of two human labels; expectations that are free text as gold; traces without assessments dropped; assessments of
another name counted.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import thumbwise as tw
from errors.messages import assert_says, message_of
from io_cases.exported import cells, gold_of, outcomes


def assessment(
    value: Any, kind: str = "LLM_JUDGE", by: str = "openai:/gpt-5", name: str = "correct", **more: Any
) -> dict[str, Any]:
    """As ``Assessment.to_dictionary`` of MLflow 3 writes one."""
    what = "expectation" if more.pop("expected", False) else "feedback"
    held = more.pop("error", None)
    at = more.pop("at", "2026-11-18T16:25:08.439Z")
    return {
        "assessment_id": f"a-{name}-{kind}-{by}",
        "assessment_name": name,
        "trace_id": "tr-1",
        "source": {"source_type": kind, "source_id": by},
        "create_time": "2026-11-18T16:25:08.439Z",
        "last_update_time": at,
        what: {"value": value, **({} if held is None else {"error": held})},
        "rationale": "because",
        "valid": True,
        **more,
    }


def trace(name: str, *assessments: Any) -> dict[str, Any]:
    """As ``Trace.to_json`` writes one; without assessments the field is absent."""
    info: dict[str, Any] = {
        "trace_id": name,
        "client_request_id": f"client-{name}",
        "trace_location": {"type": "MLFLOW_EXPERIMENT", "mlflow_experiment": {"experiment_id": "0"}},
        "request_time": "2026-11-18T16:25:00.001Z",
        "state": "OK",
        "request_preview": f"question {name}",
    }
    if assessments:
        info["assessments"] = list(assessments)
    return {"info": info, "data": {"spans": []}}


FAULT = {"error_code": "TimeoutError", "error_message": "no answer", "stack_trace": "..."}
TRACES = [
    trace("tr-0"),
    trace("tr-1", assessment(True), assessment(False, "HUMAN", "ann@example.com"), assessment(True, "CODE", "rule.py")),
    trace(
        "tr-2", assessment(None, error=FAULT), assessment(False, "CODE", "rule.py"), assessment(True, "HUMAN", "bob")
    ),
    trace("tr-3", assessment(False)),
]
VOTES = {
    ("tr-1", "openai:/gpt-5"): "true",
    ("tr-1", "rule.py"): "true",
    ("tr-2", "rule.py"): "false",
    ("tr-3", "openai:/gpt-5"): "false",
}


def frame_of(traces: list[dict[str, Any]]) -> pd.DataFrame:
    """As ``mlflow.search_traces`` returns it."""
    return pd.DataFrame(
        {
            "trace_id": one["info"]["trace_id"],
            "trace": json.dumps(one),
            "client_request_id": one["info"]["client_request_id"],
            "state": "OK",
            "request": None,
            "tags": {},
            "spans": [],
            "assessments": one["info"].get("assessments", []),
        }
        for one in traces
    )


def written(folder: Path, how: str, traces: list[dict[str, Any]]) -> Any:
    """The same traces in every kind of file."""
    lines = "\n".join(json.dumps(one) for one in traces)
    texts = {
        "traces.json": json.dumps(traces),
        "searched.json": json.dumps({"traces": traces, "next_page_token": None}),
        "infos.json": json.dumps([one["info"] | {"assessments": one["info"].get("assessments", [])} for one in traces]),
        "traces.jsonl": lines,
    }
    path = folder / how
    frame = frame_of(traces)
    if how in texts:
        path.write_text(texts[how], encoding="utf-8")
    elif how == "rows.jsonl":
        frame.to_json(path, orient="records", lines=True)
    elif how == "rows.csv":
        frame.to_csv(path)
    elif how == "rows.parquet":
        frame.assign(assessments=frame["assessments"].map(json.dumps)).drop(columns=["tags", "spans"]).to_parquet(path)
    return frame if how == "frame" else path


HOW = ["traces.json", "searched.json", "infos.json", "traces.jsonl", "rows.jsonl", "rows.csv", "rows.parquet", "frame"]


@pytest.mark.parametrize("how", HOW)
def test_every_kind_of_file_holds_the_same(tmp_path: Path, how: str) -> None:
    layout: Any = "mlflow" if how == "rows.parquet" else None  # whose names are not looked at
    reading = tw.read_votes(written(tmp_path, how, TRACES), layout=layout)
    assert reading.layout == "mlflow"
    assert reading.votes.item_ids.tolist() == ["tr-0", "tr-1", "tr-2", "tr-3"]
    assert cells(reading) == VOTES
    assert outcomes(reading) == {"openai:/gpt-5": (2, 0, 1, 1), "rule.py": (2, 0, 0, 2)}
    assert gold_of(reading) == {"tr-1": "false", "tr-2": "true"}
    assert reading.jury is not None
    assert reading.jury.failures[0].message == "TimeoutError: no answer"


def test_assessments_alone_are_read_and_may_be_no_pool(tmp_path: Path) -> None:
    alone = [
        entry | {"trace_id": one["info"]["trace_id"]} for one in TRACES for entry in one["info"].get("assessments", ())
    ]
    (tmp_path / "alone.jsonl").write_text("\n".join(map(json.dumps, alone)))
    reading = tw.read_votes(tmp_path / "alone.jsonl")
    assert cells(reading) == VOTES
    assert any("warning: every trace has an assessment" in note for note in reading.notes)


def test_what_a_person_overrides_still_is_what_the_judge_said(tmp_path: Path) -> None:
    """A judge of 20 right and 10 wrong verdicts, the wrong ones corrected: without those it would look perfect."""
    traces = []
    for n in range(30):
        corrects = n < 10
        judge = assessment(True, assessment_id=f"j{n}", valid=not corrects)
        person = assessment(not corrects, "HUMAN", "ann", **({"overrides": f"j{n}"} if corrects else {}))
        traces.append(trace(f"tr-{n}", judge, person))
    reading = tw.read_votes(written(tmp_path, "traces.json", traces))
    right = (reading.votes.array[:, 0] == reading.gold).mean()
    assert right == pytest.approx(20 / 30)
    assert any("10 verdicts that people overrode" in note for note in reading.notes)


def test_a_source_that_overrides_itself_is_heard_once(tmp_path: Path) -> None:
    again = [assessment(False, assessment_id="j", valid=False), assessment(True, assessment_id="k", overrides="j")]
    people = [
        assessment(True, "HUMAN", "ann", assessment_id="h", valid=False),
        assessment(False, "HUMAN", "bob", overrides="h"),
    ]
    reading = tw.read_votes(written(tmp_path, "traces.json", [*TRACES, trace("tr-9", *again, *people)]))
    assert cells(reading)["tr-9", "openai:/gpt-5"] == "true"
    assert gold_of(reading)["tr-9"] == "false"
    assert any("2 assessments are left out" in note for note in reading.notes)


def test_of_several_people_the_last_written_counts_and_is_noted(tmp_path: Path) -> None:
    late, early = "2026-12-01T00:00:00Z", "2026-01-01T00:00:00Z"
    people = [assessment(True, "HUMAN", "a", at=late), assessment(False, "HUMAN", "b", at=early)]
    reading = tw.read_votes(written(tmp_path, "traces.json", [*TRACES, trace("tr-9", assessment(True), *people)]))
    assert gold_of(reading)["tr-9"] == "true"
    assert any("1 times people disagree" in note for note in reading.notes)


def test_one_question_of_several_is_named_or_each_name_is_a_judge(tmp_path: Path) -> None:
    traces = [
        trace(
            f"tr-{n}",
            assessment("yes" if n % 2 else "no", name="gpt says", by="g"),
            assessment("yes", name="claude says", by="c"),
            assessment(f"answer {n}", "HUMAN", "ann", name="expected_response", expected=True),
            assessment("yes" if n % 3 else "no", "HUMAN", "ann", name="truth", expected=True),
        )
        for n in range(12)
    ]
    path = written(tmp_path, "traces.json", traces)
    said = message_of(tw.InvalidFileError, lambda: tw.read_votes(path))
    assert_says(said, "'gpt says', 'claude says'", "label=NAME", 'rule="name"')
    by_name = tw.read_votes(path, rule="name")
    assert set(by_name.votes.rule_names) == {"gpt says", "claude says"}
    assert gold_of(by_name) == {f"tr-{n}": "yes" if n % 3 else "no" for n in range(12)}
    assert any("not used as gold: 'expected_response'" in note for note in by_name.notes)
    one = tw.read_votes(path, label="gpt says", gold_label="truth")
    assert one.votes.rule_names == ("g",)
    assert len(one.gold_labels) == 12
    said = message_of(tw.InvalidFileError, lambda: tw.read_votes(path, label="gpt says", gold_label="x"))
    assert_says(said, "none called 'x', but 'expected_response', 'truth'")


def test_numbers_are_verdicts_if_whole_and_scores_in_any_case(tmp_path: Path) -> None:
    whole = [trace(f"tr-{n}", assessment(float(n % 2))) for n in range(6)]
    assert cells(tw.read_votes(written(tmp_path, "traces.json", whole)))["tr-1", "openai:/gpt-5"] == "1"
    parts = [trace(f"tr-{n}", assessment(n / 7), assessment(n > 3, "HUMAN", "a")) for n in range(7)]
    path = written(tmp_path, "traces.json", parts)
    assert_says(message_of(tw.InvalidVotesError, lambda: tw.read_votes(path)), "gave numbers", "scores=CLASS")
    scored = tw.read_votes(path, scores="true")
    assert isinstance(scored.votes, tw.ScoredVotes)


def test_items_may_be_spans_or_requests(tmp_path: Path) -> None:
    spans = [trace("tr-1", *(assessment(value, span_id=span) for span, value in (("s1", "a"), ("s2", "b"))))]
    path = written(tmp_path, "traces.json", spans)
    assert_says(message_of(tw.InvalidVotesError, lambda: tw.read_votes(path)), "at most once")
    assert set(cells(tw.read_votes(path, item_id="span_id"))) == {(f"tr-1/{s}", "openai:/gpt-5") for s in ("s1", "s2")}
    path = written(tmp_path, "traces.json", TRACES)
    assert tw.read_votes(path, item_id="client_request_id").votes.item_ids.tolist()[0] == "client-tr-0"


def test_feedback_without_a_value_failed_unless_it_is_said_to_abstain(tmp_path: Path) -> None:
    path = written(tmp_path, "traces.json", [*TRACES, trace("tr-9", assessment(None))])
    assert outcomes(tw.read_votes(path))["openai:/gpt-5"] == (2, 0, 2, 1)
    assert outcomes(tw.read_votes(path, null_verdict="abstained"))["openai:/gpt-5"] == (2, 1, 1, 1)


def test_judges_of_the_same_id_are_told_apart(tmp_path: Path) -> None:
    same = trace("tr-9", assessment(True, by="default"), assessment(False, "CODE", by="default"))
    assert set(tw.read_votes(written(tmp_path, "traces.json", [same])).votes.rule_names) == {
        "default (LLM_JUDGE)",
        "default (CODE)",
    }


@pytest.mark.parametrize(
    ("traces", "words"),
    [
        ([trace("tr-1")], ["none of its 1 traces has one"]),
        ([trace("tr-1", assessment(True, "HUMAN"))], ["all of its assessments are by people"]),
        ([trace("tr-1", assessment(["a", "b"]))], ["[0].assessments[0].feedback.value", "tags"]),
        ([trace("tr-1", assessment(float("nan")))], ["a finite number"]),
        ([trace("tr-1", assessment(10**400))], ["a finite number"]),
        ([trace("tr-1", assessment(True, "ROBOT"))], ["source_type must be one of HUMAN"]),
        ([trace("tr-1", {"assessment_name": "x"})], ["with its assessment_name and its source"]),
        ([trace("tr-1", {"assessment_name": "x", "source": {"source_type": "CODE"}})], ["feedback or expectation"]),
        ([{"info": {"trace_id": 7}, "data": {}}], ["with its trace_id, a text"]),
        ([{"info": {"trace_id": "a", "assessments": "x"}, "data": {}}], ["a list of assessments, as JSON"]),
    ],
)
def test_other_shapes_are_refused_with_their_place(tmp_path: Path, traces: Any, words: list[str]) -> None:
    path = written(tmp_path, "traces.json", []) if not traces else tmp_path / "traces.json"
    path.write_text(json.dumps(traces))
    assert_says(message_of(tw.InvalidFileError, lambda: tw.read_votes(path)), str(path), *words)


def test_a_csv_without_the_traces_themselves_is_refused(tmp_path: Path) -> None:
    frame_of(TRACES).drop(columns="trace").to_csv(tmp_path / "rows.csv")
    said = message_of(tw.InvalidFileError, lambda: tw.read_votes(tmp_path / "rows.csv"))
    assert_says(said, "[1].assessments must be a list of assessments, as JSON", "to_json(orient='records', lines=True)")
