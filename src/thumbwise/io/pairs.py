"""Pairwise preferences: tables in which a judge says which of two systems answered better, or that it is a tie.

Specification
-------------
- Two columns of systems (``model_a`` and ``model_b``, ``model_1`` and ``model_2``, ...; the first of them was shown
  first), a column of questions, perhaps one of turns, and who won:
  - ``winner``, with the judge in another column: a row per comparison, as in MT-bench's human judgments;
  - ``g1_winner`` and ``g2_winner``: FastChat's pair judgments, both orders in a row, in the second of which the answers
    were swapped and the winner is named by the columns all the same;
  - or a column for each judge.
- A winner is called by its column (``model_a``; also ``A``, ``first``, ``left``) or by the name of the system. What
  begins with ``tie``, such as ``tie (bothbad)`` and ``tie (inconsistent)``, is a tie; ``error`` and empty cells are no
  votes.
- An item is a question (and turn) with an unordered pair of systems. Its classes are "first", "second" and "tie", where
  first and second are the systems in the order of their names, whoever was shown first: which side a system stood on in
  the table changes nothing.
- A judge that answers in both orders, on half of its items or more, has two columns: under its name what it says where
  the first system was shown first, and as ``name (swapped)`` what it says where the second was. So gold tells what a
  contradiction is worth. A judge that seldom answers twice has one vote: what it says both times, or a tie if it
  contradicts itself. How often it does, and which side it then favours, is counted for each judge.
- Gold is a table of the same kind, a column of the votes, or a table of ids and classes. Where several people looked at
  an item they must agree, or their majority is asked for; without a majority it is a tie. No item is left out, because
  that would depend on what people said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thumbwise._typing import AnyArray
from thumbwise.exceptions import Argument, InvalidLabelsError, InvalidVotesError
from thumbwise.io.pair_rows import NO_VOTE, TIE, Comparisons, PairColumns, find_columns, find_sides, read_comparisons
from thumbwise.io.roles import Roles
from thumbwise.tables.formats import Columns
from thumbwise.tables.frames import as_column, as_table
from thumbwise.tables.table_files import Table

ID, FIRST, SECOND, JUDGE, WINNER = "pair", "first", "second", "judge", "winner"
CLASSES = ("first", "second", "tie")
SWAPPED = " (swapped)"


@dataclass(frozen=True)
class PairJudge:
    """What one judge did with the order in which answers were shown.

    Attributes
    ----------
    name : str
    columns : tuple of str
        The rules that hold its votes: one, or one for each order, the first system shown first before the other.
    n_votes : int
        Items that it has a vote on.
    n_both : int
        Items on which it answered in both orders.
    n_contradictions : int
        Of these, those on which the answers differ.
    n_first_shown, n_second_shown : int
        Of these, those on which it preferred, both times, what was shown first, or second: position bias.
    """

    name: str
    columns: tuple[str, ...]
    n_votes: int
    n_both: int = 0
    n_contradictions: int = 0
    n_first_shown: int = 0
    n_second_shown: int = 0


@dataclass(frozen=True, eq=False)
class Pairs:
    """The systems that items compare, and what judges did with their order.

    Attributes
    ----------
    first, second : ndarray of shape (n_items,)
        Names of the systems of each item, in the order of the names.
    judges : tuple of PairJudge
    """

    first: AnyArray
    second: AnyArray
    judges: tuple[PairJudge, ...]

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(sorted({*self.first.tolist(), *self.second.tolist()}))

    def preferred(self, labels: AnyArray) -> AnyArray:
        """The name of the system that each label means, or "tie"; an array of texts."""
        names = np.where(labels == CLASSES[0], self.first, np.where(labels == CLASSES[1], self.second, CLASSES[TIE]))
        return np.asarray(names.astype(object))


@dataclass(frozen=True, eq=False)
class OpenedPairs:
    """Comparisons as a table with a row per vote, gold by item, roles to read them by, and what was understood."""

    table: Table
    gold: Any
    roles: Roles
    pairs: Pairs
    notes: tuple[str, ...]


def open_pairs(table: Table, gold: Any, roles: Roles) -> OpenedPairs:
    """A table of comparisons as one with a row per item and judge.

    Which system is first of an item, and who has a column for each order, is settled by names and votes alone.
    """
    if roles.class_names is not None or roles.are_scores:
        given = Argument("scores", ...) if roles.class_names is None else Argument("class_names", ...)
        raise InvalidVotesError(
            "comparisons of two systems have the classes 'first', 'second' and 'tie'; found ",
            given,
            " besides. Drop it.",
        )
    names = find_columns(table, roles)
    read = read_comparisons(table, names, roles)
    judges = _count(read)
    columns, votes = _in_columns(read, judges)
    rows = sorted(votes)
    items, by = (np.array([row[j] for row in rows], dtype=np.int64) for j in (0, 1))
    said = np.array([votes[row] for row in rows], dtype=np.int64)
    ids = _objects(read.ids)
    first, second = _objects([item[2] for item in read.items]), _objects([item[3] for item in read.items])
    about = _about(table, read, names, roles)
    rows_of_votes: Columns = {
        ID: np.ma.asarray(ids[items]),
        JUDGE: np.ma.asarray(_objects(columns)[by]),
        WINNER: np.ma.MaskedArray(_objects([*CLASSES, ""])[said], mask=said < 0),
        FIRST: np.ma.asarray(first[items]),
        SECOND: np.ma.asarray(second[items]),
        **{name: column[items] for name, column in about.items()},
    }
    ignore = (*(name for name in (names.question, names.turn) if name is not None), FIRST, SECOND, *roles.ignore)
    plain = replace(
        roles,
        layout="long",
        item_id=ID,
        rule=JUDGE,
        label=WINNER,
        ignore=tuple(dict.fromkeys(ignore)),
        class_names=CLASSES,
        codes=None,
        abstain=None,
        gold_column=None,
        systems=None,
        duplicates="raise",
    )
    labels, plain, more = _open_gold(table, gold, names, roles, plain)
    notes = (names.note, *_counted(read, judges), *more)
    return OpenedPairs(Table(rows_of_votes), labels, plain, Pairs(first, second, judges), notes)


def _objects(values: Sequence[Any]) -> AnyArray:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _about(table: Table, read: Comparisons, names: PairColumns, roles: Roles) -> Columns:
    """Columns that are passed on, by item: question, turn and what is to be ignored, as its first row has it."""
    wanted = [name for name in (names.question, names.turn, *roles.ignore) if name is not None]
    rows = np.array(read.first_rows, dtype=np.int64)
    return {name: table.columns[name][rows] for name in wanted}


def _counted(read: Comparisons, judges: Sequence[PairJudge]) -> list[str]:
    n_both = sum(judge.n_both for judge in judges)
    n_off = sum(judge.n_contradictions for judge in judges)
    notes = [f"{len(read.items):,} pairs of answers; first and second are the systems in the order of their names"]
    apart = [judge.columns for judge in judges if len(judge.columns) > 1]
    if n_both:
        kept = f"a column for each order, such as {apart[0][0]!r} and {apart[0][1]!r}" if apart else "a tie then"
        notes.append(
            f"{n_both:,} times a judge answered in both orders, and contradicted itself {n_off:,} times: {kept}"
        )
    return [*notes, *(f"{n:,} cells are {text!r}, taken as no vote" for text, n in read.failed.items())]


def _both_orders(read: Comparisons) -> dict[tuple[int, int], list[int]]:
    """What each judge says of each item, the first system shown first and then the other way, -1 where nothing."""
    both: dict[tuple[int, int], list[int]] = {}
    for (item, judge, order), side in read.answers.items():
        both.setdefault((item, judge), [NO_VOTE, NO_VOTE])[order] = side
    return both


def _count(read: Comparisons) -> tuple[PairJudge, ...]:
    """What each judge did with the order, and whether it has a column for each."""
    counts = [Counter[str]() for _ in read.judges]
    for (_, judge), said in _both_orders(read).items():
        counts[judge].update(_kinds(*said))
    return tuple(
        PairJudge(
            name,
            (name, f"{name}{SWAPPED}") if 0 < n["votes"] <= 2 * n["both"] else (name,),
            *(n[kind] for kind in ("votes", "both", "off", "first", "second")),
        )
        for name, n in zip(read.judges, counts, strict=True)
    )


def _in_columns(read: Comparisons, judges: Sequence[PairJudge]) -> tuple[list[str], dict[tuple[int, int], int]]:
    """Names of the columns, and the vote of each on each item, -1 for none."""
    columns = [name for judge in judges for name in judge.columns]
    twice = [name for name, n in Counter(columns).items() if n > 1]
    if twice:
        raise InvalidVotesError(
            f"judges must have different names; {twice[0]!r} is one, and the name of what another says in the other "
            "order. Rename it."
        )
    start = np.cumsum([0, *(len(judge.columns) for judge in judges)]).tolist()
    votes: dict[tuple[int, int], int] = {}
    for (item, judge), said in _both_orders(read).items():
        if len(judges[judge].columns) == 1:
            votes[item, start[judge]] = _one_vote(said)
        else:
            votes.update({(item, start[judge] + order): side for order, side in enumerate(said)})
    return columns, votes


def _one_vote(said: Sequence[int]) -> int:
    """What is said in one order or in both; a tie for a contradiction, -1 for nothing."""
    given = {side for side in said if side != NO_VOTE}
    return TIE if len(given) > 1 else next(iter(given), NO_VOTE)


def _kinds(straight: int, swapped: int) -> list[str]:
    """What a judge did on an item; in straight order the first system was shown first."""
    n_given = (straight != NO_VOTE) + (swapped != NO_VOTE)
    kinds = ["votes"] * (n_given > 0) + ["both"] * (n_given == 2)
    if n_given == 2 and straight != swapped:
        side = {(0, 1): ["first"], (1, 0): ["second"]}.get((straight, swapped), [])
        return [*kinds, "off", *side]
    return kinds


def _open_gold(table: Table, gold: Any, names: PairColumns, roles: Roles, plain: Roles) -> tuple[Any, Roles, list[str]]:
    """Gold by item, and notes."""
    if roles.gold_column is not None:
        own = replace(names, judge=None, winners=(roles.gold_column,), is_two_games=False)
        return _people(read_comparisons(table, own, roles, is_gold=True), roles, plain)
    opened = _as_pairs(gold, roles)
    if opened is None:
        return gold, plain, []
    used = replace(roles, label=roles.gold_label, gold_label=None, item_id=None, rule=None)
    if not {*(roles.systems or ())} <= {*opened.columns}:
        used = replace(used, systems=None)
    found = find_columns(opened, used)
    if (found.turn is None) != (names.turn is None):
        which = "gold has" if names.turn is None else "the votes have"
        raise InvalidLabelsError(
            f"votes and gold must know items by the same columns; {which} a column of turns and the other does not. "
            "Drop it, or add it to both."
        )
    return _people(read_comparisons(opened, found, used, is_gold=True), roles, plain)


def _as_pairs(gold: Any, roles: Roles) -> Table | None:
    """Gold as a table of comparisons, if it is one."""
    if gold is None:
        return None
    table = gold if isinstance(gold, Table) else as_table(gold)
    if isinstance(gold, Mapping) and all(isinstance(value, (list, tuple, np.ndarray)) for value in gold.values()):
        table = Table({str(name): as_column(values) for name, values in gold.items()})
    if table is None or (roles.systems is not None and {*roles.systems} <= {*table.columns}):
        return table
    return None if find_sides(table, replace(roles, systems=None)) is None else table


def _people(read: Comparisons, roles: Roles, plain: Roles) -> tuple[dict[str, str], Roles, list[str]]:
    """What people say of each item: what all of them say, or most."""
    of_item: dict[int, list[int]] = {}
    for (item, _), said in _both_orders(read).items():
        if _one_vote(said) != NO_VOTE:
            of_item.setdefault(item, []).append(_one_vote(said))
    split = [item for item, sides in of_item.items() if len(set(sides)) > 1]
    if split and not roles.gold_majority:
        raise InvalidLabelsError(
            f"a gold item must have one label; people disagree on {len(split):,} of {len(of_item):,} items, first on "
            f"{read.ids[split[0]]!r}. To take what more than half of them say, and a tie where nobody has more than "
            "half, say ",
            Argument("gold_majority", True),
            ".",
        )
    labels = {read.ids[item]: CLASSES[_majority(sides)] for item, sides in of_item.items()}
    notes = [f"gold: {len(read.judges):,} people on {len(labels):,} items"] if len(read.judges) > 1 else []
    if split:
        n_none = sum(2 * Counter(of_item[item]).most_common(1)[0][1] <= len(of_item[item]) for item in split)
        notes.append(
            f"people disagree on {len(split):,} of these: the majority counts, a tie where there is none ({n_none:,})"
        )
    return labels, replace(plain, gold_id=None, gold_label=None), notes


def _majority(sides: Sequence[int]) -> int:
    side, n = Counter(sides).most_common(1)[0]
    return side if 2 * n > len(sides) else TIE
