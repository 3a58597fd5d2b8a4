"""Folders that data may lie in: one that is named, that of THUMBWISE_DATA, or the user's cache."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from thumbwise.exceptions import InvalidFileError

VARIABLE = "THUMBWISE_DATA"


def cache_folder() -> Path:
    """The folder for things that can be downloaded again, as the operating system has it."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "thumbwise" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "thumbwise"
    named = os.environ.get("XDG_CACHE_HOME", "")
    # The convention tells programs to ignore a relative path here.
    base = Path(named) if Path(named).is_absolute() else Path.home() / ".cache"
    return base / "thumbwise"


def data_folder(folder: str | Path | None = None) -> Path:
    """The folder itself if one is named, else that of THUMBWISE_DATA, else the user's cache; it need not exist."""
    named = folder if folder is not None else os.environ.get(VARIABLE) or None
    return cache_folder() if named is None else Path(named).expanduser()


def folder_origin(folder: str | Path | None = None) -> str:
    """In words, why :func:`data_folder` names that folder."""
    if folder is not None:
        return "the folder that was passed"
    return f"the environment variable {VARIABLE}" if os.environ.get(VARIABLE) else "the user's cache"


def holds_any(folder: Path, names: Iterable[str]) -> bool:
    """Whether some of these files or folders are in the folder."""
    try:
        return any((folder / name).exists() for name in names)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidFileError(f"the folder {folder} must be one that can be read; it cannot: {reason}.") from error
