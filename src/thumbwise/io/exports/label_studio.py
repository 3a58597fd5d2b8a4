"""Label Studio: its JSON export as votes or as gold, and drawn items as its tasks, with the draw kept in between.

Specification
-------------
- *Export*: the format that Label Studio calls JSON, a list of tasks with ``data`` and ``annotations``, and with
  ``predictions`` if they were asked for. An annotation or prediction has ``result``, a list of what was done, of which
  one entry has the type ``choices`` with one choice in ``value.choices``, or the type ``rating`` with a number in
  ``value.rating``. Entries of other types beside it (a comment, a region) are not looked at.
- *Judges*: who made an annotation (``completed_by``, a number, or an object with ``email``), and each
  ``model_version`` of predictions. ``score`` of a prediction is its confidence in its own choice and is not used.
- ``was_cancelled`` is a skip: abstained, and so is an annotation whose control was left empty. A task without an
  annotation was put to nobody: no judge was asked.
- *Gold*: annotations with ``ground_truth``. They are no votes of those who made them, who would be right on each gold
  item by construction. Of several of a task the first that is no skip counts, whatever it says.
- *Items* are tasks: by ``data.id`` if each has one, otherwise by the ``id`` of the task. Fields of ``data`` are
  columns.
- With several controls the one that is named counts. Several choices in one, and every other shape, are refused.
- An export leaves out tasks that nobody annotated unless all tasks are asked for; then the items are no whole pool,
  which is noted.
- *As gold alone* (``gold="export.json"``): the choice of the annotation with ``ground_truth``, and else of the first
  that is no skip. ``predictions`` and ``drafts`` are never gold. A task that the export leaves out has no label, which
  shows as a gap in the draw.
- *Tasks*, to be imported: a list of objects ``{"data": {...}}``, one for each drawn item in the order of the draw, with
  the id, the columns passed on, and ``draw`` and ``design``; Label Studio gives ``data`` back as it was.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from thumbwise.exceptions import Argument, InvalidFileError
from thumbwise.io.exports.exported import Exported, Record, abstained, cell, column_of, voted
from thumbwise.io.exports.opened import Opened, show
from thumbwise.io.roles import Roles
from thumbwise.tables.formats import Column
from thumbwise.tables.frames import as_column
from thumbwise.tables.json_values import Form
from thumbwise.tables.outputs import Kind, check_file
from thumbwise.tables.table_files import Table
from thumbwise.tables.whole_files import replacing

ENDING = ".json"
LABEL = "label"
TASKS = Kind("a list of tasks")
_EXPORT = Form(
    "is no Label Studio export that can be read",
    "Export the project from Label Studio as JSON, with all tasks.",
    "deeper than tasks need",
)
# Types of results that say a class or a number, and where they say it.
_ANSWERS = {"choices": "choices", "rating": "rating"}
_MOST_FIELDS = 200
Task: TypeAlias = dict[str, Any]


def write_tasks(table: Table, path: str | Path) -> None:
    """Write a table to be filled in as a list of tasks, whole or not at all; it has no labels, and none are written."""
    target = check_file(path, TASKS)
    names = [name for name in table.names if name != LABEL]
    columns = [_plain(table.columns[name]) for name in names]
    tasks = [{"data": dict(zip(names, row, strict=True))} for row in zip(*columns, strict=True)]
    with replacing(target) as part:
        part.write_text(json.dumps(tasks, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def _plain(column: Column) -> list[Any]:
    """Values as JSON has them; what is missing or no number is null."""
    return [None if isinstance(value, float) and not np.isfinite(value) else value for value in column.tolist()]


class _Act(NamedTuple):
    """What somebody did with a task: the answers by control; none if it was skipped."""

    task: int
    place: str
    by: Any
    is_person: bool
    is_gold: bool
    is_skip: bool
    answers: dict[str, list[Any]]
    kinds: tuple[str, ...]
    from_prediction: bool = False


def recognise(opened: Opened) -> bool:
    """A list of tasks with annotations; or one that is refused, because it is of another of its formats."""
    return opened.ending == ENDING and isinstance(opened.value, list) and {"data", "annotations"} <= opened.names


def read(opened: Opened, roles: Roles) -> Exported:
    """Votes of annotators and models, gold by ground truth."""
    opened = replace(opened, form=_EXPORT)
    tasks = _tasks(opened)
    acts = [*_annotations(opened, tasks), *_predictions(opened, tasks)]
    control, note = _settle_control(opened, acts, roles.label, "label")
    ids, id_note = _settle_ids(opened, tasks, roles.item_id)
    gold = _true(opened, acts, control)
    names = _judge_names(acts)
    votes = [act for act in acts if not act.is_gold]
    records = [_record(opened, ids[act.task], names[_key(act)], act, control) for act in votes]
    if not records:
        opened.refuse("it must hold votes: annotations that are not marked as ground truth, or predictions; it holds none")
    fields = [task["data"] for task in tasks]
    shown = _field_names(fields)
    return Exported(
        "a Label Studio export",
        ids,
        records,
        {name: column_of(fields, name) for name in shown if name != id_note[0]},
        {ids[task]: text for task, text in gold.items()},
        "annotations marked as ground truth",
        (*id_note[1], *note, *_notes(tasks, votes, records), *_gold_notes(acts, gold)),
    )


def read_export(path: Path, control: str | None = None) -> Table:
    """The table of ids, fields and labels that an export of annotated tasks comes to: gold alone.

    Parameters
    ----------
    path : Path
    control : str, optional
        Name of the control whose choice is the label; absent: the only one.
    """
    opened = Opened(path, _EXPORT)
    tasks = _tasks(opened)
    acts = list(_annotations(opened, tasks))
    control, _ = _settle_control(opened, acts, control, "gold_label")
    first = _first_given(acts)
    labels = [_answer(opened, first[i], control) if i in first else None for i in range(len(tasks))]
    fields = [task["data"] for task in tasks]
    names = [name for name in _field_names(fields) if name != LABEL]
    columns = {name: as_column(column_of(fields, name)) for name in names}
    return Table({**columns, LABEL: as_column([None if label is None else label[0] for label in labels])})


def _field_names(fields: Sequence[dict[str, Any]]) -> list[str]:
    """Names of the fields of items, so many that a table of them stays one."""
    names = dict.fromkeys(name for row in fields for name in row if name != "$undefined$")
    return list(names)[:_MOST_FIELDS]


def _tasks(opened: Opened) -> list[Task]:
    """The tasks of an export, each with its data and annotations."""
    tasks = opened.value
    if not isinstance(tasks, list):
        opened.at(tasks, "").refuse("a list of tasks")
    if not tasks:
        opened.refuse("it holds no task")
    for i, task in enumerate(tasks):
        if not isinstance(task, dict) or "annotations" not in task or not isinstance(task.get("data"), dict):
            names = show(task) if isinstance(task, dict) else type(task).__name__
            hint = "of the format JSON_MIN, of a version before 1.0, or a list of tasks to import"
            opened.at(task, f"[{i}]").refuse("a task with data and annotations", f"{names}; it may be {hint}")
    return tasks


def _annotations(opened: Opened, tasks: Sequence[Task]) -> Iterator[_Act]:
    for i, task in enumerate(tasks):
        annotations = task["annotations"]
        if not isinstance(annotations, list):
            opened.at(annotations, f"[{i}].annotations").refuse("a list")
        for j, annotation in enumerate(annotations):
            place = f"[{i}].annotations[{j}]"
            if not isinstance(annotation, dict) or "result" not in annotation:
                opened.at(annotation, place).refuse(
                    "an annotation with its result; export annotations whole, not their ids"
                )
            is_skip = _is(opened, annotation, "was_cancelled", place)
            is_gold = _is(opened, annotation, "ground_truth", place) and not is_skip
            answers, kinds = _answers(opened, annotation["result"], f"{place}.result")
            begun = annotation.get("parent_prediction") is not None
            by = annotation.get("completed_by")
            yield _Act(i, place, by, True, is_gold and bool(kinds), is_skip, answers, kinds, begun)


def _predictions(opened: Opened, tasks: Sequence[Task]) -> Iterator[_Act]:
    for i, task in enumerate(tasks):
        predictions = task.get("predictions") or ()
        if not isinstance(predictions, (list, tuple)):
            opened.at(predictions, f"[{i}].predictions").refuse("a list")
        for j, prediction in enumerate(predictions):
            if isinstance(prediction, dict) and "result" in prediction:  # others are mere ids
                place = f"[{i}].predictions[{j}]"
                answers, kinds = _answers(opened, prediction["result"], f"{place}.result")
                yield _Act(i, place, prediction.get("model_version"), False, False, False, answers, kinds)


def _is(opened: Opened, annotation: dict[str, Any], name: str, place: str) -> bool:
    value = annotation.get(name)
    if value is not None and not isinstance(value, bool):
        opened.at(value, f"{place}.{name}").refuse("true or false")
    return bool(value)


def _answers(opened: Opened, results: Any, place: str) -> tuple[dict[str, list[Any]], tuple[str, ...]]:
    """Entries that answer, by the names of their controls; and the types of all of them."""
    if not isinstance(results, list):
        opened.at(results, place).refuse("a list")
    answers: dict[str, list[Any]] = {}
    kinds = []
    for k, entry in enumerate(results):
        kind = entry.get("type") if isinstance(entry, dict) else None
        if not isinstance(kind, str):
            opened.at(entry, f"{place}[{k}]").refuse("a result with its type")
        kinds.append(kind)
        if kind in _ANSWERS:
            answers.setdefault(str(entry.get("from_name", "")), []).append(entry)
    return answers, tuple(kinds)


def _settle_control(
    opened: Opened, acts: Sequence[_Act], named: str | None, argument: str
) -> tuple[str, tuple[str, ...]]:
    """The one control that is answered, and a note on it."""
    names = list(dict.fromkeys(name for act in acts if not act.is_skip for name in act.answers))
    if named is not None and named in names:
        return named, ()
    if len(names) == 1 and named in (None, LABEL):
        return names[0], (f"verdicts are those of control {names[0]!r}",)
    if names:
        raise InvalidFileError(
            f"one Choices control of {opened.path} must give the labels; it has {', '.join(map(repr, names[:10]))}. "
            "Say which with ",
            Argument(argument, "NAME"),
            ".",
        )
    other = next((act for act in acts if act.kinds), None)
    if other is not None:
        kinds = sorted({repr(kind) for act in acts for kind in act.kinds})
        opened.at(None, f"{other.place}.result").refuse(
            "a choice of a class, of type 'choices' or 'rating'",
            f"{', '.join(kinds[:10])} in all {len(acts):,} of them: spans and regions are no class of an item",
        )
    return "", ()


def _answer(opened: Opened, act: _Act, control: str) -> tuple[str, float | None] | None:
    """The class or number that was said, as a text and as a number; None if the control was left empty."""
    entries = act.answers.get(control)
    if not entries:
        return None
    kind, value = entries[0]["type"], entries[0].get("value")
    said = value.get(_ANSWERS[kind]) if isinstance(value, dict) else None
    if len(entries) == 1:
        if kind == "choices" and isinstance(said, list) and len(said) == 1 and isinstance(said[0], str):
            return said[0], None
        if kind == "rating" and isinstance(said, (int, float)) and not isinstance(said, bool):
            return f"{said:g}", float(said)
    shown = ", ".join(map(str, said[:5])) if isinstance(said, list) else str(said)
    shown = f"{len(entries)} results" if len(entries) > 1 else shown or "none"
    more = " Several choices of one item are tags, and are not read here." if isinstance(said, list) and said[1:] else ""
    opened.at(entries[0], f"{act.place}.result").refuse(
        f"one choice in value.{_ANSWERS[kind]}, {'a text' if kind == 'choices' else 'a number'}", f"{shown:.60}.{more}".rstrip(".")
    )


def _first_given(acts: Sequence[_Act]) -> dict[int, _Act]:
    """Of each task the annotation that counts as gold: ground truth, or else the first that is no skip."""
    first: dict[int, _Act] = {}
    for act in acts:
        if act.kinds and not act.is_skip:
            held = first.setdefault(act.task, act)
            if act.is_gold and not held.is_gold:
                first[act.task] = act
    return first


def _true(opened: Opened, acts: Sequence[_Act], control: str) -> dict[int, str]:
    """Choices that are marked as ground truth, by task; the first of each."""
    gold: dict[int, str] = {}
    for act in acts:
        if act.is_gold and act.task not in gold:
            said = _answer(opened, act, control)
            if said is not None:
                gold[act.task] = said[0]
    return gold


def _record(opened: Opened, item: str, judge: str, act: _Act, control: str) -> Record:
    said = None if act.is_skip else _answer(opened, act, control)
    return abstained(item, judge) if said is None else voted(item, judge, *said)


def _key(act: _Act) -> tuple[bool, Any]:
    """Who did it, as a key: a person by number or address, a model by its version."""
    by = act.by
    if act.is_person and isinstance(by, dict):
        by = by.get("email") or by.get("id")
    return act.is_person, by if isinstance(by, (str, int)) else None


def _judge_names(acts: Sequence[_Act]) -> dict[tuple[bool, Any], str]:
    """A name for each, by which no model is called like a person."""
    names: dict[tuple[bool, Any], str] = {}
    for key in dict.fromkeys(_key(act) for act in acts):
        is_person, by = key
        if is_person:
            name = by if isinstance(by, str) and by else f"annotator {'unknown' if by is None else by}"
        else:
            name = f"{by}" if by not in (None, "") else "prediction"
        names[key] = name if name not in names.values() else f"{name} ({'annotator' if is_person else 'model'})"
    return names


def _settle_ids(
    opened: Opened, tasks: Sequence[Task], named: str | None
) -> tuple[list[str], tuple[str | None, tuple[str, ...]]]:
    """Ids of the items; and the field that they come from, if it is one of data, with a note."""
    field = named or "id"
    found = [task["data"].get(field) for task in tasks]
    whole = [value if isinstance(value, (str, int)) and value != "" else None for value in found]
    if named is not None and None in whole:
        row = whole.index(None)
        opened.at(found[row], f"[{row}].data.{field}").refuse("an id, a text or a whole number")
    if None not in whole:
        ids, source = [str(value) for value in whole], f"data.{field}"
    else:
        ids, source, field = [str(task.get("id", i)) for i, task in enumerate(tasks)], "id", ""
    if len(set(ids)) < len(ids):
        seen: set[str] = set()
        twice = next(one for one in ids if one in seen or seen.add(one))  # type: ignore[func-returns-value]
        raise InvalidFileError(
            f"each task of {opened.path} must have an id of its own; {source} is {twice!r} more than once. Name a field "
            "of data that holds ids with ",
            Argument("item_id", "NAME"),
            ".",
        )
    return ids, (field or None, (f"items are tasks, by their {source}",))


def _notes(tasks: Sequence[Task], votes: Sequence[_Act], records: Sequence[Record]) -> Iterator[str]:
    if all(task["annotations"] for task in tasks):
        yield (
            "warning: every task has an annotation; Label Studio leaves out tasks that were not annotated, or only "
            "skipped, unless all are exported (download_all_tasks=true): if there are others, these items are not the "
            "pool, and no result holds for it"
        )
    n_skips = sum(act.is_skip for act in votes)
    if n_skips:
        yield f"{n_skips:,} annotations were skipped (was_cancelled): abstained"
    n_empty = sum(record[4] == "abstained" for record in records) - n_skips
    if n_empty:
        yield f"{n_empty:,} annotations or predictions say nothing of this control: abstained"
    if any(isinstance(one, dict) and one.get("score") for task in tasks for one in task.get("predictions") or ()):
        yield "scores of predictions, confidences in their own choice, are not used"
    if any(not isinstance(one, dict) for task in tasks for one in task.get("predictions") or ()):
        yield "predictions that are ids alone are not read; export them whole to have them as judges"


def _gold_notes(acts: Sequence[_Act], gold: dict[int, str]) -> Iterator[str]:
    if not gold:
        return
    yield "annotations marked as ground truth are no votes of those who made them"
    n_begun = len({act.task for act in acts if act.is_gold and act.from_prediction})
    if n_begun:
        yield (
            f"warning: {n_begun:,} of the gold labels began as a prediction (parent_prediction) that a person kept or "
            "changed; labels that were filled in beforehand lean to what they were filled with"
        )
