"""What every worker does the same way: read the votes, stop the time, say what was measured in one line of JSON."""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

MEGABYTE = 1e6


class Stopwatch:
    """Seconds inside a ``with`` block, and the largest memory of the process up to its end."""

    seconds: float
    peak_mb: float

    def __enter__(self) -> Stopwatch:
        self._start = perf_counter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.seconds = perf_counter() - self._start
        self.peak_mb = peak_memory()


def time_best(fit: Callable[[], Any], n_times: int = 5) -> tuple[Stopwatch, Any]:
    """The fastest of several calls in this process, for calls of milliseconds: the first one also loads libraries."""
    watches = []
    for _ in range(n_times):
        with Stopwatch() as watch:
            answer = fit()
        watches.append(watch)
    return min(watches, key=lambda watch: watch.seconds), answer


def peak_memory() -> float:
    """Largest resident memory of this process so far, in megabytes.

    Linux hands ``ru_maxrss`` of the parent down to a child, so the high-water mark of the process itself comes first.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024 / MEGABYTE
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / MEGABYTE


def limit_memory(share: float = 0.85) -> None:
    """Let this process fail rather than drive the machine out of memory."""
    most = int(share * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def read_rows(path: Path, n_rows: int) -> npt.NDArray[np.int8]:
    """First rows of a saved array of bytes, in memory of its own: a memory map would count as resident."""
    with path.open("rb") as file:
        np.lib.format.read_magic(file)
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
        width = int(np.prod(shape[1:], dtype=int))
        return np.fromfile(file, dtype=dtype, count=n_rows * width).reshape(n_rows, *shape[1:])


def log_loss(truth: npt.NDArray[np.int8], proba: npt.NDArray[np.float64]) -> float:
    """Mean of -log of the probability given to the truth, the same few lines for every method."""
    given = proba[np.arange(len(truth)), truth]
    return float(-np.log(np.clip(given, 1e-15, 1)).mean())


def report(watch: Stopwatch, packages: tuple[str, ...], **checks: Any) -> None:
    versions = {name: version(name) for name in packages}
    line = {"seconds": watch.seconds, "peak_mb": watch.peak_mb, "versions": versions, "checks": checks}
    print(json.dumps(line))
