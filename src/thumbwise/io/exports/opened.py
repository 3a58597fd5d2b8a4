"""A file as it looks before it is known which format it has: its JSON, its lines or its columns, each read once.

Limits: a file has at most 1 GiB, because JSON takes about eight times its size in memory; lists and objects are nested
less than a thousand deep; whole numbers have at most 4,300 digits. Of a field that is given twice in one object the
last counts, as everywhere where JSON is read.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

from thumbwise.exceptions import Argument, InvalidChoiceError, InvalidFileError
from thumbwise.tables.budgets import check_json
from thumbwise.tables.json_values import Form, Node
from thumbwise.tables.table_files import Table, read_table

LARGEST = 2**30
JSON, LINES = (".json",), (".jsonl", ".ndjson")
TABLES = {".csv": ",", ".tsv": "\t", ".parquet": None}
# How much of a file is looked at to tell its format by the first line.
_FIRST = 2**20
PLAIN = Form(
    "cannot be read as the export of an evaluation tool",
    "Export it anew.",
    "deeper than exports are",
)


@dataclass(frozen=True)
class Opened:
    """A file or folder, looked at as far as needed.

    Attributes
    ----------
    path : Path
    form : Form
        What the file should have been, for messages; a format replaces it by its own.
    frame : Table or None
        The columns of a frame, with lists and objects as they are; ``path`` is then but a name for it.
    """

    path: Path
    form: Form = field(default=PLAIN)
    frame: Table | None = None

    def of(self, form: Form) -> Opened:
        """The same file, refused in the words of a format; what was read stays read."""
        same = Opened(self.path, form, self.frame)
        same.__dict__.update({name: value for name, value in self.__dict__.items() if name != "form"})
        return same

    @property
    def ending(self) -> str:
        return self.path.suffix.lower()

    @cached_property
    def value(self) -> Any:
        """What the JSON of a .json file says; None for every other file."""
        return self._parse(self.content) if self.ending in JSON else None

    @cached_property
    def content(self) -> bytes:
        """The bytes of the file."""
        try:
            if self.path.stat().st_size > LARGEST:
                self.refuse(f"it must have at most {LARGEST:,} bytes; it has more")
            content = self.path.read_bytes()
        except FileNotFoundError:
            raise InvalidFileError(f"there is no file {self.path}. Check its name and folder.") from None
        except OSError as error:
            raise InvalidFileError(f"{self.path} cannot be opened: {error.strerror or error}.") from error
        check_json(self.path, content)
        return content

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """Objects of a list in a .json file, or of the lines of a .jsonl file; empty for other files."""
        if self.ending in LINES:
            lines = self.content.split(b"\n")
            rows = [self._parse(line, number) for number, line in enumerate(lines, 1) if line.strip()]
        else:
            rows = self.value if isinstance(self.value, list) else []
        for i, row in enumerate(rows):
            if not isinstance(row, dict):
                self.at(row, f"[{i}]").refuse("an object")
        return rows

    @cached_property
    def table(self) -> Table:
        """The columns of a .csv, .tsv or .parquet file, or of a frame."""
        return read_table(self.path) if self.frame is None else self.frame

    @cached_property
    def names(self) -> frozenset[str]:
        """Names that tell the format: fields of the first object, or columns. Empty if there are none."""
        if self.frame is not None:
            return frozenset(self.frame.names)
        if self.ending in JSON:
            first = self.value[0] if isinstance(self.value, list) and self.value else self.value
            return frozenset(first) if isinstance(first, dict) else frozenset()
        if not self.path.is_file():
            return frozenset()
        if self.ending in LINES:
            return _fields_of(self._first_line())
        if self.ending == ".parquet":
            return frozenset()
        delimiter = TABLES.get(self.ending)
        return frozenset() if delimiter is None else _header_of(self._first_line(), delimiter)

    def at(self, value: Any, place: str) -> Node:
        """A value that knows where it stands, to be refused."""
        return Node(value, place, self.path, self.form)

    def refuse(self, what: str, cause: Exception | None = None, *, mend: str | None = None) -> NoReturn:
        """Raise the error that a bad file gives, with what mends it if that is not what the format says."""
        raise InvalidFileError(f"{self.path} {self.form.isnt}: {what}. {mend or self.form.mend}") from cause

    def need(self, *endings: str) -> None:
        """Refuse a file that ends in none of these."""
        if self.ending not in endings:
            self.refuse(f"it must end in {' or '.join(endings)}; it ends in {self.ending or 'none of them'!r}")

    def _first_line(self) -> str:
        try:
            with self.path.open("rb") as file:
                start = file.read(_FIRST)
        except OSError:
            return ""
        lines = (line for line in start.splitlines() if line.strip())
        return next(lines, b"").decode("utf-8-sig", errors="replace")

    def _parse(self, content: bytes, line: int | None = None) -> Any:
        where = "" if line is None else f"line {line}: "
        try:
            return json.loads(content.decode("utf-8-sig"))
        except RecursionError as error:
            self.refuse(f"{where}lists and objects must not be nested {self.form.needs}; they are", error)
        except ValueError as error:
            gist = f"byte {error.start} is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
            self.refuse(f"{where}it must be JSON in UTF-8, whole to its end; {gist}", error)


def _fields_of(line: str) -> frozenset[str]:
    try:
        first = json.loads(line)
    except (ValueError, RecursionError):
        return frozenset()
    return frozenset(first) if isinstance(first, dict) else frozenset()


def _header_of(line: str, delimiter: str) -> frozenset[str]:
    try:
        return frozenset(next(csv.reader([line], delimiter=delimiter), []))
    except csv.Error:
        return frozenset()


def described(value: Any) -> str:
    """What JSON holds, for a message."""
    first = value[0] if isinstance(value, list) and value else value
    if isinstance(first, dict):
        return f"{'a list of objects' if isinstance(value, list) else 'an object'} with the fields {show(list(first))}"
    return f"a list of {len(value)} values" if isinstance(value, list) else "no list and no object"


def show(names: Sequence[str] | frozenset[str]) -> str:
    """Some names, for a message."""
    listed = sorted(names)
    return ", ".join(map(repr, listed[:10])) + (", ..." if len(listed) > 10 else "") or "none"


def settle_choice(named: str | None, choices: Sequence[str], argument: str, what: str) -> str:
    """One of the words that an argument may be for a format; the first if it is absent."""
    if named is not None and named not in choices:
        raise InvalidChoiceError(
            Argument(argument, repr(named)), f" must be one of {', '.join(map(repr, choices))} for {what}."
        )
    return named or choices[0]
