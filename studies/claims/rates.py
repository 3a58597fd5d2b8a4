"""A share with few labels: width and coverage of our interval beside those of packages, of a plain formula and gold.

Questions, draws and packages are those of :mod:`studies.rate_peers`. *Gold alone* is its interval ``exact``; ours is
``assisted``, what the library gives by default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import norm

from studies.drawing import TITLES, draw_gold, load_population
from studies.opinion_coverage import gold_size
from studies.rate_peers import Answer, Told, behind
from studies.rate_peers import study as study_rates
from studies.rates import ERROR, Asked, ask
from studies.reporting import markdown_table
from thumbwise._typing import IntArray

OURS, GOLD_ALONE = "assisted", "exact"
# Names of the columns, where they are not those of the packages.
NAMES = {OURS: "thumbwise", GOLD_ALONE: "gold alone", "asymptotic": "thumbwise, asymptotic"}
PLAIN = "Rogan-Gladen"


@dataclass(frozen=True)
class Share:
    """What each method says on one set.

    Attributes
    ----------
    agreement : float
        Share of the items of which the panel says what is true.
    """

    title: str
    n_gold: int
    agreement: float
    told: Mapping[str, Told]

    @property
    def behind(self) -> float:
        """Width of ours as a part of the narrowest other that does not miss too often; infinite if ours does."""
        return behind(dict(self.told))

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
    python: Path


def rogan_gladen(asked: Asked, gold: IntArray) -> Answer:
    """The panel's share, corrected by what gold says of its errors, with the delta method's normal interval."""
    is_so, says = asked.is_so[gold], asked.says[gold]
    n_so, n_not = int(is_so.sum()), int((~is_so).sum())
    if not n_so or not n_not:
        return "gold holds one class only"
    finds, spares, said = says[is_so].mean(), (~says[~is_so]).mean(), asked.says.mean()
    skill = finds + spares - 1
    if skill <= 0:
        return "the panel is no better than chance on gold"
    share = (said + spares - 1) / skill
    spread = (share**2 * finds * (1 - finds) / n_so + (1 - share) ** 2 * spares * (1 - spares) / n_not) / skill**2
    half = norm.ppf(1 - ERROR / 2) * np.sqrt(spread)
    return [float(share - half), float(share + half)]


def study(task: Task) -> Share:
    """One set."""
    population = load_population(task.name)
    asked = ask(population, task.seed)
    n_gold = gold_size(population, task.n_gold)
    told = study_rates(population, task.n_gold, task.n_draws, task.seed, task.python)
    draws = draw_gold(population, n_gold, "subset", task.n_draws, task.seed)
    plain = Told.of([rogan_gladen(asked, gold) for gold in draws], float(asked.is_so.mean()))
    agreement = float(np.mean(asked.says == asked.is_so))
    return Share(TITLES.get(task.name, task.name), n_gold, agreement, {**told, PLAIN: plain})


def table(found: Sequence[Share]) -> str:
    """Losses of ours first; packages that never said anything are left out."""
    methods = [name for name in found[0].told if any(one.told[name].n_said for one in found)]
    rows = [
        [
            f"{one.title} ({one.n_gold})",
            f"{one.behind:.2f}",
            f"{one.of_gold_alone:.2f}",
            f"{one.agreement:.2f}",
            *(one.told[name].cell for name in methods),
        ]
        for one in sorted(found, key=lambda one: -one.behind)
    ]
    header = ["set (gold)", "ours / best other", "ours / gold alone", "panel right"]
    return markdown_table([*header, *(NAMES.get(name, name) for name in methods)], rows)


def too_often(found: Sequence[Share]) -> dict[str, int]:
    """On how many sets each method misses too often."""
    return {name: sum(one.told[name].misses_too_often for one in found) for name in found[0].told}
