"""One thing has one number, on whatever page it is shown."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thumbwise as tw
from cli.rows import Run
from thumbwise.outward import at_least, at_most


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


def test_check_compare_report_and_plan_agree(files: list[object], tmp_path: Path, run: Run) -> None:
    """At a level that none of them has by itself."""
    level = "0.8"
    said = {name: run(name, *files, "--confidence", level).stdout for name in ("check", "compare", "plan", "label")}
    said["cautious"] = run("label", *files, "--confidence", level, "--caution", "1").stdout
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
        r"mean log loss on the 420 of these 500 items without a gold label is at most (\d\.\d{3})", said["cautious"]
    )  # a plan speaks of the lowest bound
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


def rows_of(text: str, title: str, names: tuple[str, ...]) -> dict[str, list[str]]:
    """Cells of the rows of a printed table, by their first cell."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(title))
    cells = [line.split() for line in lines[start:]]
    first: dict[str, list[str]] = {}
    for row in cells:
        if row and row[0] in names:
            first.setdefault(row[0], row[1:])
    return first


def html_rows(page: str, table: str) -> dict[str, list[str]]:
    body = page.split(f'id="{table}"')[1].split("<tbody>")[1].split("</tbody>", maxsplit=1)[0]
    rows = [
        [unescape(re.sub(r"<[^>]+>", "", cell)).strip() for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.S)]
        for row in re.findall(r"<tr>.*?</tr>", body, re.S)
    ]
    return {row[0]: row[1:] for row in rows}


@pytest.fixture
def swapped(tmp_path: Path) -> list[object]:
    """Rule c says the opposite of what it sees, d seldom votes; 100 of 600 items are gold."""
    rng = np.random.default_rng(3)
    truth = (rng.random(600) < 0.3).astype(int)
    wrong = rng.random((600, 4)) > [0.9, 0.8, 0.1, 0.8]
    cast = np.where(rng.random((600, 4)) < [0.1, 0.2, 0.1, 0.9], -1, truth[:, None] ^ wrong)
    names = ("ham", "spam")
    rows = [",".join([f"i{i}", *("" if v < 0 else names[v] for v in row)]) for i, row in enumerate(cast)]
    (tmp_path / "votes.csv").write_text("\n".join(["id,a,b,c,d", *rows]) + "\n")
    gold = [f"i{i},{names[truth[i]]}" for i in rng.choice(600, 100, replace=False)]
    (tmp_path / "gold.csv").write_text("\n".join(["id,label", *gold]) + "\n")
    return [tmp_path / "votes.csv", "--gold", tmp_path / "gold.csv"]


def test_rules_and_classes_are_the_same_in_terminal_report_tables_and_checks(
    swapped: list[object], tmp_path: Path, run: Run
) -> None:
    reading = tw.read_votes(str(swapped[0]), gold=str(swapped[2]))
    model = tw.BalsubramaniFreund().fit(reading.votes, box=reading.box())
    printed = run("label", *swapped).stdout
    run("report", *swapped, "-o", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    checks = tw.check(reading, model=model)
    compare_rules(tw.displays.rules_table(model, reading), printed, page, checks)
    compare_classes(tw.displays.classes_table(model, reading), printed, page, checks)


def compare_rules(table: tw.displays.Tidy, printed: str, page: str, checks: Any) -> None:
    in_terminal, in_report = rows_of(printed, "Rules", ("a", "b", "c", "d")), html_rows(page, "rule-table")
    for row in table.rows():
        side = "-" if row["active"] == "none" else row["active"]
        shared = [str(row["gold_votes"]), f"{row['gold_accuracy']:.3f}", at_least(row["lower"]), at_most(row["upper"])]
        terminal, report = in_terminal[row["rule"]], in_report[row["rule"]]
        assert terminal[:3] == [f"{row['coverage']:.3f}", *map(str, row["votes_per_class"])]
        assert terminal[3:7] == report[3:7] == shared
        assert float(terminal[7]) == pytest.approx(row["weight"], abs=0.005)
        assert float(report[7]) == pytest.approx(row["weight"], abs=0.0005)
        assert terminal[8] == report[8] == side
        assert report[:3] == [f"{row[name]:.3f}" for name in ("coverage", "overlap", "conflict")]
    below = next(finding for finding in checks if finding.code == "TW101")
    assert below.rules == tw.displays.worse_than_chance(table)["rule"] == ("c",)
    assert at_most(table["upper"][2]) in below.explanation
    assert f"the highest upper bound is {at_most(table['upper'][2])}" in page
    assert "worse than chance (whole interval below 1/2): 'c'" in printed


def compare_classes(table: tw.displays.Tidy, printed: str, page: str, checks: Any) -> None:
    assert checks.classes.frame() == table.frame()
    in_report = html_rows(page, "class-table")
    classes, labels = (rows_of(printed, title, ("ham", "spam")) for title in ("Classes", "Labels"))
    for row in table.rows():
        gold = [str(row["n_gold"]), f"{row['gold_share']:.3f}"]
        assert classes[row["class"]][:5] == [
            f"{row['vote_share']:.3f}",
            *gold,
            at_least(row["lower"]),
            at_most(row["upper"]),
        ]
        labeled = [str(row["n_labeled"]), f"{row['labeled_share']:.3f}", *gold]
        assert labels[row["class"]] == in_report[row["class"]] == labeled


def test_overruled_items_are_the_same_in_terminal_tables_and_checks(swapped: list[object], run: Run) -> None:
    reading = tw.read_votes(str(swapped[0]), gold=str(swapped[2]))
    model = tw.BalsubramaniFreund().fit(reading.votes, box=reading.box())
    table = tw.displays.overruled_table(model, reading)
    assert table.facts["n_items"] == sum(table["n_items"]) > 0
    labels, votes = model.predict(reading.votes), reading.votes.array
    concerned = [
        reading.votes.item_ids[i]
        for i in np.flatnonzero(reading.gold < 0)
        if len(set(votes[i][votes[i] >= 0])) == 1 and labels[i] != reading.votes.class_names[votes[i].max()]
    ]
    assert len(concerned) == table.facts["n_items"]
    finding = next(finding for finding in tw.check(reading, model=model) if finding.code == "TW305")
    assert (finding.n_items, finding.items) == (len(concerned), tuple(concerned[:20]))
    assert f"{len(concerned)} items on which all voting rules agree" in run("label", *swapped).stdout
