"""Names, and how often each pattern occurs: all that models need of votes. The items may be here or elsewhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from thumbwise._typing import AnyArray, IntArray
from thumbwise.numerics.patterns import Patterns, merge_patterns


class CountedVotes(ABC):
    """Votes as patterns and counts, with the items within reach by their ids.

    Attributes
    ----------
    rule_names : tuple of str
    class_names : tuple
    group_names : tuple
        Groups of items, empty if there are none.
    is_ordered : bool
        Whether the classes are steps of a scale, in the order of ``class_names``.
    """

    rule_names: tuple[str, ...]
    class_names: tuple[Hashable, ...]
    group_names: tuple[Hashable, ...]
    is_ordered: bool = False

    @property
    @abstractmethod
    def patterns(self) -> Patterns:
        """Distinct rows and their counts, in an order that does not depend on the order of the items."""

    @property
    @abstractmethod
    def has_ids(self) -> bool:
        """Whether items have ids."""

    @abstractmethod
    def contains_ids(self, ids: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Whether each of some ids is that of an item."""

    @abstractmethod
    def take_ids(self, ids: npt.ArrayLike) -> Any:
        """Votes in memory on the items of these ids, in their order."""

    @abstractmethod
    def any_id(self) -> Hashable:
        """The id of some item, to show what ids look like."""

    @property
    def n_items(self) -> int:
        return self.patterns.n_items

    @property
    def n_rules(self) -> int:
        return len(self.rule_names)

    @property
    def n_classes(self) -> int:
        return len(self.class_names)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of rule names, class names, patterns and counts: equal for the same items in any order."""
        digest = sha256(repr((self.rule_names, self.class_names, self.group_names)).encode())
        patterns = self.patterns
        for part in (patterns.starts, patterns.rules, patterns.classes, patterns.counts, patterns.groups):
            digest.update(np.ascontiguousarray(part, dtype=np.int64).tobytes())
        return digest.hexdigest()

    def __len__(self) -> int:
        return self.n_items


def locate_patterns(some: Patterns, among: Patterns) -> IntArray:
    """Where each of some patterns is among others, -1 if it is not there.

    Sums of fixed random keys, one for each rule and class, leave few candidates; those are compared vote by vote.
    """
    keys = np.random.default_rng(0).integers(2**63, size=some.n_rules * some.n_classes, dtype=np.uint64)
    near = np.flatnonzero(np.isin(_key_sums(among, keys), _key_sums(some, keys)))
    candidates = among.take(near, among.counts[near])
    _, place = merge_patterns(put_together(candidates, some))
    home = np.full(int(place.max(initial=-1)) + 1, -1)
    home[place[: len(near)]] = near
    return home[place[len(near) :]]


def _key_sums(patterns: Patterns, keys: AnyArray) -> AnyArray:
    """Sums modulo 2^64."""
    sums = np.zeros(len(patterns.rules) + 1, dtype=np.uint64)
    np.cumsum(keys[patterns.rules.astype(np.int64) * patterns.n_classes + patterns.classes], out=sums[1:])
    return np.asarray(sums[patterns.starts[1:]] - sums[patterns.starts[:-1]])


def put_together(first: Patterns, second: Patterns) -> Patterns:
    """The patterns of both, one after the other; one that both have is there twice."""
    return replace(
        first,
        starts=np.concatenate([first.starts, first.starts[-1] + second.starts[1:]]),
        rules=np.concatenate([first.rules, second.rules]),
        classes=np.concatenate([first.classes, second.classes]),
        counts=np.concatenate([first.counts, second.counts]),
        groups=np.concatenate([first.groups, second.groups]),
    )
