"""Cells that hold several tags: which tags a judge names in each, and where it was silent.

A cell is joined texts (``a|b``), a list (``["a", "b"]``, as JSON lines and Parquet have them) or, in a column for one
judge and one tag, a truth value. Whoever names some tags says of every other tag that it is not there; whoever abstains
says nothing of any tag. An empty cell may be either, so it is asked for unless something else in the table stands for
"no tags".
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.exceptions import Argument, InvalidLabelsError, InvalidVotesError, ThumbwiseError
from thumbwise.io.distinct import Distinct, distinct_of, spelling
from thumbwise.io.tag_roles import EmptyMeans, GoldEmptyMeans, TagRoles
from thumbwise.tables.formats import Column

Cells: TypeAlias = Literal["joined", "lists", "columns"]
EMPTY_MEANS: tuple[EmptyMeans, ...] = ("no-tags", "abstained")
GOLD_EMPTY_MEANS: tuple[GoldEmptyMeans, ...] = ("no-tags", "unknown")
NO, YES = "no", "yes"
SEPARATORS = "|;,"
_TRUTHS = {"1": True, "0": False, "true": True, "false": False, "yes": True, "no": False}


@dataclass(frozen=True, eq=False)
class Said:
    """What one column says: the tags of each different cell, None where nothing is said.

    Attributes
    ----------
    answers : tuple of frozenset of str, or None
        Of each different cell; the last is that of a cell which is missing.
    index : ndarray of shape (n_rows,)
        Number of the answer of each row.
    """

    answers: tuple[frozenset[str] | None, ...]
    index: IntArray

    def about(self, tag: str) -> Column:
        """Yes or no to one tag, masked where nothing is said."""
        said = np.array([None if a is None else YES if tag in a else NO for a in self.answers], dtype=object)
        column = said[self.index]
        gone = np.array([answer is None for answer in self.answers])
        return np.ma.MaskedArray(column, mask=gone[self.index])

    @property
    def tags(self) -> set[str]:
        """All tags that are named in some row."""
        used = set(np.unique(self.index).tolist())
        return {tag for j, answer in enumerate(self.answers) if j in used for tag in answer or ()}

    def rows_with(self, tag: str) -> IntArray:
        """Rows that name a tag."""
        return np.flatnonzero(
            np.isin(self.index, [j for j, answer in enumerate(self.answers) if tag in (answer or ())])
        )


def are_truths(columns: Iterable[Distinct]) -> bool:
    """Whether columns hold truth values alone, and some of them."""
    texts = {spelling(text).lower() for column in columns for text in column.counts}
    return bool(texts) and texts <= set(_TRUTHS)


def settle_separator(columns: Sequence[Distinct], roles: TagRoles) -> tuple[str | None, str]:
    """What separates tags, as said or as the cells show it, and a note; None if every cell holds one tag."""
    if roles.separator is not None:
        if not roles.separator.strip():
            raise InvalidVotesError(
                Argument("separator"), " must be a sign, such as | or ;; found nothing but space. Name the sign."
            )
        return roles.separator, f"tags are separated by {roles.separator!r}"
    marks = {roles.no_tags, roles.abstain}
    texts = [text for column in columns for text in column.counts if text.strip() not in marks]
    signs = [sign for sign in SEPARATORS if any(sign in text for text in texts)]
    if len(signs) > 1:
        shown = [next(text for text in texts if sign in text)[:40] for sign in signs]
        raise InvalidVotesError(
            f"what separates tags must be clear; cells hold {' and '.join(map(repr, signs))}, such as "
            f"{' and '.join(map(repr, shown))}. Say which it is with ",
            Argument("separator", repr(signs[0])),
            ".",
        )
    return (signs[0], f"tags are separated by {signs[0]!r}") if signs else (None, "each cell holds one tag at most")


@dataclass(frozen=True)
class Grammar:
    """How cells are read, settled from votes alone and used for gold too.

    Attributes
    ----------
    cells : {"joined", "lists", "columns"}
    separator : str or None
        Of joined tags.
    roles : TagRoles
    """

    cells: Cells
    separator: str | None
    roles: TagRoles

    def parse(self, text: str, tag: str | None = None) -> frozenset[str] | None:
        """The tags that a cell names; None if it is the mark for abstain. A ValueError says what is wrong with it.

        Parameters
        ----------
        text : str
            Not empty.
        tag : str, optional
            The one that the column is about, if cells are truth values.
        """
        text = text.strip()
        if text in (self.roles.abstain, self.roles.no_tags):
            return None if text == self.roles.abstain else frozenset()
        if self.cells == "columns":
            truth = _TRUTHS.get(spelling(text).lower())
            if truth is None:
                raise ValueError("must be 0 or 1, yes or no, true or false")
            return frozenset([tag or ""]) if truth else frozenset()
        parts = _listed(text) if self.cells == "lists" else [text] if self.separator is None else self._split(text)
        return frozenset(filter(None, (part.strip() for part in parts)))

    def _split(self, text: str) -> list[str]:
        return text.split(self.separator)


def cells_grammar(columns: Sequence[Distinct], roles: TagRoles, separator: str | None = None) -> tuple[Grammar, str]:
    """How cells that hold tags are read: as lists if some cell is one, otherwise as joined texts; and a note.

    A separator that other cells have is used unless these have lists.
    """
    if any(text.lstrip().startswith("[") for column in columns for text in column.counts):
        return Grammar("lists", None, roles), "cells hold lists of tags"
    if separator is not None:
        return Grammar("joined", separator, roles), f"tags are separated by {separator!r}"
    sign, note = settle_separator(columns, roles)
    return Grammar("joined", sign, roles), note


def _listed(text: str) -> list[str]:
    try:
        parts = json.loads(text)
    except (ValueError, RecursionError):
        parts = None
    if not isinstance(parts, list) or any(isinstance(part, (list, dict)) or part is None for part in parts):
        raise ValueError('must be a list of tags, such as ["a", "b"], as other cells are')
    return [str(part) for part in parts]


def read_cells(
    columns: Sequence[tuple[str, Column, str | None]], grammar: Grammar, *, is_gold: bool = False
) -> tuple[list[Said], list[str]]:
    """What columns say, and notes on what an empty cell was taken for.

    Parameters
    ----------
    columns : sequence of (name, column, tag)
        The tag that a column is about, if there is one for each; otherwise None.
    grammar : Grammar
    is_gold : bool
        Whether cells are gold labels, of which an empty one may be unknown.
    """
    found = [distinct_of(name, column) for name, column, _ in columns]
    filled = [
        {text: _parsed(text, own, grammar, tag, is_gold) for text in own.counts if text.strip()}
        for own, (_, _, tag) in zip(found, columns, strict=True)
    ]
    indices = [np.asarray(own.index) for own in found]
    n_empty = sum(int((index < 0).sum()) for index in indices)
    n_empty += sum(own.count(text for text in own.counts if not text.strip()) for own in found)
    says_none = any(answer == frozenset() for answers in filled for answer in answers.values())
    means_none, notes = _settle_empty(n_empty, says_none, grammar, is_gold, found[0].name if found else "")
    empty = frozenset[str]() if means_none else None
    said = [
        Said((*(answers.get(text, empty) for text in own.counts), empty), np.where(index < 0, len(own.counts), index))
        for own, answers, index in zip(found, filled, indices, strict=True)
    ]
    return said, notes


def _parsed(text: str, column: Distinct, grammar: Grammar, tag: str | None, is_gold: bool) -> frozenset[str] | None:
    try:
        return grammar.parse(text, tag)
    except ValueError as error:
        raise _at(column, text, str(error), is_gold) from None


def _at(column: Distinct, text: str, what: str, is_gold: bool) -> ThumbwiseError:
    rows = column.rows_of([text])
    row = "" if rows is None else f" in row {rows[0]}, counting from 0"
    kind = InvalidLabelsError if is_gold else InvalidVotesError
    return kind(f"a cell {what}; column {column.name!r} holds {text[:60]!r}{row} ({column.count([text]):,} such rows).")


def _settle_empty(n_empty: int, says_none: bool, grammar: Grammar, is_gold: bool, name: str) -> tuple[bool, list[str]]:
    """Whether an empty cell means "no tags", and a note on it."""
    stated = grammar.roles.gold_empty_means if is_gold else grammar.roles.empty_means
    other, argument = ("unknown", "gold_empty_means") if is_gold else ("abstained", "empty_means")
    what = "gold label" if is_gold else "cell"
    if not n_empty:
        return False, []
    if stated is not None:
        return stated == "no-tags", [
            f"an empty {what} means {'no tags' if stated == 'no-tags' else other} ({n_empty:,})"
        ]
    if says_none:
        none = {"lists": "[] stands for no tags", "columns": "0 stands for no"}
        why = none.get(grammar.cells, f"{grammar.roles.no_tags!r} stands for no tags")
        return False, [f"an empty {what} means {other} ({n_empty:,}), as {why}"]
    kind = InvalidLabelsError if is_gold else InvalidVotesError
    first = "whoever labeled it found none of the tags" if is_gold else "the judge looked and named none of the tags"
    second = "nobody has labeled the item" if is_gold else "it gave no answer"
    raise kind(
        f"what an empty {what} means must be clear; {n_empty:,} are empty{f' in column {name!r}' if is_gold else ''}, "
        f"and may say that {first}, or that {second}. Say ",
        Argument(argument, '"no-tags"'),
        " or ",
        Argument(argument, f'"{other}"'),
        *(() if is_gold else ("; if some word stands for no tags, name it with ", Argument("no_tags", "VALUE"))),
        ".",
    )
