"""Cascades: what is decided and what it costs, beside asking all judges at once: ``python -m studies.cascades``.

The 21 judges cost what their size in billions of parameters suggests: 1 up to 2 billion, 3 up to 5, 8 above, three
stages; or that size itself, twelve stages. Crowds have no prices: workers are put into three blocks by chance, each a
stage, and every vote costs 1. Gold is a random part of the items, at most half of them. All judges at once is triage
with the same gold; what it decides costs all votes. Failed: the draws in which fewer of the labels that are decided are
right than was asked, gold items that are known left aside as right.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from studies.drawing import JUDGES, Population, data_folder, draw_gold, load_population
from studies.opinion_coverage import gold_size
from studies.reporting import make_parser, markdown_table, publish
from thumbwise._typing import FloatArray, IntArray
from thumbwise.assess.accepting.cascades import climb_stages, good_in_stages, open_cascade
from thumbwise.assess.accepting.ranked import Parts
from thumbwise.assess.accepting.targets import Targets
from thumbwise.rates.asked import open_asked

PRECISIONS = 0.7, 0.8, 0.9
_ERROR = 0.05
CASES = ("judges-3", "judges-12", "rte", "dog", "web")
_TIERS, _TIER_COSTS = (2.5, 5.5), (1.0, 3.0, 8.0)
# The one judge whose name does not say its size.
_SIZES = {"Phi-4-mini-instruct": 3.8}
_BLOCKS = 3
# Blocks are stages because the votes of later ones cost a little more, which changes no figure that is printed.
_A_LITTLE = 1e-9


def judge_sizes() -> FloatArray:
    """Billions of parameters of the 21 judges."""
    names = pd.read_csv(data_folder().parent / "judges" / "ratings.csv", nrows=1).columns[1:]
    sizes = [_SIZES[name] if name in _SIZES else _size(name) for name in names]
    return np.array(sizes)


def _size(name: str) -> float:
    return float(re.findall(r"(\d+(?:\.\d+)?)b\b", name.lower())[0])


def load_case(case: str) -> tuple[Population, dict[str, float]]:
    """Items, and what a vote of each rule costs."""
    population = load_population(JUDGES if case.startswith(JUDGES) else case)
    names = population.votes.rule_names
    if case.startswith(JUDGES):
        sizes = judge_sizes()
        costs = sizes if case == "judges-12" else np.array(_TIER_COSTS)[np.digitize(sizes, _TIERS)]
    else:
        block = np.random.default_rng(0).permutation(len(names)) * _BLOCKS // len(names)
        costs = 1 + _A_LITTLE * block
    return population, dict(zip(names, costs.tolist(), strict=True))


@dataclass(frozen=True)
class Found:
    """Share of the items that judges decide, cost of an item, of all votes on it, and whether the claim is false."""

    decided: float
    cost: float
    cost_of_all: float
    is_false: bool


def of_draw(population: Population, gold: IntArray, costs: Mapping[str, float]) -> dict[float, Found]:
    """What triage finds at each precision; its steps one by one, as the stages are the same for all of them."""
    y = np.full(len(population.labels), -1)
    y[gold] = population.labels[gold]
    sample = open_asked(population.votes, y, "subset").sample
    cascade = open_cascade(sample, Parts.of(sample, 0), costs)
    ladder, found = climb_stages(cascade), {}
    for precision in PRECISIONS:
        claimed = np.flatnonzero(good_in_stages(cascade, ladder, Targets({None: precision}, {}), _ERROR))
        chosen = cascade.at(float(ladder.threshold[claimed[-1]]) if len(claimed) else None)
        decided = (chosen.stop < len(chosen.stages))[population.votes.inverse]
        wrong = decided & (chosen.ranked.proposed[population.votes.inverse] != population.labels)
        wrong[gold] = False
        is_false = bool(wrong.sum() > (1 - precision) * decided.sum() + 1e-9)
        found[precision] = Found(float(decided.mean()), chosen.cost_per_item, chosen.cost_of_all, is_false)
    return found


def rows_of(case: str, n_gold: int, n_draws: int, seed: int) -> list[list[str]]:
    """The cascade beside all judges at once, for each precision."""
    population, costs = load_case(case)
    draws = draw_gold(population, gold_size(population, n_gold), "subset", n_draws, seed)
    staged = [of_draw(population, gold, costs) for gold in draws]
    at_once = [of_draw(population, gold, dict.fromkeys(costs, 1.0)) for gold in draws]
    return [_row(case, p, [found[p] for found in staged], [found[p] for found in at_once]) for p in PRECISIONS]


def _row(case: str, precision: float, staged: Sequence[Found], at_once: Sequence[Found]) -> list[str]:
    failed = [str(sum(found.is_false for found in some)) for some in (staged, at_once)]
    shares = [f"{np.mean([found.decided for found in some]):.3f}" for some in (at_once, staged)]
    of_all, cost = (np.mean([getattr(found, name) for found in staged]) for name in ("cost_of_all", "cost"))
    return [case, f"{precision:g}", *failed, *shares, f"{of_all:.2f}", f"{cost:.2f}", f"{1 - cost / of_all:.0%}"]


HEADER = [
    "",
    "precision",
    "failed",
    "all at once failed",
    "all at once decide",
    "decided",
    "cost of all",
    "cost",
    "saved",
]


def report(n_gold: int, cases: Sequence[str], n_draws: int, seed: int) -> str:
    """The table for one number of gold labels."""
    rows = []
    for case in cases:
        started = time.perf_counter()
        rows += rows_of(case, n_gold, n_draws, seed)
        print(f"{case} {n_gold}: {time.perf_counter() - started:.0f} s", file=sys.stderr)
        for row in rows[-len(PRECISIONS) :]:
            print("|", " | ".join(row), "|", file=sys.stderr, flush=True)
    return markdown_table(HEADER, rows)


def main() -> None:
    """Read the arguments, and publish a table for each number of gold labels."""
    parser = make_parser(__doc__, draws=1000, quick=5)
    parser.add_argument("--cases", nargs="+", choices=CASES, default=CASES, metavar="CASE")
    parser.add_argument("--gold", type=int, nargs="+", default=[300])
    given = parser.parse_args()
    about = f"Gold labels are at most half of the items, {given.draws} draws, 95 %; costs are means per item."
    tables = {f"{n} labels": report(n, given.cases, given.draws, given.seed) for n in given.gold}
    publish("cascades", given, [about, *(part for table in tables.items() for part in table)], tables)


if __name__ == "__main__":
    main()
