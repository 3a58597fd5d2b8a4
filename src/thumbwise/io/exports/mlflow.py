"""MLflow: assessments of traces, as verdicts of judges and labels by people.

Specification
-------------
- *File*: traces as ``Trace.to_json`` writes them (``info`` with ``trace_id`` and ``assessments``), their ``info``
  alone, rows of ``mlflow.search_traces`` (``trace_id``, ``assessments``, and ``trace``, the JSON of the whole), or
  assessments alone (``trace_id``, ``assessment_name``, ``source``). A .json file holds a list of them, an object with
  ``traces``, or one trace; a .jsonl file one a line; a .csv or .parquet file one a row; a frame is taken as it is.
- An assessment has ``assessment_name``, ``source`` with ``source_type`` (HUMAN, LLM_JUDGE, CODE) and ``source_id``, and
  either ``feedback`` with ``value`` or ``error``, or ``expectation`` with ``value`` or ``serialized_value``.
- *Items* are traces, also those without an assessment; ``item_id`` may be "client_request_id", or "span_id" where spans
  are judged.
- *Judges* are sources of feedback that are not HUMAN. The name of an assessment is the question: one of several must be
  named by ``label``. With ``rule="name"`` each name is a judge, and all of them judge one question.
- ``error`` is a failure, and so is a feedback without a value (abstained with ``null_verdict="abstained"``). True and
  false are the verdicts "true" and "false"; a whole number is a verdict and a score, any other number a score alone.
  Lists and objects are refused.
- *Gold* is what people say of the same question: HUMAN feedback or an expectation, by the name of the question, by
  ``gold_label``, or the only kind whose values are all verdicts of the judges. That looks at which values there are,
  and not at whether they fit. Of several on an item the last written counts, whatever it says.
- An assessment that another one overrides (``valid`` false) still is what its judge said: a person who corrects a
  judge overrides it just where it erred. It is left out only if its own source, or of people another one, overrides it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from thumbwise.exceptions import Argument, InvalidFileError
from thumbwise.io.exports.exported import Exported, Record, abstained, as_number, column_of, failed, voted
from thumbwise.io.exports.mlflow_traces import (
    BY_REQUEST,
    BY_SPAN,
    BY_TRACE,
    HUMAN,
    PASSED_ON,
    Assessment,
    Source,
    Trace,
    columns_of,
    read_assessments,
    read_traces,
)
from thumbwise.io.exports.opened import JSON, LINES, Opened, settle_choice, show
from thumbwise.io.roles import Roles
from thumbwise.tables.json_values import Form

__all__ = ["columns_of", "read", "recognise"]

_WHAT = "a file of MLflow assessments"
_TRACES = Form(
    "is no file of MLflow assessments that can be read",
    "Write search_traces() with to_json(orient='records', lines=True) to a .jsonl file.",
    "deeper than traces are",
)
_BY_SOURCE, _BY_NAME = "source", "name"
_NO_VALUE = "no value and no error"


def recognise(opened: Opened) -> bool:
    """By the names that MLflow has for traces, rows or assessments."""
    names = opened.names
    if {"trace_id", "assessments"} <= names or {"assessment_name", "source"} <= names:
        return True
    if opened.ending not in JSON:
        return opened.ending in LINES and {"info", "data"} <= names
    first = opened.value
    while isinstance(first, list) or (isinstance(first, dict) and "traces" in first):
        first = first["traces"] if isinstance(first, dict) else next(iter(first), None)
    return isinstance(first, dict) and isinstance(first.get("info"), dict) and "trace_id" in first["info"]


def read(opened: Opened, roles: Roles) -> Exported:
    """Verdicts of judges, gold by people."""
    opened = opened.of(_TRACES)
    item_by = settle_choice(roles.item_id, (BY_TRACE, BY_REQUEST, BY_SPAN), "item_id", _WHAT)
    judge_by = settle_choice(roles.rule, (_BY_SOURCE, _BY_NAME), "rule", _WHAT)
    traces = list(read_traces(opened))
    found = [one for i, trace in enumerate(traces) for one in read_assessments(opened, trace, f"[{i}]", item_by)]
    if not found:
        opened.refuse(f"it must hold assessments; none of its {len(traces):,} traces has one")
    said = _standing(found)
    question = None if judge_by == _BY_NAME else _settle_question(opened, said, roles.label)
    heard = [one for one in said if _is_judge(one) and question in (None, one.name)]
    if not heard:
        opened.refuse("it must hold feedback of judges, LLM_JUDGE or CODE; all of its assessments are by people")
    names = _judge_names(heard, judge_by)
    records = [_record(opened, one, names[one.source, one.name], roles.null_verdict) for one in heard]
    people = [one for one in said if not _is_judge(one)]
    chosen = _settle_gold(opened, people, {record[2] for record in records}, question, roles.gold_label)
    gold, n_disagree = _gold(people, chosen)
    infos = _items(traces, found, item_by)
    rows = list(infos.values())
    return Exported(
        _WHAT,
        list(infos),
        records,
        {name: column_of(rows, name) for name in PASSED_ON if any(row.get(name) is not None for row in rows)},
        gold,
        _mark(chosen),
        (
            "each name of assessments is a judge" if question is None else f"verdicts: assessments {question!r}",
            *_notes(found, said, records),
            *_gold_notes(people, chosen, n_disagree),
            *_pool_notes(traces),
        ),
        heeded=("item_id", "rule", "label", "null_verdict"),
    )


def _standing(found: Sequence[Assessment]) -> list[Assessment]:
    """Assessments without those that their own source, or of people another one, overrode."""
    by = {one.overrides: one.source for one in found if isinstance(one.overrides, str)}
    return [
        one
        for one in found
        if one.is_valid
        or not (one.source[0] == HUMAN or (isinstance(one.own_id, str) and by.get(one.own_id) == one.source))
    ]


def _is_judge(one: Assessment) -> bool:
    return not one.is_expectation and one.source[0] != HUMAN


def _settle_question(opened: Opened, said: Sequence[Assessment], named: str | None) -> str | None:
    """The name of the assessments that count; None if there is none."""
    names = list(dict.fromkeys(one.name for one in said if _is_judge(one)))
    if not names or named in names or (len(names) == 1 and named is None):
        return named if named in names else next(iter(names), None)
    raise InvalidFileError(
        f"one question must be judged; the assessments of {opened.path} have the names "
        f"{', '.join(map(repr, names[:10]))}. Say which is meant with ",
        Argument("label", "NAME"),
        ", or that each name is a judge of the same question with ",
        Argument("rule", f'"{_BY_NAME}"'),
        ".",
    )


def _judge_names(heard: Sequence[Assessment], judge_by: str) -> dict[tuple[Source, str], str]:
    """A name for each source and name of assessments: a short one unless two would be the same."""
    keys = list(dict.fromkeys((one.source, one.name) for one in heard))
    short = {key: key[1] if judge_by == _BY_NAME else key[0][1] for key in keys}
    judges = {key: key if judge_by == _BY_NAME else key[0] for key in keys}
    of_name: dict[str, set[Any]] = {}
    for key in keys:
        of_name.setdefault(short[key], set()).add(judges[key])
    long = {key: f"{short[key]} ({key[0][0]}{f', {key[0][1]}' if judge_by == _BY_NAME else ''})" for key in keys}
    return {key: short[key] if len(of_name[short[key]]) == 1 else long[key] for key in keys}


def _record(opened: Opened, one: Assessment, judge: str, null_verdict: str | None) -> Record:
    if one.error is not None:
        return failed(one.item, judge, one.error)
    if one.value is None:
        return abstained(one.item, judge) if null_verdict == "abstained" else failed(one.item, judge, _NO_VALUE)
    said = _said(one.value)
    if said is None:
        opened.at(one.value, f"{one.place}.feedback.value").refuse(
            "a text, a finite number, true or false; several values are tags, which are not read from exports"
        )
    return voted(one.item, judge, *said)


def _said(value: Any) -> tuple[str | None, float | None] | None:
    """A value as a verdict and as a number; None for what is neither."""
    if isinstance(value, (str, bool)):
        return (value if isinstance(value, str) else str(value).lower()), None
    number = as_number(value)
    if number is None:
        return None
    is_whole = float(number).is_integer() and abs(number) < 2**53
    return (str(int(number)) if is_whole else None), float(number)


def _label(one: Assessment) -> str | None:
    """What a person says, as a class; None for nothing that could be one."""
    said = None if one.error is not None else _said(one.value)
    return None if said is None else f"{said[1]:g}" if said[0] is None else said[0]


def _settle_gold(
    opened: Opened, people: Sequence[Assessment], verdicts: set[str | None], question: str | None, named: str | None
) -> tuple[str, bool] | None:
    """Which of what people say is gold: its name, and whether it is an expectation."""
    kinds = list(dict.fromkeys((one.name, one.is_expectation) for one in people))
    same = [kind for kind in kinds if kind[0] == (question if named is None else named)]
    if same:
        return same[0]
    if named is not None:
        raise InvalidFileError(
            f"gold must be HUMAN feedback or an expectation of {opened.path}; there is none called {named!r}, but "
            f"{show(frozenset(name for name, _ in kinds))}. Say which with ",
            Argument("gold_label", "NAME"),
            ".",
        )
    strange = {(one.name, one.is_expectation) for one in people if _label(one) not in verdicts}
    fitting = [kind for kind in kinds if kind not in strange]
    return fitting[0] if len(fitting) == 1 else None


def _gold(people: Sequence[Assessment], chosen: tuple[str, bool] | None) -> tuple[dict[str, str], int]:
    """Labels by people, the last written of each item, and how often one differs from an earlier one."""
    labels: dict[str, str] = {}
    n_disagree = 0
    for one in sorted(people, key=lambda one: one.written):
        text = _label(one) if (one.name, one.is_expectation) == chosen else None
        if text is not None:
            n_disagree += labels.get(one.item, text) != text
            labels[one.item] = text
    return labels, n_disagree


def _mark(chosen: tuple[str, bool] | None) -> str:
    return (
        "" if chosen is None else f"{'expectations' if chosen[1] else 'feedback of source HUMAN'} called {chosen[0]!r}"
    )


def _items(traces: Sequence[Trace], found: Sequence[Assessment], item_by: str) -> dict[str, Trace]:
    """All items in order, and for each what is known of it."""
    if item_by == BY_SPAN:
        return {one.item: {} for one in found}
    infos: dict[str, Trace] = {}
    for trace in traces:
        infos.setdefault(str(trace[item_by]), trace)
    return infos


def _notes(found: Sequence[Assessment], said: Sequence[Assessment], records: Sequence[Record]) -> Iterator[str]:
    if len(said) < len(found):
        yield f"{len(found) - len(said):,} assessments are left out, overridden by their own source or another person"
    n_kept = sum(not one.is_valid for one in said)
    if n_kept:
        yield f"{n_kept:,} verdicts that people overrode still are what the judge said, and count as such"
    n_null = sum(record[5] == _NO_VALUE for record in records)
    if n_null:
        yield f"{n_null:,} times feedback has no value: failed"


def _gold_notes(people: Sequence[Assessment], chosen: tuple[str, bool] | None, n_disagree: int) -> Iterator[str]:
    if n_disagree:
        yield f"{n_disagree:,} times people disagree on an item; the last written counts"
    others = dict.fromkeys(one.name for one in people if (one.name, one.is_expectation) != chosen)
    if others:
        yield f"what people say under other names is not used as gold: {show(frozenset(others))}"


def _pool_notes(traces: Sequence[Trace]) -> Iterator[str]:
    if all(trace.get("assessments") for trace in traces):
        yield (
            "warning: every trace has an assessment; if traces without one were left out, these items are not the "
            "pool, and no result holds for it"
        )
