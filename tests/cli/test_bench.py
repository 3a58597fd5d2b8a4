"""thumbwise bench as a command: what it prints, what it refuses, how it ends, and gold that other commands read."""

from __future__ import annotations

import builtins
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.client import Page
from bench.desks import write_items
from cli.processes import MAIN
from cli.rows import Run


class Running:
    """The command in a process of its own, as far as the line with its address."""

    def __init__(self, *arguments: object) -> None:
        command = [sys.executable, "-c", MAIN, "bench", *map(str, arguments), "--no-browser"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, stdout=pipe, stderr=pipe, text=True, env={**os.environ, "COLUMNS": "300"}
        )
        assert self.process.stdout is not None
        self.printed, self.url = "", ""
        for line in self.process.stdout:
            self.printed += line
            found = re.search(r"http://\S+", line)
            if found:
                self.url = found[0]
                break

    def end(self, number: signal.Signals = signal.SIGINT) -> tuple[int, str, str]:
        self.process.send_signal(number)
        printed, complaints = self.process.communicate(timeout=60)
        return self.process.returncode, printed, complaints


def test_from_items_to_gold_and_on(tmp_path: Path, run: Run) -> None:
    """Labeled, ended by Ctrl-C, gone on with the same command, and read as gold."""
    path, gold, votes = write_items(tmp_path), tmp_path / "gold.jsonl", tmp_path / "votes.csv"
    votes.write_text("id,a,b\n" + "".join(f"q{i},{'pass' if i % 3 else 'fail'},pass\n" for i in range(60)))
    arguments = (path, "--votes", votes, "--classes", "pass,fail", "-n", 20, "--by", "ann", "-o", gold)
    running = Running(*arguments)
    assert "items.csv: 60 items, shown: text" in running.printed
    assert "20 of them are to be labeled" in running.printed
    page = Page(running.url)
    page.ask("start", by=None)
    for _ in range(8):
        page.answer(answer="pass")
    code, printed, complaints = running.end()
    assert (code, complaints) == (0, "")
    assert printed == (f"8 new labels, 8 in all, in {gold}; the same command goes on, and --gold {gold} uses them\n")
    running = Running(*arguments)
    page = Page(running.url)
    assert page.ask("start", by=None)["item"]["place"] == 9
    while page.item:
        page.answer(answer="fail")
    assert running.end(signal.SIGTERM)[1].startswith("12 new labels, 20 in all")
    done = run("rate", votes, "--gold", gold, "--of", "pass")
    assert done.exit_code == 0
    assert "20" in done.stdout


def test_an_open_host_is_warned_of(tmp_path: Path) -> None:
    running = Running(write_items(tmp_path), "--classes", "a,b", "-o", tmp_path / "g.jsonl", "--host", "0.0.0.0")  # noqa: S104
    code, _, complaints = running.end()
    assert code == 0
    assert "warning: 0.0.0.0 can be reached over the network" in complaints


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--goal", "soon"], "--goal must be within=SHARE"),
        (["--goal", "within=2"], "--goal must be within=SHARE"),
        (["--goal", "accepted=0.7"], "--goal must be within=SHARE"),
        (["--looks", "50,x"], "--looks must be whole numbers"),
        (["--looks", "50,40"], "planned looks must be rising numbers"),
        (["--looks", "50,100"], "at most the 60 items"),
        (["--looks", "10,20", "-n", "30"], "must stop by one rule"),
        (["-n", "0"], "at least one label"),
        (["--confidence", "95"], "--confidence must lie between 0 and 1"),
        (["--of", "good"], "must be one of 'pass', 'fail'; found 'good'. Say --of pass."),
        (["--seed", "-1"], "the seed must be 0 or more"),
        (["--show", "txt"], "found no 'txt'"),
        (["--id", "key"], "the column of ids 'key'"),
        (["--design", "stratified"], "--votes FILE"),
        (["--classes", "pass"], "two classes or more"),
        (["--classes", "pass,unclear"], "no class may be called 'unclear'"),
        (["-o", "gold.csv"], "must end in .jsonl"),
    ],
)
def test_mistakes_get_a_message_and_leave_nothing(tmp_path: Path, run: Run, options: list[str], words: str) -> None:
    path = write_items(tmp_path)
    done = run("bench", path, "--classes", "pass,fail", "-o", tmp_path / "gold.jsonl", *options)
    assert done.exit_code == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["items.csv"]


def test_classes_must_be_said_at_first(tmp_path: Path, run: Run) -> None:
    done = run("bench", write_items(tmp_path), "-o", tmp_path / "gold.jsonl")
    assert done.exit_code == 2
    assert "List them with --classes pass,fail." in done.stderr


def test_the_items_are_never_written_to(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text('{"id": 1, "text": "a"}\n')
    done = run("bench", path, "--classes", "a,b", "-o", path)
    assert done.exit_code == 2
    assert path.read_text() == '{"id": 1, "text": "a"}\n'


def test_a_missing_extra_is_named(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:
        if name.split(".", maxsplit=1)[0] in ("starlette", "uvicorn"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    done = run("bench", write_items(tmp_path), "--classes", "a,b", "-o", tmp_path / "gold.jsonl")
    assert done.exit_code == 2
    assert "pip install 'thumbwise[bench]'" in done.stderr
