"""Help at 80 columns: nothing is cut, values have names, options and commands stand in their groups."""

from __future__ import annotations

import re

import pytest
import typer
from typer.testing import CliRunner

from thumbwise.cli.help import EXAMPLES, GROUPS, OPTIONS, OTHERS, SECTIONS
from thumbwise.cli.main import app

COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
ENVIRONMENT = {"COLUMNS": "80", "TERMINAL_WIDTH": "80"}


def help_of(*arguments: str) -> str:
    answer = CliRunner().invoke(app, [*arguments, "--help"], env=ENVIRONMENT, prog_name="thumbwise")
    assert answer.exit_code == 0
    return str(answer.stdout)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_fits_and_names_its_values(command: str) -> None:
    text = help_of(command)
    assert max(map(len, text.splitlines())) <= 80
    assert not re.search(r"--[\w-]+ <|\b(TEXT|PATH|FLOAT|INTEGER)\b", text)
    assert text.startswith(f"Usage: thumbwise {command} [OPTIONS]")
    assert text.rstrip().endswith(f"Example:\n  {EXAMPLES[command]}")


def names_by_section(text: str) -> dict[str, list[str]]:
    """Long names of the options under each heading."""
    sections: dict[str, list[str]] = {}
    for line in text.splitlines():
        if re.match(r"[A-Z].*:$", line):
            sections[line[:-1]] = []
        elif (option := re.match(r"  (?:-\w, )?--([\w-]+)", line)) and sections:
            sections[[*sections][-1]].append(option[1])
    return sections


@pytest.mark.parametrize("command", COMMANDS)
def test_each_option_is_listed_once(command: str) -> None:
    listed = [name for names in names_by_section(help_of(command)).values() for name in names]
    own = [opt[2:] for each in COMMANDS[command].params for opt in each.opts if opt.startswith("--")]
    assert sorted(listed) == sorted({*own, "help"})


def test_what_most_people_need_comes_first() -> None:
    sections = names_by_section(help_of("label"))
    assert [*sections][:4] == ["Arguments", "Gold", OPTIONS, "Output"]
    assert [*sections][4:6] == ["How files are read", "Seldom needed"]
    assert sections["Gold"][:2] == ["gold", "gold-column"]
    assert sections["Output"][0] == "output"
    assert {"layout", "codes", "scores"} <= set(sections["How files are read"])
    assert {"method", "confidence"} <= set(sections[OPTIONS])


def test_no_name_stands_in_two_sections() -> None:
    for groups in (SECTIONS, GROUPS):
        names = [name for section in groups.values() for name in section]
        assert len(names) == len(set(names))


def test_the_list_of_commands_is_whole_and_nothing_is_cut() -> None:
    text = help_of().split("Exit codes")[0]
    assert max(map(len, text.splitlines())) <= 80
    assert "..." not in text.replace("[ARGS]...", "")
    listed = re.findall(r"^  ([a-z]+) +\S", text, re.M)
    assert sorted(listed) == sorted(COMMANDS)
    assert f"{OTHERS}:" not in text
    assert re.findall(r"^([A-Z].*):$", text, re.M) == [*(title for title in GROUPS if title != OTHERS), OPTIONS]
    assert listed[:2] == ["demo", "label"]
    assert listed[-1] == "reproduce"


def test_examples_are_of_commands_that_take_them() -> None:
    for name, line in EXAMPLES.items():
        assert line.startswith(f"thumbwise {name}")
        assert len(line) <= 78
        if name in COMMANDS:
            known = {opt for each in COMMANDS[name].params for opt in each.opts}
            assert set(re.findall(r"(?<!\S)--?[a-z][\w-]*", line)) <= known, line


def test_choices_are_all_named() -> None:
    text = " ".join(help_of("label").split())
    assert "One of ratings, probabilities, log-probabilities, confidences. [default: ratings, with --scores]" in text
    assert "--on-infeasible raise|widen" in text
    assert "WHAT The result tables, the figures, or both. One of tables, figures, all." in " ".join(
        help_of("reproduce").split()
    )
