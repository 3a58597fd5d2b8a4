"""Label Studio: drawn items as its tasks, and its JSON export as a gold table, with the draw kept in between.

Specification
-------------
- *Tasks*: a JSON list of objects ``{"data": {...}}``, one for each drawn item in the order of the draw. ``data`` holds
  the id, the columns passed on, and ``draw`` and ``design``; Label Studio gives ``data`` back as it was.
- *Export*: the format that Label Studio calls JSON, a list of tasks with ``data`` and ``annotations``. An annotation
  has ``result``, a list of what was done, of which one entry has the type ``choices`` and one choice in
  ``value.choices``; entries of other types beside it (a comment, a rating) are not looked at.
- ``was_cancelled`` is a skip: no label. An annotation with an empty ``result`` is none either. Of several annotations
  of a task one with ``ground_truth`` counts, and else the first that is no skip: neither depends on what it says.
- ``predictions`` and ``drafts`` are never gold. A task that the export leaves out has no label, which shows as a gap
  in the draw.
- With several Choices controls the one that is named counts. Several choices in one, and every other shape, are
  refused, with what was found.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from thumbwise.exceptions import Argument, InvalidFileError
from thumbwise.models.saved.schema import Form, Node, parse
from thumbwise.tables.formats import Column
from thumbwise.tables.frames import as_column
from thumbwise.tables.given_paths import check_plain
from thumbwise.tables.outputs import Kind, check_file
from thumbwise.tables.table_files import Table
from thumbwise.tables.whole_files import replacing

ENDING = ".json"
LABEL = "label"
TASKS = Kind("a list of tasks")
_EXPORT = Form(
    "is no Label Studio export that can be read as gold",
    "Export the project from Label Studio as JSON, with all tasks.",
    "deeper than tasks need",
)
_LARGEST = 2**30


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


def read_export(path: Path, control: str | None = None) -> Table:
    """The table of ids, fields and labels that an export of annotated tasks comes to.

    Parameters
    ----------
    path : Path
    control : str, optional
        Name of the Choices control whose choice is the label; absent: the only one.
    """
    tasks = _open(path).items()
    if not tasks:
        raise InvalidFileError(f"{path} {_EXPORT.isnt}: it holds no task. {_EXPORT.mend}")
    fields = [_fields(task) for task in tasks]
    control = _settle_control(path, tasks, control)
    labels = [_label_of(task, control) for task in tasks]
    names = [name for name in dict.fromkeys(name for row in fields for name in row) if name != LABEL]
    columns = {name: as_column([row.get(name) for row in fields]) for name in names}
    return Table({**columns, LABEL: as_column(labels)})


def _open(path: Path) -> Node:
    try:
        check_plain(path)
        if path.stat().st_size > _LARGEST:
            raise InvalidFileError(f"{path} {_EXPORT.isnt}: it must have at most {_LARGEST:,} bytes; it has more.")
        content = path.read_bytes()
    except FileNotFoundError:
        raise InvalidFileError(f"there is no file {path}. Check its name and folder.") from None
    except OSError as error:
        raise InvalidFileError(f"{path} cannot be opened: {error.strerror or error}.") from error
    node = parse(path, content, _EXPORT)
    if not isinstance(node.value, list):
        node.refuse("a list of tasks")
    return node


def _fields(task: Node) -> dict[str, Any]:
    """What is known of the item, in values that a column holds; lists and objects as their JSON."""
    _annotations(task)
    data = task.child("data").value
    return {
        name: json.dumps(value) if isinstance(value, (dict, list)) else value
        for name, value in data.items()
        if name != "$undefined$"
    }


def _annotations(task: Node) -> list[Node]:
    """The annotations of a task, which must be one of the full format."""
    names = list(task.value) if isinstance(task.value, dict) else []
    if not {"data", "annotations"} <= set(names) or not isinstance(task.value["data"], dict):
        shown = ", ".join(map(repr, names[:10])) or type(task.value).__name__
        hint = "of the format JSON_MIN or of a version before 1.0, which do not say who skipped what"
        task.refuse("a task with data and annotations", f"{shown}; it may be {hint}")
    nodes = task.child("annotations").items()
    for node in nodes:
        if not isinstance(node.value, dict) or "result" not in node.value:
            node.refuse("an annotation with its result; export annotations whole, not their ids")
    return nodes


def _counting(task: Node) -> Node | None:
    """The annotation that counts: ground truth, or else the first that is no skip."""
    given = [node for node in _annotations(task) if not _is(node, "was_cancelled") and node.child("result").items()]
    true = [node for node in given if _is(node, "ground_truth")]
    return next(iter(true or given), None)


def _is(annotation: Node, name: str) -> bool:
    return bool(annotation.child(name).truth()) if annotation.value.get(name) is not None else False


def _choices(annotation: Node) -> list[tuple[str, Node]]:
    """Results that are choices, with the names of their controls."""
    results = annotation.child("result").items()
    for entry in results:
        if not isinstance(entry.value, dict) or not isinstance(entry.value.get("type"), str):
            entry.refuse("a result with its type")
    chosen = [entry for entry in results if entry.value["type"] == "choices"]
    if not chosen:
        kinds = sorted({repr(entry.value["type"]) for entry in results})
        annotation.child("result").refuse("a choice of a class, of type 'choices'", f"{', '.join(kinds[:10])}")
    return [(str(entry.value.get("from_name", "")), entry) for entry in chosen]


def _settle_control(path: Path, tasks: list[Node], named: str | None) -> str:
    """The one control that gives labels."""
    counting = [annotation for annotation in map(_counting, tasks) if annotation is not None]
    names = list(dict.fromkeys(name for annotation in counting for name, _ in _choices(annotation)))
    if named is not None and named in names:
        return named
    if len(names) == 1 and named in (None, LABEL):
        return names[0]
    if not names:
        return ""
    raise InvalidFileError(
        f"one Choices control of {path} must give the labels; it has {', '.join(map(repr, names[:10]))}. Say which "
        "with ",
        Argument("gold_label", "NAME"),
        ".",
    )


def _label_of(task: Node, control: str) -> str | None:
    annotation = _counting(task)
    if annotation is None:
        return None
    entries = [entry for name, entry in _choices(annotation) if name == control]
    if not entries:
        return None
    value = entries[0].value.get("value")
    choices = value.get("choices") if isinstance(value, dict) else None
    if len(entries) > 1 or not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], str):
        shown = ", ".join(map(str, choices[:5])) if isinstance(choices, list) else f"{len(entries)} results"
        entries[0].refuse("one choice in value.choices, a text", shown or "none")
    return str(choices[0])
