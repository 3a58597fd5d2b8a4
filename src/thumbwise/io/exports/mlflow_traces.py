"""Traces of MLflow and their assessments, from every kind of file that holds them, checked before they are votes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from thumbwise.io.exports.opened import TABLES, Opened, show
from thumbwise.tables.opened_frames import open_frame
from thumbwise.tables.table_files import Table

HUMAN, LLM_JUDGE, CODE = "HUMAN", "LLM_JUDGE", "CODE"
# AI_JUDGE is an older word; a source that is not said is code, as MLflow has it.
_TYPES = {HUMAN: HUMAN, LLM_JUDGE: LLM_JUDGE, "AI_JUDGE": LLM_JUDGE, CODE: CODE, "SOURCE_TYPE_UNSPECIFIED": CODE}
BY_TRACE, BY_REQUEST, BY_SPAN = "trace_id", "client_request_id", "span_id"
PASSED_ON = ("request_preview", "response_preview", "request", "response")
# What a cell of a table holds as JSON: the assessments, or the whole trace.
_NESTED = (("assessments", ()), ("trace", ("info", "assessments")))
Trace: TypeAlias = dict[str, Any]
Source: TypeAlias = tuple[str, str]


class Assessment(NamedTuple):
    """What one source says of one item.

    Attributes
    ----------
    place : str
        Where it stands in the file.
    item, name : str
    source : tuple of str
        Type and id.
    is_expectation : bool
    value : object
    error : str or None
        What went wrong, if anything did.
    written : str
        When.
    own_id, overrides : str or None
        Its id, and that of the assessment in whose place it stands.
    is_valid : bool
        Whether none stands in its place.
    """

    place: str
    item: str
    name: str
    source: Source
    is_expectation: bool
    value: Any
    error: str | None
    written: str
    own_id: Any
    overrides: Any
    is_valid: bool


def columns_of(frame: Any) -> Table | None:
    """Columns of a frame that ``mlflow.search_traces`` gave, whose cells are lists and objects; None for others."""
    opened = open_frame(frame, "a table of traces")
    if opened is None or not {"trace_id", "assessments"} <= {*opened.columns}:
        return None
    kept = [name for name in ("trace_id", BY_REQUEST, "assessments", *PASSED_ON) if name in opened.columns]
    cells = {name: np.empty(len(opened), dtype=object) for name in kept}
    for name, column in cells.items():
        column[:] = opened.get_column(name).to_list()
    return Table({name: np.ma.asarray(column) for name, column in cells.items()})


def read_traces(opened: Opened) -> Iterator[Trace]:
    """Each trace by its info, or by what stands for it: a row of search_traces, or one assessment."""
    for i, row in enumerate(_rows(opened)):
        info = row.get("info", row)
        if not isinstance(info, dict):
            opened.at(info, f"[{i}].info").refuse("an object")
        if "assessment_name" in info and "assessments" not in info:
            info = {"trace_id": info.get("trace_id"), "assessments": [info], "is_bare": True}
        if not isinstance(info.get("trace_id"), str):
            opened.at(row, f"[{i}]").refuse("a trace or an assessment with its trace_id, a text", show(list(info)))
        if not isinstance(info.get("assessments", []), (list, type(None))):
            info = {**info, "assessments": _nested(opened, info, i)}
        yield info


def _rows(opened: Opened) -> Sequence[dict[str, Any]]:
    if opened.ending in TABLES or opened.frame is not None:
        columns = {name: column.tolist() for name, column in opened.table.columns.items()}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    value = opened.value
    if not isinstance(value, dict):
        return opened.rows
    traces = value.get("traces", [value])
    if not isinstance(traces, list):
        opened.at(traces, "traces").refuse("a list")
    for i, row in enumerate(traces):
        if not isinstance(row, dict):
            opened.at(row, f"traces[{i}]").refuse("an object")
    return traces


def _nested(opened: Opened, row: dict[str, Any], i: int) -> Any:
    """Assessments that a cell holds as JSON; in CSV the whole trace is JSON, and they alone are not."""
    held = row["assessments"]
    if isinstance(held, np.ndarray):  # as Parquet files come into pandas
        return held.tolist()
    for name, inside in _NESTED:
        value = _parsed(row.get(name))
        for part in inside:
            value = value.get(part, []) if isinstance(value, dict) else None
        if isinstance(value, list):
            return value
    return opened.at(held, f"[{i}].assessments").refuse("a list of assessments, as JSON")


def _parsed(text: Any) -> Any:
    try:
        return json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None


def read_assessments(opened: Opened, trace: Trace, place: str, item_by: str) -> Iterator[Assessment]:
    """All assessments of a trace."""
    if item_by == BY_REQUEST:
        _item(opened, trace, {}, item_by, place)
    for j, entry in enumerate(trace.get("assessments") or ()):
        where = f"{place}.assessments[{j}]"
        source = entry.get("source") if isinstance(entry, dict) else None
        name = entry.get("assessment_name", entry.get("name")) if isinstance(entry, dict) else None
        if not isinstance(source, dict) or not isinstance(name, str) or not name:
            opened.at(entry, where).refuse("an assessment with its assessment_name and its source")
        kind = _TYPES.get(str(source.get("source_type")).upper())
        if kind is None:
            opened.at(source.get("source_type"), f"{where}.source.source_type").refuse(f"one of {', '.join(_TYPES)}")
        yield Assessment(
            where,
            _item(opened, trace, entry, item_by, where),
            name,
            (kind, str(source.get("source_id") or "default")),
            *_value(opened, entry, where),
            str(entry.get("last_update_time") or entry.get("last_update_time_ms") or entry.get("create_time") or ""),
            entry.get("assessment_id"),
            entry.get("overrides"),
            entry.get("valid") is not False,
        )


def _item(opened: Opened, trace: Trace, entry: dict[str, Any], item_by: str, where: str) -> str:
    if item_by == BY_TRACE:
        return str(trace["trace_id"])
    value = (entry if item_by == BY_SPAN else trace).get(item_by)
    if not isinstance(value, str) or not value:
        opened.at(value, f"{where}.{item_by}").refuse("an id, a text")
    return f"{trace['trace_id']}/{value}" if item_by == BY_SPAN else value


def _value(opened: Opened, entry: dict[str, Any], where: str) -> tuple[bool, Any, str | None]:
    """Whether it is an expectation, what it says, and what went wrong."""
    expectation, feedback, error = entry.get("expectation"), entry.get("feedback"), entry.get("error")
    if isinstance(expectation, dict):
        # What is stored as JSON is a list or an object.
        return True, expectation.get("serialized_value", expectation.get("value")), None
    if not isinstance(feedback, dict):
        if error is None:
            opened.at(entry, where).refuse("an assessment with feedback or expectation")
        feedback = {}
    error = feedback.get("error") or error
    if isinstance(error, dict):
        error = ": ".join(str(error[name]) for name in ("error_code", "error_message") if error.get(name)) or "error"
    return False, feedback.get("value"), None if error is None else str(error)
