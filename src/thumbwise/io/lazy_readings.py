"""Votes that stay in files, with the gold labels of some of their items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from thumbwise._typing import IntArray
from thumbwise.box import Box
from thumbwise.io.gold_design import GoldDesign
from thumbwise.io.readings import box_of
from thumbwise.io.stamps import Stamp
from thumbwise.lazy_votes import LazyVotes
from thumbwise.votes import Votes


@dataclass(frozen=True, eq=False)
class LazyReading:
    """Votes in files with the gold labels of some of their items; what commands print is called as in ``Reading``.

    The stamps are those of the files when they were opened.
    """

    votes: LazyVotes
    gold_votes: Votes
    gold_labels: IntArray
    notes: tuple[str, ...]
    stamps: Mapping[str, Stamp | None]
    gold_design: GoldDesign | None = None
    gold_is = "subset"
    separate = None
    jury = None

    def box(self, *, confidence_level: float = 0.95, **options: Any) -> Box:
        """``Box.from_gold`` with this gold and this pool."""
        return box_of(self, confidence_level, options)
