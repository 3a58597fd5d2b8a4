"""Ratings on the command line: what is said and what labels they give, as from Python; each command takes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import thumbwise as tw
from cli.rows import Run


@pytest.fixture
def rated(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=200)
    ratings = np.clip(np.round(4 + 3 * (truth[:, None] - 0.5) + 1.5 * rng.normal(size=(200, 5))), 0, 9).astype(int)
    ids = [f"c{i:03d}" for i in range(200)]
    frame = pd.DataFrame(ratings, columns=list("abcde")).assign(item=ids)
    frame.to_csv(tmp_path / "ratings.csv", index=False)
    frame.melt("item", var_name="judge", value_name="answer").to_csv(tmp_path / "long.csv", index=False)
    words = np.array(["fine", "toxic"])[truth]
    gold = pd.DataFrame({"item": ids, "label": words}).sample(80, random_state=0)
    gold.to_csv(tmp_path / "gold.csv", index=False)
    return tmp_path


def test_labels_are_those_of_python(rated: Path, run: Run) -> None:
    output = rated / "labels.csv"
    answer = run("label", rated / "ratings.csv", "--gold", rated / "gold.csv", "--scores", "toxic", "-o", output)
    assert answer.exit_code == 0, answer.stderr
    said = " ".join(answer.stdout.split())
    assert "scores are ratings; only the order of a judge's own scores counts" in said
    assert "high scores speak for 'toxic': a judge's verdict is 'toxic' where more of its own scores are lower" in said
    assert "through at most 128 levels" in said and "-1 = abstain" not in said
    reading = tw.read_votes(rated / "ratings.csv", gold=rated / "gold.csv", scores="toxic")
    model = tw.BalsubramaniFreund().fit(reading.votes, reading.gold)
    np.testing.assert_allclose(pd.read_csv(output)["p_toxic"], model.predict_proba(reading.votes)[:, 1], atol=1e-6)


def test_a_row_per_rating_gives_the_same_votes(rated: Path) -> None:
    wide = tw.read_votes(rated / "ratings.csv", gold=rated / "gold.csv", scores="toxic")
    long = tw.read_votes(rated / "long.csv", gold=rated / "gold.csv", scores="toxic", layout="long", rule="judge")
    assert long.votes.fingerprint == wide.votes.fingerprint
    np.testing.assert_array_equal(long.votes.ranked, wide.votes.ranked)
    assert long.gold.tolist() == wide.gold.tolist()


@pytest.mark.parametrize(
    "command",
    [
        ("rate", "--of", "toxic"),
        ("judges",),
        ("triage", "--precision", "0.7"),
        ("check",),
        ("compare",),
        ("label", "--method", "majority vote"),
    ],
)
def test_other_commands_take_scores(rated: Path, run: Run, command: tuple[str, ...]) -> None:
    name, *more = command
    answer = run(name, rated / "ratings.csv", "--gold", rated / "gold.csv", "--scores", "toxic", *more)
    assert answer.exit_code in (0, 1 if name == "check" else 0), answer.stderr
    assert answer.stdout


def test_messages_name_options(rated: Path, run: Run) -> None:
    answer = run("label", rated / "ratings.csv", "--gold", rated / "gold.csv")
    assert answer.exit_code != 0 and "--scores CLASS" in answer.stderr
    answer = run("label", rated / "ratings.csv", "--gold", rated / "gold.csv", "--scores-are", "ratings")
    assert answer.exit_code != 0 and "--scores CLASS, one of 'fine', 'toxic'" in answer.stderr
    answer = run(
        *("label", rated / "ratings.csv", "--gold", rated / "gold.csv"),
        *("--scores", "toxic", "--scores-are", "probabilities"),
    )
    assert answer.exit_code != 0 and "--scores-are ratings" in answer.stderr
