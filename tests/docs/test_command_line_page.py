"""The page about the command line says what the commands say: their help always, their output among long studies."""

from __future__ import annotations

import importlib.util
import re

import pytest

from docs.pages import DOCS, find_blocks, read_text

_SPEC = importlib.util.spec_from_file_location("command_line_page", DOCS / "command_line_page.py")
assert _SPEC is not None and _SPEC.loader is not None
MAKER = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(MAKER)
PAGE = read_text(DOCS / "command-line.md")
ANEW = "python docs/command_line_page.py writes it anew"


def test_the_page_is_what_would_be_written_today() -> None:
    """All but the output of the examples, which is taken from the page itself."""
    assert MAKER.page(MAKER.shown_outputs()) == PAGE, ANEW


@pytest.mark.parametrize("command", MAKER.COMMANDS)
def test_every_command_has_its_help_an_example_and_what_it_prints(command: str) -> None:
    section = re.split(r"^##+ ", PAGE.split(f"### thumbwise {command}\n")[1], flags=re.M)[0]
    blocks = [text for _, text in find_blocks(section)]
    assert blocks[0].startswith(f"thumbwise {command}")
    assert blocks[-1].startswith(f"Usage: thumbwise {command} [OPTIONS]")
    assert len(blocks) == (2 if command in MAKER.NOT_RUN else 3)
    assert (MAKER.NOT_RUN[command] in section) if command in MAKER.NOT_RUN else len(blocks[1]) > 20


def test_lines_fit_a_screen() -> None:
    assert [line for _, block in find_blocks(PAGE) for line in block.splitlines() if len(line) > 80] == []


@pytest.mark.slow
@pytest.mark.parametrize("command", [name for name in MAKER.COMMANDS if name not in MAKER.NOT_RUN])
def test_examples_print_what_is_shown(command: str) -> None:
    assert MAKER.outputs([command])[command] == MAKER.shown_outputs()[command], ANEW
