"""Items in a folder: a file each, a text or an image."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from thumbwise.bench.items import Items, inside, names_image
from thumbwise.bench.kinds import IMAGE_ENDINGS, Kind, kind_of
from thumbwise.exceptions import InvalidFileError

_CODE = (".py", ".js", ".ts", ".java", ".c", ".h", ".cpp", ".go", ".rs", ".sh", ".sql", ".css", ".r", ".rb", ".html")
_MORE_CODE = (".xml", ".yaml", ".yml", ".toml", ".log", ".diff", ".patch", ".tex")
_TEXTS: dict[str, Kind | None] = {
    ".txt": None,
    ".md": "markdown",
    ".markdown": "markdown",
    ".json": "json",
    **dict.fromkeys((*_CODE, *_MORE_CODE), "code"),
}
# What is read of a text at most.
_LONGEST_TEXT = 2**25


class FolderItems(Items):
    """Files of a folder and of those in it; the id of an item is its path within the folder."""

    names = ("file",)

    def __init__(self, path: Path, ids: list[str], sizes: list[int], notes: tuple[str, ...]):
        self.path, self.ids, self._sizes, self.notes = path, ids, sizes, notes
        self._read = lru_cache(maxsize=4)(self._read_file)

    def _field_name(self, row: int, field: int) -> str:
        return str(self.ids[row])

    def _text(self, row: int, field: int) -> str:
        return self._read(row)

    def _read_file(self, row: int) -> str:
        path = inside(self.path, self.ids[row])
        if path is None:
            return "(the file is gone)"
        with path.open("rb") as file:
            return file.read(_LONGEST_TEXT).decode("utf-8-sig", "replace")

    def _kind(self, row: int, field: int, text: str) -> Kind:
        return _TEXTS[Path(self.ids[row]).suffix.lower()] or kind_of("file", text)

    def _image(self, row: int, field: int) -> Path | None:
        name = str(self.ids[row])
        return inside(self.path, name) if names_image(name) else None

    def _pieces(self) -> Iterator[list[Any]]:
        yield from (list(self.ids), self._sizes)


def open_folder(path: Path) -> FolderItems:
    """Texts and images in a folder, in the order of their names; hidden files and links that lead out are left out."""
    root = path.resolve()
    sizes: dict[str, int] = {}
    n_others = 0
    for name in _files(root):
        if not name.lower().endswith((*_TEXTS, *IMAGE_ENDINGS)) or inside(root, name) is None or not _is_utf8(name):
            n_others += 1
        else:
            sizes[name] = (root / name).stat().st_size
    if not sizes:
        raise InvalidFileError(
            f"{path} must hold texts or images, such as .txt, .md, .json, .png or .jpg; it holds {n_others:,} other "
            "files. Name a file with a row per item, or another folder."
        )
    ids = sorted(sizes)
    notes = (f"{n_others:,} files are neither texts nor images, and left out",) if n_others else ()
    return FolderItems(root, ids, [sizes[name] for name in ids], notes)


def _files(root: Path) -> Iterator[str]:
    """Paths within a folder, with / between their parts, none of them hidden."""
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            if not name.startswith("."):
                yield (Path(folder) / name).relative_to(root).as_posix()


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
