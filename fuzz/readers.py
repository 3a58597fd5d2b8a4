"""Fuzz the readers of tables, folders and MATLAB files: ``python -m fuzz.readers --minutes 15 --output FOLDER``.

Inputs are drawn by hypothesis, without a look at what the code does with them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

from fuzz.driving import Tally, read_arguments
from fuzz.reader_checks import ThumbwiseError, check_reader
from fuzz.reader_inputs import INPUTS

_AT_ONCE = 25


def draw_inputs(kind: str, n_inputs: int, number: int, take: Callable[[bytes], None]) -> None:
    """Some inputs of one kind; another number gives others."""

    @seed(number)
    @settings(
        max_examples=n_inputs,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(INPUTS[kind])
    def draw(payload: bytes) -> None:
        take(kind.encode() + b"\n" + payload)

    draw()


def run(kinds: Sequence[str], minutes: float, folder: Path, number: int) -> dict[str, Tally]:
    """The kind that has had least time next, until the time is over; a count for each."""
    tallies = {kind: Tally(check_reader, (ThumbwiseError,), folder / kind, minutes * 60) for kind in kinds}
    spent = dict.fromkeys(kinds, 0.0)
    for kind in kinds:
        (folder / kind).mkdir(exist_ok=True)
    for step in count(number * 100_000):
        kind = min(spent, key=lambda name: spent[name])
        begun = time.process_time()
        draw_inputs(kind, _AT_ONCE, step, tallies[kind].try_one)
        spent[kind] += time.process_time() - begun
        tallies[kind].report()
        if tallies[kind].is_over:
            break
    return tallies


def main() -> None:
    """Run for the time that was given."""
    arguments = read_arguments(str(__doc__), minutes=15)
    for kind, tally in run(list(INPUTS), arguments.minutes, arguments.output, arguments.seed).items():
        print(kind, dict(tally.ends), dict(tally.bugs), dict(tally.warned))


if __name__ == "__main__":
    main()
