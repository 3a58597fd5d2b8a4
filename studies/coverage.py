"""How often the box holds the truth and the loss stays below the certificate: ``python -m studies.coverage``.

Training and validation items of each of the paper's ten datasets are put together and gold is drawn from them at
random, so that what the guarantee assumes is true. Counted is the share of draws in which

(a) all moments realised on the pool lie in the box, and
(b) the mean log loss realised on the pool is at most the certificate,

for the exact joint box of rules and classes and for the paper's recipe. Boxes with opinions are counted by
:mod:`studies.opinion_coverage`. A box that holds the truth implies (b), so only draws whose box misses
need a fit; that claim is checked, by fitting, on the first draws of every setting.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Literal

import numpy as np
from scipy.stats import binom

import thumbwise as tw
from studies.drawing import (
    TITLES,
    Draw,
    DrawnBoxes,
    Population,
    box_of_draw,
    boxes_of_draws,
    count_draws,
    draw_gold,
    load_population,
    split_population,
)
from studies.reporting import markdown_table, publish, read_arguments, run_tasks
from thumbwise._typing import IntArray
from thumbwise.box.gold import GoldIs
from thumbwise.metrics import log_loss
from thumbwise.numerics.maxent import Problem
from thumbwise.numerics.solver import solve_dual

LEVELS = (0.8, 0.95, 0.99)
SIZES = (50, 100, 200)
ROLES: tuple[GoldIs, ...] = ("subset", "separate")
# Probability that the study as a whole cries wolf if every coverage were exactly its level.
FALSE_ALARM = 1e-6

Recipe = Literal["exact", "paper"]
RECIPES: tuple[Recipe, ...] = ("exact", "paper")


@dataclass(frozen=True)
class Plan:
    """How much is drawn and fitted in each setting.

    Attributes
    ----------
    n_fitted : int
        Draws that are fitted whether or not the box misses; their certificates are averaged.
    n_paper_bounds : int
        Draws in which (b) is judged for the paper's recipe, which misses so often that each draw needs a fit.
    """

    n_draws: int = 1000
    n_fitted: int = 20
    n_paper_bounds: int = 100
    seed: int = 2024

    def n_judged(self, recipe: Recipe) -> int:
        """Draws in which (b) is judged."""
        return self.n_draws if recipe == "exact" else min(self.n_draws, self.n_paper_bounds)


@dataclass(frozen=True)
class Setting:
    """Where gold comes from and how much of it."""

    name: str
    n_gold: int
    gold_is: GoldIs


@dataclass(frozen=True)
class Row:
    """Counts of one setting, one recipe and one level.

    Attributes
    ----------
    n_boxes, boxes_held : int
        Draws, and those in which (a) holds.
    n_bounds, bounds_held : int
        Draws judged, and those in which (b) holds; a draw whose box is contradictory has no bound and counts as failed.
    n_contradictory : int
    bound, loss : float
        Mean certificate and mean log loss over the draws that were fitted in any case.
    """

    setting: Setting
    recipe: Recipe
    level: float
    n_boxes: int
    boxes_held: int
    n_bounds: int
    bounds_held: int
    n_contradictory: int
    bound: float
    loss: float


@dataclass(frozen=True)
class Fit:
    """Certificate and realised loss of one draw; NaN where the box is contradictory."""

    bound: float
    loss: float

    @property
    def holds(self) -> bool:
        return self.loss <= self.bound + 1e-9


def allowed_misses(n_draws: int, level: float, n_cells: int) -> int:
    """Most misses that are no alarm, if the alarms of ``n_cells`` cells together are to be false once in a million."""
    return int(binom.isf(FALSE_ALARM / n_cells, n_draws, 1 - level))


def solve_draw(draw: Draw, box: tw.Box) -> Fit:
    """Certificate and loss, straight from the solver: a model would also find out how a contradiction can be mended."""
    moments, n_items = box.moments(draw.pool), draw.pool.n_items
    masses = draw.pool.patterns.counts / n_items
    problem = Problem.build(moments.features, masses, moments.sizes / n_items, box.lower, box.upper)
    solution = solve_dual(problem)
    if solution.is_infeasible:
        return Fit(np.nan, np.nan)
    given = solution.proba[draw.pool.inverse, draw.pool_labels]
    with np.errstate(divide="ignore"):
        return Fit(solution.dual_value, float(-np.log(given).mean()))


def fit_draw(draw: Draw, box: tw.Box, row: tuple[Setting, Recipe, float]) -> Fit:
    """Certificate and loss through the public interface; the box must be the one counted for all draws at once."""
    setting, recipe, level = row
    public = box_of_draw(draw, setting.gold_is, level, recipe == "paper", opinions=())
    if not (np.allclose(public.lower, box.lower) and np.allclose(public.upper, box.upper)):
        raise RuntimeError(f"{setting}: the box made by Box.from_gold differs from the one counted for all draws")
    try:
        model = tw.BalsubramaniFreund(caution=1).fit(draw.pool, box=public)
    except tw.InfeasibleBoxError:
        return Fit(np.nan, np.nan)
    return Fit(model.certificate_.log_loss_bound, log_loss(draw.pool_labels, model.predict_proba(draw.pool), clip=0))


def fit_draws(
    population: Population, items: IntArray, boxes: DrawnBoxes, row: tuple[Setting, Recipe, float], plan: Plan
) -> dict[int, Fit]:
    """Fit where the box misses, and the first draws in any case: a bound must hold wherever its box does."""
    fits = {}
    for d in range(plan.n_judged(row[1])):
        if d < plan.n_fitted or not boxes.held[d]:
            draw = split_population(population, items[d], row[0].gold_is)
            box = tw.Box.from_bounds(draw.pool, lower=boxes.lower[d], upper=boxes.upper[d])
            fits[d] = fit_draw(draw, box, row) if d < plan.n_fitted else solve_draw(draw, box)
            if boxes.held[d] and not fits[d].holds:
                raise RuntimeError(f"{row}: the box holds the truth, but the bound does not hold: {fits[d]}")
    return fits


def count_row(boxes: DrawnBoxes, fits: dict[int, Fit], row: tuple[Setting, Recipe, float], plan: Plan) -> Row:
    """A draw without a fit has a box that holds the truth, hence a bound that holds."""
    setting, recipe, level = row
    n_bounds = plan.n_judged(recipe)
    first = [fits[d] for d in range(min(plan.n_fitted, n_bounds)) if not np.isnan(fits[d].bound)]
    return Row(
        setting=setting,
        recipe=recipe,
        level=level,
        n_boxes=len(boxes.held),
        boxes_held=int(boxes.held.sum()),
        n_bounds=n_bounds,
        bounds_held=n_bounds - sum(not fit.holds for fit in fits.values()),
        n_contradictory=sum(bool(np.isnan(fit.bound)) for fit in fits.values()),
        bound=float(np.mean([fit.bound for fit in first])) if first else np.nan,
        loss=float(np.mean([fit.loss for fit in first])) if first else np.nan,
    )


def study_setting(
    population: Population,
    setting: Setting,
    levels: Sequence[float],
    plan: Plan,
    recipes: Sequence[Recipe] = RECIPES,
) -> list[Row]:
    """The recipes at all levels, on the same draws."""
    items = draw_gold(population, setting.n_gold, setting.gold_is, plan.n_draws, plan.seed)
    counts = count_draws(population, items, setting.gold_is)
    rows = []
    for recipe, level in product(recipes, levels):
        boxes = boxes_of_draws(population, counts, level, recipe == "paper")
        fits = fit_draws(population, items, boxes, (setting, recipe, level), plan)
        rows.append(count_row(boxes, fits, (setting, recipe, level), plan))
    return rows


def find_alarms(rows: Sequence[Row]) -> list[Row]:
    """Rows that miss more often than their level allows, in (a) or in (b)."""
    return [
        row
        for row in rows
        if row.n_boxes - row.boxes_held > allowed_misses(row.n_boxes, row.level, 2 * len(rows))
        or row.n_bounds - row.bounds_held > allowed_misses(row.n_bounds, row.level, 2 * len(rows))
    ]


def tabulate_shares(rows: Sequence[Row], recipe: Recipe) -> str:
    """One line a dataset and size; (a) and (b) in per cent for each level and role."""
    rows = [row for row in rows if row.recipe == recipe]
    found = {(row.setting.name, row.setting.n_gold, row.setting.gold_is, row.level): row for row in rows}
    columns = list(product(sorted({row.level for row in rows}), ROLES))
    header = ["dataset", "gold", *(f"{100 * level:.3g} % {role}" for level, role in columns)]
    lines = [
        [TITLES[name], str(n_gold), *(_share(found[name, n_gold, role, level]) for level, role in columns)]
        for name, n_gold in sorted({key[:2] for key in found})
    ]
    return markdown_table(header, lines)


def _share(row: Row) -> str:
    return f"{100 * row.boxes_held / row.n_boxes:.1f} / {100 * row.bounds_held / row.n_bounds:.1f}"


def tabulate_bounds(rows: Sequence[Row], level: float = 0.95) -> str:
    """Mean certificate and mean loss at one level, for both recipes."""
    rows = [row for row in rows if row.level == level]
    cells = {(row.setting.name, row.setting.n_gold, row.recipe, row.setting.gold_is): row for row in rows}
    columns = list(product(RECIPES, ROLES))
    header = ["dataset", "gold", *(f"{recipe}, {role}" for recipe, role in columns)]
    lines = [
        [TITLES[name], str(n_gold), *(_bound(cells[name, n_gold, recipe, role]) for recipe, role in columns)]
        for name, n_gold in sorted({key[:2] for key in cells})
    ]
    return markdown_table(header, lines)


def _bound(row: Row) -> str:
    return f"{row.bound:.3f} ({row.loss:.3f})"


def judge(rows: Sequence[Row], recipe: Recipe) -> str:
    """How many settings fail the binomial threshold, in words."""
    rows = [row for row in rows if row.recipe == recipe]
    alarms = find_alarms(rows)
    short = sum(row.boxes_held < row.level * row.n_boxes or row.bounds_held < row.level * row.n_bounds for row in rows)
    none = sum(row.n_contradictory for row in rows)
    return (
        f"{len(alarms)} of {len(rows)} settings miss more often than the binomial threshold allows (false-alarm rate "
        f"{FALSE_ALARM:.0e} for the whole table); {short} have a share below the level at all; "
        f"{none} contradictory boxes."
    )


def _work(setting: Setting, plan: Plan) -> list[Row]:
    return study_setting(load_population(setting.name), setting, LEVELS, plan)


def main() -> None:
    """Run all settings and print the tables."""
    told = "Coverage of the box and of the certificate on the paper's ten datasets."
    arguments = read_arguments(told, draws=1000, quick=100)
    n_draws = arguments.draws
    plan = Plan(n_draws, max(2, n_draws // 50), max(5, n_draws // 10), arguments.seed)
    started = time.perf_counter()
    settings = [Setting(*parts) for parts in product(TITLES, SIZES, ROLES)]
    answers = run_tasks(partial(_work, plan=plan), settings, arguments.processes)
    rows = [row for answer in answers for row in answer]
    seconds = time.perf_counter() - started
    tables = {
        "exact box": tabulate_shares(rows, "exact"),
        "the paper's recipe": tabulate_shares(rows, "paper"),
        "bounds": tabulate_bounds(rows),
    }
    publish(
        "coverage",
        arguments,
        [
            f"{plan.n_draws} draws a setting, seed {plan.seed}, {seconds:.0f} s in {arguments.processes} processes. "
            "Each cell: share of draws in % in which (a) the box holds the truth / (b) the loss is below the bound.",
            "### Exact joint box",
            tables["exact box"],
            judge(rows, "exact"),
            f"### The paper's recipe; (b) from the first {plan.n_paper_bounds} draws",
            tables["the paper's recipe"],
            judge(rows, "paper"),
            f"### Mean certificate (mean log loss) at 95 %, first {plan.n_fitted} draws",
            tables["bounds"],
        ],
        tables,
        draws={"bounds": plan.n_fitted},
    )


if __name__ == "__main__":
    main()
