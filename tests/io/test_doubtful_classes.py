"""Words for no vote that are read as classes, and columns that are no rules, are said first, with what sets them aside.

Kills, tried once: a word that gold says noted all the same; notes where classes are listed; a rule with a class of its
own taken for no rule; codes that leave out a class.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

import thumbwise as tw
from thumbwise.cli.main import app

ROWS = [
    ("q1", "A", "pass", "pass", "error"),
    ("q2", "B", "fail", "refused", "fail"),
    ("q3", "A", "pass", None, "refused"),
    ("q4", "B", "fail", "fail", "pass"),
]
VOTES = pd.DataFrame(ROWS, columns=["id", "system", "gpt", "claude", "llama"])
GOLD = {"q1": "pass", "q2": "fail", "q3": "pass"}


def careful(reading: tw.Reading) -> list[str]:
    return [note for note in reading.notes if note.startswith("careful")]


def test_words_for_no_vote_are_the_first_note_and_what_it_says_sets_them_aside() -> None:
    reading = tw.read_votes(VOTES, gold=GOLD, ignore=["system"])
    assert reading.votes.class_names == ("error", "fail", "pass", "refused")
    assert reading.notes[0] == (
        "careful: 'error' (1 vote) and 'refused' (2 votes) are classes here, though no gold label is so. If they mean "
        "that there is no vote, say codes={'fail': 'fail', 'pass': 'pass', 'error': None, 'refused': None}; if they "
        "are classes, list all: class_names=['error', 'fail', 'pass', 'refused']."
    )
    codes = {"fail": "fail", "pass": "pass", "error": None, "refused": None}
    aside = tw.read_votes(VOTES, gold=GOLD, ignore=["system"], codes=codes)
    assert aside.votes.class_names == ("fail", "pass")
    assert (aside.votes.array < 0).sum() == 4
    assert careful(aside) == []
    listed = tw.read_votes(VOTES, gold=GOLD, ignore=["system"], class_names=["error", "fail", "pass", "refused"])
    assert careful(listed) == []


def test_a_word_that_gold_says_is_a_class() -> None:
    notes = careful(tw.read_votes(VOTES, gold={**GOLD, "q4": "refused"}, ignore=["system"]))
    assert len(notes) == 1
    assert "'error' (1 vote) is a class here" in notes[0]
    assert "say abstain='error';" in notes[0]


def test_without_gold_words_are_noted_and_gold_is_not_spoken_of() -> None:
    (note,) = careful(tw.read_votes(VOTES, ignore=["system"]))
    assert "gold" not in note


def test_a_mark_for_abstain_stays_one() -> None:
    marked = VOTES.replace({"refused": "n/a"})
    (note,) = careful(tw.read_votes(marked, gold=GOLD, ignore=["system"], abstain="n/a"))
    assert "codes={'fail': 'fail', 'pass': 'pass', 'error': None, 'n/a': None}" in note


def test_several_values_for_abstain_in_one() -> None:
    notes = careful(tw.read_votes(VOTES, gold=GOLD, ignore=["system"], abstain="error,refused"))
    assert notes[1].startswith("careful: 'error,refused' is taken for one value that means abstain.")


def test_a_column_of_groups_that_is_taken_for_a_rule() -> None:
    notes = careful(tw.read_votes(VOTES, gold=GOLD))
    assert notes[0] == (
        "careful: rule 'system' votes for 'A', 'B', which no other rule and no gold label says. If it is no rule, say "
        "ignore=['system']."
    )
    assert not any("system" in note for note in careful(tw.read_votes(VOTES)))  # rules may each have their own class


def test_a_rule_with_one_class_of_its_own_is_a_rule() -> None:
    votes = VOTES.drop(columns="system").replace({"error": None, "refused": None})
    votes["only"] = ["odd", None, None, "odd"]
    assert careful(tw.read_votes(votes, gold=GOLD)) == []
    votes["more"] = ["queer", "pass", "strange", None]
    assert careful(tw.read_votes(votes, gold=GOLD)) == []
    votes["more"] = ["queer", "strange", "queer", None]
    assert len(careful(tw.read_votes(votes, gold=GOLD))) == 1
    assert careful(tw.read_votes(votes, gold={**GOLD, "q4": "queer"})) == []


def test_nothing_is_set_aside_where_one_class_would_be_left() -> None:
    votes = pd.DataFrame({"id": [1, 2, 3], "a": ["pass", "error", "pass"], "b": ["pass", "pass", "error"]})
    assert careful(tw.read_votes(votes, gold={1: "pass", 2: "pass"})) == []


@pytest.mark.parametrize("name", ["votes.csv", "vot*.csv"])
def test_the_command_says_so_in_its_own_words(name: str, tmp_path: Path) -> None:
    VOTES.to_csv(tmp_path / "votes.csv", index=False)
    pd.DataFrame(GOLD.items(), columns=["id", "label"]).to_csv(tmp_path / "gold.csv", index=False)
    asked = ["rate", str(tmp_path / name), "--gold", str(tmp_path / "gold.csv"), "--of", "pass", "--ignore", "system"]
    lines = CliRunner().invoke(app, asked).stdout.splitlines()
    assert lines[2].startswith("careful: 'error' (1 vote) and 'refused' (2 votes) are classes here")
    option = "--codes 'fail=fail,pass=pass,error=,refused='"
    assert option in lines[2]
    assert "careful" not in CliRunner().invoke(app, [*asked, "--codes", "fail=fail,pass=pass,error=,refused="]).stdout
