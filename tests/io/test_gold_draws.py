"""Items to be labeled next: a uniform draw, in random order, whose design survives a spreadsheet and is checked.

Kills, tried once: one stream for all rounds (the union of two rounds is not uniform); candidates with a gold label;
ids in the order of the file in place of that of the draw; gaps found only at the beginning, or not at all.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom, chi2

import thumbwise as tw
from errors.messages import assert_says, message_of
from support.problems import item_moments
from thumbwise.io.gold_draws import gold_to_label
from thumbwise.tables.table_files import write_table

N_SEEDS = 3000


def coin_votes(n: int) -> tw.Votes:
    return tw.Votes(np.random.default_rng(0).integers(2, size=(n, 2)), n_classes=2)


def is_uniform(counts: Counter[tuple[int, ...]], cells: list[tuple[int, ...]]) -> bool:
    """Chi-square; a uniform draw fails it once in a million."""
    expected = N_SEEDS / len(cells)
    statistic = sum((counts[cell] - expected) ** 2 / expected for cell in cells)
    return set(counts) <= set(cells) and statistic < chi2.ppf(1 - 1e-6, len(cells) - 1)


def test_every_set_in_every_order_is_equally_likely() -> None:
    votes, gold = coin_votes(5), [-1, 1, -1, -1, 0]
    drawn = Counter(tuple(tw.draw_gold(votes, 2, gold=gold, random_state=seed).tolist()) for seed in range(N_SEEDS))
    assert is_uniform(drawn, [(i, j) for i in (0, 2, 3) for j in (0, 2, 3) if i != j])


def test_two_rounds_with_one_seed_are_one_uniform_draw() -> None:
    votes = coin_votes(6)
    unions: Counter[tuple[int, ...]] = Counter()
    for seed in range(N_SEEDS):
        first = tw.draw_gold(votes, 2, random_state=seed)
        gold = np.full(6, -1)
        gold[first] = 0
        unions[tuple(sorted([*first.tolist(), *tw.draw_gold(votes, 2, gold=gold, random_state=seed).tolist()]))] += 1
    assert is_uniform(unions, list(combinations(range(6), 4)))


def test_the_draw_knows_neither_labels_nor_votes() -> None:
    one, other = coin_votes(50), tw.Votes(np.random.default_rng(1).integers(2, size=(50, 3)), n_classes=2)
    gold = np.full(50, -1)
    gold[:10] = 0
    expected = tw.draw_gold(one, 20, gold=gold).tolist()
    assert tw.draw_gold(other, 20, gold=np.where(gold == 0, np.arange(50) % 2, -1)).tolist() == expected
    assert tw.draw_gold(one, 20, gold=gold, random_state=1).tolist() != expected
    assert not set(expected) & set(range(10))


@pytest.mark.parametrize("level", [0.6, 0.95])
def test_boxes_from_two_rounds_hold_as_often_as_they_say(level: float) -> None:
    """30 labels, then 20 more; false alarm one in a million."""
    rng = np.random.default_rng(3)
    misses, n_trials = 0, 150
    for seed in range(n_trials):
        truth = rng.integers(2, size=150)
        votes = tw.Votes(np.where(rng.random((150, 3)) < 0.75, truth[:, None], 1 - truth[:, None]), n_classes=2)
        gold = np.full(150, -1)
        for n_more in (30, 20):
            drawn = tw.draw_gold(votes, n_more, gold=gold, random_state=seed)
            gold[drawn] = truth[drawn]
        known = gold >= 0
        box = tw.Box.from_gold(
            votes.take(known), gold[known], pool=votes, gold_is="subset", confidence_level=level, n_permutations=0
        )
        misses += not box.contains(item_moments(votes, np.eye(2)[truth]))
    assert misses <= binom.ppf(1 - 1e-6, n_trials, 1 - level)


def files(folder: Path, n: int = 40, n_gold: int = 10) -> tuple[Path, Path, list[str]]:
    rng = np.random.default_rng(5)
    truth = rng.integers(2, size=n)
    names = np.array(["ham", "spam"])
    said = np.where(rng.random((n, 3)) < 0.8, truth[:, None], 1 - truth[:, None])
    rows = [",".join([f"q{i:03d}", f"text {i}", *names[row]]) for i, row in enumerate(said)]
    (folder / "votes.csv").write_text("\n".join(["id,text,a,b,c", *rows]) + "\n")
    gold = [f"q{i:03d},{names[truth[i]]}" for i in rng.choice(n, n_gold, replace=False)]
    (folder / "gold.csv").write_text("\n".join(["id,label", *gold]) + "\n")
    return folder / "votes.csv", folder / "gold.csv", names[truth].tolist()


def drawn_rows(folder: Path, n_draw: int = 8) -> tuple[Path, list[list[str]], list[str]]:
    votes, gold, truth = files(folder)
    reading = tw.read_votes(votes, gold=gold, ignore=["text"])
    write_table(gold_to_label(reading, n_draw, seed=4), folder / "to_label.csv")
    lines = (folder / "to_label.csv").read_text().splitlines()
    return votes, [line.split(",") for line in lines], truth


def fill_in(folder: Path, rows: list[list[str]], truth: list[str], skipped: set[int], gone: set[int]) -> Path:
    """Labels for all drawn rows but some, as a spreadsheet would save them; some rows deleted."""
    kept = [rows[0]]
    for row in rows[1:]:
        place = int(row[3]) if row[3] else 0
        if place in gone:
            continue
        label = "" if place in skipped else truth[int(row[0][1:])]
        kept.append([row[0], row[1], label, f"{place}.0" if place else "", row[4]])
    (folder / "filled.csv").write_text("\n".join(",".join(row) for row in kept) + "\n")
    return folder / "filled.csv"


def test_the_table_holds_gold_and_the_draw_and_no_vote(tmp_path: Path) -> None:
    votes, rows, _ = drawn_rows(tmp_path)
    assert rows[0] == ["id", "text", "label", "draw", "design"]
    assert len(rows) == 1 + 10 + 8
    gold = dict(line.split(",") for line in (tmp_path / "gold.csv").read_text().splitlines()[1:])
    assert {row[0]: row[2] for row in rows[1:11]} == gold
    assert all(row[3:] == ["", ""] for row in rows[1:11])
    reading = tw.read_votes(votes, gold=tmp_path / "gold.csv", ignore=["text"])
    assert [row[0] for row in rows[11:]] == tw.draw_gold(reading, 8, random_state=4).tolist()
    assert [row[3] for row in rows[11:]] == [str(i + 1) for i in range(8)]
    assert {row[4] for row in rows[11:]} == {"random draw of 8 from 30 items without gold (seed 4)"}
    assert all(row[1] == f"text {int(row[0][1:])}" for row in rows[1:])


@pytest.mark.parametrize(
    ("skipped", "gone", "words"),
    [
        (set(), set(), ["gold was drawn at random by thumbwise (seed 4): 8 of 30 items, and all of them have a label"]),
        ({5, 6, 7, 8}, set(), ["the first 4 of them have a label, 4 have none yet"]),
        (set(), {7, 8}, ["the first 6 of them have a label, 2 have none yet"]),
        (set(range(1, 9)), set(), ["none of them has a label, 8 have none yet"]),
        ({3}, set(), ["1 of the 8 items that were drawn have no label", "no random sample unless chance", "'draw'"]),
        ({2, 8}, set(), ["2 of the 8 items that were drawn have no label", "no random sample unless chance"]),
        (set(), {1, 5}, ["2 of the 8 items that were drawn have no label", "no random sample unless chance"]),
    ],
)
def test_what_was_filled_in_is_read_as_gold_and_gaps_end_the_guarantee(
    tmp_path: Path, skipped: set[int], gone: set[int], words: list[str]
) -> None:
    votes, rows, truth = drawn_rows(tmp_path)
    filled = fill_in(tmp_path, rows, truth, skipped, gone)
    reading = tw.read_votes(votes, gold=filled, ignore=["text"])
    assert len(reading.gold_labels) == 18 - len(skipped | gone)
    assert all(any(word in note for note in reading.notes) for word in words), reading.notes
    box = reading.box()
    assert box.evidence.is_guarantee is (len(words) == 1)
    if not box.evidence.is_guarantee:
        said = str(tw.BalsubramaniFreund().fit(reading.votes, box=box).certificate_)
        assert_says(said, "No guarantee", "no random sample")
    plain = filled.read_text().replace("draw,design", "when,how")
    filled.write_text(plain)
    again = tw.read_votes(votes, gold=filled, gold_label="label", ignore=["text"])
    assert again.box().evidence.is_guarantee  # then it is the user's word


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "jsonl"])
@pytest.mark.parametrize("names", [("ham", "spam"), (0, 1)])
def test_every_kind_of_file_is_read_back(tmp_path: Path, ending: str, names: tuple[object, object]) -> None:
    rng = np.random.default_rng(0)
    rules = {rule: [names[vote] for vote in rng.integers(2, size=20)] for rule in ("a", "b")}
    frame = pl.DataFrame({"id": [f"q{i}" for i in range(20)], **rules})
    reading = tw.read_votes(frame, gold={"q3": names[1], "q5": names[0]})
    write_table(gold_to_label(reading, 4, seed=2), tmp_path / f"to_label.{ending}")
    again = tw.read_votes(frame, gold=tmp_path / f"to_label.{ending}")
    assert again.gold.tolist() == reading.gold.tolist()
    assert again.gold_design is not None
    assert (again.gold_design.n_drawn, again.gold_design.n_unlabeled, again.gold_design.seed) == (4, 4, 2)


def test_a_draw_is_finished_before_the_next(tmp_path: Path) -> None:
    votes, rows, truth = drawn_rows(tmp_path)
    filled = fill_in(tmp_path, rows, truth, {8}, set())
    reading = tw.read_votes(votes, gold=filled, ignore=["text"])
    said = message_of(tw.InvalidLabelsError, lambda: gold_to_label(reading, 5))
    assert_says(said, "1 of 8 have no label", "label them first")
    done = tw.read_votes(votes, gold=fill_in(tmp_path, rows, truth, set(), set()), ignore=["text"])
    table = gold_to_label(done, 5)
    assert table.n_rows == 18 + 5
    assert np.ma.getmaskarray(table.columns["label"]).tolist() == [False] * 18 + [True] * 5


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (lambda: tw.draw_gold(coin_votes(5), 6), ["at most the number without a gold label", "6 for 5"]),
        (lambda: tw.draw_gold(coin_votes(5), 0), ["1 or more"]),
        (lambda: tw.draw_gold(coin_votes(5), 4, gold=[0, 0, -1, -1, -1]), ["4 for 3"]),
        (lambda: tw.draw_gold(coin_votes(5), 1, random_state=-1), ["random_state must be 0 or more; found -1"]),
        (lambda: tw.draw_gold(tw.Reading(coin_votes(2), np.full(2, -1)), 1, gold=[0, 1]), ["gold must come from one"]),
        (lambda: gold_to_label(tw.Reading(coin_votes(2), np.full(2, -1)), 1), ["must have a column of ids"]),
        (
            lambda: tw.draw_gold(tw.Reading(coin_votes(2), np.full(2, -1), (coin_votes(1), np.array([0]))), 1),
            ["a sample of its own"],
        ),
    ],
)
def test_bad_draws_are_refused(action: object, words: list[str]) -> None:
    assert callable(action)
    assert_says(message_of(tw.ThumbwiseError, action), *words)
