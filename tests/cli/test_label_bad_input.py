"""Bad input: one clear message on stderr, exit code 2, no traceback, no output."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cli.rows import Run

PARQUET = b"PAR1\x15\x04\x15\x10\x00\x00\xff\xfe"


def edit(name: str, change: Callable[[str], str]) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        (folder / name).write_text(change((folder / name).read_text()))

    return apply


def put(name: str, content: bytes | str) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())

    return apply


def leave_one_class(folder: Path) -> None:
    for name in ("votes.csv", "gold.csv"):
        edit(name, lambda text: text.replace("spam", "ham"))(folder)


CASES: dict[str, tuple[Callable[[Path], None], list[str], str]] = {
    "duplicate ids": (
        edit("votes.csv", lambda text: text.replace("0003,", "0001,").replace("0005,", "0001,")),
        [],
        r"column 'id' of the votes holds '0001' in rows 1 and 3, counting from 0 \(2 rows too many in all\)",
    ),
    "empty ids": (
        edit("votes.csv", lambda text: text.replace("0003,", ",")),
        [],
        r"every row of the votes must have an id; column 'id' is empty in row 3, counting from 0 \(1 such rows\)",
    ),
    "duplicate gold ids": (
        edit("gold.csv", lambda text: text.replace("0003,", "0001,")),
        [],
        "ids must be unique; column 'id' of the gold file holds '0001' in rows 1 and 3",
    ),
    "gold ids that are no items": (
        edit("gold.csv", lambda text: text.replace("000", "")),
        [],
        r"gold ids must be among the items; 10 of 30 are not, such as '0' \(items have ids such as '0000'\)",
    ),
    "gold for no item": (
        put("gold.csv", "id,label\n"),
        [],
        "there must be at least one gold label",
    ),
    "gold without labels": (
        put("gold.csv", "id,label\n0001,\n0002,\n"),
        [],
        "there must be at least one gold label; all are empty",
    ),
    "gold labels that are all unknown": (
        put("gold.csv", "id,label\n0001,-1\n0002,-1\n"),
        ["--classes", "ham,spam", "--abstain", "-1"],
        "there must be at least one gold label; all are empty",
    ),
    "names against numbers": (
        edit("votes.csv", lambda text: text.replace("spam", "1").replace("ham", "0")),
        [],
        r"votes are numbers but the gold labels are names \(the first of 30 gold labels is '(sp|h)am'\).*--classes",
    ),
    "numbers against names": (
        edit("gold.csv", lambda text: text.replace("spam", "1").replace("ham", "0")),
        [],
        "the gold labels are numbers but the votes are names .*--classes NAME,NAME",
    ),
    "a label that is no class": (
        edit("gold.csv", lambda text: text.replace("0003,ham", "0003,Ham").replace("0003,spam", "0003,Ham")),
        ["--classes", "ham,spam"],
        r"labels must be classes of the votes \('ham', 'spam'\).*found 'Ham' at position 3 \(1 such labels\)",
    ),
    "a vote that is no class": (
        edit("votes.csv", lambda text: re.sub("0001,[a-z]*,", "0001,hamm,", text)),
        ["--classes", "ham,spam"],
        r"found 'hamm' at item 1, rule 'caps' \(1 such votes\).*add the name to --classes, or pass --abstain",
    ),
    "empty file": (
        put("votes.csv", b""),
        [],
        r"votes.csv must hold a table with names of columns; it is empty \(0 bytes\)",
    ),
    "empty gold file": (put("gold.csv", b""), [], r"gold.csv must hold a table .*it is empty \(0 bytes\)"),
    "no rows": (put("votes.csv", "id,a,b\n"), [], "the votes must hold at least one item; there is no row"),
    "no rules": (put("votes.csv", "id\n1\n2\n"), [], "the votes must have at least one rule.*the columns are 'id'"),
    "semicolons": (
        put("votes.csv", "id;a;b\n1;0;1\n"),
        ["--delimiter", ","],
        "the columns are 'id;a;b'",
    ),
    "binary csv": (put("votes.csv", PARQUET), [], "must be text, .*its first bytes are those of a .parquet"),
    "ragged csv": (put("votes.csv", "id,a\n1,0\n2,0,1\n"), [], "CSV Error on Line: 3"),
    "scores": (
        edit("votes.csv", lambda text: text.replace("spam", "1").replace("ham", "0.25")),
        ["--classes", "ham,spam"],
        r"votes must be whole class numbers.*column 'caps' holds 0.25 in row 7.*\(\d+ such rows\). If these are scores",
    ),
    "one class only": (
        leave_one_class,
        [],
        r"there must be at least two classes; found 1 in the votes \('ham'\). List all of them in --classes NAME,NAME",
    ),
    "one class listed": (
        lambda _: None,
        ["--classes", "ham"],
        r"must be one of the class names \('ham'\).*found 'spam' at item \d+",
    ),
    "a mark that may mean abstain": (
        edit(
            "votes.csv",
            lambda text: text.replace("0003,ham", "0003,?").replace("0003,spam", "0003,?").replace("0003,,", "0003,?,"),
        ),
        [],
        r"votes contain '\?', which may be a class or a mark for abstain. Pass --abstain '\?' if it means abstain",
    ),
    "no votes at all": (
        edit("votes.csv", lambda text: text.replace("spam", "").replace("ham", "")),
        [],
        "some rule must vote on some item",
    ),
    "a column of text": (
        edit(
            "votes.csv",
            lambda t: "\n".join(f"{line},{i % 3 if i else 'text'}" for i, line in enumerate(t.splitlines())),
        ),
        [],
        r"column 'caps' holds names, column 'text' numbers \(3 columns of names, 1 of numbers\).*--ignore",
    ),
    "a column of many texts": (
        put("votes.csv", "id,a,b\n" + "".join(f"{i:04d},x{i},ham\n" for i in range(200))),
        [],
        "column 'a' holds 200 different values in 200 rows, such as 'x0', most of them in no other column.*--ignore a;",
    ),
    "two columns of ids": (
        put("votes.csv", "id,item,a\n1,1,x\n"),
        [],
        "one column must hold the ids; 2 may: 'id', 'item'. Say which with --id",
    ),
    "no column of ids": (
        put("votes.csv", "key,a\n1,x\n"),
        [],
        "must have a column of ids.*Say which it is with --id NAME",
    ),
    "an unknown id column": (lambda _: None, ["--id", "key"], "must have a column 'key'; the columns are 'id', 'caps'"),
    "an unknown ignored column": (lambda _: None, ["--ignore", "x"], "must have a column 'x'"),
    "a column with two roles": (lambda _: None, ["--ignore", "id", "--id", "id"], "'id' is named for two"),
    "an unknown gold id": (
        lambda _: None,
        ["--gold-id", "key"],
        "gold file must have a column 'key'; the columns are 'id'",
    ),
    "an unknown gold label": (lambda _: None, ["--gold-label", "y"], "gold file must have a column 'y'"),
    "several gold columns": (
        put("gold.csv", "id,who,what\n0001,me,ham\n"),
        [],
        "must have one column of labels besides the ids in 'id'.*--gold-label NAME",
    ),
    "both kinds of gold": (lambda _: None, ["--gold-column", "caps"], "found both --gold FILE and --gold-column NAME"),
    "confidence of 95": (lambda _: None, ["--confidence", "95"], "--confidence must lie between 0 and 1.*found 95"),
    "a passed column that clashes": (
        edit("votes.csv", lambda text: text.replace("caps", "Label")),
        ["--ignore", "Label"],
        "found 'label' and 'Label'. Rename one",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_message(folder: Path, run: Run, case: str) -> None:
    spoil, options, message = CASES[case]
    spoil(folder)
    before = sorted(folder.iterdir())
    answer = run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "-o", folder / "labels.csv", *options)
    assert answer.exit_code == 2
    assert answer.stderr.startswith("error: ")
    assert answer.stderr.count("\n") == 1
    assert re.search(message, answer.stderr), answer.stderr
    assert "Traceback" not in answer.stderr
    assert answer.stdout == ""
    assert sorted(folder.iterdir()) == before


def test_gold_is_needed(folder: Path, run: Run) -> None:
    answer = run("label", folder / "votes.csv")
    assert answer.exit_code == 2
    assert "gold labels are needed" in answer.stderr
    assert "--gold FILE" in answer.stderr


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("v.parquet", b"id,a,b\n1,0,1\n2,1,0\n", "must be a Parquet file, as its ending says"),
        ("v.jsonl", b"id,a,b\n1,0,1\n", "line 1 is no JSON"),
        ("v.jsonl", b"\n", "at least one item"),
        ("v.xlsx", b"PK", "must be an Excel workbook; it cannot be read as such"),
        ("v", b"id,a\n", "its ending is none"),
    ],
)
def test_other_kinds_of_file(folder: Path, run: Run, name: str, content: bytes, message: str) -> None:
    (folder / name).write_bytes(content)
    answer = run("label", folder / name, "--gold", folder / "gold.csv", "-o", folder / "labels.csv")
    assert answer.exit_code == 2
    assert re.search(message, answer.stderr), answer.stderr
    assert not (folder / "labels.csv").exists()


def test_missing_files(folder: Path, run: Run) -> None:
    for votes, gold in (("no.csv", "gold.csv"), ("votes.csv", "no.csv")):
        answer = run("label", folder / votes, "--gold", folder / gold)
        assert answer.exit_code == 2
        assert re.search(r"error: there is no file .*no\.csv\. Check its name", answer.stderr)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("nowhere/labels.csv", "the folder .*nowhere does not exist"),
        ("labels.xlsx", "its ending is '.xlsx'"),
        ("labels", "its ending is none"),
        ("sub.csv", "it is a folder"),
        ("votes.csv", "the output must not be one of the inputs"),
        ("gold.csv", "the output must not be one of the inputs"),
    ],
)
def test_output_is_checked_before_anything_is_read(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch, output: str, message: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("the votes were read first")

    (folder / "sub.csv").mkdir()
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    monkeypatch.setattr("thumbwise.io.sources.read_table", fail)
    answer = run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "-o", folder / output)
    assert answer.exit_code == 2
    assert re.search(message, answer.stderr), answer.stderr
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def contradicting(folder: Path) -> None:
    """Two rules that nearly always disagree, and gold on which each is right: no labeling does that."""
    n = 400
    rng = np.random.default_rng(0)
    votes = rng.integers(2, size=n)
    rows = [f"{i},{'' if i >= 50 and i < 100 else v},{1 - v if i >= 50 else ''}" for i, v in enumerate(votes)]
    (folder / "votes.csv").write_text("\n".join(["id,a,b", *rows]))
    gold = [f"{i},{votes[i] if i < 50 else 1 - votes[i]}" for i in range(100)]
    (folder / "gold.csv").write_text("\n".join(["id,label", *gold]))


def test_infeasible_box_says_what_to_do(folder: Path, run: Run) -> None:
    contradicting(folder)
    answer = run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "-o", folder / "labels.csv")
    assert answer.exit_code == 2
    assert "its intervals contradict each other" in answer.stderr
    assert "accuracy(a)" in answer.stderr
    assert "pass --on-infeasible widen" in answer.stderr
    assert not (folder / "labels.csv").exists()


def test_infeasible_box_can_be_widened_without_a_guarantee(folder: Path, run: Run) -> None:
    contradicting(folder)
    answer = run(
        "label", folder / "votes.csv", "--gold", folder / "gold.csv", "--on-infeasible", "widen", "-o", folder / "l.csv"
    )
    assert answer.exit_code == 0
    assert "No guarantee: the intervals contradicted each other" in answer.stdout
    assert (folder / "l.csv").exists()


def test_unknown_option_value(folder: Path, run: Run) -> None:
    answer = run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "--on-infeasible", "perhaps")
    assert answer.exit_code == 2
    assert "perhaps" in answer.stderr


def test_a_bug_keeps_its_traceback(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("thumbwise.io.sources.read_table", fail)
    with pytest.raises(ZeroDivisionError, match="a bug"):
        run("label", folder / "votes.csv", "--gold", folder / "gold.csv")
