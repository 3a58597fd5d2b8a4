"""Ratings and clusters on the command line: what is printed is what the library finds; mistakes have a way out."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thumbwise as tw
from cli.rows import Run
from cli.test_command_words import assert_no_python


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    """Three judges rate the answers of 60 talks, three each; gold for all answers of 20 talks, and for 50 answers."""
    rng = np.random.default_rng(0)
    talk = np.repeat(np.arange(60), 3)
    truth = rng.integers(1, 6, size=180)
    judges = np.clip(truth[:, None] + rng.choice([-1, 0, 0, 0, 1], size=(180, 3)), 1, 5)
    whole, single = (
        np.isin(talk, rng.choice(60, 20, replace=False)),
        np.isin(np.arange(180), rng.choice(180, 50, False)),
    )
    rows = zip(range(180), talk, *judges.T, np.where(whole, truth, ""), np.where(single, truth, ""), strict=True)
    with (tmp_path / "ratings.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["id", "talk", "gpt", "claude", "qwen", "whole", "single"], *rows])
    return tmp_path / "ratings.csv"


SINGLE = ("--ordered", "--gold-column", "single", "--ignore", "whole", "--ignore", "talk")
WHOLE = ("--ordered", "--gold-column", "whole", "--ignore", "single", "--cluster", "talk")


def read(ratings: Path, *, whole: bool) -> tw.Reading:
    if whole:
        return tw.read_votes(ratings, ordered=True, gold_column="whole", ignore=["single"], cluster="talk")
    return tw.read_votes(ratings, ordered=True, gold_column="single", ignore=["whole", "talk"])


def lines_of(answer: Any) -> list[str]:
    assert answer.exit_code == 0, answer.stderr
    return [" ".join(line.split()) for line in answer.stdout.splitlines()]


def test_judges_are_printed_with_their_steps(ratings: Path, run: Run) -> None:
    lines = lines_of(run("judges", ratings, *SINGLE, "--of", "5"))
    judged = tw.judges(read(ratings, whole=False), of=5)
    for row in judged.rows:
        steps = row.steps
        assert steps is not None
        assert any(line.startswith(f"{row.judge} {steps.n_gold} {steps.within_one:.3f} ") for line in lines)
    assert max(len(line) for line in lines[lines.index("On the scale") : lines.index("How often each says '5'")]) <= 80
    content = json.loads(run("judges", ratings, *SINGLE, "--json", "-").stdout)
    first = judged.scores[0].steps
    assert first is not None
    assert content["judges"][0]["scale"]["bias"] == first.bias


def test_labels_have_their_table_and_columns(ratings: Path, run: Run) -> None:
    output = ratings.parent / "labels.csv"
    lines = lines_of(run("label", ratings, *SINGLE, "-o", output))
    assert "Within one step of the truth" in lines
    assert "ordered classes, by the numbers that occur: 1 < 2 < 3 < 4 < 5" in lines
    with output.open() as file:
        row = next(csv.DictReader(file))
    expected = sum(int(name[2:]) * float(value) for name, value in row.items() if name.startswith("p_"))
    assert float(row["mean"]) == pytest.approx(expected) and row["median"] in "12345"


def test_the_mean_and_its_groups_and_clusters(ratings: Path, run: Run) -> None:
    for options, whole in ((SINGLE, False), (WHOLE, True)):
        answer = json.loads(run("rate", ratings, *options, "--json", "-").stdout)
        found = tw.rate(read(ratings, whole=whole))
        assert answer == json.loads(json.dumps(found.as_dict()))
        assert ("clusters" in answer["assumption"]) == whole


def test_comparisons_have_their_table(ratings: Path, run: Run) -> None:
    lines = lines_of(run("compare", ratings, *SINGLE, "--methods", "majority vote"))
    assert "On the scale" in lines and any(line.startswith("mean error: distance") for line in lines)


@pytest.mark.parametrize("command", ["label", "judges", "rate", "check", "report"])
def test_clusters_are_heeded_by_every_command_that_can(ratings: Path, run: Run, command: str) -> None:
    more = ("-o", ratings.parent / "page.html") if command == "report" else ()
    answer = run(command, ratings, *WHOLE, *more)
    assert answer.exit_code == 0, answer.stderr
    assert "60 clusters by column 'talk', 20 of them with gold" in answer.stdout
    if command in ("label", "judges", "rate", "report"):
        assert "if the 20 clusters with gold are a random sample of all 60 clusters" in answer.stdout


@pytest.mark.parametrize("command", ["triage", "compare", "plan"])
def test_the_others_refuse_them(ratings: Path, run: Run, command: str) -> None:
    answer = run(command, ratings, *WHOLE)
    assert answer.exit_code == 2
    assert "found gold that was drawn in whole clusters" in answer.stderr
    assert_no_python(answer.stderr)


PARTLY = ("--ordered", "--gold-column", "single", "--ignore", "whole", "--cluster", "talk")
MISTAKES: list[tuple[tuple[str, ...], str]] = [
    (PARTLY, "clusters with gold are labeled in part, such as '0' with"),
    ((*SINGLE, "--cluster", "talks"), "the votes must have a column 'talks'"),
    ((*SINGLE, "--scores", "5"), "--ordered says that the numbers are the classes themselves, scores that they speak"),
    ((*SINGLE, "--classes", "5,1,2,3,4"), "must be in the order of the numbers; found '5', '1', '2', '3', '4'"),
    ((*SINGLE[1:],), "classes must be numbered from 0, or be listed"),
]


@pytest.mark.parametrize(("options", "words"), MISTAKES)
def test_mistakes_have_a_way_out(ratings: Path, run: Run, options: tuple[str, ...], words: str) -> None:
    answer = run("label", ratings, *options)
    assert answer.exit_code == 2
    assert words in answer.stderr
    assert_no_python(answer.stderr)


def test_words_must_be_listed(ratings: Path, run: Run) -> None:
    names = ["", "awful", "poor", "fair", "good", "great"]
    rows = list(csv.reader(ratings.read_text().splitlines()))
    for row in rows[1:]:
        row[2:] = [names[int(field)] if field else "" for field in row[2:]]
    with ratings.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    answer = run("judges", ratings, *SINGLE)
    assert answer.exit_code == 2 and "words must be listed, from the lowest to the highest" in answer.stderr
    lines = lines_of(run("judges", ratings, *SINGLE, "--classes", ",".join(names[1:])))
    assert "ordered classes, lowest first: awful < poor < fair < good < great" in lines
