"""Attacks by paths: inputs and outputs that are links, pipes, devices, folders, or names that are none."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random

from fuzz.attacks.attempts import Attempt, attack, calling, inputs, outputs, with_argument
from fuzz.attacks.children import GOOD, REFUSED, complaint, run
from fuzz.attacks.victims import INPUTS, OUTPUTS, listing

_NO_TEXT = os.fsdecode(b"v\xff\xfe")
_LONG = "n" * 300
_TURNED = "a\u202eb\x1b[2Jc\rd\ne\x9b1me"


def _ending(name: str, of: str) -> str:
    return f"{name}{Path(of).suffix}"


def _linked(name: str, to: str) -> Callable[[Path, str], object]:
    """A link of the name, which ends as the file does."""
    return lambda folder, of: (folder / _ending(name, of)).symlink_to(to)


def _copied(name: str) -> Callable[[Path, str], object]:
    """The file under another name, which is then used."""
    return lambda folder, of: (folder / f"{name}{Path(of).suffix}").write_bytes((folder / of).read_bytes())


def _named(name: str) -> Callable[[str], str]:
    return lambda of: f"{name}{Path(of).suffix}"


# A name that takes the place of an input, and what is put there first; the ending stays, so that it is read as before.
_ODD_INPUTS: dict[str, tuple[Callable[[str], str], Callable[[Path, str], object]]] = {
    "nothing": (_named("missing"), lambda folder, of: None),
    "a folder": (_named("place"), lambda folder, of: (folder / f"place{Path(of).suffix}").mkdir()),
    "a pipe": (_named("pipe"), lambda folder, of: os.mkfifo(folder / f"pipe{Path(of).suffix}")),
    "a link to a pipe": (_named("link"), lambda folder, of: _link_to_pipe(folder, f"link{Path(of).suffix}")),
    "a link to /dev/zero": (_named("zero"), _linked("zero", "/dev/zero")),
    "/dev/full": (lambda of: "/dev/full", lambda folder, of: None),
    "/dev/tty": (lambda of: "/dev/tty", lambda folder, of: None),
    "/proc/self/mem": (lambda of: "/proc/self/mem", lambda folder, of: None),
    "/proc/self/status": (lambda of: "/proc/self/status", lambda folder, of: None),
    "a loop of links": (_named("loop"), lambda folder, of: _loop(folder, Path(of).suffix)),
    "a dangling link": (_named("lost"), _linked("lost", "nowhere")),
    "a link that is fine": (_named("fine"), lambda folder, of: (folder / f"fine{Path(of).suffix}").symlink_to(of)),
    "300 letters": (_named(_LONG), lambda folder, of: None),
    "5,000 letters": (_named("x/" * 2500), lambda folder, of: None),
    "a name that is not UTF-8": (_named(_NO_TEXT), _copied(_NO_TEXT)),
    "a name that is not UTF-8 of nothing": (_named(_NO_TEXT), lambda folder, of: None),
    "a name that turns text": (_named(_TURNED), _copied(_TURNED)),
    "a name with wildcards": (_named("v[1]*?"), _copied("v[1]*?")),
    "a name with quotes": (_named("a'b\"c;--"), _copied("a'b\"c;--")),
    "a name with a brace": (_named("{a,b}"), _copied("{a,b}")),
    "a name with spaces": (_named("  "), _copied("  ")),
    "a name of a scheme": (_named("s3:/b"), lambda folder, of: None),
    "a name of the web": (_named("https://127.0.0.1:1/a"), lambda folder, of: None),
    "no bytes": (_named("none"), lambda folder, of: (folder / f"none{Path(of).suffix}").touch()),
    "no letters": (lambda of: "", lambda folder, of: None),
    "a file as folder": (lambda of: f"{of}/{of}", lambda folder, of: None),
    "this folder": (lambda of: ".", lambda folder, of: None),
    "an ending that there is none of": (_named("a.b.c.d"), _copied("a.b.c.d")),
    "standard input, empty": (lambda of: "-", lambda folder, of: None),
    "a wildcard for nothing": (_named("none*"), lambda folder, of: None),
    "a wildcard for a pipe": (_named("pip*"), lambda folder, of: os.mkfifo(folder / f"pipe{Path(of).suffix}")),
}  # fmt: skip


def _link_to_pipe(folder: Path, name: str) -> None:
    os.mkfifo(folder / "pipe")
    (folder / name).symlink_to("pipe")


def _loop(folder: Path, ending: str) -> None:
    (folder / f"loop{ending}").symlink_to(f"pool{ending}")
    (folder / f"pool{ending}").symlink_to(f"loop{ending}")


@attack("odd inputs")
def odd_inputs(_rng: Random) -> Iterator[Attempt]:
    """Every input of every command is something else than a plain file with a plain name; inputs stay as they are."""
    for words, arguments, position in inputs():
        of = arguments[position]
        for what, (name, put) in _ODD_INPUTS.items():
            call = with_argument(arguments, position, name(of))
            yield calling(f"{words}, {of} is {what}", call, partial(_put, put, of), after=_inputs_are_whole)


def _put(put: Callable[[Path, str], object], of: str, folder: Path) -> object:
    return put(folder, of)


def _inputs_are_whole(folder: Path) -> str | None:
    seen = listing(folder)
    lost = [name for name in INPUTS if seen.get(name, "") in ("", "file of b''")]
    return f"{lost[0]} is gone" if lost else None


_ODD_OUTPUTS: dict[str, tuple[Callable[[str], str], Callable[[Path, str], object]]] = {
    "a folder with a file": (_named("place"), lambda folder, of: _full_folder(folder / f"place{Path(of).suffix}")),
    "a pipe": _ODD_INPUTS["a pipe"],
    "a link to a pipe": _ODD_INPUTS["a link to a pipe"],
    "/dev/full": _ODD_INPUTS["/dev/full"],
    "/dev/null": (lambda of: "/dev/null", lambda folder, of: None),
    "a loop of links": _ODD_INPUTS["a loop of links"],
    "a dangling link": _ODD_INPUTS["a dangling link"],
    "a link that dangles in no folder": (
        _named("lost"), _linked("lost", "no/where")
    ),
    "a link to an input": (_named("fine"), _linked("fine", "votes.csv")),
    "another name of an input": (
        _named("hard"), lambda folder, of: (folder / _ending("hard", of)).hardlink_to(folder / "votes.csv")
    ),
    "an input": (lambda of: "votes.csv", lambda folder, of: None),
    "300 letters": _ODD_INPUTS["300 letters"],
    "5,000 letters": _ODD_INPUTS["5,000 letters"],
    "a name that is not UTF-8": (_named(_NO_TEXT), lambda folder, of: None),
    "a name that turns text": (_named(_TURNED), lambda folder, of: None),
    "a name with wildcards": (_named("v[1]*?"), lambda folder, of: None),
    "a name with quotes": (_named("a'b\"c;--"), lambda folder, of: None),
    "a name with a brace": (_named("{a,b}"), lambda folder, of: None),
    "a folder that is not there": (lambda of: f"no/such/{of}", lambda folder, of: None),
    "in a file": (lambda of: f"votes.csv/{of}", lambda folder, of: None),
    "in /proc": (lambda of: f"/proc/{of}", lambda folder, of: None),
    "in /sys": (lambda of: f"/sys/{of}", lambda folder, of: None),
    "no letters": (lambda of: "", lambda folder, of: None),
    "this folder": (lambda of: ".", lambda folder, of: None),
    "the root": (lambda of: "/", lambda folder, of: None),
    "a name of the web": _ODD_INPUTS["a name of the web"],
    "an ending that there is none of": (lambda of: "out.a.b.xyz", lambda folder, of: None),
}  # fmt: skip


def _full_folder(folder: Path) -> None:
    folder.mkdir()
    (folder / "precious.txt").write_text("p", encoding="utf-8")


@attack("odd outputs")
def odd_outputs(_rng: Random) -> Iterator[Attempt]:
    """Every output of every command is something else than a plain file; nothing that was there is lost."""
    for words, arguments, position in outputs():
        of = arguments[position]
        for what, (name, put) in _ODD_OUTPUTS.items():
            call = with_argument(arguments, position, name(of))
            may_replace = words != "bench" and not (of == "made" and call[position] in ("", "."))  # asked for there
            may_replace &= "input" not in what or "votes.csv" in arguments  # of another command, it is just a file
            for more in ((), ("--overwrite",)) if may_replace else ((),):
                yield _keeping(f"{words}, {of} is {what}", (*call, *more), partial(_put, put, of))


def _keeping(words: str, call: tuple[str, ...], put: Callable[[Path], object]) -> Attempt:
    def try_in(folder: Path) -> str | None:
        put(folder)
        before = listing(folder)
        ended = run(call, folder)
        after = listing(folder)
        lost = [name for name, kind in before.items() if after.get(name) != kind]
        return complaint(ended, folder) or (f"{lost[0]} is not what it was" if lost else None)

    return Attempt(f"{words}: thumbwise {' '.join(map(repr, call))}", try_in)


@attack("modes of files that are replaced")
def modes(_rng: Random) -> Iterator[Attempt]:
    """A file that only its owner reads is replaced; while it is, others never see into what takes its place."""
    for words, arguments, position in outputs():
        of = arguments[position]
        if of == "made" or "bench" in words:
            continue
        for mode in (0o600, 0o640, 0o400):
            for is_linked in (False, True):
                yield _replacing(
                    f"{words}, {of} of mode {mode:o}{' by a link' * is_linked}", arguments, of, mode, is_linked
                )


def _replacing(words: str, arguments: tuple[str, ...], of: str, mode: int, is_linked: bool) -> Attempt:
    def try_in(folder: Path) -> str | None:
        home = folder / "elsewhere"
        home.mkdir()
        target = home / of if is_linked else folder / of
        target.write_text("old", encoding="utf-8")
        target.chmod(mode)
        if is_linked:
            (folder / of).symlink_to(target)
        known = {path.name for place in (folder, home) for path in place.iterdir()} | set(OUTPUTS)
        watch = _Watch([folder, home], known)
        ended = run((*arguments, "--overwrite"), folder, before=lambda: os.umask(0), meanwhile=watch.look)
        now = stat.S_IMODE(target.stat().st_mode)
        if ended.code == 0 and now != mode:
            return f"its mode becomes {now:o}"
        if ended.code == 0 and target.read_text(encoding="utf-8") == "old":
            return "it is not replaced"
        return complaint(ended, folder, (*GOOD, *REFUSED)) or watch.seen

    return Attempt(words, try_in)


class _Watch:
    """Looks for a new file in some folders that others may look into."""

    def __init__(self, homes: list[Path], known: set[str]) -> None:
        self.seen: str | None = None
        self._homes, self._known = homes, known

    def look(self) -> None:
        """Look once."""
        for home in self._homes:
            for entry in os.scandir(home):
                self._look_at(entry)

    def _look_at(self, entry: os.DirEntry[str]) -> None:
        try:
            mode = stat.S_IMODE(entry.stat(follow_symlinks=False).st_mode)
        except FileNotFoundError:
            return
        if entry.name not in self._known and mode & 0o077:
            self.seen = f"{entry.name} of mode {mode:o} is seen beside it"
