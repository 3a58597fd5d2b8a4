"""Review files that came back: labels that somebody filled in, matched with the items by the text of their ids."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from thumbwise.box.reviewed import no_such_item
from thumbwise.exceptions import Argument, InvalidFileError, InvalidLabelsError
from thumbwise.io.distinct import spelling
from thumbwise.io.elsewhere import held_ids, id_array
from thumbwise.io.readings import Files, Reading
from thumbwise.io.roles import listed
from thumbwise.tables.file_formats import PLAIN, FileFormat
from thumbwise.tables.stamps import check_unchanged
from thumbwise.tables.table_files import Table, as_text, read_table
from thumbwise.votes.lazy_votes import LazyVotes

LABEL = "label"


@dataclass(frozen=True, eq=False)
class Reviewed:
    """Labels that were filled in.

    Attributes
    ----------
    labels : mapping of ids to classes
        Of the items that somebody looked at: ids as the votes hold them, classes by name.
    n_empty : int
        Rows without a label.
    notes : tuple of str
        What was found out about the file.
    """

    labels: Mapping[Hashable, Hashable]
    n_empty: int
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        n = len(self.labels)
        kept = "item keeps the label that was" if n == 1 else "items keep the label that was"
        rows = "row has" if self.n_empty == 1 else "rows have"
        empty = f"; {self.n_empty:,} {rows} none, as nobody looked" if self.n_empty else ""
        said = f"reviewed: {n:,} {kept} filled in{empty}; they count as known, and not as gold"
        return "\n".join([*self.notes, said])


def read_reviewed(path: Path, reading: Reading, form: FileFormat = PLAIN) -> Reviewed:
    """Labels in the column ``label`` of a file, of the items whose ids stand beside them.

    Parameters
    ----------
    path : Path
        Of a kind that :func:`thumbwise.tables.table_files.read_table` reads.
    reading : Reading
        The votes, whose column of ids has the same name in the file. If its items stay in files, those that are gold
        or reviewed are looked up there, by one query.
    form : FileFormat
        What is said of how the file is written.
    """
    id_name = _id_name(reading)
    table = read_table(path, form=form)
    for name in (id_name, LABEL):
        if name not in table.columns:
            what = "of ids called as in the votes" if name == id_name else "that people fill in"
            raise InvalidFileError(f"{path} must have a column {name!r}, {what}; {listed(table)} Rename or add it.")
    return replace(_match(path, table, id_name, reading), notes=table.notes)


def _id_name(reading: Reading) -> str:
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
    known = _known_ids(path, {row: ids[row] for row in filled}, reading)
    labels: dict[Hashable, Hashable] = {}
    twice = [row for row in reversed(filled) if labels.setdefault(known[row], classes[row]) != classes[row]]
    if twice:
        raise InvalidLabelsError(
            f"an id must have one label; {path} gives {ids[twice[-1]]!r} two different ones ({len(twice):,} such "
            "rows). Keep the one that is right."
        )
    return Reviewed(labels, len(texts) - len(filled))


def _classes(path: Path, texts: dict[int, str], reading: Reading) -> dict[int, Hashable]:
    """Class of each row that is filled in."""
    spelled = {spelling(str(name)): name for name in reading.votes.class_names}
    strange = [row for row, text in texts.items() if spelling(text) not in spelled]
    if strange:
        names, found = [str(name) for name in reading.votes.class_names], texts[strange[0]]
        near = get_close_matches(found, names, n=1)
        shown = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")
        raise InvalidLabelsError(
            f"reviewed labels must be classes of the votes ({shown}), or empty; {path} has {found!r} in row "
            f"{strange[0]}, counting from 0 ({len(strange):,} such labels). "
            + (f"Is {near[0]!r} meant?" if near else "Correct or empty them.")
        )
    return {row: spelled[spelling(text)] for row, text in texts.items()}


def _known_ids(path: Path, texts: dict[int, str | None], reading: Reading) -> dict[int, Hashable]:
    """Id of each row that is filled in, as the votes hold it."""
    found = _look_up(dict.fromkeys(text for text in texts.values() if text is not None), reading)
    strange = [row for row, text in texts.items() if text not in found]
    if strange:
        raise no_such_item(
            f"{len(strange):,} of {len(texts):,} in {path}",
            f"{texts[strange[0]]!r} in row {strange[0]}, counting from 0",
            str(reading.votes.any_id()),
            "; ids are compared character by character",
        )
    return {row: found[str(text)] for row, text in texts.items()}


def _look_up(texts: Iterable[str], reading: Reading) -> dict[str, Hashable]:
    """Ids of items that some texts stand for."""
    if reading.files is not None:
        return _look_up_elsewhere(texts, reading.votes, reading.files)
    wanted = set(texts)
    return {str(value): value for value in reading.votes.item_ids.tolist() if str(value) in wanted}


def _look_up_elsewhere(texts: Iterable[str], votes: LazyVotes, files: Files) -> dict[str, Hashable]:
    """The same, of items that stay in files; gold items are asked for too, as a fit will need all that are known."""
    held = held_ids(votes, list(texts))
    gold = [] if files.gold_votes is None else files.gold_votes.item_ids.tolist()
    known = id_array(votes, list(dict.fromkeys([*gold, *held.values()])))
    there = set(known[votes.contains_ids(known)].tolist())
    check_unchanged(files.stamps)
    return {text: value for text, value in held.items() if value in there}
