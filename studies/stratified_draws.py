"""Stratified against random draws: width and coverage of the share of a class: ``python -m studies.stratified_draws``.

The same number of labels, drawn at random from all items with an interval that leans on the panel, or drawn within the
strata that the panel makes, by :func:`thumbwise.draw_stratified`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

import thumbwise as tw
from studies.drawing import CROWDS, JUDGES, TITLES, load_population
from studies.opinion_coverage import gold_size
from studies.reporting import make_parser, markdown_table, publish

SETS = (*TITLES, *CROWDS, JUDGES)
LEVEL = 0.95
WAYS = ("random, gold alone", "random, with panel", "by verdict", "by verdict and sureness")


def intervals(votes: tw.Votes, labels: np.ndarray, n: int, of: int, seed: int) -> list[tuple[float, float]]:
    """Of one seed, each way."""
    rows = np.random.default_rng([seed, n]).permutation(votes.n_items)[:n]
    name = votes.class_names[of]
    golds = [tw.Gold(votes.take(rows), labels[rows], "subset")]
    for n_levels in (1, 2):
        drawn = tw.draw_stratified(votes, n, random_state=seed, of=name, n_levels=n_levels)
        first = drawn.order[:n]
        golds.append(tw.Gold(votes.take(first), labels[first], drawn.design()))
    found = [tw.rate(votes, golds[0], of=name, method="exact", confidence_level=LEVEL)]
    found += [tw.rate(votes, gold, of=name, confidence_level=LEVEL) for gold in golds]
    return [(one.lower, one.upper) for one in found]


def study(name: str, n_gold: int, n_draws: int, seed: int) -> list[str]:
    """Mean widths on one dataset, and how often intervals hold."""
    population = load_population(name)
    votes, labels = tw.Votes(population.votes.array, n_classes=population.votes.n_classes), population.labels
    of = 1 if votes.n_classes == 2 else int(np.argmax(np.bincount(labels)))
    n = gold_size(population, n_gold)
    found = np.array([intervals(votes, labels, n, of, seed + draw) for draw in range(n_draws)])
    truth = (labels == of).mean()
    held = ((found[..., 0] <= truth + 1e-9) & (found[..., 1] >= truth - 1e-9)).mean(axis=0)
    widths = (found[..., 1] - found[..., 0]).mean(axis=0)
    row = [TITLES.get(name, name), *(f"{width:.3f} ({hold:.2f})" for width, hold in zip(widths, held, strict=True))]
    print(" | ".join(row), file=sys.stderr)
    return row


def main() -> None:
    """Read the arguments, and publish a table."""
    parser = make_parser(__doc__, draws=40)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS, metavar="SET")
    parser.add_argument("--gold", type=int, default=100)
    given = parser.parse_args()
    sets: Sequence[str] = given.sets
    rows = [study(name, given.gold, given.draws, given.seed) for name in sets]
    about = f"{given.gold} labels, {given.draws} draws, {LEVEL:.0%}: mean width (and how often intervals hold)."
    table = markdown_table(["set", *WAYS], rows)
    publish("stratified_draws", given, [about, table], {"widths": table})


if __name__ == "__main__":
    main()
