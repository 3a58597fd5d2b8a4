"""Votes whose patterns do not compress: thousands of rules, a thousand classes. ``python -m benchmarks.large [CASE]``.

Each case runs in a fresh process: long votes in, a box from 200 gold labels or from bounds close to the truth, weights
out. Asked of the first two: 60 seconds and 6 GB.
"""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.launching import REPOSITORY, describe_machine
from benchmarks.workers.measuring import Stopwatch, report
from thumbwise import BalsubramaniFreund, Box, DawidSkene, Votes

IntArray = npt.NDArray[np.int64]
N_GOLD = 200


@dataclass(frozen=True)
class Case:
    """Sizes, and how the model gets to know the rules: ``gold``, ``close`` bounds, or ``none`` for Dawid-Skene.

    Accuracies of rules, before lucky guesses, are uniform between two numbers.
    """

    n_items: int
    n_rules: int
    votes_per_item: int
    n_classes: int
    knows: str
    accuracies: tuple[float, float] = (0.55, 0.9)


CASES = {
    "rules": Case(100_000, 3_000, 10, 2, "gold"),
    "classes": Case(100_000, 20, 20, 1_000, "gold"),
    "rules, close bounds": Case(100_000, 3_000, 10, 2, "close"),
    "classes, close bounds": Case(100_000, 20, 20, 1_000, "close"),
    "rules as many as items, gold": Case(100_000, 100_000, 10, 2, "gold"),
    "rules as many as items, close bounds": Case(100_000, 100_000, 10, 2, "close"),
    "rules, Dawid-Skene": Case(100_000, 3_000, 10, 2, "none"),
}


def make_votes(case: Case) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Item, rule and class of each vote, and the truth."""
    rng = np.random.default_rng(20240715)
    truth = rng.integers(case.n_classes, size=case.n_items)
    edges = np.linspace(0, case.n_rules, case.votes_per_item + 1).astype(int)
    rules = rng.integers(edges[:-1], edges[1:], size=(case.n_items, case.votes_per_item))
    accuracies = rng.uniform(*case.accuracies, case.n_rules)
    wrong = rng.integers(case.n_classes, size=rules.shape)
    classes = np.where(rng.random(rules.shape) < accuracies[rules], truth[:, None], wrong)
    items = np.repeat(np.arange(case.n_items), case.votes_per_item)
    return items, rules.ravel(), classes.ravel(), truth


def close_box(votes: Votes, long: tuple[IntArray, IntArray, IntArray], truth: IntArray) -> Box:
    """Accuracies within 0.03 of the truth, class frequencies within a twentieth of it."""
    items, rules, classes = long
    cast = np.bincount(rules, minlength=votes.n_rules)
    right = np.bincount(rules, classes == truth[items], minlength=votes.n_rules) / np.maximum(cast, 1)
    frequencies = np.bincount(truth, minlength=votes.n_classes) / len(truth)
    moments = np.concatenate([right, frequencies])
    width = np.concatenate([np.full(votes.n_rules, 0.03), 0.05 * frequencies])
    return Box.from_bounds(votes, lower=np.clip(moments - width, 0, 1), upper=np.clip(moments + width, 0, 1))


def run(name: str) -> None:
    case = CASES[name]
    *long, truth = make_votes(case)
    names = [str(j) for j in range(case.n_rules)]
    gold = np.random.default_rng(0).choice(case.n_items, N_GOLD, replace=False)
    warnings.simplefilter("error")
    with Stopwatch() as watch:
        votes = Votes.from_long(tuple(long), rule_names=names, n_classes=case.n_classes)
        if case.knows == "none":
            model: Any = DawidSkene(kind="one_coin").fit(votes)
        else:
            close = case.knows == "close"
            items, rules, classes = long
            box = (
                close_box(votes, (items, rules, classes), truth)
                if close
                else Box.from_gold(votes.take(gold), truth[gold], pool=votes, gold_is="subset")
            )
            model = BalsubramaniFreund().fit(votes, box=box)
    certificate = getattr(model, "certificate_", None)
    bound = None if certificate is None else certificate.log_loss_bound
    n_active = None if certificate is None else int((model.active_ != 0).sum())
    report(watch, ("thumbwise", "numpy", "scipy"), n_iter=model.n_iter_, bound=bound, n_active=n_active)


def main() -> None:
    if len(sys.argv) > 1:
        run(sys.argv[1])
        return
    print(describe_machine(), flush=True)
    for name in CASES:
        command = [sys.executable, "-m", "benchmarks.large", name]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=REPOSITORY)
        if done.returncode:
            print(f"{name}: failed, {done.stderr.strip()[-300:]}", flush=True)
            continue
        said = json.loads(done.stdout.splitlines()[-1])
        print(f"{name}: {said['seconds']:.1f} s, {said['peak_mb']:,.0f} MB, {said['checks']}", flush=True)


if __name__ == "__main__":
    main()
