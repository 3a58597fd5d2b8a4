"""Attacks by standard streams: closed, full, or with a reader that has gone, for every command."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from fuzz.attacks.attempts import Attempt, attack, calls
from fuzz.attacks.children import GOOD, REFUSED, UNREAD, Ended, complaint
from fuzz.attacks.victims import SERVES, listing

_SECONDS = 300


def _close(*numbers: int) -> Callable[[], None]:
    def close() -> None:
        for number in numbers:
            os.close(number)

    return close


def _fill(*numbers: int) -> Callable[[], None]:
    def fill() -> None:
        for number in numbers:
            os.dup2(os.open("/dev/full", os.O_WRONLY), number)

    return fill


def _leave(*numbers: int) -> Callable[[], None]:
    """A pipe whose reader has gone."""

    def leave() -> None:
        reads, writes = os.pipe()
        os.close(reads)
        for number in numbers:
            os.dup2(writes, number)

    return leave


_STREAMS = {
    "standard output closed": _close(1),
    "standard output full": _fill(1),
    "nobody reads": _leave(1),
    "standard error closed": _close(2),
    "standard error full": _fill(2),
    "nobody reads errors": _leave(2),
    "standard input closed": _close(0),
    "both outputs full": _fill(1, 2),
    "nobody reads either": _leave(1, 2),
    "all closed": _close(0, 1, 2),
}


@attack("standard streams closed or full")
def streams(_rng: Random) -> Iterator[Attempt]:
    """With a table to print, with JSON instead, and with a mistake to tell; processes of their own, from the start."""
    for words, arguments in calls():
        plain = tuple(argument for argument in arguments if argument not in ("--json", "said.json"))
        ways = {"": plain, ", JSON": (*plain, "--json", "-"), ", a mistake": (*plain, "--config", "nothing.toml")}
        for way, call in ways.items():
            for what, before in _STREAMS.items():
                yield Attempt(f"{words}{way}, {what}", _start(call, before))
    for what, before in _STREAMS.items():
        yield Attempt(f"bench, a mistake, {what}", _start(("bench", *SERVES, "--n", "-1"), before))
        for option in ("--help", "--version", "--no-such-option"):
            yield Attempt(f"{option}, {what}", _start((option,), before))


def _start(arguments: tuple[str, ...], before: Callable[[], None]) -> Callable[[Path], str | None]:
    def try_in(folder: Path) -> str | None:
        inputs = listing(folder)
        ended = _run(arguments, folder, before)
        after = listing(folder)
        lost = [name for name, kind in inputs.items() if after.get(name) != kind]
        allowed = (*GOOD, *REFUSED, UNREAD)
        said = complaint(Ended(ended.code, ended.out, ended.err or "error: unheard"), folder, allowed)
        return said or (f"{lost[0]} is not what it was" if lost else None)

    return try_in


def _run(arguments: tuple[str, ...], folder: Path, before: Callable[[], None]) -> Ended:
    process = subprocess.Popen(
        [sys.executable, "-c", "from thumbwise.cli.main import main; main()", *arguments],
        cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=before,
    )  # fmt: skip
    try:
        out, err = process.communicate(timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return Ended(None, "", "")
    return Ended(process.returncode, out.decode(errors="backslashreplace"), err.decode(errors="backslashreplace"))
