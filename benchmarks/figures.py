"""The figures: what is measured against what, and what is asked of it. Each function returns a table."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.counting import count_patterns
from benchmarks.from_parquet import compare_end_to_end, compare_with_scan
from benchmarks.game import compare_solvers, compare_with_cvxpy
from benchmarks.growth import double_items, fit_crowd, grow_classes, grow_items, grow_rules
from benchmarks.launching import import_seconds
from benchmarks.many_classes import compare_classes, plan_classes, plan_few_votes, plan_rules, report_classes
from benchmarks.many_columns import grow_readers
from benchmarks.methods import compare_data_programming, compare_dawid_skene, compare_on_imdb, measure_hyper
from benchmarks.models import fit_kinds, fit_noise, fit_subtypes, fit_weak, fit_workers
from benchmarks.scale import compare_at_scale
from benchmarks.settings import Settings
from benchmarks.tables import Row, Table


def compare_imports(settings: Settings) -> Table:
    """Importing the package must not cost twice what it stands on."""
    statements = ("import sklearn.base", "import thumbwise", "from thumbwise import BalsubramaniFreund")
    n_runs = 11 if settings.n_runs > 1 else 1
    base, package, model = import_seconds(*statements, n_runs=n_runs)
    ratio = package / base
    rows = [
        Row(statements[0], base),
        Row(statements[1], package, ratio=ratio, asked="< 2", reached=ratio < 2, remarks="names on first use"),
        Row(statements[2], model, ratio=model / base, remarks="with everything that a fit needs"),
    ]
    notes = [f"Median of {n_runs} fresh interpreters each, taking turns; ratio to `import sklearn.base`."]
    return Table("Import time", rows, notes)


FIGURES: dict[str, Callable[[Settings], Table]] = {
    "imports": compare_imports,
    "patterns": count_patterns,
    "parquet": compare_with_scan,
    "paper": compare_with_cvxpy,
    "game": compare_solvers,
    "scale": compare_at_scale,
    "end_to_end": compare_end_to_end,
    "dawid_skene": compare_dawid_skene,
    "data_programming": compare_data_programming,
    "doubling": double_items,
    "growth_items": grow_items,
    "growth_rules": grow_rules,
    "growth_classes": grow_classes,
    "rules": fit_crowd,
    "readers": grow_readers,
    "plan_rules": plan_rules,
    "plan_classes": plan_classes,
    "plan_few_votes": plan_few_votes,
    "compare_classes": compare_classes,
    "report_classes": report_classes,
    "subtypes": fit_subtypes,
    "kinds": fit_kinds,
    "weak": fit_weak,
    "workers": fit_workers,
    "noise": fit_noise,
    "imdb": compare_on_imdb,
    "hyper": measure_hyper,
}
