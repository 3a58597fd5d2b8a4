"""How a plan, a comparison and a report grow with rules and classes, in processor time, as slopes of logarithms.

All votes are those of ``thumbwise.datasets.make_one_coin``: rules that are right on 60 to 90 % of the items they vote
on, 10^5 items, 200 gold labels drawn at random from them. With rules growing there are two classes and ten votes an
item on average; with classes growing there are 20 rules, which all vote (``dense``) or five of which do (``few``).
"""

from __future__ import annotations

from functools import partial

from benchmarks.growth import slope_row
from benchmarks.launching import Job, Measurement, measure
from benchmarks.settings import Settings
from benchmarks.tables import Growth, Row, Table, merge_versions

N_RULES, N_GOLD = 20, 200
# Where there are so many times fewer items, there are ten times fewer rules or classes.
_TOY = 1_000
RULES, CLASSES = [50, 200, 1_000], [10, 50, 200]
Asked = tuple[int | None, int | None, int | None]
_NOTE = "Processor time of one process, votes in memory and counted; made-up rules, right on 60 to 90 % of their items."


def plan_rules(settings: Settings) -> Table:
    """A plan, from 50 to 1,000 rules with ten votes an item."""
    n_items, sizes = settings.items(100_000), _sizes(RULES, settings)
    jobs = [Job("around_fit", "plan", n_items, n_rules, 2, min(10, n_rules), N_GOLD) for n_rules in sizes]
    fits = measure(*jobs, max_runs=1)
    title = f"plan, growth with rules: {n_items:,} items, 2 classes, 10 votes an item, {N_GOLD} gold labels"
    return _table(title, "rules", sizes, fits, (None, 5, 60))


def _sizes(sizes: list[int], settings: Settings) -> list[int]:
    return sizes if settings.shrink < _TOY else [max(2, size // 10) for size in sizes]


def _classes(what: str, most: int | None, settings: Settings, *, votes_per_item: int) -> Table:
    n_items, sizes = settings.items(100_000), _sizes(CLASSES, settings)
    jobs = [Job("around_fit", what, n_items, N_RULES, k, votes_per_item, N_GOLD) for k in sizes]
    fits = measure(*jobs, max_runs=1)
    cast = f"{n_items:,} items, {N_RULES} rules, {votes_per_item} votes an item, {N_GOLD} gold labels"
    return _table(f"{what}, growth with classes: {cast}", "classes", sizes, fits, (None, None, most))


def _table(title: str, of: str, sizes: list[int], fits: list[Measurement], asked: Asked) -> Table:
    growth = Growth.of_runs(of, sizes, fits)
    rows = [_row(f"{size:,} {of}", fit, most) for size, fit, most in zip(sizes, fits, asked, strict=True)]
    return Table(title, [*rows, slope_row(growth)], [_NOTE], merge_versions(*fits), [growth])


def _row(name: str, fit: Measurement, most: int | None) -> Row:
    remarks = f"{fit.checks['n_patterns']:,} patterns"
    if most is None:
        return Row.of(name, fit, remarks=remarks)
    return Row.of(name, fit, None, f"<= {most} s", fit.seconds <= most, remarks)


plan_classes = partial(_classes, "plan", 60, votes_per_item=20)
plan_few_votes = partial(_classes, "plan", 60, votes_per_item=5)
compare_classes = partial(_classes, "compare", 15, votes_per_item=20)
report_classes = partial(_classes, "report", 15, votes_per_item=20)
