"""The engines that can hold the items: how each takes a small table, gives one back, and renames columns.

Everything else is written once, as narwhals expressions. Inside a query columns have names of our own, so that the
user's names, whatever they are, occur only where columns are renamed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

import narwhals as nw
import numpy as np

from thumbwise._typing import AnyArray
from thumbwise.exceptions import InvalidVotesError
from thumbwise.tables.formats import explained

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

LazyFrame: TypeAlias = "nw.LazyFrame[Any]"
Columns: TypeAlias = Mapping[str, AnyArray]


class Engine(ABC):
    """Holds the items and computes on them where they are."""

    @abstractmethod
    def fetch(self, frame: LazyFrame) -> dict[str, AnyArray]:
        """Bring a small table here. Missing values are None in arrays of objects, masked or NaN in others."""

    @abstractmethod
    def send(self, columns: Columns, beside: LazyFrame) -> LazyFrame:
        """A small table where the items are, to be joined with them."""

    def rename(self, frame: LazyFrame, names: Sequence[str]) -> LazyFrame:
        """The same columns under other names, by position."""
        old = frame.collect_schema().names()
        return frame.select(*(nw.col(name).alias(new) for name, new in zip(old, names, strict=True)))


class DuckDB(Engine):
    """A relation of a DuckDB connection, which may be on disk, in memory, or files.

    Parameters
    ----------
    connection : DuckDB connection, optional
        That of the relation, if it is ours: it may be confined, and then sees what is sent only if that is registered.
    """

    def __init__(self, connection: DuckDBPyConnection | None = None) -> None:
        self._connection, self._names = connection, map("thumbwise_sent_{}".format, count())

    def fetch(self, frame: LazyFrame) -> dict[str, AnyArray]:
        with explained("the items"):
            fetched = frame.to_native().fetchnumpy()
        return {name: _unmasked(column) for name, column in fetched.items()}

    def send(self, columns: Columns, beside: LazyFrame) -> LazyFrame:
        if self._connection is not None:
            name = next(self._names)
            self._connection.register(name, {column: _plain(values) for column, values in columns.items()})
            return _wrap(self._connection.view(name))
        # The connection of a relation is reached through a query on it; DuckDB finds the variable by its name.
        thumbwise_sent = {name: _plain(column) for name, column in columns.items()}
        sent = beside.to_native().query("thumbwise_items", "SELECT * FROM thumbwise_sent")
        del thumbwise_sent
        return _wrap(sent)


class Polars(Engine):
    """A polars LazyFrame."""

    def fetch(self, frame: LazyFrame) -> dict[str, AnyArray]:
        collected = frame.to_native().collect()
        return {column.name: column.to_numpy() for column in collected.get_columns()}

    def send(self, columns: Columns, beside: LazyFrame) -> LazyFrame:
        import polars as pl  # noqa: PLC0415  # optional; it is there if its frames are

        return _wrap(pl.LazyFrame({name: _plain(column) for name, column in columns.items()}))


class Ibis(Engine):
    """An Ibis table of any backend."""

    def fetch(self, frame: LazyFrame) -> dict[str, AnyArray]:
        table = frame.to_native().to_pyarrow()
        return {name: table[name].to_numpy() for name in table.column_names}

    def send(self, columns: Columns, beside: LazyFrame) -> LazyFrame:
        import ibis  # noqa: PLC0415  # optional; it is there if its tables are
        import pyarrow as pa  # noqa: PLC0415  # Ibis brings it

        return _wrap(ibis.memtable(pa.table({name: pa.array(column) for name, column in columns.items()})))


class Spark(Engine):
    """A PySpark DataFrame."""

    def fetch(self, frame: LazyFrame) -> dict[str, AnyArray]:
        native = frame.to_native()
        rows = native.collect()
        return {name: _column([row[j] for row in rows]) for j, name in enumerate(native.columns)}

    def send(self, columns: Columns, beside: LazyFrame) -> LazyFrame:
        from pyspark.sql import functions  # noqa: PLC0415  # optional; it is there if its frames are

        rows = list(zip(*(column.tolist() for column in columns.values()), strict=True))
        schema = ", ".join(f"{name} {_SPARK_TYPES[column.dtype.kind]}" for name, column in columns.items())
        return _wrap(functions.broadcast(beside.to_native().sparkSession.createDataFrame(rows, schema)))

    def rename(self, frame: LazyFrame, names: Sequence[str]) -> LazyFrame:
        # By position: Spark reads dots and backticks in the name of a column as more than a name.
        return _wrap(frame.to_native().toDF(*names))


_SPARK_TYPES = {"i": "bigint", "f": "double", "U": "string", "O": "string"}
_ENGINES: dict[nw.Implementation, Engine] = {
    nw.Implementation.DUCKDB: DuckDB(),
    nw.Implementation.POLARS: Polars(),
    nw.Implementation.IBIS: Ibis(),
    nw.Implementation.PYSPARK: Spark(),
    nw.Implementation.PYSPARK_CONNECT: Spark(),
}


def open_frame(native: Any) -> tuple[LazyFrame, Engine]:
    """A lazy frame and the engine that holds its rows."""
    frame = nw.from_native(native, pass_through=True)
    if isinstance(frame, nw.LazyFrame) and frame.implementation in _ENGINES:
        return frame, _ENGINES[frame.implementation]
    hint = "Pass it to Votes, which reads what is in memory."
    if isinstance(frame, nw.LazyFrame):
        hint = "Write it to Parquet files and use LazyVotes.from_files."
    raise InvalidVotesError(
        "lazy votes must be a DuckDB relation, a polars LazyFrame, a PySpark DataFrame or an Ibis table; found "
        f"{type(native).__module__}.{type(native).__qualname__}. {hint}"
    )


def _wrap(native: Any) -> LazyFrame:
    frame: LazyFrame = nw.from_native(native)
    return frame


def _unmasked(column: AnyArray) -> AnyArray:
    if isinstance(column, np.ma.MaskedArray) and np.ma.getmaskarray(column).any():
        whole: AnyArray = np.array(column.data, dtype=object)
        whole[np.ma.getmaskarray(column)] = None
        return whole
    return np.asarray(column)


def _plain(column: AnyArray) -> AnyArray:
    """Strings as objects, which every library takes."""
    return column.astype(object) if column.dtype.kind == "U" else column


def _column(values: list[Any]) -> AnyArray:
    """An array of objects if anything in it is missing or no number."""
    if values and all(isinstance(value, (int, float)) for value in values):
        return np.array(values)
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column
