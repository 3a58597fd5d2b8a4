"""Ctrl-C while the output is being written: exit code 130, the old file as it was, nothing else left."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cli.rows import Run

HELD = """
import sys, time
from pathlib import Path
from thumbwise.cli import main as cli
from thumbwise.tables import table_files as tables

def hold(connection, columns, part, *_):
    part.write_text("half of the ro")
    print("writing", file=sys.stderr, flush=True)
    time.sleep(3600)  # until the signal comes

tables.copy_columns = hold
cli.main()
"""


def test_signal_while_writing(folder: Path) -> None:
    output = folder / "labels.csv"
    output.write_text("old")
    before = sorted(folder.iterdir())
    command = ["label", str(folder / "votes.csv"), "--gold", str(folder / "gold.csv"), "-o", str(output), "--overwrite"]
    process = subprocess.Popen(
        [sys.executable, "-c", HELD, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "writing\n"
    assert len(list(folder.iterdir())) == len(before) + 1
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 130
    assert errors == "interrupted\n"
    assert output.read_text() == "old"
    assert sorted(folder.iterdir()) == before


def test_interrupt_while_fitting(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("thumbwise.io.readings.Box.from_gold", interrupt)
    answer = run("label", folder / "votes.csv", "--gold", folder / "gold.csv", "-o", folder / "labels.csv")
    assert answer.exit_code == 130
    assert answer.stderr == "interrupted\n"
    assert not (folder / "labels.csv").exists()
