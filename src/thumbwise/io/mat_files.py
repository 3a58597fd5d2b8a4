"""Votes and labels from MATLAB files of strangers: read only if they are plain numbers of the expected shape."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.exceptions import InvalidFileError
from thumbwise.io.mat_format import DamagedMatError, MatVariable, TooLargeMatError, scan_variables
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.tables.budgets import in_words, most_bytes, too_large
from thumbwise.tables.given_paths import check_plain

# The largest of the paper's files has 3.3 MB; a small compressed file can expand to far more than it weighs.
MAX_BYTES = 200 * 10**6
# Entries that are looked at together.
_AT_ONCE = 2**20
MAX_CLASSES = 1000

# Variables of the files: votes and labels of each part.
TRAINING = ("train_pred", "train_labels")
VALIDATION = ("val_pred", "validation_labels")
TEST = ("test_pred", "test_labels")
Part: TypeAlias = tuple[IntArray, IntArray]


def read_arrays(path: Path, names: Sequence[str]) -> dict[str, AnyArray]:
    """The named variables of a file, two-dimensional arrays of numbers.

    Raises
    ------
    InvalidFileError
        The file is missing, too large, damaged or no MATLAB file of version 5 to 7.2, or a variable is missing or no
        array of numbers.
    """
    content = _read_bytes(path)
    try:
        variables = list(scan_variables(content, max_bytes=most_bytes() - len(content), wanted=names))
    except TooLargeMatError as error:
        what, n_bytes = error.args
        raise too_large(path, f"{what} {in_words(n_bytes + len(content))} with what was read before it") from error
    except DamagedMatError as error:
        raise InvalidFileError(
            f"{path} must be a MATLAB file of a version from 5 to 7.2, as its ending says; it cannot be read as such: "
            f"{error}. Fetch it again."
        ) from error
    return {name: _find_array(path, name, variables) for name in names}


def _read_bytes(path: Path) -> bytes:
    try:
        check_plain(path)
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise InvalidFileError(
                f"{path} must have at most {MAX_BYTES:,} bytes; it has {size:,}. It is another file, fetch it again."
            )
        return path.read_bytes()
    except FileNotFoundError:
        raise InvalidFileError(
            f"there is no file {path}. Check its name and folder, or fetch it with thumbwise.datasets.fetch_paper."
        ) from None
    except OSError as error:
        raise InvalidFileError(f"{path} cannot be opened: {error.strerror}.") from error


def _find_array(path: Path, name: str, variables: Sequence[MatVariable]) -> AnyArray:
    named = [variable for variable in variables if variable.name == name]
    if len(named) != 1:
        listed = ", ".join(repr(variable.name) for variable in variables[:20]) or "none"
        raise InvalidFileError(f"{path} must hold the variable {name!r} once; its variables are {listed}.")
    array, shape = named[0].array, named[0].shape
    if array is None or len(shape) != 2:
        raise InvalidFileError(
            f"{name!r} of {path} must be a two-dimensional array of real numbers; it is of kind {named[0].kind!r} and "
            f"shape {shape}."
        )
    return array


def as_votes(array: AnyArray, name: str, path: Path) -> IntArray:
    """Class numbers, or -1 for an abstention, whatever type they were stored as."""
    if not array.size:
        raise InvalidFileError(
            f"{name!r} of {path} must hold votes, items by rules; it is empty, of shape {array.shape}."
        )
    return _as_classes(array, name, path, ABSTAIN)


def as_labels(array: AnyArray, n_items: int, name: str, path: Path) -> IntArray:
    """A class number per item, stored as one row or one column."""
    if array.shape not in {(1, n_items), (n_items, 1)}:
        raise InvalidFileError(
            f"{name!r} of {path} must hold one label per item, of shape (1, {n_items}) like the votes; "
            f"its shape is {array.shape}."
        )
    return _as_classes(array, name, path, 0).ravel()


def _as_classes(array: AnyArray, name: str, path: Path, lowest: int) -> IntArray:
    classes: IntArray = np.empty(array.shape, dtype=np.int16)
    n_strange, first = 0, (-1, -1)
    n_rows = max(1, _AT_ONCE // max(1, array.shape[1]))
    for start in range(0, len(array), n_rows):
        part = array[start : start + n_rows]
        with np.errstate(invalid="ignore"):
            is_class = (part >= lowest) & (part < MAX_CLASSES)
            if part.dtype.kind == "f":
                is_class &= part == np.floor(part)
            classes[start : start + n_rows] = part
        if not is_class.all():
            strange = np.argwhere(~is_class)
            first = first if n_strange else (start + int(strange[0][0]), int(strange[0][1]))
            n_strange += len(strange)
    if n_strange:
        what = f"class numbers from 0 to {MAX_CLASSES - 1}" + (" or -1 for abstain" if lowest < 0 else "")
        raise InvalidFileError(
            f"{name!r} of {path} must hold {what}; found {array[first].item()!r} at {first} ({n_strange} such entries)."
        )
    return classes


def count_classes(parts: Sequence[Part]) -> int:
    """As many as labels or votes of any part tell of."""
    return max(2, 1 + max(int(max(votes.max(), labels.max())) for votes, labels in parts))


def read_parts(path: Path, names: tuple[tuple[str, str], ...]) -> list[Part]:
    """Votes and labels of some parts of a file, by the names of their variables."""
    arrays = read_arrays(path, [name for pair in names for name in pair])
    parts = []
    for votes_name, labels_name in names:
        votes = as_votes(arrays[votes_name], votes_name, path)
        parts.append((votes, as_labels(arrays[labels_name], len(votes), labels_name, path)))
    first, first_name = parts[0][0], names[0][0]
    for (votes, _), (name, _) in zip(parts, names, strict=True):
        if votes.shape[1] != first.shape[1]:
            raise InvalidFileError(
                f"all parts of {path} must have the same rules; {first_name!r} has {first.shape[1]} columns and "
                f"{name!r} {votes.shape[1]}."
            )
    return parts
