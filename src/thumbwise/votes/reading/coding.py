"""Raw votes in, class numbers out: what counts as a class, what as an abstention, and what is neither.

Numbers are class numbers ``0..k-1`` with -1 for an abstention; strings are class names. None, NaN and NA are
abstentions in both. Anything else is an error that names the value, its place and how many there are.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.exceptions import Argument, InPython, InvalidVotesError
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.tables.opened_frames import is_missing

MAX_INFERRED_CLASSES = 10_000
_CHUNK = 2**16
_LONGEST_SHOWN = 200
LOOKS_LIKE_ABSTAIN = {"", "-1", "abstain", "?", "nan", "none", "null", "na", "n/a"}

# Distinct strings of a column, and each item's index into them, -1 where the value is missing.
StringColumn: TypeAlias = tuple[Sequence[str], IntArray]


def smallest_dtype(n_classes: int) -> type[np.signedinteger[Any]]:
    """Narrowest integer type that holds every class and ABSTAIN."""
    for dtype in (np.int8, np.int16, np.int32):
        if n_classes - 1 <= np.iinfo(dtype).max:
            return dtype
    return np.int64


def settle_n_classes(largest_vote: int, n_classes: int | None, class_names: Sequence[Hashable] | None) -> int:
    """Number of classes, from what was declared or else from the largest vote; never silently one."""
    if n_classes is not None and not _is_whole(n_classes):
        raise InvalidVotesError(Argument("n_classes"), f" must be a whole number; found {n_classes!r}.")
    declared = n_classes if class_names is None else len(class_names)
    if n_classes is not None and class_names is not None and n_classes != len(class_names):
        raise InvalidVotesError(
            Argument("n_classes"),
            " must equal the number of class names; found ",
            Argument("n_classes", n_classes),
            f" and {len(class_names)} names.",
        )
    if declared is not None:
        if declared < 2:
            raise InvalidVotesError(f"there must be at least two classes; found {declared} declared.")
        return declared
    if largest_vote < 1:
        seen = "no vote at all" if largest_vote < 0 else "votes for class 0 only"
        raise InvalidVotesError(
            f"the number of classes cannot be inferred: found {seen}. Declare it with ",
            InPython("n_classes=... or "),
            Argument("class_names", [...]),
            ".",
        )
    if largest_vote >= MAX_INFERRED_CLASSES:
        raise InvalidVotesError(
            f"the largest vote is {largest_vote}, which would make {largest_vote + 1} classes; more than "
            f"{MAX_INFERRED_CLASSES} are not inferred. If that is meant, ",
            InPython(f"declare n_classes={largest_vote + 1} or "),
            "list the classes with ",
            Argument("class_names", [...]),
            ".",
        )
    return int(largest_vote) + 1


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def code_numbers(
    table: AnyArray,
    rule_names: Sequence[str],
    n_classes: int | None,
    class_names: Sequence[Hashable] | None,
) -> tuple[IntArray, int]:
    """Check a numeric table (items, rules) and return it as the narrowest integers, with the number of classes."""
    if table.dtype.kind == "b":
        table = table.view(np.int8) if table.flags.c_contiguous else table.astype(np.int8)
    if table.dtype.kind == "f":
        table = _whole_numbers(table, rule_names)
    smallest, largest = int(table.min()), int(table.max())
    k = settle_n_classes(largest, n_classes, class_names)
    if smallest < ABSTAIN or largest >= k:
        raise _out_of_range(table, k, rule_names)
    return table.astype(smallest_dtype(k), copy=False), k


def _whole_numbers(table: AnyArray, rule_names: Sequence[str]) -> IntArray:
    """NaN becomes ABSTAIN; a fraction or an infinity is an error."""
    whole = np.empty(table.shape, dtype=np.int64)
    for start in range(0, len(table), _CHUNK):
        block = table[start : start + _CHUNK].astype(np.float64)
        missing = np.isnan(block)
        filled = np.where(missing, ABSTAIN, block)
        # Beyond 2^53 floats skip integers, so such a number was never a class.
        if not ((filled == np.floor(filled)) & (np.abs(filled) < 2**53)).all():
            raise _not_whole(table, rule_names)
        whole[start : start + _CHUNK] = filled
    return whole


def _describe_bad(
    table: AnyArray, is_bad: Callable[[AnyArray], AnyArray], rule_names: Sequence[str]
) -> tuple[Any, int, str, int]:
    """First offending value with its place, and how many there are, without a mask of the whole table."""
    first: tuple[Any, int, str] = (None, -1, "")
    total = 0
    for start in range(0, len(table), _CHUNK):
        block = table[start : start + _CHUNK]
        bad = is_bad(block)
        if total == 0 and bad.any():
            item, rule = np.argwhere(bad)[0]
            first = (block[item, rule].item(), start + int(item), rule_names[rule])
        total += int(bad.sum())
    return (*first, total)


def _not_whole(table: AnyArray, rule_names: Sequence[str]) -> InvalidVotesError:
    def is_bad(block: AnyArray) -> AnyArray:
        with np.errstate(invalid="ignore"):
            block = block.astype(np.float64)
            return np.asarray(~np.isnan(block) & ~((block == np.floor(block)) & (np.abs(block) < 2**53)))

    value, item, rule, total = _describe_bad(table, is_bad, rule_names)
    return not_whole(f"{value} at item {item}, rule {rule!r} ({total} such votes)")


def _out_of_range(table: AnyArray, n_classes: int, rule_names: Sequence[str]) -> InvalidVotesError:
    value, item, rule, total = _describe_bad(
        table, lambda block: np.asarray((block < ABSTAIN) | (block >= n_classes)), rule_names
    )
    return out_of_range(value, n_classes, f"{value} at item {item}, rule {rule!r} ({total} such votes)")


def not_whole(place: str) -> InvalidVotesError:
    """The error for a vote that is a fraction or an infinity, wherever it is."""
    return InvalidVotesError(
        f"votes must be whole class numbers, or -1 or NaN for abstain; found {place}. "
        "Round or threshold scores into classes first."
    )


def out_of_range(value: float, n_classes: int, place: str) -> InvalidVotesError:
    """The error for a whole number that is no class, wherever it is."""
    head = f"votes must hold class numbers 0..{n_classes - 1} or -1 for abstain; found {place}. "
    if value < n_classes:
        return InvalidVotesError(head, "Only -1 means abstain; recode other marks first.")
    return InvalidVotesError(
        f"{head}If classes are numbered from 1, subtract 1 first; if there are more classes, ",
        InPython("raise n_classes or "),
        "list them with ",
        Argument("class_names", [...]),
        ".",
    )


def unknown_name(class_names: Sequence[Hashable], place: str) -> InvalidVotesError:
    """The error for a name that is none of a class, wherever it is."""
    known = ", ".join(repr(name) for name in list(class_names)[:10])
    return InvalidVotesError(
        f"votes must be one of the class names ({known}) or missing for abstain; found {place}. Correct the votes, add "
        "the name to ",
        Argument("class_names"),
        ", or pass ",
        Argument("abstain", ...),
        " if it means abstain.",
    )


def code_names(
    columns: Sequence[StringColumn],
    rule_names: Sequence[str],
    class_names: Sequence[Hashable] | None,
    n_classes: int | None,
    abstain: str | None,
) -> tuple[IntArray, tuple[Hashable, ...]]:
    """Turn columns of strings into class numbers; class names not given are the distinct strings in sorted order."""
    if class_names is None:
        class_names = settle_names(columns, abstain)
    else:
        unknown = [name for name in _distinct(columns, abstain) if name not in set(class_names)]
        if unknown:
            raise _unknown_name(columns, rule_names, unknown, class_names)
    k = settle_n_classes(0, n_classes, class_names)
    number = {name: c for c, name in enumerate(class_names)}
    n_items = len(columns[0][1]) if columns else 0
    coded = np.empty((n_items, len(columns)), dtype=smallest_dtype(k), order="F")
    for j, (names, index) in enumerate(columns):
        lookup = np.array([number.get(name, ABSTAIN) for name in names] + [ABSTAIN])
        coded[:, j] = lookup[index]  # index -1 (missing) meets the ABSTAIN at the end
    return coded, tuple(class_names)


def settle_names(columns: Sequence[StringColumn], abstain: str | None = None) -> tuple[str, ...]:
    """The distinct strings in sorted order; never silently one, never a mark that may mean abstain."""
    distinct = _distinct(columns, abstain)
    _refuse_abstain_lookalikes(distinct, abstain)
    if len(distinct) < 2:
        raise InvalidVotesError(
            f"there must be at least two classes; found {len(distinct)} in the votes "
            f"({', '.join(repr(name)[:_LONGEST_SHOWN] for name in distinct) or 'none'}). List all of them in ",
            Argument("class_names", [...]),
            ".",
        )
    return tuple(distinct)


def _distinct(columns: Sequence[StringColumn], abstain: str | None) -> list[str]:
    return sorted({name for names, _ in columns for name in names if name != abstain})


def _refuse_abstain_lookalikes(names: Iterable[str], abstain: str | None) -> None:
    suspects = [name for name in names if name.strip().lower() in LOOKS_LIKE_ABSTAIN]
    if suspects:
        already = () if abstain is None else (" (", Argument("abstain", repr(abstain)), " is taken care of)")
        raise InvalidVotesError(
            f"votes contain {suspects[0]!r}, which may be a class or a mark for abstain",
            *already,
            ". Pass ",
            Argument("abstain", repr(suspects[0])),
            " if it means abstain, or list it in ",
            Argument("class_names"),
            " if it is a class.",
        )


def _unknown_name(
    columns: Sequence[StringColumn],
    rule_names: Sequence[str],
    unknown: Sequence[str],
    class_names: Sequence[Hashable],
) -> InvalidVotesError:
    strange = set(unknown)
    total, place = 0, ""
    for (names, index), rule in zip(columns, rule_names, strict=True):
        bad = np.isin(index, [i for i, name in enumerate(names) if name in strange])
        if bad.any() and not place:
            item = int(np.argmax(bad))
            place = f"{names[int(index[item])]!r} at item {item}, rule {rule!r}"
        total += int(bad.sum())
    return unknown_name(class_names, f"{place} ({total} such votes)")


def index_strings(column: Sequence[object], rule: str) -> StringColumn:
    """Distinct strings of a column in order of appearance, and each item's index into them (-1 where missing)."""
    known: dict[str, int] = {}
    index = np.empty(len(column), dtype=np.int64)
    for item, value in enumerate(column):
        if isinstance(value, str):
            index[item] = known.setdefault(str(value), len(known))
        elif is_missing(value):
            index[item] = ABSTAIN
        else:
            raise InvalidVotesError(
                f"votes must be all numbers or all strings; found {value!r} ({type(value).__name__}) at item {item}, "
                f"rule {rule!r}, among strings. Convert the column to one kind first."
            )
    return list(known), index
