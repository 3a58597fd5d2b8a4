"""What a user must be told: silent items, rules worse than chance, unanimous votes that are not followed."""

import re
from pathlib import Path

import numpy as np

from cli.rows import Run
from thumbwise._typing import IntArray
from thumbwise.tables.table_files import read_table


def write(folder: Path, votes: IntArray, truth: IntArray, n_gold: int, names: str = "a,b,c") -> list[object]:
    rows = [",".join([str(i), *("" if v < 0 else str(v) for v in vote)]) for i, vote in enumerate(votes)]
    (folder / "votes.csv").write_text("\n".join([f"id,{names}", *rows]))
    gold = [f"{i},{y}" for i, y in enumerate(truth[:n_gold])]
    (folder / "gold.csv").write_text("\n".join(["id,label", *gold]))
    return ["label", folder / "votes.csv", "--gold", folder / "gold.csv", "-o", folder / "labels.csv"]


def test_a_rule_that_is_always_wrong_is_named_and_its_votes_are_turned(tmp_path: Path, run: Run) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=300)
    votes = np.column_stack([truth, 1 - truth, np.full(300, -1)])
    votes[200:, 0] = -1
    answer = run(*write(tmp_path, votes, truth, 150, "good,liar,mute"))
    assert answer.exit_code == 0
    assert "worse than chance (whole interval below 1/2): 'liar';" in answer.stdout
    assert (
        "100 items on which all voting rules agree but the label is another class: 100 because gold says"
        in answer.stdout
    )
    assert re.search(r"items?: 'liar' said 0, label 1 \(gold\)", answer.stdout)
    assert read_table(tmp_path / "labels.csv").columns["label"].tolist() == truth.tolist()


def test_a_weak_lone_vote_against_a_frequent_class_is_said(tmp_path: Path, run: Run) -> None:
    rng = np.random.default_rng(1)
    truth = (rng.random(2_000) < 0.05).astype(int)
    votes = np.full((2_000, 3), -1)
    some = rng.random(2_000) < 0.5
    votes[some, 0] = np.where(rng.random(some.sum()) < 0.55, truth[some], 1 - truth[some])
    votes[:, 1] = np.where(rng.random(2_000) < 0.2, truth, -1)
    answer = run(*write(tmp_path, votes, truth, 1_000))
    table = read_table(tmp_path / "labels.csv")
    unanimous = (votes == 1).any(axis=1) & ~(votes == 0).any(axis=1)
    n_flipped = int((unanimous & (table.columns["label"].data == 0))[1_000:].sum())  # gold items keep their label
    assert n_flipped > 0
    assert f"{n_flipped} items on which all voting rules agree" in answer.stdout
    assert f"{n_flipped} because the class weights outweigh these rules (classes)" in answer.stdout


def test_items_without_votes_are_counted_and_marked(tmp_path: Path, run: Run) -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(3, size=200)
    votes = np.repeat(truth[:, None], 3, axis=1)
    votes[100:117] = -1
    answer = run(*write(tmp_path, votes, truth, 100))
    assert "17 items without any vote (n_votes = 0): labeled by what gold says of classes alone" in answer.stdout
    assert "0 items on which all voting rules agree but the label is another class\n" in answer.stdout
    assert (read_table(tmp_path / "labels.csv").columns["n_votes"].data == 0).sum() == 17


def test_a_class_that_only_gold_shows_is_a_class_and_is_said(tmp_path: Path, run: Run) -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(3, size=200)
    votes = np.repeat(np.where(truth == 2, -1, truth)[:, None], 3, axis=1)
    answer = run(*write(tmp_path, votes, truth, 100))
    assert answer.exit_code == 0
    assert "no rule ever votes for class 2" in answer.stdout
    assert read_table(tmp_path / "labels.csv").names == (
        "id",
        "label",
        "p_0",
        "p_1",
        "p_2",
        "margin",
        "entropy",
        "n_votes",
    )


def rare_class(folder: Path) -> tuple[list[object], int]:
    """Rules that never vote for a class that one item in twenty is of."""
    rng = np.random.default_rng(4)
    truth = (rng.random(1_000) < 0.05).astype(int)
    votes = np.where(rng.random((1_000, 3)) < 0.5, 0, -1)
    return write(folder, votes, truth, 300), int(truth[:300].sum())


def test_a_class_that_no_item_gets_is_a_warning_beside_gold(tmp_path: Path, run: Run) -> None:
    arguments, n_gold = rare_class(tmp_path)
    answer = run(*arguments)
    assert answer.exit_code == 0
    rows = [line.split() for line in answer.stdout.splitlines()]
    assert ["0", "700", "1.000", str(300 - n_gold), f"{1 - n_gold / 300:.3f}"] in rows
    assert ["1", "0", "0.000", str(n_gold), f"{n_gold / 300:.3f}"] in rows
    assert "warning: none of the 700 items without a gold label gets the class '1', which gold shows" in answer.stdout
    checked = run("check", *arguments[1:-2]).stdout
    assert ["1", "0", "0.000", str(n_gold), f"{n_gold / 300:.3f}"] in [line.split() for line in checked.splitlines()]
    assert "TW306" in checked


def test_gold_of_one_class_is_said_to_be_that(tmp_path: Path, run: Run) -> None:
    rng = np.random.default_rng(5)
    truth = (rng.random(300) < 0.03).astype(int)
    truth[:40] = 0
    votes = np.where(rng.random((300, 3)) < 0.9, truth[:, None], 1 - truth[:, None])
    answer = run(*write(tmp_path, votes, truth, 40))
    assert "Gold shows only class '0'" in answer.stdout
    assert "know nothing" not in answer.stdout
