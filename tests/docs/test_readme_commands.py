"""The README's commands work as printed, one after the other, in an empty folder."""

from __future__ import annotations

import csv
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from docs.pages import ROOT, find_blocks, read_text
from thumbwise.cli.main import app

README = read_text(ROOT / "README.md")
OWN_FILES = README.split("## On your own files")[1].split("\n## ")[0]
LINES = [line for kind, block in find_blocks(OWN_FILES) if not kind for line in block.splitlines()]
# What takes longest is left to the long studies.
LONG = ("thumbwise compare", "thumbwise report")
# An exit code of 1 says that there are findings.
ENDINGS = {"check": (0, 1)}


def test_the_first_command_puts_thumbwise_on_the_path() -> None:
    first = next(block for kind, block in find_blocks(README) if not kind)
    steps = [step.strip() for step in first.strip().split("&&")]
    assert steps[0] == "python3 -m venv .venv"
    assert steps[1] == ". .venv/bin/activate"
    assert steps[2].startswith("pip install ")
    assert steps[3] == "thumbwise demo"
    assert f"{first}" in README.split("## On your own files")[0]
    assert not re.search(r"\.venv/bin/thumbwise", README)


def test_the_commands_are_there() -> None:
    assert LINES[0].startswith("thumbwise demo --write example && cd example")
    named = {line.split()[1] for line in LINES}
    assert {"label", "bench", "rate", "judges", "draw", "triage", "plan", "compare", "certify", "check"} <= named
    assert all(line.startswith("thumbwise ") for line in LINES)


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the first command makes and goes to; of its items, gold and a hundred others."""
    monkeypatch.chdir(tmp_path)
    assert invoke(LINES[0].split("&&")[0]).exit_code == 0
    folder = tmp_path / "example"
    monkeypatch.chdir(folder)
    with (folder / "gold.csv").open(newline="") as file:
        gold = {row["id"] for row in csv.DictReader(file)}
    with (folder / "votes.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    others = [row for row in rows if row[0] not in gold][:100]
    with (folder / "votes.csv").open("w", newline="") as file:
        csv.writer(file).writerows([header, *(row for row in rows if row[0] in gold), *others])
    return folder


def invoke(line: str) -> Any:
    name, *arguments = shlex.split(line, comments=True)
    assert name == "thumbwise"
    return CliRunner().invoke(app, arguments, catch_exceptions=False)


def outputs(line: str) -> list[str]:
    return re.findall(r"(?:-o|--review) (\S+)", line)


def test_every_command_runs(example: Path) -> None:
    run = [line for line in LINES[1:] if "bench" not in line and not any(word in line for word in LONG)]
    assert len(run) >= 8
    for line in run:
        answer = invoke(line)
        assert answer.exit_code in ENDINGS.get(line.split()[1], (0,)), f"{line}: {answer.output}"
        assert [name for name in outputs(line) if not (example / name).exists()] == []


def test_the_page_for_gold_is_served(example: Path) -> None:
    pytest.importorskip("starlette")
    line = next(line for line in LINES if "bench" in line)
    command = [sys.executable, "-c", "from thumbwise.cli.main import main; main()"]
    arguments = [*shlex.split(line, comments=True)[1:], "--no-browser"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        [*command, *arguments], cwd=example, stdout=subprocess.PIPE, text=True, env=environment
    ) as page:
        assert page.stdout is not None
        said = next((text for text in page.stdout if "http://127.0.0.1" in text), "")
        page.terminate()
    assert said


@pytest.mark.slow
def test_every_command_runs_in_a_shell(tmp_path: Path) -> None:
    """As they are typed, with the whole of the example, what takes long too."""
    shim = tmp_path / "bin" / "thumbwise"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec {sys.executable} -c "from thumbwise.cli.main import main; main()" "$@"\n')
    shim.chmod(0o755)
    environment = {**os.environ, "PATH": f"{shim.parent}:{os.environ['PATH']}"}
    script = "\n".join(line for line in LINES if "bench" not in line)
    answer = subprocess.run(
        ["sh", "-ec", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert answer.returncode in (0, 1), answer.stderr
    assert (tmp_path / "example" / "report.html").exists()
    assert (tmp_path / "example" / "labels").is_dir()
