"""The draw of gold, as its file tells of it: which item came when, out of how many, by which seed, until when."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.box.designs import Stratified, Subset
from thumbwise.box.gold import GoldIs, GoldSample
from thumbwise.io.gold_lines.headers import Stopping
from thumbwise.tables.formats import Column
from thumbwise.tables.table_files import Table, as_text

# Columns that survive a spreadsheet: the place of an item in the draw, and the draw in words.
DRAW, DESIGN = "draw", "design"
_WORDS = re.compile(r"random draw of (\d+) from (\d+) items without gold \(seed (\d+)\)")
_WAY_OUT = f"label them, or, if it was chance, remove the columns {DRAW!r} and {DESIGN!r}"


class _Drawn:
    """What is said of a draw and of how far its labeling is, however it was drawn."""

    n_drawn: int
    n_candidates: int
    seed: int
    n_labeled: int
    has_gaps: bool
    stopping: Stopping | None
    way_out: str
    n_beyond: int
    is_heeded: bool
    n_from: int | None
    n_pool: int | None
    place_of: Mapping[str, int]
    how: str

    def drawn_order(self, sample: GoldSample) -> IntArray | None:
        """Positions of the gold items by their places in the draw, if the file tells of each."""
        if not self.place_of or not sample.votes.has_ids:
            return None
        places = [self.place_of.get(text, 0) for text in map(str, sample.votes.item_ids.tolist())]
        return np.argsort(places) if sorted(places) == list(range(1, len(places) + 1)) else None

    def beside(self, n_items: int) -> Self:
        """The same beside votes on so many items."""
        return replace(self, n_pool=n_items)  # type: ignore[type-var]  # both kinds are dataclasses

    def heeding_looks(self) -> Self:
        """The same for intervals that hold at all of the looks together."""
        return replace(self, is_heeded=True)  # type: ignore[type-var]

    @property
    def n_unlabeled(self) -> int:
        return self.n_drawn - self.n_labeled

    @property
    def looks(self) -> tuple[int, ...] | Literal["anytime"] | None:
        if self.stopping is None or self.stopping.rule == "fixed":
            return None
        return "anytime" if self.stopping.rule == "anytime" else self.stopping.looks

    @property
    def objection(self) -> str | None:
        """Why what is labeled may be no random sample, if it may not, or when intervals for it do not hold."""
        if self.has_gaps:
            return (
                f"{self.n_unlabeled:,} of the {self.n_drawn:,} items that were drawn have no label while later ones "
                "have, so that what is labeled is no random sample unless chance alone decided which were skipped"
            )
        if self.n_pool is not None and self.n_from not in (None, self.n_pool):
            return (
                f"gold was drawn from {self.n_from:,} items and the votes are on {self.n_pool:,}, so that it is no "
                "random sample of these"
            )
        if self.looks is None or self.is_heeded:
            return None
        when = "at any moment" if self.looks == "anytime" else f"at {len(self.looks)} planned looks"
        return (
            f"what the labels said could end labeling {when}, and these intervals are for a number of labels that is "
            "fixed before the first"
        )

    @property
    def note(self) -> str:
        """What a reader should know, in a sentence."""
        drawn = (
            f"gold was drawn at random {self.how}by thumbwise (seed {self.seed}): {self.n_drawn:,} of "
            f"{self.n_candidates:,} items"
        )
        if self.has_gaps:
            return f"{drawn}; {self.objection}; {self.way_out}"
        return "; ".join([drawn + self._so_far(), *_stopping_notes(self.stopping, self.n_labeled, self.n_beyond)])

    def _so_far(self) -> str:
        if not self.n_unlabeled:
            return ", and all of them have a label"
        first = f"the first {self.n_labeled:,} of them have" if self.n_labeled else "none of them has"
        return f"; {first} a label, {self.n_unlabeled:,} have none yet"


@dataclass(frozen=True)
class GoldDesign(_Drawn, Subset):
    """A random draw of items to be labeled, and how many of them have a label by now.

    The draw is decided before any of its labels is seen. Its items are in random order, so that the first ones that
    have a label are a random sample too, as long as what the labels say does not decide where labeling stops.

    Attributes
    ----------
    n_drawn, n_candidates, seed : int
        So many items were drawn from so many without a gold label, by this seed.
    n_labeled : int
        Drawn items that have a label.
    has_gaps : bool
        Whether a later one has a label and an earlier one has none, or is gone from the table.
    stopping : Stopping or None
        When labeling was to stop, if the file says so.
    way_out : str
        What to do about gaps.
    n_beyond : int
        Labels that came after labeling was to stop, or after the last look, and are left out.
    is_heeded : bool
        Whether intervals hold at all of the looks together.
    n_from : int or None
        Items that all of gold was drawn from; None if some of it was there before.
    n_pool : int or None
        Items that the votes are on.
    place_of : mapping of str to int
        Place in the draw of each gold item, by the text of its id, if the file tells.
    """

    n_drawn: int
    n_candidates: int
    seed: int
    n_labeled: int = 0
    has_gaps: bool = False
    stopping: Stopping | None = None
    way_out: str = _WAY_OUT
    n_beyond: int = 0
    is_heeded: bool = False
    n_from: int | None = None
    n_pool: int | None = None
    place_of: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    how = ""

    def __str__(self) -> str:
        return f"random draw of {self.n_drawn} from {self.n_candidates} items without gold (seed {self.seed})"


@dataclass(frozen=True, eq=False)
class StratifiedGold(_Drawn, Stratified):
    """A random draw within each stratum, of items to be labeled, and how many of them have a label by now.

    Strata and how many items are drawn of each are decided before any label is seen.

    Attributes
    ----------
    stratum_of : mapping of str to str
        Stratum of each gold item, by the text of its id.
    n_drawn, n_candidates, seed, n_labeled, has_gaps, stopping, way_out, n_beyond, is_heeded, n_from, n_pool,
    place_of
        As those of :class:`GoldDesign`.
    """

    gold_is: GoldIs = "subset"
    strata: Any = None
    sizes: Mapping[Any, int] | None = None
    stratum_of: Mapping[str, str] = field(default_factory=dict)
    n_drawn: int = 0
    n_candidates: int = 0
    seed: int = 0
    n_labeled: int = 0
    has_gaps: bool = False
    stopping: Stopping | None = None
    way_out: str = _WAY_OUT
    n_beyond: int = 0
    is_heeded: bool = False
    n_from: int | None = None
    n_pool: int | None = None
    place_of: Mapping[str, int] = field(default_factory=dict, repr=False)

    @property
    def called(self) -> str:
        return Stratified.__name__

    @property
    def how(self) -> str:  # type: ignore[override]  # read only
        return f"within each of {len(self.sizes or ())} strata "

    def in_item_order(self, gold_votes: Any) -> Self:
        strata = [self.stratum_of[text] for text in map(str, gold_votes.item_ids.tolist())]
        return replace(self, strata=np.array([*strata, None], dtype=object)[:-1])


def _stopping_notes(stopping: Stopping | None, n_labeled: int, n_beyond: int) -> list[str]:
    """What the rule for stopping says to the number of labels there is."""
    if stopping is None:
        return []
    beyond = f"; {n_beyond:,} labels after that are left out" if n_beyond else ""
    if stopping.rule == "anytime":
        return ["labeling may stop at any moment, whatever the labels say"]
    if stopping.rule == "looks":
        looks = ", ".join(map(str, stopping.looks or ()))
        return [f"looks at the labels were planned at {looks}, and the last that was reached counts{beyond}"]
    if n_labeled < (stopping.n or 0):
        return [
            f"labeling was to stop at {stopping.n:,} labels: fewer are as good as random, as long as what the labels "
            "said did not decide that it stopped"
        ]
    return [f"labeling was to stop at {stopping.n:,} labels, fixed before the first{beyond}"]


def read_design(gold: Table, labels: Column) -> GoldDesign | None:
    """The draw that the columns of a gold table tell of, if it has them and they are as they were written."""
    if DRAW not in gold.columns or DESIGN not in gold.columns:
        return None
    designs = {text for text in as_text(gold.columns[DESIGN]) if text}
    matches = [_WORDS.fullmatch(text.strip()) for text in designs]
    if len(matches) != 1 or matches[0] is None:
        return None
    is_missing = np.ma.getmaskarray(labels)
    places = [as_place(text) for text in as_text(gold.columns[DRAW])]
    labeled = {place for place, missing in zip(places, is_missing, strict=True) if place is not None and not missing}
    n_drawn, n_candidates, seed = map(int, matches[0].groups())
    has_gaps, n_from = labeled != set(range(1, len(labeled) + 1)), None if None in places else n_candidates
    return GoldDesign(n_drawn, n_candidates, seed, len(labeled), has_gaps, n_from=n_from)


def as_place(text: str | None) -> int | None:
    """A spreadsheet may have made 3 into 3.0."""
    try:
        return int(float(text or "nothing"))
    except (ValueError, OverflowError):
        return None
