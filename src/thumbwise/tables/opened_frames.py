"""Frames as people pass them: opened, their index, and what counts as missing in them."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np

from thumbwise._typing import AnyArray
from thumbwise.exceptions import InvalidVotesError


def open_frame(source: Any, what: str) -> nw.DataFrame[Any] | None:
    """A frame that is in memory, None for what is no frame; ``what`` names it in errors."""
    try:
        frame = nw.from_native(source, pass_through=True)
    except nw.exceptions.DuplicateError:
        raise InvalidVotesError("columns must have one name each; the frame has a name twice. Rename it.") from None
    if isinstance(frame, nw.LazyFrame):
        raise InvalidVotesError(f"{what} must be in memory; found a lazy frame. Collect it first.")
    return frame if isinstance(frame, nw.DataFrame) else None


def own_index(source: nw.DataFrame[Any] | nw.Series[Any]) -> AnyArray | None:
    """The index of a pandas-like frame or column unless it only counts the rows."""
    index = nw.maybe_get_index(source)
    if index is None:
        return None
    row_ids = np.asarray(index)
    return None if counts_rows(row_ids) else row_ids


def counts_rows(index: AnyArray) -> bool:
    """Whether an index is 0, 1, 2, ..., as those that nobody gave are, and so names nothing."""
    return index.dtype.kind in "iu" and np.array_equal(index, np.arange(len(index)))


def is_missing(value: object) -> bool:
    """None, NaN, and the NA and NaT objects of frame libraries."""
    if value is None:
        return True
    try:
        # NaN and NaT are the values that differ from themselves; an array of one NaN is still an array.
        return bool(value != value) and not getattr(value, "ndim", 0)  # noqa: PLR0124
    except (TypeError, ArithmeticError):  # pandas.NA refuses to be true or false, Decimal("sNaN") to be compared
        return True
    except ValueError:  # an array differs from itself in some places or in none, and is no single value
        return False
