"""Real processes of the command line that are sent signals at chosen moments, and what they may leave behind."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np

MAIN = "from thumbwise.cli.main import main; main()"
# What a shell starts in the background ignores it, and so would its children.
_HEARS_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"


@dataclass
class Ended:
    """Exit code, or minus the number of the signal that killed it; and all that it printed."""

    code: int
    printed: str


class Command:
    """A command that runs with a terminal for its messages, so that it shows how far it is."""

    def __init__(self, arguments: Sequence[str], home: Path) -> None:
        self._terminal, end = pty.openpty()
        self._printed = tempfile.TemporaryFile()  # noqa: SIM115  # read when the process has ended
        environment = {**os.environ, "TMPDIR": str(home / "tmp")}
        command = [sys.executable, "-c", f"{_HEARS_CTRL_C}; {MAIN}", *arguments]
        self.process = subprocess.Popen(command, cwd=home, env=environment, stdout=self._printed, stderr=end)
        os.close(end)

    @property
    def is_heeding(self) -> bool:
        """Whether the process has said what shall happen when it is asked to end."""
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text()
        except OSError:
            return False
        caught = next((line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:")), "0")
        return bool(int(caught, 16) & 1 << (signal.SIGTERM - 1))

    def wait_for(self, state: Callable[[], bool]) -> bool:
        """Wait until a state is there, or the process has ended; whether it still runs."""
        while self.process.poll() is None:
            with suppress(FileNotFoundError):  # a folder that went away while it was looked through
                if state():
                    return True
            self._read_some()
            time.sleep(0.0005)
        return False

    def send(self, number: signal.Signals, is_done: Callable[[], bool]) -> bool:
        """Send a signal; whether something was done before it came, looked up while the process stands still."""
        self.process.send_signal(signal.SIGSTOP)
        while self._stat() not in ("T", "Z"):
            time.sleep(0.0005)
        was_done = is_done() or self._stat() == "Z"
        self.process.send_signal(number)
        self.process.send_signal(signal.SIGCONT)
        return was_done

    def _stat(self) -> str:
        """T if it stands still, Z if it has ended."""
        try:
            return Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return "Z"

    def end(self) -> Ended:
        """Wait for the end, which must come."""
        for _ in range(12_000):
            self._read_some()
            if self.process.poll() is not None:
                break
            time.sleep(0.005)
        else:
            self.process.kill()
            raise AssertionError("the process does not end")
        self._read_some()
        os.close(self._terminal)
        self._printed.seek(0)
        text = self._printed.read() + self._messages
        self._printed.close()
        return Ended(self.process.returncode, text.decode(errors="replace"))

    _messages = b""

    def _read_some(self) -> None:
        """What is on the terminal, so that it never fills up."""
        os.set_blocking(self._terminal, False)
        try:
            self._messages += os.read(self._terminal, 2**16)
        except OSError:
            return


def make_home(home: Path, n_items: int) -> Path:
    """Votes of three rules, in four Parquet files and in one CSV file, with gold; a folder for what is temporary."""
    for name in ("votes", "tmp", "spill"):
        (home / name).mkdir(parents=True)
    rng = np.random.default_rng(5)
    y = rng.integers(2, size=n_items)
    votes = np.where(
        rng.random((n_items, 3)) < 0.2, -1, y[:, None] ^ (rng.random((n_items, 3)) > [0.9, 0.8, 0.7]).astype(int)
    )
    rows = {"id": np.arange(n_items), **{name: votes[:, j] for j, name in enumerate("abc")}}
    with duckdb.connect() as connection:
        connection.register("rows", rows)
        for part in range(4):
            place = home / "votes" / f"{part}.parquet"
            connection.execute(f"COPY (FROM rows WHERE id % 4 = {part}) TO '{place}' (FORMAT parquet)")
        connection.execute(f"COPY (FROM rows WHERE id < 5000) TO '{home / 'votes.csv'}' (FORMAT csv, HEADER)")
    gold = rng.choice(min(n_items, 5000), size=150, replace=False)
    (home / "gold.csv").write_text("id,label\n" + "".join(f"{i},{y[i]}\n" for i in gold))
    return home


def left_behind(home: Path) -> list[str]:
    """Workspaces, wherever they are, and anything in the folders for what is temporary."""
    hidden = [str(path.relative_to(home)) for path in home.rglob(".thumbwise-*") if path.name.endswith(".part")]
    return [*hidden, *(path.name for name in ("tmp", "spill") for path in (home / name).iterdir())]
