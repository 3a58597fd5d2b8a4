"""Rows of figures, printed side by side."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.launching import Measurement

HEADER = ("", "seconds", "slowest", "peak MB", "ratio", "asked", "reached", "remarks")


@dataclass(frozen=True)
class Row:
    """One line of a table; ``reached`` is None where nothing was asked."""

    name: str
    seconds: float | None = None
    slowest: float | None = None
    peak_mb: float | None = None
    ratio: float | None = None
    asked: str = ""
    reached: bool | None = None
    remarks: str = ""

    @classmethod
    def of(
        cls,
        name: str,
        run: Measurement,
        ratio: float | None = None,
        asked: str = "",
        reached: bool | None = None,
        remarks: str = "",
    ) -> Row:
        """The row of a measurement."""
        return cls(name, run.seconds, run.slowest, run.peak_mb, ratio, asked, reached, remarks)

    def cells(self) -> tuple[str, ...]:
        reached = "" if self.reached is None else ("yes" if self.reached else "NO")
        peak = "" if self.peak_mb is None else f"{self.peak_mb:,.0f}"
        times = _number(self.seconds), _number(self.slowest)
        return (self.name, *times, peak, _number(self.ratio), self.asked, reached, self.remarks)


@dataclass(frozen=True)
class Growth:
    """Seconds at several sizes, and the slope of their logarithms: 1 is proportional."""

    of: str
    sizes: list[int]
    seconds: list[float]
    slope: float

    @classmethod
    def of_runs(cls, of: str, sizes: Sequence[int], runs: Sequence[Measurement]) -> Growth:
        seconds = [run.seconds for run in runs]
        return cls(of, list(sizes), seconds, log_log_slope(sizes, seconds))

    @property
    def last_slope(self) -> float:
        """Between the two largest sizes."""
        return log_log_slope(self.sizes[-2:], self.seconds[-2:])


def log_log_slope(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Least-squares slope of log seconds on log sizes."""
    x, y = [math.log(size) for size in sizes], [math.log(value) for value in seconds]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    rise = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return rise / sum((a - mean_x) ** 2 for a in x)


@dataclass(frozen=True)
class Table:
    """A title, rows, and sentences below them."""

    title: str
    rows: list[Row]
    notes: list[str]
    versions: dict[str, str] = field(default_factory=dict)
    growth: list[Growth] = field(default_factory=list)
    failed: str = ""

    def unjudged(self) -> Table:
        """The same without what was asked, which holds for full sizes only."""
        return replace(self, rows=[replace(row, asked="", reached=None) for row in self.rows])

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Table:
        """As it was kept."""
        rows, growth = [Row(**row) for row in told["rows"]], [Growth(**one) for one in told["growth"]]
        return cls(told["title"], rows, told["notes"], told["versions"], growth, told["failed"])

    @property
    def grid(self) -> str:
        """The rows alone, without columns that are empty."""
        lines = [HEADER, *(row.cells() for row in self.rows)]
        used = [i for i in range(len(HEADER)) if any(line[i] for line in lines[1:])]
        widths = {i: max(len(line[i]) for line in lines) for i in used}
        shown = ["| " + " | ".join(f"{line[i]:<{widths[i]}}" for i in used) + " |" for line in lines]
        shown.insert(1, "|" + "|".join("-" * (widths[i] + 2) for i in used) + "|")
        return "\n".join(shown)

    def __str__(self) -> str:
        if self.failed:
            return f"## {self.title}\n\nFAILED: {self.failed}"
        versions = ", ".join(f"{name} {number}" for name, number in sorted(self.versions.items()))
        below = [*self.notes, *([f"Versions: {versions}."] if versions else [])]
        return "\n".join([f"## {self.title}", "", self.grid, "", *below])


def merge_versions(*measurements: Measurement) -> dict[str, str]:
    return {name: number for one in measurements for name, number in one.versions.items()}


def write_json(path: Path, machine: dict[str, Any], tables: dict[str, Table]) -> None:
    """Save everything that was printed as JSON."""
    listed = [{"name": name, **asdict(table)} for name, table in tables.items()]
    write_whole(path, json.dumps({**machine, "tables": listed}, indent=1))


def keep_tables(path: Path, machine: dict[str, Any], tables: Mapping[str, Table]) -> None:
    """Put tables into the file that the documentation is filled from; those of other names stay as they are."""
    kept = json.loads(path.read_text(encoding="utf-8"))["tables"] if path.exists() else {}
    made = {name: {**machine, **asdict(table)} for name, table in tables.items() if not table.failed}
    write_whole(path, json.dumps({"tables": {**kept, **made}}, indent=1, ensure_ascii=False) + "\n")


def figures(content: Mapping[str, Any]) -> dict[str, str]:
    """By name the rows of each table that was kept, with what they were measured on below."""
    return {name: f"{Table.read(told).grid}\n\n{origin_of(told)}" for name, told in content["tables"].items()}


def origin_of(told: Mapping[str, Any]) -> str:
    """When, on which machine, with which versions."""
    versions = ", ".join(f"{name} {number}" for name, number in sorted(told["versions"].items()))
    return f"*{'; '.join(filter(None, [told['started'][:10], told['machine'], versions]))}*"


def write_whole(path: Path, text: str) -> None:
    """Write a file, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.unfinished")
    unfinished.write_text(text)
    unfinished.replace(path)


def _number(value: float | None) -> str:
    if value is None:
        return ""
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
