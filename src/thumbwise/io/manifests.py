"""A list of all files in a folder that this tool wrote, kept in the folder: proof that it may be replaced."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

NAME = "_thumbwise.json"
FORMAT = "thumbwise folder"
_MOST_BYTES = 2**26


def write_manifest(folder: Path) -> None:
    """List the files of a folder and their sizes, in the folder."""
    sizes = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
    content = {"format": FORMAT, "files": sizes}
    (folder / NAME).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def find_foreign(folder: Path) -> list[str]:
    """What in a folder no manifest proves to be ours: files that are not listed, or have another size.

    An empty folder holds nothing of the kind.
    """
    listed = _read(folder / NAME)
    return [path.name for path in sorted(folder.iterdir()) if path.name != NAME and not _is_listed(path, listed)]


def _is_listed(path: Path, listed: dict[str, Any]) -> bool:
    size = _size(path)
    return size is not None and listed.get(path.name) == size


def _read(path: Path) -> dict[str, Any]:
    """Sizes of files by name; none if the file is no manifest."""
    size = _size(path)
    if size is None or size > _MOST_BYTES:
        return {}
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, RecursionError, OSError):
        return {}
    files = content.get("files") if isinstance(content, dict) and content.get("format") == FORMAT else None
    return files if isinstance(files, dict) else {}


def _size(path: Path) -> int | None:
    """Of a plain file; None for a folder, a link or anything else, and for what is not there."""
    try:
        seen = path.lstat()
    except OSError:
        return None
    return seen.st_size if stat.S_ISREG(seen.st_mode) else None
