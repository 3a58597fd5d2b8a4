"""Labels of long votes in, class numbers out, with errors that say which item and which rule."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.exceptions import Argument, InvalidVotesError
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.votes.reading.codes import Codes, is_unknown
from thumbwise.votes.reading.coding import code_names, code_numbers, settle_n_classes
from thumbwise.votes.reading.long_columns import LongTable
from thumbwise.votes.reading.read_votes import ClassNames


def code_long_labels(
    table: LongTable,
    n_classes: int | None,
    class_names: ClassNames | None,
    abstain: str | None,
    codes: Codes | None = None,
) -> tuple[IntArray, ClassNames]:
    """Class of each distinct label, and the class names."""
    if codes is not None:
        return _code_by_codes(table, codes), codes.class_names
    labels, missing = table.labels.values, table.labels.missing
    if labels.dtype.kind not in "biuf":
        is_text = np.array([isinstance(value, str) for value in labels], dtype=bool)
        is_number = np.array([isinstance(value, (Real, Decimal, np.bool_)) for value in labels], dtype=bool) & ~missing
        strange = ~(is_text | is_number | missing)
        if strange.any():
            raise InvalidVotesError(f"labels must be numbers, strings or missing; found {table.place(strange)}.")
        if is_text.any() and is_number.any():
            raise InvalidVotesError(
                f"labels must be all numbers or all strings; found {table.place(is_number)}, among strings. "
                "Convert the column to one kind first."
            )
        if is_text.any():
            return _code_strings(table, is_text, n_classes, class_names, abstain)
        labels = np.array(
            [_as_float(v) if ok else np.nan for v, ok in zip(labels, is_number, strict=True)], dtype=float
        )
    return _code_numbers(table, labels, n_classes, class_names)


def _as_float(value: Any) -> float:
    """Infinity in place of a number beyond all floats; neither is a class."""
    try:
        return float(value)
    except OverflowError:
        return np.inf


def _code_by_codes(table: LongTable, codes: Codes) -> IntArray:
    labels = table.labels.values.tolist()
    classes = codes.find(labels)
    strange = is_unknown(classes)
    if strange.any():
        raise codes.unknown(table.place(strange), labels[int(np.argmax(strange))])
    return classes


def _code_strings(
    table: LongTable, is_text: AnyArray, n_classes: int | None, class_names: ClassNames | None, abstain: str | None
) -> tuple[IntArray, ClassNames]:
    strings = [str(value) for value in table.labels.values[is_text]]
    if class_names is not None:
        unknown = is_text.copy()
        unknown[is_text] = [name not in class_names and name != abstain for name in strings]
        if unknown.any():
            known = ", ".join(repr(name) for name in class_names[:10])
            raise InvalidVotesError(
                f"labels must be one of the class names ({known}) or missing for abstain; found "
                f"{table.place(unknown)}. Correct them, add the name to ",
                Argument("class_names"),
                ", or pass ",
                Argument("abstain", ...),
                " if it means abstain.",
            )
    index = np.where(is_text, np.cumsum(is_text) - 1, ABSTAIN)
    coded, names = code_names([(strings, index)], ("label",), class_names, n_classes, abstain)
    return coded[:, 0], names


def _code_numbers(
    table: LongTable, numbers: AnyArray, n_classes: int | None, class_names: ClassNames | None
) -> tuple[IntArray, ClassNames]:
    present = numbers[~np.isnan(numbers)] if numbers.dtype.kind == "f" else numbers
    if numbers.dtype.kind == "f":
        # Beyond 2^53 floats skip integers, so such a number was never a class.
        odd = ~np.isnan(numbers) & ~((numbers == np.floor(numbers)) & (np.abs(numbers) < 2**53))
        if odd.any():
            raise InvalidVotesError(
                f"labels must be whole class numbers, or -1 or missing for abstain; found {table.place(odd)}. "
                "Round or threshold scores into classes first."
            )
    k = settle_n_classes(int(present.max()) if len(present) else ABSTAIN, n_classes, class_names)
    strange = (numbers < ABSTAIN) | (numbers >= k)
    if strange.any():
        raise InvalidVotesError(
            f"labels must be class numbers 0..{k - 1}, or -1 or missing for abstain; found {table.place(strange)}. "
            "If classes are numbered from 1, subtract 1; if there are more, declare them; only -1 means abstain."
        )
    names = tuple(range(k)) if class_names is None else class_names
    coded = code_numbers(numbers[:, np.newaxis], ("label",), k, None)[0][:, 0] if len(numbers) else np.empty(0, np.int8)
    return coded, names
