"""What all fuzzers share: a count of what was tried, a file for each bug found, and a time budget."""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import resource
import sys
import time
import traceback
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

# Seconds of processor time that a small input may take. Instrumented code takes two to three times as long.
SLOW = 3.0
_ADDRESS_SPACE = 6 * 2**30
_SECONDS_BETWEEN_REPORTS = 10


@dataclass
class Tally:
    """Inputs tried, how they ended, and one example of every kind of bug.

    ``check`` takes an input and returns whether it was read. It raises ``refusals`` for an input that is refused, and
    anything else for a bug. A bug does not end the run: it is counted, and its first input is kept in ``folder``.
    ``readable`` are the last inputs that were read: what is near them is more likely to be read than other inputs.
    """

    check: Callable[[bytes], bool]
    refusals: tuple[type[Exception], ...]
    folder: Path
    max_seconds: float = math.inf
    started: float = field(default_factory=time.monotonic)
    ends: Counter[str] = field(default_factory=Counter)
    bugs: Counter[str] = field(default_factory=Counter)
    warned: Counter[str] = field(default_factory=Counter)
    readable: deque[bytes] = field(default_factory=lambda: deque(maxlen=500))
    slowest: float = 0.0
    _reported: float = 0.0

    def try_one(self, content: bytes) -> None:
        begun = time.process_time()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                is_read = self.check(content)
                self.ends["read" if is_read else "refused"] += 1
                if is_read:
                    self.readable.append(content)
            except self.refusals:
                self.ends["refused"] += 1
            except Exception as error:  # whatever else comes out is what is looked for
                self._keep(self.bugs, _signature(error), content, "".join(traceback.format_exception(error)))
        for warning in caught:
            name = f"{warning.category.__name__}-{Path(warning.filename).stem}-{warning.lineno}"
            self._keep(self.warned, name, content, str(warning.message))
        seconds = time.process_time() - begun
        self.slowest = max(self.slowest, seconds)
        if seconds > SLOW:
            self._keep(self.bugs, f"slow-{int(seconds)}s", content, f"{seconds:.1f} s for {len(content):,} bytes")
        if time.monotonic() > self._reported + _SECONDS_BETWEEN_REPORTS or self.is_over:
            self.report()

    @property
    def is_over(self) -> bool:
        """Whether the time budget is used up: processor time, because a shared machine gives any share of it."""
        return time.process_time() > self.max_seconds

    def _keep(self, kind: Counter[str], name: str, content: bytes, story: str) -> None:
        kind[name] += 1
        if kind[name] == 1:
            place = self.folder / ("bugs" if kind is self.bugs else "warnings")
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{name}.input").write_bytes(content)
            (place / f"{name}.txt").write_text(story, errors="backslashreplace")

    def report(self) -> None:
        """Write the counts so far to ``tally.json``."""
        self._reported = time.monotonic()
        summary = {
            "processor_seconds": round(time.process_time(), 1),
            "seconds": round(self._reported - self.started, 1),
            "tried": self.ends.total() + self.bugs.total(),
            **self.ends,
            "slowest": round(self.slowest, 2),
            "bugs": dict(self.bugs),
            "warnings": dict(self.warned),
        }
        (self.folder / "tally.json").write_text(json.dumps(summary, indent=1))


def _signature(error: BaseException) -> str:
    """Kind of error and the last line of thumbwise that it, or else its cause, went through."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "thumbwise" in frame.filename]
    if not frames:
        said = re.sub(r"[^a-z]+", "-", str(error).lower())[:40]
        return f"{type(error).__name__}-{said}" + (f"-{_signature(error.__cause__)}" if error.__cause__ else "")
    return f"{type(error).__name__}-{Path(frames[-1].filename).stem}-{frames[-1].lineno}"


def argument_parser(description: str, minutes: float, kinds: Sequence[str] = ()) -> argparse.ArgumentParser:
    """--minutes, --output, --seed, and --kind if there are several."""
    parser = argparse.ArgumentParser(description=description)
    if kinds:
        parser.add_argument("--kind", choices=kinds, required=True, help="what is read")
    parser.add_argument("--minutes", type=float, default=minutes, help="of processor time")
    parser.add_argument("--output", type=Path, required=True, help="folder for the corpus, the counts and the bugs")
    parser.add_argument("--seed", type=int, default=1)
    return parser


def limit_memory() -> None:
    """An array that is too large is then a MemoryError, and a bug that can be reported."""
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))


def read_arguments(description: str, minutes: float, kinds: Sequence[str] = ()) -> argparse.Namespace:
    """What was asked for; the folder is there, and memory limited."""
    arguments = argument_parser(description, minutes, kinds).parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    limit_memory()
    return arguments


def import_instrumented(name: str) -> Any:
    """Import a module such that atheris sees which branches of thumbwise an input takes."""
    with import_module("atheris").instrument_imports(include=["thumbwise"]):
        return import_module(name)


def library_mutation(content: bytes, max_size: int) -> bytes:
    """What libFuzzer would do by itself. It works only while it runs, so it is looked up then."""
    return bytes(import_module("atheris").Mutate(content, max_size))


def fuzz(
    tally: Tally,
    seeds: Iterable[bytes],
    mutator: Callable[[bytes, int, int], bytes],
    arguments: argparse.Namespace,
    max_len: int,
) -> None:
    """Let atheris choose inputs until the time is over; this ends the process."""
    atheris = import_module("atheris")
    corpus = arguments.output / "corpus"
    corpus.mkdir(exist_ok=True)
    for i, seed in enumerate(seeds):
        (corpus / f"seed-{i}").write_bytes(seed)
    options = {
        "seed": arguments.seed,
        "max_len": max_len,
        "mutate_depth": 1,  # ours already edits several places
        "timeout": 120,
        "rss_limit_mb": 4096,
        "artifact_prefix": f"{arguments.output}/",
    }
    argv = [sys.argv[0], *(f"-{name}={value}" for name, value in options.items()), str(corpus)]

    def target(content: bytes) -> None:
        tally.try_one(content)
        if tally.is_over:
            os._exit(0)  # the fuzzer has no other end that is not a crash

    atheris.Setup(argv, target, custom_mutator=mutator)
    atheris.Fuzz()
