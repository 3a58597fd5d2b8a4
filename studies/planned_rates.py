"""Plans in points and in right labels against what was then found: ``python -m studies.planned_rates``.

From 100 gold labels, part of the pool, plans for 200, 300 and 400 (at most half of the items); then the interval of the
share of the first class, and the share of right labels that is guaranteed, with those 100 and the others.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import thumbwise as tw
from studies.drawing import CROWDS, JUDGES, TITLES, Population, draw_gold, load_population
from studies.reporting import markdown_table, publish
from studies.results import add_keep, keep_tables
from thumbwise._typing import FloatArray, IntArray
from thumbwise.assess.planned_accuracy import plan_accuracy, planned_share
from thumbwise.assess.planned_rates import open_outlook
from thumbwise.rates.intervals import assisted

SETS = (*TITLES, *CROWDS, JUDGES)
ACCURACY_SETS = ("aa2", "cardio", "youtube", "rte")
N_GOLD, SIZES = 100, (200, 300, 400)
ERROR = 0.05


def known(population: Population, items: IntArray) -> IntArray:
    """Labels of some items, -1 elsewhere."""
    labels = np.full(population.votes.n_items, -1)
    labels[items] = population.labels[items]
    return labels


def sizes_of(population: Population) -> list[int]:
    """Sizes that are planned for: at most half of the items."""
    return [n for n in SIZES if n <= population.votes.n_items // 2]


def rate_pairs(population: Population, items: IntArray) -> list[tuple[float, float]]:
    """Half-widths for each size: planned, and found."""
    first, votes = population.votes.class_names[0], population.votes
    outlook = open_outlook(votes, known(population, items[:N_GOLD]), first)[1]
    planned = [outlook.half_width(n, "assisted", ERROR) for n in sizes_of(population)]
    then = [open_outlook(votes, known(population, items[:n]), first)[1].counts for n in sizes_of(population)]
    return list(zip(planned, (assisted(counts, ERROR).width / 2 for counts in then), strict=True))


def accuracy_pairs(population: Population, items: IntArray) -> list[tuple[float, float]]:
    """Shares that are guaranteed for each size: planned, and found."""
    votes = tw.Votes(
        population.votes.array, n_classes=population.votes.n_classes, item_ids=np.arange(population.votes.n_items)
    )
    wanted = (1 + 1 / votes.n_classes) / 2
    plan = plan_accuracy(votes, known(population, items[:N_GOLD]), at_least=wanted)
    now = plan.rows[0].at_least
    planned = [planned_share(now, plan.expected, N_GOLD, n) for n in sizes_of(population)]
    return list(zip(planned, (guaranteed(votes, population, items[:n]) for n in sizes_of(population)), strict=True))


def guaranteed(votes: tw.Votes, population: Population, items: IntArray) -> float:
    """Share of right labels of a fit."""
    box = tw.Box.from_gold(votes.take(items), population.labels[items], pool=votes, gold_is="subset", n_permutations=0)
    model = tw.BalsubramaniFreund(on_infeasible="widen").fit(votes, box=box)
    return float(model.certificate_.accuracy_at_least or 0)


def line(title: str, pairs: FloatArray) -> list[str]:
    """Planned and found on average, and the mean relative error of one plan, for each size."""
    cells = []
    for of_size in np.moveaxis(pairs, 1, 0):
        planned, then = of_size.mean(axis=0)
        off = float(np.mean(np.abs(of_size[:, 0] / of_size[:, 1] - 1)))
        cells.append(f"{100 * planned:.1f} / {100 * then:.1f} / {100 * off:.0f} %")
    return [title, *cells, *["-"] * (len(SIZES) - len(cells))]


def study(name: str, is_rate: bool, n_draws: int, seed: int) -> list[str] | None:
    """A line of a table; None for a set with too few items."""
    population = load_population(name)
    if not sizes_of(population):
        return None
    items = draw_gold(population, max(sizes_of(population)), "subset", n_draws, seed)
    pairs = [(rate_pairs if is_rate else accuracy_pairs)(population, one) for one in items]
    return line(TITLES.get(name, name), np.array(pairs))


def table(names: Sequence[str], is_rate: bool, n_draws: int, seed: int) -> str:
    """Of the half-widths, or of the guaranteed shares."""
    started, lines = time.perf_counter(), []
    for name in names:
        lines.append(study(name, is_rate, n_draws, seed))
        print(lines[-1], f"{time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    header = ["set", *(f"at {n}" for n in SIZES)]
    return markdown_table(header, [one for one in lines if one is not None])


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description="Plans for shares and for right labels against what was then found.")
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS)
    parser.add_argument("--accuracy-sets", nargs="*", default=ACCURACY_SETS, choices=SETS)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--accuracy-draws", type=int, default=4)
    parser.add_argument("--seed", type=int, default=2024)
    parser.add_argument("--output", type=Path, help="Markdown file to write the tables to")
    add_keep(parser)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    parts = [
        f"From {N_GOLD} gold labels, 95 %, seed {arguments.seed}: planned / found / mean relative error of one plan.",
        f"Half-width for the share of the first class, in points, {arguments.draws} draws.",
        points := table(arguments.sets, True, arguments.draws, arguments.seed),
        f"Guaranteed share of right labels without gold, in per cent, {arguments.accuracy_draws} draws.",
        right := table(arguments.accuracy_sets, False, arguments.accuracy_draws, arguments.seed),
    ]
    publish(parts, arguments.output)
    if arguments.keep:
        keep_tables("planned_rates", {"points": points, "right labels": right})


if __name__ == "__main__":
    main()
