"""Labels accepted at a guaranteed precision: the share of ours beside that of a hold-out and of MAPIE.

The draws, the ranking and the ways are those of :mod:`studies.triage`; MAPIE gets the ranking and the certifying labels
of ours, in an environment of its own. Items with gold are accepted by all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from benchmarks.launching import Job
from benchmarks.workers.precise_thresholds import WAYS

from studies.coverage import allowed_misses
from studies.drawing import TITLES, Population, draw_gold, load_population
from studies.opinion_coverage import gold_size
from studies.reporting import markdown_table
from studies.triage import Draw, Items, accept, hold_out, judge
from studies.triage import Kept as KeptInDraw
from thumbwise.assess.accepting.targets import Targets

OURS = "thumbwise"
PRECISION, ERROR = 0.9, 0.05
# Draws for the way of MAPIE that takes far longer than the others.
N_SLOW = 40
# Ours, the hold-out, and the ways of MAPIE.
N_METHODS = 2 + len(WAYS)


@dataclass(frozen=True)
class Kept:
    """What one method accepts.

    Attributes
    ----------
    share : float
        Mean share of the items.
    lead : float
        How much more ours accepts on the same draws.
    failed : int
        In how many of its draws too few of the accepted labels were right.
    """

    share: float
    lead: float
    failed: int
    n_draws: int

    @classmethod
    def of(cls, draws: Sequence[KeptInDraw], ours: Sequence[KeptInDraw]) -> Kept:
        """Of a method with fewer draws than ours, the first ones."""
        pairs = [(one.share, other.share) for one, other in zip(draws, ours, strict=False)]
        share, same = np.mean(pairs, axis=0)
        failed = sum(not one.holds for one in draws)
        return cls(round(float(share), 6), round(float(same - share), 6), failed, len(draws))


@dataclass(frozen=True)
class Accepted:
    """What each method accepts on one set.

    Attributes
    ----------
    n_cells : int
        How many guarantees are judged beside this one: in all of them together chance may raise one false alarm in a
        million times.
    """

    title: str
    n_gold: int
    n_cells: int
    kept: Mapping[str, Kept]

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Accepted:
        """As it was written."""
        kept = {method: Kept(**one) for method, one in told["kept"].items()}
        return cls(told["title"], told["n_gold"], told["n_cells"], kept)

    def is_valid(self, method: str) -> bool:
        """Whether it failed no more often than chance would, if it held as often as it says."""
        kept = self.kept[method]
        return kept.failed <= allowed_misses(kept.n_draws, 1 - ERROR, self.n_cells)

    @property
    def best_other(self) -> str:
        """The valid method that ours leads least."""
        valid = [name for name in self.kept if name != OURS and self.is_valid(name)]
        return min(valid, key=lambda name: self.kept[name].lead, default="none is valid")

    @property
    def lead(self) -> float:
        """How much more ours accepts than the best other; negative if that is more, and -1 if ours is not valid."""
        if not self.is_valid(OURS):
            return -1.0
        return self.kept[self.best_other].lead if self.best_other in self.kept else self.kept[OURS].share

    @property
    def is_best(self) -> bool:
        """To half a thousandth, the digits that are shown."""
        return self.lead >= -0.0005


@dataclass(frozen=True)
class Task:
    """A set, and how it is drawn from; without an interpreter MAPIE is not asked."""

    name: str
    n_gold: int
    n_draws: int
    seed: int
    n_cells: int
    python: Path | None = None


def ask_mapie(draws: Sequence[Draw], python: Path) -> tuple[str, list[dict[str, float | str | None]]]:
    """Its version, and its threshold in each of its ways for each draw."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "problems.jsonl"
        problems = [_problem_of(draw, number >= N_SLOW) for number, draw in enumerate(draws)]
        file.write_text("".join(problem + "\n" for problem in problems))
        job = Job("precise_thresholds", file, python=str(python.absolute()))
        version, *answers = map(json.loads, job.run().splitlines())
    return version["MAPIE"], answers


def _problem_of(draw: Draw, is_brief: bool) -> str:
    taught, certified = ([part.tolist() for part in judged] for judged in draw.judged())
    judged = {"taught": taught, "certified": certified}
    return json.dumps({"precision": PRECISION, "level": 1 - ERROR, "is_brief": is_brief, **judged})


def study(task: Task) -> tuple[Accepted, set[str]]:
    """One set, and what MAPIE said where it refused."""
    return study_population(load_population(task.name), task)


def study_population(population: Population, task: Task) -> tuple[Accepted, set[str]]:
    """The same of a population that is at hand."""
    items = Items(population)
    gold = draw_gold(population, gold_size(population, task.n_gold), "subset", task.n_draws, task.seed)
    draws = [Draw.of(items, one) for one in gold]
    verdict, targets = partial(judge, precision=PRECISION), Targets({None: PRECISION}, {})
    kept: dict[str, list[KeptInDraw]] = {
        OURS: [verdict(draw, accept(draw.ranked, targets)) for draw in draws],
        "hold-out": [verdict(halved, hold_out(halved, PRECISION)) for halved in (draw.halved() for draw in draws)],
    }
    answers = ask_mapie(draws, task.python)[1] if task.python else []
    for draw, answer in zip(draws[: len(answers)], answers, strict=True):
        for way, level in answer.items():
            if not isinstance(level, str):
                kept.setdefault(way, []).append(verdict(draw, draw.above(np.inf if level is None else level)))
    refused = {level for answer in answers for level in answer.values() if isinstance(level, str)}
    shares = {method: Kept.of(of_draws, kept[OURS]) for method, of_draws in kept.items()}
    return Accepted(TITLES.get(population.name, population.name), len(gold[0]), task.n_cells, shares), refused


def table(found: Sequence[Accepted]) -> str:
    """Losses of ours first."""
    methods = list(dict.fromkeys(method for one in found for method in one.kept))
    rows = [
        [f"{one.title} ({one.n_gold})", f"{one.lead:+.3f}", one.best_other, *(_cell(one, name) for name in methods)]
        for one in sorted(found, key=lambda one: one.lead)
    ]
    return markdown_table(["set (gold)", "lead", "best other", *methods], rows)


def _cell(one: Accepted, method: str) -> str:
    if method not in one.kept:
        return "-"
    kept = one.kept[method]
    note = f" ({kept.failed})" if kept.failed else ""
    return f"{kept.share:.3f}{note}" if one.is_valid(method) else f"**{kept.share:.3f}{note}**"
