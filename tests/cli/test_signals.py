"""Ctrl-C, a request to end or a kill at any moment of a command that writes: no crash, old or new, nothing left."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from cli.processes import Command, Ended, left_behind, make_home
from thumbwise.tables.table_files import read_table

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

N_ITEMS = 200_000
N_TRIES = 100
EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


@dataclass(frozen=True)
class Writing:
    """A command, what it writes, and whether that is all there."""

    arguments: tuple[str, ...]
    output: str
    is_whole: Callable[[Path], bool]


def holds_all(folder: Path) -> bool:
    return sum(read_table(path).n_rows for path in folder.iterdir()) == N_ITEMS


LAZILY = ("label", "votes", "--gold", "gold.csv", "--spill", "spill")
WRITING = {
    "folder": Writing((*LAZILY, "-o", "labels"), "labels", holds_all),
    "file": Writing((*LAZILY, "-o", "labels.csv"), "labels.csv", lambda path: read_table(path).n_rows == N_ITEMS),
    "label": Writing(
        ("label", "votes.csv", "--gold", "gold.csv", "-o", "out.csv"),
        "out.csv",
        lambda path: read_table(path).n_rows == 5000,
    ),
    "report": Writing(
        ("report", "votes.csv", "--gold", "gold.csv", "-o", "out.html"),
        "out.html",
        lambda path: path.read_text().rstrip().endswith("</html>"),
    ),
    "demo": Writing(
        ("demo", "--write", "example"),
        "example",
        lambda path: {read_table(file).n_rows for file in path.iterdir()} in ({2000}, {2000, 120}),
    ),
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_home(tmp_path_factory.mktemp("signals") / "home", N_ITEMS)


def snapshot(home: Path) -> dict[str, int]:
    """Inputs, by the number of the file."""
    return {str(path.relative_to(home)): path.stat().st_ino for path in home.rglob("*") if path.is_file()}


def remove(path: Path) -> None:
    for file in sorted(path.rglob("*"), reverse=True):
        file.unlink()
    if path.is_dir():
        path.rmdir()
    path.unlink(missing_ok=True)


def check(home: Path, writing: Writing, ended: Ended, codes: tuple[int, ...], before: dict[str, int]) -> None:
    assert ended.code in codes, ended
    assert "Traceback" not in ended.printed, ended
    assert left_behind(home) == []
    output = home / writing.output
    assert not output.exists() or writing.is_whole(output)
    remove(output)
    assert snapshot(home) == before


def moments(home: Path, writing: Writing, command: Command) -> Iterator[tuple[str, Callable[[], bool]]]:
    """States that a command goes through, each of which can be seen from outside."""
    yield "begins", lambda: command.is_heeding
    yield "has a workspace", lambda: any(name.endswith(".part") for name in left_behind(home))
    yield "writes", lambda: any(home.glob(".thumbwise-*.part/new")) or any(home.glob("*/.thumbwise-*.part/new"))
    yield "has written", (home / writing.output).exists


# One handler heeds both signals; the study below sends each of them at random moments.
STATES = [*((moment, signal.SIGINT) for moment in range(4)), (0, signal.SIGTERM), (2, signal.SIGTERM)]


@pytest.mark.parametrize(("moment", "number"), STATES, ids=lambda value: getattr(value, "name", None))
def test_stopped_in_each_state(home: Path, moment: int, number: signal.Signals) -> None:
    stop(home, WRITING["folder"], moment, number)


@pytest.mark.parametrize("name", ["file", "label", "report", "demo"])
def test_other_commands_stopped_while_they_write(home: Path, name: str) -> None:
    stop(home, WRITING[name], 2, signal.SIGINT)


def stop(home: Path, writing: Writing, moment: int, number: signal.Signals) -> None:
    before = snapshot(home)
    command = Command(writing.arguments, home)
    _, state = list(moments(home, writing, command))[moment]
    was_done = True
    if command.wait_for(lambda: command.is_heeding) and command.wait_for(state):
        was_done = command.send(number, (home / writing.output).exists)
    codes = (EXIT_CODES[number], 0) if was_done else (EXIT_CODES[number],)
    check(home, writing, command.end(), codes, before)


def test_an_old_folder_stays_until_the_new_one_is_whole(home: Path) -> None:
    writing = WRITING["folder"]
    before = snapshot(home)
    first = Command(writing.arguments, home)
    assert first.end().code == 0
    number = (home / "labels").stat().st_ino
    second = Command(writing.arguments, home)
    if second.wait_for(lambda: any(home.glob(".thumbwise-*.part/new/*"))):
        was_done = second.send(signal.SIGTERM, lambda: (home / "labels").stat().st_ino != number)
        assert second.end().code in ((143, 0) if was_done else (143,))
        assert ((home / "labels").stat().st_ino != number) == was_done
    assert holds_all(home / "labels")
    assert left_behind(home) == []
    remove(home / "labels")
    assert snapshot(home) == before


def test_after_a_kill_the_next_run_removes_what_was_left(home: Path) -> None:
    writing = WRITING["folder"]
    command = Command(writing.arguments, home)
    if command.wait_for(lambda: any(home.glob(".thumbwise-*.part/new/*")) and any((home / "spill").iterdir())):
        command.process.kill()
        command.end()
        assert len(left_behind(home)) >= 2  # the output's, twice if it is counted as hidden, and the spill folder
    again = Command(writing.arguments, home)
    assert again.end().code == 0
    assert left_behind(home) == []
    assert holds_all(home / "labels")
    remove(home / "labels")


def test_what_is_ignored_stays_ignored(home: Path) -> None:
    """As under nohup."""
    import subprocess

    script = (
        "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "from thumbwise.cli.endings import heed_signals; heed_signals()\n"
        "print(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN, callable(signal.getsignal(signal.SIGTERM)))"
    )
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert answer.stdout == "True True\n"


def test_a_signal_while_python_takes_itself_apart_changes_nothing(home: Path) -> None:
    """What was asked for is done by then."""
    import subprocess

    late = (
        "import os, signal, sys\n"
        "class Last:\n"
        "    def __del__(self, kill=os.kill, pid=os.getpid(), number=signal.SIGTERM): kill(pid, number)\n"
        "sys.last = Last()\n"
        "from thumbwise.cli.main import main; main()"
    )
    answer = subprocess.run([sys.executable, "-c", late, "--version"], capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
@pytest.mark.parametrize("name", WRITING)
def test_stopped_at_random_moments(home: Path, name: str, number: signal.Signals) -> None:
    """Whatever the moment is: it is drawn from the time that an undisturbed run takes after its start."""
    writing, rng = WRITING[name], np.random.default_rng([number, len(name)])
    before = snapshot(home)
    whole = Command(writing.arguments, home)
    assert whole.wait_for(lambda: whole.is_heeding)
    begun = time.monotonic()
    assert whole.end().code == 0
    lasted = time.monotonic() - begun
    remove(home / writing.output)
    n_stopped = 0
    for _ in range(N_TRIES):
        command = Command(writing.arguments, home)
        due, was_done = rng.uniform(0, lasted), True
        if command.wait_for(lambda: command.is_heeding):  # noqa: B023
            begun = time.monotonic()
            if command.wait_for(lambda: time.monotonic() - begun >= due):  # noqa: B023
                was_done = command.send(number, (home / writing.output).exists)
        n_stopped += not was_done
        codes = (EXIT_CODES[number], 0) if was_done else (EXIT_CODES[number],)
        check(home, writing, command.end(), codes, before)
    print(f"{name}, {number.name}: {N_TRIES} tries, {n_stopped} of them before the output was there")
    assert n_stopped > 0
