"""Items that rules are applied to: lists, columns, frames or anything that can be read once, in chunks, with ids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import narwhals as nw
import numpy as np

from thumbwise._typing import AnyArray
from thumbwise.exceptions import InvalidVotesError
from thumbwise.tables.opened_frames import own_index
from thumbwise.votes.reading.long_columns import as_array
from thumbwise.votes.reading.raw_votes import check_ids


class Items:
    """Items of any kind. Their number is None where only reading them tells."""

    def __init__(self, items: Any, item_ids: Any) -> None:
        self._source = _open(items)
        is_frame = isinstance(self._source, (nw.DataFrame, nw.Series))
        is_known = is_frame or isinstance(self._source, (Sequence, np.ndarray))
        self.n_items: int | None = len(self._source) if is_known else None
        self._key: str | None = None
        self._ids: Any = None
        if isinstance(item_ids, str):
            self._ids = _ids_by_name(self._source, item_ids, is_known=is_known)
            self._key = None if is_known else item_ids
        elif item_ids is not None:
            self._ids = as_array(item_ids, "item_ids")
        elif is_frame:
            self._ids = own_index(self._source)
        if self.n_items is not None and self._ids is not None:
            self._ids = check_ids(self._ids, self.n_items)

    def chunks(self, size: int) -> Iterator[list[Any]]:
        """Lists of so many items, read once and only as far as asked; ids are noted on the way."""
        n_read = 0
        for chunk in _chunks(self._source, size):
            if self._key is not None:
                self._ids.extend(_value_of(item, self._key, i) for i, item in enumerate(chunk, n_read))
            n_read += len(chunk)
            if self._ids is not None and n_read > len(self._ids):
                raise InvalidVotesError(f"item_ids must be one id per item; found {len(self._ids)} ids and more items.")
            yield chunk

    def id_of(self, position: int) -> Any:
        """The id of an item that has been read; its position if there are no ids."""
        value = position if self._ids is None else self._ids[position]
        return value.item() if isinstance(value, np.generic) else value

    def checked_ids(self, n_items: int) -> AnyArray | None:
        """All ids, once all items have been read."""
        return None if self._ids is None else check_ids(as_array(self._ids, "item_ids"), n_items)


def _open(items: Any) -> Any:
    if isinstance(items, (str, bytes, Mapping)):
        raise InvalidVotesError(
            f"items must be a list, a frame or another iterable of items; found one {type(items).__name__}. "
            "Put it into a list; of a mapping of items, pass list(items.values())."
        )
    try:
        source = nw.from_native(items, allow_series=True, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise InvalidVotesError("columns must have different names, since rules see rows by column name.") from error
    if isinstance(source, nw.LazyFrame):
        raise InvalidVotesError("items must be in memory; found a lazy frame. Collect it first.")
    if isinstance(source, (nw.DataFrame, nw.Series)):
        return source
    if hasattr(items, "__arrow_c_array__") or hasattr(items, "__arrow_c_stream__"):
        raise InvalidVotesError(  # iterating over these gives columns or batches
            f"items must be a table, a list or another iterable of items; found {type(items).__name__}. "
            "Pass a PyArrow table, or items.to_pylist()."
        )
    if not isinstance(items, (Iterable, Sequence)):
        raise InvalidVotesError(f"items must be a list, a frame or another iterable; found {type(items).__name__}.")
    return items


def _chunks(source: Any, size: int) -> Iterator[list[Any]]:
    if isinstance(source, nw.DataFrame):
        for start in range(0, len(source), size):
            yield source[start : start + size].rows(named=True)
    elif isinstance(source, nw.Series):
        for start in range(0, len(source), size):
            yield source[start : start + size].to_list()
    else:
        left = iter(source)
        while chunk := list(islice(left, size)):
            yield chunk


def _ids_by_name(source: Any, name: str, *, is_known: bool) -> Any:
    if isinstance(source, nw.DataFrame):
        if name not in source.columns:
            raise InvalidVotesError(
                f"item_ids must name a column of the frame; found {name!r}, and the columns are {source.columns[:20]}."
            )
        return as_array(source.get_column(name).to_native(), name)
    return as_array([_value_of(item, name, i) for i, item in enumerate(source)], name) if is_known else []


def _value_of(item: Any, name: str, position: int) -> Any:
    if not isinstance(item, Mapping) or name not in item:
        raise InvalidVotesError(
            f"item_ids={name!r} must name a column of a frame, or a key of every item; item {position} "
            f"({type(item).__name__}) has none. Pass the ids themselves as item_ids=[...]."
        )
    return item[name]
