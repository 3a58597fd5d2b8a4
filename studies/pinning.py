"""What it buys that gold items of the pool keep their label: mean bounds for the other items, with and without.

Run as ``python -m studies.pinning``.
"""

from __future__ import annotations

from functools import partial

import numpy as np

import thumbwise as tw
from studies.drawing import TITLES, load_population
from studies.reporting import markdown_table, publish, read_arguments, run_tasks
from thumbwise.metrics import log_loss

N_GOLD = 100
ROUNDING = 1e-12


def study(name: str, n_draws: int, seed: int) -> list[str]:
    """One row: mean bounds for the items without a gold label, without and with pinning, and how often they held.

    Without pinning the bound speaks of all items; what the prediction loses on gold is known and taken off, and
    the rest is what it proves about the others.
    """
    population = load_population(name)
    n_items, labels = population.votes.n_items, population.labels
    votes = tw.Votes(population.votes.array, n_classes=population.votes.n_classes, item_ids=np.arange(n_items))
    n_open = n_items - N_GOLD
    free, pinned, n_held = [], [], 0
    for draw in range(n_draws):
        gold = np.random.default_rng([seed, draw]).choice(n_items, N_GOLD, replace=False)
        others = np.setdiff1d(np.arange(n_items), gold)
        box = tw.Box.from_gold(votes.take(gold), labels[gold], pool=votes, gold_is="subset", n_permutations=0)
        loose = tw.BalsubramaniFreund(caution=1, pin_gold=False).fit(votes, box=box)
        lost = N_GOLD * log_loss(labels[gold], loose.predict_proba(votes.without_ids())[gold], clip=0)
        free.append((n_items * loose.certificate_.log_loss_bound - lost) / n_open)
        model = tw.BalsubramaniFreund(caution=1).fit(votes, box=box)
        pinned.append(model.certificate_.log_loss_bound)
        # Where the rules say nothing, bound and loss are the same number, summed in another order.
        n_held += log_loss(labels[others], model.predict_proba(votes)[others], clip=0) <= pinned[-1] + ROUNDING
    before, after = float(np.mean(free)), float(np.mean(pinned))
    return [
        TITLES[name],
        f"{before:.3f}",
        f"{after:.3f}",
        f"{100 * (after / before - 1):+.1f} %",
        f"{after * n_open / n_items:.3f}",
        f"{n_held} of {n_draws}",
    ]


def main() -> None:
    """All ten datasets."""
    arguments = read_arguments("Mean certificates with and without pinned gold labels.", draws=30, quick=3)
    n_draws = arguments.draws
    work = partial(study, n_draws=n_draws, seed=arguments.seed)
    rows = run_tasks(work, list(TITLES), arguments.processes)
    heading = f"{N_GOLD} gold labels, part of the pool, 95 %, {n_draws} draws, seed {arguments.seed}."
    header = ["dataset", "labels not pinned", "pinned", "change", "pinned, over all items", "bound held"]
    table = markdown_table(header, rows)
    publish("pinning", arguments, [heading, table], {"pinned": table})


if __name__ == "__main__":
    main()
