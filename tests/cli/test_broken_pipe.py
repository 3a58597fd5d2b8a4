"""Labels are there even if nobody reads what is printed, and nobody is told about the pipe."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli.processes import MAIN, left_behind, make_home

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes as POSIX has them")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return make_home(tmp_path / "home", 2000)


def run_unread(home: Path, *arguments: str) -> tuple[int, str]:
    """Exit code and messages of a command whose reader has gone before it begins to print."""
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, *arguments],
        cwd=home,
        env=buffered,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    messages = process.stderr.read()
    process.stderr.close()
    return process.wait(timeout=120), messages


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (("label", "votes.csv", "--gold", "gold.csv", "-o", "labels.csv"), "labels.csv"),
        (("label", "votes", "--gold", "gold.csv", "-o", "labels", "--spill", "spill"), "labels/data_0.parquet"),
        (("report", "votes.csv", "--gold", "gold.csv", "-o", "report.html"), "report.html"),
        (("demo", "--write", "example"), "example/gold.csv"),
    ],
)
def test_the_output_is_written_first(home: Path, arguments: tuple[str, ...], output: str) -> None:
    assert run_unread(home, *arguments) == (141, "")
    assert (home / output).stat().st_size > 0
    assert left_behind(home) == []


@pytest.mark.parametrize("arguments", [("--version",), ("check", "votes.csv", "--gold", "gold.csv"), ("--help",)])
def test_other_commands_end_as_quietly(home: Path, arguments: tuple[str, ...]) -> None:
    assert run_unread(home, *arguments) == (141, "")


def test_what_fails_says_so_all_the_same(home: Path) -> None:
    code, messages = run_unread(home, "label", "none.csv", "--gold", "gold.csv")
    assert code == 2
    assert messages.startswith("error: there is no file")
