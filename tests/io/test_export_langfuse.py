"""Scores of Langfuse are read as their specification says, from every shape in which they come."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import thumbwise as tw
from io_cases.exports import LANGFUSE, changed, score
from thumbwise.exceptions import InvalidFileError, InvalidLabelsError, InvalidVotesError
from thumbwise.io.readings import Reading

SNAKE = {"traceId": "trace_id", "observationId": "observation_id", "stringValue": "string_value"}
SNAKE |= {"dataType": "data_type", "authorUserId": "author_user_id"}


def write(folder: Path, scores: list[dict[str, Any]], ending: str = ".json") -> Path:
    path = folder / f"scores{ending}"
    if ending == ".json":
        path.write_text(json.dumps(scores), encoding="utf-8")
    elif ending == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in scores), encoding="utf-8")
    else:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(dict.fromkeys(name for row in scores for name in row)))
            writer.writeheader()
            writer.writerows(scores)
    return path


def said(reading: Reading) -> tuple[Any, ...]:
    votes = reading.votes
    return votes.item_ids.tolist(), votes.rule_names, votes.class_names, votes.array.tolist(), reading.gold.tolist()


EXPECTED = (
    ["t1", "t2/o1", "t3"],
    ("correct-gpt", "correct-rule"),
    ("no", "yes"),
    [[1, 0], [0, -1], [-1, 1]],
    [1, -1, -1],
)


def test_the_answer_of_the_interface() -> None:
    reading = tw.read_votes(LANGFUSE)
    assert reading.layout == "langfuse"
    assert said(reading) == EXPECTED
    assert reading.passed_on["scored"].tolist() == ["trace", "observation", "trace"]
    assert reading.passed_on["environment"].tolist() == ["default", "test", "default"]


@pytest.mark.parametrize("ending", [".json", ".jsonl", ".csv"])
@pytest.mark.parametrize("names", ["interface", "bucket"])
def test_every_shape_says_the_same(tmp_path: Path, ending: str, names: str) -> None:
    rows = json.loads(LANGFUSE.read_bytes())["data"]
    if names == "bucket":
        rows = [{SNAKE.get(name, name): value for name, value in row.items()} for row in rows]
    reading = tw.read_votes(write(tmp_path, rows, ending))
    assert reading.layout == "langfuse"
    assert said(reading) == EXPECTED


def test_an_annotation_without_an_author_is_no_gold() -> None:
    """t3 was annotated by nobody; of two annotations of t1 the earlier counts, though it stands second."""
    notes = tw.read_votes(LANGFUSE).notes
    assert any("may be prefilled: 1 annotations" in note for note in notes)
    assert any("several: 1 items, 1 of them with different ones" in note for note in notes)


def test_where_no_author_is_told_annotations_count_and_the_notes_say_so(tmp_path: Path) -> None:
    rows = json.loads(LANGFUSE.read_bytes())["data"]
    for row in rows:
        del row["authorUserId"]
    reading = tw.read_votes(write(tmp_path, rows))
    assert reading.gold.tolist() == [1, -1, 0]
    assert any("says of no annotation who made it" in note for note in reading.notes)


def test_numbers_and_truths(tmp_path: Path) -> None:
    rows = [
        score("t1", "rating", value=0.7),
        score("t2", "rating", value=0.1),
        score("t3", "rating", value=None),
        score("t1", "right", "API", dataType="BOOLEAN", value=1, stringValue="True"),
        score("t2", "right", "API", dataType="BOOLEAN", value=0, stringValue="False"),
        score("t3", "right", "API", dataType="BOOLEAN", value=1),
    ]
    path = write(tmp_path, rows)
    with pytest.raises(InvalidVotesError, match=r"'rating' gave numbers, such as 0.7 on item 't1' \(2 such answers\)"):
        tw.read_votes(path)
    truths = tw.read_votes(path, ignore=["rating"])
    assert truths.votes.class_names == ("False", "True")
    assert truths.votes.array.tolist() == [[1], [0], [1]]
    assert truths.passed_on["rating"].tolist() == [0.7, 0.1, None]
    scored = tw.read_votes(path, scores="True", class_names=["False", "True"], threshold=0.5)
    assert scored.votes.rule_names == ("rating", "right")
    assert scored.votes.array.tolist() == [[1, 1], [0, 0], [-1, 1]]
    assert scored.jury is not None
    assert [(j.n_voted, j.n_failed) for j in scored.jury.judges] == [(2, 1), (3, 0)]


def test_one_name_of_two_sources_is_two_judges(tmp_path: Path) -> None:
    rows = [score(f"t{i}", "right", source, stringValue="yn"[i]) for i in range(2) for source in ("EVAL", "API")]
    assert tw.read_votes(write(tmp_path, rows)).votes.rule_names == ("right (API)", "right (EVAL)")


def test_annotations_of_two_names_are_two_questions(tmp_path: Path) -> None:
    rows = [score(f"t{i}", "judge", stringValue="yn"[i % 2]) for i in range(4)]
    rows += [score("t0", "right", "ANNOTATION", stringValue="y"), score("t0", "kind", "ANNOTATION", stringValue="n")]
    path = write(tmp_path, rows)
    with pytest.raises(InvalidLabelsError, match=r"annotations answer 2: 'kind', 'right'. Say which with gold_label"):
        tw.read_votes(path)
    assert tw.read_votes(path, gold_label="right").gold.tolist() == [1, -1, -1, -1]
    assert tw.read_votes(path, gold_label="kind").gold.tolist() == [0, -1, -1, -1]


def test_a_judge_that_scores_twice_is_asked_for(tmp_path: Path) -> None:
    rows = [
        score("t0", "judge", stringValue="y"),
        score("t0", "judge", stringValue="n"),
        score("t1", "judge", stringValue="n"),
    ]
    path = write(tmp_path, rows)
    with pytest.raises(InvalidVotesError, match=r"at most once on an item.*duplicates=\"first\""):
        tw.read_votes(path)
    assert tw.read_votes(path, duplicates="last").votes.array.tolist() == [[0], [0]]
    assert tw.read_votes(path, duplicates="first").votes.array.tolist() == [[1], [0]]


def test_sessions_and_runs_are_items_and_scores_of_nothing_are_told(tmp_path: Path) -> None:
    rows = [
        score("", "judge", stringValue="y", sessionId="s1"),
        score("", "judge", stringValue="n", datasetRunId="r1"),
        score("", "judge", stringValue="n"),
    ]
    reading = tw.read_votes(write(tmp_path, rows))
    assert reading.votes.item_ids.tolist() == ["s1", "r1"]
    assert any("belong to no trace, session or run: 1 of 3 scores" in note for note in reading.notes)


def test_one_page_of_several_is_told(tmp_path: Path) -> None:
    path = changed(LANGFUSE, tmp_path, lambda value: value["meta"].update(totalItems=900))
    assert any("8 of 900 scores" in note for note in tw.read_votes(path).notes)


def test_scores_of_people_alone_have_no_judge(tmp_path: Path) -> None:
    path = write(tmp_path, [score("t", "right", "ANNOTATION", stringValue="y", authorUserId="u")])
    with pytest.raises(InvalidFileError, match="there is no judge"):
        tw.read_votes(path)


def test_a_table_with_some_of_the_names_is_no_export(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("id,name,source,value\na,1,0,1\nb,0,0,1\n")
    reading = tw.read_votes(path)
    assert reading.layout == "wide"
    assert reading.votes.rule_names == ("name", "source", "value")
