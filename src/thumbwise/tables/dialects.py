"""Dialects of CSV: what separates fields and what quotes them, found from the start of a file, and said.

A delimiter fits if, with it, every record of the start has as many fields as the first one, and at least two. Of those
that are usual (comma, semicolon, tab, pipe) the one that fits is taken; if several fit the file is refused with two
readings. Where none fits, as in a file whose records have different lengths, the one that the names of the columns are
separated by is taken, so that the reader can say which record is wrong. If several fit, those count that stand beside
quotes, where there are quotes.

Quotes are ``"``, doubled inside a field. If no delimiter fits with them, ``"`` with a backslash before quotes inside
(as Spark writes) and ``'`` are tried, in this order; names of columns that are all in ``'`` say that it quotes. Only
the first 2**17 letters are looked at, so the time is bounded, and the same bytes always give the same answer.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from thumbwise.exceptions import InvalidFileError
from thumbwise.tables.file_formats import FileFormat, say_delimiter

DELIMITERS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
USUAL = (",", ";", "\t", "|")
# No field of it is longer than what Python's reader takes.
_LETTERS = 2**17
_SAYS_SEPARATOR = re.compile(r"sep=(.)(\r\n|\n|\r)", re.IGNORECASE)
_WORDS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "pipes (|)", " ": "spaces"}


@dataclass(frozen=True)
class Dialect:
    """How a file of plain UTF-8 separates and quotes fields.

    Attributes
    ----------
    delimiter, quote, escape : str
        One character each; ``escape`` stands before a quote inside a quoted field, and may be the quote itself.
    n_skipped : int
        Lines before the names of the columns: 1 if the first says ``sep=;``, as Excel writes it, otherwise 0.
    """

    delimiter: str = ","
    quote: str = '"'
    escape: str = '"'
    n_skipped: int = 0

    def records(self, lines: Iterable[str], *, strict: bool = True) -> Iterable[list[str]]:
        """The records of some lines, after those that are skipped."""
        is_doubled = self.escape == self.quote
        rest = islice(iter(lines), self.n_skipped, None)
        return csv.reader(
            rest,
            delimiter=self.delimiter,
            quotechar=self.quote,
            strict=strict,
            doublequote=is_doubled,
            escapechar=None if is_doubled else self.escape,
        )


_STYLES = (('"', '"'), ('"', "\\"), ("'", "'"))


def find_dialect(path: Path, ending: str, shown: Path, form: FileFormat) -> tuple[Dialect, str | None]:
    """The dialect of a plain UTF-8 file, and a note if it is another one than its ending says.

    Parameters
    ----------
    path : Path
    ending : str
        What kind of file it is: ``.csv``, ``.tsv`` or ``.txt``.
    shown : Path
        What it is called in messages.
    form : FileFormat
    """
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        text = file.read(_LETTERS)
        is_whole = not file.read(1)
    said = _SAYS_SEPARATOR.match(text)
    n_skipped = 1 if said else 0
    text = text[said.end() :] if said else text
    given = form.delimiter if form.decides else None
    asked = given or (said[1] if said and said[1] not in "\"'" else None)
    quote, escape, fitting = _find_style(text, is_whole, (asked,) if asked else USUAL)
    delimiter = asked or _settle(fitting, text, ending, shown, form)
    note = _note(shown, delimiter, DELIMITERS[ending] if ending != ".txt" else "", quote, escape, said is not None)
    return Dialect(delimiter, quote, escape, n_skipped), None if given and quote == escape == '"' else note


def _find_style(text: str, is_whole: bool, delimiters: Sequence[str]) -> tuple[str, str, list[str]]:
    """Quotes with which some delimiters fit, and these; the plain ones if none does."""
    is_named = _names_are_quoted(text)
    for quote, escape in [_STYLES[2], *_STYLES[:2]] if is_named else _STYLES:
        usable = [sign for sign in delimiters if is_named or _occurs(text, sign, quote, escape)]
        fitting = [sign for sign in usable if _fits(text, is_whole, Dialect(sign, quote, escape))]
        beside = [sign for sign in fitting if quote + sign in text or sign + quote in text]
        if fitting:
            return quote, escape, beside or fitting
    return '"', '"', []


def _occurs(text: str, delimiter: str, quote: str, escape: str) -> bool:
    """Whether unusual quotes occur where they would count, and usual ones do not beside them."""
    if (quote, escape) == ('"', '"'):
        return True
    if quote == '"':
        return '\\"' in text
    before = rf"(?:^|[\r\n{re.escape(delimiter)}])"
    return bool(re.search(before + "'", text)) and not re.search(before + '"', text)


def _names_are_quoted(text: str) -> bool:
    """Whether all names of columns are in single quotes."""
    first = re.split(r"[\r\n]", text, maxsplit=1)[0]
    return any(
        len(names) > 1 and all(len(name) > 1 and name[0] == name[-1] == "'" for name in names)
        for names in (first.split(sign) for sign in USUAL)
    )


def _fits(text: str, is_whole: bool, dialect: Dialect) -> bool:
    """Whether all records have as many fields as the first, two or more; the last may be cut off."""
    lengths: list[int] = []
    try:
        for fields in dialect.records(_lines(text)):
            lengths += [len(fields)] if fields else []
    except csv.Error as error:
        if is_whole or "unexpected end" not in str(error):
            return False
    else:
        lengths = lengths if is_whole or len(lengths) < 2 else lengths[:-1]
    return bool(lengths) and lengths[0] > 1 and len(set(lengths)) == 1


def _lines(text: str) -> list[str]:
    """Lines as Python's reader wants them, line breaks kept; other separators of Unicode are no line breaks."""
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text)


def _settle(fitting: list[str], text: str, ending: str, shown: Path, form: FileFormat) -> str:
    usual = DELIMITERS[ending]
    if not fitting:
        first = next(iter(_lines(text)), "")
        fitting = [sign for sign in USUAL if sign in first]
        if not fitting or usual in fitting:
            return usual
    if len(fitting) == 1:
        return fitting[0]
    if form.delimiter in fitting:
        return str(form.delimiter)
    ours, theirs = ([repr(name) for name in _names(text, sign)[:3]] for sign in fitting[:2])
    raise InvalidFileError(
        f"the delimiter of {shown} must be clear; its fields may be separated by {_WORDS[fitting[0]]}, with columns "
        f"{', '.join(ours)}, or by {_WORDS[fitting[1]]}, with columns {', '.join(theirs)}. Say ",
        say_delimiter(fitting[0]),
        " or ",
        say_delimiter(fitting[1]),
        ".",
    )


def _names(text: str, delimiter: str) -> list[str]:
    return next(iter(Dialect(delimiter).records(_lines(text), strict=False)), [])


def _note(shown: Path, delimiter: str, usual: str, quote: str, escape: str, is_said: bool) -> str | None:
    parts = []
    if delimiter != usual or is_said:
        said = f', as its first line "sep={delimiter}" says' if is_said else ""
        parts.append(f"fields are separated by {_WORDS.get(delimiter, repr(delimiter))}{said}")
    if quote == "'":
        parts.append("fields are quoted by '")
    elif escape != quote:
        parts.append('quotes within fields are written \\"')
    return f"in {shown.name} {' and '.join(parts)}" if parts else None
