"""Fit one model to votes that do not compress, or to noise, and say how it ended.

Arguments: MODEL N_ITEMS N_RULES VOTES_PER_ITEM N_CLASSES. Models: those of ``MODELS``, where ``noise`` is one-coin
Dawid-Skene on votes drawn at random, and ``bf_close`` with bounds within 0.03 of the truth, ``bf_gold`` with 200 gold
labels. Those called ``weak`` see rules that are right on 30 to 60 % of their items, where estimates converge slowly.
Votes are read and counted before the time starts.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from time import process_time
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks.large import N_GOLD, Case, close_box, make_votes
from benchmarks.workers.measuring import Stopwatch, report
from thumbwise import EBCC, BalsubramaniFreund, Box, DawidSkene, TooLargeError, Votes

MODELS: dict[str, Callable[[], Any]] = {
    "one_coin": DawidSkene,
    "class_conditional": lambda: DawidSkene(kind="class_conditional"),
    "full": lambda: DawidSkene(kind="full"),
    "ebcc": EBCC,
    "weak_class_conditional": lambda: DawidSkene(kind="class_conditional"),
    "weak_full": lambda: DawidSkene(kind="full"),
    "noise": DawidSkene,
}


def read(model: str, case: Case) -> tuple[Votes, Callable[[], Any]]:
    """The votes, and what is to be timed."""
    items, rules, classes, truth = make_votes(case)
    if model == "noise":
        classes = np.random.default_rng(0).integers(case.n_classes, size=len(classes))
    names = [str(j) for j in range(case.n_rules)]
    votes = Votes.from_long((items, rules, classes), rule_names=names, n_classes=case.n_classes)
    _ = votes.patterns
    if model == "bf_close":
        return votes, lambda: BalsubramaniFreund().fit(votes, box=close_box(votes, (items, rules, classes), truth))
    if model == "bf_gold":
        gold = np.random.default_rng(0).choice(case.n_items, min(N_GOLD, case.n_items // 2), replace=False)
        part, labels = votes.take(gold), truth[gold]
        return votes, lambda: BalsubramaniFreund().fit(
            votes, box=Box.from_gold(part, labels, pool=votes, gold_is="subset")
        )
    return votes, lambda: MODELS[model]().fit(votes)


def main() -> None:
    model, (n_items, n_rules, votes_per_item, n_classes) = sys.argv[1], map(int, sys.argv[2:6])
    case = Case(n_items, n_rules, votes_per_item, n_classes, "none")
    votes, fit = read(model, replace(case, accuracies=(0.3, 0.6)) if model.startswith("weak_") else case)
    n_iter, refused, start = None, "", process_time()
    with warnings.catch_warnings(record=True) as caught, Stopwatch() as watch:
        warnings.simplefilter("always")
        try:
            n_iter = fit().n_iter_
        except TooLargeError as error:
            refused = str(error)
    unfinished = any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
    report(
        watch,
        ("thumbwise", "numpy", "scipy"),
        n_iter=n_iter,
        refused=refused,
        said_unfinished=unfinished,
        processor_seconds=process_time() - start,
        n_patterns=votes.patterns.n_patterns,
    )


if __name__ == "__main__":
    main()
