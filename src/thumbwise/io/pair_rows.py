"""Rows of comparisons: which columns hold systems and winners, and what each cell says of which item."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from thumbwise.exceptions import Argument, InvalidFileError, InvalidLabelsError, InvalidVotesError, ThumbwiseError
from thumbwise.io.roles import ID_NAMES, ITEM_NAMES, Roles, listed, named_like, settle_column
from thumbwise.tables.formats import Column
from thumbwise.tables.table_files import Table, as_text

SIDES = tuple(
    (f"{word}{sign}{a}", f"{word}{sign}{b}")
    for word in ("model", "system", "assistant", "response", "answer")
    for sign in ("_", " ", "")
    for a, b in (("a", "b"), ("1", "2"))
)
TWO_GAMES = ("g1_winner", "g2_winner")
_JUDGES = ("judge", "judge_name", "judge_model", "annotator", "rater", "worker", "human")
_TURNS = ("turn",)
_WINNERS = ("winner", "preference", "preferred")
_FIRST = {"a", "first", "left", "model_a", "model_1", "assistant_a", "system_a", "system_1"}
_SECOND = {"b", "second", "right", "model_b", "model_2", "assistant_b", "system_b", "system_2"}
_TIES = {"both", "both bad", "bothbad", "both_bad", "draw", "equal", "same"}
_FAILED = {"error"}
NO_VOTE, TIE = -1, 2


@dataclass(frozen=True)
class PairColumns:
    """Names of columns.

    Attributes
    ----------
    sides : pair of str
        Systems; the first was shown first.
    question, turn, judge : str or None
    winners : tuple of str
        Of who won: one, two of FastChat's games, or one for each judge.
    is_two_games : bool
        Whether the two winners are those of both orders.
    note : str
    """

    sides: tuple[str, str]
    question: str
    turn: str | None
    judge: str | None
    winners: tuple[str, ...]
    is_two_games: bool
    note: str


@dataclass(frozen=True, eq=False)
class Comparisons:
    """What rows say.

    Attributes
    ----------
    items : list of (question, turn, first, second)
        Texts, the systems in the order of their names.
    ids : list of str
    first_rows : list of int
        The first row of each item.
    judges : list of str
    answers : mapping of (item, judge, order) to int
        0, 1, 2 for first, second, tie, -1 for none; the order is 0 where the first system was shown first.
    failed : Counter
        Cells that stand for no vote and are not empty.
    """

    items: list[tuple[str, str | None, str, str]]
    ids: list[str]
    first_rows: list[int]
    judges: list[str]
    answers: dict[tuple[int, int, int], int]
    failed: Counter[str] = field(default_factory=Counter)


def find_sides(table: Table, roles: Roles) -> tuple[str, str] | None:
    """The two columns of systems, as named or as their names tell; None if there are none."""
    if roles.systems is not None:
        if len(roles.systems) != 2 or roles.systems[0] == roles.systems[1]:
            raise InvalidFileError(
                Argument("systems"), f" must name two columns; found {', '.join(map(repr, roles.systems))}."
            )
        gone = [name for name in roles.systems if name not in table.columns]
        if gone:
            raise InvalidFileError(f"there must be a column {gone[0]!r} of systems; {listed(table)}")
        return roles.systems[0], roles.systems[1]
    lowered = {name.strip().lower(): name for name in table.names}
    return next(((lowered[a], lowered[b]) for a, b in SIDES if a in lowered and b in lowered), None)


def looks_like_pairs(table: Table) -> bool:
    """Whether columns are called as those of comparisons are: two systems, and who won."""
    has_winner = bool(named_like(table, _WINNERS[:1])) or len(named_like(table, TWO_GAMES)) == 2
    return has_winner and find_sides(table, Roles()) is not None


def find_columns(table: Table, roles: Roles) -> PairColumns:
    """Which column is what, as named or as names tell."""
    sides = find_sides(table, roles)
    if sides is None:
        raise InvalidFileError(
            f"comparisons need two columns of systems, called 'model_a' and 'model_b' or the like; {listed(table)} "
            "Name them with ",
            Argument("systems", ["NAME", "NAME"]),
            ".",
        )
    taken = {*sides, roles.gold_column, *roles.ignore}
    rest = Table({name: column for name, column in table.columns.items() if name not in taken})
    question = settle_column(rest, roles.item_id, _names(rest), "the questions", "item_id")
    turn = next(iter(named_like(rest, _TURNS)), None)
    judge = roles.rule if roles.rule is not None else next(iter(named_like(rest, _JUDGES)), None)
    games = named_like(rest, TWO_GAMES)
    if roles.label is not None:
        winners: tuple[str, ...] = (roles.label,)
    elif len(games) == 2:
        winners = tuple(sorted(games, key=str.lower))
    elif named_like(rest, _WINNERS):
        winners = (settle_column(rest, None, _WINNERS, "the winners", "label"),)
    else:
        winners = tuple(name for name in rest.names if name not in (question, turn, judge))
    for name in (question, judge, *winners):
        if name is not None and name not in table.columns:
            raise InvalidFileError(f"there must be a column {name!r}; {listed(table)}")
    if not winners or (judge is not None and len(winners) > 1 and len(games) != 2):
        raise InvalidFileError(
            f"one column must say who won, called 'winner' or the like; {listed(table)} Name it with ",
            Argument("label", "NAME"),
            ".",
        )
    return PairColumns(
        sides,
        question,
        turn,
        judge,
        winners,
        len(games) == 2 and roles.label is None,
        _note(sides, question, turn, winners),
    )


def _names(table: Table) -> Sequence[str]:
    return ITEM_NAMES if named_like(table, ITEM_NAMES) else ID_NAMES


def _note(sides: tuple[str, str], question: str, turn: str | None, winners: Sequence[str]) -> str:
    per = repr(question) if turn is None else f"{question!r} and {turn!r}"
    shown = ", ".join(map(repr, winners[:5]))
    return f"comparisons of two systems, {sides[0]!r} and {sides[1]!r}, by {per}; winners in {shown}"


def read_comparisons(table: Table, names: PairColumns, roles: Roles, *, is_gold: bool = False) -> Comparisons:
    """What each row says of which item; a judge that is asked twice in the same order is asked about."""
    left, right, questions = (_filled(table, name, is_gold) for name in (*names.sides, names.question))
    turns = [None] * table.n_rows if names.turn is None else _filled(table, names.turn, is_gold)
    by_row = None if names.judge is None else [_called(text) for text in _filled(table, names.judge, is_gold)]
    read = Comparisons([], [], [], [], {})
    meaning = _Meaning(names, roles, is_gold)
    numbers: dict[tuple[Any, ...], int] = {}
    judges: dict[str, int] = {}
    cells = [as_text(table.columns[name]) for name in names.winners]
    for row, (a, b, question, turn) in enumerate(zip(left, right, questions, turns, strict=True)):
        if a == b:
            raise _error(is_gold)(
                f"a comparison must be of two systems; row {row}, counting from 0, has {a!r} on both sides. Drop such "
                "rows."
            )
        first, second = min(a, b), max(a, b)
        key = (question, turn, first, second)
        if key not in numbers:
            numbers[key] = len(numbers)
            read.items.append(key)
            read.first_rows.append(row)
        for game, name in enumerate(names.winners):
            side = meaning.side(cells[game][row], a, b, row, name, read.failed)
            called = by_row[row] if by_row is not None else "judge" if names.is_two_games else name
            judge = judges.setdefault(called, len(judges))
            is_second_game = names.is_two_games and game == 1
            order = int((a != first) ^ is_second_game)
            place = (numbers[key], judge, order)
            if place in read.answers and (roles.duplicates == "raise" or is_gold):
                _refuse_twice(read.answers[place], side, key, called, row, is_gold, roles)
            if place not in read.answers or roles.duplicates == "last":
                read.answers[place] = side if side in (NO_VOTE, TIE) else int((a, b)[side] != first)
    read.judges.extend(judges)
    read.ids.extend(_id(item) for item in read.items)
    return read


def _id(item: tuple[str, str | None, str, str]) -> str:
    question, turn, first, second = item
    return f"{question}{'' if turn is None else f' / turn {turn}'}: {first} vs {second}"


def _error(is_gold: bool) -> type[ThumbwiseError]:
    return InvalidLabelsError if is_gold else InvalidVotesError


def _filled(table: Table, name: str, is_gold: bool) -> list[str]:
    column: Column = table.columns[name]
    missing = np.flatnonzero(np.ma.getmaskarray(column))
    if len(missing):
        raise _error(is_gold)(
            f"every comparison must name its question, its systems and who judged it; column {name!r} is empty in row "
            f"{missing[0]}, counting from 0 ({len(missing):,} such rows). Fill it in or drop the rows."
        )
    return [text.strip() for text in as_text(column) if text is not None]


def _called(text: str) -> str:
    """The name of a judge; FastChat's are lists of a model and a prompt."""
    if not text.startswith("["):
        return text
    try:
        parts = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return ", ".join(map(str, parts)) if isinstance(parts, list) else text


def _refuse_twice(
    known: int, side: int, item: tuple[str, str | None, str, str], judge: str, row: int, is_gold: bool, roles: Roles
) -> None:
    way = () if is_gold else (", or say ", Argument("duplicates", '"first"'), " or ", Argument("duplicates", '"last"'))
    raise _error(is_gold)(
        f"a judge must be asked once in each order; {judge!r} is asked about {_id(item)!r} a second time in row {row}, "
        "counting from 0. Drop one of the rows",
        *way,
        ".",
    )


@dataclass(frozen=True, eq=False)
class _Meaning:
    """What a cell says, by the columns of the systems or by their names."""

    names: PairColumns
    roles: Roles
    is_gold: bool
    known: dict[tuple[str | None, str, str], int] = field(default_factory=dict)

    def side(self, text: str | None, a: str, b: str, row: int, name: str, failed: Counter[str]) -> int:
        """0 for the system in the first column, 1 for that in the second, 2 for a tie, -1 for nothing."""
        word = "" if text is None else text.strip()
        if word.lower() in _FAILED or (word and word == self.roles.abstain):
            failed[word] += 1
            return NO_VOTE
        key = (word, a, b)
        if key not in self.known:
            self.known[key] = self._read(word, a, b, row, name)
        return self.known[key]

    def _read(self, text: str, a: str, b: str, row: int, name: str) -> int:
        if not text:
            return NO_VOTE
        codes = {str(key): value for key, value in (self.roles.codes or {}).items()}
        if text in codes:
            if codes[text] is None:
                return NO_VOTE
            text = str(codes[text])
        word = text.lower()
        by_word = self._by_word(word)
        by_name = 0 if text == a else 1 if text == b else None
        if by_word is not None and by_name is not None and by_word != by_name:
            raise _error(self.is_gold)(
                f"a winner must be clear; {text!r} in column {name!r}, row {row}, counting from 0, is both a side and "
                f"the system of the other side ({a!r} against {b!r}). Rename the systems."
            )
        side = by_name if by_word is None else by_word
        if side is None:
            raise _error(self.is_gold)(
                f"a winner must be {self.names.sides[0]!r}, {self.names.sides[1]!r}, the name of one of the two "
                f"systems, or a tie; column {name!r} holds {text[:40]!r} in row {row}, counting from 0 "
                f"({a!r} against {b!r}). If it means one of them, say ",
                Argument("codes", {text[:40]: "tie"}),
                "; if it means no vote, ",
                Argument("abstain", repr(text[:40])),
                ".",
            )
        return side

    def _by_word(self, word: str) -> int | None:
        if word in _FIRST or word == self.names.sides[0].lower():
            return 0
        if word in _SECOND or word == self.names.sides[1].lower():
            return 1
        return TIE if word == "tie" or word.startswith("tie (") or word in _TIES else None
