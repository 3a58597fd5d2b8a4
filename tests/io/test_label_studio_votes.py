"""Label Studio exports as votes: who said what, what was skipped, what is gold, and what is refused.

Kills, tried once: ground truth that is a vote too; a skip that is a vote; a skip that is not asked; tasks without
annotations that are dropped; the last of two ground truths; predictions read with rule="completed_by"; a warning that
is missing when every task is annotated; the id of a task in place of data.id.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thumbwise as tw
from errors.messages import assert_says, message_of
from io_cases.exported import cells, gold_of, outcomes
from io_cases.label_studio_tasks import annotation, choice, export, prediction, task

ANN = {"id": 4, "email": "ann@example.com", "first_name": "Ann", "last_name": ""}


TASKS = [
    task(11, []),
    task(12, [annotation("ham"), annotation("spam", ANN)], [prediction("ham"), prediction("spam", None)]),
    task(13, [annotation(None, was_cancelled=True), annotation(None, ANN)], [prediction(None)]),
    task(14, [annotation("ham"), annotation("spam", ANN, ground_truth=True)], [prediction("ham"), 2002]),
]


def test_everybody_who_said_something_is_a_judge_and_ground_truth_is_gold(tmp_path: Path) -> None:
    reading = tw.read_votes(export(tmp_path, TASKS))
    assert reading.layout == "label-studio"
    assert reading.votes.item_ids.tolist() == ["11", "12", "13", "14"]
    assert cells(reading) == {
        ("12", "annotator 7"): "ham",
        ("12", "ann@example.com"): "spam",
        ("12", "model-1"): "ham",
        ("12", "prediction"): "spam",
        ("14", "annotator 7"): "ham",
        ("14", "model-1"): "ham",
    }
    assert outcomes(reading) == {
        "annotator 7": (2, 1, 0, 1),
        "ann@example.com": (1, 1, 0, 2),
        "model-1": (2, 1, 0, 1),
        "prediction": (1, 0, 0, 3),
    }
    assert gold_of(reading) == {"14": "spam"}
    assert reading.passed_on["text"].tolist() == ["text 11", "text 12", "text 13", "text 14"]
    notes = " / ".join(reading.notes)
    for words in ("1 annotations were skipped", "2 annotations or predictions leave", "ids alone", "no votes of those"):
        assert words in notes
    assert "warning: every task" not in notes


def test_a_random_export_is_counted_by_a_loop_of_its_own(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    said: dict[tuple[str, str], str] = {}
    tasks = []
    for number in range(300):
        annotations: list[dict[str, Any]] = []
        for person in range(1, 4):
            if rng.random() < 0.6:
                label = ["x", "y", "z"][rng.integers(3)]
                is_skip = bool(rng.random() < 0.2)
                annotations.append(annotation(label, person, was_cancelled=is_skip))
                if not is_skip:
                    said[str(number), f"annotator {person}"] = label
        label = ["x", "y", "z"][rng.integers(3)]
        said[str(number), "m"] = label
        tasks.append(task(number, annotations, [prediction(label, "m")]))
    assert cells(tw.read_votes(export(tmp_path, tasks))) == said


def test_an_export_of_annotated_tasks_alone_may_be_no_pool(tmp_path: Path) -> None:
    notes = tw.read_votes(export(tmp_path, [TASKS[1], TASKS[3]])).notes
    assert any("warning: every task has an annotation" in note and "download_all_tasks" in note for note in notes)


def test_gold_that_was_filled_in_by_a_model_is_warned_of(tmp_path: Path) -> None:
    begun = task(15, [annotation("ham", ANN, ground_truth=True, parent_prediction=2001)], [prediction("ham")])
    assert any(
        "warning: 1 gold labels began as" in note for note in tw.read_votes(export(tmp_path, [*TASKS, begun])).notes
    )
    assert not any("began" in note for note in tw.read_votes(export(tmp_path, TASKS)).notes)


def test_of_several_ground_truths_the_first_counts_and_a_skipped_one_is_none(tmp_path: Path) -> None:
    true = {"ground_truth": True}
    tasks = [
        *TASKS,
        task(15, [annotation("ham", 1, **true), annotation("spam", 2, **true)]),
        task(16, [annotation("ham", 1, was_cancelled=True, **true)]),
        task(17, [annotation(None, 1, **true)]),
    ]
    reading = tw.read_votes(export(tmp_path, tasks))
    assert gold_of(reading) == {"14": "spam", "15": "ham"}
    assert outcomes(reading)["annotator 1"][1] == 2


def test_only_people_or_only_models(tmp_path: Path) -> None:
    path = export(tmp_path, TASKS)
    people = tw.read_votes(path, rule="completed_by")
    assert set(people.votes.rule_names) == {"annotator 7", "ann@example.com"}
    models = tw.read_votes(path, rule="model_version")
    assert set(models.votes.rule_names) == {"model-1", "prediction"}
    assert gold_of(models) == {"12": "ham", "14": "spam"}
    assert any("annotations by people are gold and no votes" in note for note in models.notes)
    said = message_of(tw.InvalidChoiceError, lambda: tw.read_votes(path, rule="annotator"))
    assert_says(said, "rule='annotator'", "'completed_by', 'model_version'")


def test_ids_of_the_user_come_first(tmp_path: Path) -> None:
    tasks = [task(n, [annotation(said)], data={"id": f"q{n}", "key": n % 2}) for n, said in ((1, "a"), (2, "b"))]
    reading = tw.read_votes(export(tmp_path, tasks), gold={"q2": "b"})
    assert reading.votes.item_ids.tolist() == ["q1", "q2"]
    assert "items are tasks, by their data.id" in reading.notes
    assert list(reading.passed_on) == ["key"]
    assert gold_of(reading) == {"q2": "b"}
    by_key = tw.read_votes(export(tmp_path, tasks), item_id="key")
    assert by_key.votes.item_ids.tolist() == ["1", "0"]
    said = message_of(tw.InvalidFileError, lambda: tw.read_votes(export(tmp_path, tasks), item_id="uid"))
    assert_says(said, "[0].data.uid must be an id")
    tasks[1]["data"]["id"] = "q1"
    said = message_of(tw.InvalidFileError, lambda: tw.read_votes(export(tmp_path, tasks)))
    assert_says(said, "'q1' occurs more than once", "item_id=NAME")


def test_ratings_are_verdicts_and_scores(tmp_path: Path) -> None:
    tasks = [
        task(n, [annotation(None, by, result=[choice(stars, kind="rating")]) for by, stars in ((1, n % 5 + 1), (2, 3))])
        for n in range(20)
    ]
    votes = tw.read_votes(export(tmp_path, tasks), class_names=range(1, 6)).votes
    assert votes.array[:, 0].tolist() == [n % 5 for n in range(20)]
    gold = {str(n): "good" if n % 5 > 2 else "bad" for n in range(20)}
    scored = tw.read_votes(export(tmp_path, tasks), scores="good", gold=gold)
    assert isinstance(scored.votes, tw.ScoredVotes)


def test_one_of_several_controls_is_named(tmp_path: Path) -> None:
    both = annotation("yes")
    both["result"].append(choice("long", control="length"))
    path = export(tmp_path, [task(1, [both]), task(2, [annotation("no")])])
    said = message_of(tw.InvalidFileError, lambda: tw.read_votes(path))
    assert_says(said, "'verdict', 'length'", "label=NAME")
    assert cells(tw.read_votes(path, label="verdict")) == {("1", "annotator 7"): "yes", ("2", "annotator 7"): "no"}
    long = tw.read_votes(path, label="length", class_names=["long", "short"])
    assert outcomes(long) == {"annotator 7": (1, 1, 0, 0)}


def test_the_same_annotator_twice_is_settled_by_duplicates(tmp_path: Path) -> None:
    path = export(tmp_path, [task(1, [annotation("a"), annotation("b")]), task(2, [annotation("b")])])
    assert_says(message_of(tw.InvalidVotesError, lambda: tw.read_votes(path)), "at most once", "duplicates=")
    assert cells(tw.read_votes(path, duplicates="last"))["1", "annotator 7"] == "b"


SPAN = {"type": "labels", "from_name": "ner", "to_name": "text", "value": {"start": 0, "end": 3, "labels": ["PER"]}}


@pytest.mark.parametrize(
    ("tasks", "words"),
    [
        ([], ["holds no task"]),
        ([task(1, [annotation(["a", "b"])])], ["one choice", "found a, b", "tags"]),
        ([task(1, [annotation(None, result=[SPAN])])], ["'labels'", "spans and regions are no class of an item"]),
        ([task(1, [1001])], ["an annotation with its result", "not their ids"]),
        ([task(1, [])], ["it must hold votes", "of 0 none says anything"]),
        ([task(1, [annotation("a", ground_truth=True)])], ["it must hold votes"]),
        ([task(1, [annotation("a", was_cancelled=True)])], ["of 1 none says anything"]),
        ([{"data": {"text": "x"}}], ["a list of tasks to import"]),
        ([{"id": 1, "data": {}, "completions": []}], ["a version before 1.0"]),
        ([{"id": 1, "text": "x", "verdict": "a", "annotator": 1, "annotation_id": 2, "lead_time": 1}], ["JSON_MIN"]),
        ([task(1, [annotation("a", was_cancelled=1)])], ["was_cancelled must be true or false"]),
        ([{**task(1, []), "predictions": {}}], ["[0].predictions must be a list"]),
        ([task(1, [annotation(None, result=[choice(float("inf"), kind="rating")])])], ["a number in value.rating"]),
        ([task(1, [annotation(None, result=[choice(10**400, kind="rating")])])], ["a number in value.rating"]),
    ],
)
def test_other_shapes_are_refused_with_what_was_found(tmp_path: Path, tasks: Any, words: list[str]) -> None:
    path = export(tmp_path, tasks)
    layout: Any = "label-studio" if not tasks else None
    assert_says(message_of(tw.InvalidFileError, lambda: tw.read_votes(path, layout=layout)), str(path), *words)


def test_csv_and_truncated_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "export.csv").write_text(
        "annotation_id,annotator,created_at,id,lead_time,text,verdict\n1,2,x,3,4,t,a\n"
    )
    said = message_of(tw.InvalidFileError, lambda: tw.read_votes(tmp_path / "export.csv"))
    assert_says(said, "CSV or JSON_MIN", "Export the project from Label Studio as JSON")
    whole = export(tmp_path, TASKS)
    whole.write_bytes(whole.read_bytes()[:-40])
    assert_says(message_of(tw.InvalidFileError, lambda: tw.read_votes(whole)), "whole to its end")


def test_a_model_that_is_called_like_a_person_is_another_judge(tmp_path: Path) -> None:
    tasks = [task(1, [annotation("a")], [prediction("b", "annotator 7")]), task(2, [annotation("b")])]
    assert set(tw.read_votes(export(tmp_path, tasks)).votes.rule_names) == {"annotator 7", "annotator 7 (model)"}
