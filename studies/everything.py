"""All studies whose tables stand in the documentation, run anew: ``python -m studies.everything``.

Each study of the list below runs as a command of its own with ``--keep``, two at a time, the longest first; what it
says goes to ``.studies/NAME.log``. Then the pages are filled. ``--list`` prints the commands with the processor seconds
that each took last. ``--only`` names some. ``--scale 0.1`` draws a tenth as often, for a look; pages then say so,
because each table says how often it drew. A run that was stopped goes on with ``--resume``, which leaves out what was
kept by the same command since the code last changed. The claims (``python -m studies.claims``) and the benchmarks
(``python -m benchmarks``) are not among them. It needs the data folder (``THUMBWISE_DATA``), the package hyperlm, and
for ``rate_peers`` an environment with the other packages, which ``python -m benchmarks.make_peers`` makes.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from studies.drawing import data_folder
from studies.pages import ROOT, fill_pages
from studies.results import FOLDER, command_of, read_results

LOGS = ROOT / ".studies"
_FEWEST = 2


@dataclass(frozen=True)
class Run:
    """A study with its number of draws; none for what nothing is drawn in."""

    study: str
    draws: int | None = None
    more: str = ""

    def arguments(self, scale: float) -> list[str]:
        """As typed, with so many times the draws."""
        drawn = [] if self.draws is None else ["--draws", str(max(_FEWEST, round(scale * self.draws)))]
        return [*self.more.split(), *drawn]

    def command(self, scale: float) -> str:
        """As results tell it."""
        return command_of(self.study, self.arguments(scale))

    @property
    def name(self) -> str:
        """Of the log."""
        return "-".join([self.study, *self.more.replace("-", "").split()])


RUNS = (
    Run("cascades", 200, "--gold 300"),
    Run("checking", 500, "--only 1"),
    Run("checking", 40, "--only 2"),
    Run("clusters", 500),
    Run("coverage", 500),
    Run("crowds", 10),
    Run("ebcc_starts", 2),
    Run("five_judges", 20, "--only 1"),
    Run("holdout", 10),
    Run("item_intervals", 5),
    Run("misspecified", 10),
    Run("opinion_coverage", 150),
    Run("ordinal", 20),
    Run("pattern_growth"),
    Run("pinning", 30),
    Run("planned_rates", 6, "--only bounds"),
    Run("planned_rates", 10, "--only points"),
    Run("planned_rates", 6, "--only right-labels"),
    Run("rate_peers", 50),
    Run("rates", 150, "--gold 50 100 300 --differences 150"),
    Run("ratings", 40),
    Run("reproduced"),
    Run("right_labels", 40),
    Run("scale_model", 10),
    Run("sharper", 40),
    Run("stack", 40),
    Run("stopping", 1000),
    Run("stratified_draws", 40),
    Run("triage", 300, "--mapie 0"),
    Run("warm_start", 20),
    Run("weighted_designs", 1000),
)


def kept_by(command: str, study: str) -> list[dict[str, Any]]:
    """Tables that this command has kept."""
    if not (FOLDER / f"{study}.json").exists():
        return []
    return [table for table in read_results(study)["tables"].values() if table.get("command") == command]


def seconds_of(run: Run) -> int:
    """Processor seconds when it was run last, with however many draws; 0 if never."""
    if not (FOLDER / f"{run.study}.json").exists():
        return 0
    tables = read_results(run.study)["tables"].values()
    alike = [table for table in tables if table.get("command", "").startswith(command_of(run.study, run.more.split()))]
    return max((int(table.get("processor_seconds", 0)) for table in alike), default=0)


def code_changed() -> datetime | None:
    """When the last commit changed what studies measure; None outside of a repository."""
    paths = ["src", "studies/*.py", "studies/claims"]
    asked = ["git", "log", "-1", "--format=%cI", "--", *paths]
    told = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603
    return datetime.fromisoformat(told) if told else None


def is_done(run: Run, scale: float, since: datetime | None) -> bool:
    """Whether results of just this command are newer than the code."""
    kept = kept_by(run.command(scale), run.study)
    return since is not None and any(datetime.fromisoformat(table["made"]) >= since for table in kept)


def run_one(run: Run, scale: float) -> str:
    """Run it as a command of its own, and say how that went."""
    LOGS.mkdir(exist_ok=True)
    log, started = LOGS / f"{run.name}.log", time.perf_counter()
    command = [sys.executable, "-m", f"studies.{run.study}", *run.arguments(scale), "--keep", "--processes", "1"]
    threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    with log.open("w", encoding="utf-8") as output:
        status = subprocess.run(command, cwd=ROOT, env=os.environ | threads, stdout=output, stderr=output, check=False)  # noqa: S603
    failed = f"FAILED, see {os.path.relpath(log)}: " if status.returncode else ""
    return f"{failed}{run.command(scale)}: {seconds_of(run)} s of a processor, {time.perf_counter() - started:.0f} s"


def to_do(only: Sequence[str], scale: float, is_resumed: bool) -> list[Run]:
    """What is asked for and not done, the longest first."""
    since = code_changed() if is_resumed else None
    asked = [run for run in RUNS if not only or run.study in only]
    return sorted((run for run in asked if not is_done(run, scale, since)), key=seconds_of, reverse=True)


def main() -> int:
    """List, or run and fill the pages; status 1 if a study failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    studies = sorted({run.study for run in RUNS})
    parser.add_argument("--only", nargs="+", choices=studies, default=[], metavar="STUDY", help=", ".join(studies))
    parser.add_argument("--scale", type=float, default=1.0, help="so many times the draws")
    parser.add_argument("--resume", action="store_true", help="leave out what was kept since the code last changed")
    parser.add_argument("--processes", type=int, default=2, help="studies at a time")
    parser.add_argument("--list", action="store_true", help="run nothing")
    given = parser.parse_args()
    runs = to_do(given.only, given.scale, given.resume)
    if given.list:
        print("\n".join(f"{seconds_of(run):6d} s  {run.command(given.scale)}" for run in runs))
        print(f"{sum(map(seconds_of, runs)):6d} s of a processor in all, as kept last")
        return 0
    data_folder()  # refuses at once if there are no data
    lines = []
    with ThreadPoolExecutor(given.processes) as pool:
        for n_done, done in enumerate(as_completed([pool.submit(run_one, run, given.scale) for run in runs]), start=1):
            lines.append(done.result())
            print(f"{n_done}/{len(runs)} {lines[-1]}", flush=True)
    print("\n".join(f"filled {page.relative_to(ROOT)}" for page in fill_pages()) or "no page changed")
    return int(any(line.startswith("FAILED") for line in lines))


if __name__ == "__main__":
    sys.exit(main())
