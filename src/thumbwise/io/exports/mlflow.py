"""MLflow: assessments of traces, as verdicts of judges and labels by people.

Specification
-------------
- *File*: traces as ``Trace.to_json`` writes them (``info`` with ``trace_id`` and ``assessments``), their ``info``
  alone, rows of ``mlflow.search_traces`` (``trace_id``, ``assessments``, and ``trace``, the JSON of the whole), or
  assessments alone (``trace_id``, ``assessment_name``, ``source``). A .json file holds a list of them, an object with
  ``traces``, or one trace; a .jsonl file one a line; a .csv or .parquet file one a row.
- An assessment has ``assessment_name``, ``source`` with ``source_type`` (HUMAN, LLM_JUDGE, CODE) and ``source_id``, and
  either ``feedback`` with ``value`` or ``error``, or ``expectation`` with ``value`` or ``serialized_value``.
- *Items* are traces, also those without an assessment; or spans, if ``item_id="span_id"``.
- *Judges* are sources that are not HUMAN. The name of an assessment is the question: one of several must be named by
  ``label``. Or ``rule="name"``: each name is a judge of one question.
- ``error`` is a failure, and so is a feedback without a value. True and false are the verdicts "true" and "false", a
  whole number is a verdict and a score, any other number a score alone. Lists and objects are refused.
- *Gold* is what people say of the same question: HUMAN feedback, or an expectation, by the name of the question, by
  ``gold_label``, or the only one whose values are all verdicts of the judges. That is decided by which values occur,
  not by where they fit. Of several of a trace the last written counts, whatever it says.
- An assessment that another one overrides (``valid`` false) still is what its judge said: a person who corrects a
  judge overrides just where the judge erred. It is left out only if the same source overrides itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from thumbwise.exceptions import Argument, InvalidChoiceError, InvalidFileError
from thumbwise.io.exports.exported import Exported, Record, abstained, column_of, failed, voted
from thumbwise.io.exports.opened import LINES, TABLES, Opened, show
from thumbwise.io.roles import Roles
from thumbwise.tables.json_values import Form
from thumbwise.tables.opened_frames import open_frame
from thumbwise.tables.table_files import Table

_TRACES = Form(
    "is no file of MLflow assessments that can be read",
    "Write search_traces() with to_json(orient='records', lines=True) to a .jsonl file, or the to_json() of traces.",
    "deeper than traces are",
)
_HUMAN, _LLM, _CODE = "HUMAN", "LLM_JUDGE", "CODE"
_TYPES = {_HUMAN: _HUMAN, _LLM: _LLM, "AI_JUDGE": _LLM, _CODE: _CODE, "SOURCE_TYPE_UNSPECIFIED": _CODE}
_BY_SOURCE, _BY_NAME = "source", "name"
_ITEMS = ("trace_id", "client_request_id", "span_id")
_PASSED_ON = ("request_preview", "response_preview", "request", "response")


class _Assessment(NamedTuple):
    """An assessment, checked as far as all of them are."""

    place: str
    item: str
    name: str
    source: tuple[str, str]
    is_expectation: bool
    value: Any
    error: str | None
    written: str
    own_id: Any
    overrides: Any
    is_valid: bool


def recognise(opened: Opened) -> bool:
    """By the names of MLflow for traces, rows or assessments."""
    names = opened.names
    if {"trace_id", "assessments"} <= names or {"assessment_name", "source"} <= names:
        return True
    value = opened.value if opened.ending == ".json" else None
    first = value[0] if isinstance(value, list) and value else value
    if isinstance(first, dict):
        traces = first.get("traces")
        first = traces[0] if isinstance(traces, list) and traces else first
        info = first.get("info") if isinstance(first, dict) else None
        return isinstance(info, dict) and "trace_id" in info
    return opened.ending in LINES and {"info", "data"} <= names


def columns_of(frame: Any) -> Table | None:
    """Columns of a frame that ``mlflow.search_traces`` gave, whose cells are lists and objects; None for others."""
    opened = open_frame(frame, "a table of traces")
    if opened is None or not {"trace_id", "assessments"} <= {*opened.columns}:
        return None
    kept = [name for name in ("trace_id", "client_request_id", "assessments", *_PASSED_ON) if name in opened.columns]
    cells = {name: opened.get_column(name).to_list() for name in kept}
    return Table({name: np.ma.asarray(np.array([*column, None], dtype=object)[:-1]) for name, column in cells.items()})


def read(opened: Opened, roles: Roles) -> Exported:
    """Verdicts of judges, gold by people."""
    opened = opened.of(_TRACES)
    item_by = _settle_choice(roles.item_id, _ITEMS, "item_id")
    judge_by = _settle_choice(roles.rule, (_BY_SOURCE, _BY_NAME), "rule")
    traces = list(_traces(opened))
    found = [one for i, trace in enumerate(traces) for one in _assessments(opened, trace, f"[{i}]", item_by)]
    if not found:
        opened.refuse(f"it must hold assessments; none of its {len(traces):,} traces has one")
    superseded = _superseded(found)
    said = [one for one in found if not _is_superseded(one, superseded)]
    question, question_note = _settle_question(opened, said, roles.label, judge_by)
    heard = [one for one in said if _is_judge(one) and question in (None, one.name)]
    if not heard:
        opened.refuse("it must hold feedback of judges (LLM_JUDGE or CODE); all of its assessments are by people")
    names = _judge_names(heard, judge_by)
    records = [_record(opened, one, names[one.source, one.name], roles) for one in heard]
    gold, mark, gold_notes = _gold(opened, said, records, question, roles.gold_label)
    items, rows = _items(traces, found, item_by)
    return Exported(
        "a file of MLflow assessments",
        items,
        records,
        {name: column_of(rows, name) for name in _PASSED_ON if any(row.get(name) is not None for row in rows)},
        gold,
        mark,
        (*question_note, *gold_notes, *_notes(traces, found, said, records)),
    )


def _settle_choice(named: str | None, choices: tuple[str, ...], argument: str) -> str:
    if named is not None and named not in choices:
        raise InvalidChoiceError(
            Argument(argument, repr(named)), f" must be one of {', '.join(map(repr, choices))} for MLflow assessments."
        )
    return named or choices[0]


def _traces(opened: Opened) -> Iterator[dict[str, Any]]:
    """Each trace as its info, or as what stands for it: a row of search_traces, or one assessment."""
    for i, row in enumerate(_rows(opened)):
        info = row.get("info", row)
        if not isinstance(info, dict):
            opened.at(info, f"[{i}].info").refuse("an object")
        if "assessment_name" in info and "assessments" not in info:
            info = {"trace_id": info.get("trace_id"), "assessments": [info], "is_bare": True}
        if not isinstance(info.get("assessments", []), (list, type(None))):
            info = {**info, "assessments": _parsed(opened, info, i)}
        if not isinstance(info.get("trace_id"), str):
            names = "without any" if not info else f"with {show(info)}"
            opened.at(row, f"[{i}]").refuse("a trace or an assessment with its trace_id, a text", f"an object {names}")
        yield info


def _rows(opened: Opened) -> Sequence[dict[str, Any]]:
    if opened.ending in TABLES or opened.frame is not None:
        columns = {name: column.tolist() for name, column in opened.table.columns.items()}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    value = opened.value
    if isinstance(value, dict):
        traces = value.get("traces", [value])
        if not isinstance(traces, list):
            opened.at(traces, "traces").refuse("a list")
        for i, row in enumerate(traces):
            if not isinstance(row, dict):
                opened.at(row, f"traces[{i}]").refuse("an object")
        return traces
    return opened.rows


def _parsed(opened: Opened, row: dict[str, Any], i: int) -> Any:
    """Assessments that a cell holds as JSON, or else those of the whole trace, which is JSON also where they are not."""
    for text, path in ((row.get("assessments"), ()), (row.get("trace"), ("info", "assessments"))):
        if isinstance(text, str):
            try:
                value = json.loads(text)
                for name in path:
                    value = value.get(name, [])
            except (ValueError, RecursionError, AttributeError):
                continue
            if isinstance(value, list):
                return value
    opened.at(row.get("assessments"), f"[{i}].assessments").refuse("a list of assessments, as JSON")


def _assessments(opened: Opened, trace: dict[str, Any], place: str, item_by: str) -> Iterator[_Assessment]:
    entries = trace.get("assessments") or ()
    if item_by == "client_request_id":
        _item(opened, trace, {}, item_by, place)
    for j, entry in enumerate(entries):
        where = f"{place}.assessments[{j}]"
        source = entry.get("source") if isinstance(entry, dict) else None
        name = entry.get("assessment_name", entry.get("name")) if isinstance(entry, dict) else None
        if not isinstance(source, dict) or not isinstance(name, str):
            opened.at(entry, where).refuse("an assessment with its assessment_name and its source")
        kind = _TYPES.get(str(source.get("source_type")).upper())
        if kind is None:
            opened.at(source.get("source_type"), f"{where}.source.source_type").refuse(f"one of {', '.join(_TYPES)}")
        item = _item(opened, trace, entry, item_by, where)
        yield _Assessment(
            where,
            item,
            name,
            (kind, str(source.get("source_id") or "default")),
            *_value(opened, entry, where),
            str(entry.get("last_update_time") or entry.get("last_update_time_ms") or entry.get("create_time") or ""),
            entry.get("assessment_id"),
            entry.get("overrides"),
            entry.get("valid") is not False,
        )


def _item(opened: Opened, trace: dict[str, Any], entry: dict[str, Any], item_by: str, where: str) -> str:
    if item_by == "trace_id":
        return str(trace["trace_id"])
    value = (entry if item_by == "span_id" else trace).get(item_by)
    if not isinstance(value, str) or not value:
        opened.at(value, f"{where}.{item_by}").refuse("an id, a text")
    return f"{trace['trace_id']}/{value}" if item_by == "span_id" else value


def _value(opened: Opened, entry: dict[str, Any], where: str) -> tuple[bool, Any, str | None]:
    """Whether it is an expectation, what it says, and what went wrong."""
    expectation, feedback = entry.get("expectation"), entry.get("feedback")
    if isinstance(expectation, dict):
        stored = expectation.get("serialized_value")
        return True, stored if isinstance(stored, dict) else expectation.get("value"), None
    error = entry.get("error")
    if isinstance(feedback, dict):
        error = feedback.get("error") or error
    elif error is None:
        opened.at(entry, where).refuse("an assessment with feedback or expectation")
    if isinstance(error, dict):
        texts = [str(error[name]) for name in ("error_code", "error_message") if error.get(name)]
        error = ": ".join(texts) or "error"
    value = feedback.get("value") if isinstance(feedback, dict) else None
    return False, value, None if error is None else str(error)


def _superseded(found: Sequence[_Assessment]) -> dict[Any, tuple[str, str]]:
    """Which assessments are overridden, and by which source."""
    return {one.overrides: one.source for one in found if one.overrides is not None and isinstance(one.overrides, str)}


def _is_superseded(one: _Assessment, by: dict[Any, tuple[str, str]]) -> bool:
    return not one.is_valid and (one.source[0] == _HUMAN or by.get(one.own_id) == one.source)


def _is_judge(one: _Assessment) -> bool:
    return not one.is_expectation and one.source[0] != _HUMAN


def _settle_question(
    opened: Opened, said: Sequence[_Assessment], named: str | None, judge_by: str
) -> tuple[str | None, tuple[str, ...]]:
    """The name of the assessments that count; None if each name is a judge."""
    names = list(dict.fromkeys(one.name for one in said if _is_judge(one)))
    if judge_by == _BY_NAME:
        return None, ("each name of assessments is a judge of one question",)
    if named is not None and named in names:
        return named, ()
    if len(names) == 1 and named is None:
        return names[0], (f"verdicts are assessments {names[0]!r}",)
    if not names:
        return None, ()
    raise InvalidFileError(
        f"one question must be judged; the assessments of {opened.path} have {len(names)} names: "
        f"{', '.join(map(repr, names[:10]))}. Say which is meant with ",
        Argument("label", "NAME"),
        ", or that each name is a judge of the same question with ",
        Argument("rule", f'"{_BY_NAME}"'),
        ".",
    )


def _judge_names(heard: Sequence[_Assessment], judge_by: str) -> dict[tuple[tuple[str, str], str], str]:
    """A name for each source and name of assessments; longer ones where short ones would be the same."""
    keys = list(dict.fromkeys((one.source, one.name) for one in heard))
    if judge_by == _BY_SOURCE:
        kinds = {(kind, own): {k for (k, o), _ in keys if o == own} for (kind, own), _ in keys}
        return {key: key[0][1] if len(kinds[key[0]]) == 1 else f"{key[0][1]} ({key[0][0]})" for key in keys}
    sources: dict[str, set[tuple[str, str]]] = {}
    for source, name in keys:
        sources.setdefault(name, set()).add(source)
    return {key: key[1] if len(sources[key[1]]) == 1 else f"{key[1]} by {key[0][1]} ({key[0][0]})" for key in keys}


def _record(opened: Opened, one: _Assessment, judge: str, roles: Roles) -> Record:
    if one.error is not None:
        return failed(one.item, judge, one.error)
    if one.value is None:
        is_declined = roles.null_verdict == "abstained"
        return abstained(one.item, judge) if is_declined else failed(one.item, judge, "no value and no error")
    if isinstance(one.value, (list, dict)):
        opened.at(one.value, f"{one.place}.feedback.value").refuse(
            "a text, a number, true or false; several values of one item are tags, and are not read here"
        )
    return voted(one.item, judge, *_said(one.value))


def _said(value: Any) -> tuple[str | None, float | None]:
    """A value as a verdict and as a number."""
    if isinstance(value, bool):
        return ("true" if value else "false"), None
    if isinstance(value, (int, float)):
        is_whole = float(value).is_integer() and abs(value) < 2**53
        return (str(int(value)) if is_whole else None), float(value)
    return str(value), None


def _gold(
    opened: Opened, said: Sequence[_Assessment], records: Sequence[Record], question: str | None, named: str | None
) -> tuple[dict[str, str], str, tuple[str, ...]]:
    """Labels by people, the mark by which they are known, and notes."""
    by_people = [one for one in said if not _is_judge(one)]
    kinds = {(one.name, one.is_expectation): None for one in by_people}
    chosen = _settle_gold(opened, by_people, list(kinds), {record[2] for record in records}, question, named)
    if chosen is None:
        names = ", ".join(repr(name) for name, _ in list(kinds)[:10])
        why = "not known to be of the question, or no verdicts of the judges"
        return {}, "", (f"what people said is not used, being {why}: {names}",) if kinds else ()
    name, is_expectation = chosen
    labels: dict[str, str] = {}
    n_twice = 0
    for one in sorted(
        (one for one in by_people if (one.name, one.is_expectation) == chosen), key=lambda one: one.written
    ):
        text = None if one.error is not None or isinstance(one.value, (list, dict)) else _label(one.value)
        if text is not None:
            n_twice += labels.get(one.item, text) != text
            labels[one.item] = text
    what = "expectations" if is_expectation else "feedback of source HUMAN"
    notes = [f"{n_twice:,} times people disagreed on a trace; the last written counts"] if n_twice else []
    return labels, f"{what} called {name!r}", tuple(notes)


def _label(value: Any) -> str | None:
    if value is None:
        return None
    verdict, score = _said(value)
    return f"{score:g}" if verdict is None else verdict


def _settle_gold(
    opened: Opened,
    by_people: Sequence[_Assessment],
    kinds: Sequence[tuple[str, bool]],
    verdicts: set[str | None],
    question: str | None,
    named: str | None,
) -> tuple[str, bool] | None:
    if named is not None:
        of_name = [kind for kind in kinds if kind[0] == named]
        if not of_name:
            raise InvalidFileError(
                f"gold must be HUMAN feedback or an expectation of {opened.path}; there is none called {named!r}, but "
                f"{show({kind[0] for kind in kinds})}. Say which with ",
                Argument("gold_label", "NAME"),
                ".",
            )
        return of_name[0]
    same = [kind for kind in kinds if kind[0] == question]
    if same:
        return same[0]
    strange = {
        (one.name, one.is_expectation)
        for one in by_people
        if isinstance(one.value, (list, dict)) or _label(one.value) not in verdicts
    }
    fitting = [kind for kind in kinds if kind not in strange]
    return fitting[0] if len(fitting) == 1 else None


def _items(
    traces: Sequence[dict[str, Any]], found: Sequence[_Assessment], item_by: str
) -> tuple[list[str], list[dict[str, Any]]]:
    """All items in order, and for each what is known of it."""
    if item_by == "span_id":
        items = list(dict.fromkeys(one.item for one in found))
        return items, [{} for _ in items]
    infos: dict[str, dict[str, Any]] = {}
    for trace in traces:
        infos.setdefault(str(trace.get(item_by)), trace)
    return list(infos), list(infos.values())


def _notes(
    traces: Sequence[dict[str, Any]],
    found: Sequence[_Assessment],
    said: Sequence[_Assessment],
    records: Sequence[Record],
) -> Iterator[str]:
    if len(said) < len(found):
        yield f"{len(found) - len(said):,} assessments were overridden by their own source, or by another person: left out"
    n_kept = sum(not one.is_valid for one in said)
    if n_kept:
        yield f"{n_kept:,} verdicts that people overrode still are what the judge said, and count as such"
    if any(record[5] == "no value and no error" for record in records):
        yield "feedback without a value counts as failed"
    if all(trace.get("is_bare") or trace.get("assessments") for trace in traces):
        yield (
            "warning: every trace has an assessment; traces without one may have been left out, and no result holds for "
            "those"
        )
