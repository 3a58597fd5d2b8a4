"""How readers grow with columns, keys and rows, in processor time: slopes of logarithms, and ratios to a plain read.

Usage: python -m benchmarks --only readers
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.launching import Job, measure
from benchmarks.settings import Settings
from benchmarks.tables import Growth, Row, Table, merge_versions

# Sizes of a small run lie apart by this, so that there is a slope.
_FEWEST = 20


@dataclass(frozen=True)
class Reader:
    """A kind of table, how large it gets, and what is asked: seconds, or times those of a plain read."""

    kind: str
    name: str
    sizes: tuple[int, ...]
    plain: str = ""
    most_seconds: float | None = None
    most_times: float | None = None

    def asked(self) -> str:
        if self.most_times is not None:
            return f"<= {self.most_times:g}"
        return "" if self.most_seconds is None else f"<= {self.most_seconds:g} s"


READERS = (
    Reader("csv_columns", "CSV, columns", (1000, 4000, 16_000, 64_000), most_seconds=60),
    Reader("lazy_columns", "CSV that stays, columns", (250, 1000, 2000)),
    Reader("json_keys", "JSON lines, keys", (500, 2000, 8000), "DuckDB's read_json", most_times=5),
    Reader("csv_rows", "CSV, rows", (500_000, 2_000_000, 8_000_000), "DuckDB's own read into NumPy", most_times=2),
    Reader(
        "long_rows",
        "long Parquet of texts, rows",
        (100_000, 400_000, 1_700_000),
        "polars: read, code, group",
        most_times=1.5,
    ),
    Reader("wrench_items", "WRENCH folder, items", (20_000, 80_000, 320_000), "json.loads of train.json", most_times=2),
    Reader("dataset_rows", "folder of datasets, rows", (10_000, 40_000, 160_000), "PyArrow's to_pydict", most_times=2),
)


def grow_readers(settings: Settings) -> Table:
    """Every reader at several sizes, and beside a plain read of the same file where there is one."""
    rows: list[Row] = []
    growth: list[Growth] = []
    versions: dict[str, str] = {}
    for reader in READERS:
        more, of_reader, found = _grow(reader, settings)
        rows += more
        growth.append(of_reader)
        versions |= found
    notes = [
        "Seconds of the processor, the best of three reads in a fresh process; slope of log seconds on log size. Ratio "
        "to the plain read that is named, which takes turns with it and does no more than get the values to Python."
    ]
    return Table("Readers: growth with columns, keys and rows", rows, notes, versions, growth)


def _grow(reader: Reader, settings: Settings) -> tuple[list[Row], Growth, dict[str, str]]:
    sizes = _sizes(reader.sizes, settings.shrink)
    homes = [settings.table(reader.kind, size) for size in sizes]
    runs = measure(*(Job("read_tables", home, reader.kind) for home in homes), max_runs=1)
    rows = []
    for size, run, i in zip(sizes, runs, range(len(sizes)), strict=True):
        ratio = run.checks.get("ratio")
        is_last = i == len(sizes) - 1
        most, value = (reader.most_times, ratio) if reader.most_times else (reader.most_seconds, run.seconds)
        reached = value <= most if is_last and most is not None and value is not None else None
        asked = reader.asked() if reached is not None else ""
        remarks = f"{reader.plain}: {run.checks['plain']:.2f} s" if reader.plain else ""
        rows.append(Row.of(f"{reader.name}, {size:,}", run, ratio, asked, reached, remarks))
    growth = Growth.of_runs(reader.name, sizes, runs)
    rows.append(Row(f"{reader.name}, slope", ratio=growth.slope))
    return rows, growth, merge_versions(*runs)


def _sizes(sizes: Sequence[int], shrink: int) -> list[int]:
    """Divided, and still different from each other."""
    return [max(size // shrink, _FEWEST * (i + 1)) for i, size in enumerate(sizes)]
