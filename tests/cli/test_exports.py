"""Exports on the command line: labels, rates and judges of a results file, and one message a mistake."""

import json
from pathlib import Path

import numpy as np
import pytest

import thumbwise as tw
from cli.rows import Run, make_rows
from cli.test_command_words import assert_no_python
from io_cases.exports import INSPECT, component, result, write_results


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """60 answers of two providers, three judges, one of which failed now and then, and 30 ratings by hand."""
    _, truth, votes = make_rows()
    rows = []
    for i, (vote, y) in enumerate(zip(votes, truth, strict=True)):
        said = [
            component(f"j{j}", bool(v > 0), metadata={"graderError": True} if v < 0 else {}) for j, v in enumerate(vote)
        ]
        rated = [component("", bool(y), assertion={"type": "human"})] if i < 30 else []
        rows.append(result(i // 2, *said, *rated, prompt=i % 2, provider=f"p{i % 2}"))
    return write_results(tmp_path, *rows)


def test_labels_are_those_of_the_library_and_columns_come_along(results: Path, run: Run) -> None:
    answer = run("label", results, "--output", results.parent / "labels.jsonl")
    assert answer.exit_code == 0, answer.stderr
    assert_no_python(answer.stdout)
    assert "taken for a results file of promptfoo" in answer.stdout
    assert "30 of 60 items have a gold label" in answer.stdout
    assert "not asked" in answer.stdout
    rows = [json.loads(line) for line in (results.parent / "labels.jsonl").read_text().splitlines()]
    assert [row["provider"] for row in rows] == ["p0", "p1"] * 30
    assert [row["item"] for row in rows] == tw.read_votes(results).votes.item_ids.tolist()


def test_rates_by_provider(results: Path, run: Run) -> None:
    answer = run("rate", results, "--of", "pass", "--by", "provider", "--json", "-")
    assert answer.exit_code == 0, answer.stderr
    reading = tw.read_votes(results)
    rates = tw.rate(reading, of="pass", by="provider")
    told = json.loads(answer.stdout)["rows"]
    assert [row["estimate"] for row in told] == pytest.approx([row.estimate for row in rates])
    assert {row["group"] for row in told} == {None, "p0", "p1"}


def test_judges_are_measured(results: Path, run: Run) -> None:
    answer = run("judges", results)
    assert answer.exit_code == 0, answer.stderr
    _, _, votes = make_rows()
    for j in range(3):
        n_failed = int((votes[:, j] < 0).sum())
        line = next(line.split() for line in answer.stdout.splitlines() if line.split()[:1] == [f"j{j}"])
        assert line[1:5] == [str(60 - n_failed), "0", str(n_failed), "0"]


def test_the_next_items_are_drawn_and_the_way_on_is_true(results: Path, run: Run) -> None:
    """What is printed after a draw is a command that works once labels are filled in."""
    output = results.parent / "more.jsonl"
    answer = run("plan", results, "--draw", "5", "--output", output)
    assert answer.exit_code == 0, answer.stderr
    assert f"--gold {output} --ignore gold" in " ".join(answer.stdout.split())
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    output.write_text("".join(json.dumps(row | {"label": row["label"] or "pass"}) + "\n" for row in rows))
    again = run("label", results, "--gold", output, "--ignore", "gold")
    assert again.exit_code == 0, again.stderr
    assert np.count_nonzero([row["label"] is None for row in rows]) == 5


@pytest.mark.parametrize("command", ["label", "rate", "judges", "triage"])
def test_without_gold_every_command_asks_for_it(results: Path, run: Run, command: str) -> None:
    more = {"rate": ["--of", "pass"], "triage": ["--precision", "0.9"]}.get(command, [])
    answer = run(command, results, "--ignore", "gold", *more)
    assert answer.exit_code != 0
    assert "gold labels are needed" in answer.stderr
    assert_no_python(answer.stderr)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--gold", "gold.csv"], "Drop that, or say --ignore gold"),
        (["--layout", "inspect"], "cannot be read as a log of Inspect"),
        (["--ignore", "j9"], "there is no judge or column 'j9'. Judges: 'j0', 'j1', 'j2'"),
        (["--rule", "judge"], "found --rule NAME besides"),
    ],
)
def test_mistakes(results: Path, run: Run, options: list[str], says: str) -> None:
    (results.parent / "gold.csv").write_text("id,label\n0:0:p0,pass\n")
    options = [str(results.parent / text) if text.endswith(".csv") else text for text in options]
    answer = run("label", results, *options)
    assert answer.exit_code != 0
    assert says in answer.stderr
    assert_no_python(answer.stderr)


def test_numbers_are_refused_with_the_option_that_settles_them(run: Run) -> None:
    answer = run("label", INSPECT)
    assert answer.exit_code != 0
    assert "--scores CLASS" in answer.stderr
    assert "--ignore style.clear --ignore style.polite" in answer.stderr
