"""Prodigy: annotated examples, one JSON object a line, as votes of annotators.

Specification
-------------
- *File*: what ``prodigy db-out`` writes, JSON lines. An example has ``answer`` (accept, reject or ignore),
  ``_input_hash`` (which input) and ``_task_hash`` (which question about it), ``_annotator_id`` and ``_session_id``.
- *Items* are inputs, by ``_input_hash``; ``item_id`` names another field, of the example or of its ``meta``. ``text``,
  ``html``, ``image``, ``audio`` and ``video`` are columns.
- *Judges* are ``_annotator_id``, or else ``_session_id``; without either all examples are those of one annotator. A
  session without a name is called by its time, so that one person may be several judges: noted.
- *Choice* (``options`` and ``accept``): the verdict is the one id in ``accept``. Rejected, ignored, or accepted without
  a choice is abstained. Several ids, or ``config.choice_style`` "multiple", are refused: these are tags.
- *Yes or no* (``label``, or nothing but the input): the verdict is "accept" or "reject"; "ignore" is abstained. Each
  ``label`` is a question of its own, and one of several must be named by ``label``.
- *Gold*: examples of the recipe ``review`` (``_view_id`` "review"), the last of each item. The answers that were
  reviewed are in ``versions``, each with its ``sessions``; they count as votes that the file does not hold besides.
- Spans, relations, boxes and free text are no classes of an item, and are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn, TypeAlias

from thumbwise.exceptions import Argument, InvalidFileError
from thumbwise.io.exports.exported import ABSTAINED, Exported, Record, abstained, column_of, voted
from thumbwise.io.exports.opened import JSON, LINES, Opened
from thumbwise.io.roles import Roles
from thumbwise.tables.json_values import Form

_EXAMPLES = Form(
    "is no Prodigy dataset that can be read as votes",
    "Export it with prodigy db-out.",
    "deeper than examples need",
)
_ANSWERS = ("accept", "reject", "ignore")
_CHOICE, _PLAIN, _LABEL = "choice", "accept or reject", "label "
# Views on parts of an input, or of free text.
_PARTS = ("ner", "spans", "pos", "rel", "dep", "image_manual", "audio_manual", "text_input", "coref")
_INPUTS = ("text", "html", "image", "audio", "video")
_UNNAMED = re.compile(r"(.*-)?\d{4}-\d{2}-\d{2}_\d{2}-\d{2}-\d{2}")
Example: TypeAlias = dict[str, Any]
Numbered: TypeAlias = list[tuple[int, Example]]
Said: TypeAlias = tuple[str, str, str | None]


def recognise(opened: Opened) -> bool:
    """Examples with an answer and the hash of an input."""
    return opened.ending in (*LINES, *JSON) and {"answer", "_input_hash"} <= opened.names


def read(opened: Opened, roles: Roles) -> Exported:
    """Votes of annotators; gold where examples were reviewed."""
    opened = opened.of(_EXAMPLES)
    if not opened.rows:
        opened.refuse("it holds no example")
    question = _settle_question(opened, roles.label)
    asked = [(i, row) for i, row in enumerate(opened.rows) if _question(row) == question]
    for i, row in asked:
        _check(opened, row, f"[{i}]")
    ids = {i: _id_of(opened, row, roles.item_id, i) for i, row in asked}
    reviewed = [(i, row) for i, row in asked if _is_review(row)]
    said = _said(opened, asked, ids)
    heard = {(item, judge) for item, judge, _ in said}
    said += [one for one in _versions(opened, reviewed, ids) if one[:2] not in heard]
    if all(verdict is None for *_, verdict in said):
        opened.refuse(f"it must hold votes that are no reviews; of {len(said):,} none says anything")
    records = [
        abstained(item, judge) if verdict is None else voted(item, judge, verdict) for item, judge, verdict in said
    ]
    settled = {ids[i]: _verdict(opened, row, f"[{i}]") for i, row in reviewed}
    inputs = {ids[i]: row for i, row in reversed(asked)}
    items = list(dict.fromkeys(ids.values()))
    fields = [inputs[item] for item in items]
    return Exported(
        "a Prodigy dataset",
        items,
        records,
        {name: column_of(fields, name) for name in _INPUTS if any(name in row for row in fields)},
        {item: verdict for item, verdict in settled.items() if verdict is not None},
        "answers of the recipe review",
        (f"the question: {question}", *_notes(question, records, settled)),
        heeded=("item_id", "label"),
    )


def _is_review(row: Example) -> bool:
    return row.get("_view_id") == "review" or "versions" in row


def _question(row: Example) -> str:
    """What is asked: for a choice, or whether to accept a label, or the input."""
    if "options" in row:
        return _CHOICE
    label = row.get("label")
    return f"{_LABEL}{label}" if isinstance(label, str) else _PLAIN


def _settle_question(opened: Opened, named: str | None) -> str:
    questions = list(dict.fromkeys(map(_question, opened.rows)))
    meant = [question for question in questions if named in (None, question, question.removeprefix(_LABEL))]
    if len(meant) == 1:
        return meant[0]
    shown = ", ".join(repr(question.removeprefix(_LABEL)) for question in questions[:10])
    raise InvalidFileError(
        f"one question of {opened.path} must be read; it asks {shown}. Say which with ", Argument("label", "NAME"), "."
    )


def _check(opened: Opened, row: Example, place: str) -> None:
    """Refuse an example that has no answer, or is about something else than a class of its input."""
    if row.get("answer") not in _ANSWERS:
        opened.at(row.get("answer"), f"{place}.answer").refuse(f"one of {', '.join(map(repr, _ANSWERS))}")
    view = str(row.get("view_id" if _is_review(row) else "_view_id") or "")
    is_whole = "options" in row or isinstance(row.get("label"), str)
    if not is_whole and (view.startswith(_PARTS) or row.get("spans") or row.get("relations")):
        found = repr(view) if view else "spans"
        opened.at(row, place).refuse("an answer on the whole input", f"{found}: parts of it are no class of an item")


def _id_of(opened: Opened, row: Example, named: str | None, i: int) -> str:
    name = named or "_input_hash"
    value, meta = row.get(name), row.get("meta")
    if value is None and isinstance(meta, dict):
        value = meta.get(name)
    if type(value) not in (str, int) or value == "":
        opened.at(value, f"[{i}].{name}").refuse("an id, a text or a whole number")
    return str(value)


def _said(opened: Opened, asked: Numbered, ids: dict[int, str]) -> list[Said]:
    """What annotators said of each item."""
    return [
        (
            ids[i],
            str(row.get("_annotator_id") or row.get("_session_id") or "annotator"),
            _verdict(opened, row, f"[{i}]"),
        )
        for i, row in asked
        if not _is_review(row)
    ]


def _versions(opened: Opened, reviewed: Iterable[tuple[int, Example]], ids: dict[int, str]) -> Iterator[Said]:
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
            given = {"options": row["options"]} if "options" in row else {}
            verdict = _verdict(opened, {"answer": "accept", **given, **version}, place)
            yield from ((ids[i], str(session), verdict) for session in sessions)


def _verdict(opened: Opened, row: Example, place: str) -> str | None:
    """The class that was said; None if the annotator declined."""
    answer = row["answer"]
    if "options" not in row:
        return None if answer == "ignore" else str(answer)
    config, accepted = row.get("config"), row.get("accept", [])
    accepted = accepted if isinstance(accepted, list) else [accepted]
    if len(accepted) > 1 or (isinstance(config, dict) and config.get("choice_style") == "multiple"):
        _refuse_tags(opened, accepted, place)
    if answer != "accept" or not accepted:
        return None
    if type(accepted[0]) not in (str, int):
        opened.at(accepted[0], f"{place}.accept[0]").refuse("the id of an option, a text or a whole number")
    return str(accepted[0])


def _refuse_tags(opened: Opened, accepted: list[Any], place: str) -> NoReturn:
    found = f"{len(accepted)}, where several may be chosen: these are tags, which are not read from exports"
    opened.at(accepted, f"{place}.accept").refuse("one choice", found)


def _notes(question: str, records: Sequence[Record], settled: dict[str, str | None]) -> Iterator[str]:
    n_abstained = sum(record[4] == ABSTAINED for record in records)
    if n_abstained:
        how = "ignored, rejected or accepted without a choice" if question == _CHOICE else "ignored"
        yield f"{n_abstained:,} examples were {how}: abstained"
    if any(_UNNAMED.fullmatch(judge) for judge in {record[1] for record in records}):
        yield "sessions without a name are called by their time: one person may be several judges here"
    if settled:
        yield (
            "warning: if review ran with --auto-accept, it took over unseen what annotators agreed on, and such labels "
            "are no gold"
        )
    n_open = sum(verdict is None for verdict in settled.values())
    if n_open:
        yield f"{n_open:,} reviewed items have no answer, and no gold label"
    yield "warning: inputs that nobody annotated are not in the file: its items are the pool only if there are none"
