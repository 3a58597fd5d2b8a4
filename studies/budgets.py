"""What different splits of the error budget buy: ``python -m studies.budgets``.

A joint box may divide its error over the moments, and over the two sides of each interval, in any way that is decided
before gold is seen. Every idea here uses only how many gold votes each moment *expects*. All see the same draws.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

import numpy as np

import thumbwise as tw
from studies.drawing import (
    TITLES,
    Draw,
    DrawnCounts,
    Population,
    count_draws,
    draw_gold,
    load_population,
    split_population,
)
from studies.reporting import markdown_table, publish, read_arguments, run_tasks
from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.gold import GoldCounts, GoldIs
from thumbwise.box.moments.linear import FREQUENCY
from thumbwise.numerics.intervals import hypergeometric_bounds
from thumbwise.numerics.patterns import ABSTAIN

N_GOLD = 100
ERROR = 0.05
ROLES: tuple[GoldIs, ...] = ("subset", "separate")
# Mean certificates that were asked for, at 100 labels and 95 %.
ASKED = {"aa2": 0.34, "basketball": 0.51, "cardio": 0.42, "domain": 1.42, "imdb": 0.67, "sms": 0.56}

MAJORITY = "accuracy(majority)"

Weighting = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Idea:
    """A split of the error, decided before gold.

    Each distinct moment gets a part in proportion to ``weigh(expected gold votes)``, 0 if it expects fewer than
    ``at_least``; a class frequency counts ``class_share`` times. ``below`` of a rule's part goes to its lower bound,
    the rest to its upper one; class frequencies are split in halves. ``majority`` is the share of the error for the
    accuracy of the majority vote, which then is one more rule; None leaves it out.
    """

    title: str
    at_least: float = 1.0
    weigh: Weighting = np.ones_like
    class_share: float = 1.0
    below: float = 0.5
    distinct: bool = True
    majority: float | None = None


def split_by_idea(error: float, counts: GoldCounts, idea: Idea) -> tuple[FloatArray, FloatArray]:
    """Errors of the lower and of the upper bounds, each (n_moments,); they sum to ``error`` over distinct moments."""
    is_class = np.array([moment.kind == FREQUENCY for moment in counts.about])
    weights = (
        idea.weigh(counts.expected) * np.where(is_class, idea.class_share, 1.0) * (counts.expected >= idea.at_least)
    )
    keys = counts.keys if idea.distinct else tuple(range(len(counts.about)))
    names = [moment.name for moment in counts.about]
    if idea.majority is not None:
        weights[names.index(MAJORITY)] = 0.0
    total = sum(max(weights[m] for m in same) for same in _same_keys(keys).values())
    parts = error * (1 - (idea.majority or 0.0)) * weights / (total or 1.0)
    if idea.majority is not None:
        parts[names.index(MAJORITY)] += error * idea.majority
    below = np.where(is_class, 0.5, idea.below)
    return parts * below, parts * (1 - below)


def _same_keys(keys: Sequence[Hashable]) -> dict[Hashable, list[int]]:
    """Moments that hold or fail together, by key."""
    groups: dict[Hashable, list[int]] = {}
    for m, key in enumerate(keys):
        groups.setdefault(key, []).append(m)
    return groups


def bounds_from_idea(counts: DrawnCounts, idea: Idea, error: float) -> tuple[FloatArray, FloatArray]:
    """Exact bounds of every moment in every draw, with the errors that the idea assigns."""
    below, above = split_by_idea(error, counts.template, idea)
    fewest, _ = _bounds_once(counts, 2 * below)  # half of the error goes to each side
    _, most = _bounds_once(counts, 2 * above)
    gone = counts.right * (counts.gold_is == "separate")
    sizes = np.maximum(counts.pool, 1)
    lower = np.where(counts.pool > 0, (fewest - gone) / sizes, 0.0)
    return lower, np.where(counts.pool > 0, (most - gone) / sizes, 1.0)


def _bounds_once(counts: DrawnCounts, errors: FloatArray) -> tuple[IntArray, IntArray]:
    """Hypergeometric bounds, each distinct combination inverted once."""
    shape = counts.right.shape
    rows = [
        counts.right,
        counts.drawn,
        np.broadcast_to(counts.template.population, shape),
        np.broadcast_to(errors, shape),
    ]
    distinct, inverse = np.unique(np.stack(rows).reshape(4, -1), axis=1, return_inverse=True)
    right, drawn, population = distinct[:3].astype(np.int64)
    fewest, most = hypergeometric_bounds(right, drawn, population, distinct[3])
    return fewest[inverse.ravel()].reshape(shape), most[inverse.ravel()].reshape(shape)


def add_majority(population: Population) -> Population:
    """The same items with one more rule: the class with most votes; it abstains from ties."""
    table = (population.votes.array[:, :, None] == np.arange(population.votes.n_classes)).sum(axis=1)
    top = table.max(axis=1, keepdims=True)
    winner = np.where((table == top).sum(axis=1) == 1, table.argmax(axis=1), ABSTAIN)
    votes = tw.Votes(
        np.column_stack([population.votes.array, winner]),
        n_classes=population.votes.n_classes,
        rule_names=[*population.votes.rule_names, "majority"],
    )
    return Population(population.name, votes, population.labels)


ONE_SIDED = Idea("root, 90 % below", weigh=np.sqrt, below=0.9)
WITH_MAJORITY = replace(ONE_SIDED, title="root, 90 % below, a quarter to majority", majority=0.25)
IDEAS = (
    Idea("plain: p + k equal parts", at_least=0, distinct=False),
    Idea("equal, distinct, expects >= 1 (today)"),
    Idea("expects >= 3", at_least=3),
    Idea("expects >= 5", at_least=5),
    Idea("expects >= 10", at_least=10),
    Idea("by root of expected", weigh=np.sqrt),
    Idea("by expected", weigh=np.positive),
    Idea("class frequencies half", class_share=0.5),
    Idea("90 % below", below=0.9),
    Idea("100 % below", below=1.0),
    ONE_SIDED,
    replace(ONE_SIDED, title="root, 90 % below, classes half", class_share=0.5),
    Idea("expected, 90 % below", weigh=np.positive, below=0.9),
    Idea("a quarter to majority", majority=0.25),
    Idea("half to majority", majority=0.5),
    WITH_MAJORITY,
    replace(WITH_MAJORITY, title="root, 90 % below, half to majority", majority=0.5),
)


def bounds_of_idea(population: Population, gold_is: GoldIs, items: IntArray, idea: Idea) -> FloatArray:
    """Certificate of each draw; a contradictory box counts as guessing."""
    if idea.majority is not None:
        population = add_majority(population)
    lower, upper = bounds_from_idea(count_draws(population, items, gold_is), idea, ERROR)
    return np.array(
        [
            _certify(split_population(population, gold, gold_is), low, high)
            for gold, low, high in zip(items, lower, upper, strict=True)
        ]
    )


def _certify(draw: Draw, lower: FloatArray, upper: FloatArray) -> float:
    box = tw.Box.from_bounds(draw.pool, lower=lower, upper=upper)
    try:
        return float(tw.BalsubramaniFreund().fit(draw.pool, box=box).certificate_.log_loss_bound)
    except tw.InfeasibleBoxError:
        return float(np.log(draw.pool.n_classes))


def tabulate(answers: dict[tuple[str, GoldIs], list[float]], gold_is: GoldIs) -> str:
    """One line an idea, one column a dataset, and the mean over datasets in relation to today's split."""
    names = list(TITLES)
    table = np.array([answers[name, gold_is] for name in names])
    change = (table / table[:, [1]] - 1).mean(axis=0)
    lines = [
        [idea.title, *(f"{value:.3f}" for value in table[:, i]), f"{100 * change[i]:+.1f} %"]
        for i, idea in enumerate(IDEAS)
    ]
    asked = ["asked for", *(f"{ASKED[name]:.2f}" if name in ASKED else "" for name in names), ""]
    return markdown_table(["split", *(TITLES[name] for name in names), "mean change"], [*lines, asked])


def _work(task: tuple[str, GoldIs], n_draws: int, seed: int) -> list[float]:
    name, gold_is = task
    population = load_population(name)
    items = draw_gold(population, N_GOLD, gold_is, n_draws, seed)
    return [float(bounds_of_idea(population, gold_is, items, idea).mean()) for idea in IDEAS]


def main() -> None:
    """Run all ideas and print a table for each role of gold."""
    arguments = read_arguments("Mean certificates under different splits of the error budget.", draws=30, quick=4)
    n_draws = arguments.draws
    tasks = list(product(TITLES, ROLES))
    started = time.perf_counter()
    work = partial(_work, n_draws=n_draws, seed=arguments.seed)
    answers = dict(zip(tasks, run_tasks(work, tasks, arguments.processes), strict=True))
    seconds = time.perf_counter() - started
    heading = (
        f"Mean certificate with {N_GOLD} labels at {100 * (1 - ERROR):.0f} %, {n_draws} draws, seed {arguments.seed}, "
        f"{seconds:.0f} s in {arguments.processes} processes."
    )
    tables: dict[str, str] = {role: tabulate(answers, role) for role in ROLES}
    parts = [part for role, table in tables.items() for part in (f"### Gold is {role}", table)]
    publish("budgets", arguments, [heading, *parts], tables)


if __name__ == "__main__":
    main()
