"""The certificate against a hold-out with the same labels: ``python -m studies.holdout``.

Hold-out: half of the gold fits the model, the other half certifies it with a betting bound for bounded means. The loss
is made bounded by mixing the prediction with the uniform one; how much is chosen on the half that fits. The other rival
needs no labels to fit (one-coin Dawid-Skene) and certifies with all of them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TypeAlias

import numpy as np

import thumbwise as tw
from studies.betting import betting_upper_bound
from studies.budgets import ONE_SIDED, WITH_MAJORITY, bounds_of_idea
from studies.drawing import TITLES, Population, box_of_draw, draw_gold, load_population, split_population
from studies.reporting import markdown_table, publish, read_arguments, run_tasks
from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.gold import GoldIs

SIZES = (50, 100, 200)
ROLES: tuple[GoldIs, ...] = ("subset", "separate")
LEVEL = 0.95
# Least probability that a prediction may give to a class.
FLOORS = (0.02, 0.05, 0.1, 0.2)
# The one used where no label is left to choose it with.
FIXED_FLOOR = 0.05


Answers: TypeAlias = "dict[tuple[str, int, GoldIs], list[Bounds]]"


@dataclass(frozen=True)
class Bounds:
    """Certified mean log loss of each method, and what was realised by the hold-out's prediction.

    ``box`` is the library's; ``split`` and ``majority`` are the better splits of the budget of ``studies.budgets``.
    """

    box: float
    split: float
    majority: float
    half: float
    unsupervised: float
    half_loss: float


def floored_losses(proba: FloatArray, labels: IntArray, floor: float) -> tuple[FloatArray, float, float]:
    """Log losses of a prediction mixed with the uniform one, and between which values they can lie.

    The range needs no labels: no loss is below -log of the largest probability or above -log of the smallest.
    """
    n_classes = proba.shape[1]
    mixed = (1 - n_classes * min(floor, 0.5 / n_classes)) * proba + min(floor, 0.5 / n_classes)
    losses = -np.log(mixed[np.arange(len(labels)), labels])
    return losses, float(-np.log(mixed.max())), float(-np.log(mixed.min()))


def certify_with(losses: FloatArray, least: float, most: float, population: int, error: float) -> float:
    """Bound on the mean of a population of losses, of which some were drawn at random."""
    if most - least < 1e-12:
        return most
    scaled = np.clip((losses - least) / (most - least), 0, 1)
    return least + (most - least) * betting_upper_bound(scaled, population, error)


def bound_on_pool(
    proba: FloatArray, labels: IntArray, fitting: IntArray, certifying: IntArray, gold_is: GoldIs, floor: float
) -> tuple[float, float]:
    """Certified and realised mean loss on the pool.

    ``proba`` and ``labels`` are of all items; bounds of means come from ``certifying`` items alone, which are a random
    part of everything but the ``fitting`` ones. Known losses are put in, or taken off, as they are.
    """
    losses, least, most = floored_losses(proba, labels, floor)
    n_left = len(labels) - len(fitting)
    left_total = n_left * certify_with(losses[certifying], least, most, n_left, 1 - LEVEL)
    if gold_is == "subset":
        return (left_total + losses[fitting].sum()) / len(labels), float(losses.mean())
    n_pool = n_left - len(certifying)
    realised = losses.sum() - losses[fitting].sum() - losses[certifying].sum()
    return (left_total - losses[certifying].sum()) / n_pool, float(realised / n_pool)


def choose_floor(proba: FloatArray, labels: IntArray, n_left: int) -> float:
    """The floor with the lowest bound if the items that were fitted had been there to certify."""
    return min(FLOORS, key=lambda floor: certify_with(*floored_losses(proba, labels, floor), n_left, 1 - LEVEL))


def hold_out(population: Population, gold: IntArray, gold_is: GoldIs) -> tuple[float, float]:
    """Fit on half of the gold by the paper's recipe, certify with the other half."""
    fitting, certifying = gold[: len(gold) // 2], gold[len(gold) // 2 :]
    # What the fit needs of the pool are its votes, so all of the population may serve.
    draw = split_population(population, fitting, "subset")
    box = box_of_draw(draw, "subset", LEVEL, recipe=True)
    model = tw.BalsubramaniFreund(on_infeasible="widen").fit(draw.pool, box=box)
    proba = model.predict_proba(population.votes)
    floor = choose_floor(proba[fitting], population.labels[fitting], len(proba) - len(fitting))
    return bound_on_pool(proba, population.labels, fitting, certifying, gold_is, floor)


def certify_box(population: Population, gold: IntArray, gold_is: GoldIs) -> float:
    """The library's certificate: its default box, at the caution with the lowest bound."""
    draw = split_population(population, gold, gold_is)
    box = box_of_draw(draw, gold_is, LEVEL, recipe=False)
    return float(tw.BalsubramaniFreund(caution=1).fit(draw.pool, box=box).certificate_.log_loss_bound)


def compare(population: Population, n_gold: int, gold_is: GoldIs, n_draws: int, seed: int) -> list[Bounds]:
    """All methods on the same draws."""
    items = draw_gold(population, n_gold, gold_is, n_draws, seed)
    guessed = tw.DawidSkene(kind="one_coin").fit(population.votes).predict_proba(population.votes)
    none = np.array([], dtype=np.int64)
    split = bounds_of_idea(population, gold_is, items, ONE_SIDED)
    majority = bounds_of_idea(population, gold_is, items, WITH_MAJORITY)
    answers = []
    for d, gold in enumerate(items):
        half, half_loss = hold_out(population, gold, gold_is)
        whole, _ = bound_on_pool(guessed, population.labels, none, gold, gold_is, FIXED_FLOOR)
        box = certify_box(population, gold, gold_is)
        answers.append(Bounds(box, float(split[d]), float(majority[d]), half, whole, half_loss))
    return answers


COLUMNS = {
    "box": "box",
    "split": "box, root and 90 % below",
    "majority": "the same and majority",
    "half": "hold-out",
    "half_loss": "hold-out's loss",
    "unsupervised": "Dawid-Skene, all certify",
}


def mean_of(bounds: Sequence[Bounds], field: str) -> float:
    """Mean over draws."""
    return float(np.mean([getattr(b, field) for b in bounds]))


def tabulate(answers: Answers, gold_is: GoldIs) -> str:
    """Mean bounds; in how many draws the box is tighter than the hold-out."""
    lines = [
        [TITLES[name], str(n_gold), *(f"{mean_of(bounds, field):.3f}" for field in COLUMNS), _wins(bounds)]
        for (name, n_gold, role), bounds in answers.items()
        if role == gold_is
    ]
    return markdown_table(["dataset", "gold", *COLUMNS.values(), "box beats hold-out in"], lines)


def _wins(bounds: Sequence[Bounds]) -> str:
    return f"{sum(b.box < b.half for b in bounds)} of {len(bounds)}"


def name_exceptions(answers: Answers) -> str:
    """Settings in which a rival's mean bound is lower than that of a box."""
    pairs = product(("half", "unsupervised"), ("box", "split", "majority"))
    return "\n".join(f"- {_exceptions(answers, rival, own)}" for rival, own in pairs)


def count_misses(answers: Answers) -> str:
    """How often the hold-out's own bound failed, as a check of the betting bound."""
    draws = [b for bounds in answers.values() for b in bounds]
    misses = sum(b.half < b.half_loss for b in draws)
    return f"The hold-out's bound was below its loss in {misses} of {len(draws)} draws."


def _exceptions(answers: Answers, rival: str, own: str) -> str:
    beaten = [
        f"{TITLES[name]} {n_gold} {role}"
        for (name, n_gold, role), bounds in answers.items()
        if mean_of(bounds, rival) < mean_of(bounds, own)
    ]
    where = ", ".join(beaten) or "nowhere"
    return f"{COLUMNS[rival]} tighter on average than {COLUMNS[own]} in {len(beaten)} of {len(answers)}: {where}."


def _work(task: tuple[str, int, GoldIs], n_draws: int, seed: int) -> list[Bounds]:
    name, n_gold, gold_is = task
    return compare(load_population(name), n_gold, gold_is, n_draws, seed)


def main() -> None:
    """Run all settings and print a table for each role of gold."""
    arguments = read_arguments("The box's certificate against a hold-out with the same labels.", draws=10, quick=3)
    n_draws = arguments.draws
    tasks: Sequence[tuple[str, int, GoldIs]] = list(product(TITLES, SIZES, ROLES))
    started = time.perf_counter()
    work = partial(_work, n_draws=n_draws, seed=arguments.seed)
    answers = dict(zip(tasks, run_tasks(work, tasks, arguments.processes), strict=True))
    seconds = time.perf_counter() - started
    heading = (
        f"Mean bounds on the mean log loss at {100 * LEVEL:.0f} %, {n_draws} draws, seed {arguments.seed}, "
        f"{seconds:.0f} s in {arguments.processes} processes."
    )
    tables: dict[str, str] = {role: tabulate(answers, role) for role in ROLES}
    parts = [part for role, table in tables.items() for part in (f"### Gold is {role}", table)]
    publish("holdout", arguments, [heading, *parts, name_exceptions(answers), count_misses(answers)], tables)


if __name__ == "__main__":
    main()
