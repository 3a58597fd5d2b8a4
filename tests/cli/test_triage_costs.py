"""Judges in stages from the command line: the library's numbers in a table and in JSON, in memory and in files."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thumbwise as tw
from cli.rows import Run
from cli.test_command_words import assert_no_python
from thumbwise.assess.accepting.files import reasons_of

NAMES = ["tiny", "tiny too", "a judge with a name of forty letters =)", "large"]
COSTS = dict(zip(NAMES, [1, 1, 4.5, 20], strict=True))
OPTIONS = [part for name, cost in COSTS.items() for part in ("--cost", f"{name}={cost}")]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Votes in one file and in two, and gold."""
    rng = np.random.default_rng(4)
    truth = rng.integers(2, size=900)
    right = rng.random((900, 4)) < [0.75, 0.75, 0.8, 0.93]
    votes = np.where(
        rng.random((900, 4)) < 0.1, "", np.array(["no", "yes"])[np.where(right, truth[:, None], 1 - truth[:, None])]
    )
    rows = [[f"i{i:03d}", *row] for i, row in enumerate(votes.tolist())]
    (tmp_path / "parts").mkdir()
    for name, some in (("votes.csv", rows), ("parts/1.csv", rows[:400]), ("parts/2.csv", rows[400:])):
        write(tmp_path / name, [["id", *NAMES], *some])
    gold = rng.choice(900, 250, replace=False)
    write(tmp_path / "gold.csv", [["id", "label"], *([f"i{i:03d}", ("no", "yes")[truth[i]]] for i in gold)])
    return tmp_path


def write(path: Path, rows: list[Any]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)


def command(place: Path, *more: object, votes: str = "votes.csv") -> list[object]:
    return ["triage", place / votes, "--gold", place / "gold.csv", *more]


def in_python(place: Path, **targets: Any) -> tw.Triage:
    return tw.triage(tw.read_votes(place / "votes.csv", gold=place / "gold.csv"), costs=COSTS, **targets)


def test_json_and_table_have_the_numbers_of_the_library(place: Path, run: Run) -> None:
    found = in_python(place, precision=0.91)
    content = json.loads(run(*command(place, "--precision", "0.91", *OPTIONS, "--json", "-")).stdout)
    cascade = found.cascade
    assert cascade is not None and content["cascade"] == cascade.as_dict()
    assert 0 < cascade.saved < 1 and content["n_review"] == found.n_review
    ended = run(*command(place, "--precision", "0.91", *OPTIONS))
    assert ended.exit_code == 0, ended.output
    lines = [" ".join(line.split()) for line in ended.stdout.splitlines()]
    assert cascade.sentence in " ".join(lines)
    for number, row in enumerate(cascade.rows(), 1):
        shown = next(line for line in lines if line.startswith(f"{number}. "))
        counts = f"{row['cost_per_vote']:.3g} {row['n_asked']:,} {row['n_decided']:,}"
        assert counts in shown and shown.endswith(f"{row['cost_so_far']:.3g}")


def test_the_table_fits_eighty_columns(place: Path, run: Run) -> None:
    lines = run(*command(place, "--precision", "0.91", *OPTIONS)).stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("Stages, the cheapest"))
    end = next(i for i, line in enumerate(lines) if line.startswith("spent:"))
    assert max(len(line.rstrip()) for line in lines[start : end + 1]) <= 80
    assert any("1. tiny +1" in line for line in lines[start:end])


def test_items_in_files_stop_where_those_in_memory_do(place: Path, run: Run) -> None:
    contents = []
    for votes, name in (("votes.csv", "here"), ("parts/*.csv", "there")):
        files = ["-o", place / f"{name}.csv", "--review", place / f"{name}-review.csv"]
        ended = run(
            *command(place, "--precision", "0.91", *OPTIONS, *files, "--json", place / f"{name}.json", votes=votes)
        )
        assert ended.exit_code == 0, ended.output
        contents.append(json.loads((place / f"{name}.json").read_text()))
    here, there = contents
    assert there["cascade"] == here["cascade"] and there["rows"] == here["rows"]
    for name in ("", "-review"):
        texts = [(place / f"{where}{name}.csv").read_text().splitlines() for where in ("here", "there")]
        # Ranks of items that are as sure as each other may differ.
        rows = [sorted(row[1:] if name else row for row in csv.reader(lines)) for lines in texts]
        assert rows[0] == rows[1] and len(rows[0]) > 10


def test_what_people_look_at_is_explained_by_the_last_stage(place: Path) -> None:
    """Items that no stage decides have the label and the reasons that triage with all judges has."""
    staged = in_python(place, precision=0.91)
    at_once = tw.triage(tw.read_votes(place / "votes.csv", gold=place / "gold.csv"), precision=0.91)
    places = np.flatnonzero(~staged.accepts)
    assert len(places) > 5 and all(reasons_of(staged, places))
    assert reasons_of(staged, places).tolist() == reasons_of(at_once, places).tolist()
    np.testing.assert_array_equal(staged.ranked.proposed[places], at_once.ranked.proposed[places])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--precision", "0.9", "--cost", "tiny=1"], "--cost must name every judge; 3 of 4 have no cost"),
        (["--precision", "0.9", *OPTIONS, "--cost", "larg=1"], "Did you mean 'large'?"),
        (["--precision", "0.9", *OPTIONS, "--cost", "tiny=-1"], "found -1.0 for 'tiny'"),
        (["--precision", "0.9", *OPTIONS, "--cost", "tiny=nan"], "found nan for 'tiny'"),
        (["--precision", "0.9", "--cost", "tiny"], "--cost must be NAME=COST"),
        (["--precision", "0.9", "--per-class", *OPTIONS], "one threshold for all classes"),
        (["--budget", "9", *OPTIONS], "found both, --budget and --cost"),
    ],
)
def test_one_message_a_mistake(place: Path, run: Run, options: list[str], message: str) -> None:
    ended = run(*command(place, *options))
    assert ended.exit_code == 2
    assert message in " ".join(ended.stderr.split())
    assert ended.stderr.count("error:") == 1
    assert_no_python(ended.stderr)
