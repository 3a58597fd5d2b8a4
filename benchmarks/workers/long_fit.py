"""Fit BalsubramaniFreund to long votes with 200 gold labels.

Arguments: N_ITEMS N_RULES VOTES_PER_ITEM N_CLASSES.
"""

from __future__ import annotations

import sys

import numpy as np

from benchmarks.large import N_GOLD, Case, make_votes
from benchmarks.workers.measuring import Stopwatch, report
from thumbwise import BalsubramaniFreund, Box, Votes


def main() -> None:
    n_items, n_rules, votes_per_item, n_classes = map(int, sys.argv[1:5])
    *long, truth = make_votes(Case(n_items, n_rules, votes_per_item, n_classes, "gold"))
    names = [str(j) for j in range(n_rules)]
    gold = np.random.default_rng(0).choice(n_items, N_GOLD, replace=False)
    with Stopwatch() as watch:
        votes = Votes.from_long(tuple(long), rule_names=names, n_classes=n_classes)
        box = Box.from_gold(votes.take(gold), truth[gold], pool=votes, gold_is="subset")
        model = BalsubramaniFreund().fit(votes, box=box)
    bound = model.certificate_.log_loss_bound
    report(watch, ("thumbwise", "numpy", "scipy"), n_iter=model.n_iter_, bound=bound)


if __name__ == "__main__":
    main()
