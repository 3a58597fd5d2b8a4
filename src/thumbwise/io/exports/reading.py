"""Exports as readings: verdicts or scores of judges, gold labels by people, columns that are passed on.

What is settled here, for every format:

- Without ``scores`` a judge's verdicts are its votes. A judge that gives numbers alone is refused unless the format
  itself says which number is which verdict: nobody but the user knows from where on 0.7 is a pass.
- With ``scores`` the numbers count, and a judge that gives none is left out, with a note.
- Labels by people are gold. They come from one place: ``gold`` besides is refused. ``ignore=["gold"]`` makes them a
  column that is passed on and no gold.
- ``ignore`` takes judges out too: what they say is passed on as a column. Every column of the export is passed on.
- Nothing is chosen by what gold labels say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thumbwise.exceptions import (
    Argument,
    InvalidChoiceError,
    InvalidFileError,
    InvalidLabelsError,
    InvalidVotesError,
    Message,
)
from thumbwise.io.clustered import in_clusters, with_cluster
from thumbwise.io.exports.exported import ABSTAINED, FAILED, GOLD, VOTED, Exported, Record, not_asked
from thumbwise.io.gold_table import GoldLabels
from thumbwise.io.jury import Jury, read_jury
from thumbwise.io.layouts import read_as_table
from thumbwise.io.readings import Reading
from thumbwise.io.roles import Layout, Roles
from thumbwise.io.unknown_gold import drop_unknown
from thumbwise.summaries import one_line
from thumbwise.tables.formats import Column, Columns
from thumbwise.tables.frames import as_column
from thumbwise.tables.table_files import Table
from thumbwise.votes.votes import Votes

FIELDS = ITEM, JUDGE, VERDICT, SCORE, _, _ = "item", "judge", "verdict", "score", "status", "error"
_AT_RANDOM = (
    "people often label what looked odd; the guarantee holds if the items with a gold label were drawn at random"
)


def read_exported(layout: Layout, exported: Exported, gold: Any, roles: Roles) -> Reading:
    """Votes, gold and notes of an export.

    Parameters
    ----------
    layout : str
        The format's name.
    exported : Exported
    gold : Table, DrawnGold, frame, mapping of ids to labels, or None
        Gold labels from elsewhere.
    roles : Roles
    """
    roles = with_cluster(roles)
    _refuse_roles(exported, roles)
    _check_ignored(exported, roles)
    known = _settle_gold(exported, gold, roles)
    taken_out = {*roles.ignore, roles.gold_column}
    records = [record for record in exported.records if record[1] not in taken_out]
    records = _with_unheard(exported.item_ids, records)
    read = _read_scores if roles.are_scores else _read_verdicts
    inner = replace(roles, item_id=ITEM, rule=JUDGE, ignore=(), gold_column=None, null_verdict=None, cluster=None)
    reading, notes = read(records, known, inner)
    if reading.votes.n_rules > 1 and "label" not in exported.heeded:
        notes = (_many_judges(reading.votes), *notes)
    own = (note for note in reading.notes if not note.startswith("fields: "))
    reading = replace(
        reading,
        layout=layout,
        passed_on=_passed_on(exported, roles, reading.votes),
        notes=(f"taken for {exported.what}", *exported.notes, *notes, *own),
    )
    return in_clusters(reading, roles)


def _many_judges(votes: Votes) -> Message:
    names = list(votes.rule_names)
    shown = _listed(names[:5]) + ", ..." * (len(names) > 5)
    return Message(
        f"all {len(names):,} judges count as answers to one question, {shown}; take out those of another with ",
        Argument("ignore", ["NAME"]),
    )


def _refuse_roles(exported: Exported, roles: Roles) -> None:
    """An export says itself what its items, judges and verdicts are."""
    if roles.item_id is not None and exported.id_names and roles.item_id not in exported.id_names:
        raise InvalidChoiceError(
            f"of {exported.what} an item is one of {_listed(exported.id_names)}; found ",
            Argument("item_id", repr(roles.item_id)),
            ".",
        )
    heeded = (*exported.heeded, "item_id") if exported.id_names else exported.heeded
    names = [name for name in ("item_id", "rule", "label", "null_verdict") if name not in heeded]
    given = [name for name in names if getattr(roles, name) is not None]
    if given:
        raise InvalidChoiceError(
            f"{exported.what} says itself what its items, judges and verdicts are; found ",
            Argument(given[0], ...),
            " besides. Drop it.",
        )


def _check_ignored(exported: Exported, roles: Roles) -> None:
    judges = exported.judges
    known = {*judges, *exported.columns, GOLD}
    unknown = [name for name in roles.ignore if name not in known]
    if roles.gold_column is not None and roles.gold_column not in known:
        unknown = [roles.gold_column]
    if unknown:
        raise InvalidFileError(
            f"{exported.what} must have what is named; there is no judge or column {unknown[0]!r}. Judges: "
            f"{_listed(judges)}; columns: {_listed(exported.columns)}."
        )
    if judges and not set(judges) - {*roles.ignore, roles.gold_column}:
        raise InvalidVotesError(
            "at least one judge must be left; all are named by ",
            Argument("ignore"),
            " or ",
            Argument("gold_column"),
            ".",
        )


def _listed(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(map(repr, listed[:20])) + (f" and {len(listed) - 20} more" if len(listed) > 20 else "") or "none"


def _with_unheard(item_ids: Sequence[str], records: list[Record]) -> list[Record]:
    """The records, and one for each item without any, so that it is an item all the same; in the order of the items."""
    heard = {record[0] for record in records}
    unheard = [not_asked(item, records[0][1]) for item in item_ids if item not in heard] if records else []
    if not unheard:
        return records
    place = {item: i for i, item in enumerate(item_ids)}
    return sorted([*records, *unheard], key=lambda record: place[record[0]])


def _settle_gold(exported: Exported, gold: Any, roles: Roles) -> Any:
    """Gold from one place: from elsewhere, from a column, or from the marks of people in the export."""
    column = _column_of_gold(exported, roles.gold_column)
    is_inside = bool(exported.gold) and GOLD not in roles.ignore
    if is_inside and (gold is not None or column is not None):
        raise InvalidLabelsError(
            f"gold must come from one place; {exported.what} holds {len(exported.gold):,} labels by people "
            f"({exported.gold_mark}), and there is ",
            Argument("gold", "FILE") if column is None else Argument("gold_column", repr(roles.gold_column)),
            " besides. Drop that, or say ",
            Argument("ignore", [GOLD]),
            " to pass on the labels of the export as a column and not use them as gold.",
        )
    if column is not None:
        labels = dict(zip(exported.item_ids, column, strict=True))
        if roles.gold_column not in exported.columns:
            return _as_gold(labels, f"what {roles.gold_column!r} says is gold, and no vote", roles, _AT_RANDOM)
        return _as_gold(labels, f"gold labels are taken from column {roles.gold_column!r}", roles)
    if not is_inside:
        return gold
    how_many = f"{len(exported.gold):,} of {len(exported.item_ids):,} items have a gold label: {exported.gold_mark}"
    return _as_gold(exported.gold, how_many, roles, _AT_RANDOM)


def _column_of_gold(exported: Exported, named: str | None) -> Sequence[Any] | None:
    """The column, or what the judge said, that is named as gold."""
    if named is None or named in exported.columns or named not in exported.judges:
        return exported.columns.get(named or "")
    said = {item: verdict for item, who, verdict, *_ in exported.records if who == named}
    return [said.get(item) for item in exported.item_ids]


def _as_gold(labels: Mapping[str, Any], note: str, roles: Roles, *more: str) -> GoldLabels:
    known = {item: label for item, label in labels.items() if label is not None}
    column, dropped = drop_unknown(as_column(list(known.values())), roles, "gold of the export")
    notes = (note, *(f"{text} gold labels were used: {why}" for text, why in dropped), *more)
    return GoldLabels(column, tuple(known), notes)


def _table(records: Sequence[Record], *places: int) -> Table:
    """Some fields of the records as columns; a field that says nothing is left out."""
    columns = {FIELDS[place]: [record[place] for record in records] for place in places}
    is_plain = columns.get("status", VOTED) == [VOTED] * len(records)
    silent = {"status"} if is_plain else set()
    silent |= {"error"} if not any(columns.get("error", ())) else set()
    return Table({name: _column(values, name) for name, values in columns.items() if name not in silent})


def _column(values: list[Any], name: str) -> Column:
    if name == SCORE:
        return as_column(values)
    texts = np.fromiter(values, dtype=object, count=len(values))
    return np.ma.array(texts, mask=False if name in (ITEM, JUDGE) else [value is None for value in values])


def _read_verdicts(records: Sequence[Record], gold: Any, roles: Roles) -> tuple[Reading, tuple[str, ...]]:
    _refuse_silence(records)
    _refuse_numbers(records)
    return read_as_table(_table(records, 0, 1, 2, 4, 5), gold, replace(roles, layout="jury", label=VERDICT)), ()


def _refuse_silence(records: Sequence[Record]) -> None:
    """Refuse an export in which no judge answered at all."""
    if any(record[4] == VOTED for record in records):
        return
    n_failed = sum(record[4] == FAILED for record in records)
    error = next((record[5] for record in records if record[5]), None)
    told = f", the first of them with the error {one_line(repr(error))}" if error else ""
    raise InvalidVotesError(
        f"some judge must give a verdict on some item; none does: {n_failed:,} answers of judges failed{told}. Run the "
        "judges again."
    )


def _refuse_numbers(records: Sequence[Record]) -> None:
    """Refuse judges that give numbers alone."""
    bare = [record for record in records if record[4] == VOTED and record[2] is None]
    if not bare:
        return
    item, _, _, score, *_ = bare[0]
    judges = list(dict.fromkeys(record[1] for record in bare))
    raise InvalidVotesError(
        f"judges must give verdicts; {_listed(judges)} gave numbers, such as {score:g} on item {item!r} "
        f"({len(bare):,} such answers). Say which class high numbers speak for with ",
        Argument("scores", "CLASS"),
        ", or leave these judges out with ",
        Argument("ignore", judges[:3]),
        ".",
    )


def _read_scores(records: Sequence[Record], gold: Any, roles: Roles) -> tuple[Reading, tuple[str, ...]]:
    _refuse_silence(records)
    with_numbers = {record[1] for record in records if record[3] is not None}
    silent = [name for name in dict.fromkeys(record[1] for record in records) if name not in with_numbers]
    if not with_numbers:
        raise InvalidVotesError(
            f"scores are numbers; no judge of the export gives any, judges: {_listed(silent)}. Drop ",
            Argument("scores"),
            ".",
        )
    items = list(dict.fromkeys(record[0] for record in records))
    kept = _with_unheard(items, [record for record in records if record[1] in with_numbers])
    reading = read_as_table(_table(kept, 0, 1, 3), gold, replace(roles, layout="long", label=SCORE))
    notes = [f"judges that give no numbers are left out: {_listed(silent)}"] if silent else []
    jury = _jury_of(kept, reading.votes)
    n_between = sum(judge.n_abstained for judge in jury.judges) - sum(record[4] == ABSTAINED for record in kept)
    if n_between > 0:
        notes.append(f"{n_between:,} scores in a judge's middle come to no verdict; they are counted as abstained")
    return replace(reading, jury=jury), tuple(notes)


def _jury_of(records: Sequence[Record], votes: Votes) -> Jury:
    """What each judge did, where its votes are what its scores come to; a score that comes to none is an abstention."""
    row_of = {item: row for row, item in enumerate(votes.item_ids.tolist())}
    column_of = {name: column for column, name in enumerate(votes.rule_names)}
    names = [*map(str, votes.class_names), None]  # -1 meets the None at the end
    said = votes.array.tolist()
    verdicts: list[str | None] = []
    statuses: list[str] = []
    for item, judge, _, score, status, _ in records:
        verdict = None if score is None else names[said[row_of[item]][column_of[judge]]]
        verdicts.append(verdict)
        statuses.append(status if status != VOTED or verdict else FAILED if score is None else ABSTAINED)
    fields = dict(zip(FIELDS, map(list, zip(*records, strict=True)), strict=True))
    del fields[SCORE]
    return read_jury(
        fields | {VERDICT: verdicts, "status": statuses},
        class_names=names[:-1],
        duplicates="first",
        item_ids=votes.item_ids,
        judge_names=votes.rule_names,
    )


def _passed_on(exported: Exported, roles: Roles, votes: Votes) -> Columns:
    """Columns of the export, and what ignored judges and people said, in the order of the votes."""
    columns: dict[str, Sequence[Any]] = dict(exported.columns)
    columns.pop(roles.gold_column or "", None)
    for judge in dict.fromkeys(roles.ignore):
        if judge not in columns:
            said = exported.gold if judge == GOLD else _answers(exported.records, judge)
            columns[judge] = [said.get(item) for item in exported.item_ids]
    place = {item: i for i, item in enumerate(exported.item_ids)}
    order = np.array([place[item] for item in votes.item_ids.tolist()], dtype=np.int64)
    return {name: as_column(values)[order] for name, values in columns.items()}


def _answers(records: Sequence[Record], judge: str) -> dict[str, Any]:
    return {item: score if verdict is None else verdict for item, who, verdict, score, *_ in records if who == judge}
