"""How far judges are from gold on a scale: within one step, by how much, and to which side."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from thumbwise._typing import AnyArray
from thumbwise.assess.judging.heard import Heard
from thumbwise.box.moments.of_steps import within_one_step
from thumbwise.box.opinions.near import NearOpinion
from thumbwise.metrics import mean_absolute_error, quadratic_kappa
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.votes.ordered_classes import step_values


@dataclass(frozen=True)
class Steps:
    """How far one judge, or the panel, is from gold where classes are ordered.

    Distances are in the numbers that classes are called by, or in steps if these are words.

    Attributes
    ----------
    n_gold, n_within : int
        Gold items on which it votes, and on which its vote is at most one step off.
    interval : tuple of float
        For the share of those among its votes on the pool; (0, 1) where nothing is known.
    mean_absolute_error : float
        Mean distance to gold. An estimate, as the rest; NaN if it never votes on gold.
    bias : float
        Mean of vote less gold: above 0 it rates too high.
    quadratic_kappa : float
        Cohen's kappa with quadratic weights.
    """

    n_gold: int
    n_within: int
    interval: tuple[float, float]
    mean_absolute_error: float
    bias: float
    quadratic_kappa: float

    @property
    def within_one(self) -> float:
        return self.n_within / self.n_gold if self.n_gold else float("nan")


def has_steps(heard: Heard) -> bool:
    """Whether classes are ordered, and so many that one step off is not always true."""
    return heard.sample.pool.is_ordered and heard.sample.pool.n_classes > 2


def count_steps(heard: Heard, counted: AnyArray, error: float) -> list[Steps | None]:
    """Of each voter; intervals for those that are counted, each with the same error. None without an order."""
    if not has_steps(heard):
        return [None] * heard.on_gold.shape[1]
    panel = tuple(NearOpinion(opinion) for opinion in heard.panel)
    sample = replace(heard.sample, builders=(within_one_step, *panel))
    half = np.where(counted, error / 2, 0.0)
    lower, upper = sample.design.intervals(sample, np.stack([half, half]))
    ends = zip(np.where(counted, lower, 0.0).tolist(), np.where(counted, upper, 1.0).tolist(), strict=True)
    counts = zip(sample.counts.drawn.tolist(), sample.counts.right.tolist(), strict=True)
    return [
        Steps(n_gold, n_within, interval, *_distances(heard, j))
        for j, ((n_gold, n_within), interval) in enumerate(zip(counts, ends, strict=True))
    ]


def _distances(heard: Heard, voter: int) -> tuple[float, float, float]:
    """Mean absolute error, bias and quadratic kappa on the gold items on which it votes."""
    voted = heard.on_gold[:, voter] != ABSTAIN
    said, labels = heard.on_gold[voted, voter].astype(np.int64), heard.labels[voted]
    if not len(said):
        return np.nan, np.nan, np.nan
    values = step_values(heard.sample.pool.class_names)
    bias = float((values[said] - values[labels]).mean())
    return mean_absolute_error(labels, said, values=values), bias, quadratic_kappa(labels, said, values=values)
