"""Gold files: read whole, line by line, with a half-written last line reported apart."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from thumbwise.exceptions import InvalidFileError
from thumbwise.io.gold_lines.answers import Answer, parse_answer
from thumbwise.io.gold_lines.fields import LONGEST_LINE, MOST_LINES, check_length, form_of_line
from thumbwise.io.gold_lines.headers import Header, is_header, parse_header
from thumbwise.tables.given_paths import check_plain
from thumbwise.tables.json_values import parse

_ENDINGS = (".jsonl", ".ndjson")


@dataclass(frozen=True)
class GoldLines:
    """What a gold file holds.

    Attributes
    ----------
    header : Header
    answers : tuple of Answer
        In the order of the file.
    n_bytes : int
        Bytes of the lines that are whole, line breaks included. Before anything is appended to a file with a
        half-written last line, it must be cut there.
    is_closed : bool
        Whether the last whole line ends in a line break. If not, one must be written before anything is appended.
    torn : bytes
        A half-written last line: no answer, since whoever gave it was never told that it was kept. A last line that
        only lacks its line break is an answer.
    unknown : tuple of str
        Fields that this version does not know and that were ignored, in order of appearance.
    """

    header: Header
    answers: tuple[Answer, ...] = ()
    n_bytes: int = 0
    is_closed: bool = True
    torn: bytes = b""
    unknown: tuple[str, ...] = ()


def is_gold_lines(path: str | os.PathLike[str]) -> bool:
    """Whether a file of JSON lines begins with the header of a gold file, of whatever version."""
    path = Path(path)
    if path.suffix.lower() not in _ENDINGS or not path.is_file():
        return False
    with path.open("rb") as file:
        first = file.readline(LONGEST_LINE + 1)
    if b'"thumbwise"' not in first or len(first) > LONGEST_LINE:
        return False
    try:
        return is_header(parse(path, first).value)
    except InvalidFileError:
        return first.lstrip().startswith(b'{"thumbwise": "gold"')  # half written; its reader says so


def read_gold_lines(path: str | os.PathLike[str]) -> GoldLines:
    """Read a gold file; the first line that is wrong is an error that says which, and what is wrong with it.

    Nothing is chosen here by what labels say. Limits: lines of 1 MiB, two million answers.

    Parameters
    ----------
    path : path
    """
    path = Path(path)
    check_plain(path)
    try:
        with path.open("rb") as file:
            lines = list(_lines(path, iter(lambda: file.readline(LONGEST_LINE + 1), b"")))
    except OSError as error:
        raise InvalidFileError(f"{path} cannot be read: {error.strerror or error}.") from error
    torn = lines.pop() if lines and is_torn(lines[-1]) else b""
    if not lines:
        raise InvalidFileError(
            f"{path} must begin with the header of a gold file; "
            f"{'its first line is half written' if torn else 'it is empty'}. No answer is in it: delete it and start "
            "again."
        )
    header = parse_header(lines[0], path)
    answers = tuple(parse_answer(line, header, number, path) for number, line in enumerate(lines[1:], 2))
    _check_places(path, answers)
    unknown = dict.fromkeys([*header.unknown, *(name for answer in answers for name in answer.unknown)])
    return GoldLines(header, answers, sum(map(len, lines)), lines[-1].endswith(b"\n"), torn, tuple(unknown))


def is_torn(line: bytes) -> bool:
    """Whether a line neither ends in a line break nor is an object all the same."""
    if line.endswith(b"\n"):
        return False
    try:
        return not isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return True


def _lines(path: Path, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Lines, none of them longer than may be."""
    for number, piece in enumerate(pieces, 1):
        form = form_of_line(number)
        if number > MOST_LINES:
            raise InvalidFileError(f"{path} {form.isnt}: there must be at most {MOST_LINES:,} lines. {form.mend}")
        check_length(path, number, piece)  # a longer one comes in pieces
        yield piece


def _check_places(path: Path, answers: tuple[Answer, ...]) -> None:
    """Refuse an item in two places or strata, or a place of two items; ids that look alike are one."""
    seen: dict[object, tuple[object, int]] = {}
    for number, answer in enumerate(answers, 2):
        item = str(answer.id)
        for key, value in (("item", item), (answer.place, answer.stratum)), (("place", answer.place), item):
            before, line = seen.setdefault(key, (value, number))
            if before != value:
                raise InvalidFileError(
                    f"{path} {form_of_line(number).isnt}: an item must always be in the same place of the draw; "
                    f"{key[0]} {key[1]!r} was with {before!r} in line {line} and is with {value!r} here. "
                    f"{form_of_line(number).mend}"
                )
