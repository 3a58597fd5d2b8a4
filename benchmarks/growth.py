"""How time grows with items, rules and classes, as slopes of logarithms."""

from __future__ import annotations

from benchmarks.launching import Job, Measurement, measure
from benchmarks.settings import Settings
from benchmarks.tables import Growth, Row, Table, merge_versions


def double_items(settings: Settings) -> Table:
    """Doubling the items at most doubles the time."""
    sizes = [settings.items(1_000_000) * 2**i for i in range(5)]
    folder = settings.votes(sizes[-1])
    max_runs = 7 if settings.n_runs > 1 else 1
    fits = measure(*(Job("thumbwise_fit", folder, size, "bf", 100) for size in sizes), max_runs=max_runs)
    rows = [Row.of(f"{sizes[0]:,} items", fits[0])]
    for size, fit, half in zip(sizes[1:], fits[1:], fits[:-1], strict=True):
        ratio = fit.seconds / half.seconds
        rows.append(Row.of(f"{size:,} items", fit, ratio, "<= 2", ratio <= 2))
    growth = Growth.of_runs("items, in memory", sizes, fits)
    notes = [
        f"Ratio to half the items; best of {max_runs}. Slope of log time on log items: {growth.slope:.2f} (1 is "
        f"proportional). 16 times the items take {fits[-1].seconds / fits[0].seconds:.1f} times as long."
    ]
    title = "Doubling the items: BalsubramaniFreund, 10 rules, array twice"
    return Table(title, rows, notes, merge_versions(*fits), [growth])


def grow_items(settings: Settings) -> Table:
    """Fit and labels written, from Parquet, from 10^5 to 10^8 items."""
    sizes = sorted({settings.items(10**power) for power in (5, 6, 7, 8)})
    if len(sizes) == 1:
        sizes.append(2 * sizes[0])
    jobs = [Job("parquet_thumbwise", settings.parquet(size), "label") for size in sizes]
    fits = measure(*jobs, max_runs=settings.n_runs)
    growth = Growth.of_runs("items, from Parquet", sizes, fits)
    rows = [Row.of(f"{size:,} items", fit, remarks=_rate(size, fit)) for size, fit in zip(sizes, fits, strict=True)]
    rows += [slope_row(growth, 1.05)]
    title = "Growth with items: Parquet to Parquet, BalsubramaniFreund, 10 rules"
    notes = ["The slope over all sizes is flattered by the solver, whose work stops growing once all patterns occur;"]
    notes += [f"between the two largest sizes it is {growth.last_slope:.2f}."]
    return Table(title, rows, notes, merge_versions(*fits), [growth])


def _rate(size: int, fit: Measurement) -> str:
    return f"{size / fit.seconds:,.0f} items a second"


def slope_row(growth: Growth, most: float | None = None) -> Row:
    asked, reached = (f"<= {most:g}", growth.slope <= most) if most else ("", None)
    return Row(f"slope in {growth.of}", ratio=growth.slope, asked=asked, reached=reached)


def grow_rules(settings: Settings) -> Table:
    """Ten votes an item, from 30 to 3,000 rules."""
    n_items, sizes = settings.items(100_000), [30, 100, 300, 1_000, 3_000]
    fits = measure(*(Job("long_fit", n_items, size, 10, 2) for size in sizes), max_runs=settings.n_runs)
    title = f"Growth with rules: {n_items:,} items, 10 votes an item, 2 classes"
    return _grow(title, "rules", sizes, fits)


def grow_classes(settings: Settings) -> Table:
    """Twenty rules that all vote, from 2 to 1,000 classes."""
    n_items, sizes = settings.items(100_000), [2, 10, 100, 1_000]
    fits = measure(*(Job("long_fit", n_items, 20, 20, size) for size in sizes), max_runs=settings.n_runs)
    title = f"Growth with classes: {n_items:,} items, 20 rules"
    return _grow(title, "classes", sizes, fits)


def _grow(title: str, of: str, sizes: list[int], fits: list[Measurement]) -> Table:
    growth = Growth.of_runs(of, sizes, fits)
    rows = [Row.of(f"{size:,} {of}", fit, remarks=_says(fit)) for size, fit in zip(sizes[:-1], fits[:-1], strict=True)]
    reached = fits[-1].seconds <= 60 and fits[-1].peak_mb <= 6000
    rows += [Row.of(f"{sizes[-1]:,} {of}", fits[-1], None, "<= 60 s, <= 6,000 MB", reached, _says(fits[-1]))]
    rows += [slope_row(growth)]
    notes = ["Long votes in, a box from 200 gold labels among them, BalsubramaniFreund fitted. Fresh processes."]
    return Table(title, rows, notes, merge_versions(*fits), [growth])


def _says(fit: Measurement) -> str:
    return f"{fit.checks['n_iter']} iterations, bound {fit.checks['bound']:.3f}"


def fit_crowd(settings: Settings) -> Table:
    """A crowd of 1,000 workers, five votes an item."""
    n_items = settings.items(100_000)
    names = ("BalsubramaniFreund, 100 gold", "BalsubramaniFreund, 200 gold", "DawidSkene")
    folder = settings.votes(n_items, 1000, 5)
    fits = measure(
        Job("thumbwise_fit", folder, n_items, "bf", 100),
        Job("thumbwise_fit", folder, n_items, "bf", 200),
        Job("thumbwise_fit", folder, n_items, "dawid_skene", 0),
        max_runs=settings.n_runs,
    )
    rows = [_crowd_row(name, fit) for name, fit in zip(names, fits, strict=True)]
    notes = [f"How often a rule votes falls with its rank as 1/rank. The array itself is {n_items / 1000:.0f} MB."]
    return Table(f"1,000 rules, {n_items:,} items, 5 votes an item", rows, notes, merge_versions(*fits))


def _crowd_row(name: str, fit: Measurement) -> Row:
    reached = fit.seconds <= 30 and fit.peak_mb <= 4000
    remarks = f"{fit.checks['n_iter']} iterations, log loss {fit.checks['log_loss']:.3f}"
    return Row.of(name, fit, None, "<= 30 s, <= 4,000 MB", reached, remarks)
