"""Each layout of votes as a reading: wide and long tables, records of judges, WRENCH folders, .mat files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from thumbwise._typing import AnyArray, IntArray
from thumbwise.exceptions import Argument, InvalidChoiceError, InvalidFileError, InvalidLabelsError, InvalidVotesError
from thumbwise.io.classes import Classes, settle_classes
from thumbwise.io.clustered import in_clusters, with_cluster
from thumbwise.io.distinct import Distinct, distinct_of
from thumbwise.io.doubtful_classes import doubtful_classes
from thumbwise.io.doubts import refuse_doubtful_classes, refuse_no_votes
from thumbwise.io.drawn_gold import DrawnGold
from thumbwise.io.gold_table import GoldLabels, gold_in_order, open_gold, read_ids
from thumbwise.io.jury import read_jury
from thumbwise.io.jury_records.fields import settle_names
from thumbwise.io.long import constant_columns, read_long
from thumbwise.io.mat_files import TRAINING, VALIDATION, as_labels, as_votes, count_classes, read_arrays
from thumbwise.io.ordered_numbers import note_on_order
from thumbwise.io.pair_rows import looks_like_pairs
from thumbwise.io.pairs import open_pairs
from thumbwise.io.readings import Reading, silent_classes
from thumbwise.io.roles import (
    Layout,
    Roles,
    check_roles,
    implied_layout,
    infer_layout,
    long_columns,
    settle_id,
)
from thumbwise.io.scored import as_wide, note_on_ratings, read_scored
from thumbwise.io.wide import read_wide, rule_columns
from thumbwise.io.wrench import load_wrench
from thumbwise.tables.formats import Column
from thumbwise.tables.frames import as_table
from thumbwise.tables.table_files import Table
from thumbwise.votes.labels import UNKNOWN
from thumbwise.votes.scored_votes import ScoredVotes
from thumbwise.votes.votes import Votes


def read_as_table(table: Table, gold: Any, roles: Roles) -> Reading:
    """A table with a row per item, vote or record, as the user or its names tell."""
    if not table.n_rows:
        raise InvalidVotesError("the votes must hold at least one item; there is no row, or only names of columns.")
    roles = with_cluster(roles)
    check_roles(table, roles, roles.item_id, roles.rule, roles.label)
    layout, note = (implied_layout(roles), None) if roles.layout is not None else _infer_layout(table, roles)
    parts = {"wide": _read_wide, "long": _read_long, "jury": _read_jury, "pairs": _read_pairs}
    if layout not in parts:
        raise InvalidChoiceError(
            "a table must be wide, long, jury or pairs; found ", Argument("layout", repr(layout)), "."
        )
    _refuse_ordered_scores(roles)
    if roles.are_scores and layout == "jury":
        raise InvalidVotesError(
            "records of judges hold verdicts; scores are read from a table with a column per judge, or, with ",
            Argument("layout", '"long"'),
            ", a row per score.",
        )
    reading = parts[layout](table, gold, roles)
    if layout != "pairs" and roles.class_names is None and roles.codes is None:
        refuse_doubtful_classes(reading.votes, reading.gold_votes.item_ids, reading.gold_labels, roles.listed)
    votes, labels = reading.votes, reading.gold_labels
    is_scored = isinstance(votes, ScoredVotes)
    doubts = () if is_scored or layout == "pairs" else doubtful_classes(votes, labels, roles, layout)
    more = votes.notes if is_scored else () if layout == "pairs" else note_on_ratings(votes, labels, roles)
    order = note_on_order(votes, roles)
    told = (*table.notes, *(() if note is None else (note,)))
    notes = (*doubts, *told, *reading.notes, *order, *more, *silent_classes(votes))
    return in_clusters(replace(reading, layout=layout, notes=notes), roles)


def _refuse_ordered_scores(roles: Roles) -> None:
    if roles.ordered and roles.are_scores:
        raise InvalidChoiceError(
            Argument("ordered"),
            " says that the numbers are the classes themselves, scores that they speak for a class; found both. Drop ",
            Argument("ordered"),
            " if gold has other classes than these numbers, otherwise the options of scores.",
        )


def _infer_layout(table: Table, roles: Roles) -> tuple[Layout, str | None]:
    """Comparisons, if columns are called as theirs are, and what those say themselves; otherwise as names tell."""
    if (implied_layout(roles) in (None, "long") and looks_like_pairs(table)) or implied_layout(roles) == "pairs":
        return "pairs", None
    return infer_layout(table, roles)


def _read_pairs(table: Table, gold: Any, roles: Roles) -> Reading:
    opened = open_pairs(table, gold, roles)
    reading = _read_long(opened.table, opened.gold, opened.roles)
    notes = reading.notes if opened.gold is gold else ()
    return replace(reading, notes=(*opened.notes, *notes), pairs=opened.pairs)


def _read_wide(table: Table, gold: Any, roles: Roles) -> Reading:
    needs_ids = gold is not None and _has_ids(gold)
    id_name, note = settle_id(table, roles, is_needed=needs_ids)
    rules = rule_columns(table, id_name, roles)
    ids: AnyArray = np.arange(table.n_rows)
    if id_name is not None:
        ids = read_ids(table.columns[id_name], id_name, "the votes", table.names)
    beside = () if roles.are_scores else _beside_gold(table, rules, roles)
    known = _settle_gold(table, gold, id_name, roles, beside)
    labels = known.distinct if known else None
    votes, classes = (read_scored if roles.are_scores else read_wide)(table, rules, ids, labels, roles)
    passed_on = {name: table.columns[name] for name in roles.ignore}
    notes = tuple(text for text in (note, *(known.notes if known else ())) if text is not None)
    return Reading(
        votes,
        _place_gold(known, classes, votes),
        id_name=id_name,
        passed_on=passed_on,
        notes=notes,
        gold_design=known.design if known else None,
    )


def _has_ids(gold: Any) -> bool:
    """Whether labels come with ids of their own, and not with numbers of rows or in the order of the items."""
    if isinstance(gold, DrawnGold):
        return gold.id_name is not None
    return isinstance(gold, (Table, Mapping)) or as_table(gold) is not None


def _beside_gold(table: Table, names: Sequence[str], roles: Roles) -> Sequence[Column]:
    """Votes that stand beside a column of gold labels, if there is one."""
    return () if roles.gold_column is None else [table.columns[name] for name in names]


def _settle_gold(
    table: Table, gold: Any, id_name: str | None, roles: Roles, votes: Sequence[Column]
) -> GoldLabels | None:
    if roles.gold_column is not None:
        return gold_in_order(table.columns[roles.gold_column], f"column {roles.gold_column!r}", roles, votes=votes)
    return None if gold is None else open_gold(gold, id_name, roles)


def _place_gold(known: GoldLabels | None, classes: Classes, votes: Votes) -> IntArray:
    if known is None:
        return np.full(votes.n_items, UNKNOWN)
    return known.place(classes.code_gold(known.distinct), votes.item_ids)


def _read_long(table: Table, gold: Any, roles: Roles) -> Reading:
    names = long_columns(table, roles)
    check_roles(table, roles, *names)
    passed = tuple(roles.ignore) + (() if roles.gold_column is None else (roles.gold_column,))
    passed_on = constant_columns(table, names[0], passed)
    known = _settle_gold(Table(passed_on), gold, names[0], roles, _beside_gold(table, names[2:], roles))
    labels = known.distinct if known else None
    votes: Votes
    if roles.are_scores:
        wide, judges = as_wide(table, names, roles)
        ids = read_ids(wide.columns[names[0]], names[0], "the votes")
        votes, classes = read_scored(wide, judges, ids, labels, roles)
    else:
        votes, classes = read_long(table, names, labels, roles)
    unused = [name for name in table.names if name not in {*names, *passed}]
    notes = known.notes if known else ()
    if unused:
        notes = (*notes, f"columns that were not used: {', '.join(map(repr, unused[:10]))}")
    passed_on.pop(roles.gold_column or "", None)
    return Reading(
        votes,
        _place_gold(known, classes, votes),
        id_name=names[0],
        passed_on=passed_on,
        notes=notes,
        gold_design=known.design if known else None,
    )


def _read_jury(table: Table, gold: Any, roles: Roles) -> Reading:
    if roles.codes is not None or roles.gold_column is not None:
        raise InvalidVotesError(
            "records of judges are read without ", Argument("codes"), " and ", Argument("gold_column"), "; drop them."
        )
    records = Table({name: column for name, column in table.columns.items() if name not in roles.ignore})
    given = {"item": roles.item_id, "judge": roles.rule, "verdict": roles.label}
    names = settle_names(records.names, given, {"item": "item_id", "judge": "rule", "verdict": "label"})
    known = None if gold is None else open_gold(gold, names["item"], roles)
    verdicts = distinct_of(names["verdict"], table.columns[names["verdict"]], is_long=True)
    refuse_no_votes(verdicts, known.distinct if known else None, roles)
    classes = settle_classes([verdicts], known.distinct if known else None, roles)
    recoded, mark = _name_verdicts(verdicts, classes, roles.abstain)
    jury = read_jury(
        Table({**records.columns, names["verdict"]: recoded}),
        **names,
        null_verdict=roles.null_verdict,
        abstain=mark,
        class_names=classes.names,
        duplicates=roles.duplicates,
    )
    jury.votes.is_ordered = roles.ordered
    placed = _place_gold(known, classes, jury.votes)
    notes = (*jury.notes, *(known.notes if known else ()))
    passed_on = constant_columns(table, names["item"], tuple(roles.ignore))
    design = known.design if known else None
    return Reading(
        jury.votes,
        placed,
        id_name=names["item"],
        passed_on=passed_on,
        notes=notes,
        jury=jury,
        gold_design=design,
    )


def _name_verdicts(verdicts: Distinct, classes: Classes, abstain: str | None) -> tuple[Column, str | None]:
    """Verdicts as numbers of the classes, or as these are called; and the one that means abstain if that is a text."""
    numbers, missing = classes.code(verdicts), np.asarray(verdicts.index) < 0
    if all(isinstance(name, int) for name in classes.names):
        return np.ma.array(numbers, mask=missing), None
    mark = "-1" if abstain is None and (numbers[~missing] < 0).any() else abstain
    return np.ma.array(np.array([*map(str, classes.names), mark], dtype=object)[numbers], mask=missing), mark


def _refuse_options(where: str, gold: Any, roles: Roles) -> None:
    """What holds its gold labels and its coding itself."""
    said = vars(replace(roles, layout=None)).items()
    given = [name for name, value in said if value is not False and value not in (None, (), [])]
    given = [name for name in given if name != "duplicates" or roles.duplicates != "raise"]
    if gold is not None or given:
        names = [*(["gold"] if gold is not None else []), *given]
        listed = [part for name in names for part in (", ", Argument(name, ...))][1:]
        raise InvalidFileError(
            f"{where} says itself what it holds; found ", *listed, " besides. Drop what is said twice."
        )


def read_wrench(path: Path, gold: Any, roles: Roles) -> Reading:
    """A folder as the WRENCH benchmark has them: train is the pool, valid is gold."""
    _refuse_options("a WRENCH folder", gold, roles)
    parts = load_wrench(path)
    known = parts.gold_labels != UNKNOWN
    if not known.any():
        raise InvalidLabelsError(f"there must be at least one gold label; valid.json of {path} has none.")
    notes = [
        f"a WRENCH folder: {parts.votes.n_items:,} items of train.json are the pool, {known.sum():,} of valid.json gold"
    ]
    if parts.leaked_ids:
        notes.append(f"{len(parts.leaked_ids):,} items of train.json are left out: labeled_ids.json gives them away")
    columns = {} if parts.texts is None else {"text": np.ma.asarray(np.array(parts.texts, dtype=object))}
    separate = (parts.gold_votes.take(known), parts.gold_labels[known])
    unknown = np.full(parts.votes.n_items, UNKNOWN)
    return Reading(parts.votes, unknown, separate, "id", columns, (*notes, *silent_classes(parts.votes)), "wrench")


def read_mat(path: Path, gold: Any, roles: Roles) -> Reading:
    """A MATLAB file as the authors of the paper have them: training is the pool, validation is gold."""
    _refuse_options("a .mat file", gold, roles)
    names = (TRAINING[0], *VALIDATION)
    arrays = read_arrays(path, names)
    pool, gold_array = (as_votes(arrays[name], name, path) for name in names[:2])
    labels = as_labels(arrays[names[2]], len(gold_array), names[2], path)
    if pool.shape[1] != gold_array.shape[1]:
        raise InvalidFileError(
            f"all parts of {path} must have the same rules; {names[0]!r} has {pool.shape[1]} columns and {names[1]!r} "
            f"{gold_array.shape[1]}."
        )
    k = count_classes([(pool, labels), (gold_array, labels)])
    votes, gold_votes = (Votes(array, n_classes=k, copy=False) for array in (pool, gold_array))
    notes = (f"a .mat file: {len(pool):,} items of {names[0]!r} are the pool, {len(labels):,} of {names[1]!r} gold",)
    unknown = np.full(votes.n_items, UNKNOWN)
    return Reading(votes, unknown, (gold_votes, labels), notes=(*notes, *silent_classes(votes)), layout="mat")
