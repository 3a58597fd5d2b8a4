"""Items to be labeled: rows of a table, texts or images of a folder. They are asked for by number, never by path."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from thumbwise.bench.kinds import IMAGE_ENDINGS, MORE_LETTERS, Kind, kind_of, laid_out

Id: TypeAlias = str | int


class Items(ABC):
    """What is to be labeled. An item is known by its row, from 0; a field of it by its number.

    Attributes
    ----------
    path : Path
        Where the items are.
    ids : sequence of str or int
        All different.
    id_name : str or None
        Column that the ids come from; None if they are numbers of rows or names of files.
    names : tuple of str
        Fields that are shown.
    notes : tuple of str
        What was inferred, in words.
    """

    path: Path
    ids: Sequence[Any]
    id_name: str | None = None
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    def id_of(self, row: int) -> Id:
        """The id of an item, as it is written to files: a whole number or a text."""
        value = self.ids[row]
        return int(value) if hasattr(value, "dtype") and value.dtype.kind in "iu" else str(value)

    def shown(self, row: int) -> list[dict[str, Any]]:
        """The fields of an item, as the page lays them out."""
        return [self._shown(row, field) for field in range(self._n_fields(row))]

    def more(self, row: int, field: int, start: int) -> str:
        """More of a text, from a letter on."""
        return "" if start < 0 else self._text(row, field)[start : start + MORE_LETTERS]

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of ids and of what is shown, by which a change is noticed.

        Of files in folders only names and sizes count, of images that a table names only the names.
        """
        digest = sha256()
        for values in ([self.id_name, *self.names], *self._pieces()):
            # Lengths come first, so that it counts where a text ends; that of what is missing is -1.
            digest.update(np.array([-1 if value is None else len(str(value)) for value in values]).tobytes())
            texts = "".join("" if value is None else str(value) for value in values)
            digest.update(texts.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def image(self, row: int, field: int) -> Path | None:
        """The file of an image; None if the field is none, or if the file is not among the items' own."""
        if row not in range(len(self)) or field not in range(self._n_fields(row)):
            return None
        return self._image(row, field)

    def _n_fields(self, row: int) -> int:
        return len(self.names)

    def _shown(self, row: int, field: int) -> dict[str, Any]:
        name = self._field_name(row, field)
        image = self._image(row, field)
        if image is not None:
            return {"name": name, "kind": "image", "alt": image.name}
        text = self._text(row, field)
        return {"name": name, **laid_out(self._kind(row, field, text), text)}

    @abstractmethod
    def _field_name(self, row: int, field: int) -> str: ...

    @abstractmethod
    def _text(self, row: int, field: int) -> str: ...

    @abstractmethod
    def _kind(self, row: int, field: int, text: str) -> Kind: ...

    @abstractmethod
    def _image(self, row: int, field: int) -> Path | None: ...

    @abstractmethod
    def _pieces(self) -> Iterator[list[Any]]: ...


def inside(folder: Path, name: str) -> Path | None:
    """A file of that name that really lies in the folder, links followed; None for every other.

    Examples
    --------
    >>> inside(Path("/usr"), "../etc/passwd") is None
    True
    """
    try:
        path = (folder / name).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):  # not there; a zero byte; links in a circle
        return None
    return path if path.is_file() and path.is_relative_to(folder.resolve()) else None


def names_image(text: str) -> bool:
    """Whether a text may be the name of an image."""
    return len(text) < 1_000 and text.lower().endswith(IMAGE_ENDINGS)


def told(name: str, text: str, wanted: Kind | None) -> Kind:
    """The kind that was asked for, or what the text looks like."""
    return kind_of(name, text) if wanted is None or wanted == "image" else wanted
