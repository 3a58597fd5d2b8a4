"""Mistakes that people make in files of votes and gold, as files and arguments of the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cli.rows import make_rows

N_ITEMS, N_GOLD = 200, 120
IDS, TRUTH, VOTES = make_rows(N_ITEMS)
VOTES[:, 0] = np.where((VOTES < 0).all(axis=1), 0, VOTES[:, 0])  # every item has a vote
NAMES = ("ham", "spam", "")  # -1 is the last
Row = Sequence[object]


def write(path: Path, header: str, rows: Sequence[Row]) -> Path:
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def votes_file(
    path: Path, spell: Callable[[int, int], object] = lambda _, v: NAMES[v], **more: Sequence[object]
) -> Path:
    """A column per rule; ``spell`` writes the vote of an item, ``more`` are further columns."""
    rows = [[IDS[i], *(spell(i, v) for v in row), *(c[i] for c in more.values())] for i, row in enumerate(VOTES)]
    return write(path, ",".join(["id", "caps", "links", "length", *more]), rows)


def gold_file(path: Path, spell: Callable[[int, int], object] = lambda _, y: NAMES[y]) -> Path:
    return write(path, "id,label", [(IDS[i], spell(i, int(TRUTH[i]))) for i in range(N_GOLD)])


def long_rows() -> list[tuple[str, str, str]]:
    rules = ("caps", "links", "length")
    return [(IDS[i], rules[j], NAMES[v]) for i, row in enumerate(VOTES) for j, v in enumerate(row) if v >= 0]


def records(judge: str = "judge", **more: Callable[[str], object]) -> list[dict[str, Any]]:
    return [
        {"item": i, judge: rule, "verdict": name, **{field: say(i) for field, say in more.items()}}
        for i, rule, name in long_rows()
    ]


def json_file(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    return path


def as_number(_: int, v: int) -> object:
    return v


def as_sign(_: int, v: int) -> object:
    """FlyingSquid's coding: 1 and -1 are classes, 0 abstains."""
    return {1: 1, 0: -1, -1: 0}[int(v)]


@dataclass(frozen=True)
class Mistake:
    """Files in a folder, further arguments, what the message must say, and whether many files say the same."""

    make_votes: Callable[[Path], Path]
    make_gold: Callable[[Path], Path]
    says: str
    options: tuple[str, ...] = ()
    also_lazily: bool = True

    def arguments(self, folder: Path) -> list[object]:
        gold = self.make_gold(folder / "gold.csv")
        return [self.make_votes(folder / "votes.csv"), "--gold", gold, *self.options]

    def lazy_arguments(self, folder: Path) -> list[object]:
        (folder / "parts").mkdir()
        gold = self.make_gold(folder / "gold.csv")
        self.make_votes(folder / "parts" / "votes.csv")
        return [folder / "parts" / "*.csv", "--gold", gold, *self.options]


def wide_numbers(path: Path) -> Path:
    return votes_file(path, as_number)


def number_gold(path: Path) -> Path:
    return gold_file(path, as_number)


N_HAM = int((TRUTH[:N_GOLD] == 0).sum())
ASKED = "which may be a class or mean unknown. If -1 is a class.* --codes '-1=NAME,1=NAME,0='. .*or say --abstain -1"

MISTAKES: dict[str, Mistake] = {
    "1 and -1 in votes and gold": Mistake(
        lambda path: votes_file(path, as_sign),
        lambda path: gold_file(path, lambda _, y: 2 * y - 1),
        rf"column 'label' of the gold file holds -1 in row \d+, counting from 0 \({N_HAM} of 120 labels\), {ASKED}",
    ),
    "0, 1 and -1 in votes and gold": Mistake(
        wide_numbers, lambda path: gold_file(path, lambda i, y: y if i % 4 else -1), rf"\(30 of 120 labels\), {ASKED}"
    ),
    "-1 in gold, empty fields in votes": Mistake(
        lambda path: votes_file(path, lambda _, v: "" if v < 0 else v),
        lambda path: gold_file(path, lambda i, y: y if i % 4 else -1),
        ASKED,
    ),
    "-1 in gold among names": Mistake(
        votes_file, lambda path: gold_file(path, lambda i, y: NAMES[y] if i % 4 else -1), ASKED
    ),
    "-1 in gold, classes listed": Mistake(
        wide_numbers, lambda path: gold_file(path, lambda _, y: 2 * y - 1), ASKED, ("--classes", "ham,spam")
    ),
    "1 and -1 as classes, empty for abstain": Mistake(
        lambda path: votes_file(path, lambda _, v: "" if v < 0 else 2 * v - 1),
        lambda path: gold_file(path, lambda _, y: 1),
        "no 0 among votes and gold labels. .*if -1 is a class, say --codes '-1=NAME,1=NAME'",
    ),
    "a class misspelled in gold": Mistake(
        votes_file,
        lambda path: gold_file(path, lambda i, y: "spma" if i == 7 else NAMES[y]),
        r"no rule ever votes for 'spma', which is 1 of 120 gold labels \(first of item '?0*7'?\). Is 'spam' meant\? "
        "Correct the label; if it is a class, list all classes: --classes ham,spam,spma",
    ),
    "a class number misspelled in gold": Mistake(
        wide_numbers,
        lambda path: gold_file(path, lambda i, y: 11 if i == 7 else y),
        r"no rule ever votes for 11, which is 1 of 120 gold labels.*list all classes: --classes NAME,NAME",
    ),
    "a class misspelled, classes listed": Mistake(
        votes_file,
        lambda path: gold_file(path, lambda i, y: "spma" if i == 7 else NAMES[y]),
        r"labels must be classes of the votes \('ham', 'spam'\).*'spma' at position 7.*Is 'spam' meant\?.*--classes",
        ("--classes", "ham,spam"),
    ),
    "classes that differ in case": Mistake(
        lambda path: votes_file(path, lambda i, v: "Spam" if v == 1 and i % 9 == 0 else NAMES[v]),
        gold_file,
        r"found 'Spam' \(\d+ votes, 0 gold labels\) and 'spam' \(\d+ votes, \d+ gold labels\). Write both alike; if "
        "they are two classes, list all classes: --classes Spam,ham,spam",
    ),
    "classes that differ in space": Mistake(
        votes_file,
        lambda path: gold_file(path, lambda i, y: "spam " if y and i % 9 == 0 else NAMES[y]),
        r"found 'spam' \(\d+ votes, \d+ gold labels\) and 'spam ' \(0 votes, \d+ gold labels\)",
    ),
    "a time": Mistake(
        lambda path: votes_file(path, when=[f"2024-01-01T00:{i // 60:02d}:{i % 60:02d}" for i in range(N_ITEMS)]),
        gold_file,
        "column 'when' holds 200 different values in 200 rows, such as '2024-01-01T00:00:00'.*say --ignore when;",
    ),
    "a time beside listed classes": Mistake(
        lambda path: votes_file(path, when=[f"2024-01-01T00:{i // 60:02d}:{i % 60:02d}" for i in range(N_ITEMS)]),
        gold_file,
        "column 'when' holds 200 different values in 200 rows.*say --ignore when;",
        ("--classes", "ham,spam"),
    ),
    "seconds": Mistake(
        lambda path: votes_file(path, as_number, **{"sent at": [1_700_000_000 + i for i in range(N_ITEMS)]}),
        number_gold,
        "column 'sent at' holds 200 different values.*say --ignore 'sent at';",
    ),
    "a score of few values": Mistake(
        lambda path: votes_file(path, as_number, score=[0.25 * (i % 5) for i in range(N_ITEMS)]),
        number_gold,
        r"column 'score' holds 0.25( in row 1, counting from 0)? \(120 such rows\). .*say --ignore score",
    ),
    "several tags in votes": Mistake(
        lambda path: votes_file(path, lambda i, v: "ham|spam" if v >= 0 and i % 11 == 0 else NAMES[v]),
        gold_file,
        r"'ham\|spam' looks like 2 tags joined by '\|' \(1 such values\). To ask about each tag, yes or no, "
        "say --tags auto; .*--classes NAME,NAME",
    ),
    "several tags in gold": Mistake(
        votes_file,
        lambda path: gold_file(path, lambda i, y: "spam; ham" if i % 5 == 0 else NAMES[y]),
        "'spam; ham' looks like 2 tags joined by ';'",
    ),
    "a long table under other names": Mistake(
        lambda path: write(path, "id,who,choice", long_rows()),
        gold_file,
        r"ids must be unique; column 'id' of the votes holds '0*0' in (rows 0 and 1|3 rows).*say --layout long, and "
        "name the column of who voted with --rule NAME and that of the votes with --label NAME; "
        "(if the rows of one id .*say --cluster id; )?otherwise drop",
    ),
    "a long table, half of its columns said": Mistake(
        lambda path: write(path, "id,who,choice", long_rows()),
        gold_file,
        "one column must hold the votes, .*the columns are 'id', 'who', 'choice'. Say which with --label",
        ("--rule", "who"),
        also_lazily=False,
    ),
    "a long table said to be wide": Mistake(
        lambda path: write(path, "id,who,choice", long_rows()),
        gold_file,
        "are for tables with a row per vote; found --layout wide besides. Drop --layout wide, or --rule NAME",
        ("--rule", "who", "--layout", "wide"),
    ),
    "one row per item and names of both layouts": Mistake(
        lambda path: write(path, "item,worker,label", [(i, "ham", "spam") for i in IDS]),
        gold_file,
        "may be votes in rows .item, rule, label. or ids and two rules.*Say --layout long or --layout wide",
    ),
    "records with another judge": Mistake(
        lambda path: json_file(path.with_suffix(".jsonl"), records("llm")),
        gold_file,
        "ids must be unique; column 'item'.*say --layout jury, and name the column of who voted with --rule NAME",
        also_lazily=False,
    ),
    "records with another judge, layout said": Mistake(
        lambda path: json_file(path.with_suffix(".jsonl"), records("llm")),
        gold_file,
        "records must have the field 'judge'; found 'item', 'llm', 'verdict'. Name it with --rule NAME",
        ("--layout", "jury"),
        also_lazily=False,
    ),
    "a verdict that is a text": Mistake(
        lambda path: json_file(
            path.with_suffix(".jsonl"), [{**r, "verdict": f"answer {k}"} for k, r in enumerate(records())]
        ),
        gold_file,
        "votes must be classes; column 'verdict' holds .* different ones.*with --label NAME.*--classes NAME,NAME",
        also_lazily=False,
    ),
    "codes on records": Mistake(
        lambda path: json_file(path.with_suffix(".jsonl"), records()),
        gold_file,
        "read without --codes and --gold-column",
        ("--codes", "ham=a,spam=b"),
        also_lazily=False,
    ),
    "an abstention that is a class": Mistake(
        lambda path: json_file(path.with_suffix(".jsonl"), records()),
        gold_file,
        "abstain must be no class; --classes lists 'ham' too",
        ("--abstain", "ham", "--classes", "ham,spam"),
        also_lazily=False,
    ),
    "a column that differs within an item": Mistake(
        lambda path: write(path, "item,worker,label,note", [(*row, k) for k, row in enumerate(long_rows())]),
        gold_file,
        "'note' does not for item .*Leave out --ignore note:",
        ("--ignore", "note"),
        also_lazily=False,
    ),
    "codes and more": Mistake(
        votes_file,
        gold_file,
        "codes say all about the values; found --classes NAME,NAME,... besides",
        ("--codes", "ham=a,spam=b", "--classes", "a,b"),
        also_lazily=False,
    ),
    "a rule twice on an item": Mistake(
        lambda path: write(path, "item,worker,label", [*long_rows(), *long_rows()[:3]]),
        gold_file,
        "--duplicates first or --duplicates last",
        also_lazily=False,
    ),
    "names beside numbers": Mistake(
        lambda path: votes_file(path, urgent=[i % 2 for i in range(N_ITEMS)]), gold_file, "rule|column.*--ignore"
    ),
    "one class": Mistake(
        lambda path: votes_file(path, lambda _, v: "" if v < 0 else "ham"),
        lambda path: gold_file(path, lambda _, y: "ham"),
        "at least two classes; found 1.*--classes NAME,NAME",
    ),
    "a folder that says it itself": Mistake(
        lambda path: path.parent,
        gold_file,
        "a WRENCH folder says itself what it holds; found --gold FILE, --id NAME, --classes NAME,NAME,... besides",
        ("--layout", "wrench", "--classes", "a,b", "--id", "x"),
        also_lazily=False,
    ),
}
