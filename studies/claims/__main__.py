"""What the library claims, beside what people use instead: ``python -m studies.claims --output docs/claims.md``.

Labels, shares, accepted labels, and trouble, with 50, 100 and 300 random human labels on 21 judges, four crowds and the
paper's ten sets. Packages come from environments of their own, by ``benchmarks/claims-peers-requirements.txt`` and
``benchmarks/rate-peers-requirements.txt``; what is not there or refuses is named on the page. The page is written after
each part. The same seed gives the same page.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.launching import Job
from benchmarks.make_peers import HERE, python_of

import thumbwise as tw
from studies.claims import accepting, labels, rates, trouble, verdicts
from studies.coverage import allowed_misses
from studies.drawing import CROWDS, JUDGES, TITLES
from studies.rate_peers import PEERS as RATE_PEERS
from studies.rate_peers import describe_versions, refusal_lines
from studies.reporting import make_parser, publish, run_tasks

PEERS = HERE / ".claims-peers"
SIZES = (50, 100, 300)
QUICK = ("youtube", "rte", JUDGES)


@dataclass(frozen=True)
class Plan:
    """What is drawn how often."""

    seed: int
    n_processes: int
    peers: Path | None
    rate_peers: Path
    sets: Sequence[str] = (*TITLES, *CROWDS, JUDGES)
    sizes: tuple[int, ...] = SIZES
    n_draws: int = 20

    @property
    def n_trouble(self) -> int:
        """Draws of gold in trouble, which is fitted many times."""
        return max(2, self.n_draws // 2)

    @property
    def n_counted(self) -> int:
        """Draws for shares and for accepted labels, of which is counted how often they hold."""
        return 5 * self.n_draws

    @classmethod
    def of(cls, given: argparse.Namespace) -> Plan:
        """Without an environment there are no packages, which the page says."""
        peers = given.peers if given.peers.exists() else None
        rate_peers = given.rate_peers if given.rate_peers.exists() else Path(sys.executable)
        common = given.seed, given.processes, peers, rate_peers
        if given.quick:
            return cls(*common, QUICK, (verdicts.MAIN_SIZE,), n_draws=3)
        return cls(*common, sizes=tuple(given.gold), n_draws=given.draws)


@dataclass
class Page:
    """Claims and sections as they come."""

    plan: Plan
    claims: list[verdicts.Claim] = field(default_factory=list)
    sections: list[str] = field(default_factory=list)

    def add(self, claims: Iterator[verdicts.Claim], *section: str) -> None:
        self.claims.extend(claims)
        self.sections.extend(section)

    def parts(self) -> Iterator[str]:
        """Failures first, then every claim, how it was measured, and the tables."""
        yield "# Claims"
        yield verdicts.first_line(self.claims)
        yield from missing(self.plan)
        yield "\n".join(claim.line for claim in self.claims)
        yield describe(self.plan)
        yield from self.sections


def missing(plan: Plan) -> list[str]:
    """What belongs to the claims and was not run."""
    absent = [] if plan.peers else ["crowd-kit, Snorkel, CROWDLAB and MAPIE (no interpreter that has them was given)"]
    absent += [f"{size} labels" for size in SIZES if size not in plan.sizes]
    return [f"**Not in this run:** {'; '.join(absent)}."] if absent else []


def describe(plan: Plan) -> str:
    """How everything was measured."""
    versions = {} if plan.peers is None else json.loads(Job("label_models", python=str(plan.peers.absolute())).run())
    every = ", ".join(f"{package} {version}" for package, version in versions.items()) or "no packages for labels"
    return (
        f"Written by `python -m studies.claims`, seed {plan.seed}; thumbwise {tw.__version__}; {every}; for shares "
        f"{describe_versions(plan.rate_peers)}. Gold is a random part of the items, at most half of them; every method "
        "is as its own pages recommend, without tuning. Sets are those of people and models who "
        "are not ours: 21 language models that rate comments, four crowds, the ten sets of the paper. In each table "
        "the rows in which ours is furthest behind come first."
    )


def add_labels(page: Page) -> None:
    """Accuracy, log loss and calibration."""
    plan = page.plan
    names = [*plan.sets, *([labels.RATINGS] if JUDGES in plan.sets else [])]
    tasks = [labels.Task(name, plan.sizes, plan.n_draws, plan.seed, plan.peers) for name in names]
    answers = run_tasks(labels.study, tasks, plan.n_processes)
    found = {size: [one[place] for one, _ in answers] for place, size in enumerate(plan.sizes)}
    refused = [
        f"- {task.name}, {method}: {words[:200]}"
        for task, (_, said) in zip(tasks, answers, strict=True)
        for method, words in said.items()
    ]
    about = (
        f"## (a) Labels\n\nOf items without gold; means of {plan.n_draws} draws (CROWDLAB: the first 5 of each size). "
        "Lead: how much better ours is than the best other, ± standard error of the paired difference. Log loss: no "
        "item counts more than a probability of 0.001 would; calibration error: expected, 15 bins. Dawid-Skene, "
        "majority vote and data programming (the method of Snorkel) without a package's name are thumbwise's own. "
        f"CROWDLAB needs a classifier and gets the logistic regression on gold's votes. *{labels.RATINGS}* gives ours "
        "and the regression the ratings, and the others, which cannot read them, the verdicts."
    )
    tables = [
        f"### {measure.capitalize()}, {size} labels\n\n{labels.table(found[size], number)}"
        for number, measure in enumerate(labels.MEASURES)
        for size in _main_first(plan.sizes)
    ]
    page.add(verdicts.of_labels(found), about, *tables, *_refusals(refused))


def _refusals(lines: Sequence[str]) -> list[str]:
    return ["Refused:\n\n" + "\n".join(lines)] if lines else []


def add_trouble(page: Page) -> None:
    """Copies, failures, and gold that is not random."""
    plan = page.plan
    names = [name for name in trouble.SETS if name in plan.sets]
    tasks = [trouble.Task(name, plan.n_trouble, plan.seed) for name in names]
    shaken = [one for some in run_tasks(trouble.shake, tasks, plan.n_processes) for one in some]
    misled = [one for some in run_tasks(trouble.mislead, tasks, plan.n_processes) for one in some]
    first = (
        f"## (d) Trouble\n\n{trouble.N_GOLD} labels, {plan.n_trouble} draws. Accuracy with the trouble, and in "
        "brackets the change that it brings; and what `thumbwise check` finds then, more often than without trouble. "
        "What other packages would print was not looked at."
    )
    second = (
        "Gold that is not random: how often `thumbwise check` says so (TW201), how often our bound on the log loss "
        "and 95 % intervals for a share hold (exact: gold alone; asymptotic: by a normal approximation, as in PPI). "
        "What misses silently comes first."
    )
    page.add(iter(()), first, trouble.shaken_table(shaken), second, trouble.misled_table(misled))


def add_rates(page: Page) -> None:
    """Width and coverage."""
    plan = page.plan
    tasks = [
        rates.Task(name, size, plan.n_counted, plan.seed, plan.rate_peers) for size in plan.sizes for name in plan.sets
    ]
    answers = run_tasks(rates.study, tasks, plan.n_processes)
    found: dict[int, list[rates.Share]] = {size: [] for size in plan.sizes}
    for task, answer in zip(tasks, answers, strict=True):
        found[task.n_gold].append(answer)
    about = (
        f"## (b) A share\n\nMean width of 95 % intervals over {plan.n_counted} draws, cut at 0 and 1, and how often "
        "they hold the truth; bold where chance alone misses so often less than once in a million times: in "
        f"more than {allowed_misses(plan.n_counted, 0.95, 1)} draws. A star: the method refused some draws, "
        "which are left out. *Gold alone* is exact; *thumbwise, asymptotic* is not the "
        "default. First column: width of ours as a part of the narrowest other that is not bold."
    )
    tables = [f"### A share, {size} labels\n\n{rates.table(found[size])}" for size in _main_first(plan.sizes)]
    lines = {line for some in found.values() for line in refusal_lines({one.title: dict(one.told) for one in some})}
    page.add(verdicts.of_rates(found), about, *tables, *_refusals(sorted(lines)))


def _main_first(sizes: Sequence[int]) -> list[int]:
    return sorted(sizes, key=lambda size: size != verdicts.MAIN_SIZE)


def add_accepting(page: Page) -> None:
    """Shares of labels that are accepted."""
    plan = page.plan
    names = [name for name in accepting.SETS if name in plan.sets]
    tasks = [accepting.Task(name, size, plan.n_counted, plan.seed, plan.peers) for size in plan.sizes for name in names]
    answers = run_tasks(accepting.study, tasks, plan.n_processes)
    found: dict[int, list[accepting.Accepted]] = {size: [] for size in plan.sizes}
    for task, (answer, _) in zip(tasks, answers, strict=True):
        found[task.n_gold].append(answer)
    refused = sorted({f"- MAPIE: {words}" for _, said in answers for words in said})
    about = (
        f"## (c) Accept or look\n\nShare of the items whose label is accepted at a precision of {accepting.PRECISION}, "
        f"guaranteed with 95 %; means of {plan.n_counted} draws, in brackets in how many the precision was missed, "
        "bold where chance alone misses so often less than once in a million times. Lead: over the best other that is "
        "not bold. The hold-out teaches a regression with half of gold and tests twenty thresholds with the other "
        "half."
    )
    tables = [f"### Accepted, {size} labels\n\n{accepting.table(found[size])}" for size in _main_first(plan.sizes)]
    page.add(verdicts.of_accepting(found), about, *tables, *_refusals(refused))


def main() -> None:
    """Read the arguments, run the parts, write the page after each."""
    parser = make_parser(__doc__)
    parser.add_argument("--peers", type=Path, default=python_of(PEERS), help="interpreter that has packages for labels")
    parser.add_argument(
        "--rate-peers", type=Path, default=python_of(RATE_PEERS), help="interpreter that has packages for shares"
    )
    parser.add_argument("--gold", type=int, nargs="+", default=SIZES, help="numbers of labels")
    parser.add_argument("--draws", type=int, default=20, help="for labels; half for trouble, five times for the rest")
    given = parser.parse_args()
    page = Page(Plan.of(given))
    for add in (add_labels, add_rates, add_accepting, add_trouble):
        add(page)
        print(f"{add.__name__}: done", file=sys.stderr, flush=True)
        publish(list(page.parts()), given.output)


if __name__ == "__main__":
    main()
