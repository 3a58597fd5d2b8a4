"""What votes and gold labels were understood as, from whatever people had them in."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from thumbwise._typing import IntArray
from thumbwise.box import Box
from thumbwise.inputs import VotesAndGold
from thumbwise.io.formats import Columns
from thumbwise.io.gold_design import GoldDesign
from thumbwise.io.jury import Jury
from thumbwise.io.roles import Layout
from thumbwise.labels import UNKNOWN
from thumbwise.votes import Votes


def box_of(reading: Any, confidence_level: float, options: dict[str, Any]) -> Box:
    """The box that the gold of a reading gives, whether its items are here or in files."""
    pool, gold_is = reading.votes, reading.gold_is
    labels = reading.gold_labels
    box = Box.from_gold(
        reading.gold_votes, labels, pool=pool, gold_is=gold_is, confidence_level=confidence_level, **options
    )
    objection = None if reading.gold_design is None else reading.gold_design.doubt
    return box if objection is None else replace(box, evidence=replace(box.evidence, objection=objection))


@dataclass(frozen=True, eq=False)
class Reading(VotesAndGold):
    """Votes, the gold labels that came with them, and what was inferred on the way. Made by :func:`read_votes`.

    Attributes
    ----------
    votes : Votes
        The pool.
    gold : ndarray of shape (n_items,)
        Class number of each item of the pool, -1 where unknown.
    separate : tuple of Votes and ndarray, or None
        Gold items that are not part of the pool, and their classes.
    id_name : str or None
        What the ids are called; None if items are numbered.
    passed_on : mapping of str to Column
        Columns that are no rules, by item.
    notes : tuple of str
        What was inferred, in words.
    layout : str
    jury : Jury or None
        What each judge did, if the votes are records of judges.
    source : object
        The frame that was read, so that labels can be given back as one; None for files.
    gold_design : GoldDesign or None
        How gold was drawn, if its table tells of a draw by :func:`draw_gold`.
    """

    votes: Votes
    gold: IntArray
    separate: tuple[Votes, IntArray] | None = None
    id_name: str | None = None
    passed_on: Columns = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    layout: Layout = "wide"
    jury: Jury | None = None
    source: Any = None
    gold_design: GoldDesign | None = None

    @property
    def gold_is(self) -> Literal["subset", "separate"]:
        """Whether gold items are part of the pool."""
        return "subset" if self.separate is None else "separate"

    @property
    def gold_drawn(self) -> Any:
        """How gold was drawn, as far as is known."""
        return self.gold_design or self.gold_is

    @cached_property
    def gold_votes(self) -> Votes:
        """Votes on the gold items."""
        return self.votes.take(self.gold != UNKNOWN) if self.separate is None else self.separate[0]

    @property
    def gold_labels(self) -> IntArray:
        """Class numbers of the gold items."""
        return self.gold[self.gold != UNKNOWN] if self.separate is None else self.separate[1]

    def box(self, *, confidence_level: float = 0.95, **options: Any) -> Box:
        """``Box.from_gold`` with this gold and this pool; needs gold labels drawn at random."""
        return box_of(self, confidence_level, options)

    def __repr__(self) -> str:
        n_gold = len(self.gold_labels)
        gold = f"{n_gold:,} gold labels, {'of these items' if self.separate is None else 'of other items'}"
        lines = [repr(self.votes), gold if n_gold else "no gold labels", *self.notes]
        return "\n".join([*lines, *([] if self.jury is None else [str(self.jury)])])
