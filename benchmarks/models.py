"""Models on many classes, many workers and noise: seconds, and how they grow.

Judged is processor time, which others' work on the machine changes less than it does the seconds on the clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchmarks.launching import Job, Measurement, measure
from benchmarks.settings import Settings
from benchmarks.tables import Growth, Row, Table, merge_versions


def _job(model: str, n_items: int, n_rules: int, votes_per_item: int, n_classes: int) -> Job:
    return Job("model_fit", model, n_items, n_rules, votes_per_item, n_classes)


def _row(name: str, fit: Measurement, most: float | None) -> Row:
    spent = fit.checks["processor_seconds"]
    said = fit.checks["refused"] or f"{fit.checks['n_iter']} iterations, {fit.checks['n_patterns']:,} patterns"
    said += "; says that it did not converge" if fit.checks["said_unfinished"] else ""
    asked, reached = ("", None) if most is None else (f"<= {most:g} s", spent <= most or bool(fit.checks["refused"]))
    return replace(Row.of(name, fit, None, asked, reached, said), seconds=spent)


def _growth(of: str, sizes: Sequence[int], fits: Sequence[Measurement]) -> tuple[Row, Growth]:
    spent = [replace(fit, seconds=fit.checks["processor_seconds"]) for fit in fits]
    growth = Growth.of_runs(of, sizes, spent)
    return Row(f"slope in {of}", ratio=growth.slope), growth


_NOTE = "Processor time; votes are read and counted before. Slope of log time on log size: 1 is proportional."


def fit_subtypes(settings: Settings) -> Table:
    """EBCC with its defaults: fewer starts where one of them goes over many numbers."""
    few, many = settings.items(20_000), settings.items(100_000)
    classes, others = [10, 20, 50, 200], [(many, 10, 50), (many, 20, 50), (many, 20, 1_000)]
    if settings.shrink > 1:  # tables of many classes do not shrink with the items
        classes, others = [2, 4], others[-1:]
    fits = measure(
        *(_job("ebcc", few, 10, 10, k) for k in classes),
        *(_job("ebcc", n, j, j, k) for n, j, k in others),
        max_runs=1,
    )
    rows = [
        _row(f"{few:,} items, 10 rules, {k} classes", fit, 30 if k >= 50 else None)
        for k, fit in zip(classes, fits[: len(classes)], strict=True)
    ]
    slope, growth = _growth("classes, EBCC", classes, fits[: len(classes)])
    rows += [
        _row(f"{n:,} items, {j} rules, {k:,} classes", fit, 30)
        for (n, j, k), fit in zip(others, fits[len(classes) :], strict=True)
    ]
    notes = [
        _NOTE,
        "Fewer than 100 starts where these would go over too many numbers: there the slope flattens.",
    ]
    return Table("EBCC with many classes", [*rows, slope], notes, merge_versions(*fits), [growth])


def fit_kinds(settings: Settings) -> Table:
    """Dawid-Skene of every kind."""
    n_items, classes = settings.items(100_000), [10, 50, 200]
    kinds = ["one_coin", "class_conditional", "full"]
    fits = measure(*(_job(kind, n_items, 10, 10, k) for kind in kinds for k in classes), max_runs=settings.n_runs)
    return _kinds_table(f"Dawid-Skene, {n_items:,} items, 10 rules", kinds, classes, fits)


def fit_weak(settings: Settings) -> Table:
    """Few votes of weak rules: many classes are possible for each item, and estimates converge slowly."""
    n_items, classes = settings.items(20_000), [20, 50, 200]
    kinds = ["weak_class_conditional", "weak_full"]
    fits = measure(*(_job(kind, n_items, 20, 3, k) for kind in kinds for k in classes), max_runs=1)
    title = f"Dawid-Skene, {n_items:,} items, 20 rules right on 30 to 60 %, 3 votes an item"
    return _kinds_table(title, kinds, classes, fits)


def _kinds_table(title: str, kinds: Sequence[str], classes: Sequence[int], fits: Sequence[Measurement]) -> Table:
    """Fits of each kind to more and more classes."""
    rows, growths = [], []
    for i, kind in enumerate(kinds):
        of_kind = fits[len(classes) * i : len(classes) * (i + 1)]
        rows += [
            _row(f"{kind}, {k} classes", fit, 10 if k == 200 else None) for k, fit in zip(classes, of_kind, strict=True)
        ]
        slope, growth = _growth(f"classes, {kind}", classes, of_kind)
        rows.append(slope)
        growths.append(growth)
    return Table(title, rows, [_NOTE], merge_versions(*fits), growths)


def fit_workers(settings: Settings) -> Table:
    """As many workers as items, ten votes an item."""
    sizes = sorted({settings.items(n) for n in (10_000, 30_000, 100_000)})
    kinds = {"bf_gold": "200 gold labels", "bf_close": "close bounds"}
    fits = measure(*(_job(kind, n, n, 10, 2) for kind in kinds for n in sizes), max_runs=1)
    rows, growths = [], []
    for i, name in enumerate(kinds.values()):
        of_kind = fits[len(sizes) * i : len(sizes) * (i + 1)]
        rows += [
            _row(f"{n:,} workers, {name}", fit, 15 if n == sizes[-1] else None)
            for n, fit in zip(sizes, of_kind, strict=True)
        ]
        if len(sizes) > 1:
            slope, growth = _growth(f"workers, {name}", sizes, of_kind)
            rows.append(slope)
            growths.append(growth)
    title = "BalsubramaniFreund, as many workers as items, 10 votes an item"
    return Table(title, rows, [_NOTE, f"Kinds of bounds: {', '.join(kinds)}."], merge_versions(*fits), growths)


def fit_noise(settings: Settings) -> Table:
    """One coin a rule on votes that say nothing: the likelihood rises for ever more slowly."""
    sizes = [settings.items(10**power) for power in (4, 5, 6)]
    fits = measure(*(_job("noise", n, 20, 20, 3) for n in sizes), max_runs=1)
    asked = [None, None, 60]
    rows = [_row(f"{n:,} items of noise", fit, most) for n, fit, most in zip(sizes, fits, asked, strict=True)]
    growths = []
    if len(set(sizes)) > 1:
        slope, growth = _growth("patterns of noise", sizes, fits)
        rows.append(slope)
        growths.append(growth)
    return Table("One-coin Dawid-Skene on noise, 20 rules, 3 classes", rows, [_NOTE], merge_versions(*fits), growths)
