"""How often boxes from weighted gold hold the truth, in any row order: ``python -m studies.weighted_designs``.

A pool of 1,000 items with three rules; items on which the rules disagree are four times as likely to become gold. Gold
is drawn anew 1,000 times by each design, 100 items (on average, in Poisson sampling), and handed over in four row
orders. Counted is the share of draws in which all moments of the pool lie in the box, and the mean width of its
intervals beside that of as many plain random gold items. It takes some minutes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
from scipy.stats import binom

import thumbwise as tw
from studies.reporting import markdown_table, publish, read_arguments, run_tasks
from thumbwise._typing import FloatArray, IntArray
from thumbwise.gold import WeightedDesign
from thumbwise.moments import STANDARD, build_moments, label_counts

LEVELS = (0.8, 0.95, 0.99)
DESIGNS: tuple[WeightedDesign, ...] = ("with_replacement", "poisson")
N_ITEMS, N_GOLD = 1000, 100

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
    """The box that a user would get."""
    return tw.Box.from_gold(
        pool.votes.take(items),
        pool.labels[items],
        pool=pool.votes,
        confidence_level=level,
        weights=weights,
        max_weight=pool.largest_weight(N_GOLD),
        design=design,
    )


def study(setting: tuple[WeightedDesign, float], n_draws: int, seed: int) -> tuple[dict[str, int], float, float]:
    """Boxes that hold in each row order, and mean widths: of this design and of plain gold."""
    design, level = setting
    rng = np.random.default_rng(seed)
    pool = make_pool(rng, N_ITEMS)
    truth = build_moments(STANDARD, pool.votes).averages(label_counts(pool.votes, pool.labels))
    held, widths, plain_widths = dict.fromkeys(ORDERS, 0), [], []
    for _ in range(n_draws):
        items, weights = draw_gold(rng, pool, N_GOLD, design)
        for name, order in ORDERS.items():
            rows = order(items, weights, pool.labels)
            box = box_of(pool, items[rows], weights[rows], design, level)
            held[name] += box.contains(truth)
        widths.append((box.upper - box.lower).mean())
        random = rng.choice(N_ITEMS, N_GOLD, replace=False)
        plain = tw.Box.from_gold(
            pool.votes.take(random),
            pool.labels[random],
            pool=pool.votes,
            confidence_level=level,
            gold_is="subset",
            n_permutations=0,
        )
        plain_widths.append((plain.upper - plain.lower).mean())
    return held, float(np.mean(widths)), float(np.mean(plain_widths))


def main() -> None:
    """Both designs at all levels."""
    arguments = read_arguments(__doc__ or "")
    n_draws = 20 if arguments.quick else 1000
    settings = list(product(DESIGNS, LEVELS))
    answers = run_tasks(partial(study, n_draws=n_draws, seed=arguments.seed), settings, arguments.processes)
    header = ["design", "level", *ORDERS, "allowed misses", "mean width", "plain gold"]
    rows = [
        [
            f"`{design}`",
            f"{100 * level:.0f} %",
            *(f"{100 * count / n_draws:.1f} %" for count in held.values()),
            f"{int(binom.ppf(1 - 1e-6, n_draws, 1 - level))} of {n_draws}",
            f"{width:.3f}",
            f"{plain:.3f}",
        ]
        for (design, level), (held, width, plain) in zip(settings, answers, strict=True)
    ]
    publish([markdown_table(header, rows)], arguments.output)


if __name__ == "__main__":
    main()
