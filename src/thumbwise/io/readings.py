"""Readings: what votes and gold labels were understood as, from whatever people had them in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.box.box import Box
from thumbwise.box.designs import Clusters
from thumbwise.box.gold import Design
from thumbwise.exceptions import Argument, InvalidLabelsError
from thumbwise.io.gold_design import GoldDesign, StratifiedGold
from thumbwise.io.jury import Jury
from thumbwise.io.pairs import Pairs
from thumbwise.io.roles import Layout
from thumbwise.summaries import Shown, ShowsItself, show_reading
from thumbwise.tables.formats import Columns
from thumbwise.tables.stamps import Stamp
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.inputs import VotesAndGold
from thumbwise.votes.labels import UNKNOWN
from thumbwise.votes.votes import Votes


@dataclass(frozen=True, eq=False)
class Files:
    """Files in which the items of a reading stay.

    Attributes
    ----------
    inputs : tuple of path or None
        What was read, which no output may touch.
    stamps : mapping of str to Stamp
        Those of the files when they were opened.
    gold_votes : Votes or None
        Votes on the gold items.
    gold_labels : ndarray of shape (n_gold,)
        Class numbers of the gold items.
    """

    inputs: tuple[Path | None, ...]
    stamps: Mapping[str, Stamp | None]
    gold_votes: Votes | None
    gold_labels: IntArray


@dataclass(frozen=True, eq=False)
class Reading(VotesAndGold, ShowsItself):
    """Votes, the gold labels that came with them, and what was inferred on the way. Made by :func:`read_votes`.

    Attributes
    ----------
    votes : Votes or LazyVotes
        The pool: lazy votes if its items stay in files.
    gold : ndarray of shape (n_items,)
        Class number of each item of the pool, -1 where unknown; empty if items stay in files, whose rows have no order.
    separate : tuple of Votes and ndarray, or None
        Gold items that are not part of the pool, and their classes.
    id_name : str or None
        What the ids are called; None if items are numbered.
    passed_on : mapping of str to Column
        Columns that are no rules, by item; empty ones if items stay in files.
    notes : tuple of str
        What was inferred, in words.
    layout : str
    jury : Jury or None
        What each judge did, if the votes are records of judges.
    source : object
        The frame that was read, so that labels can be given back as one; None for files.
    gold_design : GoldDesign, StratifiedGold or None
        How gold was drawn, if its file tells of a draw by thumbwise.
    files : Files or None
        Where the items stay, if they are not here.
    drawn_by : Design or None
        How gold was drawn, if the user says so.
    cluster : str or None
        The column, among those passed on, whose values say which items were drawn and labeled together.
    pairs : Pairs or None
        The systems that items compare, if they are comparisons of two systems.

    Examples
    --------
    >>> import pandas as pd
    >>> import thumbwise as tw
    >>> frame = pd.DataFrame({"id": ["a", "b", "c"], "caps": [0, 1, 1], "link": [0, -1, 1]})
    >>> reading = tw.read_votes(frame, gold={"a": 0, "c": 1})
    >>> reading.gold.tolist(), reading.gold_labels.tolist(), reading.gold_is
    ([0, -1, 1], [0, 1], 'subset')
    >>> reading.gold_votes.item_ids.tolist()
    ['a', 'c']
    """

    votes: Any
    gold: IntArray
    separate: tuple[Votes, IntArray] | None = None
    id_name: str | None = None
    passed_on: Columns = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    layout: Layout = "wide"
    jury: Jury | None = None
    source: Any = None
    gold_design: GoldDesign | StratifiedGold | None = None
    files: Files | None = None
    drawn_by: Design | None = None
    cluster: str | None = None
    pairs: Pairs | None = None

    @property
    def gold_is(self) -> Literal["subset", "separate"]:
        """Whether gold items are part of the pool."""
        return "subset" if self.separate is None else "separate"

    @property
    def gold_drawn(self) -> Any:
        """How gold was drawn, as far as is known."""
        if self.drawn_by is not None:
            return self.drawn_by
        if self.cluster is not None:
            clusters = np.array([*self.passed_on[self.cluster].tolist(), None], dtype=object)[:-1]
            return Clusters(clusters[self.gold != UNKNOWN], clusters)
        return self.gold_is if self.gold_design is None else self.gold_design.beside(self.votes.n_items)

    @cached_property
    def gold_votes(self) -> Votes:
        """Votes on the gold items."""
        if self.files is not None:
            return self.files.gold_votes  # type: ignore[return-value]  # None only where no label is known
        gold_votes: Votes = self.votes.take(self.gold != UNKNOWN) if self.separate is None else self.separate[0]
        return gold_votes

    @property
    def gold_labels(self) -> IntArray:
        """Class numbers of the gold items."""
        if self.files is not None:
            return self.files.gold_labels
        return self.gold[self.gold != UNKNOWN] if self.separate is None else self.separate[1]

    def box(self, *, confidence_level: float = 0.95, **options: Any) -> Box:
        """:meth:`Box.from_gold` with this gold and this pool.

        *Guarantee*: that of :meth:`Box.from_gold`, if gold was drawn at random. The reading does not choose items:
        all of its gold counts.

        Parameters
        ----------
        confidence_level : float
            Chance that all intervals hold together.
        **options
            Passed on to :meth:`Box.from_gold`.

        Examples
        --------
        >>> import pandas as pd
        >>> import thumbwise as tw
        >>> frame = pd.DataFrame({"id": ["a", "b", "c"], "caps": [0, 1, 1], "link": [0, -1, 1]})
        >>> box = tw.read_votes(frame, gold={"a": 0, "c": 1}).box(confidence_level=0.9)
        >>> box.evidence.confidence_level, len(box.lower)
        (0.9, 4)
        """
        if not len(self.gold_labels):
            raise no_gold()
        return Box.from_gold(self, confidence_level=confidence_level, **options)

    def _shown(self) -> Shown:
        return show_reading(self)

    def __repr__(self) -> str:
        n_gold = len(self.gold_labels)
        gold = f"{n_gold:,} gold labels, {'of these items' if self.separate is None else 'of other items'}"
        lines = [repr(self.votes), gold if n_gold else "no gold labels", *self.notes]
        return "\n".join([*lines, *([] if self.jury is None else [str(self.jury)])])


def no_gold() -> InvalidLabelsError:
    """The error for votes without gold labels."""
    return InvalidLabelsError(
        "gold labels are needed: about a hundred items, drawn at random, whose class somebody checked. Name a file "
        "of ids and labels with ",
        Argument("gold", "FILE"),
        ", or a column of the votes with ",
        Argument("gold_column", "NAME"),
        ".",
    )


def silent_classes(votes: CountedVotes) -> Iterator[str]:
    """A note on classes that nobody votes for."""
    counts = votes.patterns.vote_table.sum(axis=0)
    silent = [repr(name) for name, count in zip(votes.class_names, counts, strict=True) if count == 0]
    if silent:
        yield f"no rule ever votes for class {', '.join(silent[:10])}"
