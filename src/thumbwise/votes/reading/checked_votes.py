"""Votes once they are read: class numbers under names, held as a table or as patterns, and parts of them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thumbwise._typing import AnyArray, IntArray
from thumbwise.exceptions import InvalidLabelsError, InvalidVotesError
from thumbwise.numerics.patterns import ABSTAIN, Patterns, find_patterns, merge_patterns, take_rows
from thumbwise.summaries import Shown, ShowsItself, show_votes
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.reading.coding import smallest_dtype
from thumbwise.votes.reading.read_votes import Coding, ReadVotes, check_groups

# Bytes that an array made of long votes may take.
_LARGEST_ARRAY = 2 * 10**9


class CheckedVotes(CountedVotes, ShowsItself):
    """What is known of votes however they were read; :class:`thumbwise.Votes` adds the ways to read them."""

    # A table that was read; None for long and sparse votes, which are held as patterns and the pattern of each item.
    _array: IntArray | None
    _ids: AnyArray | None
    _groups: IntArray | None
    _coding: Coding

    def _hold(self, read: ReadVotes, item_groups: npt.ArrayLike | None = None) -> Self:
        self.rule_names, self.class_names, self._coding = read.rule_names, read.class_names, read.coding
        self._ids, votes = read.item_ids, read.votes
        n_items = votes.n_patterns if isinstance(votes, Patterns) else len(votes)
        self.group_names, self._groups = check_groups(item_groups, n_items)
        if isinstance(votes, Patterns):
            self._array = None
            self._patterns_and_inverse = merge_patterns(
                votes if self._groups is None else replace(votes, groups=self._groups)
            )
        else:
            self._array = votes
        return self

    @cached_property
    def array(self) -> IntArray:
        """Class numbers, shape (n_items, n_rules), -1 where a rule abstains; read-only."""
        array = (self._spread() if self._array is None else self._array).view()
        array.flags.writeable = False
        return array

    def _spread(self) -> IntArray:
        dtype = np.dtype(smallest_dtype(self.n_classes))
        size = self.n_items * self.n_rules * dtype.itemsize
        if size > _LARGEST_ARRAY:
            raise InvalidVotesError(
                f"an array of long votes must fit {_LARGEST_ARRAY / 1e9:.0f} GB; {self.n_items:,} items x "
                f"{self.n_rules:,} rules would take {size / 1e9:,.1f} GB. Models work without it; of the votes on some "
                "items, take(items).array is small."
            )
        return take_rows(self.patterns.to_rows(dtype), self.inverse)

    @property
    def shape(self) -> tuple[int, int]:
        """Items, rules; with ``__getitem__`` what scikit-learn needs to cut votes into folds."""
        return self.n_items, self.n_rules

    def __getitem__(self, items: Any) -> Self:
        return self.take(items[0] if isinstance(items, tuple) else items)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        return np.array(self.array, dtype=dtype) if copy or dtype is not None else self.array

    __iter__ = None  # a loop over items would make Votes of each

    @property
    def n_items(self) -> int:
        return len(self.inverse if self._array is None else self._array)

    @property
    def has_ids(self) -> bool:
        """Whether item ids were given (if not, ``item_ids`` are positions)."""
        return self._ids is not None

    @property
    def groups(self) -> IntArray:
        """Position of each item's group in ``group_names``, shape (n_items,); all 0 if there are none."""
        return np.zeros(self.n_items, dtype=np.int64) if self._groups is None else self._groups

    @property
    def item_ids(self) -> AnyArray:
        """Id of each item, shape (n_items,); positions if none were given."""
        return np.arange(self.n_items) if self._ids is None else self._ids

    @cached_property
    def _patterns_and_inverse(self) -> tuple[Patterns, IntArray]:
        return find_patterns(self.array, self.n_classes, self._groups)  # long votes come with theirs

    @property
    def patterns(self) -> Patterns:
        """Distinct rows and their counts, in an order that does not depend on the order of the items."""
        return self._patterns_and_inverse[0]

    @property
    def inverse(self) -> IntArray:
        """The pattern of each item, shape (n_items,)."""
        return self._patterns_and_inverse[1]

    @property
    def n_votes_per_item(self) -> IntArray:
        """How many rules vote on each item, shape (n_items,); 0 marks the items that nobody voted on."""
        return self.patterns.votes_per_pattern[self.inverse]

    @property
    def coding(self) -> str:
        """How the input was understood, in words."""
        silent = 1 - self.patterns.votes_per_rule.sum() / max(1, self.n_items * self.n_rules)
        return self._coding.describe(self.class_names, silent)

    def find_ids(self, ids: npt.ArrayLike) -> IntArray:
        """Where the items of some ids stand, -1 for those that are not there.

        Examples
        --------
        >>> import thumbwise as tw
        >>> tw.Votes([[0, 1], [1, 1]], item_ids=["a", "b"]).find_ids(["b", "z"])
        array([ 1, -1])
        """
        wanted = np.asarray(ids)
        place = {value: i for i, value in enumerate(wanted.tolist())}
        positions = np.full(len(wanted), -1)
        for i, value in enumerate(self.item_ids.tolist()):
            if value in place:
                positions[place[value]] = i
        return positions

    def contains_ids(self, ids: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Whether each of some ids is that of an item."""
        wanted = np.asarray(ids)
        if wanted.dtype.kind in "iu" and self.item_ids.dtype.kind in "iu":
            return np.isin(wanted, self.item_ids)
        ours = set(self.item_ids.tolist())  # NumPy sorts texts, which takes a hundred times as long
        return np.array([value in ours for value in wanted.tolist()], dtype=bool)

    def take_ids(self, ids: npt.ArrayLike) -> Self:
        """The votes on the items of these ids, in their order; all must be there."""
        positions = self.find_ids(ids)
        missing = np.flatnonzero(positions < 0)
        if len(missing):
            raise InvalidLabelsError(
                f"ids must be those of items; {len(missing)} of {len(positions)} are not, such as "
                f"{np.asarray(ids)[missing[0]].tolist()!r}. Drop them, or look whether ids are written in the same way "
                "on both sides."
            )
        return self.take(positions)

    def any_id(self) -> Hashable:
        """The id of the first item, to show what ids look like."""
        first: Hashable = self.item_ids[:1].tolist()[0]
        return first

    def take(self, items: npt.ArrayLike) -> Self:
        """The votes on some of the items, with their ids; rules and classes stay.

        Parameters
        ----------
        items : array-like of int, or of bool and shape (n_items,)
            Positions, in the order that is wanted, or a mask.

        Examples
        --------
        >>> import thumbwise as tw
        >>> votes = tw.Votes([[0, 1], [1, 1], [0, 0]], item_ids=["a", "b", "c"])
        >>> votes.take([2, 0]).item_ids.tolist(), votes.take([False, True, False]).array.tolist()
        (['c', 'a'], [[1, 1]])
        """
        items = np.asarray(items)
        if items.dtype == bool:
            items = np.flatnonzero(items)
        part = self._like(self.rule_names)
        if self._array is None:
            part._patterns_and_inverse = _take_patterns(*self._patterns_and_inverse, items)
        else:
            part._array = self._array[items]
        part._ids = None if self._ids is None else self._ids[items]
        part._groups = None if self._groups is None else self._groups[items]
        return part

    def with_rules(self, rules: Sequence[int]) -> Self:
        """The votes of some rules, or of all in another order, by position; items and classes stay.

        Examples
        --------
        >>> import thumbwise as tw
        >>> votes = tw.Votes([[0, 1], [1, 1]], rule_names=["short", "loud"]).with_rules([1])
        >>> votes.rule_names, votes.array.tolist()
        (('loud',), [[1], [1]])
        """
        other = self._like(tuple(self.rule_names[j] for j in rules))
        if self._array is None:
            merged, position = merge_patterns(self.patterns.with_rules(rules))
            other._patterns_and_inverse = merged, position[self.inverse]
        else:
            other._array = self._array[:, list(rules)]
        return other

    def with_groups(self, groups: IntArray, group_names: Sequence[Hashable]) -> Self:
        """The same votes on items in other groups, each given by its place among the names.

        Examples
        --------
        >>> import numpy as np
        >>> import thumbwise as tw
        >>> votes = tw.Votes([[0, 1], [0, 1]]).with_groups(np.array([1, 0]), ["easy", "hard"])
        >>> votes.group_names, votes.patterns.n_patterns
        (('easy', 'hard'), 2)
        """
        other = self._like(self.rule_names)
        other.group_names, other._groups = tuple(group_names), np.asarray(groups)
        if self._array is None:
            both, place = np.unique(np.stack([self.inverse, other._groups]), axis=1, return_inverse=True)
            counts = np.bincount(place.ravel(), minlength=both.shape[1])
            patterns = self.patterns.take(both[0], counts)
            other._patterns_and_inverse = replace(patterns, groups=both[1]), place.ravel()
        return other

    def without_ids(self) -> Self:
        """The same votes on items that nobody knows."""
        other = self._like(self.rule_names)
        other._ids = None
        return other

    def with_rule_names(self, names: Sequence[str]) -> Self:
        """The same votes under other rule names."""
        return self._like(tuple(names))

    def with_classes(self, class_names: Sequence[Hashable]) -> Self:
        """The same votes among other classes, which are found by name; all of theirs must be there.

        Examples
        --------
        >>> import thumbwise as tw
        >>> votes = tw.Votes([["ham", "spam"]], class_names=["ham", "spam"])
        >>> votes.with_classes(["spam", "news", "ham"]).array.tolist()
        [[2, 0]]
        """
        if tuple(class_names) == self.class_names:
            return self
        number = {name: c for c, name in enumerate(class_names)}
        missing = [name for name in self.class_names if name not in number]
        if missing:
            raise InvalidVotesError(
                f"votes must be for the classes {', '.join(map(repr, list(class_names)[:10]))}; {len(missing)} of "
                f"theirs are not among these, such as {missing[0]!r}. Correct the votes, or fit a model to all classes."
            )
        renumbered = np.array([*(number[name] for name in self.class_names), ABSTAIN])
        other = self._like(self.rule_names)
        other.class_names = tuple(class_names)
        places = [number[name] for name in self.class_names]
        other.is_ordered = self.is_ordered and places == sorted(places)
        if self._array is None:
            patterns = self.patterns
            classes = renumbered[patterns.classes].astype(patterns.classes.dtype)
            merged, position = merge_patterns(replace(patterns, classes=classes, n_classes=len(class_names)))
            other._patterns_and_inverse = merged, position[self.inverse]
        else:
            other._array = renumbered.astype(smallest_dtype(len(class_names)))[self._array]  # -1 meets the end
        return other

    def with_patterns(self, patterns: Patterns) -> Self:
        """Unknown items that show each of some patterns as often as it counts, under the same names.

        The patterns need not differ, and stay as they are: pattern ``t`` is ``patterns`` at position ``t``.
        """
        if (patterns.n_rules, patterns.n_classes) != (self.n_rules, self.n_classes):
            raise InvalidVotesError(
                f"patterns must speak of the same {self.n_rules:,} rules and {self.n_classes:,} classes; found "
                f"{patterns.n_rules:,} rules and {patterns.n_classes:,} classes."
            )
        other = self.without_ids()
        inverse = np.repeat(np.arange(patterns.n_patterns), patterns.counts)
        other._array, other._patterns_and_inverse = None, (patterns, inverse)
        other._groups = patterns.groups[inverse] if self.group_names else None
        return other

    def _like(self, rule_names: tuple[str, ...]) -> Self:
        """The same votes, not yet changed."""
        other = object.__new__(type(self))
        other.rule_names, other.class_names, other._coding = rule_names, self.class_names, self._coding
        other._array, other._ids = self._array, self._ids
        other.group_names, other._groups, other.is_ordered = self.group_names, self._groups, self.is_ordered
        if self._array is None:
            other._patterns_and_inverse = self._patterns_and_inverse
        return other

    def _shown(self) -> Shown:
        return show_votes(self)

    def __repr__(self) -> str:
        size = f"{self.n_items:,} items x {self.n_rules:,} rules, {self.patterns.n_patterns:,} patterns"
        return f"Votes: {size}; {self.coding}"

    def __getstate__(self) -> dict[str, Any]:
        made_again = {"array", "fingerprint"} | (set() if self._array is None else {"_patterns_and_inverse"})
        return {key: value for key, value in self.__dict__.items() if key not in made_again}


def _take_patterns(patterns: Patterns, inverse: IntArray, items: IntArray) -> tuple[Patterns, IntArray]:
    used, inverse, counts = np.unique(inverse[items], return_inverse=True, return_counts=True)
    return patterns.take(used, counts), inverse
