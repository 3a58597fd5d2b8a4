"""Ratios and growth as one picture."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.tables import Table

# What thumbwise is compared with; a bar each.
PEERS = ("CVXPY", "SciPy", "Snorkel", "crowd-kit", "np.unique", "polars", "DuckDB GROUP BY")


def peer_ratios(tables: Mapping[str, Table]) -> list[tuple[str, float]]:
    """Names and ratios of the rows that are about another library."""
    rows = [(name, row) for name, table in tables.items() for row in table.rows if row.ratio is not None]
    return [(f"{name}: {row.name}", row.ratio) for name, row in rows if row.ratio and any(p in row.name for p in PEERS)]


def write_plot(path: Path, tables: Mapping[str, Table], machine: str) -> None:
    """Bars of ratios on the left, seconds against sizes on the right, both with logarithmic scales."""
    import matplotlib as mpl  # noqa: PLC0415  # only for the picture

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415

    ratios = peer_ratios(tables)
    height = max(4.0, 0.35 * len(ratios) + 1.5)
    figure, (left, right) = plt.subplots(1, 2, figsize=(13, height), layout="constrained")
    _draw_ratios(left, ratios)
    _draw_growth(right, tables)
    figure.suptitle(machine, fontsize=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"unfinished-{path.name}")
    figure.savefig(unfinished, dpi=120)
    plt.close(figure)
    unfinished.replace(path)


def _draw_ratios(axes: Any, ratios: list[tuple[str, float]]) -> None:
    names, values = [name for name, _ in ratios], [ratio for _, ratio in ratios]
    bars = axes.barh(names, values, color="0.6")
    axes.bar_label(bars, labels=[f"{value:.3g}" for value in values], padding=3, fontsize=8)
    if values:
        axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.invert_yaxis()
    axes.tick_params(axis="y", labelsize=7)
    axes.set_xlabel("ratio, as in the tables")


def _draw_growth(axes: Any, tables: Mapping[str, Table]) -> None:
    lines = [growth for table in tables.values() for growth in table.growth]
    for growth in lines:
        axes.loglog(growth.sizes, growth.seconds, "o-", label=f"{growth.of}: slope {growth.slope:.2f}")
    axes.set_xlabel("size")
    axes.set_ylabel("seconds")
    if lines:
        axes.legend(fontsize=8)
