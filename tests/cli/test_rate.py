"""thumbwise rate: files in, a table, sentences and JSON out; bad input is one message and exit code 2."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thumbwise as tw
from cli.rows import Run

N, N_GOLD = 300, 90
SYSTEMS = np.where(np.arange(N) % 2, "B", "A")


def make_case() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Truth, votes of four judges, and which items are gold."""
    rng = np.random.default_rng(11)
    truth = np.where(rng.random(N) < np.where(SYSTEMS == "B", 0.8, 0.5), "pass", "fail")
    other = np.where(truth == "pass", "fail", "pass")
    votes = np.where(rng.random((N, 4)) < 0.9, truth[:, None], other[:, None])
    return truth, votes, rng.permutation(N)[:N_GOLD]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    truth, votes, gold = make_case()
    rows = [",".join([f"q{i}", SYSTEMS[i], f"c{i // 3}", *votes[i]]) for i in range(N)]
    (tmp_path / "votes.csv").write_text("\n".join(["id,system,talk,j1,j2,j3,j4", *rows]) + "\n")
    (tmp_path / "gold.csv").write_text("\n".join(["id,label", *(f"q{i},{truth[i]}" for i in gold)]) + "\n")
    whole = [f"q{i},{truth[i]}" for i in range(N) if i // 3 in set(range(0, 100, 4))]
    (tmp_path / "talks.csv").write_text("\n".join(["id,label", *whole]) + "\n")
    return tmp_path


@pytest.fixture
def arguments(folder: Path) -> list[object]:
    return ["rate", folder / "votes.csv", "--gold", folder / "gold.csv", "--ignore", "talk"]


def expected(**options: object) -> tw.Rates:
    truth, votes, gold = make_case()
    known = np.full(N, None, dtype=object)
    known[gold] = truth[gold]
    return tw.rate(tw.Votes(votes, rule_names=["j1", "j2", "j3", "j4"]), known, **options)  # type: ignore[arg-type]


def test_groups_and_their_difference_are_those_of_the_library(arguments: list[object], run: Run) -> None:
    answer = run(*arguments, "--of", "pass", "--by", "system", "--versus", "A,B")
    reported = expected(of="pass", by=SYSTEMS, versus=("A", "B"))
    assert answer.exit_code == 0
    for sentence in reported.sentences:
        assert sentence in answer.stdout
    assert "A is lower than B" in answer.stdout
    assert "all 4 intervals hold at once" in answer.stdout


def test_json_on_stdout_is_all_there_is(arguments: list[object], run: Run) -> None:
    answer = run(*arguments, "--ignore", "system", "--of", "pass", "--json", "-")
    content = json.loads(answer.stdout)
    reported = expected(of="pass")
    assert content["estimate"] == pytest.approx(reported.estimate)
    assert content["lower"] == pytest.approx(reported.lower)
    assert content["upper"] == pytest.approx(reported.upper)
    keys = {"confidence_level", "method", "assumption", "n_gold", "n_items", "group"}
    assert keys <= set(content)
    assert (content["n_gold"], content["n_items"], content["group"]) == (N_GOLD, N, None)
    assert [row["group"] for row in content["rows"]] == [None]


def test_json_in_a_file_holds_every_row(arguments: list[object], folder: Path, run: Run) -> None:
    run(*arguments, "--of", "pass", "--by", "system", "--versus", "B,A", "--json", folder / "rates.json")
    rows = json.loads((folder / "rates.json").read_text())["rows"]
    assert [row["group"] for row in rows] == [None, "A", "B", "B - A"]
    again = run(*arguments, "--of", "pass", "--by", "system", "--json", folder / "rates.json")
    assert again.exit_code == 2
    assert "--overwrite" in again.stderr


def test_columns_of_predictions(arguments: list[object], run: Run) -> None:
    answer = run(*arguments, "--ignore", "system", "--versus", "j1,j4")
    assert expected(versus=("j1", "j4")).sentences[2] in answer.stdout


def test_whole_talks(arguments: list[object], folder: Path, run: Run) -> None:
    options = ["--gold", folder / "talks.csv", "--cluster", "talk", "--ignore", "system", "--of", "pass"]
    answer = run("rate", folder / "votes.csv", *options)
    assert answer.exit_code == 0
    assert "the 25 clusters with gold are a random sample of all 100 clusters" in answer.stdout


def test_class_balanced_gold_says_what_would_be_better(arguments: list[object], run: Run) -> None:
    answer = run(*arguments, "--ignore", "system", "--of", "pass", "--by-class")
    assert "a random sample of as many items would give a narrower interval" in answer.stdout
    assert "within each class" in answer.stdout


def test_a_method_without_guarantee_says_so(arguments: list[object], run: Run) -> None:
    answer = run(*arguments, "--ignore", "system", "--of", "pass", "--method", "asymptotic")
    assert "No guarantee: the intervals are asymptotic (PPI++)" in answer.stdout


def test_gold_that_is_no_random_sample_guarantees_nothing(folder: Path, arguments: list[object], run: Run) -> None:
    """Gold among the items that one judge passes: no line may say otherwise, in the table, the rows or at the end."""
    truth, votes, _ = make_case()
    chosen = np.flatnonzero(votes[:, 0] == "pass")[:80]
    (folder / "gold.csv").write_text("\n".join(["id,label", *(f"q{i},{truth[i]}" for i in chosen)]) + "\n")
    answer = run(*arguments, "--of", "pass", "--by", "system", "--versus", "A,B")
    assert answer.exit_code == 0
    assert "No guarantee: the votes show that gold is not a random sample" in answer.stdout
    assert "guaranteed" not in answer.stdout
    assert "confidence" not in answer.stdout
    claims = [line for line in answer.stdout.splitlines() if "lies between" in line]
    assert len(claims) == 4
    assert all(line.startswith("If all intervals held, ") for line in claims)


@pytest.mark.parametrize(
    ("options", "looks", "said"),
    [
        (["--looks", "30,60,90"], [30, 60, 90], "at each of the 3 planned looks (30, 60, 90 labels)"),
        (["--anytime"], "anytime", "whenever labeling stopped"),
        (["--looks", "anytime"], "anytime", "whenever labeling stopped"),
    ],
)
def test_a_stopping_rule_is_the_library_s(
    arguments: list[object], run: Run, options: list[str], looks: Any, said: str
) -> None:
    found = run(*arguments, "--ignore", "system", "--of", "pass", *options, "--json", "-")
    truth, votes, gold = make_case()
    known = np.full(N, None, dtype=object)
    known[gold] = truth[gold]
    expected = tw.rate(votes, known, of="pass", looks=looks)
    answer = json.loads(found.stdout)
    assert (answer["lower"], answer["upper"]) == (expected.lower, expected.upper)
    assert said in answer["assumption"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--ignore", "system"], "--of NAME"),
        (["--ignore", "system", "--of", "pas"], "Is 'pass' meant?"),
        (["--of", "pass", "--by", "sistem"], "must have a column 'sistem'"),
        (["--of", "pass", "--by", "system", "--versus", "A,A"], "two different groups"),
        (["--of", "pass", "--by", "system", "--versus", "A,C"], "--versus"),
        (["--ignore", "system", "--versus", "j1,j9"], "'j9'"),
        (["--ignore", "system", "--of", "pass", "--cluster", "talk"], "whole clusters must be labeled"),
        (["--ignore", "system", "--values", "a=1,b"], "--values must be numbers"),
        (["--ignore", "system", "--of", "pass", "--confidence", "1.5"], "--confidence"),
        (["--ignore", "system", "--of", "pass", "--looks", "50,x"], "--looks must be numbers of gold labels"),
        (["--ignore", "system", "--of", "pass", "--looks", "50,100"], "Use the first 50 of them"),
        (["--ignore", "system", "--of", "pass", "--looks", "90,50"], "--looks must be the planned numbers"),
        (["--ignore", "system", "--of", "pass", "--looks", "90", "--anytime"], "Drop one of them"),
        (["--ignore", "system", "--values", "pass=1,fail=0", "--anytime"], "--values needs a number of labels"),
    ],
)
def test_bad_input(arguments: list[object], run: Run, options: list[str], said: str) -> None:
    if "--cluster" in options:
        arguments = arguments[:4]
    answer = run(*arguments, *options)
    assert answer.exit_code == 2
    assert said in answer.stderr
    assert "Traceback" not in answer.stderr
