"""Scores that go beyond sums over votes: functions of such sums, added on top of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.models.additive_terms import AdditiveTerms


@dataclass(frozen=True, eq=False)
class Winner:
    """``weight`` for the class with the largest sum, if that leads by more than 1e-9, and by ``least`` up to ``most``.

    ``most`` itself is excluded; both count to nine digits.
    """

    sums: AdditiveTerms
    weight: float
    least: float = -np.inf
    most: float = np.inf


@dataclass(frozen=True, eq=False)
class LogCount:
    """``weight`` times the log of the sum of each class, plus ``start``."""

    sums: AdditiveTerms
    weight: float
    start: float


@dataclass(frozen=True, eq=False)
class LogMixture:
    """``weight`` times the log probability of each class: a softmax of ``scores``, mixed with an even guess."""

    scores: Formula
    weight: float
    even_part: float


Term: TypeAlias = Winner | LogCount | LogMixture


@dataclass(frozen=True, eq=False)
class Formula:
    """Scores of an item's classes: a sum over its votes, plus further terms."""

    sums: AdditiveTerms
    terms: tuple[Term, ...] = ()


def own_class(weights: FloatArray, n_classes: int) -> AdditiveTerms:
    """Votes that add a rule's weight to the class they are for, and nothing to others."""
    return AdditiveTerms(weights[:, None, None] * np.eye(n_classes), np.zeros(n_classes))
