"""Gold lines as gold: the labels that count, the design they were drawn by, and what ends the guarantee.

Kills, tried once: labels beyond the fixed number counted; labels after the last look counted; strata in the order of
the file in place of that of the items; unclear left out; votes that are numbers read by position beside unclear; votes
on more items than gold was drawn from.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import thumbwise as tw
from errors.messages import assert_says, message_of
from io_cases.gold_files import answer, header, write
from thumbwise.io.gold_design import GoldDesign, StratifiedGold
from thumbwise.io.gold_lines import Design, Items, Stopping, Stratum

N = 200
RNG = np.random.default_rng(8)
TRUTH = RNG.integers(2, size=N)
SAID = np.where(RNG.random((N, 3)) < 0.85, TRUTH[:, None], 1 - TRUTH[:, None])
ORDER = RNG.permutation(N)
NAMES = np.array(["fail", "pass"])
ITEMS = Items("items.csv", N, "0" * 64)


def votes_file(folder: Path, names: Any = NAMES, ids: Any = None, ending: str = "csv", n: int = N) -> Path:
    ids = [f"q{i}" for i in range(N)] if ids is None else ids
    frame = pl.DataFrame({"id": ids, **{f"r{j}": names[SAID[:, j]] for j in range(3)}})[:n]
    path = folder / f"votes.{ending}"
    getattr(frame, {"csv": "write_csv", "parquet": "write_parquet", "jsonl": "write_ndjson"}[ending])(path)
    return path


def gold_file(folder: Path, n: int = 60, kinds: dict[int, str] | None = None, **head: Any) -> Path:
    """Answers to the first places of the draw, all right; some of another kind."""
    top = replace(header(items=ITEMS, stopping=Stopping("fixed", 60)), **{"classes": ("pass", "fail"), **head})
    name = dict(enumerate(reversed(top.classes)))  # class 1 comes first
    ids = (lambda i: f"q{i}") if top.id == "id" else int
    strata = top.design.kind == "stratified"
    answers = [
        answer(ids(i), k, name[int(TRUTH[i])], (kinds or {}).get(k, "label"), stratum=stratum_of(i) if strata else None)
        for k, i in enumerate(ORDER[:n].tolist(), 1)
    ]
    return write(folder / "gold.jsonl", top, answers)


def stratum_of(item: int) -> str:
    return "few" if item < 50 else "many"


STRATA = Design("stratified", 3, (Stratum("few", 50, 20), Stratum("many", 150, 40)))


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_the_file_is_gold_with_its_design(tmp_path: Path, ending: str) -> None:
    reading = tw.read_votes(votes_file(tmp_path, ending=ending), gold=gold_file(tmp_path))
    expected = np.full(N, -1)
    expected[ORDER[:60]] = TRUTH[ORDER[:60]]
    assert reading.gold.tolist() == expected.tolist()
    assert isinstance(reading.gold_design, GoldDesign)
    said = "gold was drawn at random by thumbwise (seed 3): 60 of 200 items, and all of them have a label"
    assert any(said in note for note in reading.notes)
    plain = tw.Box.from_gold(reading.gold_votes, reading.gold_labels, pool=reading.votes, gold_is="subset")
    box = reading.box()
    assert box.evidence.is_guarantee
    assert (box.lower == plain.lower).all() and (box.upper == plain.upper).all()


def test_items_that_stay_in_files_and_numbers_as_ids(tmp_path: Path) -> None:
    """Ids that are numbers in the votes are texts in the answers."""
    path = votes_file(tmp_path, ids=list(range(N)))
    gold = gold_file(tmp_path, kinds={5: "unclear"})
    gold.write_text(gold.read_text().replace('"id": "q', '"id": "'))
    here, there = tw.read_votes(path, gold=gold), tw.read_votes(tmp_path / "vote*.csv", gold=gold)
    assert isinstance(there.votes, tw.LazyVotes)
    assert sorted(there.gold_votes.item_ids.tolist()) == here.gold_votes.item_ids.tolist()
    assert there.votes.class_names == here.votes.class_names == ("fail", "pass", "unclear")
    assert (there.box().lower == here.box().lower).all()


@pytest.mark.parametrize(
    ("n", "kinds", "stopping", "n_gold", "note", "objection"),
    [
        (60, {}, Stopping("fixed", 60), 60, "was to stop at 60 labels, fixed before the first", None),
        (40, {}, Stopping("fixed", 60), 40, "did not decide that it stopped", None),
        (80, {}, Stopping("fixed", 60), 60, "20 labels after that are left out", None),
        (
            60,
            {7: "skip"},
            Stopping("fixed", 60),
            59,
            "bench goes on where",
            "1 of the 60 items that were drawn have no",
        ),
        (60, {60: "skip"}, Stopping("fixed", 60), 59, "the first 59 of them have a label", None),
        (80, {}, Stopping("looks", None, (30, 70, 90)), 70, "10 labels after that", None),
        (55, {}, Stopping("anytime"), 55, "may stop at any moment", None),
        (55, {3: "skip"}, Stopping("anytime"), 54, "1 of the 55 items", "1 of the 55 items"),
    ],
)
def test_the_rule_for_stopping_decides_what_counts(
    tmp_path: Path, n: int, kinds: dict[int, str], stopping: Stopping, n_gold: int, note: str, objection: str | None
) -> None:
    reading = tw.read_votes(votes_file(tmp_path), gold=gold_file(tmp_path, n, kinds, stopping=stopping))
    assert len(reading.gold_labels) == n_gold
    assert any(note in text for text in reading.notes), reading.notes
    evidence = reading.box().evidence
    assert evidence.is_guarantee is (objection is None)
    assert (objection or "") in (evidence.objection or "")
    counted = np.flatnonzero(reading.gold >= 0)
    skipped = {k for k, kind in kinds.items() if kind == "skip"}
    last = {80: 60 if stopping.rule == "fixed" else 70}.get(n, n)
    assert set(counted) == {ORDER[k - 1] for k in range(1, last + 1) if k not in skipped}


def test_looks_are_handed_on_until_intervals_heed_them(tmp_path: Path) -> None:
    for stopping, looks in ((Stopping("looks", None, (30, 60)), (30, 60)), (Stopping("anytime"), "anytime")):
        design = tw.read_votes(votes_file(tmp_path), gold=gold_file(tmp_path, stopping=stopping)).gold_drawn
        assert design.looks == looks
        assert design.objection is not None
        assert design.heeding_looks().objection is None
    fixed = tw.read_votes(votes_file(tmp_path), gold=gold_file(tmp_path)).gold_drawn
    assert (fixed.looks, fixed.objection) == (None, None)


def test_unclear_is_a_class_and_labels_of_such_items_are_wrong(tmp_path: Path) -> None:
    gold = gold_file(tmp_path, kinds={2: "unclear", 9: "unclear"})
    path = votes_file(tmp_path)
    for classes in (None, ["pass", "fail"], ["fail", "pass", "unclear"]):
        reading = tw.read_votes(path, gold=gold, class_names=classes)
        assert set(reading.votes.class_names) == {"fail", "pass", "unclear"}
        labels = [reading.votes.class_names[c] for c in reading.gold_labels]
        assert labels.count("unclear") == 2
    share = tw.rate(tw.read_votes(path, gold=gold), of="pass", method="exact")
    n_pass = sum(label == "pass" for label in labels)
    assert share.estimate == pytest.approx(n_pass / 60)
    votes = reading.gold_votes.array
    right = float((votes[:, 0] == reading.gold_labels).mean())
    without = float((votes[:, 0] == reading.gold_labels)[np.array(labels) != "unclear"].mean())
    assert right == pytest.approx(without * 58 / 60)


@pytest.mark.parametrize("numbers", [(0, 1), (1, 2), (5, 3)])
@pytest.mark.parametrize("are_listed", [True, False])
def test_votes_that_are_numbers_keep_their_meaning_beside_unclear(
    tmp_path: Path, numbers: tuple[int, int], are_listed: bool
) -> None:
    classes = (str(numbers[1]), str(numbers[0]))
    gold = gold_file(tmp_path, kinds={2: "unclear"}, classes=classes)
    path = votes_file(tmp_path, names=np.array(numbers))
    reading = tw.read_votes(path, gold=gold, class_names=list(numbers) if are_listed else None)
    names = np.array([*map(str, reading.votes.class_names)])
    assert set(names) == {*classes, "unclear"}
    assert (names[reading.votes.array] == np.array([*map(str, numbers)])[SAID]).all()
    truth = np.array([*map(str, numbers)])[TRUTH]
    known = reading.gold >= 0
    told = names[reading.gold[known]]
    assert (told == truth[known]).sum() == 59 and (told == "unclear").sum() == 1


def test_a_rare_class_of_the_header_is_no_slip_of_the_pen(tmp_path: Path) -> None:
    gold = gold_file(tmp_path, classes=("pass", "fail", "refused"))
    name = {0: "refused", 1: "fail"}
    text = gold.read_text()
    assert name[0] in text
    path = tmp_path / "gold.jsonl"
    path.write_text(text.replace('"answer": "refused"', '"answer": "pass"').replace('"pass"', '"refused"', 1))
    lines = text.splitlines()
    rare = lines[1].replace('"answer": "fail"', '"answer": "refused"')
    rest = [line.replace('"answer": "refused"', '"answer": "pass"') for line in lines[2:]]
    path.write_text("\n".join([lines[0], rare, *rest]) + "\n")
    reading = tw.read_votes(votes_file(tmp_path), gold=path)
    assert "refused" in reading.votes.class_names


def test_second_answers_and_torn_ends_are_noted(tmp_path: Path) -> None:
    gold = gold_file(tmp_path)
    more = [answer(f"q{ORDER[0]}", 1, NAMES[TRUTH[ORDER[0]]], by="bob"), answer(f"q{ORDER[1]}", 2, again=True)]
    gold.write_text(gold.read_text() + "".join(one.line() + "\n" for one in more) + '{"id": "q7", "pla')
    reading = tw.read_votes(votes_file(tmp_path), gold=gold)
    assert len(reading.gold_labels) == 60
    assert any("2 second answers are not gold" in note for note in reading.notes)
    assert any("half written and was not used" in note for note in reading.notes)


def test_items_without_ids_are_known_by_their_rows(tmp_path: Path) -> None:
    gold = gold_file(tmp_path, id=None)
    votes_file(tmp_path)
    frame = pl.read_csv(tmp_path / "votes.csv").drop("id")
    reading = tw.read_votes(frame, gold=gold)
    assert reading.gold[ORDER[:60]].tolist() == TRUTH[ORDER[:60]].tolist()
    said = message_of(tw.InvalidLabelsError, lambda: tw.read_votes(tmp_path / "votes.csv", gold=gold))
    assert_says(said, "the numbers of their rows", "ids in column 'id'")
    frame.write_csv(tmp_path / "lazy.csv")
    said = message_of(tw.InvalidFileError, lambda: tw.read_votes(tmp_path / "laz*.csv", gold=gold))
    assert_says(said, "must have a column of ids")


def test_votes_on_other_items_than_gold_was_drawn_from_end_the_guarantee(tmp_path: Path) -> None:
    gold = gold_file(tmp_path, items=Items("items.csv", 150, "0" * 64), n=1)
    text = gold.read_text().replace('"n": 60', '"n": 1')
    gold.write_text(text)
    evidence = tw.read_votes(votes_file(tmp_path), gold=gold).box().evidence
    assert not evidence.is_guarantee
    assert "drawn from 150 items and the votes are on 200" in str(evidence.objection)


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        (("q", "x"), {}, ["gold ids must be among the items", "60 of 60"]),
        (None, {"gold_label": "answer"}, ["says itself", "gold_label"]),
        (None, {"class_names": ["pass", "maybe"]}, ["maybe"]),
        (('"version": 1', '"version": 3'), {}, ["version 3", "later one"]),
    ],
)
def test_what_does_not_fit_is_refused(
    tmp_path: Path, change: tuple[str, str] | None, options: dict[str, Any], words: list[str]
) -> None:
    gold = gold_file(tmp_path)
    if change is not None:
        gold.write_text(
            gold.read_text().replace(
                f'"id": "{change[0]}' if change[0] == "q" else change[0],
                f'"id": "{change[1]}' if change[0] == "q" else change[1],
            )
        )
    path = votes_file(tmp_path)
    assert_says(message_of(tw.ThumbwiseError, lambda: tw.read_votes(path, gold=gold, **options)), *words)


def test_unclear_cannot_mean_abstain_too(tmp_path: Path) -> None:
    gold, path = gold_file(tmp_path, kinds={2: "unclear"}), votes_file(tmp_path)
    said = message_of(tw.InvalidLabelsError, lambda: tw.read_votes(path, gold=gold, abstain="unclear"))
    assert_says(said, "cannot mean abstain too", "would be left out")


def test_a_file_without_a_standing_label_says_so(tmp_path: Path) -> None:
    gold = gold_file(tmp_path, n=2, kinds={1: "skip", 2: "skip"})
    said = message_of(tw.InvalidLabelsError, lambda: tw.read_votes(votes_file(tmp_path), gold=gold))
    assert_says(said, "at least one gold label", "2 answers and no label that stands")


@pytest.mark.parametrize("is_lazy", [False, True])
def test_stratified_gold_is_that_design(tmp_path: Path, is_lazy: bool) -> None:
    votes_file(tmp_path)
    gold = gold_file(tmp_path, design=STRATA)
    reading = tw.read_votes(tmp_path / ("vote*.csv" if is_lazy else "votes.csv"), gold=gold)
    assert isinstance(reading.gold_design, StratifiedGold)
    box = reading.box()
    items = [int(item[1:]) for item in reading.gold_votes.item_ids.tolist()]
    by_hand = tw.designs.Stratified("subset", strata=[stratum_of(i) for i in items], sizes={"few": 50, "many": 150})
    other = tw.Box.from_gold(
        tw.Gold(reading.gold_votes, np.array(reading.votes.class_names)[reading.gold_labels], by_hand),
        pool=reading.votes,
    )
    assert box.lower.tolist() == other.lower.tolist() and box.upper.tolist() == other.upper.tolist()
    assert box.evidence.assumption == "the 60 gold items are drawn at random within each group"
    assert any("at random within each of 2 strata" in note for note in reading.notes)


def test_stratified_gold_with_gaps_or_other_items(tmp_path: Path) -> None:
    path = votes_file(tmp_path)
    gaps = tw.read_votes(path, gold=gold_file(tmp_path, design=STRATA, kinds={4: "skip"})).box().evidence
    assert "have no label while later ones have" in str(gaps.objection)
    small = replace(STRATA, strata=(Stratum("few", 50, 20), Stratum("many", 100, 40)))
    gold = gold_file(tmp_path, n=1, design=small, items=Items("a", 150, "0" * 64), stopping=Stopping("fixed", 1))
    said = message_of(tw.InvalidLabelsError, lambda: tw.read_votes(path, gold=gold).box())
    assert_says(said, "add up to 150 items, and the pool has 200")


def test_what_needs_a_plain_sample_says_so(tmp_path: Path) -> None:
    reading = tw.read_votes(votes_file(tmp_path), gold=gold_file(tmp_path, design=STRATA))
    for action in (lambda: tw.compare(reading), lambda: tw.plan(reading), lambda: tw.judges(reading)):
        assert_says(message_of(tw.InvalidBoxError, action), "plain random sample; found Stratified")
    assert tw.rate(reading, of="pass").lower < TRUTH.mean() < tw.rate(reading, of="pass").upper
