"""Gold lines: what is written is read back, what is wrong is refused with its line and field, a torn end is no error.

Kills, tried once: a torn line read as an answer; a line that only lacks its line break dropped; places that change
from line to line accepted; a stratum missing from stratified gold accepted; unknown versions read.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import thumbwise as tw
from errors.messages import assert_says, message_of
from io_cases.gold_files import AT, answer, header, stratified, write
from io_cases.hostile import NAMES
from thumbwise.io.gold_lines import (
    Answer,
    Design,
    Goal,
    Header,
    Items,
    Stopping,
    Stratum,
    is_gold_lines,
    parse_answer,
    parse_header,
    read_gold_lines,
)

RULES = [
    Stopping("fixed", 100),
    Stopping("fixed", 1, of="pass", goal=Goal("rate", within=0.05)),
    Stopping("looks", None, (50, 100, 150), 0.9),
    Stopping("anytime", 200, goal=Goal("accepted", share=0.7, precision=1.0)),
]
SHORT = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("stopping", RULES)
@pytest.mark.parametrize("design", [Design("random", 0), stratified()])
def test_a_header_is_read_back(stopping: Stopping, design: Design) -> None:
    written = header(stopping=stopping, design=design)
    assert parse_header(written.line().encode()) == written
    fields = json.loads(written.line())
    assert list(fields) == ["thumbwise", "version", "made", "classes", "id", "items", "design", "stopping"]
    assert set(fields["stopping"]) == {"rule", "n", "looks", "confidence_level", "of", "goal"}
    assert ("strata" in fields["design"]) is (design.kind == "stratified")


TEXTS = st.text(min_size=1, max_size=20) | st.sampled_from(NAMES)
IDS = TEXTS | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False)


@SHORT
@given(IDS, st.sampled_from(["label", "unclear", "skip", "undo"]), TEXTS, st.none() | TEXTS, st.booleans())
def test_an_answer_is_read_back_from_one_line(item: Any, kind: Any, by: str, note: str | None, again: bool) -> None:
    head = header(classes=("pass", 'quo"ted\nclass'))
    written = answer(item, 7, 'quo"ted\nclass', kind, by, note=note, again=again)
    assert "\n" not in written.line()
    assert parse_answer(written.line().encode(), head) == written


def test_a_file_is_read_back(tmp_path: Path) -> None:
    answers = [answer("q1", 1), answer(2, 2, "fail"), answer("q1", 1, kind="undo"), answer("q1", 1, again=True)]
    path = write(tmp_path / "gold.jsonl", header(), answers)
    read = read_gold_lines(path)
    assert (read.header, read.answers) == (header(), tuple(answers))
    assert (read.n_bytes, read.is_closed, read.torn, read.unknown) == (path.stat().st_size, True, b"", ())
    assert is_gold_lines(path)


def test_every_cut_of_a_file_keeps_all_answers_before_it(tmp_path: Path) -> None:
    """Wherever the process was killed: no error, nothing lost, nothing twice; and appending goes on from there."""
    answers = tuple(answer(f"é{k}", k) for k in range(1, 4))
    whole = write(tmp_path / "whole.jsonl", header(), answers).read_bytes()
    ends = [i + 1 for i, byte in enumerate(whole) if byte == 10]
    path = tmp_path / "cut.jsonl"
    for cut in range(ends[0] - 1, len(whole)):
        path.write_bytes(whole[:cut])
        read = read_gold_lines(path)
        lacks_break = cut + 1 in ends
        n_kept = sum(end <= cut for end in ends) - 1 + lacks_break
        assert read.answers == answers[:n_kept]
        assert read.is_closed is not lacks_break
        assert read.torn == (b"" if lacks_break else whole[:cut].rpartition(b"\n")[2])
        assert read.n_bytes + len(read.torn) == cut
        goes_on = whole[: read.n_bytes] + (b"" if read.is_closed else b"\n") + answers[2].line().encode() + b"\n"
        path.write_bytes(goes_on)
        assert read_gold_lines(path).answers == (*answers[:n_kept], answers[2])


@pytest.mark.parametrize(("content", "words"), [(b"", "it is empty"), (b'{"thumbwise": "go', "half written")])
def test_a_file_without_a_header_says_that_nothing_is_lost(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_bytes(content)
    assert_says(message_of(tw.InvalidFileError, lambda: read_gold_lines(path)), words, "No answer is in it")


def changed(line: str, **changes: Any) -> bytes:
    fields = json.loads(line)
    for name, value in changes.items():
        inside = fields
        *outer, last = name.split("__")
        for part in outer:
            inside = inside[part]
        inside[last] = value
    return json.dumps(fields).encode()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"version": 2}, ["version 1", "it says version 2", "later one"]),
        ({"version": True}, ["it says version True"]),
        ({"thumbwise": "model"}, ["line 1", '{"thumbwise": "gold"}']),
        ({"made": "yesterday"}, ["made must be a time", "'yesterday'"]),
        ({"classes": ["pass"]}, ["two classes or more"]),
        ({"classes": ["pass", "pass"]}, ["all different"]),
        ({"classes": ["pass", "Unclear "]}, ["no class may be called 'unclear'", "'Unclear '"]),
        ({"classes": "pass"}, ["classes must be a list"]),
        ({"items__n": 0}, ["items.n must be a whole number from 1"]),
        ({"items__n": 1e308}, ["items.n must be a whole number"]),
        ({"items__fingerprint": "AB" * 32}, ["items.fingerprint must be a SHA-256"]),
        ({"design__kind": "weighted"}, ["design.kind must be one of 'random', 'stratified'"]),
        ({"design__seed": -1}, ["design.seed must be a whole number from 0"]),
        ({"design__strata": []}, ["design.strata must be absent from a random draw"]),
        ({"design__kind": "stratified"}, ["design must be an object with strata"]),
        ({"stopping__rule": "whenever"}, ["stopping.rule must be one of 'fixed', 'looks', 'anytime'"]),
        ({"stopping__n": None}, ["stopping must be an object with n"]),
        ({"stopping__looks": [5]}, ["stopping must be an object with looks if its rule"]),
        ({"stopping__rule": "looks", "stopping__looks": [5, 5]}, ["each larger than the one before", "[5, 5]"]),
        ({"stopping__rule": "looks", "stopping__looks": []}, ["one or more numbers"]),
        ({"stopping__confidence_level": 1}, ["stopping.confidence_level must be more than 0 and less than 1"]),
        ({"stopping__of": "maybe"}, ["stopping.of must be one of 'pass', 'fail'"]),
        ({"stopping__goal": {"kind": "rate"}}, ["stopping.goal must be an object with within"]),
        ({"stopping__goal": {"kind": "rate", "within": 2}}, ["stopping.goal.within must be a number from 0 to 1"]),
        ({"stopping__goal": {"kind": "accepted", "share": 0.5}}, ["share and precision"]),
    ],
)
def test_a_wrong_header_is_refused_with_its_field(changes: dict[str, Any], words: list[str]) -> None:
    assert_says(message_of(tw.InvalidFileError, lambda: parse_header(changed(header().line(), **changes))), *words)


@pytest.mark.parametrize(
    ("strata", "words"),
    [
        ([{"name": "a", "size": 39, "n": 3}], ["sizes add up to all 40 items", "found 39"]),
        ([{"name": "a", "size": 40, "n": 41}], ["strata[0].n must be a whole number from 0 to 40"]),
        ([{"name": "a", "size": 20, "n": 1}] * 2, ["different names"]),
        ([{"name": "a", "n": 1}], ["no field 'size'"]),
        ([7], ["design.strata[0] must be an object"]),
    ],
)
def test_wrong_strata_are_refused(strata: list[Any], words: list[str]) -> None:
    line = changed(header(design=stratified()).line(), design__strata=strata)
    assert_says(message_of(tw.InvalidFileError, lambda: parse_header(line)), *words)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"id": None}, ["line 3", "id must be a text or a number"]),
        ({"id": True}, ["id must be a text or a number"]),
        ({"id": ""}, ["id must be a text of 1"]),
        ({"id": 10**19 * 9}, ["id must be", "64 bits"]),
        ({"id": ["a"]}, ["id must be"]),
        ({"place": 0}, ["place must be a whole number from 1 to 40; found 0"]),
        ({"place": 41}, ["place must be a whole number from 1 to 40"]),
        ({"place": 1.0}, ["place must be a whole number"]),
        ({"answer": "PASS"}, ["answer must be one of 'pass', 'fail'; found 'PASS'"]),
        ({"answer": None}, ["answer must be one of"]),
        ({"kind": "skip"}, ["answer must be null, since the kind is 'skip'"]),
        ({"kind": "delete", "answer": None}, ["kind must be one of 'label', 'unclear', 'skip', 'undo'"]),
        ({"by": None}, ["by must be a string"]),
        ({"by": "x" * 10_001}, ["by must be a text of 0 to 10,000 characters"]),
        ({"seconds": -1}, ["seconds must be a number from 0"]),
        ({"at": "noon"}, ["at must be a time"]),
        ({"note": 3}, ["note must be a string"]),
        ({"again": 1}, ["again must be true or false"]),
        ({"stratum": "easy"}, ["stratum", "without one otherwise"]),
    ],
)
def test_a_wrong_answer_is_refused_with_line_and_field(
    tmp_path: Path, changes: dict[str, Any], words: list[str]
) -> None:
    path = write(tmp_path / "gold.jsonl", header(), [answer("a", 1)], changed(answer("b", 2).line(), **changes) + b"\n")
    assert_says(message_of(tw.InvalidFileError, lambda: read_gold_lines(path)), "at line 3", *words)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"\xff\xfe", ["not UTF-8"]),
        (b"\0\0\0", ["strict JSON"]),
        (b"", ["strict JSON"]),
        (b'"id"', ["must be an object"]),
        (b"[" * 200_000, ["nested deeper than an answer needs"]),
        (b'{"id": ' * 100_000, ["nested deeper"]),
        (b'{"id": NaN}', ["NaN is not JSON"]),
        (b'{"id": 1e999}', ["numbers must fit a float"]),
        (b'{"id": ' + b"9" * 5000 + b"}", ["at most 20 characters"]),
        (b'{"id": 1, "id": 2}', ["'id' is given twice"]),
        (b'{"note": "' + b"x" * 2**20 + b'"}', ["at most 1,048,576 bytes"]),
    ],
    ids=range(11),
)
def test_hostile_lines_are_refused(tmp_path: Path, line: bytes, words: list[str]) -> None:
    path = write(tmp_path / "gold.jsonl", header(), [], line + b"\n")
    assert_says(message_of(tw.InvalidFileError, lambda: read_gold_lines(path)), "at line 2", *words)


def test_stratified_answers_name_a_stratum(tmp_path: Path) -> None:
    head = header(design=stratified())
    read = read_gold_lines(write(tmp_path / "g.jsonl", head, [answer("a", 1, stratum="easy")]))
    assert read.answers[0].stratum == "easy"
    for stratum, words in ((None, "with the stratum of the item"), ("middling", "one of 'easy', 'hard'")):
        path = write(tmp_path / "g.jsonl", head, [answer("a", 1, stratum=stratum)])
        assert_says(message_of(tw.InvalidFileError, partial(read_gold_lines, path)), "line 2", words)


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (answer("a", 2), "item 'a' was with (1, None) in line 2 and is with (2, None) here"),
        (answer("b", 1), "place 1 was with 'a' in line 2 and is with 'b' here"),
    ],
)
def test_an_item_keeps_its_place(tmp_path: Path, second: Answer, words: str) -> None:
    path = write(tmp_path / "gold.jsonl", header(), [answer("a", 1), second])
    assert_says(message_of(tw.InvalidFileError, lambda: read_gold_lines(path)), "at line 3", "same place", words)


def test_unknown_fields_are_ignored_and_named(tmp_path: Path) -> None:
    head = changed(header().line(), colour="red", items__bytes=7)
    line = changed(answer("a", 1).line(), mood={"deep": [1]})
    path = tmp_path / "gold.jsonl"
    path.write_bytes(head + b"\n" + line + b"\n")
    read = read_gold_lines(path)
    assert (read.header, read.answers) == (header(), (answer("a", 1),))
    assert read.unknown == ("colour", "items.bytes", "mood")


@pytest.mark.parametrize("classes", [("pass",), ("a", "a"), ("a", ""), ("pass", "unclear"), ("pass", " UNCLEAR")])
def test_classes_are_checked_when_a_header_is_made(classes: tuple[str, ...]) -> None:
    assert_says(message_of(tw.InvalidChoiceError, lambda: header(classes=classes)), "found", "class_names")


@pytest.mark.parametrize(
    "bad",
    [
        lambda: header(items=Items("a", 40, "no hash")),
        lambda: header(design=Design("stratified", 1, (Stratum("a", 3, 1),))),
        lambda: header(stopping=Stopping("looks")),
        lambda: header(made="never"),
    ],
)
def test_a_header_that_could_not_be_read_back_is_not_written(bad: Any) -> None:
    with pytest.raises(tw.InvalidFileError):
        bad().line()


def test_other_json_lines_are_no_gold_lines(tmp_path: Path) -> None:
    for name, content in (("a.jsonl", '{"id": 1, "thumbwise": "x"}\n'), ("b.jsonl", ""), ("c.csv", header().line())):
        (tmp_path / name).write_text(content)
        assert not is_gold_lines(tmp_path / name)
    (tmp_path / "later.ndjson").write_bytes(changed(header().line(), version=9) + b"\n")
    assert is_gold_lines(tmp_path / "later.ndjson")  # so that its reader can refuse it


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
BASE: list[dict[str, Any]] = [json.loads(header(design=stratified()).line()), json.loads(answer("a", 1).line())]


@SHORT
@given(st.data())
def test_whatever_a_field_holds_is_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    lines = [dict(BASE[0]), {**BASE[1], "stratum": "easy"}]
    which = data.draw(st.integers(0, 1))
    name = data.draw(st.sampled_from(sorted(lines[which])))
    lines[which][name] = data.draw(JSON)
    path = tmp_path / "gold.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    try:
        read = read_gold_lines(path)
    except tw.InvalidFileError as error:
        assert str(path) in str(error)
    else:
        assert isinstance(read.header, Header)
        assert parse_header(read.header.line().encode()) == read.header
        assert [parse_answer(one.line().encode(), read.header) for one in read.answers] == list(read.answers)


@SHORT
@given(st.binary(max_size=200), st.integers(0, 10**6))
def test_whatever_bytes_are_put_in_it_is_read_or_refused(tmp_path: Path, noise: bytes, where: int) -> None:
    whole = write(tmp_path / "gold.jsonl", header(), [answer("a", 1), answer("b", 2)]).read_bytes()
    cut = where % len(whole)
    (tmp_path / "gold.jsonl").write_bytes(whole[:cut] + noise + whole[cut:])
    try:
        assert len(read_gold_lines(tmp_path / "gold.jsonl").answers) <= 2
    except tw.InvalidFileError as error:
        assert "gold.jsonl" in str(error)


def test_an_answer_that_could_not_be_read_back_is_not_written() -> None:
    assert answer("a", 1, note="x" * 10**6).line()
    for note in ("x" * 2**20, "\0" * 2**18):
        assert_says(message_of(tw.InvalidFileError, answer("a", 1, note=note).line), "at most 1,048,576 bytes")


def test_a_last_line_without_an_end_is_refused_if_it_is_too_long(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.jsonl", header(), [], b"x" * (2**20 + 1))
    assert_says(message_of(tw.InvalidFileError, lambda: read_gold_lines(path)), "at line 2", "at most")


def test_times_are_kept_as_they_are_written() -> None:
    for at in (AT, "2024-05-01", "2024-05-01T12:00:09.123Z"):
        assert parse_header(header(made=at).line().encode()).made == at
