"""How often an opinion is at most one step from the truth, where classes are ordered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thumbwise.box.moments.linear import NEAR, About, Moments
from thumbwise.box.moments.of_steps import neighbours
from thumbwise.box.opinions.opinion import Opinion
from thumbwise.numerics.shared_features import cell_features
from thumbwise.votes.counted_votes import CountedVotes


@dataclass(frozen=True, eq=False)
class NearOpinion:
    """Share of the items an opinion speaks on whose true class is its verdict or next to it; exact as its accuracy is.

    Attributes
    ----------
    opinion : Opinion
        Settled before gold labels are seen.
    """

    opinion: Opinion
    is_over_votes: ClassVar[bool] = False

    def __call__(self, votes: CountedVotes) -> Moments:
        patterns, chosen = votes.patterns, self.opinion.verdicts(votes.patterns)
        speaks = np.flatnonzero(chosen >= 0)
        cells, _ = neighbours(speaks, chosen[speaks], np.zeros_like(speaks), patterns.n_classes)
        name = self.opinion.name
        return Moments.of_shares(
            [About(f"within one step({name})", f"{name} within one step", NEAR)],
            cell_features(cells, np.zeros_like(cells), patterns.n_patterns, patterns.n_classes, 1),
            np.array([patterns.counts[speaks].sum()], dtype=np.int64),
            [(NEAR, name, cells.tobytes())],
        )
