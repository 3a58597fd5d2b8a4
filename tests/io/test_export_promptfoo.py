"""Results of promptfoo are read as their specification says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import thumbwise as tw
from io_cases.exports import PROMPTFOO, changed, component, result, write_results
from thumbwise.exceptions import InvalidFileError, InvalidVotesError

RIGHT_GPT, RIGHT_OPUS = "right (openai:gpt-5)", "right (anthropic:opus)"
GPT = "openai:chat:gpt-5-mini"


def verdicts(reading: Any) -> dict[tuple[str, str], str]:
    """Votes by item and judge."""
    votes = reading.votes
    return {
        (item, judge): votes.class_names[votes.array[i, j]]
        for i, item in enumerate(votes.item_ids.tolist())
        for j, judge in enumerate(votes.rule_names)
        if votes.array[i, j] >= 0
    }


def test_a_component_is_a_judge_and_pass_is_its_verdict() -> None:
    reading = tw.read_votes(PROMPTFOO)
    assert reading.layout == "promptfoo"
    assert reading.votes.item_ids.tolist() == [f"{i}:0:{GPT}" for i in range(4)]
    assert verdicts(reading) == {
        (f"0:0:{GPT}", RIGHT_GPT): "pass",
        (f"0:0:{GPT}", RIGHT_OPUS): "pass",
        (f"0:0:{GPT}", "contains"): "pass",
        (f"1:0:{GPT}", RIGHT_GPT): "fail",
        (f"1:0:{GPT}", "contains"): "fail",
        (f"3:0:{GPT}", RIGHT_GPT): "pass",
        (f"3:0:{GPT}", RIGHT_OPUS): "pass",
    }


def test_failed_and_not_asked_stay_apart() -> None:
    """A grader that erred says pass: false, which is no verdict; an answer that never came was shown to nobody."""
    jury = tw.read_votes(PROMPTFOO).jury
    assert jury is not None
    counts = {j.name: (j.n_voted, j.n_abstained, j.n_failed, j.n_not_asked) for j in jury.judges}
    assert counts == {RIGHT_GPT: (3, 0, 0, 1), RIGHT_OPUS: (2, 0, 1, 1), "contains": (2, 0, 0, 2)}
    assert [(f.item_id, f.judge, f.message) for f in jury.failures] == [(f"1:0:{GPT}", RIGHT_OPUS, "No output")]


def test_people_are_gold_and_no_judge() -> None:
    """The rating by hand overwrites the result's own pass, and differs from it here in neither direction only."""
    reading = tw.read_votes(PROMPTFOO)
    assert reading.gold.tolist() == [-1, 1, -1, 0]
    assert reading.votes.class_names == ("fail", "pass")
    assert "human" not in reading.votes.rule_names
    assert any("drawn at random" in note for note in reading.notes)


def test_the_overwritten_pass_is_never_read(tmp_path: Path) -> None:
    def turn(value: Any) -> None:
        for each in value["results"]["results"]:
            each["success"] = not each["success"]
            if each["gradingResult"]:
                each["gradingResult"]["pass"] = not each["gradingResult"]["pass"]

    plain, turned = tw.read_votes(PROMPTFOO), tw.read_votes(changed(PROMPTFOO, tmp_path, turn))
    assert turned.votes.fingerprint == plain.votes.fingerprint
    assert turned.gold.tolist() == plain.gold.tolist()


def test_columns_are_passed_on() -> None:
    columns = {name: column.tolist() for name, column in tw.read_votes(PROMPTFOO).passed_on.items()}
    assert columns["test"] == [0, 1, 2, 3]
    assert columns["prompt"] == ["short"] * 4
    assert columns["provider"] == [GPT] * 4
    assert columns["vars.topic"] == ["sums", "sums", "books", "books"]
    assert columns["vars.hints"] == [None, None, None, '["Weimar"]']
    assert columns["error"] == [None, None, "API error: 429 Too Many Requests", None]
    assert "repeat_of" not in columns


@pytest.mark.parametrize("shape", ["inner", "lines"])
def test_the_inner_object_and_lines_say_the_same(tmp_path: Path, shape: str) -> None:
    value = json.loads(PROMPTFOO.read_bytes())["results"]
    path = tmp_path / ("results.json" if shape == "inner" else "results.jsonl")
    lines = "\n".join(map(json.dumps, value["results"])) + "\n"
    path.write_text(json.dumps(value) if shape == "inner" else lines, encoding="utf-8")
    reading, plain = tw.read_votes(path), tw.read_votes(PROMPTFOO)
    assert reading.layout == "promptfoo"
    assert reading.votes.fingerprint == plain.votes.fingerprint
    assert reading.gold.tolist() == plain.gold.tolist()


def test_scores_are_the_numbers_of_the_components() -> None:
    reading = tw.read_votes(PROMPTFOO, scores="pass", threshold=0.75)
    names = list(reading.votes.rule_names)
    by_gpt = reading.votes.array[:, names.index(RIGHT_GPT)].tolist()
    assert by_gpt == [1, 0, -1, 1]  # 0.9, 0.1, none, 0.8
    assert reading.votes.array[3, names.index(RIGHT_OPUS)] == 0  # 0.7, though it passes
    assert reading.jury is not None
    assert {j.name: j.n_failed for j in reading.jury.judges}[RIGHT_OPUS] == 1


def test_two_components_of_one_name_are_two_judges(tmp_path: Path) -> None:
    path = write_results(
        tmp_path, result(0, component("a", True), component("a", False)), result(1, component("a", True))
    )
    reading = tw.read_votes(path)
    assert reading.votes.rule_names == ("a", "a #2")
    assert verdicts(reading) == {("0:0:p", "a"): "pass", ("0:0:p", "a #2"): "fail", ("1:0:p", "a"): "pass"}
    assert any("give each assertion a metric" in note for note in reading.notes)


def test_sets_and_measures_are_no_judges(tmp_path: Path) -> None:
    """The result of a set repeats its members, and what only measures always passes."""
    whole = {"pass": True, "score": 1, "reason": "", "metadata": {"assertionSet": {"type": "assert-set"}}}
    measure = component("length", True, assertion={"type": "javascript", "metric": "length", "metricOnly": True})
    first, second = component("a", True), component("a", False)
    path = write_results(tmp_path, result(0, whole, first, measure), result(1, None, second, measure))  # type: ignore[arg-type]
    assert tw.read_votes(path).votes.rule_names == ("a",)
    assert any("2 components are left out" in note for note in tw.read_votes(path).notes)
    scored = tw.read_votes(path, scores="pass", class_names=["fail", "pass"])
    assert scored.votes.rule_names == ("a", "length")


def test_repeats_are_told(tmp_path: Path) -> None:
    results = [result(i, component("a", i > 1)) for i in range(4)]
    for each in results:
        each["vars"] = {"n": each["testIdx"] // 2}
    reading = tw.read_votes(write_results(tmp_path, *results))
    assert reading.passed_on["repeat_of"].tolist() == [0, 0, 2, 2]
    assert any("2 results repeat a test" in note and "cluster='repeat_of'" in note for note in reading.notes)


def test_the_same_test_with_two_providers_is_no_repeat(tmp_path: Path) -> None:
    results = [result(i, component("a", i > 0), prompt=p, provider=f"p{p}") for i in range(2) for p in range(2)]
    reading = tw.read_votes(write_results(tmp_path, *results))
    assert reading.votes.item_ids.tolist() == ["0:0:p0", "0:1:p1", "1:0:p0", "1:1:p1"]
    assert reading.passed_on["provider"].tolist() == ["p0", "p1", "p0", "p1"]
    assert "repeat_of" not in reading.passed_on


def test_another_prompt_with_the_same_variables_is_no_repeat(tmp_path: Path) -> None:
    results = [result(i, component("a", i > 0), prompt=i) for i in range(2)]
    for each in results:
        each["vars"] = {"n": 7}
    assert "repeat_of" not in tw.read_votes(write_results(tmp_path, *results)).passed_on


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        (lambda r: r.pop("testIdx"), InvalidFileError, "testIdx and promptIdx"),
        (lambda r: r.update(testIdx=1), InvalidFileError, "must differ in testIdx"),
        (lambda r: r["gradingResult"]["componentResults"][0].pop("pass"), InvalidFileError, r"componentResults\[0\]"),
    ],
)
def test_damaged_results_are_refused(tmp_path: Path, change: Any, error: type, says: str) -> None:
    path = changed(PROMPTFOO, tmp_path, lambda value: (change(value["results"]["results"][0]), None)[1])
    with pytest.raises(error, match=says):
        tw.read_votes(path)


def test_an_evaluation_without_judges_is_refused(tmp_path: Path) -> None:
    path = write_results(tmp_path, result(0), result(1, {"pass": True, "assertion": {"type": "human"}}))
    with pytest.raises(InvalidFileError, match=r"no result has a component.*Add assertions"):
        tw.read_votes(path)


def test_graders_that_all_failed_are_told(tmp_path: Path) -> None:
    down = component("a", False, metadata={"graderError": True}, reason="quota is used up")
    path = write_results(tmp_path, result(0, down), result(1, down))
    with pytest.raises(InvalidVotesError, match=r"2 answers of judges failed.*quota is used up"):
        tw.read_votes(path)
