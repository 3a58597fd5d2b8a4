"""Every method on four crowds: accuracy, log loss and seconds.

Run as ``python -m studies.crowds``; reads long votes from the folder ``crowd/`` of the data, one folder a crowd.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import thumbwise as tw
from studies.reporting import markdown_table, publish, read_arguments, run_tasks
from thumbwise._typing import IntArray
from thumbwise.datasets import load_crowd
from thumbwise.metrics import log_loss
from thumbwise.models.base import LabelModel

CROWDS = ("bluebird", "dog", "rte", "web")
N_GOLD = 100


@dataclass(frozen=True)
class Method:
    """How a model is made; whether it learns from gold."""

    title: str
    make: Callable[[], LabelModel]
    needs_gold: bool = False


METHODS = [
    Method("majority vote", tw.MajorityVote),
    Method("Dawid-Skene, one coin", partial(tw.DawidSkene, kind="one_coin")),
    Method("Dawid-Skene, class-conditional", partial(tw.DawidSkene, kind="class_conditional")),
    Method("Dawid-Skene, full", partial(tw.DawidSkene, kind="full")),
    Method("data programming", tw.DataProgramming),
    Method("EBCC", tw.EBCC),
    Method("hyper label model", tw.HyperLabelModel),
    Method("AMCL (gold)", partial(tw.AMCL, on_infeasible="widen"), needs_gold=True),
    Method("Balsubramani-Freund (gold)", partial(tw.BalsubramaniFreund, on_infeasible="widen"), needs_gold=True),
]


@dataclass(frozen=True)
class Score:
    """Means over draws of gold, if there is any; whether a fit warned."""

    accuracy: float
    log_loss: float
    seconds: float
    warned: bool


def _load(name: str) -> tuple[tw.Votes, IntArray]:
    beside = Path(__file__).parents[2] / "shared" / "data"
    crowd = load_crowd(name, os.environ.get("THUMBWISE_DATA", beside))
    return crowd.votes, crowd.labels


def gold_size(truth: IntArray) -> int:
    """A hundred, or half of the items where there are not twice as many."""
    return min(N_GOLD, int((truth >= 0).sum()) // 2)


def study(task: tuple[str, Method], n_draws: int, seed: int) -> Score:
    """One method on one crowd."""
    name, method = task
    votes, truth = _load(name)
    known = np.flatnonzero(truth >= 0)
    scores = []
    for draw in range(n_draws if method.needs_gold else 1):
        rng = np.random.default_rng([seed, draw, *name.encode()])
        gold = rng.choice(known, gold_size(truth), replace=False) if method.needs_gold else known[:0]
        scores.append(_fit_and_judge(method, votes, truth, gold))
    return Score(
        accuracy=float(np.mean([score.accuracy for score in scores])),
        log_loss=float(np.mean([score.log_loss for score in scores])),
        seconds=float(np.mean([score.seconds for score in scores])),
        warned=any(score.warned for score in scores),
    )


def _fit_and_judge(method: Method, votes: tw.Votes, truth: IntArray, gold: IntArray) -> Score:
    """Fit on all items, judge on those with a truth that was not given."""
    y = np.full(len(truth), -1)
    y[gold] = truth[gold]
    judged = np.flatnonzero((truth >= 0) & (y < 0))
    model: Any = method.make()
    started = time.perf_counter()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.fit(votes, y if method.needs_gold else None)
        proba = model.predict_proba(votes)
    seconds = time.perf_counter() - started
    accuracy = float(np.mean(model.predict(votes)[judged] == truth[judged]))
    return Score(accuracy, log_loss(truth[judged], proba[judged]), seconds, bool(said))


def tabulate(scores: dict[tuple[str, str], Score], show: Callable[[Score], str]) -> str:
    """Methods down, crowds across."""
    titles = dict.fromkeys(title for _, title in scores)
    rows = [[title, *(show(scores[name, title]) for name in CROWDS)] for title in titles]
    return markdown_table(["method", *CROWDS], rows)


def describe_crowds() -> str:
    """What there is to learn from."""
    lines = []
    for name in CROWDS:
        votes, truth = _load(name)
        per_item = votes.n_votes_per_item.mean()
        sizes = [votes.n_items, votes.n_rules, votes.n_classes, int((truth >= 0).sum()), gold_size(truth)]
        lines.append([name, *(f"{size:,}" for size in sizes), f"{per_item:.1f}"])
    return markdown_table(["crowd", "items", "workers", "classes", "with truth", "gold drawn", "votes per item"], lines)


def main() -> None:
    """All methods on all crowds."""
    arguments = read_arguments("Accuracy, log loss and time of every method on votes of crowds.", draws=10)
    n_draws = arguments.draws
    tasks = list(product(CROWDS, METHODS))
    answers = run_tasks(partial(study, n_draws=n_draws, seed=arguments.seed), tasks, arguments.processes)
    scores = {(name, method.title): answer for (name, method), answer in zip(tasks, answers, strict=True)}
    heading = (
        "Labels of all items are predicted from the votes of the crowd and judged on the items whose truth is known. "
        "Methods with gold learn from items drawn at random among those, and are judged on the others; means of "
        f"{n_draws} draws. An asterisk: the model warned that it did not converge or that its answer is degenerate."
    )
    tables = {
        "crowds": describe_crowds(),
        "accuracy": tabulate(scores, lambda score: f"{score.accuracy:.3f}"),
        "log loss": tabulate(scores, lambda score: f"{score.log_loss:.3f}" + "*" * score.warned),
        "seconds": tabulate(scores, lambda score: f"{score.seconds:.2f}"),
    }
    publish("crowds", arguments, [heading, *(part for table in tables.items() for part in table)], tables)


if __name__ == "__main__":
    main()
