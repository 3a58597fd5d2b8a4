"""Part of a model in a comparison: under which names, with which parameters, and what it may learn from."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.gold import GoldIs
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.votes import Votes


@dataclass(frozen=True, eq=False)
class Split:
    """What a method may use, and the gold items that it is judged on.

    Attributes
    ----------
    pool : Votes or LazyVotes
        Items without labels, as far as the method knows.
    fit_votes, fit_labels : Votes, ndarray of shape (n_fit,)
        Gold of the other folds, and its class numbers; none for a method that does not use gold.
    votes : Votes
        The gold items to predict.
    start : LabelModel, optional
        Of another fold, where a search may begin; where it ends does not depend on it, but for the tolerance.
    """

    pool: CountedVotes
    fit_votes: Votes
    fit_labels: IntArray
    votes: Votes
    gold_is: GoldIs
    confidence_level: float
    start: object = None

    @property
    def n_classes(self) -> int:
        return self.pool.n_classes

    @property
    def fit_names(self) -> list[Hashable]:
        """Labels of the gold of the other folds, by name: a class called 1 need not be class number 1."""
        return name_labels(self.fit_labels, self.pool)

    @property
    def class_shares(self) -> FloatArray:
        """Class frequencies of that gold, counted as if each class had been seen once more."""
        counts = np.bincount(self.fit_labels, minlength=self.n_classes) + 1.0
        return np.asarray(counts / counts.sum())


def name_labels(labels: IntArray, votes: CountedVotes) -> list[Hashable]:
    """Names of classes by their numbers."""
    return [votes.class_names[c] for c in labels.tolist()]


@dataclass(frozen=True)
class Compared:
    """One line of a comparison.

    Attributes
    ----------
    name : str
        What ``compare(methods=[...])`` and its tables call it.
    parameters : mapping
        Of the constructor.
    uses_gold : bool
        Whether it is fitted anew for each fold, to the gold of the others. A model that needs labels always is.
    by_default : bool
        Whether it is compared without being asked for.
    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    uses_gold: bool = False
    by_default: bool = False
