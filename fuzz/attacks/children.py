"""Commands that run in children of this process, which has loaded everything, and what is wrong with how they end."""

from __future__ import annotations

import atexit
import importlib
import os
import pkgutil
import re
import resource
import signal
import sys
import time
import traceback
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import typer

import thumbwise
from thumbwise.cli import main as command_line

# Seconds after which a command hangs: of processor time, and of any time while it does nothing.
_BUSY, _IDLE = 60, 120
_CRASHED = 70
_LEFT_BEHIND = re.compile(r"\.thumbwise-[0-9a-f]{12}-[0-9a-f]{16}\.part")
# What an ending may be: all well, an error found by check, a mistake, no guarantee, nobody reads the output.
GOOD, REFUSED = (0, 1), (2, 3)
UNREAD = 141


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code, minus a signal's number, or None if it hung; and all that it said."""

    code: int | None
    out: str
    err: str


def load_all() -> None:
    """Import every module of the package, once: what is forked then starts at once, whoever it runs as.

    A Python in somebody's home is closed to others, so that they cannot import what is imported late.
    """
    for name in ("ascii", "latin_1", "utf_8", "utf_8_sig", "utf_16", "utf_32", "cp1252", "idna"):
        importlib.import_module(f"encodings.{name}")
    for name in ("importlib.readers", "duckdb"):
        importlib.import_module(name)
    for module in pkgutil.walk_packages(thumbwise.__path__, "thumbwise."):
        if "__main__" not in module.name and ".experiments" not in module.name:
            importlib.import_module(module.name)
    _commands().commands["read"].make_context("read", ["votes.csv"])  # what is read by typer is imported then


@cache
def _commands() -> Any:
    """The commands as typer builds them from their signatures, which takes longer than most mistakes do."""
    return typer.main.get_command(command_line.app)


def nothing() -> None:
    """What is done where nothing is to be done."""


def run(
    arguments: Sequence[str],
    folder: Path,
    *,
    before: Callable[[], object] = nothing,
    meanwhile: Callable[[], object] = nothing,
) -> Ended:
    """Run a command in a folder, in a child; ``before`` is called there first, ``meanwhile`` here all the time."""
    places = [folder.parent / f"{folder.name}.{name}" for name in ("stdout", "stderr")]
    child = os.fork()
    if not child:
        _be_command(arguments, folder, places, before)
    code = _wait(child, meanwhile)
    out, err = (path.read_text(encoding="utf-8", errors="backslashreplace") for path in places)
    for path in places:
        path.unlink()
    return Ended(code, out, err)


def _be_command(arguments: Sequence[str], folder: Path, places: Sequence[Path], before: Callable[[], object]) -> None:
    code: object = _CRASHED
    try:
        os.chdir(folder)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for number, path in enumerate(places, start=1):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        resource.setrlimit(resource.RLIMIT_CPU, (_BUSY, _BUSY))
        before()
        _serve_nothing()
        sys.argv = ["thumbwise", *arguments]
        command_line.app = _commands()
        command_line.main()
    except SystemExit as end:
        code = end.code
    except BaseException:  # whatever comes out is what is looked for
        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code if isinstance(code, int) else 0 if code is None else 1)


def _serve_nothing() -> None:
    """The page of ``bench`` would be served until somebody interrupts it."""
    importlib.import_module("thumbwise.cli.bench")._serve = lambda *_: None  # type: ignore[attr-defined]


def _wait(child: int, meanwhile: Callable[[], object]) -> int | None:
    until = time.monotonic() + _IDLE
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        meanwhile()
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def complaint(ended: Ended, folder: Path, allowed: Sequence[int] = (*GOOD, *REFUSED)) -> str | None:
    """What is wrong with how a command ended, or None."""
    if ended.code is None:
        return "hangs"
    if "Traceback (most recent call last)" in ended.err:
        return ended.err.strip().splitlines()[-1]
    if ended.code not in allowed:
        return f"ends with {ended.code}: {ended.err[-300:]!r}"
    if ended.code in REFUSED and not re.match(r"(error: |Usage: )", _last_words(ended.err)):
        return f"is refused by {ended.err[:300]!r}"
    strange = [c for c in ended.out + ended.err if _is_strange(c)]
    if strange:
        return f"prints {strange[:3]}"
    left = [path.name for path in folder.rglob(".thumbwise-*") if _LEFT_BEHIND.fullmatch(path.name)]
    return f"leaves {left[0]} behind" if left else None


def _last_words(err: str) -> str:
    """Messages before an error may be remarks."""
    lines = err.splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith(("error: ", "Usage: "))]
    return "\n".join(lines[starts[-1] :]) if starts else err


def _is_strange(character: str) -> bool:
    """Whether it moves the cursor or turns the text around."""
    if character in "\n":
        return False
    return (
        unicodedata.category(character) in ("Cc", "Cs")
        or character in "\u061c\u200e\u200f\u2028\u2029"
        or (0x202A <= ord(character) <= 0x202E or 0x2066 <= ord(character) <= 0x2069)
    )
