"""Random small problems, and the game's quantities computed item by item from their definitions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import thumbwise as tw
from thumbwise.box.moments.linear import build_moments
from thumbwise.box.moments.standard import STANDARD
from thumbwise.numerics.maxent import Problem

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class SmallProblem:
    """Votes and bounds; rules first, then classes."""

    votes: tw.Votes
    lower: FloatArray
    upper: FloatArray
    labels: IntArray

    @property
    def box(self) -> tw.Box:
        return tw.Box.from_bounds(self.votes, lower=self.lower, upper=self.upper)


def item_features(votes: tw.Votes) -> FloatArray:
    """One feature per item, class and moment, straight from the definitions."""
    k = votes.n_classes
    features = np.zeros((votes.n_items, k, votes.n_rules + k))
    for i, row in enumerate(votes.array):
        for j, vote in enumerate(row):
            if vote >= 0:
                features[i, vote, j] = 1
        features[i, :, votes.n_rules :] = np.eye(k)
    return features


def item_moments(votes: tw.Votes, labeling: FloatArray) -> FloatArray:
    """Moments of a labeling (n_items, n_classes); 0 for a rule that never votes."""
    features = item_features(votes)
    sizes = features.max(axis=1).sum(axis=0)
    return np.asarray(np.einsum("icm,ic->m", features, labeling) / np.maximum(sizes, 1))


def item_dual(votes: tw.Votes, weights: FloatArray, lower: FloatArray, upper: FloatArray) -> float:
    """D(u) of the formulation, item by item."""
    features = item_features(votes)
    sizes = features.max(axis=1).sum(axis=0)
    scores = features @ weights
    log_sums = np.logaddexp.reduce(scores, axis=1)
    cheapest = np.minimum(weights * lower, weights * upper)
    return float(log_sums.mean() - (sizes / votes.n_items) @ cheapest)


def make_votes(rng: np.random.Generator, n_items: int, n_rules: int, n_classes: int) -> tuple[IntArray, IntArray]:
    """Labels and votes of rules with various accuracies and coverages, one of which may copy another."""
    labels = rng.integers(n_classes, size=n_items)
    right = rng.random((n_items, n_rules)) < rng.uniform(0.2, 1.0, n_rules)
    votes = np.where(right, labels[:, None], rng.integers(n_classes, size=(n_items, n_rules)))
    votes[rng.random((n_items, n_rules)) < rng.uniform(0, 0.7, n_rules)] = -1
    if n_rules > 1 and rng.random() < 0.3:
        votes[:, -1] = votes[:, 0]
    return labels, votes


def make_problem(seed: int) -> SmallProblem:
    """Two to five classes, one to eight rules; intervals, equalities, pinned rules, copies; sometimes infeasible."""
    rng = np.random.default_rng(seed)
    n_classes, n_rules, n_items = int(rng.integers(2, 6)), int(rng.integers(1, 9)), int(rng.integers(1, 31))
    labels, array = make_votes(rng, n_items, n_rules, n_classes)
    votes = tw.Votes(array, n_classes=n_classes)
    truth = item_moments(votes, np.eye(n_classes)[labels])
    below, above = rng.uniform(0, 0.3, (2, len(truth)))
    is_equality = rng.random(len(truth)) < rng.choice([0.0, 0.3, 1.0])
    # Off-centre intervals exclude the truth; a few of them together are often contradictory.
    shift = rng.choice([0.0, 0.0, 1.0]) * rng.uniform(-0.5, 0.5, len(truth)) * (rng.random(len(truth)) < 0.5)
    lower = np.clip(truth + shift - np.where(is_equality, 0, below), 0, 1)
    upper = np.clip(truth + shift + np.where(is_equality, 0, above), 0, 1)
    is_vacuous = rng.random(len(truth)) < 0.15
    return SmallProblem(votes, np.where(is_vacuous, 0, lower), np.where(is_vacuous, 1, upper), labels)


def pose(small: SmallProblem) -> Problem:
    """The arrays that the solver sees."""
    moments = build_moments(STANDARD, small.votes)
    n = small.votes.n_items
    masses, shares = small.votes.patterns.counts / n, moments.sizes / n
    return Problem.build(moments.features, masses, shares, small.lower, small.upper)
