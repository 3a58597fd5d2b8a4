"""Plans for bounds, shares and right labels against what was then found: ``python -m studies.planned_rates``.

From 100 gold labels, part of the pool, plans for 200, 300 and 400 (at most half of the items); then the bound on the
log loss of labels at caution 1, the interval of the share of the first class, and the share of right labels that is
guaranteed, with those 100 and the others. Gold keeps its label.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Sequence

import numpy as np

import thumbwise as tw
from studies.drawing import CROWDS, JUDGES, TITLES, Population, draw_gold, load_population
from studies.reporting import make_parser, markdown_table, publish
from thumbwise._typing import FloatArray, IntArray
from thumbwise.assess.planned_accuracy import plan_accuracy, planned_share
from thumbwise.assess.planned_rates import open_outlook
from thumbwise.assess.planner import Planner
from thumbwise.assess.planning import plan_with
from thumbwise.box.opened_gold import open_plain_gold
from thumbwise.rates.intervals import assisted

SETS = (*TITLES, *CROWDS, JUDGES)
FEW = ("aa2", "cardio", "youtube", "rte")
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
    votes = with_ids(population)
    wanted = (1 + 1 / votes.n_classes) / 2
    plan = plan_accuracy(votes, known(population, items[:N_GOLD]), at_least=wanted)
    now = plan.rows[0].at_least
    planned = [planned_share(now, plan.expected, N_GOLD, n) for n in sizes_of(population)]
    return list(zip(planned, (guaranteed(votes, population, items[:n]) for n in sizes_of(population)), strict=True))


def guaranteed(votes: tw.Votes, population: Population, items: IntArray) -> float:
    """Share of right labels of a fit."""
    box = gold_box(votes, population, items)
    model = tw.BalsubramaniFreund(on_infeasible="widen").fit(votes, box=box)
    return float(model.certificate_.accuracy_at_least or 0)


def bound_pairs(population: Population, items: IntArray) -> list[tuple[float, float]]:
    """Bounds on the mean log loss of labels at caution 1 for each size, in hundredths of a nat: planned, and found."""
    votes, sizes = with_ids(population), sizes_of(population)
    sample = open_plain_gold(votes.take(items[:N_GOLD]), population.labels[items[:N_GOLD]], votes, "subset")
    planner = Planner(sample, ERROR, True, gold_box(votes, population, items[:N_GOLD]))
    plan = plan_with(planner, votes, None, sizes=sizes, with_gains=False, with_worth=False)
    fits = [tw.BalsubramaniFreund(caution=1, tol=1e-6) for _ in sizes]
    then = [fit.fit(votes, box=gold_box(votes, population, items[:n])) for n, fit in zip(sizes, fits, strict=True)]
    return [(row.bound, float(fit.certificate_.log_loss_bound)) for row, fit in zip(plan.rows, then, strict=True)]


def with_ids(population: Population) -> tw.Votes:
    """Votes whose gold items keep their label."""
    array = population.votes.array
    return tw.Votes(array, n_classes=population.votes.n_classes, item_ids=np.arange(len(array)))


def gold_box(votes: tw.Votes, population: Population, items: IntArray) -> tw.Box:
    """Of so many labels."""
    return tw.Box.from_gold(votes.take(items), population.labels[items], pool=votes, gold_is="subset", n_permutations=0)


def line(title: str, pairs: FloatArray) -> list[str]:
    """Planned and found on average, and the mean relative error of one plan, for each size."""
    cells = []
    for of_size in np.moveaxis(pairs, 1, 0):
        planned, then = of_size.mean(axis=0)
        off = float(np.mean(np.abs(of_size[:, 0] / of_size[:, 1] - 1)))
        cells.append(f"{100 * planned:.1f} / {100 * then:.1f} / {100 * off:.0f} %")
    return [title, *cells, *["-"] * (len(SIZES) - len(cells))]


# What is planned: sets, and how; all in hundredths.
KINDS: dict[str, tuple[Sequence[str], Callable[[Population, IntArray], list[tuple[float, float]]]]] = {
    "bounds": (SETS, bound_pairs),
    "points": (SETS, rate_pairs),
    "right labels": (FEW, accuracy_pairs),
}


def study(kind: str, name: str, n_draws: int, seed: int) -> list[str] | None:
    """A line of a table; None for a set with too few items."""
    population = load_population(name)
    if not sizes_of(population):
        return None
    items = draw_gold(population, max(sizes_of(population)), "subset", n_draws, seed)
    return line(TITLES.get(name, name), np.array([KINDS[kind][1](population, one) for one in items]))


def table(kind: str, n_draws: int, seed: int) -> str:
    """Of one kind of plans."""
    started, lines = time.perf_counter(), []
    for name in KINDS[kind][0]:
        lines.append(study(kind, name, n_draws, seed))
        print(kind, lines[-1], f"{time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    header = ["set", *(f"at {n}" for n in SIZES)]
    return markdown_table(header, [one for one in lines if one is not None])


def main() -> None:
    """Print a table for each kind."""
    parser = make_parser("Plans for bounds, shares and right labels against what was then found.", draws=10, quick=1)
    parser.add_argument("--only", nargs="+", choices=[kind.replace(" ", "-") for kind in KINDS])
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    about = (
        f"From {N_GOLD} gold labels, 95 %, seed {given.seed}, {given.draws} draws: planned / found / mean relative "
        "error of one plan; bounds in hundredths of a nat, half-widths for the share of the first class in points, "
        "guaranteed shares of right labels among the items without gold in per cent."
    )
    kinds = [kind for kind in KINDS if not given.only or kind.replace(" ", "-") in given.only]
    tables = {kind: table(kind, given.draws, given.seed) for kind in kinds}
    publish("planned_rates", given, [about, *(part for kind in tables.items() for part in kind)], tables)


if __name__ == "__main__":
    main()
