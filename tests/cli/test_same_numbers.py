"""One thing has one number, on whatever page it is shown."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from cli.rows import Run


@pytest.fixture
def files(tmp_path: Path) -> list[object]:
    """Four good rules, so that majority vote does better than the model; 80 of 500 items are gold."""
    rng = np.random.default_rng(8)
    truth = rng.integers(2, size=500)
    wrong = rng.random((500, 4)) > 0.9
    said = np.where(rng.random((500, 4)) < 0.1, -1, truth[:, None] ^ wrong)
    names = ("ham", "spam")
    rows = [",".join([f"i{i}", *("" if v < 0 else names[v] for v in row)]) for i, row in enumerate(said)]
    (tmp_path / "votes.csv").write_text("\n".join(["id,a,b,c,d", *rows]) + "\n")
    gold = [f"i{i},{names[truth[i]]}" for i in rng.choice(500, 80, replace=False)]
    (tmp_path / "gold.csv").write_text("\n".join(["id,label", *gold]) + "\n")
    return [tmp_path / "votes.csv", "--gold", tmp_path / "gold.csv"]


def texts(page: Path) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", page.read_text()))


def the_only(pattern: str, text: str) -> str:
    """All places that match say the same."""
    matches: set[str] = set(re.findall(pattern, text))
    assert len(matches) == 1, (pattern, matches)
    return matches.pop()


@pytest.mark.parametrize("level", ["0.95", "0.8"])
def test_check_compare_report_and_plan_agree(files: list[object], tmp_path: Path, run: Run, level: str) -> None:
    said = {name: run(name, *files, "--confidence", level).stdout for name in ("check", "compare", "plan", "label")}
    run("report", *files, "--confidence", level, "-o", tmp_path / "report.html")
    page = texts(tmp_path / "report.html")
    row = next(line.split() for line in said["compare"].splitlines() if line.strip().startswith("majority vote"))
    losses = {"majority": row[2]}
    row = next(line.split() for line in said["compare"].splitlines() if line.strip().startswith("Balsubramani-Freund "))
    losses["model"] = row[1]
    for text in (said["check"], page):
        assert the_only(r"majority vote has a mean log loss of (\d\.\d+)", text) == losses["majority"]
        assert the_only(r"and the model of (\d\.\d+)", text) == losses["model"]
    assert losses["model"] in re.findall(r"Balsubramani-Freund\s+(\d\.\d{3})", page)
    assert losses["majority"] in re.findall(r"majority vote\s+(\d\.\d{3})", page)
    folds = r"\((\d+) folds\)"
    assert {the_only(folds, text) for text in (said["check"], said["compare"], page)} == {"10"}
    p_value = r"(?:difference|chance) \(p = (\S+?)\)"
    assert the_only(p_value, page) == the_only(p_value, said["check"])
    floors = re.findall(r"floor (?:\(estimate\) )?(\d\.\d{3})", page) + re.findall(r"end at about (\d\.\d{3})", page)
    assert len(floors) >= 3
    assert set(floors) == {the_only(r"end at about (\d\.\d{3})", said["plan"])}
    bound = the_only(
        r"mean log loss on the 420 of these 500 items without a gold label is at most (\d\.\d{3})", said["label"]
    )
    assert (
        the_only(r"mean log loss on the items without a gold label is at most (\d\.\d{3})", said["plan"] + page)
        == bound
    )


def test_labels_per_class_are_the_same_everywhere(files: list[object], tmp_path: Path, run: Run) -> None:
    run("report", *files, "-o", tmp_path / "report.html")
    page = " ".join(texts(tmp_path / "report.html").split())
    tables = []
    for command in ("label", "check"):
        lines = run(command, *files).stdout.splitlines()
        start = lines.index(next(line for line in lines if line.startswith("Labels")))
        tables.append([line.split() for line in lines[start:] if re.match(r" (ham|spam) +\d", line)][:2])
    assert tables[0] == tables[1]
    for row in tables[0]:
        assert " ".join(row) in page
