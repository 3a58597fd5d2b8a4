"""Outputs that would touch an input: the same file under any name, in a folder that is read, or found by wildcards."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from glob import glob, has_magic
from pathlib import Path

from thumbwise.exceptions import InvalidFileError
from thumbwise.tables.given_paths import real_place

# What the files of a folder of labels are called.
_SUCH_AS = "data_0.parquet"


def check_apart(
    target: Path, inputs: Sequence[str | Path | None], *, shown: str | Path, is_folder: bool = False
) -> None:
    """Refuse an output that is an input, lies in one, holds one, or would be found by the wildcards of one.

    Parameters
    ----------
    target : Path
        Where the output really lies.
    inputs : sequence of paths
        Files, folders or wildcard patterns; None is no input.
    shown : path
        The output as the user wrote it.
    is_folder : bool
        Whether the output is a folder of files.
    """
    for given in inputs:
        if given is not None:
            why = _find_overlap(target, Path(given), is_folder)
            if why is not None:
                raise InvalidFileError(
                    f"the output must not be one of the inputs, lie in one or hold one; {shown} {why} {given}. Choose "
                    "another name."
                )


def check_different(outputs: Sequence[str | Path | None]) -> None:
    """Refuse two outputs that are one file, or of which one would lie in the other; None is no output."""
    given = [output for output in outputs if output is not None]
    places = [real_place(output) for output in given]
    for j, place in enumerate(places):
        for i, other in enumerate(places[:j]):
            if place == other or _is_same(place, other) or place in other.parents or other in place.parents:
                what = "are one file" if place == other or _is_same(place, other) else "lie in each other"
                raise InvalidFileError(
                    f"each output must be a file of its own; {given[i]} and {given[j]} {what}. Choose another name "
                    "for one of them."
                )


def _find_overlap(target: Path, given: Path, is_folder: bool) -> str | None:
    place = real_place(given)
    if target == place:
        return "is"
    if given.is_dir() and place in target.parents:
        return "lies in"
    files = [Path(path) for path in _files_of(given)]
    if is_folder and any(target in real_place(path).parents for path in [given, *files]):
        return "holds files of"
    if any(_is_same(target, path) for path in files):
        return "is a file of"
    if not given.exists() and _would_be_found(target / _SUCH_AS if is_folder else target, str(given)):
        return "would be found by"
    return None


def _files_of(given: Path) -> Iterator[str]:
    """The files that an input stands for."""
    if given.is_dir():
        yield from (entry.path for entry in os.scandir(given))
    elif not given.exists() and has_magic(str(given)):
        yield from glob(str(given), recursive=True, include_hidden=True)  # noqa: PTH207  # a whole pattern
    else:
        yield str(given)


def _is_same(target: Path, path: Path) -> bool:
    try:
        return target.samefile(path)
    except OSError:
        return False


def _would_be_found(target: Path, pattern: str) -> bool:
    """Whether a pattern means this path; the folders before the first wildcard may be links."""
    parts = Path(os.path.abspath(pattern)).parts  # noqa: PTH100  # Path.absolute keeps "..", resolve follows links
    fixed = next((j for j, part in enumerate(parts) if has_magic(part)), len(parts))
    real = real_place(Path(*parts[:fixed])).parts
    return _match(target.parts, (*real, *parts[fixed:]), len(real))


def _match(path: Sequence[str], pattern: Sequence[str], n_fixed: int) -> bool:
    if tuple(path[:n_fixed]) != tuple(pattern[:n_fixed]):
        return False
    return _match_parts(path[n_fixed:], pattern[n_fixed:])


def _match_parts(path: Sequence[str], pattern: Sequence[str]) -> bool:
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(_match_parts(path[j:], pattern[1:]) for j in range(len(path) + 1))
    return bool(path) and fnmatchcase(path[0], pattern[0]) and _match_parts(path[1:], pattern[1:])
