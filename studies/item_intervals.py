"""Intervals of single predictions on real votes: how wide they are, and whether they hold.

``python -m studies.item_intervals``. Gold is 100 random items of the pool (54 of bluebird's 108). An interval bounds
the share of the predicted class among items of one kind: items with the same votes, or with the same label and a
probability in the same tier. Beside the default box stands the recipe of Álvarez, Mazuelas, An and Dasgupta (2025) for
intervals from labels, as their published program has it: the accuracy of a rule on gold, plus and minus one standard
error or the difference to its agreement with majority vote, whichever is more; nothing else is bounded.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import thumbwise as tw
from studies.drawing import Draw, box_of_draw, draw_gold, load_population, split_population
from studies.opinion_coverage import gold_size
from studies.reporting import markdown_table, publish, read_arguments, run_tasks
from studies.sharper import SETS
from thumbwise._typing import FloatArray, IntArray
from thumbwise.exceptions import DegenerateFitWarning
from thumbwise.models.item_intervals import ItemIntervals

LEVEL = 0.95
N_DRAWS = 10
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Seen:
    """One kind of intervals in one draw: share of the items with a bound of any use, mean width, did all hold."""

    bounded: float
    width: float
    held: bool


def look(intervals: ItemIntervals, truth: IntArray) -> Seen:
    """What intervals say of the items whose label is not known, each item counting once, and whether they are true."""
    table = intervals.frame()
    low, high, sizes = (np.array(table[name], dtype=float) for name in ("lower", "upper", "items"))
    is_open = intervals.kinds >= 0
    kinds, true = intervals.kinds[is_open], truth[is_open]
    number = {name: c for c, name in enumerate(intervals.class_names)}
    labels = np.array([number[label] for label in table["label"]])
    shares = np.bincount(kinds, true == labels[kinds], len(sizes)) / np.maximum(1, np.bincount(kinds))
    held = bool(((shares >= low - _ROUNDING) & (shares <= high + _ROUNDING)).all())
    weights = sizes / sizes.sum()
    return Seen(float(weights @ ((low > 0) | (high < 1))), float(weights @ (high - low)), held)


def box_of_authors(draw: Draw) -> tw.Box:
    """Intervals for accuracies as the published program makes them from labels."""
    gold, pool = draw.gold.array, draw.pool.array
    majority = tw.MajorityVote().fit(draw.pool).predict(draw.pool)
    bounds: dict[str, tuple[float, float]] = {}
    for j, name in enumerate(draw.pool.rule_names):
        spoken = gold[:, j] >= 0
        if not spoken.any():
            continue
        right = (gold[spoken, j] == draw.gold_labels[spoken]).astype(float)
        there = pool[:, j] >= 0
        agreement = float((pool[there, j] == majority[there]).mean())
        half = max(float(right.std() / np.sqrt(len(right))), abs(float(right.mean()) - agreement))
        bounds[name] = (max(0.0, right.mean() - half), min(1.0, right.mean() + half))
    return tw.Box.from_bounds(draw.pool, bounds)


def _one_draw(task: tuple[str, int, int]) -> dict[str, Seen]:
    name, number, seed = task
    population = load_population(name)
    gold = draw_gold(population, gold_size(population, 100), "subset", number + 1, seed)[number]
    draw = split_population(population, gold, "subset")
    with warnings.catch_warnings():
        for kind in (ConvergenceWarning, DegenerateFitWarning):
            warnings.simplefilter("ignore", kind)
        ours = tw.BalsubramaniFreund(on_infeasible="widen").fit(draw.pool, box=box_of_draw(draw, "subset", LEVEL))
        theirs = tw.BalsubramaniFreund(on_infeasible="widen").fit(draw.pool, box=box_of_authors(draw))
        return {
            "pattern": look(ours.predict_interval(draw.pool, by="pattern"), draw.pool_labels),
            "tier": look(ours.predict_interval(draw.pool), draw.pool_labels),
            "authors": look(theirs.predict_interval(draw.pool), draw.pool_labels),
        }


def _row(name: str, seen: list[dict[str, Seen]]) -> list[str]:
    cells = [tw.datasets.PAPER_TITLES.get(name, name)]
    for kind in ("pattern", "tier", "authors"):
        of_kind = [one[kind] for one in seen]
        means: FloatArray = np.mean([[one.bounded, one.width] for one in of_kind], axis=0)
        cells += [f"{100 * means[0]:.0f} %", f"{means[1]:.2f}", f"{sum(one.held for one in of_kind)} of {len(seen)}"]
    return cells


def main() -> None:
    """Draw, look, print."""
    arguments = read_arguments(__doc__, draws=N_DRAWS)
    n_draws = arguments.draws
    tasks = [(name, number, arguments.seed) for name in SETS for number in range(n_draws)]
    seen = run_tasks(_one_draw, tasks, arguments.processes)
    header = [
        "set",
        *[f"{kind}: {what}" for kind in ("votes", "tiers", "their box") for what in ("said", "width", "held")],
    ]
    rows = [_row(name, seen[i * n_draws : (i + 1) * n_draws]) for i, name in enumerate(SETS)]
    table = markdown_table(header, rows)
    publish("item_intervals", arguments, [table], {"intervals": table})


if __name__ == "__main__":
    main()
