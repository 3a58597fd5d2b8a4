"""The draw of gold, as two columns of its table tell of it: which item came when, and out of how many by which seed."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from thumbwise.box.designs import Subset
from thumbwise.tables.formats import Column
from thumbwise.tables.table_files import Table, as_text

# Columns that survive a spreadsheet: the place of an item in the draw, and the draw in words.
DRAW, DESIGN = "draw", "design"
_WORDS = re.compile(r"random draw of (\d+) from (\d+) items without gold \(seed (\d+)\)")


@dataclass(frozen=True)
class GoldDesign(Subset):
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
    """

    n_drawn: int
    n_candidates: int
    seed: int
    n_labeled: int = 0
    has_gaps: bool = False

    def __str__(self) -> str:
        return f"random draw of {self.n_drawn} from {self.n_candidates} items without gold (seed {self.seed})"

    @property
    def n_unlabeled(self) -> int:
        return self.n_drawn - self.n_labeled

    @property
    def objection(self) -> str | None:
        """Why what is labeled may be no random sample, if it may not."""
        if not self.has_gaps:
            return None
        return (
            f"{self.n_unlabeled:,} of the {self.n_drawn:,} items that were drawn have no label while later ones have, "
            "so that what is labeled is no random sample unless chance alone decided which were skipped"
        )

    @property
    def note(self) -> str:
        """What a reader should know, in a sentence."""
        drawn = (
            f"gold was drawn at random by thumbwise (seed {self.seed}): {self.n_drawn:,} of {self.n_candidates:,} items"
        )
        if self.objection is not None:
            way_out = f"label them, or, if it was chance, remove the columns {DRAW!r} and {DESIGN!r}"
            return f"{drawn}; {self.objection}; {way_out}"
        if self.n_unlabeled:
            first = f"the first {self.n_labeled:,} of them have" if self.n_labeled else "none of them has"
            return f"{drawn}; {first} a label, {self.n_unlabeled:,} have none yet"
        return f"{drawn}, and all of them have a label"


def read_design(gold: Table, labels: Column) -> GoldDesign | None:
    """The draw that the columns of a gold table tell of, if it has them and they are as they were written."""
    if DRAW not in gold.columns or DESIGN not in gold.columns:
        return None
    designs = {text for text in as_text(gold.columns[DESIGN]) if text}
    matches = [_WORDS.fullmatch(text.strip()) for text in designs]
    if len(matches) != 1 or matches[0] is None:
        return None
    is_missing = np.ma.getmaskarray(labels)
    places = [_as_place(text) for text in as_text(gold.columns[DRAW])]
    labeled = {place for place, missing in zip(places, is_missing, strict=True) if place is not None and not missing}
    n_drawn, n_candidates, seed = map(int, matches[0].groups())
    return GoldDesign(n_drawn, n_candidates, seed, len(labeled), labeled != set(range(1, len(labeled) + 1)))


def _as_place(text: str | None) -> int | None:
    """A spreadsheet may have made 3 into 3.0."""
    try:
        return int(float(text or "nothing"))
    except (ValueError, OverflowError):
        return None
