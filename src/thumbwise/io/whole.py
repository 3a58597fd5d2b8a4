"""Files and folders that are written whole or not at all, whenever the process ends."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

STALE_SECONDS = 3600
_PART = re.compile(r"\.thumbwise-(\d+)-[0-9a-f]{16}\.part")


def part_of(target: Path) -> Path:
    """A name beside the target that nobody else writes to, and that tells which process does."""
    return target.with_name(f".thumbwise-{os.getpid()}-{token_hex(8)}.part")


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """A path to write to, which takes the place of the target if nothing goes wrong, and else disappears."""
    _clean(target.parent)
    part = part_of(target)
    try:
        yield part
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        if target.exists():
            part.chmod(target.stat().st_mode)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def replacing_folder(target: Path) -> Iterator[Path]:
    """The same for a folder; the folder that was there before is moved aside first and deleted last."""
    _clean(target.parent)
    part, old = part_of(target), part_of(target)
    try:
        yield part
        for path in part.iterdir():
            with path.open("rb+") as file:
                os.fsync(file.fileno())
        if target.exists():
            target.rename(old)
        part.rename(target)
    finally:
        for leftover in (part, old):
            shutil.rmtree(leftover, ignore_errors=True)


def _clean(folder: Path) -> None:
    """Remove what processes left behind that were killed while they wrote, an hour ago or more.

    A process that is not seen may still run elsewhere, in another container, and write to the same disk.
    """
    for path in folder.iterdir():
        found = _PART.fullmatch(path.name)
        if found and not _is_alive(int(found[1])) and time.time() - _last_change(path) > STALE_SECONDS:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def _last_change(path: Path) -> float:
    files = [path, *path.iterdir()] if path.is_dir() else [path]
    return max(file.stat().st_mtime for file in files)


def _is_alive(process: int) -> bool:
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's
        return True
    return True
