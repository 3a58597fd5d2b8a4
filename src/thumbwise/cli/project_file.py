"""A file that says options once, ``thumbwise.toml``: found, checked as a stranger's, and overruled by what is typed.

Keys are options without their dashes. At the top stand those that say how votes and gold are read, and the confidence;
they count for every command that has them. A table with the name of a command holds options of that command. No file
can say where to write, what to replace, or whom to serve.
"""

from __future__ import annotations

import inspect
import os
import stat
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import takewhile
from pathlib import Path
from typing import Any

import typer

from thumbwise.cli.endings import reported
from thumbwise.cli.file_values import Option, take_value
from thumbwise.cli.reading_options import NAMES
from thumbwise.exceptions import InvalidChoiceError, InvalidFileError
from thumbwise.tables.given_paths import check_plain

NAME = "thumbwise.toml"
# Options of the top, besides those that say how votes and gold are read.
_TOP = (*NAMES, "confidence")
# What is said on the command line or not at all: a file that came with somebody's data could do harm with it.
NEVER = {"output", "save", "review", "write", "spill", "json", "overwrite", "host", "port", "no_browser"} | {
    *("quiet", "config", "no_config", "processes")
}
# What the command line says of the first, the file may not contradict by the others.
_RIVALS = {
    "gold": ("gold_column",),
    "gold_column": ("gold", "gold_id", "gold_label"),
    "looks": ("anytime",),
    "anytime": ("looks",),
}
# A key of n parts takes n * n steps to be read; this many bytes of one take two seconds.
_MOST_BYTES = 2**15
# TOML's whole numbers have 64 bits, and no option is more than a list in a table in a table.
_LARGEST, _DEEPEST = 2**63, 4
_USED = "thumbwise.file"


# Options of every command that a file may say, by key.
KNOWN: dict[str, dict[str, Option]] = {}


def remember_options(command: str, parameters: Iterable[inspect.Parameter]) -> None:
    """Learn which options a command has."""
    options = [option for option in map(Option.of, parameters) if option is not None and option.name not in NEVER]
    KNOWN[command] = {option.key: option for option in options}


@dataclass(frozen=True)
class _File:
    """A file of options that a command uses: its path, and what it sets, as it would be typed, by argument."""

    path: Path
    typed: Mapping[str, str]


def use_file(context: typer.Context, path: Path | None) -> Path | None:
    """Take what a file says for what is not typed; called by typer before it looks at other options."""
    is_off = bool(context.params.get("no_config"))
    with reported():
        if path is not None and is_off:
            raise InvalidChoiceError("a file of options is used or not; found both --config and --no-config. Drop one.")
        if is_off or context.resilient_parsing:
            return None
        place = find_file(Path.cwd()) if path is None else path
        if place is not None:
            _apply(context, place)
    return path


def find_file(folder: Path) -> Path | None:
    """The file of a folder, or of one further up in the same repository; without a repository none further up.

    A folder above that anybody can write to, such as /tmp, has no say.
    """
    above = [folder, *folder.parents]
    root = next((place for place in above if (place / ".git").exists()), folder)
    for place in takewhile(lambda place: place == folder or not _is_anybodys(place), above[: above.index(root) + 1]):
        if (place / NAME).is_file():
            return Path(NAME) if place == folder else place / NAME
    return None


def _is_anybodys(folder: Path) -> bool:
    """Whether every user of the machine may put a file there, and a repository around it."""
    return os.name == "posix" and bool(folder.stat().st_mode & stat.S_IWOTH)


def _apply(context: typer.Context, path: Path) -> None:
    command = str(context.info_name)
    content = _parse(path)
    _check_names(path, content)
    own = content.get(command)
    said = {key: value for key, value in content.items() if not _is_table(key, value)}
    said |= own if isinstance(own, dict) else {}
    taken = {
        option.name: (option, take_value(path, key, value, option))
        for key, value in said.items()
        if (option := KNOWN[command].get(_plain(key))) is not None
    }
    context.default_map = {**(context.default_map or {}), **{name: value for name, (_, value) in taken.items()}}
    context.meta[_USED] = _File(path, {name: option.as_typed(value) for name, (option, value) in taken.items()})


def _plain(key: str) -> str:
    return key.replace("_", "-")


def _is_table(key: str, value: object) -> bool:
    """Whether a key of the top is a command with options of its own."""
    return key in KNOWN and isinstance(value, dict)


def _parse(path: Path) -> dict[str, Any]:
    try:
        check_plain(path)
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES + 1)
        if len(text) > _MOST_BYTES:
            raise InvalidFileError(f"{path} must be a file of options of at most {_MOST_BYTES:,} bytes; it has more.")
        content = tomllib.loads(text.decode("utf-8-sig"))
        _check_values(path, content)
        return content
    except OSError as error:
        raise InvalidFileError(f"{path} must be a file of options that can be read; {error.strerror}.") from error
    except (ValueError, RecursionError) as error:  # no TOML, no UTF-8, a number of thousands of digits
        raise InvalidFileError(f"{path} must be TOML in UTF-8; it is not: {str(error)[:200]}.") from error


def _check_values(path: Path, content: Mapping[str, Any]) -> None:
    """Whatever is read can be shown: numbers that are not too long, and no tower of tables."""
    level: list[Any] = [content]
    for _ in range(_DEEPEST):
        level = [value for outer in level for value in (outer.values() if isinstance(outer, dict) else outer)]
        if any(isinstance(value, int) and not -_LARGEST <= value < _LARGEST for value in level):
            raise InvalidFileError(f"{path} must hold whole numbers of at most 64 bits; one is larger. Correct it.")
        level = [value for value in level if isinstance(value, (dict, list))]
    if level:
        raise InvalidFileError(f"{path} must hold options, and tables of them; something lies deeper than any option.")


def _check_names(path: Path, content: Mapping[str, Any]) -> None:
    """Every key must be an option, also of commands other than the one that runs."""
    top = {key for known in KNOWN.values() for key, option in known.items() if option.name in _TOP}
    for key, value in content.items():
        if _is_table(key, value):
            for inner in value:
                _check_key(path, inner, KNOWN[key].keys(), f" in [{key}]")
        else:
            homes = [name for name, known in KNOWN.items() if _plain(key) in known]
            if homes and _plain(key) not in top:
                raise InvalidFileError(
                    f"{path} must say {key!r} in the table of a command, such as [{homes[0]}]: it does not count for "
                    "all commands."
                )
            _check_key(path, key, top, "")


def _check_key(path: Path, key: str, known: Collection[str], where: str) -> None:
    plain = _plain(key)
    if plain in known:
        return
    if plain.replace("-", "_") in NEVER:
        raise InvalidFileError(
            f"{path} must not say {key!r}: where to write, what to replace, what to print and how much of the "
            f"machine to take is said on the command line. Drop it, and say --{plain} there."
        )
    near = get_close_matches(plain, sorted({*known, *([] if where else KNOWN)}), n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"There are {', '.join(sorted(known))}."
    raise InvalidFileError(
        f"{path} must hold options that there are, without their dashes; {key!r}{where} is none. {hint}"
    )


def _is_typed(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def without_rivals(context: typer.Context, given: Mapping[str, Any]) -> dict[str, Any]:
    """What is given, less what a file says of what the command line says otherwise."""
    left = dict(given)
    for name in _silenced(context):
        left[name] = False if left[name] is True else None
    return left


def _silenced(context: typer.Context) -> set[str]:
    """Arguments that the file gives and that what is typed contradicts."""
    said: Mapping[str, str] = {} if _USED not in context.meta else context.meta[_USED].typed
    typed = [name for name in _RIVALS if _is_typed(context, name)]
    return {rival for name in typed for rival in _RIVALS[name] if rival in said and not _is_typed(context, rival)}


def in_words(context: typer.Context) -> Iterator[str]:
    """Which file was used, what it sets, and what of it the command line overrules."""
    used = context.meta.get(_USED)
    if used is None:
        return
    silenced = _silenced(context)
    over = [text for name, text in used.typed.items() if _is_typed(context, name) or name in silenced]
    sets = [text for text in used.typed.values() if text not in over]
    yield f"options from {used.path}: {', '.join(sets) or 'none for this command'}"
    if over:
        yield f"overruled by the command line: {', '.join(over)}"
