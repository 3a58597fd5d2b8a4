"""Frames of pandas, polars, PyArrow and others that narwhals reads, as tables and back, missing values kept."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import narwhals as nw
import numpy as np

from thumbwise._typing import AnyArray
from thumbwise.tables.formats import Column
from thumbwise.tables.opened_frames import is_missing, open_frame, own_index
from thumbwise.tables.table_files import Table


def as_table(frame: Any) -> Table | None:
    """The columns of a frame, an index of its own first; None if it is no frame.

    Raises
    ------
    InvalidVotesError
        The frame is a lazy one, or has a name twice or no text as a name.
    """
    opened = open_frame(frame, "a table of votes")
    if opened is None:
        return None
    columns = {str(name): _from_series(opened.get_column(name)) for name in opened.columns}
    index = own_index(opened)
    if index is None:
        return Table(columns)
    return Table({index_name(opened): as_column(index.tolist()), **columns})


def index_name(frame: nw.DataFrame[Any]) -> str:
    """What the index of a frame is called as a column."""
    name = getattr(nw.maybe_get_index(frame), "name", None)
    return "item_id" if name is None else str(name)


def _from_series(series: nw.Series[Any]) -> Column:
    if series.dtype.is_numeric() and not series.dtype.is_decimal() and not series.null_count():
        array = series.to_numpy()
        return np.ma.array(array, mask=np.isnan(array) if array.dtype.kind == "f" else False)
    if series.dtype in (nw.String, nw.Categorical, nw.Enum):
        missing = series.is_null().to_numpy()
        array = np.array([*series.to_list(), None], dtype=object)[:-1]
        array[missing] = None  # pandas has NaN there
        return np.ma.array(array, mask=missing)
    return as_column(series.to_list())


def as_column(values: Iterable[Any]) -> Column:
    """Values with None, NaN and NA masked: whole numbers, numbers, truth values or texts; lists as JSON."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        return np.ma.array(values, mask=np.isnan(values) if values.dtype.kind == "f" else False)
    listed = list(values)
    mask = np.array([is_missing(value) for value in listed], dtype=bool)
    kinds = {type(value) for value, is_gone in zip(listed, mask, strict=True) if not is_gone}
    if kinds and kinds <= {bool}:
        return np.ma.array([value is True for value in listed], mask=mask)
    if kinds and kinds <= {int, float, *_NUMPY_NUMBERS} and _fits(listed, mask):
        return np.ma.array([0 if gone else value for value, gone in zip(listed, mask, strict=True)], mask=mask)
    texts = np.array([*(None if gone else _text(value) for value, gone in zip(listed, mask, strict=True)), None])[:-1]
    return np.ma.array(texts.astype(object), mask=mask)


def _text(value: Any) -> str:
    """A value as text; a list as JSON, as lists in files are read."""
    if isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim == 1):
        return json.dumps([part.item() if isinstance(part, np.generic) else part for part in value], default=str)
    return str(value)


_NUMPY_NUMBERS = {np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.float32, np.float64}


def _fits(values: list[Any], mask: AnyArray) -> bool:
    """Whole numbers that 64 bits hold."""
    return all(gone or abs(value) < 2**63 for value, gone in zip(values, mask, strict=True))


def like_frame(table: Table, native: Any) -> Any:
    """A table as a frame of the same library as another one."""
    opened = nw.from_native(native, eager_only=True)
    columns = {name: _plain(column) for name, column in table.columns.items()}
    return nw.from_dict(columns, backend=opened.implementation).to_native()


def _plain(column: Column) -> Any:
    """An array if nothing is missing and it is no array of texts, otherwise a list with None."""
    if column.dtype.kind in "biuf" and not np.ma.getmaskarray(column).any():
        return np.asarray(column.data)
    return column.tolist()
