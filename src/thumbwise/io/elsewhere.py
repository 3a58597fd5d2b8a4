"""Votes that stay in files, many or large ones: opened, understood as those in memory are, and their gold fetched.

The items are asked four things in all: which values there are, how often each pattern occurs, what the votes on the
gold items are, and, when labels are written, to be joined with them. A review that comes back asks for the votes on
the items that are known by then.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from glob import has_magic
from pathlib import Path
from typing import Any

import numpy as np

from thumbwise._typing import AnyArray
from thumbwise.exceptions import Argument, InvalidChoiceError, InvalidLabelsError, InvalidVotesError
from thumbwise.io.classes import Classes, settle_classes
from thumbwise.io.clustered import refuse_clusters
from thumbwise.io.distinct import Distinct
from thumbwise.io.distinct_elsewhere import Look, look_at, refuse_bad_ids, vote_text
from thumbwise.io.doubtful_classes import doubtful_classes
from thumbwise.io.doubts import refuse_doubtful_classes, refuse_no_rules
from thumbwise.io.gold_table import GoldLabels, open_gold
from thumbwise.io.ordered_numbers import note_on_order
from thumbwise.io.readings import Files, Reading, silent_classes
from thumbwise.io.roles import WIDE, Roles, check_roles, implied_layout, refuse_row_per_vote, settle_id
from thumbwise.io.scored import refuse_elsewhere
from thumbwise.io.wide import rule_columns
from thumbwise.tables.databases import Database, open_database
from thumbwise.tables.dialects import DELIMITERS
from thumbwise.tables.formats import explained, kept_value, quoted
from thumbwise.tables.many_files import list_files, open_noted
from thumbwise.tables.plain_files import split_ending
from thumbwise.tables.stamps import Stamp, check_unchanged, stamp_all
from thumbwise.tables.table_files import Table
from thumbwise.votes.engines.frames import DuckDB, open_frame
from thumbwise.votes.engines.items import Items
from thumbwise.votes.engines.vote_digits import VoteColumn
from thumbwise.votes.labels import UNKNOWN
from thumbwise.votes.lazy_votes import LazyVotes
from thumbwise.votes.votes import Votes

# Bytes of files above which rows are not brought into memory by ``thumbwise label``.
LARGE = 300 * 10**6
# How many times larger a packed file is taken to be.
_UNPACKED = 10
ENDINGS = (".parquet", *DELIMITERS)
# Bytes of files up to which all ids are compared with each other; of larger ones a part, so that memory stays bounded.
_ALL_COMPARED = 5 * 10**6


def are_many(source: Path, roles: Roles) -> bool:
    """Whether a path stands for many files: wildcards, or a folder that is none of WRENCH."""
    if implied_layout(roles) not in (None, "wide"):
        return False
    if source.is_dir():
        return roles.layout == "wide" or not (source / "label.json").exists()
    return not source.exists() and has_magic(str(source))


def is_large(source: Path, roles: Roles) -> bool:
    """Whether one file is better left where it is, and can be."""
    must_come = implied_layout(roles) not in (None, "wide") or roles.gold_column is not None or roles.are_scores
    if must_come or roles.cluster is not None or not source.is_file():
        return False
    ending, packing = split_ending(source)
    return ending in ENDINGS and source.stat().st_size * (_UNPACKED if packing else 1) > LARGE


def read_elsewhere(
    source: Path, gold: Any, roles: Roles, home: Database | None = None, gold_file: Path | None = None
) -> Reading:
    """Find ids, rules and classes; fetch the votes of the gold items.

    Parameters
    ----------
    source : Path
        A file, a folder of Parquet files, or a pattern with wildcards.
    gold : Table, DrawnGold, frame, mapping of ids to labels, or None
    roles : Roles
    home : Database, optional
        What reads the files. Absent: one whose rows the caller may go on with.
    gold_file : Path, optional
        Where gold came from, which no output may touch.
    """
    refuse_elsewhere(roles)
    refuse_clusters(roles)
    if roles.gold_column is not None:
        raise InvalidChoiceError(
            "votes that stay in many files are read without a column of gold labels; found ",
            Argument("gold_column", repr(roles.gold_column)),
            ". Name gold labels by their ids: ",
            Argument("gold", "FILE"),
            ".",
        )
    pattern = source / "*.parquet" if source.is_dir() else source
    home = open_database() if home is None else home
    with explained(str(pattern)):
        stamps = stamp_all(list_files(str(pattern), home.connection))
        files, file_notes = open_noted(str(pattern), roles.form, home, as_texts=True)
    names = Table({name: np.ma.asarray(np.empty(0)) for name in files.columns})
    check_roles(names, roles, roles.item_id)
    refuse_row_per_vote(names, roles)
    id_name, id_note = settle_id(names, roles, is_needed=gold is not None)
    known = None if gold is None else _open_gold(gold, id_name, roles)
    rules = rule_columns(names, id_name, roles)
    with explained(str(pattern)):
        looked = look_at(files, rules, id_name, roles.ignore, _one_in(stamps))
        votes, classes = _open_votes(home, files, looked, id_name, known, roles)
        gold_votes, labels = _take_gold(votes, classes, known)
        if roles.class_names is None and roles.codes is None:
            refuse_doubtful_classes(votes, labels if gold_votes is None else gold_votes.item_ids, labels, roles.listed)
    check_unchanged(stamps)
    stay = f"items stay in {pattern}; only patterns were read"
    doubts = doubtful_classes(votes, labels, roles, "wide")
    layout = () if roles.layout else (WIDE,)
    seen = (*(known.notes if known else ()), *note_on_order(votes, roles), *silent_classes(votes))
    notes = (*doubts, *file_notes, *layout, id_note, *seen, stay)
    return Reading(
        votes,
        np.empty(0, dtype=np.int64),
        id_name=id_name,
        passed_on={name: names.columns[name] for name in roles.ignore},
        notes=tuple(note for note in notes if note),
        gold_design=known.design if known else None,
        files=Files((source, pattern, gold_file), stamps, gold_votes, labels),
    )


def _one_in(stamps: Mapping[str, Stamp | None]) -> int:
    """How many ids stand for one that is compared with the others."""
    return max(1, sum(stamp[2] for stamp in stamps.values() if stamp is not None) // _ALL_COMPARED)


def _open_gold(gold: Any, id_name: str | None, roles: Roles) -> GoldLabels:
    known = open_gold(gold, id_name, roles)
    if known.ids is None or known.only_counts:
        raise InvalidLabelsError(
            "gold labels of items that stay in files must come with ids, because rows of files have no order; found "
            "one label per item. Pass a file, a frame or a mapping of ids to labels."
        )
    return known


def _open_votes(
    home: Database, files: Any, look: Look, id_name: str | None, known: GoldLabels | None, roles: Roles
) -> tuple[LazyVotes, Classes]:
    if not look.n_rows:
        raise InvalidVotesError("the votes must hold at least one item; there is no row, or only names of columns.")
    if id_name is not None:
        refuse_bad_ids(files, look, id_name)
    gold = known.distinct if known else None
    refuse_no_rules(look.rules, gold, roles)
    classes = settle_classes(look.rules, gold, roles)
    items = _as_items(files, look, classes, id_name, roles.ignore)
    items = replace(items, engine=DuckDB(home.connection))
    return LazyVotes.from_items(items, ordered=roles.ordered), classes


def _as_items(files: Any, look: Look, classes: Classes, id_name: str | None, passed_on: Sequence[str]) -> Items:
    """The columns that are needed, under names of our own: votes as class numbers or as texts that stand for them."""
    kinds = dict(zip(files.columns, map(str, files.types), strict=True))
    columns, taken = [], []
    for j, rule in enumerate(look.rules):
        column, is_number = quoted(rule.name), _are_class_numbers(rule, classes)
        texts = f"CAST({column} AS BIGINT)" if is_number else vote_text(column, kinds[rule.name])
        taken.append(f"{texts} AS c{j}")
        kind = "silent" if not rule.counts else "whole" if is_number else "text"
        columns.append(VoteColumn(f"c{j}", kind, None if is_number else classes.numbers))  # type: ignore[arg-type]
    kept = {name: f"k{j}" for j, name in enumerate([*([] if id_name is None else [id_name]), *passed_on])}
    for name, inner in kept.items():
        value = f"CAST({quoted(name)} AS BIGINT)" if name in look.whole else kept_value(quoted(name), kinds[name])
        taken.append(f"{value} AS {inner}")
    frame, engine = open_frame(files.project(", ".join(taken)))
    rule_names = tuple(rule.name for rule in look.rules)
    item = None if id_name is None else kept[id_name]
    return Items(frame, engine, columns, rule_names, classes.names, None, item, kept)


def _are_class_numbers(rule: Distinct, classes: Classes) -> bool:
    """Whether the values are whole numbers that are the numbers of their classes, -1 for abstain."""
    return not rule.n_unlisted and all(str(classes.numbers.get(text)) == text for text in rule.counts)


def _take_gold(votes: LazyVotes, classes: Classes, known: GoldLabels | None) -> tuple[Votes | None, AnyArray]:
    if known is None:
        return None, np.empty(0, dtype=np.int64)
    labels = classes.code_gold(known.distinct)
    ids = _as_ids(votes, known.ids or ())
    return votes.take_ids(ids[labels != UNKNOWN]), labels[labels != UNKNOWN]


def _as_ids(votes: LazyVotes, texts: Sequence[str]) -> AnyArray:
    """Ids of gold as the files hold theirs."""
    held = held_ids(votes, texts)
    strange = [text for text in texts if text not in held]
    if strange:
        raise InvalidLabelsError(
            "gold ids must be among the items, whose ids are whole numbers of 64 bits; "
            f"{len(strange)} of {len(texts)} are not, such as {strange[0][:60]!r}. Correct or drop them."
        )
    return id_array(votes, list(held.values()))


def held_ids(votes: LazyVotes, texts: Sequence[str]) -> dict[str, Hashable]:
    """Ids that texts stand for, as the files hold theirs: whole numbers or texts; those that cannot be are left out."""
    if not votes.items.has_whole_ids:
        return {text: text for text in texts}
    return {text: int(text) for text in texts if _is_whole(text)}


def id_array(votes: LazyVotes, ids: Sequence[Hashable]) -> AnyArray:
    """Ids in an array as those of the items are: of whole numbers or of texts."""
    return np.array(ids, dtype=np.int64 if votes.items.has_whole_ids else object)


def _is_whole(text: str) -> bool:
    """Whether a text is a whole number of 64 bits as it would be written."""
    return re.fullmatch(r"0|-?[1-9][0-9]{0,18}", text) is not None and -(2**63) <= int(text) < 2**63
