"""The same values mean the same classes, or are refused in the same words, whoever reads them.

Kills, tried once: codes that are not applied to gold.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import thumbwise as tw

N_ITEMS, N_GOLD = 60, 40
RNG = np.random.default_rng(3)
TRUTH = RNG.integers(2, size=N_ITEMS)
VOTES = np.where(RNG.random((N_ITEMS, 3)) < 0.8, TRUTH[:, None], 1 - TRUTH[:, None])
VOTES[RNG.random((N_ITEMS, 3)) < 0.2] = -1
VOTES[:2] = [[0, 1, 0], [1, 0, 1]]
RULES = ("a", "b", "c")
IDS = [f"q{i}" for i in range(N_ITEMS)]
Say = Callable[[int], Any]


def wide(say: Say) -> pd.DataFrame:
    columns = {rule: [None if v < 0 else say(int(v)) for v in VOTES[:, j]] for j, rule in enumerate(RULES)}
    return pd.DataFrame({"id": IDS, **columns}).astype(dict.fromkeys(RULES, object))


def long(say: Say, names: tuple[str, str, str]) -> pd.DataFrame:
    rows = [(IDS[i], RULES[j], say(int(v))) for i, row in enumerate(VOTES) for j, v in enumerate(row) if v >= 0]
    return pd.DataFrame(rows, columns=list(names))


def one_file(folder: Path, say: Say) -> Any:
    wide(say).to_csv(folder / "votes.csv", index=False)
    return folder / "votes.csv"


def many_csv(folder: Path, say: Say) -> Any:
    frame = wide(say)
    for part in range(2):
        frame[part::2].to_csv(folder / f"part-{part}.csv", index=False)
    return folder / "part-*.csv"


def many_parquet(folder: Path, say: Say) -> Any:
    many_csv(folder, say)
    (folder / "parts").mkdir()
    for part in range(2):
        with duckdb.connect() as connection:
            source = f"read_csv('{folder}/part-*.csv', nullstr = '')"
            place = folder / "parts" / f"{part}.parquet"
            connection.execute(f"COPY (FROM {source} WHERE hash(id) % 2 = {part}) TO '{place}'")
    return folder / "parts"


def a_frame(folder: Path, say: Say) -> Any:
    return wide(say)


def long_file(folder: Path, say: Say) -> Any:
    long(say, ("item", "worker", "label")).to_csv(folder / "long.csv", index=False)
    return folder / "long.csv"


def records(folder: Path, say: Say) -> Any:
    rows = long(say, ("item", "judge", "verdict")).to_dict("records")
    (folder / "jury.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    return folder / "jury.jsonl"


READERS = [one_file, many_csv, many_parquet, a_frame, long_file, records]


def gold_of(say: Say) -> dict[str, Any]:
    return {IDS[i]: say(int(TRUTH[i])) for i in range(N_GOLD)}


def from_one(c: int) -> int:
    return c + 1


def by_name(c: int) -> str:
    return ("ham", "spam")[c]


def seen(reading: Any) -> dict[str, list[int]]:
    """Votes on the gold items by id, and the classes of gold."""
    votes = reading.gold_votes
    order = [votes.rule_names.index(rule) for rule in RULES]
    rows = zip(votes.item_ids.tolist(), votes.array[:, order].tolist(), reading.gold_labels.tolist(), strict=True)
    return {item: [*row, label] for item, row, label in rows}


EXPECTED = {IDS[i]: [*VOTES[i].tolist(), int(TRUTH[i])] for i in range(N_GOLD)}


@pytest.fixture(params=READERS, ids=lambda reader: reader.__name__)
def source_of(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Say], Any]:
    return lambda say: request.param(tmp_path, say)


def test_classes_from_one_are_asked_for(source_of: Callable[[Say], Any]) -> None:
    with pytest.raises(tw.InvalidVotesError, match=r"found 1, 2 and no 0 among votes and gold labels"):
        tw.read_votes(source_of(from_one), gold=gold_of(from_one))


@pytest.mark.parametrize(
    ("say", "options", "classes"),
    [
        (from_one, {"class_names": ["1", "2"]}, ("1", "2")),
        (from_one, {"class_names": [1, 2]}, (1, 2)),
        (from_one, {"class_names": [2, 1, 3]}, (2, 1, 3)),
        (int, {}, (0, 1)),
        (int, {"class_names": ["ham", "spam"]}, ("ham", "spam")),
        (by_name, {}, ("ham", "spam")),
        (lambda c: ("b", "a")[c], {"class_names": ["b", "a"]}, ("b", "a")),
    ],
)
def test_the_same_classes(
    source_of: Callable[[Say], Any], say: Say, options: dict[str, Any], classes: tuple[Any, ...]
) -> None:
    reading = tw.read_votes(source_of(say), gold=gold_of(say), **options)
    assert reading.votes.class_names == classes
    order = [1, 0, -1] if classes == (2, 1, 3) else [0, 1, -1]
    assert seen(reading) == {item: [order[c] for c in row] for item, row in EXPECTED.items()}
    assert reading.votes.patterns.vote_table.sum() == (VOTES >= 0).sum()


@pytest.mark.parametrize("reader", [reader for reader in READERS if reader is not records])
def test_codes(reader: Callable[[Path, Say], Any], tmp_path: Path) -> None:
    codes = {1: "no", 2: "yes", 9: None}

    def say(c: int) -> int:
        return c + 1

    reading = tw.read_votes(reader(tmp_path, say), gold=gold_of(lambda c: ("no", "yes")[c]), codes=codes)
    assert reading.votes.class_names == ("no", "yes")
    assert seen(reading) == EXPECTED


def test_a_class_that_only_gold_shows(source_of: Callable[[Say], Any]) -> None:
    gold = {**gold_of(by_name), **{IDS[i]: "egg" for i in range(10)}}
    reading = tw.read_votes(source_of(by_name), gold=gold)
    assert reading.votes.class_names == ("egg", "ham", "spam")
    assert "no rule ever votes for class 'egg'" in reading.notes


@pytest.mark.parametrize(
    ("say", "gold", "message"),
    [
        (by_name, gold_of(int), r"the gold labels are numbers but the votes are names \(the first of 40"),
        (int, gold_of(by_name), r"the votes are numbers but the gold labels are names \(the first of 40"),
        (lambda c: ("?", "spam")[c], gold_of(by_name), r"votes contain '\?', which may be a class or a mark"),
        (by_name, {**gold_of(by_name), "q0": "spma"}, r"no rule ever votes for 'spma', which is 1 of 40"),
        (by_name, {**gold_of(by_name), "q0": "Ham", "q1": "Ham"}, "differ by more than case and space"),
        (lambda c: ("a", "a|b")[c], gold_of(lambda c: ("a", "b")[c]), r"'a\|b' looks like 2 tags"),
        (lambda c: "ham", gold_of(lambda c: "ham"), "at least two classes; found 1"),
        (lambda c: -7 if c else 0, gold_of(int), r"0\.\.1 or -1 for abstain; found -7 .*such votes\)"),
    ],
)
def test_the_same_is_refused(source_of: Callable[[Say], Any], say: Say, gold: dict[str, Any], message: str) -> None:
    with pytest.raises(tw.ThumbwiseError, match=message):
        tw.read_votes(source_of(say), gold=gold)


def test_a_vote_that_is_none_of_the_listed_classes(source_of: Callable[[Say], Any]) -> None:
    with pytest.raises(
        tw.InvalidVotesError, match=r"one of the class names \('ham', 'egg'\).*found 'spam' .* such votes\)"
    ):
        tw.read_votes(source_of(by_name), gold=gold_of(lambda c: "ham"), class_names=["ham", "egg"])


@pytest.mark.parametrize("reader", [one_file, many_csv, many_parquet, a_frame])
def test_names_beside_numbers(
    reader: Callable[[Path, Say], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "wide", lambda say, make=wide: make(say).assign(d=[i % 2 for i in range(N_ITEMS)]))
    with pytest.raises(tw.InvalidVotesError, match="column 'a' holds names, column 'd' numbers"):
        tw.read_votes(reader(tmp_path, by_name), gold=gold_of(by_name))


@pytest.mark.parametrize("truth", [("true", "false"), ("True", "False")])
@pytest.mark.parametrize("reader", READERS)
def test_truth_values_in_gold(reader: Callable[[Path, Say], Any], tmp_path: Path, truth: tuple[str, str]) -> None:
    gold = gold_of(lambda c: truth[1 - c])
    reading = tw.read_votes(reader(tmp_path, int), gold=gold)
    assert reading.votes.class_names == (0, 1)
    assert seen(reading) == EXPECTED


def test_an_array_counts_from_zero() -> None:
    """Nobody reads a file here: numbers are class numbers, as everywhere in NumPy."""
    assert tw.Votes(np.array([[1, 2], [2, 1]])).class_names == (0, 1, 2)


def test_the_message_says_how_to_list_them(tmp_path: Path) -> None:
    with pytest.raises(tw.InvalidVotesError) as raised:
        tw.read_votes(many_csv(tmp_path, from_one), gold=gold_of(from_one))
    words = raised.value.message.worded(lambda argument: f"<{argument.name}>")
    assert re.search("list them: <class_names>; .* say <codes>", words)
