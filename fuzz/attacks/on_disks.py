"""Attacks by disks: one that may only be read, and one that is full, items in memory or left in files."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from fuzz.attacks.attempts import Attempt, attack, calls, outputs, with_argument
from fuzz.attacks.children import GOOD, REFUSED, complaint, run
from fuzz.attacks.victims import listing

# The system lets nobody but root mount a disk; elsewhere the attempts are not made, which the table shows as 0 tried.
_MAY_MOUNT = os.geteuid() == 0 and shutil.which("mount") is not None


@contextmanager
def _disk(place: Path, options: str) -> Iterator[Path]:
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


@attack("a disk that may only be read")
def read_only(_rng: Random) -> Iterator[Attempt]:
    """Files lie there, the command runs there, and what is temporary has to go there too, or may go elsewhere."""
    for words, arguments in calls() if _MAY_MOUNT else ():
        for has_temporary in (True, False):
            yield Attempt(f"{words}, {'with' if has_temporary else 'without'} a place for what is temporary",
                          _on_read_only(arguments, has_temporary))  # fmt: skip
            quiet = tuple(a for i, a in enumerate(arguments) if not _is_output(arguments, i))
            yield Attempt(f"{words}, nothing written, {'with' if has_temporary else 'without'} such a place",
                          _on_read_only(quiet, has_temporary, must_work=words not in _MUST_WRITE))  # fmt: skip


_MUST_WRITE = ("draw", "report", "demo", "plan")


def _is_output(arguments: tuple[str, ...], i: int) -> bool:
    places = [position for _, call, position in outputs() if call == arguments]
    return i in places or i + 1 in places


def _on_read_only(
    arguments: tuple[str, ...], has_temporary: bool, must_work: bool = False
) -> Callable[[Path], str | None]:
    def try_in(folder: Path) -> str | None:
        with _disk(folder.parent / "disk", "size=4m") as disk:
            home = disk / "home"
            shutil.copytree(folder, home)
            (disk / "none").mkdir()
            subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
            before = listing(disk)
            shown = folder.parent / "home"  # where its output goes
            shown.symlink_to(home)
            ended = run(arguments, shown, before=lambda: None if has_temporary else _no_temporary(disk / "none"))
            wanted = GOOD if must_work and has_temporary else (*GOOD, *REFUSED)
            return complaint(ended, shown, wanted) or (None if listing(disk) == before else "something is written")

    return try_in


def _no_temporary(place: Path) -> None:
    import tempfile  # noqa: PLC0415  # of the child

    tempfile.tempdir = None
    os.environ.update(TMPDIR=str(place), TEMP=str(place), TMP=str(place), HOME=str(place))


@attack("a full disk")
def full(_rng: Random) -> Iterator[Attempt]:
    """Every output of every command, with an older file of the name, which stays; and with less and less room."""
    for words, arguments, position in outputs() if _MAY_MOUNT else ():
        if words == "bench":
            continue
        for n_free in (0, 1, 2):
            yield Attempt(
                f"{words}, {arguments[position]}, {n_free} pages are free", _on_full(arguments, position, n_free)
            )


def _on_full(arguments: tuple[str, ...], position: int, n_free: int) -> Callable[[Path], str | None]:
    def try_in(folder: Path) -> str | None:
        with _disk(folder.parent / "disk", "size=32k") as disk:
            name = arguments[position]
            if name != "made":
                (disk / name).write_text("old", encoding="utf-8")
            n_pages = os.statvfs(disk).f_bavail - n_free
            (disk / "filling").write_bytes(b"x" * (os.statvfs(disk).f_bsize * max(0, n_pages)))
            before = listing(disk)
            ended = run((*with_argument(arguments, position, str(disk / name)), "--overwrite"), folder)
            after = listing(disk)
            if ended.code == 0:
                return complaint(ended, folder)
            return complaint(ended, folder) or (None if after == before else f"there is {sorted(after)}, not what was")

    return try_in
