"""What surrounds a fit, on made-up votes of one-coin rules: processor time of a plan, a comparison or a report.

Arguments: plan|compare|report N_ITEMS N_RULES N_CLASSES VOTES_PER_ITEM N_GOLD.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

import thumbwise as tw
from benchmarks.workers.measuring import Stopwatch, report
from thumbwise._typing import IntArray
from thumbwise.datasets import make_one_coin


def make(n_items: int, n_rules: int, n_classes: int, votes_per_item: int, n_gold: int) -> tuple[tw.Votes, IntArray]:
    """Votes of rules that are right on 60 to 90 % of their items, and classes, -1 where there is no gold label."""
    rng = np.random.default_rng(0)
    accuracies = rng.uniform(0.6, 0.9, n_rules)
    silence = 1 - votes_per_item / n_rules
    made = make_one_coin(n_items, accuracies, n_classes=n_classes, abstain=silence, random_state=0)
    gold = np.full(n_items, -1)
    drawn = rng.choice(n_items, min(n_gold, n_items // 2), replace=False)
    gold[drawn] = made.labels[drawn]
    return made.votes, gold


def run(what: str, votes: tw.Votes, gold: IntArray) -> Any:
    drawn = np.flatnonzero(gold >= 0)
    if what == "report":
        with tempfile.TemporaryDirectory() as folder:
            return len(tw.write_report(votes, Path(folder) / "report.html", y=gold).read_text())
    if what == "plan":
        return tw.plan(votes.take(drawn), gold[drawn], pool=votes, gold_is="subset").bound
    compared = tw.compare(votes.take(drawn), gold[drawn], pool=votes, gold_is="subset")
    return min(score.log_loss for score in compared.scores)


def main() -> None:
    what, sizes = sys.argv[1], map(int, sys.argv[2:])
    votes, gold = make(*sizes)
    n_patterns = votes.patterns.n_patterns
    warnings.simplefilter("ignore")  # little gold for many classes is said, and is no news here
    with Stopwatch() as watch:
        start = process_time()
        answer = run(what, votes, gold)
        taken = process_time() - start
    watch.seconds = taken  # of the processor, whatever else the machine does
    report(watch, ("thumbwise", "numpy", "scipy"), n_patterns=n_patterns, answer=answer)


if __name__ == "__main__":
    main()
