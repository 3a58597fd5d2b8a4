"""What the panel says together, for a plan: opinions, and what more gold labels will make of the learned one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.box.box import Box
from thumbwise.box.budget import FEW_RULES
from thumbwise.box.gold import GoldSample
from thumbwise.box.moments.linear import LEARNED, MomentBuilder, build_moments
from thumbwise.box.opinions.choosing import FOR_LEARNED, LEAST_GOLD, choose_opinions
from thumbwise.box.opinions.learned import LearnedOpinion, learn_opinion
from thumbwise.box.opinions.opinion import Opinion
from thumbwise.box.opinions.written import WrittenOpinion
from thumbwise.numerics.even_panel import first_of_copies

# How fast the bound of the learned opinion falls to its loss on gold: faster than a root, for the formula learns too.
# Measured on ten data sets (docs/plan-and-compare.md).
_FALL = 0.7


@dataclass(frozen=True, eq=False)
class Learned:
    """The learned opinion of today, and the bound on its log loss with more gold labels.

    Attributes
    ----------
    opinion : LearnedOpinion
    bound : float
        Of today, over the pool.
    losses : ndarray of shape (n_gold,)
        On the gold items, which taught it.
    least, most : float
        Between which values its mean loss can lie at all.
    """

    opinion: LearnedOpinion
    bound: float
    losses: FloatArray
    least: float
    most: float

    @classmethod
    def of(cls, opinion: LearnedOpinion, bound: float, sample: GoldSample) -> Learned:
        possible = build_moments((opinion,), sample.pool)
        least, most = float(possible.least[0]), float(possible.most[0])
        losses = opinion.log_losses(sample.votes.patterns)[sample.votes.inverse, sample.labels]
        return cls(opinion, float(np.clip(bound, least, most)), np.asarray(losses), least, most)

    @property
    def loss(self) -> float:
        """Mean on gold. Its teachers flatter it, about as much as more labels will teach it."""
        return float(self.losses.mean())

    def is_used(self, n_gold: int) -> bool:
        """Whether a box from so many gold labels has it."""
        return n_gold >= LEAST_GOLD

    def bound_with(self, n_gold: int) -> float:
        """The bound that is expected with so many labels: loss + (bound - loss) * (labels of today / labels)^0.7."""
        fallen = self.loss + (self.bound - self.loss) * (len(self.losses) / n_gold) ** _FALL
        return float(np.clip(fallen, self.least, self.most))


@dataclass(frozen=True, eq=False)
class PlannedPanel:
    """The opinions that a plan reckons with.

    Attributes
    ----------
    opinions : tuple of Opinion
    learned : Learned or None
        Also if gold labels are too few for it today, where more would do.
    n_distinct : int
        Rules, copies counted once.
    """

    opinions: tuple[Opinion, ...]
    learned: Learned | None
    n_distinct: int

    @property
    def builders(self) -> tuple[MomentBuilder, ...]:
        return self.opinions if self.learned is None else (*self.opinions, self.learned.opinion)

    @property
    def is_written(self) -> bool:
        """Whether some opinion is a function of one's own, of which nobody knows what it makes of fewer rules."""
        return any(isinstance(opinion, WrittenOpinion) for opinion in self.opinions)

    @property
    def needs_all(self) -> bool:
        """Whether one rule fewer would be too few for opinions."""
        return self.n_distinct - 1 <= FEW_RULES

    def silent(self) -> PlannedPanel:
        """Without any opinion."""
        return replace(self, opinions=(), learned=None)

    def with_losses(self, losses: FloatArray | None) -> PlannedPanel:
        """With other losses on gold: the bound of the learned opinion is higher by as much as they are."""
        if self.learned is None or losses is None:
            return self
        bound = self.learned.bound + float(losses.mean()) - self.learned.loss
        return replace(self, learned=replace(self.learned, losses=losses, bound=bound))

    def error_for_learned(self, n_gold: int) -> float:
        """Share of the allowed error that is for the learned opinion."""
        return FOR_LEARNED if self.learned is not None and self.learned.is_used(n_gold) else 0.0


def open_panel(sample: GoldSample, error: float, box: Box | None) -> PlannedPanel:
    """The opinions of a box from votes that is for this pool; otherwise those that a box would have by default."""
    later = choose_opinions(sample, "auto", n_gold=max(len(sample), LEAST_GOLD))
    n_distinct = int(first_of_copies(later.population).sum())
    is_own = box is not None and box.levels is None and box.evidence.pool == sample.pool.fingerprint
    own = box if is_own else None
    opinions = later.opinions if own is None else tuple(b for b in own.builders if isinstance(b, Opinion))
    learned = None if own is None else _learned_of(own, sample)
    if learned is None and opinions and later.learns and (own is None or len(sample) < LEAST_GOLD):
        learned = Learned.of(*learn_opinion(sample, later.population, FOR_LEARNED * error), sample)
    return PlannedPanel(opinions, learned, n_distinct)


def _learned_of(box: Box, sample: GoldSample) -> Learned | None:
    """That of a box, if it has one."""
    place = next((m for m, moment in enumerate(box.about) if moment.kind == LEARNED), None)
    opinion = next((builder for builder in box.builders if isinstance(builder, LearnedOpinion)), None)
    return None if place is None or opinion is None else Learned.of(opinion, float(box.upper[place]), sample)
