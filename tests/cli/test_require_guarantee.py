"""``--require-guarantee``: exit code 3 and no output where there is no guarantee or it proves nothing; 0 otherwise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cli.rows import Run

NAMES = ("ham", "spam")


def write_files(folder: Path, how: str) -> list[object]:
    """Four rules that are right on nine items of ten, or toss a coin; gold at random, or where the rules agree."""
    rng = np.random.default_rng(3)
    truth = rng.integers(2, size=600)
    right = 0.5 if how == "coins" else 0.8
    votes = np.where(rng.random((600, 4)) < right, truth[:, None], 1 - truth[:, None])
    agreement = np.abs(votes.mean(axis=1) - 0.5) + 0.05
    chances = agreement / agreement.sum() if how == "easy gold" else None
    gold = rng.choice(600, 150, replace=False, p=chances)
    rows = [",".join([f"i{i}", *(NAMES[v] for v in row)]) for i, row in enumerate(votes)]
    (folder / "votes.csv").write_text("\n".join(["id,a,b,c,d", *rows]) + "\n")
    (folder / "gold.csv").write_text("\n".join(["id,label", *(f"i{i},{NAMES[truth[i]]}" for i in gold)]) + "\n")
    return ["--gold", folder / "gold.csv", "--on-infeasible", "widen", "-o", folder / "labels.csv"]


@pytest.mark.parametrize("source", ["votes.csv", "vote*.csv"], ids=["one file", "wildcard"])
@pytest.mark.parametrize(
    ("how", "code", "words"),
    [
        ("good", 0, "With 95 % confidence"),
        ("coins", 3, "This proves nothing"),
        ("easy gold", 3, "No guarantee: the votes show that gold is not a random sample"),
    ],
)
def test_exit_code_and_output(how: str, code: int, words: str, source: str, tmp_path: Path, run: Run) -> None:
    options = write_files(tmp_path, how)
    answer = run("label", tmp_path / source, *options, "--require-guarantee")
    assert answer.exit_code == code
    assert words in answer.stdout
    assert (tmp_path / "labels.csv").exists() == (code == 0)
    assert ("error: a guarantee is required, and there is none." in answer.stderr) == (code == 3)
    assert run("label", tmp_path / source, *options).exit_code == 0
    assert (tmp_path / "labels.csv").exists()
