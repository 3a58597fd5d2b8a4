"""What is constrained: averages that are linear in a labeling, in natural units.

A moment m averages a feature over ``sizes[m]`` items,

    m(z) = (1 / sizes[m]) * sum_i sum_c z_i[c] * feature_m(i, c),

where the feature depends on an item through its votes and its group only. Builders turn votes into moments; all kinds
of moments have the one output type, and ``+`` puts them side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sp

from thumbwise._typing import FloatArray, IntArray
from thumbwise.counted_votes import CountedVotes
from thumbwise.exceptions import InvalidBoxError
from thumbwise.numerics.shared_features import Rows, cell_features, join_features, repeated_features
from thumbwise.patterns import Patterns
from thumbwise.votes import Votes

Builder = TypeVar("Builder", bound=Callable[..., object])


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
    least, most : ndarray of shape (n_moments,)
        Between which values the moment can lie at all: 0 and 1 for a share.
    """

    names: tuple[str, ...]
    subjects: tuple[str, ...]
    features: Rows
    sizes: IntArray
    keys: tuple[Hashable, ...]
    least: FloatArray
    most: FloatArray

    @classmethod
    def of_shares(
        cls,
        names: Sequence[str],
        subjects: Sequence[str],
        features: Rows,
        sizes: IntArray,
        keys: Sequence[Hashable],
    ) -> Moments:
        """Moments whose features are 0 or 1."""
        zeros = np.zeros(len(names))
        return cls(tuple(names), tuple(subjects), features, sizes, tuple(keys), zeros, zeros + 1)

    def __add__(self, other: Moments) -> Moments:
        return Moments(
            self.names + other.names,
            self.subjects + other.subjects,
            join_features(self.features, other.features),
            np.concatenate([self.sizes, other.sizes]),
            self.keys + other.keys,
            np.concatenate([self.least, other.least]),
            np.concatenate([self.most, other.most]),
        )

    def __len__(self) -> int:
        return len(self.names)

    @property
    def are_shares(self) -> bool:
        """Whether all are shares of items, which can be counted on gold."""
        return bool((self.least == 0).all() and (self.most == 1).all())

    def totals(self, labeling: FloatArray | IntArray) -> FloatArray:
        """Sums of the features over items, for the mass of items with each (pattern, class)."""
        return np.asarray(self.features.T @ labeling.ravel().astype(float))

    def averages(self, labeling: FloatArray | IntArray) -> FloatArray:
        """Values of the moments; 0 for a moment that averages over no item."""
        return self.totals(labeling) / np.maximum(self.sizes, 1)


MomentBuilder: TypeAlias = Callable[[Any], Moments]


def over_votes(builder: Builder) -> Builder:
    """Mark a builder whose features of an item are a sum over its votes, whatever its group: SQL can write them."""
    builder.is_over_votes = True  # type: ignore[attr-defined]
    return builder


@over_votes
def accuracies(votes: CountedVotes) -> Moments:
    """Accuracy of each rule: over the items it votes on, the mean probability of the class it votes for."""
    patterns = votes.patterns
    cells = patterns.owners * patterns.n_classes + patterns.classes
    by_rule = _columns(patterns, cells, patterns.rules, patterns.n_rules)
    return Moments.of_shares(
        [f"accuracy({rule})" for rule in votes.rule_names],
        votes.rule_names,
        cell_features(cells, patterns.rules, patterns.n_patterns, patterns.n_classes, patterns.n_rules),
        patterns.votes_per_rule,
        [("accuracy", column) for column in _column_bytes(by_rule)],
    )


@over_votes
def class_frequencies(votes: CountedVotes) -> Moments:
    """Frequency of each class: its mean probability over all items."""
    k, n_patterns = votes.n_classes, votes.patterns.n_patterns
    # With two classes the frequencies are 1 minus each other: one thing to measure.
    keys = [("frequency", 0 if k == 2 else c) for c in range(k)]
    return Moments.of_shares(
        [f"frequency({name})" for name in votes.class_names],
        [str(name) for name in votes.class_names],
        repeated_features(sp.csr_array(sp.eye_array(k)), n_patterns),
        np.full(k, votes.n_items),
        keys,
    )


@over_votes
def class_accuracies(votes: CountedVotes) -> Moments:
    """Share of a rule's votes that are for a class and right, for each rule and class; joint, over all its votes."""
    patterns, k = votes.patterns, votes.n_classes
    cells = patterns.owners * k + patterns.classes
    features = _columns(patterns, cells, patterns.rules * k + patterns.classes, patterns.n_rules * k)
    pairs = [f"{rule}: {name}" for rule in votes.rule_names for name in votes.class_names]
    return Moments.of_shares(
        [f"accuracy({pair})" for pair in pairs],
        pairs,
        sp.csr_array(features),
        np.repeat(patterns.votes_per_rule, k),
        _keys_by_rule("class accuracy", features, k),
    )


@over_votes
def confusion_cells(votes: CountedVotes) -> Moments:
    """Share of a rule's votes that are for one class on items of another (or the same); joint, over all its votes."""
    patterns, k = votes.patterns, votes.n_classes
    truth = np.tile(np.arange(k), len(patterns.rules))
    parts = (patterns.owners, patterns.rules.astype(np.int64), patterns.classes)
    owners, rules, said = (np.repeat(part, k) for part in parts)
    features = _columns(patterns, owners * k + truth, (rules * k + truth) * k + said, patterns.n_rules * k * k)
    names = [
        f"{rule}: {true} called {said}"
        for rule in votes.rule_names
        for true in votes.class_names
        for said in votes.class_names
    ]
    return Moments.of_shares(
        [f"confusion({name})" for name in names],
        names,
        sp.csr_array(features),
        np.repeat(patterns.votes_per_rule, k * k),
        _keys_by_rule("confusion", features, k * k),
    )


def group_frequencies(votes: CountedVotes) -> Moments:
    """Frequency of each class within each group of items."""
    patterns, k, n_groups = votes.patterns, votes.n_classes, len(votes.group_names)
    if n_groups == 0:
        raise InvalidBoxError("moments of groups need groups; found none. Pass item_groups=... to Votes.")
    cells = np.arange(patterns.n_patterns * k)
    columns = np.repeat(patterns.groups, k) * k + np.tile(np.arange(k), patterns.n_patterns)
    names = [f"{name} in {group}" for group in votes.group_names for name in votes.class_names]
    sizes = np.bincount(patterns.groups, patterns.counts, minlength=n_groups).astype(np.int64)
    return Moments.of_shares(
        [f"frequency({name})" for name in names],
        names,
        sp.csr_array(_columns(patterns, cells, columns, n_groups * k)),
        np.repeat(sizes, k),
        [("group frequency", m // k, 0 if k == 2 else m % k) for m in range(n_groups * k)],
    )


@dataclass(frozen=True)
class ConditionalRate:
    """How often a rule votes for a class on items of a class, compared with a rate.

    The share itself is a ratio; ``sum_i z_i[true] * (1[vote = said] - rate)``, averaged over all items, is linear, and
    at least 0 if the share is at least ``rate``, at most 0 if it is at most ``rate``.
    """

    rule: str
    true: Hashable
    said: Hashable
    rate: float
    is_over_votes: ClassVar[bool] = True

    def __call__(self, votes: CountedVotes) -> Moments:
        patterns, k = votes.patterns, votes.n_classes
        rule, true, said = votes.rule_names.index(self.rule), *map(votes.class_names.index, (self.true, self.said))
        is_so = np.zeros(patterns.n_patterns)
        is_so[patterns.owners[(patterns.rules == rule) & (patterns.classes == said)]] = 1
        column = np.zeros((patterns.n_patterns, k))
        column[:, true] = is_so - self.rate
        name = f"rate({self.rule}: {self.true} called {self.said}) - {self.rate:.6g}"
        return _one_column(name, column, votes.n_items)


@dataclass(frozen=True)
class LinearMoment:
    """Any average that is linear in the labeling: a coefficient for each group and class, averaged over all items.

    Attributes
    ----------
    name : str
    coefficients : mapping of group to mapping of class to number
        What is not mentioned is 0. Without groups, use the group None.
    """

    name: str
    coefficients: Mapping[Hashable, Mapping[Hashable, float]]

    @property
    def is_over_votes(self) -> bool:
        """The same for all votes, so a sum over them, unless it asks for the group."""
        return set(self.coefficients) <= {None}

    def __call__(self, votes: CountedVotes) -> Moments:
        groups = votes.group_names or (None,)
        table = np.zeros((len(groups), votes.n_classes))
        for group, by_class in self.coefficients.items():
            for name, coefficient in by_class.items():
                table[self._place(groups, group, "group"), self._place(votes.class_names, name, "class")] = coefficient
        return _one_column(self.name, table[votes.patterns.groups], votes.n_items)

    def _place(self, names: Sequence[Hashable], name: Hashable, what: str) -> int:
        if name not in names:
            known = ", ".join(map(repr, names[:8]))
            raise InvalidBoxError(
                f"the moment {self.name!r} must speak of a {what} of the votes ({known}); found {name!r}."
            )
        return names.index(name)

    def __hash__(self) -> int:
        return hash((self.name, repr(self.coefficients)))


def _one_column(name: str, column: FloatArray, n_items: int) -> Moments:
    per_item = column.reshape(-1, column.shape[-1])
    least, most = np.array([per_item.min()]), np.array([per_item.max()])
    features = sp.csr_array(column.reshape(-1, 1))
    return Moments((name,), (name,), features, np.array([n_items]), ((name,),), least, most)


def _columns(patterns: Patterns, cells: IntArray, columns: IntArray, n_columns: int) -> sp.csc_array:
    """Features that are 1 at the given cells."""
    shape = (patterns.n_patterns * patterns.n_classes, n_columns)
    return sp.csc_array((np.ones(len(cells)), (cells, columns)), shape=shape)


def _column_bytes(features: sp.csc_array) -> list[bytes]:
    """What tells columns apart."""
    return [column.tobytes() for column in np.split(features.indices, features.indptr[1:-1])]


def _keys_by_rule(kind: str, features: sp.csc_array, per_rule: int) -> list[Hashable]:
    """Equal for the same moment of rules that vote the same everywhere."""
    columns = _column_bytes(features)
    rules = [b"|".join(columns[start : start + per_rule]) for start in range(0, len(columns), per_rule)]
    return [(kind, rules[m // per_rule], m % per_rule) for m in range(len(columns))]


STANDARD: tuple[MomentBuilder, ...] = (accuracies, class_frequencies)

# Votes never change, so what was built for them stays right as long as they live.
_built: WeakKeyDictionary[CountedVotes, dict[tuple[MomentBuilder, ...], Moments]] = WeakKeyDictionary()


def build_moments(builders: tuple[MomentBuilder, ...], votes: CountedVotes) -> Moments:
    """Moments of several kinds on the same votes, in the order of the builders; remembered with the votes."""
    known = _built.setdefault(votes, {})
    if builders not in known:
        first, *others = (builder(votes) for builder in builders)
        known[builders] = sum(others, start=first)
    return known[builders]


def label_counts(votes: Votes, labels: IntArray) -> IntArray:
    """Number of items of each pattern and class, shape (n_patterns, n_classes), from class numbers; -1 counts not."""
    cells = votes.inverse.astype(np.int64) * votes.n_classes + labels
    if (labels < 0).any():
        cells = cells[labels >= 0]
    size = votes.patterns.n_patterns * votes.n_classes
    return np.bincount(cells, minlength=size).reshape(-1, votes.n_classes)
