"""What is constrained: averages that are linear in a labeling, in natural units.

A moment m averages a feature over ``sizes[m]`` items,

    m(z) = (1 / sizes[m]) * sum_i sum_c z_i[c] * feature_m(i, c),

where the feature depends on an item through its votes only. Builders turn votes into moments; all kinds of moments have
the one output type, and ``+`` puts them side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sp

from thumbwise._typing import FloatArray, IntArray
from thumbwise.votes import Votes


@dataclass(frozen=True, eq=False)
class Moments:
    """Linear moments on the patterns of some votes.

    Attributes
    ----------
    names : tuple of str
        Unique, such as ``accuracy(rule)`` and ``frequency(class)``.
    subjects : tuple of str
        The rule or class alone.
    features : sparse array of shape (n_patterns * n_classes, n_moments)
        Row ``t * n_classes + c`` holds the features of class c for pattern t.
    sizes : ndarray of shape (n_moments,)
        Number of items averaged over; 0 for a rule that never votes.
    keys : tuple
        Equal for moments that measure the same thing, so that an error budget counts them once.
    """

    names: tuple[str, ...]
    subjects: tuple[str, ...]
    features: sp.csr_array
    sizes: IntArray
    keys: tuple[Hashable, ...]

    def __add__(self, other: Moments) -> Moments:
        return Moments(
            self.names + other.names,
            self.subjects + other.subjects,
            sp.csr_array(sp.hstack([self.features, other.features], format="csr")),
            np.concatenate([self.sizes, other.sizes]),
            self.keys + other.keys,
        )

    def __len__(self) -> int:
        return len(self.names)

    def totals(self, labeling: FloatArray | IntArray) -> FloatArray:
        """Sums of the features over items, for the mass of items with each (pattern, class)."""
        return np.asarray(self.features.T @ labeling.ravel().astype(float))

    def averages(self, labeling: FloatArray | IntArray) -> FloatArray:
        """Values of the moments; 0 for a moment that averages over no item."""
        return self.totals(labeling) / np.maximum(self.sizes, 1)


MomentBuilder: TypeAlias = Callable[[Votes], Moments]


def accuracies(votes: Votes) -> Moments:
    """Accuracy of each rule: over the items it votes on, the mean probability of the class it votes for."""
    patterns = votes.patterns
    cells = patterns.owners * patterns.n_classes + patterns.classes
    shape = (patterns.n_patterns * patterns.n_classes, patterns.n_rules)
    features = sp.csc_array((np.ones(len(cells)), (cells, patterns.rules)), shape=shape)
    columns = np.split(features.indices, features.indptr[1:-1])
    return Moments(
        tuple(f"accuracy({rule})" for rule in votes.rule_names),
        votes.rule_names,
        sp.csr_array(features),
        patterns.votes_per_rule,
        tuple(("accuracy", column.tobytes()) for column in columns),
    )


def class_frequencies(votes: Votes) -> Moments:
    """Frequency of each class: its mean probability over all items."""
    k, n_patterns = votes.n_classes, votes.patterns.n_patterns
    # With two classes the frequencies are 1 minus each other: one thing to measure.
    keys = [("frequency", 0 if k == 2 else c) for c in range(k)]
    return Moments(
        tuple(f"frequency({name})" for name in votes.class_names),
        tuple(str(name) for name in votes.class_names),
        sp.csr_array(sp.kron(np.ones((n_patterns, 1)), sp.eye_array(k), format="csr")),
        np.full(k, votes.n_items),
        tuple(keys),
    )


STANDARD: tuple[MomentBuilder, ...] = (accuracies, class_frequencies)


# Votes never change, so what was built for them stays right as long as they live.
_built: WeakKeyDictionary[Votes, dict[tuple[MomentBuilder, ...], Moments]] = WeakKeyDictionary()


def build_moments(builders: tuple[MomentBuilder, ...], votes: Votes) -> Moments:
    """Moments of several kinds on the same votes, in the order of the builders; remembered with the votes."""
    known = _built.setdefault(votes, {})
    if builders not in known:
        first, *others = (builder(votes) for builder in builders)
        known[builders] = sum(others, start=first)
    return known[builders]


def label_counts(votes: Votes, labels: IntArray) -> IntArray:
    """Number of items of each pattern and class, shape (n_patterns, n_classes), from a class number per item."""
    cells = votes.inverse.astype(np.int64) * votes.n_classes + labels
    size = votes.patterns.n_patterns * votes.n_classes
    return np.bincount(cells, minlength=size).reshape(-1, votes.n_classes)
