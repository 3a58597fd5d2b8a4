"""Codings other than ours: a mapping from the values that stand in the votes to class names, None for an abstention.

Keys are compared by value: 1 is 1.0, and "1" is neither. True and False are keys for votes that are booleans, and only
for those; such votes may also be coded by 1 and 0, which they equal. What is missing always abstains.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.exceptions import InvalidVotesError
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.tables.opened_frames import is_missing
from thumbwise.votes.reading.coding import StringColumn, smallest_dtype
from thumbwise.votes.reading.read_votes import ClassNames, Coding

_UNKNOWN = -2
_CHUNK = 2**14
# Measured on 10^8 votes: a comparison with each key is faster than a table up to about this many keys.
_FEW_KEYS = 12
_LARGEST_TABLE = 2**16


@dataclass(frozen=True)
class Codes:
    """Class number of every value that may stand in the votes, ABSTAIN among them; booleans apart."""

    class_of: dict[Any, int]
    of_booleans: dict[Any, int]
    class_names: ClassNames

    def known(self, *, boolean: bool) -> dict[Any, int]:
        """What may stand in votes that are, or are not, booleans."""
        return self.class_of | self.of_booleans if boolean else self.class_of

    def describe(self, *, no_row: bool = False) -> Coding:
        """Which value stands for which class, and which for an abstention."""
        every = {**self.class_of, **self.of_booleans}
        shown = tuple(f"{key!r} = {self.class_names[c]!r}" for key, c in every.items() if c != ABSTAIN)
        silent = [repr(key) for key, c in every.items() if c == ABSTAIN]
        marks = [*silent, "no row"] if no_row else silent or ["missing"]
        return Coding(" or ".join(marks), shown)

    def find(self, values: Sequence[Any]) -> IntArray:
        """Class number of each value, ABSTAIN where it is missing; ``is_unknown`` tells the rest."""
        present = [value for value in values if not is_missing(value)]
        known = self.known(boolean=bool(present) and all(isinstance(value, bool) for value in present))
        classes = [ABSTAIN if is_missing(value) else known.get(value, _UNKNOWN) for value in values]
        return np.array(classes, dtype=smallest_dtype(len(self.class_names)))

    def unknown(self, place: str, value: object) -> InvalidVotesError:
        """The error for a value that is no key."""
        keys = [repr(key) for key in {**self.class_of, **self.of_booleans}]
        shown = ", ".join(keys[:10]) + (", ..." if len(keys) > 10 else "")
        twin = isinstance(value, str) and value.strip() in {str(key) for key in self.class_of if key != value}
        hint = " A string of digits is no number." if twin else ""
        return InvalidVotesError(
            f"votes must be one of the values in codes ({shown}) or missing for abstain; found {place}.{hint} Add it "
            "to codes, with the name of its class or with None if it means abstain."
        )


def is_unknown(classes: IntArray) -> AnyArray:
    """Where a value was no key."""
    return np.asarray(classes == _UNKNOWN)


def open_codes(codes: Any, **others: object) -> Codes | None:
    """Check a mapping; the other arguments say what it says already, so none may be given beside it."""
    if codes is None:
        return None
    beside = [name for name, value in others.items() if value is not None]
    if beside:
        raise InvalidVotesError(
            f"codes name the classes and the abstentions; found {', '.join(beside)} as well. Drop {beside[0]}: classes "
            "are in the order of codes, and None stands for an abstention."
        )
    if not isinstance(codes, Mapping):
        raise InvalidVotesError(
            f"codes must be a mapping from values to class names; found {type(codes).__name__}. Write it like "
            "{0: None, -1: 'no', 1: 'yes'}, with None for an abstention."
        )
    names = {_plain(key): _class_name(key, name) for key, name in codes.items()}
    class_names = tuple(dict.fromkeys(name for name in names.values() if name is not None))
    if len(class_names) < 2:
        shown = ", ".join(map(repr, class_names)) or "none"
        raise InvalidVotesError(
            f"codes must name at least two classes; found {shown}. Add the others, also those that nobody votes for."
        )
    number = {name: c for c, name in enumerate(class_names)}
    class_of = {key: ABSTAIN if name is None else number[name] for key, name in names.items() if key is not None}
    booleans = {key: c for key, c in class_of.items() if isinstance(key, bool)}
    return Codes({key: c for key, c in class_of.items() if not isinstance(key, bool)}, booleans, class_names)


def _plain(key: Any) -> Hashable:
    """A number, a string or a boolean of Python; None if it is missing."""
    value: Hashable = key.item() if isinstance(key, np.generic) else key
    if is_missing(value):
        return None
    if not isinstance(value, (str, Real, Decimal)):
        raise InvalidVotesError(
            f"the keys of codes must be values of votes, numbers or strings; found {value!r:.80} "
            f"({type(value).__name__}). Write codes as {{value in the votes: class name}}."
        )
    return str(value) if isinstance(value, str) else value


def _class_name(key: object, name: Any) -> Hashable:
    plain = name.item() if isinstance(name, np.generic) else name
    if not isinstance(plain, Hashable):
        raise InvalidVotesError(
            f"codes must map to class names, which are strings, numbers or other hashable values; found {name!r:.80} "
            f"for {key!r}."
        )
    if is_missing(plain):
        return None
    if is_missing(key):
        raise InvalidVotesError(
            f"a missing vote is an abstention and no class; found {key!r}: {name!r} in codes. Fill in the missing "
            "votes with a value of their own first."
        )
    return plain


def code_table(
    table: AnyArray, gaps: Mapping[int, AnyArray], rule_names: Sequence[str], codes: Codes, *, boolean: bool
) -> IntArray:
    """Class numbers of a table of numbers; ``gaps`` say for some columns where the vote is missing."""
    plain = table.view(np.int8) if table.dtype.kind == "b" and table.flags.c_contiguous else table
    keys, classes = _fit_keys(codes.known(boolean=boolean), plain.dtype)
    coded = np.empty(table.shape, dtype=smallest_dtype(len(codes.class_names)))
    for start in range(0, len(table), _CHUNK):
        rows = slice(start, start + _CHUNK)
        _code_block(plain[rows], keys, classes.astype(coded.dtype), coded[rows])
    for rule, missing in gaps.items():
        coded[missing, rule] = ABSTAIN
    if coded.min() == _UNKNOWN:
        bad = is_unknown(coded)
        item, rule = divmod(int(np.argmax(bad)), table.shape[1])
        value = bool(table[item, rule]) if boolean else table[item, rule].item()
        place = f"{value!r} at item {item}, rule {rule_names[rule]!r} ({np.count_nonzero(bad)} such votes)"
        raise codes.unknown(place, value)
    return coded


def _fit_keys(known: Mapping[Any, int], dtype: np.dtype[Any]) -> tuple[AnyArray, IntArray]:
    """The keys that a number of this type can equal, as such numbers in ascending order, and their classes."""
    numbers = {key: c for key, c in known.items() if not isinstance(key, str)}
    if dtype.kind == "f":
        # Beyond 2^53 floats skip integers, so such a number may have been another one.
        numbers = {key: c for key, c in numbers.items() if math.isinf(key) or abs(key) < 2**53}
        fit = {float(key): c for key, c in numbers.items() if float(key) == key}
        dtype = np.dtype(np.float64)
    else:
        low, high = (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
        fit = {int(key): c for key, c in numbers.items() if low <= key <= high and key == int(key)}
    keys = sorted(fit)
    return np.array(keys, dtype=dtype), np.array([fit[key] for key in keys], dtype=np.int64)


def _code_block(block: AnyArray, keys: AnyArray, classes: IntArray, coded: IntArray) -> None:
    if block.dtype.kind == "f":
        block = block.astype(np.float64, copy=False)
    if len(keys) <= _FEW_KEYS:
        _compare(block, keys, classes, coded)
    elif keys.dtype.kind != "f" and int(keys[-1]) - int(keys[0]) < _LARGEST_TABLE:
        coded[...] = _look_up(block, keys, classes)
    else:
        place = np.minimum(np.searchsorted(keys, block), len(keys) - 1)
        coded[...] = np.where(keys[place] == block, classes[place], _UNKNOWN)
    if block.dtype.kind == "f":
        coded[np.isnan(block)] = ABSTAIN


def _compare(block: AnyArray, keys: AnyArray, classes: IntArray, coded: IntArray) -> None:
    """A vote equals one key at most, so sums over keys pick its class."""
    coded.fill(_UNKNOWN)
    for key, number in zip(keys, classes, strict=True):
        coded += (block == key) * (number - coded.dtype.type(_UNKNOWN))


def _look_up(block: AnyArray, keys: AnyArray, classes: IntArray) -> IntArray:
    """By a table over the range of the keys; what is outside is no key."""
    low, high = keys[0], keys[-1]
    table = np.full(int(high) - int(low) + 1, _UNKNOWN, dtype=classes.dtype)
    table[(keys.astype(object) - int(low)).astype(np.int64)] = classes
    inside = (block >= low) & (block <= high)
    index = np.where(inside, block, low).astype(np.uint64) - np.array(low).astype(np.uint64)  # exact modulo 2^64
    return np.where(inside, table[index.astype(np.int64)], table.dtype.type(_UNKNOWN))


def code_strings(columns: Sequence[StringColumn], rule_names: Sequence[str], codes: Codes) -> IntArray:
    """Class numbers of columns of strings."""
    dtype = smallest_dtype(len(codes.class_names))
    coded = np.empty((len(columns[0][1]), len(columns)), dtype=dtype, order="F")
    for j, (names, index) in enumerate(columns):
        lookup = np.array([codes.class_of.get(name, _UNKNOWN) for name in names] + [ABSTAIN], dtype=dtype)
        coded[:, j] = lookup[index]  # index -1 (missing) meets the ABSTAIN at the end
    bad = is_unknown(coded)
    if bad.any():
        item, rule = divmod(int(np.argmax(bad)), len(columns))
        names, index = columns[rule]
        value = names[int(index[item])]
        raise codes.unknown(f"{value!r} at item {item}, rule {rule_names[rule]!r} ({bad.sum()} such votes)", value)
    return coded
