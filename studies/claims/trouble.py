"""Trouble: judges that are copies, that fail often, and gold that is not random; what it costs, and who notices.

Votes are real, the trouble is made. Which judge it befalls, and which items are drawn as gold, does not depend on gold.
*Noticed* is what :func:`thumbwise.check` says; what other packages would print is not looked at. A control without
trouble shows how often it speaks for nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import thumbwise as tw
from studies.claims.labels import OURS, Case, measure, ours, taught, unaided
from studies.drawing import JUDGES, TITLES, Population, draw_gold, load_population
from studies.opinion_coverage import gold_size
from studies.rates import SHOWN, ask, share_interval
from studies.reporting import markdown_table
from thumbwise._typing import FloatArray, IntArray
from thumbwise.exceptions import DegenerateFitWarning

SETS = (JUDGES, "youtube", "rte", "aa2")
N_GOLD = 100
N_COPIES = 10
FAILS = 0.8
# A judge who votes on fewer items is not chosen for trouble.
_BUSY = 0.2
# Items on which the panel agrees least are not labeled by people in a hurry.
_HARD = 0.5
_FAVOUR = 3.0


def _rights(population: Population) -> FloatArray:
    """How often each judge is right where it votes; NaN for those who seldom vote."""
    voted = population.votes.array >= 0
    right = (population.votes.array == population.labels[:, None]).sum(axis=0) / np.maximum(voted.sum(axis=0), 1)
    busy = voted.mean(axis=0)
    return np.where(busy >= min(_BUSY, busy.max()), right, np.nan)


def with_copies(population: Population, seed: int) -> Population:
    """The worst judge comes eleven times."""
    array = population.votes.array
    worst = int(np.nanargmin(_rights(population)))
    return _with_votes(population, np.hstack([array, np.repeat(array[:, [worst]], N_COPIES, axis=1)]))


def with_silence(population: Population, seed: int) -> Population:
    """The best judge gives no answer to most items."""
    return _failing(population, seed, -1)


def with_default(population: Population, seed: int) -> Population:
    """The best judge gives no answer to most items, and that is read as the first class."""
    return _failing(population, seed, 0)


def _failing(population: Population, seed: int, vote: int) -> Population:
    array = population.votes.array.copy()
    best = int(np.nanargmax(_rights(population)))
    array[np.random.default_rng(seed).random(len(array)) < FAILS, best] = vote
    return _with_votes(population, array)


def _with_votes(population: Population, array: IntArray) -> Population:
    return Population(population.name, tw.Votes(array, n_classes=population.votes.n_classes), population.labels)


JUDGES_IN_TROUBLE: Mapping[str, Callable[[Population, int], Population]] = {
    f"worst judge copied {N_COPIES} times": with_copies,
    f"best judge silent on {FAILS:.0%}": with_silence,
    f"best judge says the first class on {FAILS:.0%}": with_default,
}


def easy_gold(population: Population, n_gold: int, rng: np.random.Generator) -> IntArray:
    """From the half of the items on which the judges agree most."""
    array = population.votes.array
    counts = np.stack([(array == c).sum(axis=1) for c in range(population.votes.n_classes)], axis=1)
    agree = counts.max(axis=1) / np.maximum(counts.sum(axis=1), 1)
    order = np.argsort(-(agree + 1e-6 * rng.random(len(agree))))
    return rng.choice(order[: max(n_gold, int(len(order) * _HARD))], n_gold, replace=False)


def favoured_gold(population: Population, n_gold: int, rng: np.random.Generator) -> IntArray:
    """Items of the rarest class three times as likely as others."""
    rarest = int(np.argmin(np.bincount(population.labels)))
    weight = np.where(population.labels == rarest, _FAVOUR, 1.0)
    return rng.choice(len(weight), n_gold, replace=False, p=weight / weight.sum())


def first_gold(population: Population, n_gold: int, rng: np.random.Generator) -> IntArray:
    """Random, as it should be."""
    return rng.choice(len(population.labels), n_gold, replace=False)


GOLD: Mapping[str, Callable[[Population, int, np.random.Generator], IntArray]] = {
    "easy items": easy_gold,
    "rarest class favoured": favoured_gold,
    "random (control)": first_gold,
}


def notice(population: Population, gold: IntArray) -> list[tuple[str, ...]]:
    """What the library's check finds: codes, each with the rules that it names."""
    votes = population.votes
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = tw.check(votes, votes.take(gold), population.labels[gold], gold_is="subset", skip=["TW302"])
    return [(finding.code, *finding.rules) for finding in found]


@dataclass(frozen=True, eq=False)
class Shaken:
    """Mean accuracies of each method before and after, and how often each code is found that was not found before."""

    title: str
    trouble: str
    before: Mapping[str, float]
    after: Mapping[str, float]
    found: Mapping[str, float]

    def change(self, method: str) -> float:
        return self.after[method] - self.before[method]

    @property
    def noticed(self) -> str:
        """Codes that are found, about these rules, only with the trouble."""
        return ", ".join(f"{code} {often:.0%}" for code, often in sorted(self.found.items())) or "nobody"


def accuracies(population: Population, golds: Sequence[IntArray]) -> dict[str, float]:
    """Mean accuracy of each method on items without gold."""
    case, once, rows = Case(population.name, population), unaided(population.votes), []
    for gold in golds:
        rest = np.setdiff1d(np.arange(len(population.labels)), gold)
        every = {OURS: ours(case, gold), **once, **taught(case, gold)}
        rows.append({name: measure(population.labels[rest], proba[rest])[0] for name, proba in every.items()})
    return {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}


def only_after(
    before: Sequence[Sequence[tuple[str, ...]]], after: Sequence[Sequence[tuple[str, ...]]]
) -> dict[str, float]:
    """In how many draws each code is found of rules of which it was not found in the same draw without trouble."""
    new = [{finding[0] for finding in {*found} - {*known}} for known, found in zip(before, after, strict=True)]
    return {code: float(np.mean([code in some for some in new])) for code in sorted(set().union(*new))}


@dataclass(frozen=True)
class Task:
    """A set, and how it is drawn from."""

    name: str
    n_draws: int
    seed: int


def shake(task: Task) -> list[Shaken]:
    """Each trouble with judges, on the same draws."""
    return shake_population(load_population(task.name), task)


def shake_population(population: Population, task: Task) -> list[Shaken]:
    """The same of a population that is at hand."""
    golds = list(draw_gold(population, gold_size(population, N_GOLD), "subset", task.n_draws, task.seed))
    before, title = accuracies(population, golds), TITLES.get(population.name, population.name)
    known = [notice(population, gold) for gold in golds]
    shaken = []
    for trouble, make in JUDGES_IN_TROUBLE.items():
        changed = make(population, task.seed)
        found = only_after(known, [notice(changed, gold) for gold in golds])
        shaken.append(Shaken(title, trouble, before, accuracies(changed, golds), found))
    return shaken


@dataclass(frozen=True, eq=False)
class Misled:
    """What one way to choose gold leads to: how often what holds, and how often check says that it is not random."""

    title: str
    way: str
    noticed: float
    bound_held: float
    held: Mapping[str, float]


def mislead(task: Task) -> list[Misled]:
    """Each way to choose gold."""
    return mislead_population(load_population(task.name), task)


def mislead_population(population: Population, task: Task) -> list[Misled]:
    """The same of a population that is at hand."""
    asked, n_gold = ask(population, task.seed), gold_size(population, N_GOLD)
    truth, everything = float(asked.is_so.mean()), np.ones(len(asked.is_so), dtype=bool)
    misled = []
    for way, choose in GOLD.items():
        rng = np.random.default_rng([task.seed, *population.name.encode(), *way.encode()])
        golds = [choose(population, n_gold, rng) for _ in range(task.n_draws)]
        intervals = [{name: share_interval(asked.count(gold, everything), name) for name in SHOWN} for gold in golds]
        held: dict[str, float] = {
            name: float(np.mean([one[name].lower <= truth <= one[name].upper for one in intervals])) for name in SHOWN
        }
        noticed = float(np.mean(["TW201" in {code for code, *_ in notice(population, gold)} for gold in golds]))
        bounds = float(np.mean([_bound_held(population, gold) for gold in golds]))
        misled.append(Misled(TITLES.get(population.name, population.name), way, noticed, bounds, held))
    return misled


def _bound_held(population: Population, gold: IntArray) -> bool:
    y = np.full(len(population.labels), -1)
    y[gold] = population.labels[gold]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", DegenerateFitWarning)
        model = tw.BalsubramaniFreund(on_infeasible="widen").fit(population.votes, y)
    rest = y < 0
    proba = np.asarray(model.predict_proba(population.votes))[rest]
    return tw.metrics.log_loss(population.labels[rest], proba) <= model.certificate_.log_loss_bound + 1e-9


def shaken_table(found: Sequence[Shaken]) -> str:
    """Where ours loses most first."""
    methods = list(found[0].before)
    rows = [
        [
            one.title,
            one.trouble,
            one.noticed,
            *(f"{one.after[name]:.3f} ({one.change(name):+.3f})" for name in methods),
        ]
        for one in sorted(found, key=lambda one: one.change(OURS))
    ]
    return markdown_table(["set", "trouble", "thumbwise check finds", *methods], rows)


def misled_table(found: Sequence[Misled]) -> str:
    """Trouble that is noticed least first; controls last."""
    ordered = sorted(found, key=lambda one: (one.way == tuple(GOLD)[-1], one.noticed))
    rows = [
        [
            one.title,
            one.way,
            f"{one.noticed:.0%}",
            f"{one.bound_held:.2f}",
            *(f"{often:.2f}" for often in one.held.values()),
        ]
        for one in ordered
    ]
    header = ["set", "gold", "TW201 found", "bound holds", *(f"{name} interval holds" for name in SHOWN)]
    return markdown_table(header, rows)
