"""Votes: checked votes with item ids, rule names and class names, and their patterns."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from thumbwise._typing import AnyArray, IntArray
from thumbwise.exceptions import InvalidVotesError
from thumbwise.patterns import Patterns, find_patterns, merge_patterns, take_rows
from thumbwise.reading.coding import code_names, code_numbers, smallest_dtype
from thumbwise.reading.long_votes import Duplicates, open_long
from thumbwise.reading.raw_votes import check_ids, first_repeated, open_votes

# Bytes that an array made of long votes may take.
_LARGEST_ARRAY = 2 * 10**9


class Votes:
    """What every rule says about every item.

    ``Votes(...)`` takes one column per rule, :meth:`from_long` one row per vote.

    Parameters
    ----------
    data : array-like, frame or Votes, (n_items, n_rules)
        Numbers are classes ``0..n_classes-1`` with -1, None or NaN for an abstention; strings are class names with
        None or NaN for an abstention. A frame is any that narwhals reads eagerly: pandas, polars, PyArrow, Modin.
    n_classes : int, optional
        Declared number of classes; inferred from the largest vote if absent.
    class_names : sequence, optional
        Names of the classes in order. Given with strings, no other string may occur.
    rule_names : sequence of str, optional
        Column names of a frame, otherwise ``rule_0, rule_1, ...``.
    item_ids : array-like or str, optional
        Unique ids of the items, or the name of the frame's column that holds them. Absent: the frame's index if it has
        one of its own, otherwise positions.
    item_groups : array-like of shape (n_items,), optional
        Group of each item (a region, a source, ...), for moments that speak of groups. Models do not need them.
    abstain : str, optional
        A string that stands for an abstention, for votes that are strings.
    copy : bool
        Whether to copy an array that could be used as it is. If not, it must not be changed afterwards.

    Attributes
    ----------
    array : read-only ndarray of shape (n_items, n_rules)
        Class numbers, -1 where a rule abstains. If the votes are long ones, made when first asked for.
    patterns : Patterns
        Distinct rows and their counts, in an order that does not depend on the order of the items.
    inverse : ndarray of shape (n_items,)
        The pattern of each item.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0, 1], [-1, 1], [0, 1]], rule_names=["short", "shouting"], class_names=["ham", "spam"])
    >>> votes
    Votes: 3 items x 2 rules, 2 patterns; classes 'ham', 'spam'; -1 = abstain (16.7 % of votes)
    >>> votes.patterns.to_rows()
    array([[-1,  1],
           [ 0,  1]], dtype=int32)
    """

    # What was passed; None for long votes, which are held as patterns and the pattern of each item.
    _array: IntArray | None
    _ids: AnyArray | None
    rule_names: tuple[str, ...]
    class_names: tuple[Hashable, ...]
    group_names: tuple[Hashable, ...]
    _groups: IntArray | None

    def __init__(
        self,
        data: Any,
        *,
        n_classes: int | None = None,
        class_names: Sequence[Hashable] | None = None,
        rule_names: Sequence[str] | None = None,
        item_ids: npt.ArrayLike | str | None = None,
        item_groups: npt.ArrayLike | None = None,
        abstain: str | None = None,
        copy: bool = True,
    ) -> None:
        if class_names is not None:
            class_names = _check_class_names(class_names)
        if isinstance(data, Votes):
            raise InvalidVotesError("data is already a Votes object; use it as it is, or pass its .array.")
        raw = open_votes(data, item_ids, rule_names)
        self.rule_names = raw.rule_names
        if raw.numbers is not None:
            array, k = code_numbers(raw.numbers, raw.rule_names, n_classes, class_names)
            self.class_names = tuple(range(k)) if class_names is None else class_names
            self._kind = "numbers"
        else:
            array, self.class_names = code_names(raw.strings, raw.rule_names, class_names, n_classes, abstain)
            self._kind = "names"
        if copy and np.may_share_memory(array, raw.numbers):
            array = array.copy()
        self._array = array
        self._ids = None if raw.item_ids is None else check_ids(raw.item_ids, len(array))
        self.group_names, self._groups = (), None
        if item_groups is not None:
            self.group_names, self._groups = _check_groups(item_groups, len(array))

    @classmethod
    def from_long(
        cls,
        data: Any,
        *,
        item: str = "item",
        rule: str = "worker",
        label: str = "label",
        n_classes: int | None = None,
        class_names: Sequence[Hashable] | None = None,
        rule_names: Sequence[str] | None = None,
        item_ids: npt.ArrayLike | None = None,
        item_groups: npt.ArrayLike | None = None,
        abstain: str | None = None,
        duplicates: Duplicates = "raise",
    ) -> Votes:
        """Votes from one row per vote, as crowds and panels of judges give them; memory follows the number of votes.

        A pair of item and rule without a row is an abstention. A row with a missing label (-1, None, NaN) is one too,
        and keeps its item and its rule. Patterns, and so the answers of every model, are those of the same votes as a
        table.

        Parameters
        ----------
        data : frame, mapping, tuple of three columns, or rows of three values
            Columns are found by name in a frame or mapping, by position elsewhere: item, rule, label. A list of three
            is three rows, a tuple of three is three columns.
        item, rule, label : str
            Names of the columns. Items and rules are numbers, strings or anything hashable; labels are class numbers
            or class names, as in :class:`Votes`.
        n_classes, class_names, abstain
            As in :class:`Votes`.
        rule_names : sequence of str, optional
            All rules in order, also those that never vote. Absent: the rules that occur, numbers by size and strings as
            people sort them (w2 before w10), so that the order of the rows plays no part. Names are strings.
        item_ids : array-like, optional
            All items in order, also those that nobody voted on. Absent: the items that occur, in the order of their
            first row. Ids stay what they are, numbers or strings.
        item_groups : array-like of shape (n_items,), optional
            Group of each item, in the order of ``item_ids``, which must then be given.
        duplicates : {"raise", "first", "last"}
            What to do when a rule votes on an item more than once: an error, or the label of the first or last row.

        Examples
        --------
        >>> import thumbwise as tw
        >>> rows = [("q7", "ann", "cat"), ("q7", "bob", "dog"), ("q2", "bob", "dog"), ("q9", "ann", None)]
        >>> votes = tw.Votes.from_long(rows)
        >>> votes
        Votes: 3 items x 2 rules, 3 patterns; classes 'cat', 'dog'; no row = abstain (50.0 % of votes)
        >>> votes.item_ids.tolist(), votes.rule_names, votes.array.tolist()
        (['q7', 'q2', 'q9'], ('ann', 'bob'), [[0, 1], [-1, 1], [-1, -1]])
        """
        if item_groups is not None and item_ids is None:
            raise InvalidVotesError("item_groups needs item_ids, which say in what order the groups are. Pass both.")
        long = open_long(
            data,
            (item, rule, label),
            n_classes=n_classes,
            class_names=None if class_names is None else _check_class_names(class_names),
            rule_names=rule_names,
            item_ids=item_ids,
            abstain=abstain,
            duplicates=duplicates,
        )
        votes = object.__new__(cls)
        votes.rule_names, votes.class_names, votes._kind = long.rule_names, long.class_names, "long"
        votes._array, votes._ids = None, long.item_ids
        votes.group_names, votes._groups = (), None
        rows = long.rows
        if item_groups is not None:
            votes.group_names, votes._groups = _check_groups(item_groups, rows.n_patterns)
            rows = replace(rows, groups=votes._groups)
        votes._found = merge_patterns(rows)
        return votes

    @cached_property
    def array(self) -> IntArray:
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
    def n_items(self) -> int:
        return len(self.inverse if self._array is None else self._array)

    @property
    def n_rules(self) -> int:
        return len(self.rule_names)

    @property
    def n_classes(self) -> int:
        return len(self.class_names)

    @property
    def has_ids(self) -> bool:
        """Whether item ids were given (if not, ``item_ids`` are positions)."""
        return self._ids is not None

    @property
    def groups(self) -> IntArray:
        """Position of each item's group in ``group_names``; all 0 if there are none."""
        return np.zeros(self.n_items, dtype=np.int64) if self._groups is None else self._groups

    @property
    def item_ids(self) -> AnyArray:
        return np.arange(self.n_items) if self._ids is None else self._ids

    @cached_property
    def _found(self) -> tuple[Patterns, IntArray]:
        return find_patterns(self.array, self.n_classes, self._groups)  # long votes come with theirs

    @property
    def patterns(self) -> Patterns:
        return self._found[0]

    @property
    def inverse(self) -> IntArray:
        return self._found[1]

    @property
    def n_votes_per_item(self) -> IntArray:
        """How many rules vote on each item; 0 marks the items that nobody voted on."""
        return self.patterns.votes_per_pattern[self.inverse]

    @property
    def coding(self) -> str:
        """How the input was understood, in words."""
        shown = ", ".join(repr(name) for name in self.class_names[:6]) + (", ..." if self.n_classes > 6 else "")
        silent = 1 - self.patterns.votes_per_rule.sum() / max(1, self.n_items * self.n_rules)
        mark = {"numbers": "-1", "names": "missing", "long": "no row"}[self._kind]
        return f"classes {shown}; {mark} = abstain ({silent:.1%} of votes)".replace("%", " %")

    @cached_property
    def fingerprint(self) -> str:
        """Hash of rule names, class names, patterns and counts: equal for the same items in any order."""
        digest = sha256(repr((self.rule_names, self.class_names, self.group_names)).encode())
        patterns = self.patterns
        for part in (patterns.starts, patterns.rules, patterns.classes, patterns.counts, patterns.groups):
            digest.update(np.ascontiguousarray(part, dtype=np.int64).tobytes())
        return digest.hexdigest()

    def take(self, items: npt.ArrayLike) -> Votes:
        """The votes on some of the items (positions or a mask), with their ids."""
        items = np.asarray(items)
        if items.dtype == bool:
            items = np.flatnonzero(items)
        part = self._like(self.rule_names)
        if self._array is None:
            part._found = _take_found(*self._found, items)
        else:
            part._array = self._array[items]
        part._ids = None if self._ids is None else self._ids[items]
        part._groups = None if self._groups is None else self._groups[items]
        return part

    def with_rules(self, rules: Sequence[int]) -> Votes:
        """The votes of some rules, or of all in another order, by position."""
        other = self._like(tuple(self.rule_names[j] for j in rules))
        if self._array is None:
            merged, position = merge_patterns(self.patterns.with_rules(rules))
            other._found = merged, position[self.inverse]
        else:
            other._array = self._array[:, list(rules)]
        return other

    def without_ids(self) -> Votes:
        """The same votes on items that nobody knows."""
        other = self._like(self.rule_names)
        other._ids = None
        return other

    def with_rule_names(self, names: Sequence[str]) -> Votes:
        """The same votes under other rule names."""
        return self._like(tuple(names))

    def _like(self, rule_names: tuple[str, ...]) -> Votes:
        """The same votes, not yet changed."""
        other = object.__new__(Votes)
        other.rule_names, other.class_names, other._kind = rule_names, self.class_names, self._kind
        other._array, other._ids = self._array, self._ids
        other.group_names, other._groups = self.group_names, self._groups
        if self._array is None:
            other._found = self._found
        return other

    def __len__(self) -> int:
        return self.n_items

    def __repr__(self) -> str:
        size = f"{self.n_items:,} items x {self.n_rules:,} rules, {self.patterns.n_patterns:,} patterns"
        return f"Votes: {size}; {self.coding}"

    def __getstate__(self) -> dict[str, Any]:
        found_again = {"array", "fingerprint"} | (set() if self._array is None else {"_found"})
        return {key: value for key, value in self.__dict__.items() if key not in found_again}


def _take_found(patterns: Patterns, inverse: IntArray, items: IntArray) -> tuple[Patterns, IntArray]:
    used, inverse, counts = np.unique(inverse[items], return_inverse=True, return_counts=True)
    return patterns.take(used, counts), inverse


def _check_groups(groups: npt.ArrayLike, n_items: int) -> tuple[tuple[Hashable, ...], IntArray]:
    values = np.asarray(groups)
    if values.shape != (n_items,):
        raise InvalidVotesError(
            f"item_groups must be one group per item; found shape {values.shape} for {n_items} items."
        )
    names, index = np.unique(values.astype(str) if values.dtype.kind == "O" else values, return_inverse=True)
    return tuple(names.tolist()), index.astype(np.int64)


def _check_class_names(names: Sequence[Hashable]) -> tuple[Hashable, ...]:
    values = tuple(name.item() if isinstance(name, np.generic) else name for name in names)
    repeated = first_repeated(values)
    if repeated is not None:
        raise InvalidVotesError(f"class names must be unique; found {repeated!r} more than once.")
    return values
