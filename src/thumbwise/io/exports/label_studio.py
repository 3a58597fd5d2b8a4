"""Label Studio: its JSON export as votes or as gold, and drawn items as its tasks, with the draw kept in between.

Specification
-------------
- *Export*: the format that Label Studio calls JSON, a list of tasks with ``data`` and ``annotations``, and with
  ``predictions`` if there are any. An annotation or prediction has ``result``, a list of what was done, of which one
  entry has the type ``choices`` with one choice in ``value.choices``, or the type ``rating`` with a number in
  ``value.rating``. Entries of other types beside it (a comment, a region) are not looked at.
- *Judges*: who made an annotation (``completed_by``, a number, or an object with ``email``), and each
  ``model_version`` of predictions. ``rule`` takes one of these two words, to have only people or only models.
  ``score`` of a prediction is its confidence in its own choice, and is not used.
- ``was_cancelled`` is a skip: abstained, and so is an annotation whose control was left empty. A task without an
  annotation was put to nobody: no person was asked.
- *Gold*: annotations with ``ground_truth``. They are no votes of those who made them, who would be right on each gold
  item by construction. Of several of a task the first that is no skip counts, whatever it says. If only models are
  judges (``rule="model_version"``), the annotations of people are gold, in the way of gold alone.
- *Items* are tasks: by ``data.id`` if each has one, otherwise by the ``id`` of the task; ``item_id`` names another
  field of ``data``. The fields of ``data`` are columns.
- With several controls the one that ``label`` names counts. Several choices in one, and every other shape, are refused,
  with what was found; so are JSON_MIN and CSV, which do not say who skipped what.
- An export leaves out tasks that nobody annotated unless all tasks are asked for; then the items are no whole pool,
  which is noted.
- *Gold alone* (``gold="export.json"``): the choice of the annotation with ``ground_truth``, and else of the first
  that is no skip. ``predictions`` and ``drafts`` are never gold. A task that the export leaves out has no label, which
  shows as a gap in the draw.
- *Tasks*, to be imported: a list of objects ``{"data": {...}}``, one for each drawn item in the order of the draw, with
  the id, the columns passed on, and ``draw`` and ``design``; Label Studio gives ``data`` back as it was.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from thumbwise.exceptions import Argument, InvalidFileError
from thumbwise.io.exports.exported import ABSTAINED, Exported, Record, abstained, column_of, voted
from thumbwise.io.exports.label_studio_acts import (
    Act,
    Task,
    answer_of,
    check_tasks,
    first_given,
    read_annotations,
    read_predictions,
    settle_control,
)
from thumbwise.io.exports.opened import Opened, settle_choice
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
_PEOPLE, _MODELS = "completed_by", "model_version"
_OTHER_FORMATS = {"annotation_id", "annotator", "lead_time"}
_MOST_FIELDS = 200


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


def recognise(opened: Opened) -> bool:
    """A list of tasks; or one of the other formats of Label Studio, which is then refused."""
    if opened.names >= _OTHER_FORMATS:
        return True
    return opened.ending == ENDING and isinstance(opened.value, list) and {"data", "info"} & opened.names == {"data"}


def read(opened: Opened, roles: Roles) -> Exported:
    """Votes of annotators and models, gold by ground truth."""
    opened = opened.of(_EXPORT)
    if opened.names >= _OTHER_FORMATS:
        opened.refuse("it must be of the format JSON; it is CSV or JSON_MIN, which do not say who skipped what")
    who = None if roles.rule is None else settle_choice(roles.rule, (_PEOPLE, _MODELS), "rule", "a Label Studio export")
    tasks = check_tasks(opened)
    by_people = list(read_annotations(opened, tasks))
    by_models = [] if who == _PEOPLE else list(read_predictions(opened, tasks))
    acts = [*by_people, *by_models]
    control = settle_control(opened, acts, roles.label, "label", LABEL)
    ids, field = _settle_ids(opened, tasks, roles.item_id)
    marked = {act.task: act for act in reversed(by_people) if act.is_gold}
    counting = first_given(by_people) if who == _MODELS else marked
    said = {task: answer_of(opened, act, control) for task, act in sorted(counting.items())}
    votes = by_models if who == _MODELS else [act for act in acts if not act.is_gold]
    records = _records(opened, votes, ids, control)
    fields = [task["data"] for task in tasks]
    return Exported(
        "a Label Studio export",
        ids,
        records,
        {name: column_of(fields, name) for name in _field_names(fields) if name != field},
        {ids[task]: answer[0] for task, answer in said.items() if answer is not None},
        "annotations by people" if who == _MODELS else "annotations marked as ground truth",
        (*_settled(field, control), *_notes(tasks, records, votes), *_gold_notes(list(counting.values()), who)),
        heeded=("item_id", "rule", "label"),
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
    tasks = check_tasks(opened)
    acts = list(read_annotations(opened, tasks))
    control = settle_control(opened, acts, control, "gold_label", LABEL)
    said = {task: answer_of(opened, act, control) for task, act in first_given(acts).items()}
    labels = [None if answer is None else answer[0] for answer in map(said.get, range(len(tasks)))]
    fields = [task["data"] for task in tasks]
    names = [name for name in _field_names(fields) if name != LABEL]
    return Table({**{name: as_column(column_of(fields, name)) for name in names}, LABEL: as_column(labels)})


def _field_names(fields: Sequence[dict[str, Any]]) -> list[str]:
    """Names of the fields of items; not more of them than make a table."""
    return list(dict.fromkeys(name for row in fields for name in row if name != "$undefined$"))[:_MOST_FIELDS]


def _records(opened: Opened, votes: Sequence[Act], ids: Sequence[str], control: str) -> list[Record]:
    names = _judge_names(votes)
    records = []
    for act in votes:
        judge, said = names[act.is_person, act.by], answer_of(opened, act, control)
        records.append(abstained(ids[act.task], judge) if said is None else voted(ids[act.task], judge, *said))
    if not any(record[4] != ABSTAINED for record in records):
        opened.refuse(
            f"it must hold votes: predictions, or annotations that are not marked as ground truth; of {len(records):,} "
            "none says anything"
        )
    return records


def _judge_names(votes: Sequence[Act]) -> dict[tuple[bool, Any], str]:
    """A name for each person and model, by which no model is called like a person."""
    names: dict[tuple[bool, Any], str] = {}
    taken: set[str] = set()
    for is_person, by in dict.fromkeys((act.is_person, act.by) for act in votes):
        unnamed = "annotator unknown" if is_person else "prediction"
        name = f"annotator {by}" if is_person and isinstance(by, int) else str(by or unnamed)
        while name in taken:
            name += " (annotator)" if is_person else " (model)"
        names[is_person, by] = name
        taken.add(name)
    return names


def _settle_ids(opened: Opened, tasks: Sequence[Task], named: str | None) -> tuple[list[str], str | None]:
    """Ids of the items; and the field of data that they come from, None if they are those of the tasks."""
    field = "id" if named is None else named
    found = [task["data"].get(field) for task in tasks]
    bad = next((i for i, value in enumerate(found) if type(value) not in (str, int) or value == ""), None)
    if bad is not None and named is not None:
        opened.at(found[bad], f"[{bad}].data.{field}").refuse("an id, a text or a whole number")
    ids = [str(value) for value in found] if bad is None else [str(task.get("id", i)) for i, task in enumerate(tasks)]
    if len(set(ids)) < len(ids):
        seen: set[str] = set()
        twice = next(one for one in ids if one in seen or seen.add(one))  # type: ignore[func-returns-value]
        raise InvalidFileError(
            f"each task of {opened.path} must have an id of its own; {twice!r} occurs more than once. Name a field of "
            "data that holds ids with ",
            Argument("item_id", "NAME"),
            ".",
        )
    return ids, field if bad is None else None


def _settled(field: str | None, control: str) -> tuple[str, str]:
    return f"items are tasks, by their {'id' if field is None else f'data.{field}'}", f"verdicts: control {control!r}"


def _notes(tasks: Sequence[Task], records: Sequence[Record], votes: Sequence[Act]) -> Iterator[str]:
    if all(task["annotations"] for task in tasks):
        yield (
            "warning: every task has an annotation; Label Studio leaves out tasks that were not annotated, or only "
            "skipped, unless all are exported (download_all_tasks=true): if there are others, these items are not the "
            "pool, and no result holds for it"
        )
    n_skips = sum(act.is_skip for act in votes)
    n_empty = sum(record[4] == ABSTAINED for record in records) - n_skips
    if n_skips:
        yield f"{n_skips:,} annotations were skipped (was_cancelled): abstained"
    if n_empty:
        yield f"{n_empty:,} annotations or predictions leave the control empty: abstained"
    guesses = [one for task in tasks for one in task.get("predictions") or ()]
    if any(isinstance(one, dict) and one.get("score") for one in guesses):
        yield "scores of predictions, which are confidences in their own choice, are not used"
    if any(not isinstance(one, dict) for one in guesses):
        yield "predictions that are ids alone are not read; export them whole to have them as judges"


def _gold_notes(counting: Sequence[Act], who: str | None) -> Iterator[str]:
    if not counting:
        return
    yield (
        "annotations by people are gold and no votes"
        if who == _MODELS
        else "annotations marked as ground truth are gold, and no votes of those who made them"
    )
    n_begun = sum(act.is_begun for act in counting)
    if n_begun:
        yield (
            f"warning: {n_begun:,} gold labels began as a prediction (parent_prediction) that a person kept or "
            "changed, and what is filled in beforehand is kept too often"
        )
