"""How many of the default labels are right, and how many are guaranteed to be: ``python -m studies.right_labels``.

Gold is a random part of the pool and does not keep its label; means over draws, over all items. Bounds from 100 labels
differ much from draw to draw: means over few draws say little, so their standard error is beside them.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Sequence

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import thumbwise as tw
from studies.coverage import allowed_misses
from studies.drawing import CROWDS, JUDGES, TITLES, box_of_draw, draw_gold, load_population, split_population
from studies.opinion_coverage import gold_size
from studies.reporting import make_parser, markdown_table, publish

SETS = (*TITLES, *CROWDS, JUDGES)
LEVEL = 0.95


def study(name: str, n_gold: int, n_draws: int, seed: int, n_cells: int = 1) -> list[str]:
    """Labels that are right, guaranteed by the box of the fit alone, and as it is; and in how many draws it held.

    Bold: it held so seldom that chance alone does so in none of ``n_cells`` cells but once in a million times.
    """
    started = time.perf_counter()
    population = load_population(name)
    rows = []
    for gold in draw_gold(population, gold_size(population, n_gold), "subset", n_draws, seed):
        draw = split_population(population, gold, "subset")
        box = box_of_draw(draw, "subset", LEVEL)
        model = tw.BalsubramaniFreund(pin_gold=False, tol=1e-6).fit(draw.pool, box=box)
        labels = model.predict(draw.pool)
        right, proved = float(np.mean(labels == draw.pool_labels)), model.certificate_.accuracy_at_least
        rows.append((right, tw.certify(labels, draw.pool, box).lower, proved, proved is not None and proved <= right))
    found = np.array(rows, dtype=float)
    means, n_held = found.mean(axis=0), int(found[:, 3].sum())
    spread = found[:, 2].std(ddof=1) / np.sqrt(n_draws) if n_draws > 1 else np.nan
    held = f"{n_held} of {n_draws}"
    if n_draws - n_held > allowed_misses(n_draws, LEVEL, n_cells):
        held = f"**{held}**"
    row = [TITLES.get(name, name), *(f"{number:.3f}" for number in means[:3]), f"{spread:.3f}", held]
    print(f"{time.perf_counter() - started:.0f} s | {' | '.join(row)} |", file=sys.stderr)
    return row


def table(sets: Sequence[str], n_gold: int, n_draws: int, seed: int) -> str:
    """One line for each set."""
    headers = ["set", "right", "box alone", "guaranteed", "standard error", "held"]
    return markdown_table(headers, [study(name, n_gold, n_draws, seed, len(sets)) for name in sets])


def main() -> None:
    """Study the sets one after the other and print the table."""
    parser = make_parser("How many of the default labels are right, and guaranteed to be.", draws=4)
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS)
    parser.add_argument("--gold", type=int, default=100)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)  # a bound that was not polished is a bound
    found = table(arguments.sets, arguments.gold, arguments.draws, arguments.seed)
    publish("right_labels", arguments, [found], {f"{arguments.gold} labels": found})


if __name__ == "__main__":
    main()
