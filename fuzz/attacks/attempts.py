"""Attempts: one hostile thing each, in a folder of its own; attacks are many of a kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from fuzz.attacks.children import GOOD, REFUSED, complaint, nothing, run
from fuzz.attacks.victims import COMMANDS, INPUTS, LAZY, OUTPUTS, SERVES


@dataclass(frozen=True)
class Attempt:
    """What is tried, in words, and what tries it in a folder of victims: it returns what went wrong, or None."""

    words: str
    try_in: Callable[[Path], str | None]


Attack = Callable[[Random], Iterator[Attempt]]
ATTACKS: dict[str, Attack] = {}


def attack(name: str) -> Callable[[Attack], Attack]:
    """Register an attack under what the table calls it."""

    def register(made: Attack) -> Attack:
        ATTACKS[name] = made
        return made

    return register


def calling(
    words: str,
    arguments: Sequence[str],
    prepare: Callable[[Path], object] = lambda folder: None,
    *,
    before: Callable[[], object] = nothing,
    allowed: Sequence[int] = (*GOOD, *REFUSED),
    after: Callable[[Path], str | None] = lambda folder: None,
) -> Attempt:
    """Prepare a folder, run a command there, and look at how it ended and at what it left."""

    def try_in(folder: Path) -> str | None:
        prepare(folder)
        ended = run(arguments, folder, before=before)
        return complaint(ended, folder, allowed) or after(folder)

    return Attempt(f"{words}: thumbwise {' '.join(map(repr, arguments))}", try_in)


def calls() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every command, eagerly and lazily, with its arguments."""
    for name, arguments in COMMANDS.items():
        yield name, (name, *arguments)
    for name, arguments in LAZY.items():
        yield f"{name} of many files", (name, *arguments)


def places(names: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Every argument of every command that is one of these files: the command's words, its arguments, and where."""
    for words, arguments in [*calls(), ("bench", ("bench", *SERVES))]:
        for position, argument in enumerate(arguments):
            if argument in names:
                yield words, arguments, position


def inputs() -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Every place of an input."""
    return places(INPUTS)


def outputs() -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Every place of an output."""
    return places(OUTPUTS)


def with_argument(arguments: Sequence[str], position: int, value: str) -> tuple[str, ...]:
    """The arguments with another one in a place."""
    return (*arguments[:position], value, *arguments[position + 1 :])
