"""The same table in every engine, and what comes back from it as plain Python."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

import thumbwise as tw
from thumbwise.votes.lazy_votes import LazyVotes

Table = Mapping[str, Sequence[Any]]

# Spark starts slowly, so it has a few tests of its own.
ENGINES = ("duckdb", "parquet", "csv", "polars", "ibis")


def hold(engine: str, table: Table, folder: Path, spark: Callable[[], Any]) -> Any:
    """A lazy frame of the engine, in several pieces where it can be."""
    frame = pl.DataFrame(dict(table), strict=False)
    if engine == "polars":
        return frame.lazy()
    if engine == "spark":
        rows = [tuple(row) for row in frame.iter_rows()]
        return spark().createDataFrame(rows, _spark_schema(frame)).repartition(3)
    if engine == "ibis":
        import ibis

        return ibis.memtable(frame)
    return duckdb.connect().from_arrow(frame.to_arrow())


def lazy_votes(engine: str, table: Table, folder: Path, spark: Callable[[], Any], **options: Any) -> LazyVotes:
    """Lazy votes on a table, from two files if the engine reads files."""
    if engine not in ("parquet", "csv"):
        return LazyVotes(hold(engine, table, folder, spark), **options)
    frame = pl.DataFrame(dict(table), strict=False)
    for i, part in enumerate([frame[: len(frame) // 2], frame[len(frame) // 2 :]]):
        if engine == "parquet":
            part.write_parquet(folder / f"part-{i}.parquet")
        else:
            _write_csv(part, folder / f"part-{i}.csv")
    return LazyVotes.from_files(folder / f"*.{engine}", **options)


def _write_csv(frame: pl.DataFrame, path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([frame.columns, *frame.iter_rows()])


def _spark_schema(frame: pl.DataFrame) -> Any:
    from pyspark.sql import types

    kinds = {"Int64": types.LongType, "Float64": types.DoubleType, "Boolean": types.BooleanType}
    fields = [
        types.StructField(name, kinds.get(str(dtype), types.StringType)()) for name, dtype in frame.schema.items()
    ]
    return types.StructType(fields)


def rows_of(native: Any) -> list[dict[str, Any]]:
    """All rows of a lazy frame."""
    if isinstance(native, pl.LazyFrame):
        return native.collect().to_dicts()
    if isinstance(native, duckdb.DuckDBPyRelation):
        return [dict(zip(native.columns, row, strict=True)) for row in native.fetchall()]
    if hasattr(native, "to_pyarrow"):
        rows: list[dict[str, Any]] = native.to_pyarrow().to_pylist()
        return rows
    return [dict(zip(native.columns, row, strict=True)) for row in native.collect()]


def in_memory(table: Table, rules: Sequence[str], **options: Any) -> tw.Votes:
    """The same votes in memory."""
    frame = pl.DataFrame({name: table[name] for name in rules}, strict=False)
    return tw.Votes(frame, **options)
