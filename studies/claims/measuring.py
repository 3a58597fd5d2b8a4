"""The parts of the claims, measured; each returns what ``studies/results/claims.json`` keeps of it."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.launching import Job

import thumbwise as tw
from studies.claims import accepting, labels, rates, trouble
from studies.drawing import CROWDS, JUDGES, TITLES
from studies.rate_peers import ask_peers, refusal_lines
from studies.reporting import run_tasks
from studies.triage import SETS as TRIAGE_SETS

SIZES = (50, 100, 300)
EVERY = (*TITLES, *CROWDS, JUDGES)
# Draws with 100 labels: enough for standard errors, and to see that an interval of 95 % holds in 92 %.
DRAWS = {"labels": 20, "rates": 2000, "accepting": 200, "trouble": 20}
QUICK_DRAWS = {"labels": 3, "rates": 20, "accepting": 10, "trouble": 2}
QUICK_SETS = ("youtube", "rte", JUDGES)

Content = dict[str, Any]
One = TypeVar("One")


@dataclass(frozen=True)
class Plan:
    """What is drawn how often; without an interpreter for packages that label, the page says that they are absent."""

    seed: int
    n_processes: int
    peers: Path | None
    rate_peers: Path
    sets: Sequence[str] = EVERY
    sizes: Sequence[int] = SIZES
    draws: Mapping[str, int] = field(default_factory=lambda: DRAWS)

    def chosen(self, names: Sequence[str]) -> list[str]:
        """Of these sets, those that are asked for."""
        return [name for name in names if name in self.sets]

    def rate_draws(self, size: int) -> int:
        """More where few labels leave few outcomes: twice as many with half of the labels, half as many with more."""
        return round(self.draws["rates"] * min(2.0, max(0.5, 100 / size)))

    def by_size(self, names: Sequence[str]) -> Iterator[tuple[int, str]]:
        return ((size, name) for size in self.sizes for name in names)


def about(plan: Plan) -> Content:
    """With what and from where: what the page says of its own making."""
    versions = {} if plan.peers is None else json.loads(Job("label_models", python=str(plan.peers.absolute())).run())
    rate_versions, _ = ask_peers([], plan.rate_peers)
    return {
        "seed": plan.seed,
        "sizes": list(plan.sizes),
        "sets": list(plan.sets),
        "thumbwise": tw.__version__,
        "python": platform.python_version(),
        "versions": versions,
        "rate_versions": rate_versions,
    }


def measure_labels(plan: Plan) -> Content:
    """Accuracy, log loss and calibration."""
    names = [*plan.sets, *([labels.RATINGS] if JUDGES in plan.sets else [])]
    tasks = [labels.Task(name, tuple(plan.sizes), plan.draws["labels"], plan.seed, plan.peers) for name in names]
    answers = run_tasks(labels.study, tasks, plan.n_processes)
    found = {size: [one[place] for one, _ in answers] for place, size in enumerate(plan.sizes)}
    refused = [
        f"{task.name}, {method}: {words[:200]}"
        for task, (_, said) in zip(tasks, answers, strict=True)
        for method, words in said.items()
    ]
    return {"found": found, "refused": refused}


def measure_rates(plan: Plan) -> Content:
    """Width and coverage."""
    n_cells = rates.N_METHODS * len(plan.sets)
    order = list(plan.by_size(plan.sets))
    tasks = [rates.Task(name, size, plan.draws["rates"], plan.seed, n_cells, plan.rate_peers) for size, name in order]
    found = _sorted_by_size(order, run_tasks(rates.study, tasks, plan.n_processes))
    refused = {
        f"{size} labels: {line}"
        for size, some in found.items()
        for line in refusal_lines({one.title: dict(one.told) for one in some})
    }
    return {"found": found, "refused": sorted(refused)}


def measure_accepting(plan: Plan) -> Content:
    """Shares of labels that are accepted."""
    names = plan.chosen(TRIAGE_SETS)
    n_cells = accepting.N_METHODS * len(names)
    order = list(plan.by_size(names))
    n_draws = plan.draws["accepting"]
    tasks = [accepting.Task(name, size, n_draws, plan.seed, n_cells, plan.peers) for size, name in order]
    answers = run_tasks(accepting.study, tasks, plan.n_processes)
    found = _sorted_by_size(order, [answer for answer, _ in answers])
    return {"found": found, "refused": sorted({f"MAPIE: {words}" for _, said in answers for words in said})}


def measure_trouble(plan: Plan) -> Content:
    """Copies, failures, and gold that is not random."""
    tasks = [trouble.Task(name, plan.draws["trouble"], plan.seed) for name in plan.chosen(trouble.SETS)]
    shaken = [one for some in run_tasks(trouble.shake, tasks, plan.n_processes) for one in some]
    misled = [one for some in run_tasks(trouble.mislead, tasks, plan.n_processes) for one in some]
    return {"shaken": shaken, "misled": misled}


def _sorted_by_size(order: Sequence[tuple[int, str]], answers: Sequence[One]) -> dict[int, list[One]]:
    found: dict[int, list[One]] = {}
    for (size, _), answer in zip(order, answers, strict=True):
        found.setdefault(size, []).append(answer)
    return found


PARTS: Mapping[str, Callable[[Plan], Content]] = {
    "labels": measure_labels,
    "rates": measure_rates,
    "accepting": measure_accepting,
    "trouble": measure_trouble,
}


def measure(name: str, plan: Plan) -> Content:
    """One part, from how many draws with 100 labels, and the seconds that it took."""
    started = time.perf_counter()
    content = PARTS[name](plan)
    seconds = round(time.perf_counter() - started)
    return {"draws": plan.draws[name], "seconds": seconds, **content}
