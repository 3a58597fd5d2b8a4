"""Try every attack and count: ``python -m fuzz.attacks``, or a part of each: ``python -m fuzz.attacks --most 10``.

Each attempt has a folder of its own. A failure is a traceback, a hang, a crash, an exit code that the help does not
name, a message that is none, a control character on the terminal, a file that is lost, or one that is left behind.
Exit code 1 if there is one. Attempts are drawn by ``--seed`` where not all are made; processor time, not a clock,
bounds each. An administrator's attempts are made apart: no other disk may be written, and there is no network.
"""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # a process that forks has one thread

from fuzz.attacks import (  # noqa: E402
    on_disks,  # noqa: F401  # they register
    on_folders,  # noqa: F401
    on_paths,  # noqa: F401
    on_project_files,  # noqa: F401
    on_streams,  # noqa: F401
    on_the_bench,  # noqa: F401
    on_words,  # noqa: F401
)
from fuzz.attacks.apart import go_apart  # noqa: E402
from fuzz.attacks.attempts import ATTACKS, Attempt  # noqa: E402
from fuzz.attacks.children import load_all  # noqa: E402
from fuzz.attacks.victims import make_victims  # noqa: E402


def main() -> None:
    """Print a row for each attack; failures go to standard error as they are found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=sorted(ATTACKS), action="append", help="this attack; repeat for more")
    parser.add_argument("--most", type=int, help="attempts of each attack, drawn at random [default: all]")
    parser.add_argument("--part", type=_part, default=(1, 1), metavar="I/N", help="each N-th attempt, from the I-th on")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--words", default="", help="only attempts whose words hold this")
    arguments = parser.parse_args()
    go_apart("fuzz.attacks")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is imported
        load_all()
    gc.freeze()  # children would copy every page that is looked at
    with _folder() as place:
        victims = make_victims(place / "victims")
        failures = sum(_attack(name, victims, arguments) for name in arguments.only or ATTACKS)
    gc.unfreeze()  # DuckDB would complain that it is not cleared away
    print(f"\n{failures} failures left")
    sys.exit(1 if failures else 0)


def _part(text: str) -> tuple[int, int]:
    """``3/20`` as two numbers, the first of 1 to the second."""
    first, step = map(int, text.split("/"))
    if not 1 <= first <= step:
        raise ValueError(text)
    return first, step


@contextmanager
def _folder(home: Path | None = None) -> Iterator[Path]:
    """A new folder, removed by this process only: a ``TemporaryDirectory`` would go when a child ends."""
    place = Path(tempfile.mkdtemp(prefix="attacks-", dir=home))
    try:
        yield place
    finally:
        shutil.rmtree(place)


def _attack(name: str, victims: Path, arguments: argparse.Namespace) -> int:
    """One row of the table; each failure in words, and why, when it is found. How many failed."""
    attempts = [attempt for attempt in ATTACKS[name](Random(arguments.seed)) if arguments.words in attempt.words]
    first, step = arguments.part
    attempts = attempts[first - 1 :: step]
    if arguments.most is not None and len(attempts) > arguments.most:
        attempts = Random(arguments.seed).sample(attempts, arguments.most)
    n_tried = n_failed = 0
    for attempt in attempts:
        why = _try(attempt, victims)
        n_tried += 1
        if why is not None:
            n_failed += 1
            print(f"{name}: {attempt.words[:2000]}\n    {why}", file=sys.stderr, flush=True)
    print(f"{name:<44} tried {n_tried:>6,}   failures {n_failed:>4,}", flush=True)
    return n_failed


def _try(attempt: Attempt, victims: Path) -> str | None:
    with _folder(victims.parent) as place:
        folder = place / "folder"
        shutil.copytree(victims, folder, symlinks=True)
        return attempt.try_in(folder)


if __name__ == "__main__":
    main()
