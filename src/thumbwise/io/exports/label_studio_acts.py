"""Acts: what annotators and models did with the tasks of a Label Studio export, checked, before it is votes or gold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, NoReturn, TypeAlias

from thumbwise.exceptions import Argument, InvalidFileError
from thumbwise.io.exports.exported import as_number
from thumbwise.io.exports.opened import Opened, show

Task: TypeAlias = dict[str, Any]
# Types of results that say a class or a number, which is also where they say it.
CHOICES, RATING = "choices", "rating"


class Act(NamedTuple):
    """An annotation or a prediction.

    Attributes
    ----------
    task : int
        Number of the task.
    place : str
        Where it stands in the file.
    is_person : bool
        Whether it is an annotation.
    by : str, int or None
        Address or number of the person, or version of the model.
    is_skip : bool
    is_gold : bool
        Whether it is marked as ground truth, and no skip.
    is_begun : bool
        Whether it began as a prediction that a person kept or changed.
    answers : dict of str to list
        Results that say something, by the names of their controls.
    kinds : tuple of str
        Types of all results.
    """

    task: int
    place: str
    is_person: bool
    by: Any
    is_skip: bool
    is_gold: bool
    is_begun: bool
    answers: dict[str, list[dict[str, Any]]]
    kinds: tuple[str, ...]


def check_tasks(opened: Opened) -> list[Task]:
    """The tasks of an export, each with its data and annotations."""
    tasks = opened.value
    if not isinstance(tasks, list):
        opened.at(tasks, "").refuse("a list of tasks")
    if not tasks:
        opened.refuse("it holds no task")
    for i, task in enumerate(tasks):
        if not isinstance(task, dict) or "annotations" not in task or not isinstance(task.get("data"), dict):
            names = show(list(task)) if isinstance(task, dict) else type(task).__name__
            hint = "of the format JSON_MIN, of a version before 1.0, or a list of tasks to import"
            opened.at(task, f"[{i}]").refuse("a task with data and annotations", f"{names}; it may be {hint}")
        if not isinstance(task["annotations"], list):
            opened.at(task["annotations"], f"[{i}].annotations").refuse("a list")
        if not isinstance(task.get("predictions", []), (list, type(None))):
            opened.at(task["predictions"], f"[{i}].predictions").refuse("a list")
    return tasks


def read_annotations(opened: Opened, tasks: Sequence[Task]) -> Iterator[Act]:
    """What people did."""
    for i, task in enumerate(tasks):
        for j, entry in enumerate(task["annotations"]):
            place = f"[{i}].annotations[{j}]"
            if not isinstance(entry, dict) or "result" not in entry:
                opened.at(entry, place).refuse("an annotation with its result; export annotations whole, not their ids")
            is_skip = _is(opened, entry, "was_cancelled", place)
            is_true = _is(opened, entry, "ground_truth", place)
            answers, kinds = _results(opened, entry["result"], place)
            is_gold = is_true and not is_skip and bool(kinds)
            is_begun = entry.get("parent_prediction") is not None
            yield Act(i, place, True, _person(entry.get("completed_by")), is_skip, is_gold, is_begun, answers, kinds)


def read_predictions(opened: Opened, tasks: Sequence[Task]) -> Iterator[Act]:
    """What models did; predictions of which there is but an id are passed over."""
    for i, task in enumerate(tasks):
        for j, entry in enumerate(task.get("predictions") or ()):
            if isinstance(entry, dict) and "result" in entry:
                place = f"[{i}].predictions[{j}]"
                answers, kinds = _results(opened, entry["result"], place)
                version = entry.get("model_version")
                by = version if isinstance(version, (str, int)) else None
                yield Act(i, place, False, by, False, False, False, answers, kinds)


def _person(named: Any) -> str | int | None:
    """A person by address or number."""
    if isinstance(named, dict):
        named = named.get("email") or named.get("id")
    return named if isinstance(named, (str, int)) else None


def _is(opened: Opened, entry: dict[str, Any], name: str, place: str) -> bool:
    value = entry.get(name)
    if value is not None and not isinstance(value, bool):
        opened.at(value, f"{place}.{name}").refuse("true or false")
    return bool(value)


def _results(opened: Opened, results: Any, place: str) -> tuple[dict[str, list[Any]], tuple[str, ...]]:
    """Results that answer, by the names of their controls; and the types of all."""
    if not isinstance(results, list):
        opened.at(results, f"{place}.result").refuse("a list")
    answers: dict[str, list[Any]] = {}
    kinds: list[str] = []
    for k, entry in enumerate(results):
        kind = entry.get("type") if isinstance(entry, dict) else None
        if not isinstance(kind, str):
            opened.at(entry, f"{place}.result[{k}]").refuse("a result with its type")
        kinds.append(kind)
        if kind in (CHOICES, RATING):
            answers.setdefault(str(entry.get("from_name", "")), []).append(entry)
    return answers, tuple(kinds)


def settle_control(opened: Opened, acts: Sequence[Act], named: str | None, argument: str, default: str) -> str:
    """The one control that answers the question; empty if nothing was answered.

    Parameters
    ----------
    named : str, optional
        The control that is meant, or ``default``, which means the only one.
    argument : str
        By which it is named.
    """
    given = [act for act in acts if not act.is_skip]
    names = list(dict.fromkeys(name for act in given for name in act.answers))
    if named is not None and named in names:
        return named
    if len(names) == 1 and named in (None, default):
        return names[0]
    if names:
        raise InvalidFileError(
            f"one Choices control of {opened.path} must give the labels; it has {', '.join(map(repr, names[:10]))}. "
            "Say which with ",
            Argument(argument, "NAME"),
            ".",
        )
    other = next((act for act in given if act.kinds), None)
    if other is not None:
        kinds = ", ".join(sorted({repr(kind) for act in given for kind in act.kinds})[:10])
        opened.at(None, f"{other.place}.result").refuse(
            "a choice of a class, of type 'choices', or a 'rating'",
            f"{kinds} and no other type in the file: spans and regions are no class of an item",
        )
    return ""


def answer_of(opened: Opened, act: Act, control: str) -> tuple[str, float | None] | None:
    """The class or rating that was said, as a text, and if it is one as a number; None if nothing was."""
    entries = () if act.is_skip else act.answers.get(control, ())
    if not entries:
        return None
    value = entries[0].get("value")
    said = value.get(entries[0]["type"]) if isinstance(value, dict) else None
    if len(entries) == 1:
        if isinstance(said, list) and len(said) == 1 and isinstance(said[0], str):
            return said[0], None
        rating = as_number(said)
        if rating is not None:
            return f"{rating:g}", float(rating)
    return _refuse_answer(opened, f"{act.place}.result", len(entries), said)


def _refuse_answer(opened: Opened, place: str, n_entries: int, said: Any) -> NoReturn:
    shown = ", ".join(map(str, said[:5])) if isinstance(said, list) else str(said)
    found = f"{n_entries} results" if n_entries > 1 else f"{shown or 'none':.60}"
    if isinstance(said, list) and len(said) > 1:
        found += ": several choices of one item are tags, which are not read from exports"
    opened.at(said, place).refuse("one choice in value.choices, a text, or a number in value.rating", found)


def first_given(acts: Sequence[Act]) -> dict[int, Act]:
    """Of each task the annotation that counts as gold: ground truth, or else the first that is no skip."""
    first: dict[int, Act] = {}
    for act in acts:
        if act.kinds and not act.is_skip:
            held = first.setdefault(act.task, act)
            if act.is_gold and not held.is_gold:
                first[act.task] = act
    return first
