"""How many of the default labels are right, and how many are guaranteed to be: ``python -m studies.right_labels``.

Gold is a random part of the pool and does not keep its label; means over draws, over all items.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import thumbwise as tw
from studies.drawing import CROWDS, JUDGES, TITLES, box_of_draw, draw_gold, load_population, split_population
from studies.opinion_coverage import gold_size
from studies.reporting import markdown_table, publish

SETS = (*TITLES, *CROWDS, JUDGES)


def study(name: str, n_gold: int, n_draws: int, seed: int) -> list[str]:
    """Labels that are right, guaranteed by the box of the fit alone, and as it is; and in how many draws it held."""
    population = load_population(name)
    rows = []
    for gold in draw_gold(population, gold_size(population, n_gold), "subset", n_draws, seed):
        draw = split_population(population, gold, "subset")
        box = box_of_draw(draw, "subset", 0.95)
        model = tw.BalsubramaniFreund(pin_gold=False, tol=1e-6).fit(draw.pool, box=box)
        labels = model.predict(draw.pool)
        right, proved = float(np.mean(labels == draw.pool_labels)), model.certificate_.accuracy_at_least
        rows.append((right, tw.certify(labels, draw.pool, box).low, proved, proved is not None and proved <= right))
    means = np.mean(np.array(rows, dtype=float), axis=0)
    held = f"{round(means[3] * n_draws)} of {n_draws}"
    return [TITLES.get(name, name), *(f"{number:.3f}" for number in means[:3]), held]


def table(sets: Sequence[str], n_gold: int, n_draws: int, seed: int) -> str:
    """One line for each set."""
    headers = ["set", "right", "box alone", "guaranteed", "held"]
    return markdown_table(headers, [study(name, n_gold, n_draws, seed) for name in sets])


def main() -> None:
    """Study the sets one after the other and print the table."""
    parser = argparse.ArgumentParser(description="How many of the default labels are right, and guaranteed to be.")
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS)
    parser.add_argument("--draws", type=int, default=4)
    parser.add_argument("--gold", type=int, default=100)
    parser.add_argument("--seed", type=int, default=2024)
    parser.add_argument("--output", type=Path, help="Markdown file to write the table to")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)  # a bound that was not polished is a bound
    publish([table(arguments.sets, arguments.gold, arguments.draws, arguments.seed)], arguments.output)


if __name__ == "__main__":
    main()
