"""The page about the command line, written from the commands themselves: python docs/command_line_page.py [NAME ...].

With names, only the examples of these commands are run anew. Help is that of the commands, and output what the examples
print, in a folder with the files of ``thumbwise demo --write``. Tests compare: the help always, the output among the
long studies.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
from typer.testing import CliRunner

from thumbwise.cli import console
from thumbwise.cli.help import EXAMPLES, GROUPS, summary
from thumbwise.cli.main import app
from thumbwise.datasets import load_demo
from thumbwise.datasets.examples import write_demo

PAGE = Path(__file__).parent / "command-line.md"
COMMANDS: Mapping[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
_WIDTH = 80
# Examples whose output is not shown, and why.
NOT_RUN = {
    "bench": "It prints the address of the page, and serves it until Ctrl-C.",
    "report": "It prints where the page lies, and takes a minute or two.",
    "reproduce": "It prints the paper's tables beside what is found here, in about a minute.",
}
# Lines that are shown of a long output.
_LINES = {"compare": 20}
_MOST_LINES = 40
# What an example needs beside the files of the demo.
_SAVE = "thumbwise label votes.csv --gold gold.csv -o labels.csv --save model.json --overwrite"
_BEFORE = dict.fromkeys(("certify", "predict", "explain", "sql"), (_SAVE,))

_START = """# Command line

`thumbwise --help` lists the commands, `thumbwise COMMAND --help` the options of one. Words such as box, worth or
active bound are in the [glossary](glossary.md). The examples use the files that this writes into the folder:

```
thumbwise demo --write .
```

On a screen, tables are as wide as it is: names fold, and a table that is still too wide is printed in parts. In
a file or a pipe nothing is folded or cut. Results go to stdout; progress, warnings and errors to stderr.

## Exit codes

| code | meaning |
|---|---|
| 0 | done |
| 1 | `check` found errors, or `--strict` something |
| 2 | a mistake in options or files; one message says which, and nothing was written |
| 3 | `--require-guarantee`, and there is no guarantee or it proves nothing |
| 130, 143 | ended by Ctrl-C, or by a request to end; what was half-written is removed |
| 141 | nobody reads the output any more |

## Options of all commands that read votes

Which column means what is found by name, and said. If it is not what you mean, the options under "How files are read"
settle it; [what can be read](reading.md) has them one by one.
"""


def write_page(names: Sequence[str] = ()) -> None:
    """Write the page anew; of the output, that of these commands, or all."""
    before = shown_outputs() if names else {}
    PAGE.write_text(page({**before, **outputs(names)}), encoding="utf-8")


def shown_outputs() -> dict[str, str]:
    """Output of each example, as the page shows it."""
    sections = re.split(r"^### thumbwise (\w+)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    found = {name: re.search(r"^prints\n\n```\n(.*?)\n```$", text, re.M | re.S) for name, text in batched(sections)}
    return {name: output[1] for name, output in found.items() if output is not None}


def batched(entries: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Names, each with the text that follows it."""
    return zip(entries[::2], entries[1::2], strict=True)


def page(shown: Mapping[str, str]) -> str:
    """The page, with the output of each example that was run."""
    parts = [_START]
    for title, names in GROUPS.items():
        commands = [name for name in names if name in COMMANDS]
        parts += [f"## {title}\n", *(_section(name, shown.get(name)) for name in commands)] if commands else []
    return "\n".join(parts)


def _section(name: str, output: str | None) -> str:
    lines = [f"### thumbwise {name}\n", f"{summary(COMMANDS[name].help)}.\n", f"```\n{EXAMPLES[name]}\n```\n"]
    lines += [f"{NOT_RUN.get(name, '')}\n"] if output is None else [f"prints\n\n```\n{output}\n```\n"]
    return "\n".join([*lines, f"All of its options:\n\n```\n{help_of(name)}\n```\n"])


def help_of(name: str) -> str:
    """Help of a command at 80 columns."""
    environment = {"COLUMNS": str(_WIDTH), "TERMINAL_WIDTH": str(_WIDTH)}
    answer = CliRunner().invoke(app, [name, "--help"], env=environment, prog_name="thumbwise")
    return str(answer.stdout).rstrip()


def outputs(names: Sequence[str] = ()) -> dict[str, str]:
    """What each example prints, on a screen of 80 columns; those of some commands, or all."""
    console._WIDE, before, here = _WIDTH, console._WIDE, Path.cwd()  # type: ignore[misc]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            return {name: _shortened(name, text) for name, text in _run_all(names)}
        finally:
            os.chdir(here)
            console._WIDE = before  # type: ignore[misc]


def _run_all(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    write_demo(load_demo(), Path.cwd())
    for name in (name for group in GROUPS.values() for name in group if name in COMMANDS and name not in NOT_RUN):
        if not names or name in names:
            for line in _BEFORE.get(name, ()):
                _run(line)
            yield name, _run(EXAMPLES[name])


def _run(line: str) -> str:
    answer = CliRunner().invoke(app, shlex.split(line)[1:], catch_exceptions=False)
    if answer.exit_code not in (0, 1):
        raise RuntimeError(f"{line}: {answer.output}")
    return str(answer.stdout)


def _shortened(name: str, text: str) -> str:
    lines = [line.rstrip() for line in re.sub(r"\n{3,}", "\n\n", text).strip().splitlines()]
    most = _LINES.get(name, _MOST_LINES)
    rest = len(lines) - most
    return "\n".join([*lines[:most], *([f"... and {rest} lines more"] if rest > 0 else [])])


if __name__ == "__main__":
    write_page(sys.argv[1:])
