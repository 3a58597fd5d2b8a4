"""Prodigy: annotated examples, one JSON object a line, as votes of annotators.

Specification
-------------
- *File*: what ``prodigy db-out`` prints, JSON lines. An example has ``answer`` (accept, reject or ignore),
  ``_input_hash`` (which input) and ``_task_hash`` (which question about it), ``_annotator_id`` and ``_session_id``.
- *Items* are inputs, by ``_input_hash``, or by a field that is named. *Judges* are ``_annotator_id``, or else
  ``_session_id``; without either all examples are those of one annotator. A session without a name is called by its
  time, so that one person may be several judges: noted.
- *Choice* (``options`` and ``accept``): the verdict is the one id in ``accept``. Rejected, ignored, or accepted without
  a choice is abstained. Several ids, or ``config.choice_style`` "multiple", are refused: these are tags.
- *Yes or no* (``label``, or nothing but the input): the verdict is "accept" or "reject"; "ignore" is abstained. Each
  ``label`` is a question of its own, and one of several must be named.
- *Gold*: examples of the recipe ``review`` (``_view_id`` "review"); the answers that were reviewed are in ``versions``,
  each with its ``sessions``, and count as votes where the file does not hold them besides.
- Spans, relations, boxes and free text are no classes of an item, and are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from thumbwise.exceptions import Argument, InvalidFileError
from thumbwise.io.exports.exported import Exported, Record, abstained, column_of, voted
from thumbwise.io.exports.opened import LINES, Opened
from thumbwise.io.roles import Roles
from thumbwise.tables.json_values import Form

_EXAMPLES = Form(
    "is no Prodigy dataset that can be read as votes",
    "Export it with prodigy db-out.",
    "deeper than examples need",
)
_ANSWERS = ("accept", "reject", "ignore")
_REVIEW = "review"
_SPANS = ("ner", "spans", "pos", "rel", "dep", "image_manual", "audio_manual", "text_input", "coref")
_INPUTS = ("text", "html", "image", "audio", "video")
_UNNAMED = re.compile(r"(.*-)?\d{4}-\d{2}-\d{2}_\d{2}-\d{2}-\d{2}")
Example: TypeAlias = dict[str, Any]


def recognise(opened: Opened) -> bool:
    """Lines with an answer and the hashes of Prodigy."""
    return opened.ending in LINES and {"answer", "_input_hash"} <= opened.names


def read(opened: Opened, roles: Roles) -> Exported:
    """Votes of annotators; gold where examples were reviewed."""
    opened = opened.of(_EXAMPLES)
    rows = opened.rows
    if not rows:
        opened.refuse("it holds no example")
    for i, row in enumerate(rows):
        _check(opened, row, f"[{i}]")
    question, note = _settle_question(opened, rows, roles.label)
    asked = [(i, row) for i, row in enumerate(rows) if _question(row) == question]
    ids = {i: _id_of(opened, row, roles.item_id, i) for i, row in asked}
    plain = [(ids[i], _judge(row), *_verdict(opened, row, f"[{i}]")) for i, row in asked if not _is_review(row)]
    known = {(item, judge) for item, judge, _ in plain}
    reviewed = [(i, row) for i, row in asked if _is_review(row)]
    plain += [one for one in _versions(opened, reviewed, ids) if one[:2] not in known]
    records = [_record(*one) for one in plain]
    if not records:
        opened.refuse("it must hold votes: examples that are no reviews, or reviews with their versions; it holds none")
    gold, n_unclear = _gold(opened, reviewed, ids)
    inputs = {ids[i]: row for i, row in reversed(asked)}
    items = list(dict.fromkeys(ids[i] for i, _ in asked))
    fields = [inputs[item] for item in items]
    return Exported(
        "a Prodigy dataset",
        items,
        records,
        {name: column_of(fields, name) for name in _INPUTS if any(name in row for row in fields)},
        gold,
        "answers of the recipe review",
        (*note, *_notes(asked, records, n_unclear, bool(gold))),
    )


def _check(opened: Opened, row: Example, place: str) -> None:
    """Refuse an example that has no answer or is about something else than a class."""
    if row.get("answer") not in _ANSWERS:
        opened.at(row.get("answer"), f"{place}.answer").refuse(f"one of {', '.join(map(repr, _ANSWERS))}")
    view = str(row.get("view_id" if _is_review(row) else "_view_id", ""))
    if "options" in row or "label" in row:
        return
    if view.startswith(_SPANS) or row.get("spans") or row.get("relations"):
        found = repr(view) if view else "spans"
        opened.at(row, place).refuse(
            "an answer on the whole input, of a class", f"{found}: parts of an input have no class"
        )


def _is_review(row: Example) -> bool:
    return row.get("_view_id") == _REVIEW or "versions" in row


def _question(row: Example) -> str:
    """What is asked: for a choice, or for the label that is to be accepted."""
    if "options" in row:
        return "choice"
    label = row.get("label")
    return f"label {label}" if isinstance(label, str) else "accept or reject"


def _settle_question(opened: Opened, rows: Sequence[Example], named: str | None) -> tuple[str, tuple[str, ...]]:
    questions = list(dict.fromkeys(map(_question, rows)))
    if named is not None:
        questions = [question for question in questions if question in (named, f"label {named}")] or questions
    if len(questions) > 1 or (named is not None and questions[0] not in (named, f"label {named}")):
        shown = [question.removeprefix("label ") for question in questions]
        raise InvalidFileError(
            f"one question of {opened.path} must be read; it asks {len(questions)}: {', '.join(map(repr, shown[:10]))}. "
            "Say which with ",
            Argument("label", "NAME"),
            ".",
        )
    what = "the choice" if questions[0] == "choice" else f"{questions[0]!r}, accepted or rejected"
    return questions[0], (f"the question is {what}",)


def _id_of(opened: Opened, row: Example, named: str | None, i: int) -> str:
    name = named or "_input_hash"
    value = row.get(name)
    if value is None and isinstance(row.get("meta"), dict):
        value = row["meta"].get(name)
    if not isinstance(value, (str, int)) or isinstance(value, bool) or value == "":
        opened.at(value, f"[{i}].{name}").refuse("an id, a text or a whole number")
    return str(value)


def _judge(row: Example) -> str:
    return str(row.get("_annotator_id") or row.get("_session_id") or "annotator")


def _verdict(opened: Opened, row: Example, place: str) -> tuple[str | None]:
    """The class that was said; None if the annotator declined."""
    answer = row["answer"]
    if "options" not in row:
        return (None if answer == "ignore" else answer,)
    config = row.get("config")
    accepted = row.get("accept", [])
    accepted = accepted if isinstance(accepted, list) else [accepted]
    if (isinstance(config, dict) and config.get("choice_style") == "multiple") or len(accepted) > 1:
        opened.at(row, f"{place}.accept").refuse(
            "one choice",
            f"{len(accepted)} of several that may be chosen together: these are tags, and are not read here",
        )
    if answer != "accept" or not accepted:
        return (None,)
    if not isinstance(accepted[0], (str, int)) or isinstance(accepted[0], bool):
        opened.at(accepted[0], f"{place}.accept[0]").refuse("the id of an option, a text or a whole number")
    return (str(accepted[0]),)


def _record(item: str, judge: str, verdict: str | None) -> Record:
    return abstained(item, judge) if verdict is None else voted(item, judge, verdict)


def _versions(
    opened: Opened, reviewed: Iterable[tuple[int, Example]], ids: dict[int, str]
) -> Iterator[tuple[str, str, str | None]]:
    """What was reviewed: each answer with the sessions that gave it."""
    for i, row in reviewed:
        versions = row.get("versions", [])
        if not isinstance(versions, list):
            opened.at(versions, f"[{i}].versions").refuse("a list")
        for k, version in enumerate(versions):
            place = f"[{i}].versions[{k}]"
            sessions = version.get("sessions") if isinstance(version, dict) else None
            if not isinstance(sessions, list) or version.get("answer", "accept") not in _ANSWERS:
                opened.at(version, place).refuse("an example with its sessions and its answer")
            merged = {"answer": "accept", **({"options": row["options"]} if "options" in row else {}), **version}
            said = _verdict(opened, merged, place)
            yield from ((ids[i], str(session), *said) for session in sessions)


def _gold(opened: Opened, reviewed: Iterable[tuple[int, Example]], ids: dict[int, str]) -> tuple[dict[str, str], int]:
    """Answers of reviewers, the last of each item; and how many items were reviewed without one."""
    said = {ids[i]: _verdict(opened, row, f"[{i}]")[0] for i, row in reviewed}
    return {item: text for item, text in said.items() if text is not None}, sum(text is None for text in said.values())


def _notes(
    asked: Sequence[tuple[int, Example]], records: Sequence[Record], n_unclear: int, has_gold: bool
) -> Iterator[str]:
    n_abstained = sum(record[4] == "abstained" for record in records)
    if n_abstained:
        how = "ignored, rejected or left without a choice" if "options" in asked[0][1] else "ignored"
        yield f"{n_abstained:,} examples were {how}: abstained"
    if any(_UNNAMED.fullmatch(record[1]) for record in records):
        yield "sessions without a name are called by their time: one person may be several judges here"
    if has_gold:
        yield (
            "warning: if review ran with --auto-accept, it took over without a look what annotators agreed on, and those "
            "labels are no gold"
        )
    if n_unclear:
        yield f"{n_unclear:,} reviewed items have no answer, and no gold label"
    yield "items are the examples of the file: what nobody annotated is not in it, and no result holds for that"
