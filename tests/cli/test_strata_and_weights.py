"""Strata and weights on the command line: the design of Python, to the last digit; what does not fit is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import thumbwise as tw
from cli.rows import Run


@pytest.fixture
def drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """600 items, the hard quarter drawn twice as often."""
    rng = np.random.default_rng(5)
    y = rng.random(600) < 0.6
    votes = np.where(rng.random((600, 3)) < 0.85, y[:, None], ~y[:, None])
    kind = np.where(np.arange(600) < 150, "hard", "easy")
    weight = np.where(kind == "hard", 4, 8)
    gold = rng.random(600) < 1 / weight
    names = np.array(["no", "yes"])
    rows = [f"q{i},{','.join(names[votes[i].astype(int)])},{kind[i]},{weight[i]}" for i in range(600)]
    (tmp_path / "votes.csv").write_text("\n".join(["id,a,b,c,kind,weight", *rows]) + "\n")
    labels = [f"q{i},{names[int(y[i])]}" for i in np.flatnonzero(gold)]
    (tmp_path / "gold.csv").write_text("\n".join(["id,label", *labels]) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def design_of(folder: Path, how: str) -> tuple[tw.Reading, tw.designs.Design]:
    """The same by hand, from the rows of the file."""
    reading = tw.read_votes(folder / "votes.csv", gold=folder / "gold.csv", ignore=["kind", "weight"])
    rows = [line.split(",") for line in (folder / "votes.csv").read_text().splitlines()[1:]]
    gold = [line.split(",")[0] for line in (folder / "gold.csv").read_text().splitlines()[1:]]
    by_id = {row[0]: row for row in rows}
    order = [str(item) for item in reading.gold_votes.item_ids]
    assert sorted(order) == sorted(gold)
    if how == "strata":
        strata = np.array([by_id[item][4] for item in order], dtype=object)
        return reading, tw.designs.Stratified("subset", strata=strata, sizes={"hard": 150, "easy": 450})
    return reading, tw.designs.Poisson(np.array([float(by_id[item][5]) for item in order]), 8.0)


OPTIONS = {"strata": ["--strata", "kind", "--ignore", "weight"], "weights": ["--weights", "weight", "--ignore", "kind"]}


@pytest.mark.parametrize("how", OPTIONS)
def test_rates_and_bounds_are_those_of_the_design(drawn: Path, run: Run, how: str) -> None:
    answer = run("rate", "votes.csv", "--gold", "gold.csv", "--of", "yes", *OPTIONS[how], "--json", "-")
    assert answer.exit_code == 0, answer.stderr
    reading, design = design_of(drawn, how)
    wanted = tw.rate(reading, of="yes", gold_is=design)
    found = json.loads(answer.stdout)
    assert (found["lower"], found["upper"]) == (wanted.as_dict()["lower"], wanted.as_dict()["upper"])
    plain = tw.rate(reading, of="yes")
    assert (plain.lower, plain.upper) != (wanted.lower, wanted.upper)
    labeled = run("label", "votes.csv", "--gold", "gold.csv", *OPTIONS[how], "--json", "-")
    box = reading.box(gold_is=design)
    model = tw.BalsubramaniFreund().fit(reading.votes, box=box)
    content = json.loads(labeled.stdout)
    assert content["log_loss_bound"] == model.certificate_.log_loss_bound
    assert content["assumption"] == box.evidence.assumption


def test_the_draw_is_said(drawn: Path, run: Run) -> None:
    strata = run("read", "votes.csv", "--gold", "gold.csv", *OPTIONS["strata"]).stdout
    assert "gold was drawn at random within each of 2 strata, by column 'kind'" in strata
    weights = run("read", "votes.csv", "--gold", "gold.csv", *OPTIONS["weights"]).stdout
    assert "each with chance 1 / weight, by column 'weight'; weights go up to 8" in weights


def test_weights_of_gold_alone_need_the_largest(drawn: Path, run: Run) -> None:
    gold = {line.split(",")[0] for line in (drawn / "gold.csv").read_text().splitlines()}
    lines = (drawn / "votes.csv").read_text().splitlines()
    kept = [line if line.split(",")[0] in gold else line.rsplit(",", 1)[0] + "," for line in lines[1:]]
    (drawn / "votes.csv").write_text("\n".join([lines[0], *kept]) + "\n")
    arguments = ("rate", "votes.csv", "--gold", "gold.csv", "--of", "yes", *OPTIONS["weights"])
    refused = run(*arguments)
    assert refused.exit_code == 2
    assert "Fill it in, or say --max-weight W." in refused.stderr
    assert run(*arguments, "--max-weight", "8").exit_code == 0
    small = run(*arguments, "--max-weight", "5")
    assert "no weight may exceed --max-weight 5.0; found 8" in small.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--strata", "kind", "--weights", "weight"], "found both --strata and --weights"),
        (["--strata", "kint"], "must have a column 'kint'"),
        (["--weights", "kind", "--ignore", "weight"], "weights must be numbers; column 'kind' holds 'hard' in row 0"),
        (["--max-weight", "8"], "--max-weight goes with a column of weights"),
    ],
)
def test_mistakes_are_messages(drawn: Path, run: Run, options: list[str], words: str) -> None:
    answer = run("rate", "votes.csv", "--gold", "gold.csv", "--of", "yes", *options)
    assert answer.exit_code == 2
    assert words in answer.stderr


def test_what_speaks_of_plain_samples_refuses(drawn: Path, run: Run) -> None:
    for command in ("plan", "compare", "judges"):
        answer = run(command, "votes.csv", "--gold", "gold.csv", *OPTIONS["strata"])
        assert answer.exit_code == 2
        assert "a plain random sample; found Stratified" in answer.stderr
    elsewhere = run("label", "vote*.csv", "--gold", "gold.csv", *OPTIONS["strata"])
    assert "strata and weights are read with the items in memory" in elsewhere.stderr


def test_an_item_without_a_stratum_is_refused(drawn: Path, run: Run) -> None:
    text = (drawn / "votes.csv").read_text().replace(",easy,", ",,", 1)
    (drawn / "votes.csv").write_text(text)
    answer = run("rate", "votes.csv", "--gold", "gold.csv", "--of", "yes", *OPTIONS["strata"])
    assert "every item must be of a stratum; column 'kind' is empty in row 150" in answer.stderr
