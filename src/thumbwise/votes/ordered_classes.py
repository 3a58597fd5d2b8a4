"""Ordered classes: the steps of a scale, in the order of their names, and the numbers that they stand for."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import Literal

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.exceptions import Argument, InvalidVotesError


def class_numbers(class_names: Sequence[Hashable]) -> FloatArray | None:
    """The number that each class is called by; None if one of them is no finite number.

    Examples
    --------
    >>> class_numbers(["1", "2", "3"]).tolist(), class_numbers(["poor", "good"])
    ([1.0, 2.0, 3.0], None)
    """
    numbers = [_as_number(name) for name in class_names]
    return np.array(numbers) if np.isfinite(numbers).all() else None


def step_values(class_names: Sequence[Hashable]) -> FloatArray:
    """What distances between ordered classes are measured in: the numbers they are called by, else their places."""
    numbers = class_numbers(class_names)
    return np.arange(len(class_names), dtype=float) if numbers is None else numbers


def check_ordered(class_names: Sequence[Hashable], *, is_listed: bool) -> Literal[True]:
    """Refuse an order that nobody stated, or that contradicts the numbers that classes are called by."""
    numbers, shown = class_numbers(class_names), ", ".join(map(repr, class_names[:8]))
    if not is_listed and numbers is None:
        raise words_in_order(shown)
    if numbers is not None and not (_ascend(numbers) or (is_listed and _ascend(-numbers))):
        raise InvalidVotesError(
            f"ordered classes that are numbers must be in the order of the numbers; found {shown}. List them so: ",
            Argument("class_names", [...]),
            ".",
        )
    return True


def words_in_order(shown: str) -> InvalidVotesError:
    """The error for words whose order nobody stated."""
    return InvalidVotesError(
        f"ordered classes that are words must be listed, from the lowest to the highest; found {shown} and no list. "
        "Say ",
        Argument("class_names", [...]),
        ".",
    )


def _ascend(numbers: FloatArray) -> bool:
    return all(earlier < later for earlier, later in pairwise(numbers.tolist()))


def _as_number(name: Hashable) -> float:
    if isinstance(name, bool):
        return np.nan
    try:
        return float(name)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return np.nan
