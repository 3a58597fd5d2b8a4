"""Sparse votes: stored entries in, the votes of each item together out; what is not stored abstains.

Whether a stored number counts classes from 0 or from 1 cannot be seen: matrices that cannot tell class 0 from nothing
store class + 1, others store explicit zeros. So it must be said. If classes are numbered from 1, a stored zero is an
error: it may be a leftover of arithmetic, or the sign that classes are numbered from 0 after all, and then every vote
would be read as another class.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from thumbwise._typing import AnyArray, IntArray
from thumbwise.exceptions import InvalidVotesError
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.votes.reading.coding import settle_n_classes
from thumbwise.votes.reading.long_columns import as_array, plain_value
from thumbwise.votes.reading.raw_votes import check_ids, check_shape, settle_rule_names
from thumbwise.votes.reading.read_votes import ClassNames, Coding, ReadVotes
from thumbwise.votes.reading.triples import Triples, rows_of, sort_triples

# Memory follows the number of items and rules too, so a shape must not be out of all proportion to what is stored.
_ITEMS_WITHOUT_QUESTION = 10**8
_RULES_WITHOUT_QUESTION = 10**6
_EMPTY_PER_VOTE = 100


def open_sparse(
    matrix: Any,
    *,
    first_class: int,
    shape: tuple[int, int] | None,
    rule_names: Sequence[str] | None,
    item_ids: npt.ArrayLike | None,
    class_names: ClassNames | None,
    n_classes: int | None,
) -> ReadVotes:
    """Read a SciPy matrix or triples, check every entry, bring the votes of each item together."""
    if isinstance(first_class, bool) or first_class not in (0, 1):
        raise InvalidVotesError(
            f"first_class must be 0 (stored numbers are classes 0, 1, ...) or 1 (classes 1, 2, ...); found "
            f"{first_class!r}."
        )
    (items, rules, numbers), (n_items, n_rules) = _open_entries(matrix, first_class, shape)
    names = settle_rule_names(rule_names, n_rules)
    ids = None if item_ids is None else check_ids(as_array(item_ids, "item_ids"), n_items)
    place = _Place(items, rules, numbers, ids, names)
    classes = _to_classes(numbers, first_class, place)
    k = settle_n_classes(int(classes.max(initial=ABSTAIN)), n_classes, class_names)
    _refuse(classes >= k, place, f"stored votes must be classes {first_class}..{k - 1 + first_class}", _MORE_CLASSES)
    # An entry that abstains takes part in the search for entries of one cell, as class 0 of one more.
    triples, repeated = sort_triples((items, rules, classes + 1), (n_items, n_rules, k + 1))
    if len(repeated):
        raise _twice(triples, repeated, ids, names, first_class)
    rows = rows_of(_drop_abstentions(triples), (n_items, n_rules, k))
    return ReadVotes(rows, ids, names, tuple(range(k)) if class_names is None else class_names, Coding("not stored"))


_MORE_CLASSES = "If there are more classes, raise n_classes or list them in class_names; else check first_class"


class _Place:
    """Words for where entries are."""

    def __init__(
        self, items: IntArray, rules: IntArray, numbers: AnyArray, ids: AnyArray | None, names: Sequence[str]
    ) -> None:
        self.items, self.rules, self.numbers, self.ids, self.names = items, rules, numbers, ids, names

    def describe(self, strange: AnyArray) -> str:
        """The first of the strange entries, and how many there are."""
        at = int(np.argmax(strange))
        item = _id_of(self.ids, int(self.items[at]))
        value = plain_value(self.numbers[at])
        where = f"item {item!r}, rule {self.names[self.rules[at]]!r}"
        return f"{value!r} at {where} ({np.count_nonzero(strange)} such entries)"


def _id_of(ids: AnyArray | None, item: int) -> Any:
    return item if ids is None else plain_value(ids[item])


def _refuse(strange: AnyArray, place: _Place, rule: str, hint: str) -> None:
    if strange.any():
        raise InvalidVotesError(f"{rule}; found {place.describe(strange)}. {hint}.")


def _open_entries(
    matrix: Any, first_class: int, shape: tuple[int, int] | None
) -> tuple[tuple[IntArray, IntArray, AnyArray], tuple[int, int]]:
    if sp.issparse(matrix):
        entries, settled = _of_matrix(matrix, first_class)
        if shape is not None and tuple(shape) != settled:
            raise InvalidVotesError(f"shape must be that of the matrix, {settled}; found {shape!r}. Leave it out.")
    elif isinstance(matrix, tuple) and len(matrix) == 3:
        settled = _settle_shape(shape)
        entries = _of_triples(matrix, settled)
    else:
        raise InvalidVotesError(
            "sparse votes must be a SciPy sparse matrix (items x rules) or a tuple of three arrays (item positions, "
            f"rule positions, values); found {type(matrix).__name__}. For an array or a frame use Votes(...)."
        )
    check_shape(settled)
    _refuse_emptiness(settled, len(entries[0]))
    return entries, settled


def _of_matrix(matrix: Any, first_class: int) -> tuple[tuple[IntArray, IntArray, AnyArray], tuple[int, int]]:
    check_shape(matrix.shape)
    # These formats store whole blocks or diagonals, so that a zero in one of them may be there to fill it up.
    pads = matrix.format == "dia" or (matrix.format == "bsr" and matrix.blocksize != (1, 1))
    if pads and first_class == 0:
        raise InvalidVotesError(
            f"a vote for class 0 must differ from nothing, but a matrix in {matrix.format.upper()} format is filled up "
            "with zeros. Build it as COO or CSR with explicit zeros, or store class + 1 and pass first_class=1."
        )
    _check_pointers(matrix)
    entries = matrix.tocoo(copy=False)  # does not add up entries of one cell
    stored = entries.data != 0 if pads else slice(None)
    return (entries.row[stored], entries.col[stored], entries.data[stored]), matrix.shape


def _check_pointers(matrix: Any) -> None:
    """Refuse positions that point outside: SciPy loads them from files unseen, and follows them out of its memory."""
    try:
        if matrix.format in ("csr", "csc", "bsr"):
            matrix.check_format(full_check=True)
        elif matrix.format == "coo":
            for name, positions, size in zip(("row", "column"), (matrix.row, matrix.col), matrix.shape, strict=True):
                if len(positions) != len(matrix.data):
                    raise ValueError(f"{len(positions)} numbers of a {name} for {len(matrix.data)} values")
                if len(positions) and not 0 <= positions.min() <= positions.max() < size:
                    raise ValueError(f"numbers of a {name} must lie from 0 to {size - 1}")
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise InvalidVotesError(
            f"a sparse matrix must be sound; this one, in {matrix.format.upper()} format, is damaged: {error}. Build "
            "or load it again."
        ) from error


def _settle_shape(shape: Any) -> tuple[int, int]:
    try:
        n_items, n_rules = (int(size) for size in shape if size == int(size) and size >= 0)
    except (TypeError, ValueError, OverflowError):
        raise InvalidVotesError(
            f"triples need shape=(n_items, n_rules), since items and rules without votes do not occur in them; found "
            f"shape={shape!r:.80}."
        ) from None
    return n_items, n_rules


def _of_triples(triples: tuple[Any, Any, Any], shape: tuple[int, int]) -> tuple[IntArray, IntArray, AnyArray]:
    names = ("item positions", "rule positions", "values")
    items, rules, numbers = (as_array(column, name) for column, name in zip(triples, names, strict=True))
    lengths = len(items), len(rules), len(numbers)
    if len(set(lengths)) > 1:
        shown = ", ".join(f"{length} {name}" for length, name in zip(lengths, names, strict=True))
        raise InvalidVotesError(f"the three arrays of triples must be equally long; found {shown}.")
    return _check_positions(items, names[0], shape[0]), _check_positions(rules, names[1], shape[1]), numbers


def _check_positions(positions: AnyArray, name: str, size: int) -> IntArray:
    if len(positions) == 0:
        return np.empty(0, dtype=np.int64)
    if positions.dtype.kind not in "iu":
        raise InvalidVotesError(
            f"{name} must be whole numbers; found dtype {positions.dtype}. For ids and names use Votes.from_long."
        )
    outside = (positions < 0) | (positions >= size)
    if outside.any():
        at = int(np.argmax(outside))
        raise InvalidVotesError(
            f"{name} must be 0..{size - 1}, as shape says; found {positions[at]} in triple {at} ({outside.sum()} such "
            "triples). Correct them or shape."
        )
    return positions


def _refuse_emptiness(shape: tuple[int, int], n_stored: int) -> None:
    for size, what, least in zip(
        shape, ("items", "rules"), (_ITEMS_WITHOUT_QUESTION, _RULES_WITHOUT_QUESTION), strict=True
    ):
        most = max(least, _EMPTY_PER_VOTE * n_stored)
        if size > most:
            raise InvalidVotesError(
                f"there may be at most {most:,} {what} for {n_stored:,} stored votes; found shape {shape}. Drop the "
                f"{what} without votes, or check that the shape is not transposed."
            )


def _to_classes(numbers: AnyArray, first_class: int, place: _Place) -> IntArray:
    """Stored numbers as classes from 0, ABSTAIN where a number is missing or, if classes start at 0, where it is -1."""
    if len(numbers) == 0:
        return np.empty(0, dtype=np.int64)
    if numbers.dtype.kind not in "biuf":
        raise InvalidVotesError(f"stored votes must be numbers; found dtype {numbers.dtype}. Store class numbers.")
    missing = np.isnan(numbers) if numbers.dtype.kind == "f" else np.zeros(0, dtype=bool)
    if numbers.dtype.kind == "f":
        # Beyond 2^53 floats skip integers, so such a number was never a class.
        odd = ~missing & ~((numbers == np.floor(numbers)) & (np.abs(numbers) < 2**53))
        _refuse(odd, place, "stored votes must be whole class numbers", "Round or threshold scores into classes first")
    if numbers.dtype.kind == "u" and numbers.dtype.itemsize == 8:
        _refuse(numbers >= 2**63, place, "stored votes must be class numbers", _MORE_CLASSES)
    wanted = "stored votes must be classes 0, 1, ... or -1 for abstain" if first_class == 0 else _FROM_ONE
    hint = "Only -1 means abstain" if first_class == 0 else _ZERO
    _refuse(numbers < first_class - (first_class == 0), place, wanted, hint)
    classes = np.where(missing, first_class + ABSTAIN, numbers) if missing.any() else numbers
    return classes.astype(np.int64) - first_class


_FROM_ONE = "with first_class=1 stored votes must be classes 1, 2, ..."
_ZERO = (
    "If zeros are votes for class 0, pass first_class=0; if they mean nothing, call matrix.eliminate_zeros() on a copy "
    "first; an abstention is not stored"
)


def _drop_abstentions(triples: Triples) -> Triples:
    items, rules, codes = triples
    voted = codes > 0
    return (items, rules, codes - 1) if voted.all() else (items[voted], rules[voted], codes[voted] - 1)


def _twice(
    triples: Triples, repeated: IntArray, ids: AnyArray | None, names: tuple[str, ...], first_class: int
) -> InvalidVotesError:
    items, rules, codes = triples
    differ = codes[repeated] != codes[repeated - 1]
    place = repeated[np.argmax(differ)]  # a contradiction says more than a repetition
    first, second = (int(codes[at]) - 1 + first_class for at in (place - 1, place))
    where = f"item {_id_of(ids, int(items[place]))!r}, rule {names[rules[place]]!r}"
    return InvalidVotesError(
        f"a rule must vote at most once on an item; {where} has the entries {first} and {second} ({len(repeated)} "
        f"entries too many, {differ.sum()} of them different). Adding them up, as sum_duplicates() does, would make "
        "other classes of them: drop the entries that are too many, or use Votes.from_long with duplicates=..."
    )
