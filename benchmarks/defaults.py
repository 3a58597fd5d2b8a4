"""What opinions and caution cost: the defaults against rules alone and the game itself, in one run.

``python -m benchmarks.defaults [n_items]``: an array in, probabilities out, 100 gold labels; the best of three runs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from thumbwise import BalsubramaniFreund, Box, Gold, Votes
from thumbwise._typing import IntArray

N_GOLD = 100
Case = tuple[Callable[[], Votes], IntArray]


def dense(n_items: int, n_rules: int = 10) -> Case:
    """Rules with accuracies from 0.6 to 0.9 that abstain on 30 % of the items."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, n_items)
    array = np.empty((n_items, n_rules), dtype=np.int8)
    for j, accuracy in enumerate(np.linspace(0.6, 0.9, n_rules)):
        array[:, j] = np.where(rng.random(n_items) < accuracy, truth, 1 - truth)
        array[rng.random(n_items) < 0.3, j] = -1
    return lambda: Votes(array, n_classes=2, copy=False), truth


def sparse(n_items: int, n_rules: int = 3000, per_item: int = 10) -> Case:
    """Ten votes an item of many workers."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, n_items)
    items = np.repeat(np.arange(n_items), per_item)
    rules = rng.integers(0, n_rules, len(items))
    _, first = np.unique(items * n_rules + rules, return_index=True)
    items, rules = items[first], rules[first]
    accuracies = rng.uniform(0.6, 0.95, n_rules)
    classes = np.where(rng.random(len(items)) < accuracies[rules], truth[items], 1 - truth[items])
    names = [str(j) for j in range(n_rules)]
    return lambda: Votes.from_long((items, rules, classes), rule_names=names, n_classes=2), truth


def seconds(case: Case, *, is_default: bool) -> float:
    """From the votes to probabilities."""
    make, truth = case
    gold = np.random.default_rng(2).choice(len(truth), N_GOLD, replace=False)
    start = time.perf_counter()
    votes = make()
    drawn = Gold(votes.take(gold), truth[gold], "subset")
    box = Box.from_gold(drawn, pool=votes, opinions="auto" if is_default else ())
    BalsubramaniFreund(caution="auto" if is_default else 1).fit(votes, box=box).predict_proba(votes)
    return time.perf_counter() - start


def main() -> None:
    n_items = int(sys.argv[1]) if len(sys.argv) > 1 else 10**7
    cases = {f"{n_items:,} items x 10 rules": dense(n_items), "20,000 items x 3,000 rules": sparse(20_000)}
    for name, case in cases.items():
        seconds(case, is_default=False)
        rounds = [[seconds(case, is_default=is_default) for is_default in (False, True)] for _ in range(3)]
        plain, default = np.min(rounds, axis=0)
        print(f"{name}: rules alone {plain:.2f} s, defaults {default:.2f} s, ratio {default / plain:.2f}", flush=True)


if __name__ == "__main__":
    main()
