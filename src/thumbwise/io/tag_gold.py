"""Gold labels with several tags: joined texts, lists, or a column of truth values for each tag, as yes and no."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from thumbwise.exceptions import Argument, InvalidFileError, InvalidLabelsError
from thumbwise.io.distinct import distinct_of
from thumbwise.io.drawn_gold import DrawnGold
from thumbwise.io.gold_table import gold_columns, likely_gold_id
from thumbwise.io.roles import Roles, listed
from thumbwise.io.tag_cells import Grammar, Said, cells_grammar, read_cells
from thumbwise.io.tag_names import SIGNS, note_left_out, refuse_unknown
from thumbwise.tables.formats import Column, Columns
from thumbwise.tables.frames import as_column, as_table
from thumbwise.tables.opened_frames import counts_rows
from thumbwise.tables.table_files import Table
from thumbwise.votes.reading.item_order import index_of

_LABEL = "label"


@dataclass(frozen=True, eq=False)
class TagGold:
    """Gold labels of every tag.

    Attributes
    ----------
    said : mapping of str to Said
        What gold says of each tag; the same for all if its cells hold tags.
    beside : mapping of str to Column
        Other columns of the gold table, its ids among them; None if labels are in the order of the items, or stand in
        the table of votes.
    name : str
        The column that labels go into.
    in_votes : bool
        Whether that is one of the votes.
    roles : mapping of str to str
        What names the columns, as :class:`Roles` calls it.
    notes : tuple of str
    """

    said: Mapping[str, Said] = field(default_factory=dict)
    beside: Columns | None = None
    name: str = _LABEL
    in_votes: bool = False
    roles: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def columns(self, tag: str) -> Columns:
        """What stands in the table of votes."""
        return {self.name: self.said[tag].about(tag)} if self.in_votes else {}

    def gold(self, tag: str) -> Any:
        """Gold of its own: a table, or a label per item."""
        if not self.said or self.in_votes:
            return None
        labels = self.said[tag].about(tag)
        return labels.tolist() if self.beside is None else Table({**self.beside, self.name: labels})


def read_tag_gold(gold: Any, in_votes: Columns, tags: Sequence[str], grammar: Grammar, roles: Roles) -> TagGold:
    """Gold labels of any kind. The tags are settled by now; a label that names another one is refused.

    Parameters
    ----------
    gold : Table, frame, mapping of ids to tags, or the tags of each item in order; None
    in_votes : mapping of str to Column
        Columns of the votes that hold gold.
    tags : sequence of str
    grammar : Grammar
        Of the votes, by which gold is read as far as it looks like them.
    roles : Roles
    """
    if in_votes:
        return _from_votes(in_votes, tags, grammar)
    if gold is None:
        return TagGold()
    if isinstance(gold, DrawnGold):
        raise InvalidLabelsError(
            "a file of thumbwise bench holds one class per item; gold with several tags must be a table of ids and "
            "tags, such as thumbwise draw makes to be filled in."
        )
    table = _as_table(gold)
    if table is None:
        said, notes = _read({"gold": as_column(gold)}, tags, grammar)
        return TagGold(said, notes=notes)
    return _from_table(table, tags, grammar, roles)


def _as_table(gold: Any) -> Table | None:
    if isinstance(gold, Mapping):
        return Table({"id": as_column(list(gold)), _LABEL: as_column(list(gold.values()))})
    table = gold if isinstance(gold, Table) else as_table(gold)
    index = index_of(gold) if table is None else None
    if index is None or counts_rows(index):
        return table
    return Table({"id": as_column(index.tolist()), _LABEL: as_column(gold)})


def _from_table(table: Table, tags: Sequence[str], grammar: Grammar, roles: Roles) -> TagGold:
    own = [tag for tag in tags if tag in table.columns]
    if roles.gold_label is not None or not own:
        gold_id, name = gold_columns(table, roles.item_id, roles)
        said, notes = _read({name: table.columns[name]}, tags, grammar)
        beside = {other: column for other, column in table.columns.items() if other != name}
        return TagGold(said, beside, name, roles={"gold_id": gold_id, "gold_label": name}, notes=notes)
    missing = [tag for tag in tags if tag not in table.columns]
    if missing:
        raise InvalidFileError(
            f"gold must have a column for each tag, or one whose cells name tags; there is one for {own[0]!r} and none "
            f"for {missing[0]!r}, and {listed(table)} Name the column whose cells hold tags with ",
            Argument("gold_label", "NAME"),
            ".",
        )
    gold_id = roles.gold_id or likely_gold_id(table, roles.item_id)
    said, notes = _read_truths({tag: table.columns[tag] for tag in tags}, grammar)
    beside = {other: column for other, column in table.columns.items() if other not in tags and other != _LABEL}
    note = f"gold has a column for each tag, {tags[0]!r} and so on"
    return TagGold(said, beside, roles={"gold_id": gold_id, "gold_label": _LABEL}, notes=(note, *notes))


def _from_votes(columns: Columns, tags: Sequence[str], grammar: Grammar) -> TagGold:
    names = list(columns)
    if len(names) == 1 and not any(names[0].endswith(f"{sign}{tag}") for tag in tags for sign in SIGNS):
        said, notes = _read(columns, tags, grammar)
        return TagGold(said, name=names[0], in_votes=True, roles={"gold_column": names[0]}, notes=notes)
    by_tag = {tag: name for tag in tags for name in names for sign in SIGNS if name.endswith(f"{sign}{tag}")}
    missing = [tag for tag in tags if tag not in by_tag]
    if missing:
        raise InvalidFileError(
            f"gold must have a column for each tag; there is none for {missing[0]!r} among "
            f"{', '.join(map(repr, names[:10]))}."
        )
    said, notes = _read_truths({tag: columns[name] for tag, name in by_tag.items()}, grammar)
    return TagGold(said, name="gold labels", in_votes=True, roles={"gold_column": "gold labels"}, notes=notes)


def _read(columns: Columns, tags: Sequence[str], grammar: Grammar) -> tuple[dict[str, Said], tuple[str, ...]]:
    """Cells that hold tags, in the one column there is."""
    ((name, column),) = columns.items()
    own, _ = cells_grammar([distinct_of(name, column)], grammar.roles, grammar.separator)
    (said,), notes = read_cells([(name, column, None)], own, is_gold=True)
    if grammar.roles.names is None:
        refuse_unknown({name: said}, tags)
    return dict.fromkeys(tags, said), (*notes, *note_left_out({name: said}, tags, "gold"))


def _read_truths(columns: Mapping[str, Column], grammar: Grammar) -> tuple[dict[str, Said], tuple[str, ...]]:
    """A column of truth values for each tag."""
    own = Grammar("columns", None, grammar.roles)
    said, notes = read_cells([(tag, column, tag) for tag, column in columns.items()], own, is_gold=True)
    return dict(zip(columns, said, strict=True)), tuple(notes)
