"""Stamps of files, which tell whether one is the same before and after it was read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeAlias

from thumbwise.exceptions import InvalidFileError

Stamp: TypeAlias = tuple[int, int, int, int]


def stamp_of(path: Path) -> Stamp | None:
    """Which file it is, how long, and when it was changed; None if it is not there."""
    try:
        return _stamp(path.stat())
    except OSError:
        return None


def _stamp(seen: os.stat_result) -> Stamp:
    return seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns


def stamp_all(paths: Sequence[str]) -> dict[str, Stamp | None]:
    """The stamps of some files, to be compared later."""
    return {path: stamp_of(Path(path)) for path in paths}


def check_unchanged(stamps: Mapping[str, Stamp | None]) -> None:
    """Refuse what was read if a file is not the one that it was when the reading began."""
    changed = [path for path, before in stamps.items() if stamp_of(Path(path)) != before]
    if changed:
        raise _changed(changed[0], len(changed))


@contextmanager
def unchanged(path: Path) -> Iterator[None]:
    """Refuse what is read in this block if the file was replaced or written to meanwhile.

    The file is kept open, so that no other file can come to have its number.
    """
    with ExitStack() as stack:
        try:
            file = stack.enter_context(path.open("rb"))
        except OSError:
            raise _changed(path, 1) from None
        before = _stamp(os.fstat(file.fileno()))
        try:
            yield
        except (InvalidFileError, OSError):
            if stamp_of(path) != before:
                raise _changed(path, 1) from None
            raise
        if stamp_of(path) != before:
            raise _changed(path, 1)


def _changed(path: str | Path, n_files: int) -> InvalidFileError:
    return InvalidFileError(
        f"a file must stay as it is while it is read; {path} was replaced or written to meanwhile"
        f"{f' ({n_files} such files)' if n_files > 1 else ''}. Run it again when nobody writes to it."
    )
