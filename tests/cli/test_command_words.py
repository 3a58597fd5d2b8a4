"""Whoever uses the command line reads of its options, never of the arguments of Python."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import thumbwise as tw
from cli.mistakes import MISTAKES
from cli.test_label_bad_input import CASES
from thumbwise.cli.main import app

CALLS = (
    tw.read_votes,
    tw.read_jury,
    tw.Votes,
    tw.Votes.from_long,
    tw.LazyVotes,
    tw.Box.from_gold,
    tw.BalsubramaniFreund,
)
ARGUMENTS = {name for call in CALLS for name in inspect.signature(call).parameters} | {"tol", "rules", "keep"}
UNDERSCORED = sorted(name for name in ARGUMENTS if "_" in name)
# Names of columns are quoted and may be called like arguments.
PYTHON = re.compile(
    rf"(?<!['\"\w])(({'|'.join(UNDERSCORED)})(?!['\"\w])|({'|'.join(sorted(ARGUMENTS))})=)"
    r"|\b(Lazy)?Votes\b|\bBox\b|\.\w+_\b"
)


def assert_no_python(message: str) -> None:
    strange = PYTHON.search(message)
    assert strange is None, f"{strange[0]!r} in: {message}"


def test_the_pattern_sees_python() -> None:
    assert {"item_id", "class_names", "n_classes", "gold_column", "confidence_level"} <= set(UNDERSCORED)
    for text in ("say item_id=NAME", "pass n_classes", "layout='long'", "to Votes", "gold=FILE", "model.classes_"):
        assert PYTHON.search(text), text
    assert not PYTHON.search("column 'item_id' holds 3; say --gold-column NAME, --codes '-1=NAME'")


def message_of(*arguments: object) -> str:
    answer = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert answer.exit_code == 2, answer.stdout
    return str(answer.stderr)


@pytest.mark.parametrize("command", ["label", "check"])
@pytest.mark.parametrize("name", MISTAKES)
def test_messages_name_options(tmp_path: Path, name: str, command: str) -> None:
    assert_no_python(message_of(command, *MISTAKES[name].arguments(tmp_path)))


@pytest.mark.parametrize("name", [name for name, mistake in MISTAKES.items() if mistake.also_lazily])
def test_messages_on_many_files_name_options(tmp_path: Path, name: str) -> None:
    assert_no_python(message_of("label", *MISTAKES[name].lazy_arguments(tmp_path)))


@pytest.mark.parametrize("case", CASES)
def test_messages_on_bad_files_name_options(folder: Path, case: str) -> None:
    spoil, options, _ = CASES[case]
    spoil(folder)
    files = (folder / "votes.csv", "--gold", folder / "gold.csv", "-o", folder / "labels.csv")
    assert_no_python(message_of("label", *files, *options))


@pytest.mark.parametrize(
    "arguments",
    [
        ["label", "votes.csv"],
        ["label", "votes.csv", "--gold", "gold.csv", "--confidence", "2"],
        ["plan", "votes.csv", "--gold", "gold.csv", "--target", "-1"],
        ["compare", "votes.csv", "--gold", "gold.csv", "--methods", "x"],
        ["check", "votes.csv", "--gold", "gold.csv", "--skip", "x"],
        ["report", "votes.csv", "--gold", "gold.csv", "-o", "page.txt"],
        ["certify", "gold.csv", "--votes", "votes.csv", "--gold", "gold.csv"],
        ["label", "votes.csv", "--gold", "gold.csv", "--codes", "ham"],
        ["label", "*.csv", "--gold", "gold.csv", "--codes", "ham=a,spam=b"],
        ["label", "*.csv"],
        ["label", "*.csv", "--gold", "gold.csv", "--rule", "x", "--label", "y"],
    ],
)
def test_messages_of_all_commands_name_options(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(folder)
    assert_no_python(message_of(*arguments))
