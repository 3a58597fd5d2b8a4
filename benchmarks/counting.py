"""Counting distinct rows in memory: against a pass over the same bytes, NumPy, polars and DuckDB."""

from __future__ import annotations

from benchmarks.launching import Job, Measurement, read_measurement
from benchmarks.settings import Settings
from benchmarks.tables import Row, Table, merge_versions

METHODS = ("sum", "words", "counts", "inverse", "checked", "polars", "duckdb", "unique")
N_RUNS = 7


def count_patterns(settings: Settings) -> Table:
    """Ratios to a bare pass, and of others to ours."""
    small, large = settings.items(1_000_000), settings.items(10_000_000)
    n_runs = N_RUNS if settings.n_runs > 1 else 1
    rows, runs = [], []
    for n_items, judged in ((small, False), (large, True)):
        job = Job("count_patterns", settings.votes(large), n_items, n_runs, *METHODS)
        runs.append(read_measurement(job.run()))
        rows += _rows(f"{n_items:,} items", runs[-1], judged=judged)
    notes = [
        f"One process a size; methods take turns, the best of up to {n_runs} counts. polars and DuckDB use all cores.",
        "Counts only: rows packed by `pack_rows` and counted by `np.bincount`, in blocks. `votes.sum()` widens bytes;",
        "the sum of 64-bit words over the same bytes does not, and is the stricter floor.",
    ]
    return Table("Counting patterns in memory, 10 rules", rows, notes, merge_versions(*runs))


def _rows(size: str, run: Measurement, *, judged: bool) -> list[Row]:
    seconds, found = run.checks["fastest"], run.checks["found"]

    def row(method: str, name: str, to: str, asked: float | None = None, *, at_least: bool = False) -> Row:
        ratio = seconds[method] / seconds[to]
        sign, reached = (">=", ratio >= (asked or 0)) if at_least else ("<=", ratio <= (asked or 0))
        counts = f"{found[method]:,} patterns; " if found[method] else ""
        return Row(
            f"{size}: {name}",
            seconds[method],
            run.checks["slowest"][method],
            ratio=ratio,
            asked=f"{sign} {asked:g}" if asked and judged else "",
            reached=reached if asked and judged else None,
            remarks=f"{counts}ratio to {'the sum' if to == 'sum' else 'counts only'}",
        )

    return [
        row("sum", "votes.sum()", "sum"),
        row("words", "sum as 64-bit words", "sum"),
        row("counts", "thumbwise, counts only", "sum", 3),
        row("inverse", "thumbwise, with the inverse", "counts", 3),
        row("checked", "thumbwise, Votes(array).patterns", "sum"),
        row("polars", "polars group_by", "counts"),
        row("duckdb", "DuckDB GROUP BY", "counts"),
        row("unique", "np.unique(axis=0)", "counts", 100, at_least=True),
    ]
