"""A jury written as records, to a list or a file, and read again is the same jury."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from thumbwise.exceptions import InvalidFileError
from thumbwise.io.jury import Jury, read_jury, write_jury

WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6).filter(lambda text: text.strip())
NAMES = st.one_of(st.sampled_from(["a", " a", 'q"1', "l\nn", "SELECT", "né😀", "x" * 10_000]), WORDS)
FIELDS = st.sampled_from(
    [
        {"verdict": "no"},
        {"verdict": "yes"},
        {"status": "abstained"},
        {"status": "failed"},
        {"error": "  rate limit\n"},
        {"error": "e" * 2_000},
        {"status": "not_asked"},
    ]
)
ITEMS = st.one_of(st.lists(NAMES, min_size=1, max_size=3), st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))


@st.composite
def juries(draw: st.DrawFn) -> Jury:
    items, judges = draw(ITEMS), draw(st.lists(NAMES, min_size=1, max_size=3))
    rows = draw(st.lists(st.tuples(st.sampled_from(items), st.sampled_from(judges), FIELDS), min_size=1, max_size=12))
    records = [{"item": item, "judge": judge, "verdict": None, **fields} for item, judge, fields in rows]
    declared: dict[str, Any] = {}
    if draw(st.booleans()):
        declared = {"item_ids": list(dict.fromkeys(items)), "judge_names": list(dict.fromkeys(judges))}
    return read_jury(records, class_names=["no", "yes", "maybe"], duplicates="last", **declared)


def parts(jury: Jury) -> Any:
    votes = jury.votes
    known = (votes.item_ids.tolist(), votes.rule_names, votes.class_names, votes.array.tolist())
    return known, jury.judges, jury.failures, jury.n_failures


def read_again(jury: Jury, records: Any) -> Jury:
    return read_jury(records, class_names=jury.votes.class_names, judge_names=jury.votes.rule_names)


@given(juries())
@settings(max_examples=50, deadline=None)
def test_records_give_back_the_jury(jury: Jury) -> None:
    records = jury.to_records()
    again = read_again(jury, records)
    assert parts(again) == parts(jury)
    assert again.to_records() == records


@given(jury=juries(), ending=st.sampled_from([".jsonl", ".parquet"]))
@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_files_give_back_the_jury(tmp_path: Path, jury: Jury, ending: str) -> None:
    path = tmp_path / f"[jury]*{ending}"
    write_jury(jury, path, overwrite=True)
    assert parts(read_again(jury, path)) == parts(jury)


def test_items_and_judges_without_an_answer_come_back_from_the_records_alone() -> None:
    records = [{"item": 1, "judge": "a", "verdict": "no"}]
    jury = read_jury(records, class_names=["no", "yes"], item_ids=[0, 1, 2], judge_names=["a", "b", "c"])
    again = read_jury(jury.to_records(), class_names=["no", "yes"])
    assert parts(again) == parts(jury)
    assert [judge.n_not_asked for judge in again.judges] == [2, 3, 3]


def test_class_numbers_come_back_as_numbers(tmp_path: Path) -> None:
    jury = read_jury({"item": [7, 7, 8], "judge": ["a", "b", "a"], "verdict": [2, 0, -1]})
    write_jury(jury, tmp_path / "j.jsonl")
    again = read_jury(tmp_path / "j.jsonl")
    assert parts(again) == parts(jury)
    assert again.votes.array.tolist() == [[2, 0], [-1, -1]]
    assert [judge.n_abstained for judge in again.judges] == [1, 0]


def test_what_is_no_unicode_text_is_not_written(tmp_path: Path) -> None:
    jury = read_jury([{"item": "\ud800", "judge": "a", "verdict": "x"}], class_names=["x", "y"])
    with pytest.raises(InvalidFileError, match="could not be written"):
        write_jury(jury, tmp_path / "j.jsonl")
    assert not list(tmp_path.iterdir())
