"""Votes in Parquet: against DuckDB's own scan and write, and end to end against Snorkel and crowd-kit."""

from __future__ import annotations

from benchmarks.launching import Job, Measurement, measure, measure_large
from benchmarks.settings import Settings
from benchmarks.tables import Row, Table, merge_versions


def compare_with_scan(settings: Settings) -> Table:
    """How much more than reading the columns, and writing the labels, a model takes."""
    n_items = settings.items(100_000_000)
    folder = settings.parquet(n_items)
    scan, count, duckdb, polars, fit, label = measure(
        Job("parquet_engines", folder, "scan"),
        Job("parquet_thumbwise", folder, "count"),
        Job("parquet_engines", folder, "duckdb"),
        Job("parquet_engines", folder, "polars"),
        Job("parquet_thumbwise", folder, "fit"),
        Job("parquet_thumbwise", folder, "label"),
        max_runs=settings.n_runs,
    )
    (write,) = measure(Job("parquet_engines", folder, "write"), max_runs=settings.n_runs)
    floor = scan.seconds + write.seconds
    found = f"{count.checks['n_patterns']:,} patterns"
    rows = [
        Row.of("DuckDB, scan of the columns of votes", scan, 1, remarks="sums of ten columns"),
        Row.of("thumbwise, patterns", count, count.seconds / scan.seconds, remarks=found),
        Row.of("DuckDB, GROUP BY ten columns", duckdb, duckdb.seconds / scan.seconds, remarks=_found(duckdb)),
        Row.of("polars, group_by ten columns", polars, polars.seconds / scan.seconds, remarks=_found(polars)),
        _judged("thumbwise, fit", fit, fit.seconds / scan.seconds, 3, "ratio to the scan"),
        Row.of("DuckDB, write of the labels", write, write.seconds / scan.seconds, remarks="reading them taken off"),
        _judged("thumbwise, fit and labels written", label, label.seconds / floor, 4, "ratio to scan + write"),
        Row("memory", peak_mb=label.peak_mb, asked="<= 4,000 MB", reached=label.peak_mb <= 4000),
    ]
    notes = [
        "Fresh processes; files are in the system's cache after the first run. BalsubramaniFreund with 100 gold items.",
        f"Labels: id, two probabilities, label; {label.checks['n_bytes'] / 1e6:,.0f} MB.",
    ]
    return Table(f"From Parquet, {n_items:,} items, 10 rules", rows, notes, merge_versions(count, polars))


def _found(run: Measurement) -> str:
    return f"{run.checks['n_patterns']:,} patterns"


def _judged(name: str, run: Measurement, ratio: float, most: float, remarks: str) -> Row:
    return Row.of(name, run, ratio, f"<= {most:g}", ratio <= most, remarks)


def compare_end_to_end(settings: Settings) -> Table:
    """Votes in one Parquet file, labels in another."""
    large, small = settings.items(10_000_000), settings.items(1_000_000)
    folder = settings.parquet(large)
    ours, skene, programming = measure(
        Job("parquet_thumbwise", folder, "label"),
        Job("parquet_thumbwise", folder, "label", "dawid_skene"),
        Job("parquet_thumbwise", folder, "label", "data_programming"),
        max_runs=settings.n_runs,
    )
    rows = [
        Row.of("thumbwise BalsubramaniFreund", ours, 1),
        Row.of("thumbwise DawidSkene", skene, skene.seconds / ours.seconds),
        Row.of("thumbwise DataProgramming", programming, programming.seconds / ours.seconds),
    ]
    theirs: list[Measurement] = []
    if settings.peers:
        snorkel = _measure_peer(settings, "snorkel", large, small)
        crowdkit = _measure_peer(settings, "crowdkit", large, small)
        theirs = [snorkel, crowdkit]
        rows += [
            _peer_row("Snorkel LabelModel", snorkel, ours, programming, 25),
            _peer_row("crowd-kit OneCoinDawidSkene", crowdkit, ours, skene, 300),
            _memory_row(ours, crowdkit),
        ]
    notes = [
        "Each reads votes.parquet and writes ids, probabilities and labels to another file; imports are not timed.",
        "Ratio to the first row; the remark compares with the same kind of model here.",
    ]
    title = f"Parquet to Parquet, {large:,} items, 10 rules"
    return Table(title, rows, notes, merge_versions(ours, *theirs))


def _measure_peer(settings: Settings, name: str, large: int, small: int) -> Measurement:
    python = str(settings.peers)
    full = Job("parquet_peers", settings.parquet(large), name, python=python)
    part = Job("parquet_peers", settings.parquet(small), name, python=python)
    return measure_large(full, part, large / small)


def _peer_row(name: str, theirs: Measurement, ours: Measurement, alike: Measurement, asked: float) -> Row:
    ratio = theirs.seconds / ours.seconds
    how = theirs.checks["extrapolated"] or "one run"
    remarks = f"{theirs.seconds / alike.seconds:.0f} times the same kind of model; {how}"
    return Row.of(name, theirs, ratio, f">= {asked:g}", ratio >= asked, remarks)


def _memory_row(ours: Measurement, crowdkit: Measurement) -> Row:
    share, remarks = ours.peak_mb / crowdkit.peak_mb, "share of crowd-kit's"
    return Row("memory", peak_mb=ours.peak_mb, ratio=share, asked="<= 0.1", reached=share <= 0.1, remarks=remarks)
