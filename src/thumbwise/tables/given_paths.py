"""Paths as users give them: where they lead, what lies there, and whether a database can be told of them.

A pipe that nobody writes to is waited for without end, a device may never end, a link may lead back to itself, and a
name may be longer than the disk allows or no text. Each is refused before anything is opened.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from thumbwise.exceptions import InvalidFileError


def real_place(path: str | os.PathLike[str]) -> Path:
    """Where a path leads, links followed; there need not be anything yet.

    Raises
    ------
    InvalidFileError
        It leads back to itself, or is no path that the system takes.
    """
    try:
        place = Path(path).resolve()
        is_link = place.is_symlink()
    except RuntimeError as error:  # of Python before 3.13; later ones leave the link as it is
        raise _leads_back(path) from error
    except (OSError, ValueError) as error:
        raise unusable(path, error) from error
    if is_link:
        raise _leads_back(path)
    return place


def check_plain(path: str | os.PathLike[str]) -> None:
    """Refuse pipes, devices and sockets where a file or folder is read, and paths that the system does not take.

    Where nothing is, nothing is said.
    """
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116  # whatever was given
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, ValueError) as error:
        raise unusable(path, error) from error
    if stat.S_ISFIFO(mode):
        raise InvalidFileError(
            f"{_cut(path)} must be a plain file; it is a pipe, which can be read only once. Send it to standard input "
            "and name that input -, or write it to a file first."
        )
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise InvalidFileError(f"{_cut(path)} must be a plain file; it is a device or a socket. Name a file.")


def as_text(place: str) -> str:
    """A path that a database can be told of, which takes UTF-8 only."""
    try:
        place.encode()
    except UnicodeEncodeError as error:
        raise InvalidFileError(
            f"names of files and folders must be UTF-8; {place} is not, at character {error.start}. Rename it."
        ) from error
    return place


def unusable(path: object, error: Exception) -> InvalidFileError:
    """The error for a path that the system does not take."""
    return InvalidFileError(f"{_cut(path)} cannot be opened: {getattr(error, 'strerror', None) or error}.")


def _leads_back(path: object) -> InvalidFileError:
    return InvalidFileError(f"{_cut(path)} cannot be opened: it is a link that leads back to itself. Remove it.")


def _cut(path: object) -> str:
    text = str(path)
    return text if len(text) <= 120 else f"{text[:80]} ... ({len(text)} characters)"
