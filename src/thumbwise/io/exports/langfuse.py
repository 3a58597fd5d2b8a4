"""Langfuse: scores as its table exports them (JSON, JSON lines or CSV), as its interface lists them, or from a bucket.

Specification
-------------
- *The file*: a row per score: a list of objects, lines of objects, a CSV or Parquet table, or the answer of
  ``GET /api/public/v2/scores``, an object whose ``data`` is the list. Names are those of the interface (``traceId``) or
  those of exports to a bucket (``trace_id``).
- *An item* is what was scored: an observation (``traceId/observationId``), or else a trace, a session or a dataset run.
  Scores of a trace and of its observations are scores of different items.
- *A judge* is the ``name`` of scores whose ``source`` is EVAL (a judge that Langfuse asks) or API (a program); a name
  of both sources is two judges, ``name (EVAL)`` and ``name (API)``.
- *Verdicts*: ``stringValue`` where ``dataType`` is CATEGORICAL; "True" or "False" where it is BOOLEAN, 1 or 0 in
  ``value``. *Scores*: ``value`` where it is NUMERIC. TEXT and CORRECTION say no class and are left out.
- *Failed*: a NUMERIC or BOOLEAN score without a finite value. Langfuse keeps no score where a judge failed, so such an
  item counts as not asked; an item without any score is not in the file at all.
- *Gold*: ``source`` ANNOTATION, with ``authorUserId``. An annotation without an author was written by a program, may be
  prefilled, and is left out. Where a file has no authors at all, as the export of the table, annotations count as gold,
  and the notes say that nobody can tell. Annotations of several names answer several questions: ``gold_label`` names
  the one that counts. Of several annotations of one item the first by ``timestamp`` counts, whatever it says.
- *Columns*: ``scored`` (observation, trace, session or run), ``traceId``, ``traceName``, ``sessionId``, ``userId``,
  ``environment``, where they are there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from thumbwise.io.exports.exported import VOTED, Exported, Record, as_number, as_text, failed
from thumbwise.io.exports.opened import JSON, LINES, TABLES, Opened
from thumbwise.io.exports.people import one_question
from thumbwise.io.roles import Roles
from thumbwise.tables.json_values import Form

_FORM = Form(
    "cannot be read as scores of Langfuse",
    "Export the table of scores as JSON or CSV.",
    "deeper than scores are",
)
# What each field is called: by the interface and the export of the table, and in a bucket.
_NAMES = {
    "traceId": "trace_id",
    "observationId": "observation_id",
    "sessionId": "session_id",
    "datasetRunId": "dataset_run_id",
    "stringValue": "string_value",
    "dataType": "data_type",
    "authorUserId": "author_user_id",
    "traceName": "trace_name",
    "userId": "user_id",
}
_NEEDED = ("name", "source", "value")
_PASSED_ON = ("traceId", "traceName", "sessionId", "userId", "environment")
_USED = (*_NEEDED, *_NAMES, *_NAMES.values(), "timestamp", "environment")
_LEVELS = {"observationId": "observation", "traceId": "trace", "sessionId": "session", "datasetRunId": "run"}
_OTHERS = ("session", "run")
_NOBODY = (None, None)
_JUDGES = ("EVAL", "API")
_PEOPLE = "ANNOTATION"
_TRUTHS = {"true": "True", "false": "False", "1": "True", "0": "False"}


def recognise(opened: Opened) -> bool:
    """Whether a file holds scores, by the names of its fields."""
    value = opened.value
    names: frozenset[str] = opened.names
    if isinstance(value, dict) and isinstance(value.get("data"), list):
        first = next(iter(value["data"]), None)
        names = frozenset(first) if isinstance(first, dict) else frozenset()
    return _are_scores(names)


def _are_scores(names: frozenset[str]) -> bool:
    is_either = [name in names or other in names for name, other in _NAMES.items() if name in ("traceId", "dataType")]
    return {*_NEEDED} <= names and all(is_either)


def read(opened: Opened, roles: Roles) -> Exported:
    """What the scores come to."""
    scores = _Scores(opened.of(_FORM))
    ids = list(dict.fromkeys(item for item in scores.items if item is not None))
    records = scores.records()
    if not records:
        scores.opened.refuse(
            f"no score has the source {' or '.join(_JUDGES)} and can be a vote: there is no judge",
            mend="Export the scores of evaluators too.",
        )
    told = scores.told()
    name, gold = one_question("annotations", told, roles)
    return Exported(
        "a file of scores of Langfuse",
        ids,
        records,
        scores.passed_on(ids),
        gold,
        f"annotations {name!r}" + (" with an author" if scores.has_authors else ""),
        tuple(scores.notes()),
    )


class _Scores:
    """Columns of the scores, and what they come to."""

    def __init__(self, opened: Opened) -> None:
        self.opened = opened
        self.columns, self.n_rows, self.page = _columns(opened)
        missing = [name for name in _NEEDED if name not in self.columns]
        if missing or not self.n_rows:
            opened.refuse(f"every score must have a {missing[0]!r}; there is none" if missing else "it holds no score")
        self.has_authors = "authorUserId" in self.columns
        self.nothing = [None] * self.n_rows
        self.kinds, self.texts, self.values = map(self._of, ("dataType", "stringValue", "value"))
        self.items, self.levels = self._items()
        self.n_prefilled = self.n_texts = self.n_several = self.n_differ = 0

    def _of(self, name: str) -> Sequence[Any]:
        return self.columns.get(name, self.nothing)

    def _items(self) -> tuple[list[str | None], list[str | None]]:
        items: list[str | None] = []
        levels: list[str | None] = []
        level: str | None
        for observation, trace, *others in zip(*(self._of(name) for name in _LEVELS), strict=True):
            if trace and not observation:  # most scores
                level, item = "trace", trace
            elif observation:
                level, item = "observation", f"{trace}/{observation}" if trace else observation
            else:
                level, item = next(((kind, part) for kind, part in zip(_OTHERS, others, strict=True) if part), _NOBODY)
            items.append(item if isinstance(item, str) else as_text(item))
            levels.append(level)
        return items, levels

    def _rows(self, *sources: str) -> Iterator[tuple[int, str, str]]:
        """Scores of some sources that say a class or a number, and belong to an item: row, item and name."""
        kinds = self.kinds
        for row, (item, name, source) in enumerate(zip(self.items, self._of("name"), self._of("source"), strict=True)):
            if source not in sources or item is None or not name:
                continue
            if kinds[row] in ("TEXT", "CORRECTION"):
                self.n_texts += 1
                continue
            yield row, item, str(name)

    def _meaning(self, row: int) -> tuple[str | None, float | None]:
        """Verdict and number of a score."""
        kind, text = self.kinds[row], self.texts[row]
        if kind == "CATEGORICAL" and type(text) is str and text:  # most scores
            return text, None
        text = as_text(text)
        if kind == "CATEGORICAL" or (kind is None and text):
            return text, None
        number = self._number(self.values[row])
        if kind != "BOOLEAN":
            return None, number
        return _TRUTHS.get((text or ("" if number is None else f"{number:g}")).lower()), number

    @staticmethod
    def _number(value: Any) -> float | None:
        if isinstance(value, str):
            try:
                value = float(value)
            except ValueError:
                return None
        return as_number(value)

    def records(self) -> list[Record]:
        """What judges said."""
        rows, of = list(self._rows(*_JUDGES)), self._of("source")
        known = {(name, of[row]) for row, _, name in rows}
        times = Counter(name for name, _ in known)
        judges = {pair: f"{pair[0]} ({pair[1]})" if times[pair[0]] > 1 else pair[0] for pair in known}
        found: list[Record] = []
        for row, item, name in rows:
            verdict, number = self._meaning(row)
            judge = judges[name, of[row]]
            is_empty = verdict is None and number is None
            found.append(failed(item, judge) if is_empty else (item, judge, verdict, number, VOTED, None))
        return found

    def told(self) -> dict[str, dict[str, str]]:
        """What people said, by the name of the score: of several annotations of an item the first."""
        authors, times = self._of("authorUserId"), self._of("timestamp")
        found: dict[str, dict[str, str]] = {}
        others: set[tuple[str, str]] = set()
        differ: set[tuple[str, str]] = set()
        for row, item, name in sorted(self._rows(_PEOPLE), key=lambda place: str(times[place[0]] or "")):
            if self.has_authors and not authors[row]:
                self.n_prefilled += 1
                continue
            verdict, number = self._meaning(row)
            label = verdict if verdict is not None else None if number is None else f"{number:g}"
            if label is None:
                continue
            known = found.setdefault(name, {})
            if item in known:
                others.add((name, item))
                differ |= {(name, item)} if known[item] != label else set()
            known.setdefault(item, label)
        self.n_several, self.n_differ = len(others), len(differ)
        return found

    def passed_on(self, ids: Sequence[str]) -> dict[str, list[Any]]:
        """Columns by item, from the first score of each."""
        first: dict[str, int] = {}
        for row, item in enumerate(self.items):
            if item is not None:
                first.setdefault(item, row)
        rows = [first[item] for item in ids]
        columns: dict[str, list[Any]] = {"scored": [self.levels[row] for row in rows]}
        return columns | {
            name: [as_text(self.columns[name][row]) for row in rows] for name in _PASSED_ON if name in self.columns
        }

    def notes(self) -> Iterator[str]:
        """What was inferred and left out."""
        counts = Counter(dict(zip(self.items, self.levels, strict=True)).values())
        n_nobody = counts.pop(None, 0) and sum(item is None for item in self.items)
        listed = ", ".join(f"{n:,} {level}{'s' * (n > 1)}" for level, n in counts.items())
        yield f"an item is what was scored ({listed}), a judge is the name of scores by EVAL or API"
        if len(counts) > 1:
            yield "scores of a trace and of its observations are scores of different items; column 'scored' tells them"
        yield (
            "only what has a score is in such a file: items on which all judges failed are missing, and a judge that "
            "failed counts as not asked"
        )
        if self.n_texts:
            yield f"left out, because TEXT and CORRECTION say no class: {self.n_texts:,} of {self.n_rows:,} scores"
        if n_nobody:
            yield f"left out, because they belong to no trace, session or run: {n_nobody:,} of {self.n_rows:,} scores"
        if self.n_prefilled:
            yield f"no gold, because they have no author and may be prefilled: {self.n_prefilled:,} annotations"
        if not self.has_authors and _PEOPLE in self._of("source"):
            yield (
                "warning: this file says of no annotation who made it, so that those that a program prefilled cannot "
                "be told from those of people; the interface lists authorUserId"
            )
        if self.n_several:
            yield (
                f"the first annotation counts where there are several: {self.n_several:,} items, {self.n_differ:,} of "
                "them with different ones"
            )
        if self.page:
            yield self.page


def _columns(opened: Opened) -> tuple[dict[str, Sequence[Any]], int, str]:
    """Columns under the names of the interface, how many rows there are, and a warning if there are more elsewhere."""
    page = ""
    opened.need(*JSON, *LINES, *TABLES)
    if opened.ending in (*JSON, *LINES):
        rows: Sequence[Any] = opened.rows
        value = opened.value
        if isinstance(value, dict):
            rows, page = _page(opened, value)
        there: set[str] = set().union(*rows)
        columns: dict[str, Sequence[Any]] = {name: _column(rows, name) for name in _USED if name in there}
    else:
        columns = {name: column.tolist() for name, column in opened.table.columns.items()}
    renamed = {other: name for name, other in _NAMES.items()}
    settled = {renamed.get(name, name): column for name, column in columns.items()}
    return settled, len(next(iter(settled.values()), ())), page


def _column(rows: Sequence[dict[str, Any]], name: str) -> list[Any]:
    try:
        return list(map(itemgetter(name), rows))  # most files have all names in all rows
    except KeyError:
        return [row.get(name) for row in rows]


def _page(opened: Opened, value: Mapping[str, Any]) -> tuple[list[dict[str, Any]], str]:
    rows = value.get("data")
    if not isinstance(rows, list):
        opened.at(value, "").refuse("a list of scores, or an object whose data is one")
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            opened.at(row, f"data[{number}]").refuse("an object")
    meta = value.get("meta")
    total = meta.get("totalItems") if isinstance(meta, dict) else None
    if type(total) is int and total > len(rows):
        return rows, f"warning: these are {len(rows):,} of {total:,} scores: one page of several"
    return rows, ""
