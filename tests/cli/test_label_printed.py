"""What is printed: everything that was understood and found, names as plain text, nothing cut."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import thumbwise as tw
from cli.rows import Run, make_rows
from thumbwise.outward import at_least, at_most


def row_of(text: str, name: str) -> list[str]:
    line = next(line for line in text.splitlines() if line.strip().startswith(name + " "))
    return line.strip()[len(name) :].split()


def test_rule_table_holds_the_numbers(folder: Path, run: Run) -> None:
    ids, truth, array = make_rows()
    votes = tw.Votes(array, class_names=["ham", "spam"], rule_names=["caps", "links", "length"], item_ids=ids)
    box = tw.Box.from_gold(votes.take(range(30)), truth[:30], pool=votes, gold_is="subset", confidence_level=0.8)
    model = tw.BalsubramaniFreund().fit(votes, box=box)
    answer = run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "--confidence", "0.8")
    assert "votes.csv: 60 items, 3 rules, 2 classes (ham, spam)" in answer.stdout
    assert "ids are taken from column 'id'" in answer.stdout
    assert "gold: 30 items with a known class" in answer.stdout
    for j, name in enumerate(votes.rule_names):
        voted, gold = array[:, j], array[:30, j]
        n_gold, right = int((gold >= 0).sum()), int((gold == truth[:30]).sum())
        weight = f"{model.weights_[j]:+.2f}" if model.weights_[j] else "0"
        assert row_of(answer.stdout, name) == [
            f"{(voted >= 0).mean():.3f}",
            str((voted == 0).sum()),
            str((voted == 1).sum()),
            str(n_gold),
            f"{right / n_gold:.3f}",
            at_least(box.lower[j]),
            at_most(box.upper[j]),
            weight,
            {1: "lower", -1: "upper", 0: "-"}[int(model.active_[j])],
        ]
    assert str(model.certificate_) in answer.stdout
    assert "With 80 % confidence" in answer.stdout
    n_silent = int((array < 0).all(axis=1).sum())
    assert re.search(rf"^{n_silent} items? without any vote", answer.stdout, re.M)


NASTY = {
    "[red]x[/red]": "[red]x[/red]",
    "[/]": "[/]",
    ":smile:": ":smile:",
    "bell\a esc\x1b[31m": r"bell\x07 esc\x1b[31m",
    "right\u202eleft": r"right\u202eleft",
    "new\nline": r"new\nline",
    "x" * 3_000: "x" * 3_000,
    "😀": "😀",
}


@pytest.mark.parametrize("name", NASTY)
def test_names_appear_as_they_are_with_control_characters_visible(folder: Path, run: Run, name: str) -> None:
    text = (folder / "votes.csv").read_text().replace("caps", '"' + name + '"', 1)
    (folder / "votes.csv").write_text(text.replace("spam", "[b]spam"))
    (folder / "gold.csv").write_text((folder / "gold.csv").read_text().replace("spam", "[b]spam"))
    answer = run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "-o", folder / "labels.csv")
    assert answer.exit_code == 0
    assert len(row_of(answer.stdout, NASTY[name])) == 9
    assert "([b]spam, ham)" in answer.stdout
    assert "\x1b" not in answer.stdout


def test_nothing_is_cut_when_nobody_looks(folder: Path) -> None:
    command = [
        sys.executable,
        "-c",
        "from thumbwise.cli.main import main; main()",
        "label",
        "votes.csv",
        "--gold",
        "gold.csv",
    ]
    answer = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, env={"COLUMNS": "40"})
    lines = answer.stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("Rules"))
    upper, lower = lines[start + 2 : start + 4]
    assert upper.split() == ["cover-", "votes", "votes", "gold", "gold", "lower", "upper", "active"]
    assert lower.split() == ["rule", "age", "ham", "spam", "votes", "right", "bound", "bound", "weight", "bound"]
    assert len(row_of(answer.stdout, "caps")) == 9
    assert "…" not in answer.stdout
    assert answer.stderr == ""


def test_a_terminal_that_knows_only_ascii(folder: Path) -> None:
    (folder / "votes.csv").write_text((folder / "votes.csv").read_text().replace("caps", "é😀"), encoding="utf-8")
    command = [
        sys.executable,
        "-c",
        "from thumbwise.cli.main import main; main()",
        "label",
        "votes.csv",
        "--gold",
        "gold.csv",
    ]
    environment = {"PYTHONIOENCODING": "ascii"}
    answer = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, env=environment)
    assert r"\xe9\U0001f600" in answer.stdout


def test_version(run: Run) -> None:
    answer = run("--version")
    assert answer.exit_code == 0
    assert answer.stdout == f"thumbwise {tw.__version__}\n"


def test_opinions_have_a_table_of_their_own_and_parts_a_line(folder: Path, run: Run) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=300)
    array = np.where(rng.random((300, 6)) < 0.8, truth[:, None], 1 - truth[:, None])
    rules = ",".join(f"r{j}" for j in range(6))
    lines = [f"{i},{','.join(map(str, row))}" for i, row in enumerate(array.tolist())]
    (folder / "six.csv").write_text("\n".join([f"id,{rules}", *lines]))
    (folder / "six-gold.csv").write_text("\n".join(["id,label", *(f"{i},{truth[i]}" for i in range(100))]))
    printed = run("label", folder / "six.csv", "--gold", folder / "six-gold.csv").stdout
    rules_part, rest = printed.split("What the panel says together")
    opinions_part = rest.split("Classes")[0]
    assert "majority" not in rules_part
    assert "learned" not in rules_part
    assert "opinion(" not in printed
    array_said = (array == 1).sum(axis=1)
    speaks = array_said != 3
    right = ((array_said > 3) == truth)[:100][speaks[:100]].sum()
    assert row_of(opinions_part, "majority vote")[:4] == [f"{speaks.sum()}", f"{right}", "of", f"{speaks[:100].sum()}"]
    assert row_of(opinions_part, "learned from gold")[:4] == ["300", "-", "-", "-"]
    assert re.search(r"^weights aim at gold too \(caution 0\.\d+\); the bound holds all the same$", printed, re.M)
    parts = re.search(
        r"in this box of intervals: rules and classes ([.\d]+), with opinions ([.\d]+), with what gold taught ([.\d]+)",
        printed,
    )
    assert parts is not None
    assert float(parts[1]) >= float(parts[2]) >= float(parts[3])
