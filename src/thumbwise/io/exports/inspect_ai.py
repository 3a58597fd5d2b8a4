"""Inspect: the JSON logs of inspect_ai, as ``inspect eval --log-format json`` and ``inspect log dump`` write them.

Specification
-------------
- *The file*: an object with ``eval`` and ``samples``, a list. ``.eval`` files are archives of several forms and are
  refused with the command that makes JSON of them.
- *An item* is a sample, by ``id``. Epochs are further answers to the same sample and no items: the first epoch of each
  sample counts, with ``duplicates="last"`` the last one, chosen by number before any label is seen. With
  ``item_id="epoch"`` each epoch is an item, ``id/epoch``, and column ``sample`` says which belong together, for
  ``cluster``.
- *A judge* is a scorer, a name in ``scores``; for a value that is an object, ``scorer.key`` for each of its keys.
- *Verdicts*: the texts that a scorer gives, most often C, I, P and N (correct, incorrect, partly, no answer). N says
  that the system gave no answer; it is a verdict, and ``abstain="N"`` makes it none. Where a scorer gives nothing but 0
  and 1, or false and true, they are I and C: Inspect itself counts C as 1 and I as 0.
- *Scores*: other numbers are scores and no verdicts. With ``scores``, C, P, I and N are 1, 0.5, 0 and 0 as in Inspect.
- *Failed*: NaN, by which Inspect marks a sample that a scorer could not score, or null; ``explanation`` is the error
  text. *Not asked*: a sample without scores, most often for its ``error``.
- *Gold*: an edit. ``history`` of a score begins with what the scorer said, without ``provenance``; each edit after it
  has one. The last edit that changes the value is gold, and the scorer's vote is what it said at first. Edits of
  several scorers answer several questions: ``gold_label`` names the one that counts. An author may be a program: the
  notes name the authors.
- *Left out*: samples with ``invalidation``.
- *Columns*: ``sample``, ``epoch`` (if epochs are items), ``target``, ``input`` if it is text, ``error`` if any has one,
  ``metadata.NAME`` for what is no list and no object, unless there are more than 200 names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import Any

from thumbwise.exceptions import Argument, InvalidFileError, Message
from thumbwise.io.exports.exported import (
    Exported,
    Record,
    as_number,
    as_text,
    cell,
    columns_of,
    failed,
    note_on_names,
    voted,
)
from thumbwise.io.exports.opened import JSON, Opened
from thumbwise.io.exports.people import one_question
from thumbwise.io.roles import Roles
from thumbwise.tables.json_values import Form

_FORM = Form(
    "cannot be read as a log of Inspect",
    "Write it with: inspect log dump LOG > log.json.",
    "deeper than logs are",
)
_ARCHIVE = ".eval"
_UNCHANGED = "UNCHANGED"
# As Inspect's own metrics count them.
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_BINARY = {0: "I", 1: "C"}


def recognise(opened: Opened) -> bool:
    """Whether a file is a log, by its ending or by the fields of its object."""
    if opened.ending == _ARCHIVE:
        return opened.path.is_file()
    value = opened.value
    return isinstance(value, dict) and {"eval", "status"} <= value.keys() and isinstance(value["eval"], dict)


def read(opened: Opened, roles: Roles) -> Exported:
    """What the log comes to."""
    opened = opened.of(_FORM)
    if opened.ending == _ARCHIVE:
        opened.refuse(f"it must be JSON; files that end in {_ARCHIVE} are archives")
    opened.need(*JSON)
    samples = _samples(opened)
    valid = [sample for sample in samples if sample.get("invalidation") is None]
    by_epoch = roles.item_id == "epoch"
    kept = valid if by_epoch else _one_epoch(valid, last=roles.duplicates == "last")
    ids = [_id(sample, by_epoch) for sample in kept]
    scorers = _Scorers(opened, roles)
    for item, sample in zip(ids, kept, strict=True):
        scorers.take(item, sample)
    if not scorers.records:
        opened.refuse("no sample has a score", mend="Score it first, with: inspect score LOG.")
    records = scorers.settled()
    scorer, gold = one_question("edits of scores", scorers.edits, roles)
    authors = ", ".join(map(repr, sorted(scorers.authors.get(scorer, ()))[:5]))
    columns = _columns(kept, by_epoch)
    more = note_on_names(columns, [_plain(sample) for sample in kept], "metadata.")
    return Exported(
        "a log of Inspect",
        ids,
        records,
        columns,
        gold,
        f"edits of {scorer!r} by {authors}",
        (*_notes(opened.value, samples, valid, kept, scorers, by_epoch), *more),
        id_names=("sample", "epoch"),
    )


def _samples(opened: Opened) -> list[dict[str, Any]]:
    """The samples, each with an id and an epoch, no two with the same."""
    samples = opened.value.get("samples") if isinstance(opened.value, dict) else None
    if not isinstance(samples, list) or not samples:
        opened.refuse("it must have samples; it has none, as the header of a log by itself")
    seen: set[tuple[str, int]] = set()
    for number, sample in enumerate(samples):
        is_whole = isinstance(sample, dict) and type(sample.get("id")) in (str, int)
        if not is_whole or type(sample.get("epoch", 1)) is not int:
            opened.at(sample, f"samples[{number}]").refuse("a sample with an id, and an epoch that is a whole number")
        key = str(sample["id"]), sample.get("epoch", 1)
        if key in seen:
            opened.refuse(f"each sample must be there once in each epoch; {key[0]!r} is twice in epoch {key[1]}")
        seen.add(key)
    return samples


def _one_epoch(samples: Sequence[dict[str, Any]], *, last: bool) -> list[dict[str, Any]]:
    """The first or the last epoch of each sample, in the order of the samples."""
    kept: dict[str, dict[str, Any]] = {}
    for sample in samples:
        other = kept.setdefault(str(sample["id"]), sample)
        if (sample.get("epoch", 1) > other.get("epoch", 1)) == last:
            kept[str(sample["id"])] = sample
    return list(kept.values())


def _id(sample: Mapping[str, Any], by_epoch: bool) -> str:
    return f"{sample['id']}/{sample.get('epoch', 1)}" if by_epoch else str(sample["id"])


class _Scorers:
    """Records of scorers and edits by people, gathered sample by sample."""

    def __init__(self, opened: Opened, roles: Roles) -> None:
        self.opened = opened
        self.roles = roles
        self.records: list[Record] = []
        self.edits: dict[str, dict[str, str]] = {}
        self.authors: dict[str, set[str]] = {}
        self.binary: list[str] = []
        self.n_no_first = 0

    def take(self, item: str, sample: Mapping[str, Any]) -> None:
        """All scores of one sample."""
        scores = sample.get("scores")
        if scores is None and isinstance(sample.get("score"), dict):  # logs of 2024 have one score without a name
            scores = {"score": sample["score"]}
        if scores is not None and not isinstance(scores, dict):
            self._at(item, "scores", scores).refuse("an object of scores by scorer")
        for name, score in (scores or {}).items():
            if not isinstance(score, dict) or "value" not in score:
                self._at(item, f"scores[{name!r}]", score).refuse("an object with a value")
            self._take_one(item, name, score)

    def _at(self, item: str, place: str, value: Any) -> Any:
        return self.opened.at(value, f"{place} of sample {item!r}")

    def _take_one(self, item: str, name: str, score: Mapping[str, Any]) -> None:
        value, history = score["value"], score.get("history")
        if history:
            value = self._first_of(item, name, history)
            if value is None:
                return
        if isinstance(value, dict):
            for key, part in value.items():
                self._say(item, f"{name}.{key}", part, score)
        else:
            self._say(item, name, value, score)

    def _first_of(self, item: str, name: str, history: Any) -> Any:
        """What the scorer said at first, None if only edits are left; edits are noted as gold."""
        if not isinstance(history, list) or not all(isinstance(entry, dict) for entry in history):
            self._at(item, f"scores[{name!r}].history", history).refuse("a list of edits")
        edits = [entry for entry in history if entry.get("provenance") is not None]
        changes = [entry for entry in edits if entry.get("value", _UNCHANGED) != _UNCHANGED]
        if changes:
            self.edits.setdefault(name, {})[item] = self._label(item, name, changes[-1]["value"])
            self.authors.setdefault(name, set()).add(_author(changes[-1]))
        first = [entry["value"] for entry in history if entry.get("provenance") is None and "value" in entry]
        self.n_no_first += not first
        return first[0] if first else None

    def _label(self, item: str, name: str, value: Any) -> str:
        if isinstance(value, str) and value:
            return value
        if type(value) in (int, float, bool) and value in _BINARY:
            return _BINARY[int(value)]
        return str(self._at(item, f"the edit of scores[{name!r}]", value).refuse("a text, or 0 or 1"))

    def _say(self, item: str, judge: str, value: Any, score: Mapping[str, Any]) -> None:
        if isinstance(value, str) and value:
            self.records.append(voted(item, judge, value, _LETTERS.get(value)))
        elif isinstance(value, bool):
            self.records.append(voted(item, judge, None, float(value)))
        elif value is None or value == "" or (isinstance(value, float) and isnan(value)):
            self.records.append(failed(item, judge, as_text(score.get("explanation"))))
        elif as_number(value) is not None:
            self.records.append(voted(item, judge, None, float(value)))
        elif judge not in self.roles.ignore:
            raise InvalidFileError(
                f"{self.opened.path} {_FORM.isnt}: a scorer must give one text or number, or an object of these; "
                f"{judge!r} gives {type(value).__name__} on sample {item!r}. Leave it out with ",
                Argument("ignore", [judge]),
                ".",
            )

    def settled(self) -> list[Record]:
        """Records, with verdicts for scorers that give nothing but 0 and 1."""
        others = {record[1] for record in self.records if record[2] is None and record[3] not in (None, 0.0, 1.0)}
        bare = {record[1] for record in self.records if record[2] is None and record[3] is not None}
        self.binary = sorted(bare - others)
        if not self.binary:
            return self.records
        chosen = set(self.binary)
        return [
            voted(item, judge, _BINARY[int(score)], score)
            if verdict is None and score is not None and judge in chosen
            else (item, judge, verdict, score, status, error)
            for item, judge, verdict, score, status, error in self.records
        ]


def _author(entry: Mapping[str, Any]) -> str:
    provenance = entry["provenance"]
    return str(provenance.get("author") if isinstance(provenance, dict) else provenance)


def _columns(samples: Sequence[dict[str, Any]], by_epoch: bool) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {"sample": [str(sample["id"]) for sample in samples]}
    if by_epoch:
        columns["epoch"] = [sample.get("epoch", 1) for sample in samples]
    columns["target"] = [cell(sample.get("target")) for sample in samples]
    inputs = [sample.get("input") for sample in samples]
    if all(isinstance(text, str) for text in inputs):
        columns["input"] = inputs
    errors = [_error(sample.get("error")) for sample in samples]
    if any(errors):
        columns["error"] = errors
    return columns | columns_of([_plain(sample) for sample in samples], "metadata.")


def _plain(sample: Mapping[str, Any]) -> dict[str, Any]:
    """What is known of a sample and can stand in a column."""
    known = sample.get("metadata")
    if not isinstance(known, dict):
        return {}
    return {name: value for name, value in known.items() if not isinstance(value, (dict, list))}


def _error(error: Any) -> str | None:
    return as_text(error.get("message") if isinstance(error, dict) else error)


def _notes(
    log: Mapping[str, Any],
    samples: Sequence[Any],
    valid: Sequence[Any],
    kept: Sequence[Any],
    scorers: _Scorers,
    by_epoch: bool,
) -> Iterator[str]:
    if by_epoch:
        n_samples = len({str(sample["id"]) for sample in kept})
        yield Message(
            f"an item is an epoch of a sample: {len(kept):,} answers to {n_samples:,} samples, and no independent "
            "items; if whole samples were drawn and labeled, say so with ",
            Argument("cluster", "'sample'"),
        )
    else:
        yield "an item is a sample, a judge is a scorer"
    if len(kept) < len(valid):
        yield Message(
            f"left out: {len(valid) - len(kept):,} answers of further epochs, which answer the same samples and are no "
            "independent items; all of them are taken with ",
            Argument("item_id", "'epoch'"),
        )
    if len(valid) < len(samples):
        yield f"left out, because they are marked as invalid: {len(samples) - len(valid):,} of {len(samples):,} samples"
    if log.get("status") != "success":
        yield (
            f"warning: the run has the status {str(log.get('status'))[:40]!r}: samples that are missing may be other "
            "ones than those that are there"
        )
    n_unscored = len(kept) - len({record[0] for record in scorers.records})
    if n_unscored:
        yield f"no judge was asked on {n_unscored:,} of {len(kept):,} items, most likely for an error"
    if scorers.binary and not scorers.roles.are_scores:
        listed = ", ".join(map(repr, scorers.binary[:10]))
        yield f"0 and 1 count as I and C, as Inspect counts them, where a scorer gives nothing else: {listed}"
    if scorers.n_no_first:
        yield f"what a scorer said at first is not known where a score is there only as edited: {scorers.n_no_first:,}"
