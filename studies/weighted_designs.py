"""How often boxes from weighted gold hold the truth, in any row order: ``python -m studies.weighted_designs``.

A pool of 1,000 items with three rules; items on which the rules disagree are four times as likely to become gold. Gold
is drawn anew 1,000 times by each design, 100 items (on average, in Poisson sampling). Counted is the share of draws in
which all moments of the pool lie in the box, at three levels on the same draws, and the mean width of its intervals
beside that of as many plain random gold items. The first draws go through the public interface in four row orders; the
study stops if one bit of a box differs from that of the draw as counted. It takes about a minute of one core.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from scipy.stats import binom

import thumbwise as tw
from studies.reporting import markdown_table, publish, read_arguments, run_tasks
from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.budget import split_error
from thumbwise.box.designs import Poisson, Subset, WithReplacement
from thumbwise.box.designs.plain import exact_intervals
from thumbwise.box.gold import GoldSample, Intervals
from thumbwise.box.moments.linear import build_moments
from thumbwise.box.moments.standard import STANDARD
from thumbwise.votes.labels import label_counts

LEVELS = (0.8, 0.95, 0.99)
WeightedDesign = Literal["with_replacement", "poisson"]
WEIGHTED: dict[WeightedDesign, type[WithReplacement | Poisson]] = {
    "with_replacement": WithReplacement,
    "poisson": Poisson,
}
DESIGNS = tuple(WEIGHTED)
N_ITEMS, N_GOLD = 1000, 100
# Draws that go through the public interface in all row orders.
N_CHECKED = 20

# Row orders of gold: from items, weights and labels of all items to positions.
ORDERS: dict[str, Callable[[IntArray, FloatArray, IntArray], IntArray]] = {
    "as drawn": lambda items, weights, labels: np.arange(len(items)),
    "by label": lambda items, weights, labels: np.argsort(labels[items], kind="stable"),
    "by weight": lambda items, weights, labels: np.argsort(weights, kind="stable"),
    "reversed": lambda items, weights, labels: np.arange(len(items))[::-1],
}


@dataclass(frozen=True)
class Pool:
    """Items, their true classes, and how much more likely than others each is to be drawn."""

    votes: tw.Votes
    labels: IntArray
    pull: FloatArray

    def chances(self, n_gold: int) -> FloatArray:
        """Expected number of draws of each item; none is certain to be drawn."""
        return np.asarray(np.minimum(n_gold * self.pull / self.pull.sum(), 0.95))

    def largest_weight(self, n_gold: int) -> float:
        return float(1 / self.chances(n_gold).min())


def make_pool(rng: np.random.Generator, n_items: int) -> Pool:
    """Two classes, three rules that abstain at times."""
    labels = (rng.random(n_items) < 0.35).astype(np.int64)
    is_right = rng.random((n_items, 3)) < [0.9, 0.8, 0.7]
    array = np.where(is_right, labels[:, None], 1 - labels[:, None])
    array[rng.random(array.shape) < [0.0, 0.3, 0.5]] = -1
    lowest, highest = np.where(array < 0, 2, array).min(axis=1), array.max(axis=1)
    return Pool(tw.Votes(array, n_classes=2), labels, np.where(lowest < highest, 4.0, 1.0))


def draw_gold(rng: np.random.Generator, pool: Pool, n_gold: int, design: WeightedDesign) -> tuple[IntArray, FloatArray]:
    """Items of the pool and their weights, one over the expected number of draws."""
    chances = pool.chances(n_gold)
    if design == "poisson":
        items = np.flatnonzero(rng.random(len(chances)) < chances)
    else:
        # So many draws that an item's expected number of them is its chance.
        items = rng.choice(len(chances), n_gold, p=chances / chances.sum())
        chances = n_gold * chances / chances.sum()
    return items, 1 / chances[items]


def box_of(pool: Pool, items: IntArray, weights: FloatArray, design: WeightedDesign, level: float) -> tw.Box:
    """The box that a user would get, without opinions."""
    return tw.Box.from_gold(
        pool.votes.take(items),
        pool.labels[items],
        pool=pool.votes,
        confidence_level=level,
        gold_is=WEIGHTED[design](weights, pool.largest_weight(N_GOLD)),
        opinions=(),
    )


def intervals_of(pool: Pool, items: IntArray, weights: FloatArray, design: WeightedDesign) -> dict[float, Intervals]:
    """The same intervals at all levels, with the counts made once."""
    drawn = WEIGHTED[design](weights, pool.largest_weight(N_GOLD))
    sample = GoldSample(pool.votes.take(items), pool.labels[items], pool.votes, drawn)
    return {level: drawn.intervals(sample, split_error(1 - level, sample.counts)) for level in LEVELS}


def check_orders(pool: Pool, items: IntArray, weights: FloatArray, design: WeightedDesign, level: float) -> None:
    """In every row order, the public box is the one that is counted."""
    counted = intervals_of(pool, items, weights, design)[level]
    for name, order in ORDERS.items():
        rows = order(items, weights, pool.labels)
        box = box_of(pool, items[rows], weights[rows], design, level)
        if not np.array_equal((box.lower, box.upper), counted):
            raise RuntimeError(f"{design}, {level}: the box of gold in the order {name!r} differs")


def plain_width(rng: np.random.Generator, pool: Pool, level: float) -> float:
    """Mean width of the intervals from as many plain random gold items."""
    gold = rng.choice(N_ITEMS, N_GOLD, replace=False)
    sample = GoldSample(pool.votes.take(gold), pool.labels[gold], pool.votes, Subset())
    lower, upper = exact_intervals(sample.counts, split_error(1 - level, sample.counts))
    return float((upper - lower).mean())


def study(design: WeightedDesign, n_draws: int, seed: int) -> list[list[str]]:
    """A row of the table for each level."""
    rng = np.random.default_rng(seed)
    pool = make_pool(rng, N_ITEMS)
    truth = build_moments(STANDARD, pool.votes).averages(label_counts(pool.votes, pool.labels))
    held, widths, plain = (dict.fromkeys(LEVELS, 0.0) for _ in range(3))
    for draw in range(n_draws):
        items, weights = draw_gold(rng, pool, N_GOLD, design)
        for level, (lower, upper) in intervals_of(pool, items, weights, design).items():
            held[level] += bool(((truth >= lower - 1e-12) & (truth <= upper + 1e-12)).all())
            widths[level] += float((upper - lower).mean())
            if draw < N_CHECKED:
                check_orders(pool, items, weights, design, level)
                plain[level] += plain_width(rng, pool, level)
    n_checked = min(N_CHECKED, n_draws)
    return [
        [
            f"`{design}`",
            f"{100 * level:.0f} %",
            f"{100 * held[level] / n_draws:.1f} %",
            f"{100 * (1 - binom.ppf(1 - 1e-6, n_draws, 1 - level) / n_draws):.1f} %",
            f"{widths[level] / n_draws:.3f}",
            f"{plain[level] / n_checked:.3f}",
        ]
        for level in LEVELS
    ]


def main() -> None:
    """Both designs at all levels."""
    arguments = read_arguments(__doc__, draws=1000, quick=20)
    n_draws = arguments.draws
    tables = run_tasks(partial(study, n_draws=n_draws, seed=arguments.seed), DESIGNS, arguments.processes)
    header = ["design", "level", "box holds", "alarm below", "mean width", "plain gold"]
    table = markdown_table(header, [row for table in tables for row in table])
    publish("weighted_designs", arguments, [table], {"designs": table})


if __name__ == "__main__":
    main()
