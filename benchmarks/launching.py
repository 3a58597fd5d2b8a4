"""Start workers, each in a fresh process of its own, and keep the best of several runs."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
MAX_RUNS = 3
# No further run of the same job is started once its runs have taken this long.
ENOUGH_SECONDS = 60.0
# A method at full size is given up after this long.
PATIENCE = 300.0
# Above this load average others' work distorts what is measured.
QUIET_LOAD = 0.5


@dataclass(frozen=True)
class Measurement:
    """What one worker said: seconds, largest memory, package versions, and numbers to check it by."""

    seconds: float
    peak_mb: float
    versions: dict[str, str]
    checks: dict[str, Any]
    slowest: float = 0.0


class WorkerError(RuntimeError):
    """A worker failed; the message ends with what it wrote."""


class Job:
    """A worker with its arguments, and the interpreter to run it with."""

    def __init__(self, worker: str, *arguments: object, python: str = sys.executable) -> None:
        self.worker = worker
        self.command = [python, "-m", f"benchmarks.workers.{worker}", *map(str, arguments)]

    def run(self, max_seconds: float | None = None) -> str:
        """Standard output of one run."""
        try:
            done = subprocess.run(
                self.command, capture_output=True, text=True, check=False, cwd=REPOSITORY, timeout=max_seconds
            )
        except subprocess.TimeoutExpired as error:
            raise WorkerError(f"{self.worker} did not finish in {max_seconds:.0f} s.") from error
        if done.returncode:
            raise WorkerError(f"{self.worker} ended with status {done.returncode}: {done.stderr.strip()[-600:]}")
        return done.stdout


def measure(*jobs: Job, max_runs: int = MAX_RUNS) -> list[Measurement]:
    """Fastest of up to ``max_runs`` runs of each job, and the largest memory of them.

    Jobs take turns, so that a busy minute of the machine hits all of them.
    """
    runs: list[list[Measurement]] = [[] for _ in jobs]
    for _ in range(max_runs):
        for job, done in zip(jobs, runs, strict=True):
            if sum(run.seconds for run in done) < ENOUGH_SECONDS:
                done.append(read_measurement(job.run()))
    return [_best(done) for done in runs]


def read_measurement(said: str) -> Measurement:
    """The last line of what a worker wrote."""
    return Measurement(**json.loads(said.splitlines()[-1]))


def measure_large(large: Job, small: Job, factor: float, max_seconds: float = PATIENCE) -> Measurement:
    """One run at full size; if it fails or takes too long, the best of runs at a smaller size, multiplied.

    Both time and memory are multiplied; ``checks["extrapolated"]`` says so.
    """
    try:
        full = read_measurement(large.run(max_seconds))
        return replace(full, slowest=full.seconds, checks={**full.checks, "extrapolated": ""})
    except WorkerError as error:
        (part,) = measure(small)
        reason = "did not finish" if "did not finish" in str(error) else "failed"
        said = f"{reason} at full size; measured {part.seconds:.1f} s, {part.peak_mb:,.0f} MB, and multiplied"
        return replace(
            part,
            seconds=factor * part.seconds,
            slowest=factor * part.slowest,
            peak_mb=factor * part.peak_mb,
            checks={**part.checks, "extrapolated": f"{said} by {factor:g}"},
        )


def _best(runs: Sequence[Measurement]) -> Measurement:
    fastest = min(runs, key=lambda run: run.seconds)
    return replace(fastest, peak_mb=max(run.peak_mb for run in runs), slowest=max(run.seconds for run in runs))


def import_seconds(*statements: str, n_runs: int = 11) -> list[float]:
    """Median time of each import statement in fresh interpreters, taking turns."""
    taken: list[list[float]] = [[] for _ in statements]
    for _ in range(n_runs):
        for times, statement in zip(taken, statements, strict=True):
            code = f"from time import perf_counter as t; s = t(); {statement}; print(t() - s)"
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
            times.append(float(done.stdout))
    return [statistics.median(times) for times in taken]


def describe_machine() -> str:
    """Processor, cores, memory and how busy they are: timings mean little without them."""
    model = "unknown processor"
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = lines[0].split(":")[1].strip() if lines else model
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    version = ".".join(map(str, sys.version_info[:3]))
    return f"{model}, {os.cpu_count()} cores, {memory:.0f} GB, Python {version}; {describe_load()}"


def warn_if_busy() -> str:
    """A sentence if the machine does something else, or nothing."""
    load = os.getloadavg()[0]
    if load <= QUIET_LOAD:
        return ""
    return f"WARNING: the load average is {load:.1f}, above {QUIET_LOAD}: something else is running, ratios may be off."


def describe_load() -> str:
    return f"load {os.getloadavg()[0]:.1f}"
