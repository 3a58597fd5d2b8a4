"""Gold labels in a table of their own, or in memory, matched with the items by the text of their ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.exceptions import Argument, InvalidFileError, InvalidLabelsError, InvalidVotesError
from thumbwise.io.distinct import Distinct, distinct_of
from thumbwise.io.drawn_gold import DrawnGold
from thumbwise.io.gold_design import DESIGN, DRAW, GoldDesign, StratifiedGold, read_design
from thumbwise.io.roles import GOLD_LABEL_NAMES, ID_NAMES, ITEM_NAMES, Roles, listed, mend_repeated, named_like
from thumbwise.io.unknown_gold import drop_unknown
from thumbwise.tables.formats import Column
from thumbwise.tables.frames import as_column, as_table
from thumbwise.tables.opened_frames import counts_rows
from thumbwise.tables.table_files import Table, as_text
from thumbwise.votes.labels import UNKNOWN
from thumbwise.votes.reading.item_order import index_of
from thumbwise.votes.reading.raw_votes import all_differ


def read_ids(column: Column, name: str, where: str, beside: Sequence[str] = ()) -> AnyArray:
    """Ids that are all there and all different, as numbers or as an array of strings.

    If they are not, the names of the columns ``beside`` them may tell that each row is a vote.
    """
    missing = np.flatnonzero(np.ma.getmaskarray(column))
    if len(missing):
        raise InvalidVotesError(
            f"every row of {where} must have an id; column {name!r} is empty in row {missing[0]}, counting from 0 "
            f"({len(missing)} such rows). Fill it in or drop the rows."
        )
    ids = np.asarray(column.data)
    if not all_differ(ids.tolist()):
        raise _repeated(ids.tolist(), as_text(column), name, where, beside)
    return ids


def _repeated(
    ids: list[Any], texts: list[str | None], name: str, where: str, beside: Sequence[str]
) -> InvalidVotesError:
    """By what ids are, since 0 and -0.0 are one number and two texts."""
    first = {value: row for row, value in reversed(list(enumerate(ids)))}
    repeated = [row for row, value in enumerate(ids) if first[value] != row]
    row = repeated[0]
    return InvalidVotesError(
        f"ids must be unique; column {name!r} of {where} holds {texts[row]!r} in rows {first[ids[row]]} and "
        f"{row}, counting from 0 ({len(repeated)} rows too many in all). ",
        mend_repeated(beside, len(texts) - len(repeated), len(texts), name),
    )


@dataclass(frozen=True, eq=False)
class GoldLabels:
    """Labels, and the texts of the ids that they belong to; None if they are in the order of the items.

    Ids that only count the rows of a pandas Series are ids if the items have the same, and otherwise an order.
    """

    labels: Column
    ids: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    design: GoldDesign | StratifiedGold | None = None
    only_counts: bool = False

    @cached_property
    def distinct(self) -> Distinct:
        """The labels by their different values."""
        return distinct_of("gold labels", self.labels)

    def place(self, classes: IntArray, item_ids: AnyArray) -> IntArray:
        """Class number of every item, -1 where unknown, from those of the labels."""
        if self.ids is None or (self.only_counts and {*self.ids} != {*map(str, item_ids.tolist())}):
            if len(classes) != len(item_ids):
                raise InvalidLabelsError(
                    "gold must be one label per item (missing where unknown), or a table of ids and labels; found "
                    f"{len(classes)} labels for {len(item_ids)} items."
                )
            return classes
        placed = np.full(len(item_ids), UNKNOWN)
        placed[_rows_of(self.ids, item_ids)] = classes
        return placed


def open_gold(gold: Any, id_name: str | None, roles: Roles) -> GoldLabels:
    """Gold labels of any kind, without those that are unknown.

    Parameters
    ----------
    gold : Table, DrawnGold, GoldLabels, frame, mapping of ids to labels, or one label per item
        A pandas Series is a mapping of its index to labels; see :mod:`thumbwise.votes.reading.item_order`.
    id_name : str or None
        What the column of ids is called in the votes; None if they have none.
    roles : Roles
    """
    if isinstance(gold, GoldLabels):
        return gold
    if isinstance(gold, DrawnGold):
        return _as_drawn(gold, id_name)
    if isinstance(gold, Mapping):
        gold = Table({"id": as_column(list(gold)), "label": as_column(list(gold.values()))})
    table = gold if isinstance(gold, Table) else as_table(gold)
    index = index_of(gold) if table is None else None
    if index is not None:
        return _by_index(gold, index, roles)
    if table is None:
        return gold_in_order(as_column(gold), "gold", roles, ("gold labels are taken in the order of the items",))
    if id_name is None:
        raise InvalidFileError(
            "the votes must have a column of ids, to be matched with those of the gold file. Name it with ",
            Argument("item_id", "NAME"),
            ".",
        )
    gold_id, gold_label = gold_columns(table, id_name, roles)
    ids = read_ids(table.columns[gold_id], gold_id, "the gold file")
    note = f"gold ids are taken from column {gold_id!r}, gold labels from {gold_label!r}"
    labels, dropped = drop_unknown(table.columns[gold_label], roles, f"column {gold_label!r} of the gold file")
    design = read_design(table, labels)
    notes = (*table.notes, note, *(f"{text} gold labels were used: {why}" for text, why in dropped))
    return GoldLabels(labels, tuple(map(str, ids.tolist())), notes if design is None else (*notes, design.note), design)


def _as_drawn(gold: DrawnGold, id_name: str | None) -> GoldLabels:
    """Labels of a file that says itself how they were drawn; items without ids have the numbers of their rows."""
    if (gold.id_name is None) != (id_name is None):
        drawn = "the numbers of their rows" if gold.id_name is None else f"those of column {gold.id_name!r}"
        voted = "no column of ids" if id_name is None else f"ids in column {id_name!r}"
        raise InvalidLabelsError(
            f"votes and gold must know the items by the same ids; the gold file has {drawn}, the votes have {voted}. "
            "Name the column of ids with ",
            Argument("item_id", "NAME"),
            ", or draw gold from items with ids.",
        )
    labels = np.array([*gold.labels, None], dtype=object)[:-1]
    return GoldLabels(np.ma.array(labels, mask=False), gold.ids, gold.notes, gold.design)


def gold_in_order(
    labels: Column, where: str, roles: Roles, notes: tuple[str, ...] = (), votes: Sequence[Column] = ()
) -> GoldLabels:
    """One label per item, without those that are unknown."""
    known, dropped = drop_unknown(labels, roles, where, in_order=True, votes=votes)
    return GoldLabels(known, None, (*notes, *(f"{text} items have a gold label: {why}" for text, why in dropped)))


def _by_index(gold: Any, index: AnyArray, roles: Roles) -> GoldLabels:
    """Labels of a pandas Series, by its index; items without a column of ids have the numbers of their rows."""
    only_counts = counts_rows(index)
    labels, dropped = drop_unknown(as_column(gold), roles, "gold", in_order=True)
    ids = read_ids(as_column(index.tolist()), "index", "gold")
    note = f"gold labels are matched with the items by their index{', or order if ids differ' if only_counts else ''}"
    notes = (note, *(f"{text} gold labels were used: {why}" for text, why in dropped))
    return GoldLabels(labels, tuple(map(str, ids.tolist())), notes, only_counts=only_counts)


def _rows_of(gold_ids: tuple[str, ...], ids: AnyArray) -> list[int]:
    """Row of each gold id among the items."""
    wanted = set(gold_ids)
    position = {text: row for row, text in enumerate(map(str, ids.tolist())) if text in wanted}
    strange = [text for text in gold_ids if text not in position]
    if strange:
        raise InvalidLabelsError(
            f"gold ids must be among the items; {len(strange)} of {len(gold_ids)} are not, such as {strange[0]!r} "
            f"(items have ids such as {str(ids[0])!r}). Correct or drop them; ids are compared character by character."
        )
    return [position[text] for text in gold_ids]


def gold_columns(gold: Table, id_name: str | None, roles: Roles) -> tuple[str, str]:
    """Names of the columns of ids and labels of a gold table."""
    for name in (roles.gold_id, roles.gold_label):
        if name is not None and name not in gold.columns:
            raise InvalidFileError(f"the gold file must have a column {name!r}; {listed(gold)}")
    gold_id = roles.gold_id or likely_gold_id(gold, id_name)
    others = [name for name in gold.names if name != gold_id]
    if roles.gold_label is None and {"label", DRAW, DESIGN} <= set(others):
        others = ["label"]  # a table that was made to be filled in
    if roles.gold_label is None and len(others) > 1:
        others = [name for name in others if name.strip().lower() in GOLD_LABEL_NAMES]
    if roles.gold_label is None and len(others) != 1:
        raise InvalidFileError(
            f"the gold file must have one column of labels besides the ids in {gold_id!r}; {listed(gold)} "
            "Say which it is with ",
            Argument("gold_label", "NAME"),
            ".",
        )
    gold_label = roles.gold_label or others[0]
    if gold_label == gold_id:
        raise InvalidFileError(f"ids and labels of the gold file must be two columns; both are {gold_id!r}.")
    return gold_id, gold_label


def likely_gold_id(gold: Table, id_name: str | None) -> str:
    """The column of a gold table that holds ids: called as in the votes, or the only one that is called like ids."""
    if id_name in gold.columns:
        return str(id_name)
    likely = named_like(gold, {*ID_NAMES, *ITEM_NAMES})
    if len(likely) != 1:
        raise InvalidFileError(
            f"the gold file must have a column of ids called {id_name or 'id'!r}, like the votes; {listed(gold)} "
            "Say which it is with ",
            Argument("gold_id", "NAME"),
            ".",
        )
    return likely[0]
