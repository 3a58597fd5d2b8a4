"""Moments: averages that are linear in a labeling, in natural units.

A moment m averages a feature over ``sizes[m]`` items,

    m(z) = (1 / sizes[m]) * sum_i sum_c z_i[c] * feature_m(i, c),

where the feature depends on an item through its votes and its group only. Builders turn votes into moments; all kinds
of moments have the one output type, and ``+`` puts them side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sp

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.exceptions import InvalidBoxError
from thumbwise.numerics.patterns import Patterns, bytes_between
from thumbwise.numerics.shared_features import Rows, join_features
from thumbwise.votes.counted_votes import CountedVotes

# Kinds of moments that others ask for. A kind of one's own may have any name.
ACCURACY, FREQUENCY, OPINION, LEARNED = "accuracy", "frequency", "opinion", "learned opinion"
NEAR = "within one step"


@dataclass(frozen=True)
class About:
    """What a moment measures. Its name is for people; whoever looks for a moment asks for these.

    Attributes
    ----------
    name : str
        Unique within a box, such as ``accuracy(rule)`` and ``frequency(class)``.
    subject : str
        The rule or class alone.
    kind : str
        "accuracy", "frequency", "within one step", "opinion", "learned opinion", "class accuracy", "confusion",
        "group frequency", "rate", "linear", or one's own.
    rule : str or None
        The rule whose votes it counts; None if it is about no single rule.
    class_name : hashable
        The class that items must have to count; None if it is about no single class.
    voted : hashable
        The class that the rule must vote for, if it is one in particular.
    group : hashable
        The group of items, if it is about one.
    """

    name: str
    subject: str
    kind: str
    rule: str | None = None
    class_name: Hashable = None
    voted: Hashable = None
    group: Hashable = None


def find_accuracies(about: Sequence[About], rule_names: Sequence[Hashable]) -> IntArray:
    """Place of the accuracy of each rule among some moments, -1 where there is none."""
    place: dict[Hashable, int] = {moment.rule: m for m, moment in enumerate(about) if moment.kind == ACCURACY}
    return np.array([place.get(rule, -1) for rule in rule_names], dtype=np.int64)


def find_frequencies(about: Sequence[About], class_names: Sequence[Hashable]) -> IntArray:
    """Place of the frequency of each class, over all items, among some moments, -1 where there is none."""
    place = {moment.class_name: m for m, moment in enumerate(about) if moment.kind == FREQUENCY}
    return np.array([place.get(name, -1) for name in class_names], dtype=np.int64)


def find_near(about: Sequence[About], rule_names: Sequence[Hashable]) -> IntArray:
    """Place of how often each rule is within one step among some moments, -1 where there is none."""
    place: dict[Hashable, int] = {moment.rule: m for m, moment in enumerate(about) if moment.kind == NEAR}
    return np.array([place.get(rule, -1) for rule in rule_names], dtype=np.int64)


def speaks_of(about: Sequence[About], rules: Sequence[str]) -> AnyArray:
    """Which moments are about some of the rules; a rule that none is about is refused."""
    known = list(dict.fromkeys(moment.rule for moment in about if moment.rule is not None))
    strange = [rule for rule in rules if rule not in known]
    if strange:
        near = get_close_matches(strange[0], known, 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise InvalidBoxError(
            f"rules that are left out must be rules of the box; it says nothing about {strange[0]!r} "
            f"({len(known)} rules, such as {', '.join(map(repr, known[:3]))}).{hint}"
        )
    return np.array([moment.rule in rules for moment in about], dtype=bool)


def speaks_of_all(about: Sequence[About]) -> AnyArray:
    """Which moments are opinions, in which every rule may have a part."""
    return np.array([moment.kind in (OPINION, LEARNED) for moment in about], dtype=bool)


@dataclass(frozen=True, eq=False)
class Moments:
    """Linear moments on the patterns of some votes.

    Attributes
    ----------
    about : tuple of About
        What each of them measures.
    features : sparse array of shape (n_patterns * n_classes, n_moments)
        Row ``t * n_classes + c`` holds the features of class c for pattern t.
    sizes : ndarray of shape (n_moments,)
        Number of items averaged over; 0 for a rule that never votes.
    keys : tuple
        Equal for moments that measure the same thing, so that an error budget counts them once.
    least, most : ndarray of shape (n_moments,)
        Between which values the moment can lie at all: 0 and 1 for a share.
    """

    about: tuple[About, ...]
    features: Rows
    sizes: IntArray
    keys: tuple[Hashable, ...]
    least: FloatArray
    most: FloatArray

    @classmethod
    def of_shares(cls, about: Sequence[About], features: Rows, sizes: IntArray, keys: Sequence[Hashable]) -> Moments:
        """Moments whose features are 0 or 1."""
        zeros = np.zeros(len(about))
        return cls(tuple(about), features, sizes, tuple(keys), zeros, zeros + 1)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(moment.name for moment in self.about)

    def __add__(self, other: Moments) -> Moments:
        return Moments(
            self.about + other.about,
            join_features(self.features, other.features),
            np.concatenate([self.sizes, other.sizes]),
            self.keys + other.keys,
            np.concatenate([self.least, other.least]),
            np.concatenate([self.most, other.most]),
        )

    def __len__(self) -> int:
        return len(self.about)

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


# Votes never change, so what was built for them stays right as long as they live. Opinions are made anew for each box,
# so only the last few are remembered.
_built: WeakKeyDictionary[CountedVotes, dict[tuple[MomentBuilder, ...], Moments]] = WeakKeyDictionary()
_MOST_BUILT = 6


def build_moments(builders: tuple[MomentBuilder, ...], votes: CountedVotes) -> Moments:
    """Moments of several kinds on the same votes, in the order of the builders; remembered with the votes."""
    known = _built.setdefault(votes, {})
    if builders in known:
        known[builders] = known.pop(builders)  # the last one used comes last
        return known[builders]
    if len(builders) == 1:
        moments = builders[0](votes)
    else:
        moments = build_moments(builders[:-1], votes) + build_moments(builders[-1:], votes)
    known[builders] = moments
    while len(known) > _MOST_BUILT:
        del known[next(iter(known))]
    return moments


def columns_at(patterns: Patterns, cells: IntArray, columns: IntArray, n_columns: int) -> sp.csc_array:
    """Features that are 1 at the given cells."""
    shape = (patterns.n_patterns * patterns.n_classes, n_columns)
    return sp.csc_array((np.ones(len(cells)), (cells, columns)), shape=shape)


def column_bytes(features: sp.csc_array) -> list[bytes]:
    """What tells columns apart."""
    return bytes_between(features.indices, features.indptr)


def keys_by_rule(kind: str, features: sp.csc_array, per_rule: int) -> list[Hashable]:
    """Equal for the same moment of rules that vote the same everywhere."""
    columns = column_bytes(features)
    rules = [b"|".join(columns[start : start + per_rule]) for start in range(0, len(columns), per_rule)]
    return [(kind, rules[m // per_rule], m % per_rule) for m in range(len(columns))]


def one_column(about: About, column: FloatArray, n_items: int) -> Moments:
    """A single moment over all items, from its features by pattern and class."""
    per_item = column.reshape(-1, column.shape[-1])
    least, most = np.array([per_item.min()]), np.array([per_item.max()])
    features = sp.csr_array(column.reshape(-1, 1))
    return Moments((about,), features, np.array([n_items]), ((about.name,),), least, most)
