"""Fields of a line: what each must be, which are unknown, and where an error points to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

from thumbwise.exceptions import InvalidFileError
from thumbwise.tables.json_values import Form, Node, parse

Id: TypeAlias = str | int | float

# A note is a few sentences, a header has a few classes and strata; longer lines are not ours.
LONGEST_LINE = 2**20
MOST_LINES = 2**21
# Beyond this many characters a name is no name.
LONGEST_NAME = 10_000


@dataclass(frozen=True)
class Fields:
    """Fields of an object that are known, by name, and the names of those that are not."""

    known: Mapping[str, Node]
    unknown: tuple[str, ...]

    def __getitem__(self, name: str) -> Node:
        return self.known[name]

    def get(self, name: str) -> Node | None:
        """A field that need not be there; null is as if it were not."""
        node = self.known.get(name)
        return None if node is None or node.value is None else node


def form_of_line(number: int) -> Form:
    """The words for a line that is none of a gold file."""
    return Form(
        f"is no gold file that can be read, at line {number:,}",
        "Undo what was edited, or take the line out.",
        "deeper than an answer needs",
    )


def check_length(path: Path, number: int, line: bytes) -> None:
    """Refuse a line that is longer than any header or answer."""
    form = form_of_line(number)
    if len(line) > LONGEST_LINE:
        raise InvalidFileError(
            f"{path} {form.isnt}: a line must have at most {LONGEST_LINE:,} bytes; found more. {form.mend}"
        )


def parse_line(path: Path, number: int, line: bytes) -> Node:
    """The object on a line of strict JSON."""
    check_length(path, number, line)
    node = parse(path, line, form_of_line(number))
    if not isinstance(node.value, dict):
        node.refuse("an object")
    return node


def fields_of(node: Node, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> Fields:
    """Fields of an object: all that are required, and whatever else; unknown ones are named."""
    known = Node({}, node.place, node.path, node.form)
    if isinstance(node.value, dict):
        known.value.update({name: node.value[name] for name in (*required, *optional) if name in node.value})
    else:
        node.refuse("an object")
    names = known.keys(required, (*required, *optional))
    prefix = f"{node.place}." if node.place else ""
    unknown = sorted(f"{prefix}{name}" for name in node.value.keys() - {*required, *optional})
    return Fields({name: known.child(name) for name in names}, tuple(unknown))


def read_name(node: Node, *, may_be_empty: bool = False) -> str:
    """A text that is no novel."""
    text = node.text()
    if (not text and not may_be_empty) or len(text) > LONGEST_NAME:
        node.refuse(f"a text of {0 if may_be_empty else 1} to {LONGEST_NAME:,} characters")
    return text


def read_time(node: Node) -> str:
    """A time as ISO 8601 writes it, kept as it is written."""
    text = node.text()
    try:
        datetime.fromisoformat(text)
    except ValueError:
        node.refuse("a time such as 2024-05-01T12:30:00+00:00")
    return text


def read_id(node: Node) -> Id:
    """An id: a text or a number."""
    value = node.scalar()
    if value is None or isinstance(value, bool):
        node.refuse("a text or a number")
    return read_name(node) if isinstance(value, str) else value


def read_share(node: Node, *, may_be_one: bool = False) -> float:
    """A number between 0 and 1."""
    share = node.number(0, 1)
    if share == 0 or (share == 1 and not may_be_one):
        node.refuse("more than 0 and at most 1" if may_be_one else "more than 0 and less than 1")
    return share
