"""Adversarial multi-class learning beside the authors' runs: losses, worst cases and times of both solvers.

Run as ``python -m studies.amcl``; reads the authors' results from ``paper/reference.json``. SMS takes most of the time:
its 4,571 filled items are all different, and the subgradient method solves 501 linear programs on them for each draw.
"""

from __future__ import annotations

import json
import time
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import median
from typing import Any

import numpy as np
from scipy.io import loadmat

import thumbwise as tw
from studies.drawing import TITLES, data_folder
from studies.reporting import markdown_table, publish, read_arguments, run_tasks
from thumbwise._typing import FloatArray, IntArray
from thumbwise.metrics import brier_score, log_loss, zero_one_loss
from thumbwise.models.amcl import AMCL
from thumbwise.numerics.amcl import BrierGame, WorstLabeling
from thumbwise.numerics.patterns import Patterns

N_GOLD = 100
METRICS: dict[str, Callable[[IntArray, FloatArray], float]] = {
    "log_loss": log_loss,
    "zero_one_loss": zero_one_loss,
    "brier_score": brier_score,
}
NAMES_OF_METRICS = {
    "log_loss": "Log loss",
    "zero_one_loss": "0-1 loss",
    "brier_score": "Brier score",
}


@dataclass(frozen=True)
class Dataset:
    """Pool and validation items of one dataset, with all labels."""

    pool: tw.Votes
    labels: IntArray
    gold: tw.Votes
    gold_labels: IntArray


@dataclass(frozen=True)
class Outcome:
    """One draw: losses in the order of METRICS, worst case and processor seconds; ``plain`` is without filling."""

    name: str
    seed: int
    exact: list[float]
    subgradient: list[float]
    plain: list[float]
    exact_bound: float
    subgradient_bound: float
    exact_seconds: float
    subgradient_seconds: float


@cache
def load(name: str, *, filled: bool) -> Dataset:
    """The authors' votes, abstentions replaced by their random votes where they are and it is asked for."""
    path = data_folder() / f"{name}_filled.mat"
    content = loadmat(path if filled and path.exists() else data_folder() / f"{name}.mat")
    labels, gold_labels = (content[key].ravel().astype(np.int64) for key in ("train_labels", "validation_labels"))
    pool, gold = (tw.Votes(content[key], n_classes=int(labels.max()) + 1) for key in ("train_pred", "val_pred"))
    return Dataset(pool, labels, gold, gold_labels)


def fit_draw(dataset: Dataset, seed: int, repeat: int = 1, **parameters: Any) -> tuple[AMCL, list[float], float]:
    """A model fitted with a hundred validation items as gold, its losses, and seconds from votes to weights."""
    drawn = np.random.default_rng(seed).choice(len(dataset.gold_labels), N_GOLD, replace=False)
    gold, seconds = dataset.gold.take(drawn), []
    model = AMCL(**parameters)
    for _ in range(repeat):
        pool = dataset.pool.without_ids()  # forgets its patterns
        started = time.process_time()
        model.fit(pool, gold_votes=gold, gold_labels=dataset.gold_labels[drawn])
        seconds.append(time.process_time() - started)
    proba = model.predict_proba(dataset.pool)
    return model, [loss(dataset.labels, proba) for loss in METRICS.values()], median(seconds)


def study(task: tuple[str, int]) -> Outcome:
    """Both solvers on the filled votes, and the exact one on the votes as they are."""
    name, seed = task
    filled = load(name, filled=True)
    exact, exact_losses, exact_seconds = fit_draw(filled, seed, repeat=9)
    slow, slow_losses, slow_seconds = fit_draw(filled, seed, solver="subgradient")
    _, plain_losses, _ = fit_draw(load(name, filled=False), seed)
    bounds = exact.brier_bound_, slow.brier_bound_
    return Outcome(name, seed, exact_losses, slow_losses, plain_losses, *bounds, exact_seconds, slow_seconds)


def read_reference() -> dict[str, Any]:
    """The authors' results by dataset."""
    known: dict[str, Any] = json.loads((data_folder() / "reference.json").read_text(encoding="utf-8"))
    return known


def distance(ours: FloatArray, theirs: dict[str, float]) -> float:
    """Difference of the means in standard errors."""
    difference = float(np.mean(ours)) - theirs["mean"]
    error = np.hypot(np.std(ours, ddof=1) / np.sqrt(len(ours)), theirs["std"] / np.sqrt(theirs["runs"]))
    return 0.0 if abs(difference) < 1e-6 else float(difference / max(error, 1e-12))


def losses_table(outcomes: Sequence[Outcome], position: int, known: dict[str, Any]) -> str:
    """One metric on all datasets."""
    metric, rows = list(METRICS)[position], []
    for name in dict.fromkeys(outcome.name for outcome in outcomes):
        own = [outcome for outcome in outcomes if outcome.name == name]
        exact, slow, plain = (
            np.array([getattr(outcome, key)[position] for outcome in own]) for key in ("exact", "subgradient", "plain")
        )
        theirs = known[name]["AMCL_CC"][metric]
        numbers = [exact.mean(), slow.mean(), theirs["mean"]]
        scores = [distance(exact, theirs), distance(slow, theirs)]
        rows.append(
            [TITLES[name], *(f"{x:.4f}" for x in numbers), *(f"{x:+.1f}" for x in scores), f"{plain.mean():.4f}"]
        )
    return markdown_table(
        [NAMES_OF_METRICS[metric], "exact", "subgradient", "authors", "z exact", "z subgradient", "not filled"], rows
    )


def bounds_table(outcomes: Sequence[Outcome]) -> str:
    """Worst cases and times of both solvers."""
    rows = []
    for name in dict.fromkeys(outcome.name for outcome in outcomes):
        own = [outcome for outcome in outcomes if outcome.name == name]
        higher = [outcome.subgradient_bound - outcome.exact_bound for outcome in own]
        fast, slow = median(o.exact_seconds for o in own), median(o.subgradient_seconds for o in own)
        rows.append(
            [
                TITLES[name],
                f"{np.mean([o.exact_bound for o in own]):.6f}",
                f"{np.mean([o.subgradient_bound for o in own]):.6f}",
                f"{min(higher):.1e}",
                f"{fast * 1e3:.2f}",
                f"{slow:.2f}",
                f"{slow / fast:.0f}",
            ]
        )
    header = ["dataset", "exact bound", "subgradient bound", "least difference", "exact, ms", "subgradient, s", "ratio"]
    return markdown_table(header, rows)


def time_items(name: str) -> float:
    """Seconds of one of the adversary's linear programs if every item is a pattern of its own."""
    dataset = load(name, filled=True)
    pool, n_rules = dataset.pool, dataset.pool.n_rules
    ones = np.ones(pool.n_items, dtype=np.int64)
    items = Patterns.from_rows(pool.array, ones, 0 * ones, pool.n_classes)
    accuracies = (dataset.gold.array == dataset.gold_labels[:, None]).mean(axis=0)
    game = BrierGame.build(items, np.ones(n_rules, dtype=bool), accuracies - 0.065, accuracies + 0.065)
    labeling = WorstLabeling(game)
    started = time.process_time()
    labeling.solve(np.full(n_rules, 1 / n_rules))
    return time.process_time() - started


def report(outcomes: Sequence[Outcome], given: Namespace) -> None:
    """All tables."""
    known, n_draws = read_reference(), len({outcome.seed for outcome in outcomes})
    heading = (
        f"AMCL with {N_GOLD} gold labels on the authors' filled votes, means of {n_draws} draws; the authors' means of "
        "ten; distances from them in standard errors; the exact solver on the votes as they are, without filling."
    )
    bounds = (
        "Worst-case Brier loss (means; the least difference is over draws), and processor time from votes to weights "
        "(medians). Both solvers work on patterns; the subgradient method takes the authors' 500 steps. On every item "
        f"of IMDB separately, as the authors do, one of its 501 linear programs takes {time_items('imdb'):.2f} s."
    )
    losses = {metric: losses_table(outcomes, position, known) for position, metric in enumerate(METRICS)}
    tables = {**losses, "bounds": bounds_table(outcomes)}
    publish("amcl", given, [heading, *losses.values(), bounds, tables["bounds"]], tables)


def main() -> None:
    """All ten datasets."""
    arguments = read_arguments("AMCL beside the authors' results: losses, worst cases, times.", draws=10, quick=3)
    names = [name for name in TITLES if not (arguments.quick and name == "sms")]
    tasks = [(name, seed) for name in names for seed in range(arguments.draws)]
    report(run_tasks(study, tasks, arguments.processes), arguments)


if __name__ == "__main__":
    main()
