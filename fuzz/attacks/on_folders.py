"""Attacks by folders: planted names beside what is written, and processes that write to one place at the same time."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from fuzz.attacks.attempts import Attempt, attack, calls
from fuzz.attacks.children import complaint, run
from fuzz.attacks.victims import OUTPUTS, listing
from thumbwise.tables import whole_files

_N_PROCESSES, _N_TIMES = 4, 200


def _own(digit: str, machine: str | None = None) -> str:
    """A name that a workspace of this machine, or of another, has."""
    return f".thumbwise-{machine or whole_files._machine()}-{digit * 16}.part"


def _old_link(folder: Path, name: str) -> None:
    (folder / name).mkdir()
    (folder / name / "old").symlink_to(folder.parent / "outside")


def _old_of(folder: Path, name: str, put: Callable[[Path], object]) -> None:
    (folder / name / "old").mkdir(parents=True)
    put(folder / name / "old")


def _new_link(folder: Path, name: str) -> None:
    (folder / name).mkdir()
    (folder / name / "new").symlink_to(folder / "votes.csv")


# What is planted. Workspaces that look dead are removed, or given back; all the rest must stay as it was.
_DEAD: dict[str, Callable[[Path], object]] = {
    "a dead workspace": lambda folder: (folder / _own("1")).mkdir(),
    "a dead one with a link to a folder": lambda folder: _old_link(folder, _own("2")),
    "a dead one of another machine with such a link": lambda folder: _old_link(folder, _own("3", "0" * 12)),
    "a dead one that gives back a file of votes": lambda folder: _old_of(
        folder, _own("4"), lambda old: (old / "votes.csv").write_text("planted", encoding="utf-8")
    ),
    "a dead one that gives back a link": lambda folder: _old_of(
        folder, _own("5"), lambda old: (old / "gold.csv").symlink_to("/etc/passwd")
    ),
    "a dead one that nobody may read": lambda folder: (folder / _own("6")).mkdir(mode=0),
    "a dead one with a loop of links": lambda folder: _old_of(
        folder, _own("7"), lambda old: (old / "loop").symlink_to("loop")
    ),
    "a dead one with a pipe": lambda folder: _old_of(folder, _own("8"), lambda old: os.mkfifo(old / "pipe")),
    "a dead one whose parts are links": lambda folder: _new_link(folder, _own("9")),
}
_OTHER: dict[str, Callable[[Path], object]] = {
    "a number that no process has": lambda folder: (
        folder / ".thumbwise-99999999999999999999-0123456789abcdef.part"
    ).write_text("x", encoding="utf-8"),
    "a file of the name": lambda folder: (folder / _own("a")).write_text("x", encoding="utf-8"),
    "a dangling link of the name": lambda folder: (folder / _own("b")).symlink_to("nowhere"),
    "a loop of the name": lambda folder: (folder / _own("c")).symlink_to(_own("c")),
    "a pipe of the name": lambda folder: os.mkfifo(folder / _own("d")),
    "a link of the name to a folder": lambda folder: (folder / _own("e")).symlink_to(folder.parent / "outside"),
    "names that are not UTF-8": lambda folder: (folder / os.fsdecode(b".thumbwise-\xff.part")).touch(),
    "a name of digits elsewhere": lambda folder: (folder / ".thumbwise-\u0663\u0663-0.part").mkdir(),
    "a name with a line break": lambda folder: (folder / (_own("f") + "\n")).mkdir(),
    "a long name": lambda folder: (folder / (".thumbwise-" + "0" * 200 + ".part")).touch(),
}


@attack("names planted beside outputs")
def planted(rng: Random) -> Iterator[Attempt]:
    """Each alone, and many at once: every command does what it would, and nothing else is touched."""
    mess = {**_DEAD, **_OTHER}
    for words, arguments in calls():
        for what in mess:
            yield _beside(f"{words} beside {what}", arguments, [what])
        for _ in range(3):
            chosen = rng.sample(sorted(mess), 10)
            yield _beside(f"{words} beside {'; '.join(chosen)}", arguments, chosen)


def _beside(words: str, arguments: tuple[str, ...], chosen: list[str]) -> Attempt:
    def try_in(folder: Path) -> str | None:
        (folder.parent / "outside").mkdir()
        (folder.parent / "outside" / "precious").write_text("p", encoding="utf-8")
        before = listing(folder)
        for what in chosen:
            (_DEAD | _OTHER)[what](folder)
        planted = listing(folder)
        ended = run(arguments, folder)
        if ended.code != 0:
            return complaint(ended, folder) or f"is refused: {ended.err[:300]!r}"
        after = listing(folder)
        kept = {name: kind for name, kind in planted.items() if name in before or not _may_go(name)}
        lost = [name for name, kind in kept.items() if after.get(name) != kind]
        more = [name for name in after if name not in planted and name.split("/")[0] not in (*OUTPUTS, "loop", "pipe")]
        if not (folder.parent / "outside" / "precious").exists():
            return "a file of another folder is gone"
        return f"{lost[0]!r} is not what it was" if lost else f"{more[0]!r} is there now" if more else None

    return Attempt(words, try_in)


def _may_go(name: str) -> bool:
    return any(
        name.split("/", maxsplit=1)[0] == _own(digit, machine) for digit in "123456789" for machine in (None, "0" * 12)
    )


_REPLACE = """
import sys
from pathlib import Path
from thumbwise.tables import whole_files as whole
target, kind, way, n_times = Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
if way == "in steps":
    whole.exchange = lambda first, second: False
for i in range(n_times):
    with (whole.replacing_folder if kind == "folder" else whole.replacing)(target) as part:
        if kind == "folder":
            part.mkdir()
            for name in "ab":
                (part / name).write_text(f"{sys.argv[5]} {i}")
        else:
            part.write_text(f"{sys.argv[5]} {i}" * 1000)
"""


@attack("processes that replace one target")
def races(_rng: Random) -> Iterator[Attempt]:
    """Four processes at once, two hundred times each, in both ways that systems have: 1,600 times a folder."""
    for kind in ("folder", "file"):
        for way in ("in one step", "in steps"):
            yield Attempt(f"{_N_PROCESSES * _N_TIMES} times a {kind}, {way}", _race(kind, way))


def _race(kind: str, way: str) -> Callable[[Path], str | None]:
    def try_in(folder: Path) -> str | None:
        (folder / "home").mkdir()
        call = [sys.executable, "-c", _REPLACE, str(folder / "home" / "target"), kind, way, str(_N_TIMES)]
        running = [
            subprocess.Popen([*call, str(number)], stderr=subprocess.PIPE, text=True) for number in range(_N_PROCESSES)
        ]
        said = [process.communicate()[1] for process in running]
        if any(process.returncode for process in running):
            return next(text for text in said if text).splitlines()[-1]
        left = listing(folder / "home")
        if kind == "file":
            return None if list(left) == ["target"] else f"there is {list(left)}"
        if list(left) != ["target", "target/a", "target/b"] or left["target/a"] != left["target/b"]:
            return f"there is {left}"
        return None

    return try_in
