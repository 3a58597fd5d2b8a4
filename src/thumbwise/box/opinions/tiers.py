"""An opinion taken apart by how sure it is: a rule for each tier, which says nothing elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.opinions.opinion import Opinion, SummedOpinion, WeightedVote
from thumbwise.exceptions import InvalidBoxError
from thumbwise.numerics.patterns import Patterns


@dataclass(frozen=True)
class InTiers:
    """An opinion by name, to be split at quantiles of its margin over the items it speaks on.

    Attributes
    ----------
    opinion : {"majority", "panel"}
    n_tiers : int

    Examples
    --------
    >>> import thumbwise as tw
    >>> tw.opinions.InTiers("majority", 2)
    InTiers(opinion='majority', n_tiers=2)
    """

    opinion: str
    n_tiers: int = 2

    def __post_init__(self) -> None:
        n: object = self.n_tiers
        if not isinstance(n, int) or isinstance(n, bool) or not 1 <= n <= 20:
            raise InvalidBoxError(f"an opinion can be split into 1 to 20 tiers; found {n!r}.")

    def split(self, whole: WeightedVote, population: Patterns) -> tuple[Opinion, ...]:
        """The tiers, least sure first; fewer if margins are so equal that some would be empty."""
        margins, chosen = _margins(whole.scores(population)), whole.verdicts(population)
        speaks = chosen >= 0
        order = np.argsort(margins[speaks], kind="stable")
        sorted_margins = margins[speaks][order]
        share = np.cumsum(population.counts[speaks][order]) / max(1, population.counts[speaks].sum())
        places = np.searchsorted(share, np.arange(1, self.n_tiers) / self.n_tiers)
        inner = sorted_margins[np.minimum(places, len(sorted_margins) - 1)].tolist() if len(sorted_margins) else []
        edges = [-np.inf, *sorted(set(inner)), np.inf]
        pairs = pairwise(edges)
        tiers = [Tier(f"{whole.name} {i + 1}", whole, low, high) for i, (low, high) in enumerate(pairs)]
        return tuple(tier for tier in tiers if (tier.verdicts(population) >= 0).any())


@dataclass(frozen=True, eq=False)
class Tier(SummedOpinion):
    """What an opinion says where its margin lies between two numbers, the upper one excluded."""

    of: WeightedVote
    least: float
    most: float

    @property
    def weights(self) -> FloatArray:  # type: ignore[override]  # those of the whole opinion, never set
        return self.of.weights

    def judge(self, scores: FloatArray) -> IntArray:
        margins = _margins(scores)
        return np.where((margins >= self.least) & (margins < self.most), self.of.judge(scores), -1)


def _margins(scores: FloatArray) -> FloatArray:
    """The largest score less the second, to nine digits, so that equal sums in another order stay equal."""
    ordered = np.partition(scores, -2, axis=1)
    return np.round(ordered[:, -1] - ordered[:, -2], 9)
