"""Review files that came back: labels that somebody filled in, matched with the items by the text of their ids."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.exceptions import Argument, InvalidFileError, InvalidLabelsError
from thumbwise.io.distinct import spelling
from thumbwise.io.readings import Reading
from thumbwise.io.roles import listed
from thumbwise.tables.table_files import Table, as_text, read_table
from thumbwise.votes.labels import UNKNOWN

LABEL = "label"


@dataclass(frozen=True, eq=False)
class Reviewed:
    """Labels that were filled in.

    Attributes
    ----------
    labels : ndarray of shape (n_items,)
        Class number of each item of the pool, -1 where nobody looked.
    n_empty : int
        Rows without a label.
    """

    labels: IntArray
    n_empty: int

    def __str__(self) -> str:
        n = int((self.labels != UNKNOWN).sum())
        kept = "item keeps the label that was" if n == 1 else "items keep the label that was"
        rows = "row has" if self.n_empty == 1 else "rows have"
        empty = f"; {self.n_empty:,} {rows} none, as nobody looked" if self.n_empty else ""
        return f"reviewed: {n:,} {kept} filled in{empty}; they count as known, and not as gold"


def read_reviewed(path: Path, reading: Reading) -> Reviewed:
    """Labels in the column ``label`` of a file, of the items whose ids stand beside them.

    Parameters
    ----------
    path : Path
        Ends in .csv, .tsv, .parquet, .jsonl or .ndjson.
    reading : Reading
        The votes, whose column of ids has the same name in the file.
    """
    id_name = _id_name(reading)
    table = read_table(path)
    for name in (id_name, LABEL):
        if name not in table.columns:
            what = "of ids called as in the votes" if name == id_name else "that people fill in"
            raise InvalidFileError(f"{path} must have a column {name!r}, {what}; {listed(table)} Rename or add it.")
    return _match(path, table, id_name, reading)


def _id_name(reading: Reading) -> str:
    if reading.files is not None:
        raise InvalidFileError(
            "reviewed labels are for items in memory; the items of these votes stay in files. Put the votes into one "
            "file of less than 300 MB, and label that."
        )
    if reading.id_name is None:
        raise InvalidFileError(
            "the votes must have a column of ids, to be matched with those of reviewed items. Name it with ",
            Argument("item_id", "NAME"),
            ".",
        )
    return reading.id_name


def _match(path: Path, table: Table, id_name: str, reading: Reading) -> Reviewed:
    texts, ids = as_text(table.columns[LABEL]), as_text(table.columns[id_name])
    filled = [row for row, text in enumerate(texts) if text is not None and text.strip()]
    if not filled:
        raise InvalidLabelsError(
            f"at least one label must be filled in; column {LABEL!r} of {path} is empty in all {len(texts):,} rows. "
            "Leave the file out until somebody has looked."
        )
    classes = _classes(path, {row: str(texts[row]).strip() for row in filled}, reading)
    places = _places(path, {row: ids[row] for row in filled}, reading)
    labels = np.full(reading.votes.n_items, UNKNOWN, dtype=np.int64)
    twice = [row for row in reversed(filled) if _place(labels, places[row], classes[row])]
    if twice:
        raise InvalidLabelsError(
            f"an id must have one label; {path} gives {ids[twice[-1]]!r} two different ones ({len(twice):,} such "
            "rows). Keep the one that is right."
        )
    return Reviewed(labels, len(texts) - len(filled))


def _place(labels: IntArray, position: int, number: int) -> bool:
    """Write a label down; say whether another one stood there."""
    before, labels[position] = labels[position], number
    return bool(before not in (UNKNOWN, number))


def _classes(path: Path, texts: dict[int, str], reading: Reading) -> dict[int, int]:
    """Class number of each row that is filled in."""
    numbers = {spelling(str(name)): c for c, name in enumerate(reading.votes.class_names)}
    strange = [row for row, text in texts.items() if spelling(text) not in numbers]
    if strange:
        names, found = [str(name) for name in reading.votes.class_names], texts[strange[0]]
        near = get_close_matches(found, names, n=1)
        shown = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")
        raise InvalidLabelsError(
            f"reviewed labels must be classes of the votes ({shown}), or empty; {path} has {found!r} in row "
            f"{strange[0]}, counting from 0 ({len(strange):,} such labels). "
            + (f"Is {near[0]!r} meant?" if near else "Correct or empty them.")
        )
    return {row: numbers[spelling(text)] for row, text in texts.items()}


def _places(path: Path, ids: dict[int, str | None], reading: Reading) -> dict[int, int]:
    """Position among the items of each row that is filled in."""
    position = {text: place for place, text in enumerate(map(str, reading.votes.item_ids.tolist()))}
    strange = [row for row, text in ids.items() if text not in position]
    if strange:
        raise InvalidLabelsError(
            f"ids of reviewed items must be among the items; {len(strange):,} of {len(ids):,} in {path} are not, such "
            f"as {ids[strange[0]]!r} in row {strange[0]}, counting from 0 (items have ids such as "
            f"{next(iter(position))!r}). Correct or drop them; ids are compared character by character."
        )
    return {row: position[str(text)] for row, text in ids.items()}
