"""Intervals for a share beside those of other packages: ``python -m studies.rate_peers``.

Each package is told the same: the truth of some gold items, drawn at random, and the panel's verdict on all items,
which was made without labels. The share is that of :mod:`studies.rates`; besides its datasets there are made-up judges.
The packages live in an environment of their own, see ``benchmarks/rate-peers-requirements.txt``; what is not there, or
refuses, is said below the table.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from benchmarks.launching import Job
from benchmarks.make_peers import HERE, python_of
from benchmarks.workers.rate_intervals import SLOW
from scipy.stats import norm

import thumbwise as tw
from studies.coverage import allowed_misses
from studies.drawing import TITLES, Population, draw_gold, load_population
from studies.opinion_coverage import gold_size
from studies.rates import ERROR, SETS, Asked, Numbers, ask, share_interval
from studies.reporting import make_parser, markdown_table, publish
from thumbwise._typing import FloatArray, IntArray
from thumbwise.rates.intervals import Method

PEERS = HERE / ".rate-peers"
OURS: tuple[Method, ...] = ("exact", "assisted", "asymptotic")
PLAIN = "Rogan-Gladen"
N_MADE = 10_000
# judgy resamples 20,000 times unless told, which takes a quarter of a second a draw.
N_RESAMPLES = 2_000
# Draws for what is slow all the same.
N_SLOW = 400

Answer = list[float] | str


@dataclass(frozen=True)
class Judge:
    """Share of the items that are so, of how many of these a judge says so, and of how many of the others."""

    share: float
    finds: float
    errs: float


MADE = {
    "made: sharp": Judge(0.5, 0.98, 0.02),
    "made: strict": Judge(0.6, 0.96, 0.0),
    "made: usual": Judge(0.7, 0.85, 0.25),
    "made: rare": Judge(0.03, 0.7, 0.02),
    "made: poor": Judge(0.5, 0.55, 0.45),
}


@dataclass(frozen=True)
class Told:
    """What one method said of all draws: mean width, how often it held the truth, how often and why it refused.

    Widths and coverage are of the draws on which it did not refuse.
    """

    width: float
    n_held: int
    n_said: int
    refusals: Counter[str]

    @classmethod
    def of(cls, answers: Sequence[Answer], truth: float) -> Told:
        """Ends are cut at 0 and 1."""
        said = np.array([ends for ends in answers if not isinstance(ends, str)]).reshape(-1, 2).clip(0, 1)
        held = (said[:, 0] <= truth + 1e-9) & (said[:, 1] >= truth - 1e-9)
        width = float((said[:, 1] - said[:, 0]).mean()) if len(said) else np.nan
        return cls(width, int(held.sum()), len(said), Counter(ends for ends in answers if isinstance(ends, str)))

    @property
    def held(self) -> float:
        return self.n_held / self.n_said if self.n_said else np.nan

    @property
    def n_drawn(self) -> int:
        return self.refusals.total() + self.n_said

    @property
    def refused(self) -> float:
        """Share of the draws that it gave no interval for."""
        return self.refusals.total() / max(self.n_drawn, 1)

    def misses_too_often(self, n_cells: int = 1) -> bool:
        """More than chance does anywhere in so many cells once in a million times, if intervals held as they say."""
        return self.n_said - self.n_held > allowed_misses(self.n_said, 1 - ERROR, n_cells)

    def cell(self, n_cells: int = 1) -> str:
        """Width, with a star where it refused some draws, and coverage, bold where it misses too often."""
        if not self.n_said:
            return "-"
        held = f"**{self.held:.3f}**" if self.misses_too_often(n_cells) else f"{self.held:.3f}"
        return f"{self.width:.3f}{'*' if self.refusals else ''}, {held}"


def make_population(name: str, seed: int) -> Population:
    """Items with one judge."""
    judge = MADE[name]
    rng = np.random.default_rng([seed, *name.encode()])
    labels = (rng.random(N_MADE) < judge.share).astype(np.int64)
    says = rng.random(N_MADE) < np.where(labels == 1, judge.finds, judge.errs)
    return Population(name, tw.Votes(says.astype(np.int64)[:, None], n_classes=2), labels)


def problem_of(asked: Asked, gold: IntArray, number: int, is_brief: bool = False) -> dict[str, Any]:
    """What the packages are told of one draw; slow ones need not answer if it is brief."""
    truth, said = (part[gold].astype(int) for part in (asked.is_so, asked.says))
    rest = np.bincount(asked.says, minlength=2) - np.bincount(said, minlength=2)
    return {"truth": truth.tolist(), "said": said.tolist(), "rest": rest.tolist(), "seed": number, "is_brief": is_brief}


def ask_peers(problems: Sequence[dict[str, Any]], python: Path) -> tuple[dict[str, str], list[dict[str, Answer]]]:
    """Versions of the packages, and what each says of each problem."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "problems.jsonl"
        file.write_text("".join(json.dumps(problem) + "\n" for problem in problems))
        job = Job("rate_intervals", file, 1 - ERROR, N_RESAMPLES, python=str(python.absolute()))
        versions, *answers = map(json.loads, job.run().splitlines())
    return versions, answers


def ask_us(numbers: Numbers) -> dict[str, Answer]:
    """Our intervals for one draw."""
    found = ((method, share_interval(numbers, method)) for method in OURS)
    return {method: [interval.lower, interval.upper] for method, interval in found}


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


def study(population: Population, n_gold: int, n_draws: int, seed: int, python: Path) -> dict[str, Told]:
    """What each method says on one dataset.

    An interval depends on a few counts, so each combination of them that is drawn is asked about once; what resamples
    gets the same seed for it. Slow packages are asked about the first draws only.
    """
    asked = ask(population, seed)
    draws = draw_gold(population, gold_size(population, n_gold), "subset", n_draws, seed)
    everything = np.ones(len(asked.is_so), dtype=bool)
    drawn = [asked.count(gold, everything) for gold in draws]
    golds = dict(zip(reversed(drawn), reversed(draws), strict=True))
    first = set(drawn[:N_SLOW])
    problems = [
        problem_of(asked, gold, number, numbers not in first) for number, (numbers, gold) in enumerate(golds.items())
    ]
    answers = {
        numbers: {**ask_us(numbers), **theirs, PLAIN: rogan_gladen(asked, gold)}
        for (numbers, gold), theirs in zip(golds.items(), ask_peers(problems, python)[1], strict=True)
    }
    truth = float(asked.is_so.mean())
    return {
        method: Told.of([answers[numbers][method] for numbers in drawn[: N_SLOW if method in SLOW else None]], truth)
        for method in answers[drawn[0]]
    }


def summary_rows(found: dict[str, dict[str, Told]]) -> Iterator[list[str]]:
    """Means over the datasets that were not made up, and the least coverage."""
    real = [told for name, told in found.items() if name not in MADE]
    if not real:
        return
    widths, held = (_table_of(real, what) for what in ("width", "held"))
    yield ["mean, not made", "", *(f"{w:.3f}, {h:.3f}" for w, h in zip(widths.mean(0), held.mean(0), strict=True))]
    yield ["least, not made", "", *(f"{least:.3f}" for least in held.min(0))]


def _table_of(found: Sequence[dict[str, Told]], what: str) -> FloatArray:
    return np.array([[getattr(one, what) for one in told.values()] for told in found])


def behind(told: Mapping[str, Told], n_cells: int = 1) -> float:
    """Width of ours as a part of that of the narrowest package that does not miss too often; infinite if ours does."""
    others = [
        one.width for name, one in told.items() if name not in OURS and one.n_said and not one.misses_too_often(n_cells)
    ]
    return (
        np.inf if told["assisted"].misses_too_often(n_cells) else told["assisted"].width / min(others, default=np.inf)
    )


def refusal_lines(found: dict[str, dict[str, Told]]) -> Iterator[str]:
    """Which method refused, on how many draws, and what it said most often."""
    for name, told in found.items():
        for method, one in told.items():
            if one.refusals:
                (words, _), *_ = one.refusals.most_common(1)
                yield f"- {name}, {method}: {one.refusals.total()} of {one.n_drawn}. {words}"


def report(n_gold: int, sets: Sequence[str], n_draws: int, seed: int, python: Path) -> tuple[str, str, str]:
    """About one number of gold labels, the table, and what refused."""
    found = {}
    for name in sets:
        started = time.perf_counter()
        population = make_population(name, seed) if name in MADE else load_population(name)
        title = TITLES.get(name, name)
        found[title] = study(population, n_gold, n_draws, seed, python)
        cells = " | ".join(one.cell() for one in found[title].values())
        print(f"{n_gold} {time.perf_counter() - started:.0f} s | {title} | {cells} |", file=sys.stderr)
    found = dict(sorted(found.items(), key=lambda entry: -behind(entry[1])))
    rows = [[title, f"{behind(told):.2f}", *(one.cell() for one in told.values())] for title, told in found.items()]
    about = (
        f"{n_gold} gold labels, {n_draws} draws. Mean width of {1 - ERROR:.0%} intervals, cut at 0 and 1, and how "
        "often they hold the truth; bold where chance alone misses so often less than once in a million times. A "
        "star: the method refused some draws, which are left out. First: width of assisted as a part of the narrowest "
        "of the other packages that is not bold; the sets on which ours is furthest behind come first."
    )
    table = markdown_table(["", "assisted / best other", *next(iter(found.values()))], [*rows, *summary_rows(found)])
    return about, table, "\n".join(refusal_lines(found))


def describe_versions(python: Path) -> str:
    """Of the packages, as the worker finds them."""
    versions, _ = ask_peers([], python)
    return ", ".join(f"{package} {version}" for package, version in versions.items())


def main() -> None:
    """Read the arguments, and publish a table for each number of gold labels."""
    every = (*SETS, *MADE)
    parser = make_parser(__doc__, draws=200, quick=5)
    parser.add_argument("--sets", nargs="+", choices=every, default=every, metavar="SET")
    parser.add_argument("--gold", type=int, nargs="+", default=[100])
    parser.add_argument("--peers", type=Path, default=python_of(PEERS), help="interpreter that has the packages")
    given = parser.parse_args()
    if not given.peers.exists():
        raise SystemExit(f"No interpreter at {given.peers}; see python -m benchmarks.make_peers --help.")
    reports = {
        f"{n_gold} labels": report(n_gold, given.sets, given.draws, given.seed, given.peers) for n_gold in given.gold
    }
    about = f"{describe_versions(given.peers)}; judgy resamples {N_RESAMPLES:,} times."
    parts = [about, *(part for parts in reports.values() for part in parts if part)]
    publish("rate_peers", given, parts, {name: table for name, (_, table, _) in reports.items()})


if __name__ == "__main__":
    main()
