"""What is written is whole or absent and no wider than it was; what killed processes leave is removed or given back."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

import thumbwise as tw
from thumbwise.tables import whole_files as whole

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="locks folders as POSIX does")

HOLD = """
import sys, time
from pathlib import Path
from thumbwise.tables import whole_files as whole
with whole.replacing(Path(sys.argv[1])) as part:
    part.write_text("half of the ro")
    print("writing", flush=True)
    time.sleep(600)
"""
# Killed between the two renames of a system that cannot exchange folders.
HOLD_FOLDER = """
import sys, time
from pathlib import Path
from thumbwise.tables import whole_files as whole
whole.exchange = lambda first, second: False
def hold(self, target):
    if self.name == "new":
        print("writing", flush=True)
        time.sleep(600)
    return rename(self, target)
rename, Path.rename = Path.rename, hold
with whole.replacing_folder(Path(sys.argv[1])) as part:
    part.mkdir()
    (part / "new.parquet").write_text("new")
"""


def start(script: str, target: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", script, str(target)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL


def hidden(home: Path) -> list[str]:
    return [path.name for path in home.iterdir() if path.name.startswith(".thumbwise-")]


def test_what_a_living_process_writes_stays_and_what_it_leaves_when_killed_goes_at_once(tmp_path: Path) -> None:
    process = start(HOLD, tmp_path / "a.csv")
    assert len(hidden(tmp_path)) == 1
    whole.remove_dead(tmp_path)
    assert len(hidden(tmp_path)) == 1
    end(process)
    assert len(hidden(tmp_path)) == 1
    with whole.replacing(tmp_path / "b.csv") as part:
        part.write_text("whole")
        assert len(hidden(tmp_path)) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["b.csv"]


@pytest.mark.parametrize(("age", "is_left"), [(0.0, True), (0.9, True), (1.1, False)])
def test_what_another_machine_left_goes_after_a_day_without_a_change(tmp_path: Path, age: float, is_left: bool) -> None:
    """Its process may still run: on another machine, locks on a shared disk need not be seen."""
    place = tmp_path / f".thumbwise-{'0' * 12}-{'1' * 16}.part"
    place.mkdir()
    (place / "new").write_text("half")
    then = time.time() - age * whole.STALE_SECONDS
    for path in (place / "new", place):
        os.utime(path, (then, then))
    whole.remove_dead(tmp_path)
    assert place.exists() == is_left


def test_only_folders_of_our_own_are_removed(tmp_path: Path) -> None:
    name = f".thumbwise-{whole._machine()}-{'1' * 16}.part"
    (tmp_path / "precious").mkdir()
    (tmp_path / name).symlink_to(tmp_path / "precious")
    (tmp_path / f".thumbwise-{whole._machine()}-{'2' * 16}.part").write_text("a file")
    (tmp_path / ".thumbwise-notes").mkdir()
    before = sorted(tmp_path.iterdir())
    whole.remove_dead(tmp_path)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("can_exchange", [True, False])
def test_a_folder_is_replaced_and_keeps_its_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, can_exchange: bool
) -> None:
    if not can_exchange:
        monkeypatch.setattr(whole, "exchange", lambda first, second: False)
    target = tmp_path / "labels"
    target.mkdir(mode=0o700)
    (target / "old.parquet").write_text("old")
    with whole.replacing_folder(target) as part:
        part.mkdir()
        (part / "new.parquet").write_text("new")
    assert [path.name for path in target.iterdir()] == ["new.parquet"]
    assert stat.S_IMODE(target.stat().st_mode) == 0o700
    assert [path.name for path in tmp_path.iterdir()] == ["labels"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems move in two steps")
def test_two_folders_change_places_in_one_step(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name / f"in {name}").mkdir(parents=True)
    assert whole.exchange(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "a" / "in b").exists()
    assert (tmp_path / "b" / "in a").exists()
    assert not whole.exchange(tmp_path / "a", tmp_path / "none")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems move in two steps")
def test_there_is_no_moment_without_a_folder_where_two_can_change_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole, "_move_in", None)
    (tmp_path / "labels").mkdir()
    with whole.replacing_folder(tmp_path / "labels") as part:
        part.mkdir()
        (part / "new.parquet").write_text("new")
    assert (tmp_path / "labels" / "new.parquet").exists()


def test_an_error_between_the_two_renames_gives_the_old_folder_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "labels"
    target.mkdir()
    (target / "old.parquet").write_text("old")
    rename = Path.rename

    def interrupt(self: Path, place: Path) -> Path:
        if self.name == "new":
            raise KeyboardInterrupt
        return rename(self, place)

    monkeypatch.setattr(whole, "exchange", lambda first, second: False)
    monkeypatch.setattr(Path, "rename", interrupt)
    with pytest.raises(KeyboardInterrupt), whole.replacing_folder(target) as part:
        part.mkdir()
    assert (target / "old.parquet").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["labels"]


def test_a_kill_between_the_two_renames_loses_neither(tmp_path: Path) -> None:
    target = tmp_path / "labels"
    target.mkdir()
    (target / "old.parquet").write_text("old")
    process = start(HOLD_FOLDER, target)
    assert not target.exists()
    end(process)
    whole.remove_dead(tmp_path)
    assert (target / "old.parquet").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["labels"]


def test_nobody_else_sees_into_what_is_being_written(tmp_path: Path) -> None:
    target = tmp_path / "secret.csv"
    target.write_text("old")
    target.chmod(0o600)
    with whole.replacing(target) as part:
        part.write_text("new")
        assert stat.S_IMODE(part.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert target.read_text() == "new"


def test_a_new_file_has_the_mode_that_the_user_wants(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with whole.replacing(tmp_path / "t.csv") as part:
            part.write_text("new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "t.csv").stat().st_mode) == 0o640


def test_a_process_that_ends_by_itself_leaves_nothing(tmp_path: Path) -> None:
    script = "import sys, pathlib; from thumbwise.tables.whole_files import _make; _make(pathlib.Path(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True)
    assert hidden(tmp_path) == []


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_is_written_is_on_the_disk_before_it_has_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """A machine that loses its power right after the rename has the new content; every file is forced there first."""
    forced: list[tuple[int, bool]] = []
    target = tmp_path / "target"
    force = os.fsync

    def note(descriptor: int) -> None:
        forced.append((os.fstat(descriptor).st_ino, target.exists()))
        force(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    with (whole.replacing if kind == "file" else whole.replacing_folder)(target) as part:
        written = [part] if kind == "file" else [part / "a", part / "b"]
        part.parent.mkdir(exist_ok=True)
        for path in written:
            path.parent.mkdir(exist_ok=True)
            path.write_text("new")
        numbers = [(path.stat().st_ino, False) for path in written]
    assert sorted(forced) == sorted(numbers)


def test_a_child_that_is_forked_leaves_its_parents_work_alone(tmp_path: Path) -> None:
    script = (
        "import os, sys; from pathlib import Path; from thumbwise.tables import whole_files as whole\n"
        "with whole.workspace(Path(sys.argv[1])) as place:\n"
        "    child = os.fork()\n"
        "    if not child: sys.exit(0)\n"
        "    os.waitpid(child, 0)\n"
        "    assert place.exists()\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True)
    assert hidden(tmp_path) == []


def test_a_disk_that_refuses_is_said(tmp_path: Path) -> None:
    def write() -> None:
        with whole.replacing(tmp_path / "t.csv") as part:
            part.write_text("half")
            raise OSError(28, "No space left on device")

    with pytest.raises(tw.InvalidFileError, match="cannot be written: No space left on device"):
        write()
    assert list(tmp_path.iterdir()) == []
