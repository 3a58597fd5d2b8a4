"""Machines that are unlike a developer's: what is written is the same there, and what cannot be done is said."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from machines.conftest import LABEL, Start
from machines.locales import LOCALES, make_locale
from thumbwise.cli.main import app

IN_LOCALE = "import locale; locale.setlocale(locale.LC_ALL, ''); from thumbwise.cli.main import main; main()"
NOBODY = 65534


@pytest.fixture
def usual(folder: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """What is written here."""
    monkeypatch.chdir(folder)
    answer = CliRunner().invoke(app, [*LABEL, "usual.csv"], catch_exceptions=False)
    assert answer.exit_code == 0, answer.output
    return (folder / "usual.csv").read_bytes()


def left_behind(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


def test_no_home_and_no_user(folder: Path, usual: bytes, start: Start) -> None:
    answer = start([*LABEL, "out.csv"], cwd=folder, without=["HOME", "USER", "LOGNAME", "XDG_CACHE_HOME"])
    assert (answer.returncode, answer.stderr) == (0, b"")
    assert (folder / "out.csv").read_bytes() == usual


def test_the_c_locale(folder: Path, usual: bytes, start: Start) -> None:
    """And no UTF-8 mode, so that the terminal has ASCII only: other letters are escaped there, and not in files."""
    env = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    answer = start([*LABEL, "out.csv"], cwd=folder, env=env, without=["PYTHONIOENCODING"])
    assert (answer.returncode, answer.stderr) == (0, b"")
    assert answer.stdout.isascii()
    assert rb"Gr\xf6\xdfe" in answer.stdout
    assert (folder / "out.csv").read_bytes() == usual


@pytest.mark.parametrize("name", LOCALES)
def test_other_locales(name: str, folder: Path, usual: bytes, start: Start) -> None:
    """Turkish has another I, German a decimal comma, and one of them an encoding that lacks most letters."""
    env = make_locale(name, folder)
    seen = "import locale; locale.setlocale(locale.LC_ALL, ''); print(locale.localeconv()['decimal_point'])"
    assert start([], cwd=folder, code=seen, env=env).stdout == b",\n"
    answer = start([*LABEL, "out.csv"], cwd=folder, code=IN_LOCALE, env=env)
    assert (answer.returncode, answer.stderr) == (0, b"")
    assert (folder / "out.csv").read_bytes() == usual


def test_warnings_that_are_errors(folder: Path, usual: bytes, start: Start) -> None:
    answer = start([*LABEL, "out.csv"], cwd=folder, options=["-W", "error"])
    assert (answer.returncode, answer.stderr) == (0, b"")
    assert (folder / "out.csv").read_bytes() == usual


OPTIMISED = """
import sys
from typer.testing import CliRunner
from thumbwise.cli.main import app
if __debug__ or app.__class__.__doc__ is not None:
    sys.exit("asserts and docstrings are there")
for gold in ("gold.csv", "wrong.csv"):
    answer = CliRunner().invoke(app, ["label", "votes.csv", "--gold", gold, "-o", f"of_{gold}"])
    print(answer.exit_code, answer.stderr.replace(chr(10), " "), repr(answer.exception))
"""


def test_neither_asserts_nor_docstrings(folder: Path, usual: bytes, start: Start) -> None:
    """``python -OO``: the same labels, and a mistake is seen all the same."""
    (folder / "wrong.csv").write_text("ID,LABEL\nnobody,JA-\u0131\n", encoding="utf-8")
    answer = start([], cwd=folder, options=["-OO"], code=OPTIMISED)
    assert (answer.returncode, answer.stderr) == (0, b"")
    right, wrong = answer.stdout.decode().splitlines()
    assert right == "0  None"
    assert wrong.startswith("2 error: gold ids must be among the items")
    assert (folder / "of_gold.csv").read_bytes() == usual
    assert not (folder / "of_wrong.csv").exists()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 16 kB, where that can be had."""
    disk = tmp_path / "disk"
    disk.mkdir()
    made = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(disk)]
    if (
        os.geteuid() != 0
        or shutil.which("mount") is None
        or subprocess.run(made, check=False, capture_output=True).returncode
    ):
        pytest.skip("only root may mount a disk, and not everywhere")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_a_full_disk(ending: str, folder: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said, nothing half-written stays, and an older file is as it was."""
    monkeypatch.chdir(folder)
    (small_disk / "full").write_bytes(b"x" * (4096 * 3))
    old = small_disk / f"out.{ending}"
    old.write_bytes(b"old")
    answer = CliRunner().invoke(app, [*LABEL, str(old), "--overwrite"], catch_exceptions=False)
    assert answer.exit_code == 2, answer.output
    assert answer.stderr.startswith("error: ")
    assert old.read_bytes() == b"old"
    assert sorted(path.name for path in small_disk.iterdir()) == ["full", old.name]


AS_NOBODY = """
import os, sys
from typer.testing import CliRunner
from thumbwise.cli.main import app
call = [*sys.argv[1:]]
assert CliRunner().invoke(app, [*call, "as_root.csv"]).exit_code == 0  # all modules are loaded by now
os.setgroups([]); os.setgid(65534); os.setuid(65534)
for place in ("locked/out.csv", "own/out.csv"):
    answer = CliRunner().invoke(app, [*call, place])
    print(answer.exit_code, answer.stderr.replace(chr(10), " "), repr(answer.exception))
"""


def test_an_unprivileged_user_and_a_folder_that_may_only_be_read(folder: Path, usual: bytes, start: Start) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    for parent in (folder, *folder.parents[:3]):
        parent.chmod(parent.stat().st_mode | 0o055)
    (folder / "locked").mkdir(mode=0o755)
    (folder / "own").mkdir()
    os.chown(folder / "own", NOBODY, NOBODY)
    answer = start(LABEL, cwd=folder, code=AS_NOBODY)
    locked, own = answer.stdout.decode().splitlines()
    assert locked.startswith("2 error: locked/out.csv ")
    assert own.startswith("0  None"), own
    assert (folder / "own" / "out.csv").read_bytes() == usual
    assert left_behind(folder / "locked") == left_behind(folder / "own") == []
