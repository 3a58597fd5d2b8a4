"""Files and folders that are written whole or not at all, whenever and however the process ends.

Everything is written inside a workspace: a folder beside the target, of mode 0700, that only this process uses and
keeps locked. What is finished leaves it by one rename. The system drops the lock when its holder ends, so a workspace
without a lock is what a killed process left; the next run that writes to the same place removes it.
"""

from __future__ import annotations

import atexit
import ctypes
import errno
import os
import re
import shutil
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from platform import node
from secrets import token_hex

from thumbwise.exceptions import InvalidFileError

# Without a change for so long, what another machine left behind, or this one before it was restarted, is removed.
STALE_SECONDS = 24 * 3600
_NAME = re.compile(r"\.thumbwise-([0-9a-f]{12})-[0-9a-f]{16}\.part")
_NEW, _OLD = "new", "old"
_MOST_TRIES = 1000
_AT_WORKING_FOLDER, _EXCHANGE = -100, 2

# Workspaces of this process, and the open descriptors that keep them locked.
_OPEN: dict[Path, int | None] = {}
# Folders that were made for files which are not there yet, the innermost first.
_MADE: list[Path] = []


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """A path to write to, which takes the place of the target if nothing goes wrong, and else disappears.

    Raises
    ------
    InvalidFileError
        The system does not let the file be written.
    """
    with _explained(target), workspace(target.parent) as place:
        part = place / _NEW
        yield part
        _force_to_disk(part)
        if target.exists():
            part.chmod(stat.S_IMODE(target.stat().st_mode))
        part.replace(target)


@contextmanager
def replacing_folder(target: Path) -> Iterator[Path]:
    """The same for a folder.

    Where the system can, both folders change places in one step. Where it cannot, the old one is moved aside first; if
    the process is killed before the new one is in its place, the next run that writes there moves the old one back.
    """
    with _explained(target), workspace(target.parent) as place:
        part = place / _NEW
        yield part
        for path in part.iterdir():
            _force_to_disk(path)
        _put_in_place(part, target, place / _OLD)


def _put_in_place(part: Path, target: Path, aside: Path) -> None:
    """Others may put a folder there, or take one away, between a look and the step that follows from it."""
    for n_left in reversed(range(_MOST_TRIES)):
        try:
            if target.exists():
                part.chmod(stat.S_IMODE(target.stat().st_mode))
            if not target.exists() or not exchange(part, target):
                _move_in(part, target, aside)
        except OSError as error:
            if not n_left or error.errno not in (errno.ENOENT, errno.EEXIST, errno.ENOTEMPTY):
                raise
        else:
            return


def _move_in(part: Path, target: Path, aside: Path) -> None:
    if target.exists():
        shutil.rmtree(aside, ignore_errors=True)  # of an earlier try, and replaced by another process since
        aside.mkdir()
        target.rename(aside / target.name)
    part.rename(target)


@contextmanager
def _explained(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InvalidFileError(
            f"{target} cannot be written: {error.strerror or error}. Choose a place that you may write to."
        ) from error


def _force_to_disk(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def exchange(first: Path, second: Path) -> bool:
    """Let two paths change places in one step; False where the system or the disk cannot."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError, TypeError):
        return False
    places = (_AT_WORKING_FOLDER, os.fsencode(first), _AT_WORKING_FOLDER, os.fsencode(second))
    return int(rename(*places, _EXCHANGE)) == 0


@contextmanager
def making_folder(folder: Path) -> Iterator[None]:
    """Make a folder, with those above it; if anything goes wrong in this block, those that are empty are removed."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    _MADE.extend(missing)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        _remove_empty()
        raise InvalidFileError(
            f"the folder {folder} cannot be made: {error.strerror or error}. Choose another one."
        ) from error
    except BaseException:
        _remove_empty()
        raise
    _MADE.clear()


def _remove_empty() -> None:
    while _MADE:
        with suppress(OSError):
            _MADE.pop(0).rmdir()


@contextmanager
def workspace(home: Path) -> Iterator[Path]:
    """A folder that nobody else uses or sees into, gone at the end; what dead processes left beside it goes first."""
    remove_dead(home)
    place = _make(home)
    try:
        yield place
    finally:
        _remove(place)


def _make(home: Path) -> Path:
    """A new folder, locked. Another process may take it for a dead one before it is locked; then there is a next."""
    while True:
        place = home / f".thumbwise-{_machine()}-{token_hex(8)}.part"
        _OPEN[place] = None
        try:
            place.mkdir(mode=0o700)
        except OSError:
            del _OPEN[place]
            raise
        with suppress(BlockingIOError, FileNotFoundError):
            _OPEN[place] = _lock(place)
            if place.exists():
                return place
        _remove(place)


def remove_own() -> None:
    """Remove every workspace of this process, and folders made for nothing, at once: it is about to end."""
    for place in list(_OPEN):
        _remove(place)
    _remove_empty()


atexit.register(remove_own)
if sys.platform != "win32":
    for _kept in (_OPEN, _MADE):
        os.register_at_fork(after_in_child=_kept.clear)  # they are the parent's


def _remove(place: Path) -> None:
    if place not in _OPEN:  # it is that of the process which this one was forked from
        return
    _give_back(place)
    for _ in range(100):  # threads of a database may still be writing there
        shutil.rmtree(place, ignore_errors=True)
        if not place.exists():
            break
        time.sleep(0.01)
    descriptor = _OPEN.pop(place, None)
    if descriptor is not None:
        os.close(descriptor)


def _give_back(place: Path) -> None:
    """A folder that was moved aside goes back to where it was, unless a new one is there.

    Whoever plants a workspace can plant a link in it to any folder, whose files would be taken from there.
    """
    if not _is_own_folder(place / _OLD):
        return
    with suppress(OSError):
        for path in (place / _OLD).iterdir():
            home = place.parent / path.name
            if not os.path.lexists(home):
                path.rename(home)


def remove_dead(home: Path) -> None:
    """Remove the workspaces that processes left behind in a folder, if it is certain that they have ended."""
    with suppress(OSError):
        for path in home.iterdir():
            name = _NAME.fullmatch(path.name)
            if name and path not in _OPEN and _is_own_folder(path):
                _remove_if_dead(path, name[1] == _machine())


def _is_own_folder(path: Path) -> bool:
    with suppress(OSError):
        seen = path.lstat()
        return stat.S_ISDIR(seen.st_mode) and (sys.platform == "win32" or seen.st_uid == os.geteuid())
    return False


def _remove_if_dead(place: Path, is_here: bool) -> None:
    """A free lock is proof if its holder ran on this machine since it started; elsewhere locks may not be seen."""
    with suppress(OSError):
        descriptor = _lock(place)
        if descriptor is None:
            return
        try:
            if is_here or time.time() - _last_change(place) > STALE_SECONDS:
                _give_back(place)
                shutil.rmtree(place, ignore_errors=True)
        finally:
            os.close(descriptor)


def _lock(place: Path) -> int | None:
    """Lock a folder; the open descriptor that holds the lock, or None where there are no such locks.

    Raises
    ------
    BlockingIOError
        Somebody else holds it.
    """
    if sys.platform == "win32":
        return None
    import fcntl  # noqa: PLC0415  # not on Windows

    descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _last_change(place: Path) -> float:
    return max(path.lstat().st_mtime for path in [place, *place.rglob("*")])


@cache
def _machine() -> str:
    """A name for this run of this machine, the same in all of its containers."""
    try:
        text = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
    except OSError:
        text = node()
    return sha256(text.encode()).hexdigest()[:12]
