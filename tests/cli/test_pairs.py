"""Comparisons of two systems on the command line: win rates, preferred systems, and what judges do with the order."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import thumbwise as tw
from cli.rows import Run

CASE = tw.datasets.make_pairs(80, n_gold=60, random_state=2)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, columns in (("votes", CASE.votes), ("gold", CASE.gold)):
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def ask(run: Run, files: Path, command: str, *more: object) -> Any:
    return run(command, files / "votes.jsonl", "--gold", files / "gold.jsonl", *more)


def test_win_rate_of_a_system(run: Run, files: Path) -> None:
    result = ask(run, files, "rate", "--system", "aster", "--by", "opponent")
    assert result.exit_code == 0, result.output
    assert all(len(line) <= 80 for line in result.output.splitlines() if line.startswith(" "))
    reading = tw.read_votes(CASE.votes, gold=CASE.gold)
    rates = tw.win_rate(reading, system="aster", by="opponent")
    found = json.loads(ask(run, files, "rate", "--system", "aster", "--by", "opponent", "--json", "-").stdout)
    assert [(row["lower"], row["upper"]) for row in found["rows"]] == [(row.lower, row.upper) for row in rates]
    for sentence in (*rates.sentences, *rates.remarks):
        assert sentence in result.output


def test_what_judges_do_with_the_order_is_printed(run: Run, files: Path) -> None:
    result = ask(run, files, "judges")
    rows = {row[0]: row[1:] for row in map(str.split, result.output.splitlines()) if row and row[0] == "judge-s"}
    reading = tw.read_votes(CASE.votes, gold=CASE.gold)
    assert reading.pairs is not None
    judge = reading.pairs.judges[-1]
    assert "Judges and the order of answers" in result.output
    shown = result.output.split("Judges and the order of answers")[1]
    line = next(line.split() for line in shown.splitlines() if line.split()[:1] == ["judge-s"])
    assert [int(line[1]), int(line[2]), int(line[3])] == [judge.n_votes, judge.n_both, judge.n_contradictions]
    assert [int(line[-2]), int(line[-1])] == [judge.n_first_shown, judge.n_second_shown]
    assert "judge-s" in rows


def test_labels_are_preferred_systems(run: Run, files: Path) -> None:
    result = ask(run, files, "label", "-o", files / "out.csv")
    assert result.exit_code == 0, result.output
    with (files / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["label"] for row in rows} == {"aster", "birch", "cedar", "tie"}
    for row in rows:
        assert row["label"] in (row["first"], row["second"], "tie")
    winner = dict(
        zip(
            zip(*(CASE.gold[name] for name in ("question_id", "model_a", "model_b")), strict=True),
            CASE.gold["winner"],
            strict=True,
        )
    )
    known = {(str(q), a, b): {"model_a": a, "model_b": b}.get(w, w) for (q, a, b), w in winner.items()}
    kept = [row for row in rows if (row["question_id"], row["first"], row["second"]) in known]
    assert len(kept) == 60
    assert all(row["label"] == known[row["question_id"], row["first"], row["second"]] for row in kept)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--system", "astre"), "--system must be one of 'aster', 'birch', 'cedar'; found 'astre'. Is 'aster' meant?"),
        (("--system", "aster", "--of", "tie"), "--system asks for a win rate"),
        (("--system", "aster", "--by", "judge"), "or --by opponent; found 'judge'."),
        (("--systems", "model_a,modell", "--of", "tie"), "there must be a column 'modell' of systems"),
    ],
)
def test_mistakes_speak_in_options(run: Run, files: Path, options: tuple[str, ...], message: str) -> None:
    result = ask(run, files, "rate", *options)
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


def test_people_who_disagree(run: Run, files: Path) -> None:
    lines = (files / "gold.jsonl").read_text().splitlines()
    first = json.loads(lines[0])
    other = {**first, "judge": "eve", "winner": "tie" if first["winner"] != "tie" else "model_a"}
    (files / "gold.jsonl").write_text("\n".join([*lines, json.dumps(other)]) + "\n")
    refused = ask(run, files, "rate", "--system", "aster")
    assert refused.exit_code == 2
    assert "people disagree on 1 of 60 items" in refused.output and "say --gold-majority." in refused.output
    assert ask(run, files, "rate", "--system", "aster", "--gold-majority").exit_code == 0
