"""Real data that needs no download: scikit-learn's breast-cancer data, with rules of thumb written for it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.datasets import load_breast_cancer

from thumbwise._typing import FloatArray, IntArray
from thumbwise.datasets.examples import Demo, draw_gold
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.votes.votes import Votes

MALIGNANT, BENIGN = 0, 1
N_GOLD = 100
DESCRIPTION = (
    "Breast-cancer data that scikit-learn ships: 569 tumours, 30 measurements each, malignant or benign.\n"
    "Eight rules of thumb look at one measurement each: small is benign, large malignant, in between they abstain.\n"
    "100 tumours, drawn at random, have a known class (gold); the classes of the others are used only at the end."
)


@dataclass(frozen=True)
class Threshold:
    """A rule of thumb on one measurement: small is benign, large is malignant, and in between it abstains."""

    feature: str
    small: float
    large: float

    @property
    def name(self) -> str:
        return f"{self.feature} <{self.small:g} / >{self.large:g}"

    def vote(self, measured: FloatArray) -> IntArray:
        return np.where(measured < self.small, BENIGN, np.where(measured > self.large, MALIGNANT, ABSTAIN))


# Round numbers between what is usual for one class and for the other, chosen once and not adjusted to the result.
THRESHOLDS = (
    Threshold("mean radius", 12, 16),
    Threshold("mean concavity", 0.05, 0.1),
    Threshold("area error", 20, 40),
    Threshold("worst radius", 15, 18),
    Threshold("worst texture", 20, 30),
    Threshold("worst smoothness", 0.11, 0.15),
    Threshold("worst concave points", 0.1, 0.15),
    Threshold("worst symmetry", 0.25, 0.35),
)


def load_tumours() -> Demo:
    """569 tumours, eight rules on single measurements, 100 gold labels; the same at every call.

    Which items are gold is drawn at random by a fixed seed, before any label is looked at.

    Returns
    -------
    Demo

    Examples
    --------
    >>> from thumbwise.datasets import load_tumours
    >>> tumours = load_tumours()
    >>> tumours.votes
    Votes: 569 items x 8 rules, 257 patterns; classes 'malignant', 'benign'; -1 = abstain (40.9 % of votes)
    >>> len(tumours.gold)
    100
    """
    source = load_breast_cancer()
    column = {str(name): j for j, name in enumerate(source.feature_names)}
    array = np.column_stack([rule.vote(source.data[:, column[rule.feature]]) for rule in THRESHOLDS])
    ids = np.array([f"tumour-{i:03d}" for i in range(len(array))])
    votes = Votes(
        array,
        class_names=tuple(str(name) for name in source.target_names),
        rule_names=[rule.name for rule in THRESHOLDS],
        item_ids=ids,
    )
    gold = draw_gold(np.random.default_rng(0), len(array), N_GOLD)
    return Demo(votes, source.target.astype(np.int64), gold, ids, DESCRIPTION)
