"""thumbwise judges: the numbers of the library in tables, JSON and a list of disagreements; one message a mistake."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thumbwise as tw
from cli.rows import Run
from cli.test_command_words import assert_no_python


def judge(run: Run, folder: Path, *options: object) -> Any:
    return run("judges", folder / "votes.csv", "--gold", folder / "gold.csv", *options)


def test_the_numbers_are_those_of_the_library(folder: Path, run: Run) -> None:
    answer = judge(run, folder, "--cost", "caps=0.5", "--of", "ham", "--confidence", "0.8")
    assert answer.exit_code == 0, answer.stderr
    assert answer.stderr == ""
    reading = tw.read_votes(folder / "votes.csv", gold=folder / "gold.csv")
    judged = tw.judges(reading, of="ham", costs={"caps": 0.5}, confidence_level=0.8)
    lines = [" ".join(line.split()) for line in answer.stdout.splitlines()]
    for row in judged.scores:
        assert any(line.startswith(f"{row.judge} {row.n_votes} {row.n_gold} {row.agreement:.3f} ") for line in lines)
        given = row.rates[0].true_positive
        assert any(line.startswith(f"{row.judge} {given.n_gold} {given.estimate:.3f} ") for line in lines)
    for sentence in judged.sentences:
        assert sentence in lines
    assert "How often each says 'ham'" in answer.stdout


def test_tables_and_explanations_fit_eighty_columns(folder: Path, run: Run) -> None:
    lines = judge(run, folder, "--cost", "caps=0.5").stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("Against gold"))
    end = next(i for i, line in enumerate(lines) if line.startswith("With 95 %"))
    assert max(len(line.rstrip()) for line in lines[start:end]) <= 80


def test_json_has_everything_and_stdout_nothing_else(folder: Path, run: Run) -> None:
    content = json.loads(judge(run, folder, "--json", "-").stdout)
    judged = tw.judges(tw.read_votes(folder / "votes.csv", gold=folder / "gold.csv"))
    assert [row["judge"] for row in content["judges"]] == [row.judge for row in judged.scores]
    first, score = content["judges"][0], judged.scores[0]
    assert first["agreement"] == {
        "estimate": score.agreement,
        "lower": score.interval[0],
        "upper": score.interval[1],
        "n_gold": score.n_gold,
    }
    assert first["cost_per_label"] is None
    assert first["rates"][0]["class"] == "spam"
    assert {"confidence_level", "method", "assumption", "n_gold", "n_items"} <= set(content)
    assert content["is_guarantee"] is True
    assert len(content["disagreements"]) == len(judged.disagreements)
    assert content["krippendorff_alpha"] == judged.krippendorff_alpha


def test_disagreements_and_json_are_written(folder: Path, run: Run) -> None:
    answer = judge(run, folder, "-o", folder / "wrong.csv", "--json", folder / "out.json")
    assert answer.exit_code == 0
    assert f"written: {folder / 'wrong.csv'}" in answer.stdout
    with (folder / "wrong.csv").open() as file:
        rows = [*csv.DictReader(file)]
    content = json.loads((folder / "out.json").read_text())["disagreements"]
    assert [row["id"] for row in rows] == [row["id"] for row in content]
    assert [*rows[0]] == ["id", "gold", "n_wrong", "n_votes", "panel", "caps", "links", "length"]
    assert all(row["gold"] != row["caps"] or row["links"] or row["length"] for row in rows)
    again = judge(run, folder, "-o", folder / "wrong.csv")
    assert again.exit_code == 2
    assert "--overwrite" in again.stderr
    assert judge(run, folder, "-o", folder / "wrong.csv", "--overwrite").exit_code == 0


def test_votes_in_many_files(folder: Path, run: Run) -> None:
    head, *rows = (folder / "votes.csv").read_text().splitlines()
    (folder / "part").mkdir()
    for i, part in enumerate((rows[:25], rows[25:])):
        (folder / "part" / f"{i}.csv").write_text("\n".join([head, *part]) + "\n")
    answer = run("judges", folder / "part" / "*.csv", "--gold", folder / "gold.csv", "--json", "-")
    assert answer.exit_code == 0, answer.stderr
    here, elsewhere = json.loads(judge(run, folder, "--json", "-").stdout), json.loads(answer.stdout)
    assert elsewhere == here


def test_judges_that_failed_or_declined(tmp_path: Path, run: Run) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=150)
    records: list[dict[str, Any]] = []
    for name, accuracy in {"large": 0.9, "small": 0.8, "tiny": 0.6}.items():
        for i, right in enumerate((rng.random(150) < accuracy).tolist()):
            verdict: dict[str, Any] = {"verdict": ("fail", "pass")[truth[i] if right else 1 - truth[i]]}
            declined: dict[int, dict[str, Any]] = {7: {"verdict": "unsure"}, 11: {"verdict": None, "error": "timeout"}}
            records.append({"item": i, "judge": name, "text": f"[b]{i}", **declined.get(i % 20, verdict)})
    (tmp_path / "votes.jsonl").write_text("\n".join(map(json.dumps, records)))
    gold = rng.choice(150, 60, replace=False)
    labels = "\n".join(f"{i},{('fail', 'pass')[truth[i]]}" for i in gold)
    (tmp_path / "gold.csv").write_text(f"item,label\n{labels}\n")
    options = ("--abstain", "unsure", "--ignore", "text")
    answer = run("judges", tmp_path / "votes.jsonl", "--gold", tmp_path / "gold.csv", *options)
    assert answer.exit_code == 0, answer.stderr
    assert "[b]" in answer.stdout
    assert "How often each says 'pass'" in answer.stdout
    assert "the panel on" in answer.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--of", "span"], "--of must be one of the classes 'ham', 'spam'; found 'span'. Did you mean 'spam'?"),
        (["--cost", "cap=1"], "--cost must name judges; there is no judge 'cap' among 3. Did you mean 'caps'?"),
        (["--cost", "caps=-1"], "--cost must be numbers that are not negative"),
        (["--cost", "caps"], "--cost must be NAME=COST"),
        (["--cost", "caps=dear"], "--cost must be NAME=COST"),
        (["-o", "votes.csv"], "votes.csv"),
        (["-o", "wrong.txt"], "must end in one of"),
        (["--json", "gold.csv", "--overwrite"], "gold.csv"),
        (["-o", "out.csv", "--json", "out.csv"], "out.csv"),
        (["--confidence", "95"], "--confidence must lie between 0 and 1"),
    ],
)
def test_bad_input(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch, options: list[str], message: str) -> None:
    monkeypatch.chdir(folder)
    before = {path: path.read_bytes() for path in folder.iterdir()}
    answer = run("judges", "votes.csv", "--gold", "gold.csv", *options)
    assert answer.exit_code == 2
    assert message in answer.stderr
    assert_no_python(answer.stderr)
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_without_gold(folder: Path, run: Run) -> None:
    answer = run("judges", folder / "votes.csv")
    assert answer.exit_code == 2
    assert "--gold FILE" in answer.stderr
