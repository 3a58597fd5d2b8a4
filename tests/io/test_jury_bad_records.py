"""Records that contradict themselves, or hold what is no name, verdict or status, are refused with their place."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from thumbwise.exceptions import InvalidChoiceError, InvalidFileError, InvalidVotesError
from thumbwise.io.jury import read_jury

GOOD = [{"item": "q1", "judge": "m1", "verdict": "no"}, {"item": "q2", "judge": "m1", "verdict": "yes"}]
NESTED: Any = []
for _ in range(100_000):
    NESTED = [NESTED]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"verdict": "no", "error": "timeout"}, "failure must have no verdict; not so record 2 .*'q3', judge 'm2'; 1 "),
        ({"verdict": "no", "status": "failed"}, "failure must have no verdict; not so record 2"),
        ({"verdict": "no", "status": "not_asked"}, "'not_asked' must have no verdict; not so record 2"),
        ({"verdict": "no", "status": "abstained"}, "'abstained' must have no verdict; not so record 2"),
        ({"error": "timeout", "status": "ok"}, "error text must have the status 'failed'; not so record 2"),
        ({"error": "timeout", "status": "abstained"}, "error text must have the status 'failed'; not so record 2"),
        ({"error": "timeout", "status": "not_asked"}, "error text must have the status 'failed'; not so record 2"),
        ({"verdict": None}, 'not so record 2 .*null_verdict="abstained".*null_verdict="failed"'),
        ({"verdict": None, "error": " "}, "without a verdict must say why"),
        ({"verdict": float("nan"), "status": "ok"}, "without a verdict must say why"),
        ({"status": "refused"}, "one of voted, ok, abstained, failed, not_asked.*'refused' at record 2 .1 such"),
        ({"status": 200}, "status must be text, or missing; found 200 .whole number. at record 2"),
        ({"error": {"code": 429}}, "error must be text, or missing; found .*429.* at record 2"),
        ({"error": True}, "error must be text, or missing; found True .truth value. at record 2"),
        ({"verdict": "n/a"}, "'n/a', which may be a class or a mark for abstain"),
        ({"verdict": True}, "verdict must be all text or all numbers; found True at record 2, among text .1 such"),
        ({"verdict": ["yes"]}, "verdict must be .*; found .'yes'. .list. at record 2"),
        ({"verdict": NESTED}, "verdict must be .* .list. at record 2"),
        ({"verdict": np.zeros(3)}, "verdict must be .* .ndarray. at record 2"),
        ({"verdict": 1}, "verdict must be all text or all numbers; found 1 at record 2"),
        ({"verdict": "y" * 10**6}, "verdict must be .*1,000,000 characters at record 2"),
        ({"verdict": "no", "item": None}, "must name its item; it is missing at record 2"),
        ({"verdict": "no", "item": 3}, "item must be all text or all numbers; found 3 at record 2"),
        ({"verdict": "no", "item": NESTED}, "item must be text or whole number, or missing; .*list. at record 2"),
        ({"verdict": "no", "item": 1.5}, "item must be .* found 1.5 .number. at record 2"),
        ({"verdict": "no", "judge": " "}, "judge must be .* found ' ' of 1 characters at record 2"),
        ({"verdict": "no", "judge": "m" * 10**6}, "judge must be .*1,000,000 characters at record 2"),
        ({"verdict": "no", "item": "q1", "judge": "m1"}, "record 2 repeats the item and judge of record 0 .*'q1'"),
        ({"item": "q1", "judge": "m1", "status": "abstained"}, "record 2 repeats the item and judge of record 0"),
        (["q3", "m2", "no"], "found .'q3', 'm2', 'no'. at record 2 .1 such"),
    ],
)
def test_a_bad_record_is_named(record: Any, message: str) -> None:
    bad = {"item": "q3", "judge": "m2", **record} if isinstance(record, dict) else record
    with pytest.raises(InvalidVotesError, match=message) as caught:
        read_jury([*GOOD, bad])
    assert len(str(caught.value)) < 1_000


@pytest.mark.parametrize(
    ("verdicts", "message"),
    [
        ([0, 1, 0.5], "whole class numbers.*0.5 at item 'q2'"),
        ([0, 1, 10**400], "verdict must be a class name or a class number.* at record 2"),
        ([0, 1, -2], "found -2"),
        ([0, 1, True], "truth value"),
        ([None, None, None], "none of 3 records has a verdict"),
        ([0, 0, 0], "class_names"),
    ],
)
def test_numbers_that_are_no_classes(verdicts: list[Any], message: str) -> None:
    with pytest.raises(InvalidVotesError, match=message):
        read_jury({"item": ["q0", "q1", "q2"], "judge": ["m", "m", "m"], "verdict": verdicts}, null_verdict="failed")


def test_answers_in_full_are_no_verdicts() -> None:
    columns = {"item": range(20_000), "judge": ["m"] * 20_000, "verdict": [f"Answer {i}" for i in range(20_000)]}
    with pytest.raises(InvalidVotesError, match="20,000 different ones, such as 'Answer 0'"):
        read_jury(columns)


@pytest.mark.parametrize("records", [[], {}, None, 7, b"x", {"item": "q", "judge": "m", "verdict": "no"}, [[]], [None]])
def test_what_holds_no_records(records: Any) -> None:
    with pytest.raises(InvalidVotesError):
        read_jury(records)


@pytest.mark.parametrize(
    "choice",
    [{"null_verdict": "x"}, {"duplicates": "x"}, {"abstain": 1}, {"abstain": "no", "class_names": ["no", "b"]}],
)
def test_choices_that_are_none(choice: Any) -> None:
    with pytest.raises(InvalidChoiceError):
        read_jury(GOOD, **choice)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"item":"q3","judge":"m","verdict":1}', "'verdict' must be all strings.* a number at record 2 .1 such"),
        ('{"item":"q3","judge":"m","verdict":["yes"]}', "'verdict' .* a list at record 2"),
        ('{"item":"q3","judge":"m","verdict":true}', "'verdict' .* a truth value at record 2"),
        ('{"item":3,"judge":"m","verdict":"no"}', "'item' must be all strings"),
        ('{"item":"q3","judge":{"a":1},"verdict":"no"}', "'judge' .* an object at record 2"),
        ('{"item":"q3","judge":"m","verdict":' + "[" * 50_000, "must hold one JSON object a line"),
        ('{"item":"q3","judge":"m","verdict":' + "[" * 50_000 + "]" * 50_000 + "}", "JSON|list"),
        ("[1]", "one JSON object a line"),
        ("\ud800", "JSON"),
    ],
    ids=range(9),
)
def test_kinds_in_files_are_not_mixed(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "j.jsonl"
    good = '{"item":"q1","judge":"m","verdict":"no"}\n\n{"item":"q2","judge":"m","verdict":"yes"}\n'
    path.write_bytes((good + line + "\n").encode("utf-8", "surrogatepass"))
    with pytest.raises(InvalidFileError, match=message) as caught:
        read_jury(path)
    assert len(str(caught.value)) < 1_000


def test_deep_nesting_in_a_field_that_is_ignored_does_no_harm(tmp_path: Path) -> None:
    deep = "[" * 50_000 + "]" * 50_000
    path = tmp_path / "j.jsonl"
    path.write_text(f'{{"item":"q1","judge":"m","verdict":"no","raw":{deep}}}\n', encoding="utf-8")
    jury = read_jury(path, class_names=["no", "yes"])
    assert jury.judges[0].n_voted == 1
    assert "1 ignored: 'raw'" in jury.notes


def test_thousands_of_fields_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    lines = [f'{{"item":"q{i}","judge":"m","verdict":"no","field {i}":1}}' for i in range(5_000)]
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InvalidFileError, match="at most 200 different fields; found 5,003"):
        read_jury(path)
