"""Solving the Balsubramani-Freund game: thumbwise, CVXPY with Clarabel, and SciPy's L-BFGS-B."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.launching import REPOSITORY, Job, Measurement, measure, measure_large
from benchmarks.settings import Settings
from benchmarks.tables import Row, Table, merge_versions


def paper_folder() -> Path:
    return Path(os.environ.get("THUMBWISE_DATA", REPOSITORY.parent / "shared" / "data")) / "paper"


def compare_with_cvxpy(settings: Settings) -> Table:
    """The paper's recipe on Yelp and IMDB."""
    rows: list[Row] = []
    versions: dict[str, str] = {}
    for name in ("yelp", "imdb"):
        if (paper_folder() / f"{name}.mat").exists():
            new_rows, versions = _compare_on(name, settings)
            rows += new_rows
        else:
            rows.append(Row(name, remarks=f"left out: no paper/{name}.mat in the directory THUMBWISE_DATA"))
    notes = [
        "Array in, probabilities out; the same bounds for all, by the paper's recipe from 100 validation items.",
        "Ratio: seconds over those of thumbwise with bounds given. Reached: that ratio, and objectives equal to 1e-6.",
    ]
    return Table("Yelp and IMDB against CVXPY and Clarabel, item by item", rows, notes, versions)


def _compare_on(name: str, settings: Settings) -> tuple[list[Row], dict[str, str]]:
    with TemporaryDirectory() as directory:
        Job("make_paper", paper_folder() / f"{name}.mat", directory, 100).run()
        ours, with_gold, dual, primal = measure(
            Job("paper_thumbwise", directory, "given"),
            Job("paper_thumbwise", directory, "gold"),
            Job("paper_cvxpy", directory, "dual"),
            Job("paper_cvxpy", directory, "primal"),
            max_runs=settings.n_runs,
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
    ratio = theirs.seconds / ours.seconds
    reached = ratio >= 100 and _difference(theirs, ours) <= 1e-6
    return Row.of(name, theirs, ratio, ">= 100", reached, _says(theirs, ours))


def compare_solvers(settings: Settings) -> Table:
    """A million items; CVXPY item by item, as the authors write the problem, and with our distinct rows."""
    large, small = settings.items(1_000_000), settings.items(100_000)
    game, part = settings.game(large), settings.game(small)
    ours, counted, ours_small, patterns, split = measure(
        Job("paper_thumbwise", game, "given"),
        Job("paper_thumbwise", game, "counted"),
        Job("paper_thumbwise", part, "given"),
        Job("paper_cvxpy", game, "patterns"),
        Job("paper_lbfgsb", game),
        max_runs=settings.n_runs,
    )
    items = measure_large(Job("paper_cvxpy", game, "dual"), Job("paper_cvxpy", part, "dual"), large / small)
    same_size = ours_small if items.checks["extrapolated"] else ours
    rows = [
        Row.of("thumbwise, array in, probabilities out", ours, 1, remarks=f"{ours.checks['n_patterns']:,} patterns"),
        Row.of("thumbwise, fit of counted votes", counted, counted.seconds / ours.seconds),
        _items_row(items, ours, same_size),
        _patterns_row("CVXPY + Clarabel, patterns given", patterns, ours, counted),
        _patterns_row("SciPy L-BFGS-B on the split problem, patterns given", split, ours, counted),
    ]
    notes = [
        "The same bounds for all. Ratio to the first row. Those who are given patterns get them before their time",
        "starts; beside their ratio stands the one to a fit of counted votes, which starts from the same.",
    ]
    title = f"The game at {large:,} items, 10 rules"
    return Table(title, rows, notes, merge_versions(ours, patterns, split))


def _items_row(items: Measurement, ours: Measurement, same_size: Measurement) -> Row:
    ratio = items.seconds / ours.seconds
    how = items.checks["extrapolated"] or "measured at full size"
    reached = ratio >= 1000 and _difference(items, same_size) <= 1e-6
    remarks = f"{_says(items, same_size)}; {how}"
    return Row.of("CVXPY + Clarabel, items", items, ratio, ">= 1000", reached, remarks)


def _patterns_row(name: str, theirs: Measurement, ours: Measurement, counted: Measurement) -> Row:
    remarks = f"{_says(theirs, ours)}; {theirs.seconds / counted.seconds:.0f} times the fit of counted votes"
    return Row.of(name, theirs, theirs.seconds / ours.seconds, remarks=remarks)


def _difference(theirs: Measurement, ours: Measurement) -> float:
    return abs(float(theirs.checks["objective"]) - float(ours.checks["objective"]))


def _says(theirs: Measurement, ours: Measurement) -> str:
    return f"objectives differ by {_difference(theirs, ours):.0e}"
