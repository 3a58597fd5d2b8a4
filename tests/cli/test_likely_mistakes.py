"""What is likely a mistake is refused with a message that says how to mend it, from one file and from many."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from cli.mistakes import (
    IDS,
    MISTAKES,
    N_GOLD,
    N_ITEMS,
    NAMES,
    TRUTH,
    as_number,
    as_sign,
    gold_file,
    json_file,
    long_rows,
    number_gold,
    records,
    votes_file,
    write,
)
from cli.rows import Run
from thumbwise.tables.table_files import read_table


def message_of(run: Run, *arguments: object) -> str:
    answer = run("label", *arguments)
    assert answer.exit_code == 2, answer.stdout
    assert answer.stderr.startswith("error: ")
    assert answer.stderr.count("\n") == 1
    return str(answer.stderr)


@pytest.mark.parametrize("name", MISTAKES)
def test_message(tmp_path: Path, run: Run, name: str) -> None:
    mistake = MISTAKES[name]
    message = message_of(run, *mistake.arguments(tmp_path))
    assert re.search(mistake.says, message), message


@pytest.mark.parametrize("name", [name for name, mistake in MISTAKES.items() if mistake.also_lazily])
def test_the_same_message_if_votes_stay_in_files(tmp_path: Path, run: Run, name: str) -> None:
    mistake = MISTAKES[name]
    message = message_of(run, *mistake.lazy_arguments(tmp_path))
    assert re.search(mistake.says, message), message


def printed(run: Run, *arguments: object) -> str:
    answer = run("label", *arguments)
    assert answer.exit_code == 0, answer.stderr
    return str(answer.stdout)


def sources(path: Path, lazily: bool) -> Path:
    path.parent.mkdir(exist_ok=True)
    return path.parent / "*.csv" if lazily else path


@pytest.mark.parametrize("lazily", [False, True])
def test_what_is_dropped_is_counted(tmp_path: Path, run: Run, lazily: bool) -> None:
    source = sources(tmp_path / "parts" / "votes.csv", lazily)
    votes_file(tmp_path / "parts" / "votes.csv")
    gold = gold_file(tmp_path / "gold.csv", lambda i, y: NAMES[y] if i % 4 else ("" if i % 8 else "?"))
    text = printed(run, source, "--gold", gold, "--abstain", "?")
    assert "90 of 120 gold labels were used: 15 are empty, 15 are ?\n" in text
    assert "gold: 90 items with a known class" in text
    votes_file(tmp_path / "parts" / "votes.csv", as_number)
    gold_file(gold, lambda i, y: y if i % 4 else -1)
    text = printed(run, source, "--gold", gold, "--abstain", "-1")
    assert "90 of 120 gold labels were used: 30 are -1\n" in text
    number_gold(gold)
    assert "were used" not in printed(run, source, "--gold", gold)


@pytest.mark.parametrize("command", ["label", "plan", "compare", "check", "report", "certify"])
def test_every_command_says_what_is_dropped(tmp_path: Path, run: Run, command: str) -> None:
    votes = votes_file(tmp_path / "votes.csv")
    gold = gold_file(tmp_path / "gold.csv", lambda i, y: NAMES[y] if i % 4 else "")
    predictions = write(
        tmp_path / "predictions.csv", "id,label", list(zip(IDS, [NAMES[y] for y in TRUTH], strict=True))
    )
    own = {"report": ["-o", tmp_path / "page.html"]}.get(command, [])
    arguments = [predictions, "--votes", votes] if command == "certify" else [votes]
    answer = run(command, *arguments, "--gold", gold, *own)
    assert "90 of 120 gold labels were used: 30 are empty" in answer.stdout, answer.stderr


def test_minus_one_means_what_is_said(tmp_path: Path, run: Run) -> None:
    """By codes, and by listing -1, the labels are those of the same files in names."""
    named = votes_file(tmp_path / "named.csv"), gold_file(tmp_path / "gold.csv")
    signs = votes_file(tmp_path / "signs.csv", as_sign), gold_file(tmp_path / "s.csv", lambda _, y: 2 * y - 1)
    listed = votes_file(tmp_path / "listed.csv", lambda _, v: "" if v < 0 else 2 * v - 1)
    printed(run, named[0], "--gold", named[1], "-o", tmp_path / "a.csv")
    text = printed(run, signs[0], "--gold", signs[1], "--codes", "-1=ham,1=spam,0=", "-o", tmp_path / "b.csv")
    assert "gold: 120 items" in text
    assert (tmp_path / "b.csv").read_text() == (tmp_path / "a.csv").read_text()
    text = printed(run, listed, "--gold", signs[1], "--classes=-1,1", "-o", tmp_path / "c.csv")
    assert "gold: 120 items" in text
    expected, found = (read_table(tmp_path / name) for name in ("a.csv", "c.csv"))
    assert found.columns["p_1"].tolist() == expected.columns["p_spam"].tolist()


def test_a_gold_column_takes_minus_one_unless_it_may_be_a_class(tmp_path: Path, run: Run) -> None:
    def column(of: Sequence[object]) -> Path:
        return votes_file(tmp_path / "votes.csv", as_number, truth=of)

    known = [int(y) if i < N_GOLD else -1 for i, y in enumerate(TRUTH)]
    text = printed(run, column(known), "--gold-column", "truth")
    assert f"120 of 200 items have a gold label: {N_ITEMS - N_GOLD} are -1\n" in text
    empty = [y if y >= 0 else "" for y in known]
    assert "120 of 200 items have a gold label: 80 are empty\n" in printed(run, column(empty), "--gold-column", "truth")
    signs = [2 * int(y) - 1 for y in TRUTH]
    assert "which may be a class" in message_of(run, column(signs), "--gold-column", "truth")
    both = [y if i < 150 else "" for i, y in enumerate(known)]
    assert "which may be a class" in message_of(run, column(both), "--gold-column", "truth")
    votes = votes_file(tmp_path / "v.csv", lambda i, v: "" if v < 0 and i % 2 else v, truth=known)
    assert "which may be a class" in message_of(run, votes, "--gold-column", "truth")
    assert "80 are -1" in printed(run, votes, "--gold-column", "truth", "--abstain", "-1")


def test_a_class_without_votes_is_read_if_it_is_common_or_listed(tmp_path: Path, run: Run) -> None:
    votes = votes_file(tmp_path / "votes.csv")
    for n_labels, is_read in ((2, False), (3, True)):  # of 120: fewer than 2.4 are rare
        gold = gold_file(tmp_path / "gold.csv", lambda i, y: "news" if i < n_labels else NAMES[y])  # noqa: B023
        answer = run("label", votes, "--gold", gold)
        assert (answer.exit_code == 0) is is_read, answer.stderr
        assert is_read or "gold labels (first of item '0000'). Correct the label" in answer.stderr
        assert "3 classes (ham, news, spam)" in printed(run, votes, "--gold", gold, "--classes", "ham,news,spam")


def test_columns_that_are_ignored_or_listed_are_read(tmp_path: Path, run: Run) -> None:
    times = [f"t{i}" for i in range(N_ITEMS)]
    votes, gold = votes_file(tmp_path / "votes.csv", when=times), gold_file(tmp_path / "gold.csv")
    printed(run, votes, "--gold", gold, "--ignore", "when", "-o", tmp_path / "labels.csv")
    assert read_table(tmp_path / "labels.csv").columns["when"].tolist() == times
    votes_file(votes, lambda i, v: "ham|spam" if v >= 0 and i % 11 == 0 else NAMES[v])
    assert "3 classes" in printed(run, votes, "--gold", gold, "--classes", "ham,spam,ham|spam")


def test_rule_and_label_say_that_the_table_is_long(tmp_path: Path, run: Run) -> None:
    gold = gold_file(tmp_path / "gold.csv")
    wide = votes_file(tmp_path / "wide.csv")
    printed(run, wide, "--gold", gold, "-o", tmp_path / "a.csv")
    long = write(tmp_path / "long.csv", "id,who,choice", long_rows())
    text = printed(run, long, "--gold", gold, "--rule", "who", "--label", "choice", "-o", tmp_path / "b.csv")
    assert "a row per vote, by the columns 'id', 'who' and 'choice'" in text
    jury = json_file(tmp_path / "jury.jsonl", records("llm"))
    text = printed(run, jury, "--gold", gold, "--rule", "llm", "-o", tmp_path / "c.csv")
    assert "a record per item and judge, by the columns 'item', 'llm' and 'verdict'" in text
    assert "judge in 'llm'" in text
    model = json_file(tmp_path / "model.jsonl", records("model"))
    assert "a record per item and judge, by the columns 'item', 'model' and" in printed(run, model, "--gold", gold)
    expected = read_table(tmp_path / "a.csv").columns["p_spam"].astype(float).tolist()
    for name in ("b.csv", "c.csv"):
        found = read_table(tmp_path / name).columns["p_spam"].astype(float).tolist()
        assert found == pytest.approx(expected, abs=1e-9)


def test_records_pass_on_what_is_ignored(tmp_path: Path, run: Run) -> None:
    rows = records(text=lambda i: f"text of {i}")
    rows = [{"task": row.pop("item"), **row} for row in rows]
    jury = json_file(tmp_path / "jury.jsonl", rows)
    gold = gold_file(tmp_path / "gold.csv")
    printed(run, jury, "--gold", gold, "--ignore", "text", "-o", tmp_path / "labels.csv")
    table = read_table(tmp_path / "labels.csv")
    assert table.names[0] == "task"
    assert table.columns["text"].tolist() == [f"text of {i}" for i in table.columns["task"].tolist()]
    assert len(set(table.columns["task"].tolist())) == N_ITEMS


@pytest.mark.parametrize("spell", [lambda y: y, lambda y: str(bool(y)).lower(), lambda y: str(bool(y))])
def test_judges_may_say_true_and_false(tmp_path: Path, run: Run, spell: object) -> None:
    """As in tables, where truth values are the classes 0 and 1; gold may be written in either way."""
    rows = [{**row, "verdict": row["verdict"] == "spam"} for row in records()]
    jury = json_file(tmp_path / "jury.jsonl", rows)
    gold = gold_file(tmp_path / "gold.csv", lambda _, y: spell(y))  # type: ignore[operator]
    printed(run, jury, "--gold", gold, "-o", tmp_path / "labels.csv")
    printed(run, votes_file(tmp_path / "votes.csv"), "--gold", gold_file(tmp_path / "g.csv"), "-o", tmp_path / "e.csv")
    found, expected = (read_table(tmp_path / name).columns for name in ("labels.csv", "e.csv"))
    assert found["p_1"].astype(float).tolist() == pytest.approx(expected["p_spam"].astype(float).tolist(), abs=1e-9)
