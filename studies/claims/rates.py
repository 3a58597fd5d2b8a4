"""A share with few labels: width and coverage of our interval beside those of packages, of a plain formula and gold.

Questions, draws and packages are those of :mod:`studies.rate_peers`. *Gold alone* is its interval ``exact``; ours is
``assisted``, what the library gives by default.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.workers.rate_intervals import PEERS

from studies.drawing import TITLES, load_population
from studies.opinion_coverage import gold_size
from studies.rate_peers import OURS as OWN
from studies.rate_peers import PLAIN, Told, behind
from studies.rate_peers import study as study_rates
from studies.rates import ask
from studies.reporting import markdown_table

OURS, GOLD_ALONE, ASYMPTOTIC = "assisted", "exact", "asymptotic"
# Names of the columns, where they are not those of the packages.
NAMES = {OURS: "thumbwise", GOLD_ALONE: "gold alone", ASYMPTOTIC: "thumbwise, asymptotic"}
# Those of others that use the judges.
RIVALS = (*PEERS, PLAIN)
N_METHODS = len(OWN) + len(RIVALS)


@dataclass(frozen=True)
class Share:
    """What each method says on one set.

    Attributes
    ----------
    agreement : float
        Share of the items of which the panel says what is true.
    n_cells : int
        How many intervals are judged beside this one: in all of them together chance may raise one false alarm in a
        million times.
    """

    title: str
    n_gold: int
    agreement: float
    n_cells: int
    told: Mapping[str, Told]

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Share:
        """As it was written."""
        said = {
            name: Told(
                np.nan if one["width"] is None else one["width"], one["n_held"], one["n_said"], Counter(one["refusals"])
            )
            for name, one in told["told"].items()
        }
        return cls(told["title"], told["n_gold"], told["agreement"], told["n_cells"], said)

    def misses_too_often(self, method: str) -> bool:
        return self.told[method].misses_too_often(self.n_cells)

    @property
    def behind(self) -> float:
        """Width of ours as a part of the narrowest other that does not miss too often; infinite if ours does."""
        return behind(self.told, self.n_cells)

    def times_ours(self, method: str) -> float:
        """Its width as a multiple of ours; NaN if it gave no interval."""
        return self.told[method].width / self.told[OURS].width

    @property
    def of_gold_alone(self) -> float:
        return self.told[OURS].width / self.told[GOLD_ALONE].width


@dataclass(frozen=True)
class Task:
    """A set, and how it is drawn from; an interpreter without the packages says that they are absent."""

    name: str
    n_gold: int
    n_draws: int
    seed: int
    n_cells: int
    python: Path


def study(task: Task) -> Share:
    """One set."""
    population = load_population(task.name)
    asked = ask(population, task.seed)
    told = study_rates(population, task.n_gold, task.n_draws, task.seed, task.python)
    agreement = round(float(np.mean(asked.says == asked.is_so)), 6)
    title = TITLES.get(task.name, task.name)
    return Share(title, gold_size(population, task.n_gold), agreement, task.n_cells, told)


def table(found: Sequence[Share]) -> str:
    """Losses of ours first; packages that never said anything are left out."""
    methods = _speaking(found)
    rows = [
        [
            f"{one.title} ({one.n_gold})",
            f"{one.behind:.2f}",
            f"{one.of_gold_alone:.2f}",
            f"{one.agreement:.2f}",
            *(one.told[name].cell(one.n_cells) for name in methods),
        ]
        for one in sorted(found, key=lambda one: -one.behind)
    ]
    header = ["set (gold)", "ours / best other", "ours / gold alone", "panel right"]
    return markdown_table([*header, *(NAMES.get(name, name) for name in methods)], rows)


def summary(found: Sequence[Share]) -> str:
    """A row for each method over all settings, the most often wrong first."""
    methods = _speaking(found)
    missed = too_often(found)
    rows = []
    for name in sorted(methods, key=lambda name: (-missed[name], least_held(found, name))):
        said = [one for one in found if one.told[name].n_said]
        rows.append(
            [
                NAMES.get(name, name),
                f"{missed[name]} of {len(found)}",
                f"{least_held(found, name):.3f}",
                f"{np.median([one.times_ours(name) for one in said]):.2f}",
                f"{max(one.told[name].refused for one in found):.0%}",
            ]
        )
    header = ["", "settings in which it misses too often", "least coverage", "median width / ours", "most refused"]
    return markdown_table(header, rows)


def _speaking(found: Sequence[Share]) -> list[str]:
    return [name for name in found[0].told if any(one.told[name].n_said for one in found)]


def least_held(found: Sequence[Share], method: str) -> float:
    """Lowest coverage on any set on which it gave an interval."""
    return min(one.told[method].held for one in found if one.told[method].n_said)


def too_often(found: Sequence[Share]) -> dict[str, int]:
    """On how many sets each method misses too often."""
    return {name: sum(one.misses_too_often(name) for one in found) for name in found[0].told}
