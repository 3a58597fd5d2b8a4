"""Items that an engine holds: their patterns counted, a few of them fetched."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.exceptions import Argument, InPython, InvalidLabelsError, InvalidVotesError
from thumbwise.numerics.patterns import Patterns
from thumbwise.votes.engines.frames import Engine, LazyFrame
from thumbwise.votes.engines.vote_digits import (
    VoteColumn,
    bad_votes,
    bad_votes_error,
    kind_of,
    pack_columns,
    unpack_words,
)
from thumbwise.votes.reading.coding import smallest_dtype
from thumbwise.votes.reading.raw_votes import first_repeated


@dataclass(frozen=True, eq=False)
class Items:
    """Where the items are and how their columns are to be read.

    Attributes
    ----------
    frame : narwhals LazyFrame
        With columns under names of our own.
    engine : Engine
    columns : list of VoteColumn
        One per rule.
    rule_names, class_names : tuple
    abstain : str or None
    item : str or None
        Column of ids, under its own name here.
    kept : dict of str to str
        The user's names of columns that predictions carry, ids first, and the names they have here.
    """

    frame: LazyFrame
    engine: Engine
    columns: Sequence[VoteColumn]
    rule_names: tuple[str, ...]
    class_names: tuple[Hashable, ...]
    abstain: str | None
    item: str | None
    kept: dict[str, str]

    @property
    def base(self) -> int:
        """Of the digits that votes are written in."""
        return len(self.class_names) + 1

    @property
    def words(self) -> dict[str, nw.Expr]:
        """Each row of votes as a few integers; NULL where a vote is neither a class nor an abstention."""
        return pack_columns(self.columns, self.class_names, self.abstain)

    @property
    def has_whole_ids(self) -> bool:
        """Whether ids are whole numbers."""
        return self.item is not None and kind_of(self.frame.collect_schema()[self.item]) == "whole"

    def with_rules(self, rules: Sequence[int]) -> Items:
        """Some of the rules, by position."""
        names = tuple(self.rule_names[j] for j in rules)
        return replace(self, columns=[self.columns[j] for j in rules], rule_names=names)

    def count_patterns(self, max_patterns: int) -> Patterns:
        """Distinct rows in lexicographic order, by one GROUP BY."""
        words = self.words
        grouped = self.frame.select(**words).group_by(*words).agg(n=nw.len())
        groups = self.engine.fetch(grouped.head(max_patterns + 1))
        counts = groups.pop("n")
        if len(counts) == 0:
            raise InvalidVotesError("votes must hold at least one item; found none.")
        if any(_has_missing(word) for word in groups.values()):
            raise self._bad_votes()
        if len(counts) > max_patterns:
            raise InvalidVotesError(
                f"the votes must show at most {max_patterns:,} distinct rows, which memory must hold; there are more. ",
                InPython("Raise max_patterns if they fit. "),
                "Use fewer rules.",
            )
        packed = [groups[name].astype(np.int64) for name in words]
        order = np.lexsort(packed[::-1])
        rows = self._unpack([word[order] for word in packed])
        zeros = np.zeros(len(order), dtype=np.int64)
        return Patterns.from_rows(rows, counts[order].astype(np.int64), zeros, len(self.class_names))

    def fetch_rows(self, ids: AnyArray) -> tuple[AnyArray, IntArray]:
        """Ids and votes of the items that have one of these ids, in no particular order."""
        words = self.words
        joined = self.join_ids({"known_id": ids}, how="inner", item=nw.col(self._id_column(ids)), **words)
        table = self.engine.fetch(joined.select("item", *words).head(len(ids) + 1))
        if any(_has_missing(table[name]) for name in words):
            raise self._bad_votes()
        rows = self._unpack([table[name] for name in words]) if len(table["item"]) else np.empty((0, len(self.columns)))
        _refuse_repeated(table["item"])
        return table["item"], rows.astype(smallest_dtype(len(self.class_names)))

    def any_id(self) -> Hashable:
        """The id of some item."""
        fetched = self.engine.fetch(self.frame.select(item=nw.col(str(self.item))).head(1))
        value: Hashable = fetched["item"].tolist()[0]
        return value

    def join_ids(self, columns: dict[str, AnyArray], *, how: Any, **selected: nw.Expr) -> LazyFrame:
        """Expressions of the items, joined with a small table by its column ``known_id``."""
        ids = columns["known_id"]
        key = nw.col(self._id_column(ids)).cast(nw.String if _are_texts(ids) else nw.Int64)
        small = self.engine.send({**columns, "known_id": ids if _are_texts(ids) else ids.astype(np.int64)}, self.frame)
        return self.frame.select(**selected, key=key).join(small, left_on="key", right_on="known_id", how=how)

    def _id_column(self, ids: AnyArray) -> str:
        """The column of ids, if these could be found in it."""
        if self.item is None:
            raise InvalidLabelsError(
                "items are found by their ids; these votes have none. Name the column with ",
                Argument("item_id", ...),
            )
        kind = kind_of(self.frame.collect_schema()[self.item])
        if kind not in ("text", "whole") or (kind == "text") != _are_texts(ids):
            raise InvalidLabelsError(
                "ids must be whole numbers or strings, the same on both sides; the column of ids has type "
                f"{self.frame.collect_schema()[self.item]}, the ids asked for are such as {ids[:1].tolist()}. "
                "Convert one of them."
            )
        return self.item

    def _unpack(self, words: Sequence[AnyArray]) -> IntArray:
        return unpack_words(words, len(self.columns), self.base, smallest_dtype(len(self.class_names)))

    def _bad_votes(self) -> InvalidVotesError:
        """Which votes are no classes; asked only once it is known that there are some."""
        asked = bad_votes(self.columns, self.class_names, self.abstain)
        is_text = any(column.kind == "text" for column in self.columns)
        counted = self.engine.fetch(self.frame.select(*asked))
        return bad_votes_error(counted, self.rule_names, self.class_names, is_text)


def _are_texts(ids: AnyArray) -> bool:
    return ids.dtype.kind in "UO"


def _has_missing(column: AnyArray) -> bool:
    """Engines give a missing number as None or NaN."""
    if column.dtype.kind == "O":
        return any(value is None for value in column.tolist())
    return column.dtype.kind == "f" and bool(np.isnan(column).any())


def _refuse_repeated(ids: AnyArray) -> None:
    repeated = first_repeated(ids.tolist())
    if repeated is not None:
        raise InvalidVotesError(
            f"item ids must be unique; found {repeated!r} more than once. Drop or rename the items."
        )
