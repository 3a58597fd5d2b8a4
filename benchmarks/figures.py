"""The figures: what is measured against what, and what is asked of it. Each function returns a table."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.launching import REPOSITORY, Job, Measurement, import_seconds, measure
from benchmarks.methods import compare_data_programming, compare_dawid_skene, compare_on_imdb, measure_hyper
from benchmarks.scale import compare_at_scale
from benchmarks.settings import Settings
from benchmarks.tables import Row, Table, merge_versions


def compare_imports(_: Settings) -> Table:
    """Importing the package must not cost twice what it stands on."""
    statements = ("import sklearn.base", "import thumbwise", "from thumbwise import BalsubramaniFreund")
    base, package, model = import_seconds(*statements)
    rows = [
        Row(statements[0], base),
        Row(
            statements[1],
            package,
            ratio=package / base,
            asked="< 2",
            reached=package / base < 2,
            remarks="names on first use",
        ),
        Row(statements[2], model, ratio=model / base, remarks="with everything that a fit needs"),
    ]
    notes = ["Median of 11 fresh interpreters each, taking turns; ratio to `import sklearn.base`."]
    return Table("Import time", rows, notes)


def compare_with_cvxpy(_: Settings) -> Table:
    """The paper's recipe on Yelp and IMDB."""
    folder = Path(os.environ.get("THUMBWISE_DATA", REPOSITORY.parent / "shared" / "data")) / "paper"
    rows: list[Row] = []
    versions: dict[str, str] = {}
    for name in ("yelp", "imdb"):
        if (folder / f"{name}.mat").exists():
            new_rows, versions = _compare_on(name, folder)
            rows += new_rows
        else:
            rows.append(Row(name, remarks=f"left out: no paper/{name}.mat in the directory THUMBWISE_DATA"))
    notes = [
        "Array in, probabilities out; the same bounds for all, by the paper's recipe from 100 validation items.",
        "Ratio: seconds over those of thumbwise with bounds given. Reached: that ratio, and objectives equal to 1e-6.",
    ]
    return Table("Yelp and IMDB against CVXPY and Clarabel, item by item", rows, notes, versions)


def _compare_on(name: str, folder: Path) -> tuple[list[Row], dict[str, str]]:
    with TemporaryDirectory() as directory:
        Job("make_paper", folder / f"{name}.mat", directory, 100).run()
        ours, with_gold, dual, primal = measure(
            Job("paper_thumbwise", directory, "given"),
            Job("paper_thumbwise", directory, "gold"),
            Job("paper_cvxpy", directory, "dual"),
            Job("paper_cvxpy", directory, "primal"),
        )
    size = f"{ours.checks['n_items']:,} items, {ours.checks['n_patterns']} patterns"
    same = "the same box" if with_gold.checks["same_box"] else "NOT THE SAME BOX"
    rows = [
        Row.of(f"{name}: thumbwise, bounds given", ours, 1, remarks=size),
        Row.of(f"{name}: thumbwise, bounds made as well", with_gold, with_gold.seconds / ours.seconds, remarks=same),
        _cvxpy_row(f"{name}: CVXPY + Clarabel, dual", dual, ours),
        _cvxpy_row(f"{name}: CVXPY + Clarabel, primal", primal, ours),
    ]
    return rows, merge_versions(ours, dual)


def _cvxpy_row(name: str, theirs: Measurement, ours: Measurement) -> Row:
    difference = abs(theirs.checks["objective"] - ours.checks["objective"])
    ratio = theirs.seconds / ours.seconds
    reached = ratio >= 100 and difference <= 1e-6
    return Row.of(name, theirs, ratio, ">= 100", reached, f"objectives differ by {difference:.0e}")


@dataclass(frozen=True)
class _CountingLimit:
    """What moving the bytes costs that counting must move: votes read, a 32-bit rank per item written."""

    read_mb: float
    written_mb: float
    gb_per_second: float

    @property
    def seconds(self) -> float:
        return (self.read_mb + self.written_mb) / 1000 / self.gb_per_second

    def __str__(self) -> str:
        return f"{self.read_mb:.0f} MB read, {self.written_mb:.0f} MB written at {self.gb_per_second:.1f} GB/s"


def count_patterns(settings: Settings) -> Table:
    """Distinct rows and counts against np.unique, and against reading the same bytes."""
    small, large = settings.items(1_000_000), settings.items(10_000_000)
    with TemporaryDirectory() as directory:
        Job("make_votes", directory, large, 10).run()
        ours, unique, ours_large, total, copy = measure(
            Job("count_patterns", directory, small, "thumbwise"),
            Job("count_patterns", directory, small, "unique"),
            Job("count_patterns", directory, large, "thumbwise"),
            Job("count_patterns", directory, large, "sum"),
            Job("copy_speed", 100, "warm"),
        )
    limit = _CountingLimit(ours_large.checks["input_mb"], 4e-6 * large, copy.checks["gb_per_second"])
    to_small, to_large = 1 / ours.seconds, 1 / ours_large.seconds
    rows = [
        Row.of(f"{small:,} items: thumbwise", ours, 1),
        Row.of(f"{small:,} items: np.unique(axis=0)", unique, unique.seconds * to_small),
        Row.of(f"{large:,} items: thumbwise", ours_large, 1),
        Row.of(f"{large:,} items: sum of the same bytes", total, total.seconds * to_large),
        Row(f"{large:,} items: limit", limit.seconds, ratio=limit.seconds * to_large, remarks=str(limit)),
    ]
    notes = [
        f"Checks and copy included. {ours.checks['n_patterns']:,} and {ours_large.checks['n_patterns']:,} patterns. "
        f"At {large:,} items counting takes {ours_large.seconds / limit.seconds:.0f} times the limit.",
    ]
    return Table("Counting patterns, 10 rules", rows, notes, merge_versions(ours))


def double_items(settings: Settings) -> Table:
    """Doubling the items at most doubles the time."""
    sizes = [settings.items(1_000_000) * 2**i for i in range(5)]
    with TemporaryDirectory() as directory:
        Job("make_votes", directory, sizes[-1], 10).run()
        fits = measure(*(Job("thumbwise_fit", directory, size, "bf", 100) for size in sizes), max_runs=7)
    rows = [Row.of(f"{sizes[0]:,} items", fits[0])]
    for size, fit, half in zip(sizes[1:], fits[1:], fits[:-1], strict=True):
        ratio = fit.seconds / half.seconds
        rows.append(Row.of(f"{size:,} items", fit, ratio, "<= 2", ratio <= 2))
    slope = _slope([math.log(size) for size in sizes], [math.log(fit.seconds) for fit in fits])
    notes = [
        f"Ratio to half the items; best of 7. Slope of log time on log items: {slope:.2f} (1 is proportional). "
        f"16 times the items take {fits[-1].seconds / fits[0].seconds:.1f} times as long."
    ]
    return Table("Doubling the items: BalsubramaniFreund, 10 rules, array twice", rows, notes, merge_versions(*fits))


def _slope(x: list[float], y: list[float]) -> float:
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    rise = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return rise / sum((a - mean_x) ** 2 for a in x)


def many_rules(settings: Settings) -> Table:
    """A crowd of 1,000 workers, five votes an item."""
    n_items = settings.items(100_000)
    names = ("BalsubramaniFreund, 100 gold", "BalsubramaniFreund, 200 gold", "DawidSkene")
    with TemporaryDirectory() as directory:
        Job("make_votes", directory, n_items, 1000, 5).run()
        fits = measure(
            Job("thumbwise_fit", directory, n_items, "bf", 100),
            Job("thumbwise_fit", directory, n_items, "bf", 200),
            Job("thumbwise_fit", directory, n_items, "dawid_skene", 0),
        )
    rows = [_crowd_row(name, fit) for name, fit in zip(names, fits, strict=True)]
    notes = [f"How often a rule votes falls with its rank as 1/rank. The array itself is {n_items / 1000:.0f} MB."]
    return Table(f"1,000 rules, {n_items:,} items, 5 votes an item", rows, notes, merge_versions(*fits))


def _crowd_row(name: str, fit: Measurement) -> Row:
    reached = fit.seconds <= 30 and fit.peak_mb <= 4000
    remarks = f"{fit.checks['n_iter']} iterations, log loss {fit.checks['log_loss']:.3f}"
    return Row.of(name, fit, None, "<= 30 s, <= 4,000 MB", reached, remarks)


FIGURES: dict[str, Callable[[Settings], Table]] = {
    "imports": compare_imports,
    "paper": compare_with_cvxpy,
    "patterns": count_patterns,
    "scale": compare_at_scale,
    "doubling": double_items,
    "rules": many_rules,
    "dawid_skene": compare_dawid_skene,
    "data_programming": compare_data_programming,
    "imdb": compare_on_imdb,
    "hyper": measure_hyper,
}
