"""What is constrained: averages that are linear in a labeling, in natural units.

A moment m averages a feature over ``sizes[m]`` items,

    m(z) = (1 / sizes[m]) * sum_i sum_c z_i[c] * feature_m(i, c),

where the feature depends on an item through its votes and its group only. Builders turn votes into moments; all kinds
of moments have the one output type, and ``+`` puts them side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import scipy.sparse as sp

from thumbwise._typing import FloatArray, IntArray
from thumbwise.exceptions import Argument, InPython, InvalidBoxError
from thumbwise.numerics.patterns import Patterns
from thumbwise.numerics.shared_features import Rows, cell_features, join_features, repeated_features
from thumbwise.votes.counted_votes import CountedVotes

__all__ = [
    "About",
    "ConditionalRate",
    "LinearMoment",
    "Moments",
    "accuracies",
    "class_accuracies",
    "class_frequencies",
    "confusion_cells",
    "find_kind",
    "group_frequencies",
    "moment_kind",
]

# Kinds of moments that others ask for. A kind of one's own may have any name.
ACCURACY, FREQUENCY = "accuracy", "frequency"


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
        "accuracy", "frequency", "class accuracy", "confusion", "group frequency", "rate", "linear", or one's own.
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


Builder = TypeVar("Builder", bound=Callable[..., Any])


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


@dataclass(frozen=True)
class Kind:
    """What else is to be known of a builder, so that boxes of its moments can be saved and written as SQL.

    Attributes
    ----------
    count : callable
        From the numbers of rules, classes and groups to the number of moments: known before any is built.
    is_over_votes : bool
        Whether the features of an item are a sum over its votes, whatever its group.
    """

    count: Callable[[int, int, int], int]
    is_over_votes: bool


_kinds: dict[str, tuple[MomentBuilder, Kind]] = {}


def moment_kind(count: Callable[[int, int, int], int], *, over_votes: bool = False) -> Callable[[Builder], Builder]:
    """Register a builder under its name when it is defined: files may then name it, and SQL may write it.

    Parameters
    ----------
    count : callable
        Number of moments for so many rules, classes and groups.
    over_votes : bool
        Whether the features of an item are a sum over its votes, whatever its group.

    Examples
    --------
    >>> import thumbwise as tw
    >>> @tw.moments.moment_kind(lambda n_rules, n_classes, n_groups: n_classes, over_votes=True)
    ... def shares_again(votes):
    ...     return tw.moments.class_frequencies(votes)
    >>> tw.moments.find_kind("shares_again") is shares_again
    True
    """

    def register(builder: Builder) -> Builder:
        name = builder.__name__
        if name in _kinds and _kinds[name][0].__module__ != builder.__module__:
            raise InvalidBoxError(f"kinds of moments must have different names; {name!r} is defined already.")
        _kinds[name] = (builder, Kind(count, over_votes))
        return builder

    return register


def find_kind(name: str) -> MomentBuilder | None:
    """The builder that is registered under a name."""
    return _kinds[name][0] if name in _kinds else None


def kind_names() -> tuple[str, ...]:
    """Names of the builders that are registered."""
    return tuple(_kinds)


def kind_of(builder: MomentBuilder) -> Kind | None:
    """What is known of a builder, if it is registered."""
    known, kind = _kinds.get(getattr(builder, "__name__", ""), (None, None))
    return kind if known is builder else None


def is_over_votes(builder: MomentBuilder) -> bool:
    """Whether its features of an item are a sum over the item's votes, so that SQL can write them."""
    kind = kind_of(builder)
    return bool(getattr(builder, "is_over_votes", False)) if kind is None else kind.is_over_votes


@moment_kind(lambda n_rules, n_classes, n_groups: n_rules, over_votes=True)
def accuracies(votes: CountedVotes) -> Moments:
    """Accuracy of each rule: over the items it votes on, the mean probability of the class it votes for."""
    patterns = votes.patterns
    cells = patterns.owners * patterns.n_classes + patterns.classes
    by_rule = _columns(patterns, cells, patterns.rules, patterns.n_rules)
    return Moments.of_shares(
        [About(f"accuracy({rule})", rule, ACCURACY, rule=rule) for rule in votes.rule_names],
        cell_features(cells, patterns.rules, patterns.n_patterns, patterns.n_classes, patterns.n_rules),
        patterns.votes_per_rule,
        [("accuracy", column) for column in _column_bytes(by_rule)],
    )


@moment_kind(lambda n_rules, n_classes, n_groups: n_classes, over_votes=True)
def class_frequencies(votes: CountedVotes) -> Moments:
    """Frequency of each class: its mean probability over all items."""
    k, n_patterns = votes.n_classes, votes.patterns.n_patterns
    # With two classes the frequencies are 1 minus each other: one thing to measure.
    keys = [("frequency", 0 if k == 2 else c) for c in range(k)]
    return Moments.of_shares(
        [About(f"frequency({name})", str(name), FREQUENCY, class_name=name) for name in votes.class_names],
        repeated_features(sp.csr_array(sp.eye_array(k)), n_patterns),
        np.full(k, votes.n_items),
        keys,
    )


@moment_kind(lambda n_rules, n_classes, n_groups: n_rules * n_classes, over_votes=True)
def class_accuracies(votes: CountedVotes) -> Moments:
    """Share of a rule's votes that are for a class and right, for each rule and class; joint, over all its votes."""
    patterns, k = votes.patterns, votes.n_classes
    cells = patterns.owners * k + patterns.classes
    features = _columns(patterns, cells, patterns.rules * k + patterns.classes, patterns.n_rules * k)
    about = [
        About(f"accuracy({rule}: {name})", f"{rule}: {name}", "class accuracy", rule=rule, class_name=name, voted=name)
        for rule in votes.rule_names
        for name in votes.class_names
    ]
    return Moments.of_shares(
        about,
        sp.csr_array(features),
        np.repeat(patterns.votes_per_rule, k),
        _keys_by_rule("class accuracy", features, k),
    )


@moment_kind(lambda n_rules, n_classes, n_groups: n_rules * n_classes**2, over_votes=True)
def confusion_cells(votes: CountedVotes) -> Moments:
    """Share of a rule's votes that are for one class on items of another (or the same); joint, over all its votes."""
    patterns, k = votes.patterns, votes.n_classes
    truth = np.tile(np.arange(k), len(patterns.rules))
    parts = (patterns.owners, patterns.rules.astype(np.int64), patterns.classes)
    owners, rules, voted = (np.repeat(part, k) for part in parts)
    features = _columns(patterns, owners * k + truth, (rules * k + truth) * k + voted, patterns.n_rules * k * k)
    about = [
        _about_confusion("confusion", rule, true, called)
        for rule in votes.rule_names
        for true in votes.class_names
        for called in votes.class_names
    ]
    return Moments.of_shares(
        about,
        sp.csr_array(features),
        np.repeat(patterns.votes_per_rule, k * k),
        _keys_by_rule("confusion", features, k * k),
    )


@moment_kind(lambda n_rules, n_classes, n_groups: n_groups * n_classes)
def group_frequencies(votes: CountedVotes) -> Moments:
    """Frequency of each class within each group of items."""
    patterns, k, n_groups = votes.patterns, votes.n_classes, len(votes.group_names)
    if n_groups == 0:
        raise InvalidBoxError(
            "moments of groups need groups; found none. Pass ", Argument("item_groups", ...), InPython(" to Votes"), "."
        )
    cells = np.arange(patterns.n_patterns * k)
    columns = np.repeat(patterns.groups, k) * k + np.tile(np.arange(k), patterns.n_patterns)
    about = [
        About(f"frequency({name} in {group})", f"{name} in {group}", "group frequency", class_name=name, group=group)
        for group in votes.group_names
        for name in votes.class_names
    ]
    sizes = np.bincount(patterns.groups, patterns.counts, minlength=n_groups).astype(np.int64)
    return Moments.of_shares(
        about,
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
        rule, true, voted = votes.rule_names.index(self.rule), *map(votes.class_names.index, (self.true, self.said))
        is_so = np.zeros(patterns.n_patterns)
        is_so[patterns.owners[(patterns.rules == rule) & (patterns.classes == voted)]] = 1
        column = np.zeros((patterns.n_patterns, k))
        column[:, true] = is_so - self.rate
        about = _about_confusion("rate", self.rule, self.true, self.said)
        name = f"{about.name} - {self.rate:.6g}"
        return _one_column(replace(about, name=name, subject=name), column, votes.n_items)


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
        about = About(self.name, self.name, "linear")
        return _one_column(about, table[votes.patterns.groups], votes.n_items)

    def _place(self, names: Sequence[Hashable], name: Hashable, what: str) -> int:
        if name not in names:
            known = ", ".join(map(repr, names[:8]))
            raise InvalidBoxError(
                f"the moment {self.name!r} must speak of a {what} of the votes ({known}); found {name!r}."
            )
        return names.index(name)

    def __hash__(self) -> int:
        return hash((self.name, repr(self.coefficients)))


def _about_confusion(kind: str, rule: str, true: Hashable, voted: Hashable) -> About:
    subject = f"{rule}: {true} called {voted}"
    return About(f"{kind}({subject})", subject, kind, rule=rule, class_name=true, voted=voted)


def _one_column(about: About, column: FloatArray, n_items: int) -> Moments:
    per_item = column.reshape(-1, column.shape[-1])
    least, most = np.array([per_item.min()]), np.array([per_item.max()])
    features = sp.csr_array(column.reshape(-1, 1))
    return Moments((about,), features, np.array([n_items]), ((about.name,),), least, most)


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
