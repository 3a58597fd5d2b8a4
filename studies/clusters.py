"""How often boxes hold the truth if gold is whole clusters: ``python -m studies.clusters``.

Conversations of one to seven turns; turns of a conversation are alike, and judges are right or wrong about most of them
together. Of 300 conversations some are drawn, 500 times, and all of their turns labeled. Counted is the share of draws
in which all moments lie in the box, declared as clusters and as single items, and the mean width of its intervals;
beside it, the width from as many single items, drawn one by one. It takes about two minutes of one core.
"""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
from scipy.stats import binom

import thumbwise as tw
from studies.reporting import markdown_table, publish, read_arguments, run_tasks
from thumbwise._typing import IntArray
from thumbwise.box.designs import Clusters, Design, Subset

N_CLUSTERS, LEVEL = 300, 0.8
ALIKE = {"much alike": 0.4, "little alike": 4.0}
Setting = tuple[str, int]
SETTINGS: list[Setting] = list(product(ALIKE, (40, 100)))


def make_talks(rng: np.random.Generator, spread: float) -> tuple[IntArray, IntArray, tw.Votes]:
    """Conversation and label of each turn, and votes of four judges, whose accuracy differs between conversations."""
    talks = np.repeat(np.arange(N_CLUSTERS), rng.integers(1, 8, size=N_CLUSTERS))
    truth = (rng.random(len(talks)) < rng.beta(spread, spread, size=N_CLUSTERS)[talks]).astype(np.int64)
    trusted = rng.beta(2 * spread, spread, size=(N_CLUSTERS, 4))[talks]
    array = np.where(rng.random(trusted.shape) < trusted, truth[:, None], 1 - truth[:, None])
    array[rng.random(array.shape) < 0.15] = -1
    return talks, truth, tw.Votes(array, n_classes=2)


def make_box(votes: tw.Votes, truth: IntArray, gold: IntArray, drawn: Design) -> tw.Box:
    """The box of some gold, as it is said to have been drawn."""
    given = tw.Gold(votes.take(gold), truth[gold], drawn)
    return tw.Box.from_gold(given, pool=votes, confidence_level=LEVEL, opinions=(), n_permutations=0)


def study(setting: Setting, n_draws: int, seed: int) -> list[str]:
    """A row of the table."""
    kind, n_drawn = setting
    held, widths = np.zeros(2), np.zeros(2)
    for draw in range(n_draws):
        rng = np.random.default_rng([seed, draw])
        talks, truth, votes = make_talks(rng, ALIKE[kind])
        gold = np.flatnonzero(np.isin(talks, rng.choice(N_CLUSTERS, n_drawn, replace=False)))
        whole = make_box(votes, truth, gold, Clusters(talks[gold], talks))
        single = make_box(votes, truth, gold, Subset())
        fair = make_box(votes, truth, rng.choice(len(truth), len(gold), replace=False), Subset())
        held += [whole.holds(votes, truth), single.holds(votes, truth)]
        widths += [float((box.upper - box.lower).mean()) for box in (whole, fair)]
    shares, (width, fair_width) = held / n_draws, widths / n_draws
    alarm = 1 - binom.ppf(1 - 1e-6, n_draws, 1 - LEVEL) / n_draws
    cells = [*(f"{100 * share:.1f} %" for share in (*shares, alarm)), f"{width:.3f}", f"{fair_width:.3f}"]
    return [f"turns {kind}, {n_drawn} of {N_CLUSTERS} drawn", *cells]


def main() -> None:
    """All settings."""
    arguments = read_arguments(__doc__, draws=500, quick=20)
    rows = run_tasks(partial(study, n_draws=arguments.draws, seed=arguments.seed), SETTINGS, arguments.processes)
    header = ["conversations", "holds", "as single items", "alarm below", "mean width", "items one by one"]
    table = markdown_table(header, rows)
    publish("clusters", arguments, [table], {"boxes": table})


if __name__ == "__main__":
    main()
