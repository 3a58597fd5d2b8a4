"""On the same files every command and every way in Python gives the same verdict, the same numbers, the same words.

Kills, tried once: a command with a box of its own; permutations off in one of them; the lazy path without the check of
the sample; a sentence of the plan without its "if".
"""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest

import thumbwise as tw
from cli.rows import Run
from thumbwise.outward import at_most

N_ITEMS, N_GOLD = 800, 120
NAMES = ("ham", "spam")


def write_files(folder: Path, how: str) -> list[object]:
    """Votes of five rules, and gold: drawn at random, or mostly items on which the rules agree."""
    rng = np.random.default_rng(5)
    truth = rng.integers(2, size=N_ITEMS)
    votes = np.where(rng.random((N_ITEMS, 5)) < 0.78, truth[:, None], 1 - truth[:, None])
    agreement = np.abs(votes.mean(axis=1) - 0.5) ** (1 if how == "easy" else 0)
    gold = rng.choice(N_ITEMS, N_GOLD, replace=False, p=agreement / agreement.sum())
    rows = [",".join([f"i{i}", *(NAMES[v] for v in row)]) for i, row in enumerate(votes)]
    (folder / "votes.csv").write_text("\n".join(["id,a,b,c,d,e", *rows]) + "\n")
    (folder / "gold.csv").write_text("\n".join(["id,label", *(f"i{i},{NAMES[truth[i]]}" for i in gold)]) + "\n")
    (folder / "predictions.csv").write_text(
        "\n".join(["id,label", *(f"i{i},{NAMES[row[0]]}" for i, row in enumerate(votes))]) + "\n"
    )
    return [folder / "votes.csv", "--gold", folder / "gold.csv"]


def commands(run: Run, folder: Path, files: list[object]) -> dict[str, str]:
    report = folder / "report.html"
    of_report = run("report", *files, "-o", report).stdout
    certify = ("certify", folder / "predictions.csv", "--votes", *files)
    return {
        "label": run("label", *files).stdout,
        "label lazily": run("label", folder / "votes*.csv", *files[1:]).stdout,
        "plan": run("plan", *files).stdout,
        "certify": run(*certify).stdout,
        "report": " ".join(unescape(re.sub(r"<[^>]+>", " ", report.read_text())).split()),
        "report, printed": of_report,
    }


def in_python(folder: Path) -> dict[str, tw.Certificate]:
    reading = tw.read_votes(folder / "votes.csv", gold=folder / "gold.csv")
    y = [None if c < 0 else NAMES[c] for c in reading.gold]
    fresh = tw.Box.from_gold(reading.gold_votes, reading.gold_labels, pool=reading.votes, gold_is="subset")
    return {
        "box of a reading": tw.BalsubramaniFreund().fit(reading.votes, box=reading.box()).certificate_,
        "from_gold": tw.BalsubramaniFreund().fit(reading.votes, box=fresh).certificate_,
        "fit(votes, y)": tw.BalsubramaniFreund().fit(reading.votes, y).certificate_,
    }


@pytest.mark.parametrize("how", ["random", "easy"])
def test_same_verdict_same_numbers_same_words(how: str, tmp_path: Path, run: Run) -> None:
    files = write_files(tmp_path, how)
    printed, certificates = commands(run, tmp_path, files), in_python(tmp_path)
    sentences = {str(certificate) for certificate in certificates.values()}
    assert len(sentences) == 1
    sentence = sentences.pop()
    for name in ("label", "label lazily", "report", "report, printed"):
        assert sentence in printed[name], name
    bound = re.search(r"without a gold label is at most (\d\.\d{3})", sentence)
    assert bound is not None
    stated = re.findall(r"on the items without a gold label is at most (\d\.\d{3})", printed["plan"])
    reading = tw.read_votes(tmp_path / "votes.csv", gold=tmp_path / "gold.csv")
    best = tw.BalsubramaniFreund(caution=1).fit(reading.votes, box=reading.box()).certificate_.log_loss_bound
    assert stated == [at_most(best)], "a plan speaks of the lowest bound, which full caution gives"
    assert re.findall(r"\bbound (\d\.\d{3})\b", printed["report"])[0] == bound[1]
    for name, text in printed.items():
        if how == "easy":
            assert "No guarantee: the votes show that gold is not a random sample of all items" in text, name
            assert "With 95 % confidence" not in text, name
        else:
            assert "No guarantee" not in text, name
            assert "With 95 % confidence" in text, name
            assert "if the 120 gold items are a random sample of all 800 items" in text, name
