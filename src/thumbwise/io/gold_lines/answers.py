"""Answers: one line each, in the order in which people gave them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from thumbwise.io.gold_lines.fields import Id, check_length, fields_of, parse_line, read_id, read_name, read_time
from thumbwise.io.gold_lines.headers import Header

Kind: TypeAlias = Literal["label", "unclear", "skip", "undo"]
KINDS: tuple[Kind, ...] = ("label", "unclear", "skip", "undo")
_LONGEST_TIME = 10.0**9


@dataclass(frozen=True)
class Answer:
    """What somebody said of an item.

    Attributes
    ----------
    id : str, int or float
    place : int
        Of the item in the draw, from 1.
    answer : str or None
        The class of a label; None for every other kind.
    kind : {"label", "unclear", "skip", "undo"}
        An undo takes back the last answer of the same person to the same item that still stands.
    by : str
        Who answered; may be empty.
    seconds : float or None
        How long it took.
    at : str
        Time, ISO 8601.
    note : str or None
    again : bool
        Whether it is a second answer, asked for to measure agreement: it never counts as gold.
    stratum : str or None
        Of the item, if gold is stratified.
    unknown : tuple of str
        Fields that this version does not know.

    Examples
    --------
    >>> answer = Answer("q7", 1, "pass", "label", "ann", 3.2, "2024-05-01T12:00:09Z")
    >>> print(answer.line())  # doctest: +NORMALIZE_WHITESPACE
    {"id": "q7", "place": 1, "answer": "pass", "kind": "label", "by": "ann", "seconds": 3.2,
     "at": "2024-05-01T12:00:09Z"}
    """

    id: Id
    place: int
    answer: str | None
    kind: Kind
    by: str
    seconds: float | None
    at: str
    note: str | None = None
    again: bool = False
    stratum: str | None = None
    unknown: tuple[str, ...] = field(default=(), compare=False)

    def line(self) -> str:
        """The answer as the file has it, without a line break; a note of a megabyte is refused."""
        names = ("id", "place", "answer", "kind", "by", "seconds", "at")
        optional = {"note": self.note, "again": self.again or None, "stratum": self.stratum}
        fields = {name: getattr(self, name) for name in names}
        fields |= {name: value for name, value in optional.items() if value is not None}
        text = json.dumps(fields, allow_nan=False)
        check_length(Path("the answer"), 1, text.encode())
        return text


def parse_answer(line: bytes, header: Header, number: int = 2, path: Path = Path("the file")) -> Answer:
    """The answer on a line, checked against the header; an error says which field is wrong, in which line."""
    node = parse_line(path, number, line)
    fields = fields_of(node, ("id", "place", "answer", "kind", "by", "at"), ("seconds", "note", "again", "stratum"))
    kind = fields["kind"].text(KINDS)
    if kind != "label" and fields["answer"].value is not None:
        fields["answer"].refuse(f"null, since the kind is {kind!r}")
    seconds, note, again, stratum = (fields.get(name) for name in ("seconds", "note", "again", "stratum"))
    strata = [stratum.name for stratum in header.design.strata]
    if (stratum is None) == bool(strata):
        node.refuse("an object with the stratum of the item if gold is stratified, and without one otherwise")
    return Answer(
        read_id(fields["id"]),
        fields["place"].whole(1, header.items.n),
        fields["answer"].text(header.classes) if kind == "label" else None,
        kind,  # type: ignore[arg-type]  # one of KINDS
        read_name(fields["by"], may_be_empty=True),
        None if seconds is None else seconds.number(0, _LONGEST_TIME),
        read_time(fields["at"]),
        None if note is None else note.text(),
        False if again is None else again.truth(),
        None if stratum is None else stratum.text(strata),
        fields.unknown,
    )
