"""Shares and differences: width and coverage of each method: ``python -m studies.rates``.

Gold is a random part of the items. The question is the share of the second of two classes, or of the most frequent of
more; and the difference of that share between random halves whose composition is shifted: items of the class are in the
first half with probability 0.6, others with 0.4. The halves are the same in every draw.

An interval depends on a few counts, so each combination of them that is drawn is asked about once. With 1,000 draws of
100 labels, shares and differences of all sets take about a quarter of an hour of one processor.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from studies.coverage import allowed_misses
from studies.drawing import CROWDS, JUDGES, TITLES, Population, draw_gold, load_population
from studies.opinion_coverage import gold_size
from studies.reporting import make_parser, markdown_table, publish
from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.panel import Panel
from thumbwise.rates.counts import Counts
from thumbwise.rates.differences import difference
from thumbwise.rates.intervals import BY_NAME, METHODS, Interval, Method

SETS = (*TITLES, *CROWDS, JUDGES)
ERROR = 0.05
SHOWN: tuple[Method, ...] = ("exact", "assisted", "asymptotic")
# How likely items of the class, and the others, are in the first half.
_SHIFTED = 0.6, 0.4

BoolArray = npt.NDArray[np.bool_]
Numbers = tuple[tuple[int, int], tuple[int, int], tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Asked:
    """What is true of each item, what the panel says, and which half it is in; arrays of shape (n_items,)."""

    is_so: BoolArray
    says: BoolArray
    is_first: BoolArray

    def count(self, gold: IntArray, chosen: BoolArray) -> Numbers:
        """Right ones, gold items and items of which the panel says no and yes, among those that are chosen."""
        some = gold[chosen[gold]]
        right = np.bincount(self.says[some], self.is_so[some], minlength=2)
        drawn, population = (np.bincount(says, minlength=2) for says in (self.says[some], self.says[chosen]))
        first, second, third = ((int(part[0]), int(part[1])) for part in (right, drawn, population))
        return first, second, third


@dataclass(frozen=True)
class Measured:
    """Mean width of each method, and how often each holds the truth, in the order of the methods."""

    width: FloatArray
    held: FloatArray
    n_draws: int

    def held_cell(self, method: Method, n_cells: int) -> str:
        """How often, bold where so many cells as good as they say would seldom show one so bad."""
        held = self.held[METHODS.index(method)]
        is_alarm = round((1 - held) * self.n_draws) > allowed_misses(self.n_draws, 1 - ERROR, n_cells)
        return f"**{held:.3f}**" if is_alarm else f"{held:.3f}"


def ask(population: Population, seed: int) -> Asked:
    """The question that a dataset is asked."""
    votes, labels = population.votes, population.labels
    number = 1 if votes.n_classes == 2 else int(np.argmax(np.bincount(labels)))
    is_so = labels == number
    says = (Panel.of_informative(votes.patterns).verdicts(votes.patterns) == number)[votes.inverse]
    rng = np.random.default_rng([seed, *population.name.encode()])
    return Asked(is_so, says, rng.random(len(is_so)) < np.where(is_so, *_SHIFTED))


def _counts(numbers: Numbers) -> Counts:
    right, drawn, population = (np.array(part) for part in numbers)
    return Counts(right, drawn, population)


@lru_cache(maxsize=100_000)
def share_interval(numbers: Numbers, method: Method) -> Interval:
    """Of all items."""
    return BY_NAME[method](_counts(numbers), ERROR)


@lru_cache(maxsize=100_000)
def difference_interval(ours: Numbers, theirs: Numbers, method: Method) -> Interval:
    """Of both halves."""
    return difference(_counts(ours), _counts(theirs), ERROR, method)


def measure(intervals: Sequence[Sequence[Interval]], truth: float) -> Measured:
    """Of intervals by draw and method."""
    if not intervals:
        return Measured(np.full(len(METHODS), np.nan), np.full(len(METHODS), np.nan), 0)
    ends = np.array([[(one.lower, one.upper) for one in row] for row in intervals])
    held = (ends[..., 0] <= truth + 1e-9) & (ends[..., 1] >= truth - 1e-9)
    return Measured((ends[..., 1] - ends[..., 0]).mean(axis=0), held.mean(axis=0), len(ends))


def study(name: str, n_gold: int, n_draws: int, n_differences: int, seed: int) -> tuple[Measured, Measured]:
    """Shares and differences on one dataset; differences, which take longer, of the first draws only."""
    population = load_population(name)
    asked = ask(population, seed)
    everything, first = np.ones(len(asked.is_so), dtype=bool), asked.is_first
    draws = draw_gold(population, gold_size(population, n_gold), "subset", n_draws, seed)
    shares = [[share_interval(asked.count(gold, everything), method) for method in METHODS] for gold in draws]
    halves = [(asked.count(gold, first), asked.count(gold, ~first)) for gold in draws[:n_differences]]
    differences = [[difference_interval(*both, method) for method in METHODS] for both in halves]
    truth = float(asked.is_so[first].mean() - asked.is_so[~first].mean())
    return measure(shares, float(asked.is_so.mean())), measure(differences, truth)


def table_row(title: str, *measured: Measured, n_cells: int = 1) -> list[str]:
    """Width of gold alone, of ours as a part of it, and coverage of each; nothing of what was not drawn."""
    return [title, *(cell for one in measured if one.n_draws for cell in _cells(one, n_cells))]


def _cells(measured: Measured, n_cells: int) -> list[str]:
    place = {method: METHODS.index(method) for method in METHODS}
    exact = measured.width[place["exact"]]
    width = f"{measured.width[place['assisted']] / exact:.2f}"
    return [f"{exact:.3f}", width, ", ".join(measured.held_cell(method, n_cells) for method in SHOWN)]


def mean_row(found: Sequence[tuple[Measured, Measured]]) -> list[str]:
    """Means over datasets, of parts of widths too."""
    cells: list[str] = ["mean"]
    for kind in zip(*found, strict=True):
        some = [one for one in kind if one.n_draws]
        if some:
            widths, held = (np.array([getattr(one, what) for one in some]) for what in ("width", "held"))
            places = [METHODS.index(method) for method in SHOWN]
            parts = widths[:, places] / widths[:, places[:1]]
            cells += ["", f"{parts[:, SHOWN.index('assisted')].mean():.2f}"]
            cells += [", ".join(f"{often:.3f}" for often in held[:, places].mean(axis=0))]
    return cells


def header(n_differences: int) -> list[str]:
    """Names of the columns: those of differences only if some are drawn."""
    kinds = ("", "difference, ") if n_differences else ("",)
    return ["set", *(column for kind in kinds for column in (f"{kind}exact: width", "assisted / exact", "holds"))]


def report(n_gold: int, sets: Sequence[str], n_draws: int, n_differences: int, seed: int) -> tuple[str, str]:
    """About one number of gold labels, and the table."""
    n_cells = len(sets) * len(SHOWN) * (2 if n_differences else 1)
    rows, found = [], []
    for name in sets:
        started = time.perf_counter()
        found.append(study(name, n_gold, n_draws, n_differences, seed))
        rows.append(table_row(TITLES.get(name, name), *found[-1], n_cells=n_cells))
        print(f"{n_gold} {time.perf_counter() - started:.0f} s | {' | '.join(rows[-1])} |", file=sys.stderr)
    about = (
        f"{n_gold} gold labels, {n_draws} draws (differences: {n_differences}), {1 - ERROR:.0%}. Mean width from gold "
        f"alone (exact), that of assisted as a part of it, and how often {', '.join(SHOWN)} hold the truth; for "
        f"shares, then for differences. Bold: more than {allowed_misses(n_draws, 1 - ERROR, n_cells)} misses "
        f"(differences: {allowed_misses(n_differences, 1 - ERROR, n_cells)}), which chance alone brings about anywhere "
        "in the table less than once in a million times."
    )
    return about, markdown_table(header(n_differences), [*rows, mean_row(found)])


def main() -> None:
    """Read the arguments, and publish a table for each number of gold labels."""
    parser = make_parser(__doc__, draws=200, quick=5)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS, metavar="SET")
    parser.add_argument("--differences", type=int, default=60, help="draws of differences, which take longer")
    parser.add_argument("--gold", type=int, nargs="+", default=[100])
    given = parser.parse_args()
    numbers = given.sets, given.draws, min(given.draws, given.differences), given.seed
    reports = {f"{n_gold} labels": report(n_gold, *numbers) for n_gold in given.gold}
    parts = [part for parts in reports.values() for part in parts]
    publish("rates", given, parts, {name: table for name, (_, table) in reports.items()})


if __name__ == "__main__":
    main()
