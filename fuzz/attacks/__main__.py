"""Try every attack and count: ``python -m fuzz.attacks``, or a part of each: ``python -m fuzz.attacks --most 10``.

Each attempt has a folder of its own. A failure is a traceback, a hang, a crash, an exit code that the help does not
name, a message that is none, a control character on the terminal, a file that is lost, or one that is left behind.
Exit code 1 if there is one. Attempts are drawn by ``--seed`` where not all are made; processor time, not a clock,
bounds each.
"""

from __future__ import annotations

import argparse
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

from fuzz.attacks import on_disks, on_folders, on_paths, on_streams, on_words  # noqa: E402, F401  # they register
from fuzz.attacks.attempts import ATTACKS, Attempt  # noqa: E402
from fuzz.attacks.children import load_all  # noqa: E402
from fuzz.attacks.victims import make_victims  # noqa: E402


def main() -> None:
    """Print a row for each attack, then each failure in words."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=sorted(ATTACKS), action="append", help="this attack; repeat for more")
    parser.add_argument("--most", type=int, help="attempts of each attack, drawn at random [default: all]")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--words", default="", help="only attempts whose words hold this")
    arguments = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is imported
        load_all()
    with _folder() as place:
        victims = make_victims(place / "victims")
        failures = [
            (name, words, why) for name in arguments.only or ATTACKS for words, why in _attack(name, victims, arguments)
        ]
    for name, words, why in failures:
        print(f"\n{name}: {words}\n    {why}")
    print(f"\n{len(failures)} failures left")
    sys.exit(1 if failures else 0)


@contextmanager
def _folder(home: Path | None = None) -> Iterator[Path]:
    """A new folder, removed by this process only: a ``TemporaryDirectory`` would go when a child ends."""
    place = Path(tempfile.mkdtemp(prefix="attacks-", dir=home))
    try:
        yield place
    finally:
        shutil.rmtree(place)


def _attack(name: str, victims: Path, arguments: argparse.Namespace) -> list[tuple[str, str]]:
    """One row of the table; what failed, in words, and why."""
    attempts = [attempt for attempt in ATTACKS[name](Random(arguments.seed)) if arguments.words in attempt.words]
    if arguments.most is not None and len(attempts) > arguments.most:
        attempts = Random(arguments.seed).sample(attempts, arguments.most)
    failures = [(attempt.words, why) for attempt in attempts if (why := _try(attempt, victims)) is not None]
    print(f"{name:<44} tried {len(attempts):>6,}   failures {len(failures):>4,}", flush=True)
    return failures


def _try(attempt: Attempt, victims: Path) -> str | None:
    with _folder(victims.parent) as place:
        folder = place / "folder"
        shutil.copytree(victims, folder, symlinks=True)
        return attempt.try_in(folder)


if __name__ == "__main__":
    main()
