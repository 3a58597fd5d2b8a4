"""What an export comes to, whichever tool wrote it: items, what each judge did on them, and labels by people.

A reader of a format makes an :class:`Exported` and knows nothing of votes, classes or options; what becomes of it is
the same for all formats (:mod:`thumbwise.io.exports.reading`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Verdict: TypeAlias = str | None
# Item, judge, verdict, score, status, error text. A plain tuple, because there are many.
Record: TypeAlias = tuple[str, str, Verdict, float | None, str, str | None]

# How labels by people are called where columns are named.
GOLD = "gold"
MOST_COLUMNS = 200
VOTED, ABSTAINED, FAILED, NOT_ASKED = "voted", "abstained", "failed", "not_asked"


def voted(item: str, judge: str, verdict: Verdict, score: float | None = None) -> Record:
    """A judge answered: with a verdict, or with a score alone, or with both."""
    return item, judge, verdict, score, VOTED, None


def abstained(item: str, judge: str) -> Record:
    """A judge answered, and declined to judge."""
    return item, judge, None, None, ABSTAINED, None


def failed(item: str, judge: str, error: str | None = None) -> Record:
    """A judge was asked, and gave nothing that can be used."""
    return item, judge, None, None, FAILED, error


def not_asked(item: str, judge: str) -> Record:
    """A judge was not asked. Needed only where the export says so: a pair without a record was not asked either."""
    return item, judge, None, None, NOT_ASKED, None


@dataclass(frozen=True, eq=False)
class Exported:
    """An export, understood.

    Attributes
    ----------
    what : str
        What it was taken for, with its article: "a promptfoo results file".
    item_ids : sequence of str
        All items in order, each once, also those on which no judge was asked.
    records : sequence of Record
        What judges did. A record has a verdict, a score (a number that is no verdict by itself), or both.
    columns : mapping of str to sequence
        Values by item, in the order of ``item_ids``, None where there is none; passed on to what is written.
    gold : mapping of str to str
        Labels by people, by item id.
    gold_mark : str
        By which mark these are known to be labels by people, in words.
    notes : tuple of str
        What was inferred, what was left out, and what to look at.
    id_names : tuple of str
        What ``item_id`` may say, if the format leaves a choice of what an item is.
    heeded : tuple of str
        Arguments on items, judges and verdicts that the format itself heeds; all others of them are refused.
    """

    what: str
    item_ids: Sequence[str]
    records: Sequence[Record]
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    gold: Mapping[str, str] = field(default_factory=dict)
    gold_mark: str = ""
    notes: tuple[str, ...] = ()
    id_names: tuple[str, ...] = ()
    heeded: tuple[str, ...] = ()

    @property
    def judges(self) -> tuple[str, ...]:
        """Names of the judges, in the order of their first record."""
        return tuple(dict.fromkeys(record[1] for record in self.records))


def cell(value: Any) -> Any:
    """A value as a column holds it: text, number or truth value as they are, lists and objects as their JSON."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else value


def columns_of(rows: Sequence[Any], prefix: str) -> dict[str, list[Any]]:
    """A column for each name in some objects; none at all if there are more than ``MOST_COLUMNS`` names.

    A name of its own in each of 100,000 rows would make ten thousand million cells.
    """
    known = [row if isinstance(row, dict) else {} for row in rows]
    names: dict[str, None] = {}
    for row in known:
        names.update(dict.fromkeys(row))
        if len(names) > MOST_COLUMNS:
            return {}
    return {f"{prefix}{name}": [cell(row.get(name)) for row in known] for name in names}


def note_on_names(columns: Mapping[str, Any], rows: Sequence[Any], prefix: str) -> Iterator[str]:
    """A note where :func:`columns_of` left out all columns of some objects."""
    if not any(name.startswith(prefix) for name in columns) and any(isinstance(row, dict) and row for row in rows):
        yield f"not passed on, because they have more than {MOST_COLUMNS} names: {prefix}NAME"


def column_of(rows: Sequence[Mapping[str, Any]], name: str) -> list[Any]:
    """One column of rows that may lack it."""
    return [cell(row.get(name)) for row in rows]


def as_number(value: Any) -> float | None:
    """A finite number as it is, None for anything else."""
    is_number = type(value) is float or (type(value) is int and abs(value) < 2**1000)
    return value if is_number and math.isfinite(value) else None


def as_text(value: Any) -> str | None:
    """A text that says something, or the JSON of what is none; None for nothing."""
    if value is None or isinstance(value, str):
        return value or None
    return json.dumps(value, ensure_ascii=False)
