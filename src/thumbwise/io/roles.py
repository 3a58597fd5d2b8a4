"""What the columns of a table of votes are: what the user says, and what their names tell."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from thumbwise.exceptions import InvalidFileError
from thumbwise.io.tables import Table

Layout: TypeAlias = Literal["wide", "long", "jury", "wrench", "mat"]
LAYOUTS: tuple[Layout, ...] = ("wide", "long", "jury", "wrench", "mat")
Duplicates: TypeAlias = Literal["raise", "first", "last"]
NullVerdict: TypeAlias = Literal["abstained", "failed"]

ID_NAMES = ("id", "item", "item_id", "item id", "itemid", "uid", "__index_level_0__", "unnamed: 0", "")
ITEM_NAMES = ("item", "task", "item_id", "task_id", "question", "question_id")
RULE_NAMES = ("worker", "performer", "rule", "judge", "annotator", "rater", "worker_id", "annotator_id", "labeler")
LABEL_NAMES = ("label", "vote", "answer", "response", "verdict")
GOLD_LABEL_NAMES = ("label", "gold", "class", "y", "truth")


@dataclass(frozen=True)
class Roles:
    """What the columns are and what the values mean, as far as the user says; the rest is inferred.

    Attributes
    ----------
    layout : {"wide", "long", "jury", "wrench", "mat"} or None
        How votes are laid out. Absent: as path and names of the columns tell.
    item_id : str or None
        Column of ids. Absent: the one that is called ``id``, ``item``, ``item_id`` or the like.
    rule, label : str or None
        Columns of rules and of their votes, if the table has a row per vote.
    gold_column : str or None
        Column of the votes that holds gold labels.
    gold_id, gold_label : str or None
        Columns of the gold table. Absent: the column called like the ids of the votes, and the only other one.
    ignore : sequence of str
        Columns that are no rules, passed on to the output.
    class_names : sequence or None
        Classes in order.
    codes : mapping or None
        Class of each value, None for a value that means abstain, if votes are not coded as here.
    abstain : str or None
        A value that means abstain, besides an empty field (and -1 among numbers).
    duplicates : {"raise", "first", "last"}
        What to do when a rule votes on an item more than once, if the table has a row per vote.
    null_verdict : {"abstained", "failed"} or None
        What a judge's empty verdict means if the record does not say.
    """

    layout: Layout | None = None
    item_id: str | None = None
    rule: str | None = None
    label: str | None = None
    gold_column: str | None = None
    gold_id: str | None = None
    gold_label: str | None = None
    ignore: Sequence[str] = ()
    class_names: Sequence[Hashable] | None = None
    codes: Mapping[Any, Hashable | None] | None = None
    abstain: str | None = None
    duplicates: Duplicates = "raise"
    null_verdict: NullVerdict | None = None


def infer_layout(table: Table) -> tuple[Layout, str]:
    """Wide, unless columns are called like items, rules and their votes and ids repeat; and why, in words."""
    found = {what: named_like(table, names) for what, names in _LONG_NAMES.items()}
    if not all(found.values()):
        return "wide", "a row per item, a column per rule"
    item, rule, label = found["item"][0], found["rule"][0], found["label"][0]
    if _is_jury(rule, label):
        return "jury", f"a record per item and judge, by the columns {item!r}, {rule!r} and {label!r}"
    ids = table.columns[item]
    if len(set(ids.tolist())) < len(ids):
        return "long", f"a row per vote, by the columns {item!r}, {rule!r} and {label!r}"
    raise InvalidFileError(
        f"the layout must be clear; columns {item!r}, {rule!r} and {label!r} may be votes in rows (item, rule, label) "
        'or ids and two rules, and no id occurs twice. Say layout="long" or layout="wide".'
    )


_LONG_NAMES = {"item": ITEM_NAMES, "rule": RULE_NAMES, "label": LABEL_NAMES}


def _is_jury(rule: str, label: str) -> bool:
    return rule.strip().lower() == "judge" and label.strip().lower() == "verdict"


def named_like(table: Table, names: Iterable[str]) -> list[str]:
    """Columns that are called one of these names, whatever the case."""
    wanted = set(names)
    return [name for name in table.names if name.strip().lower() in wanted]


def check_roles(table: Table, roles: Roles, *names: str | None) -> None:
    """Columns that are named must exist, each in one role."""
    named = [name for name in (*names, roles.gold_column, *roles.ignore) if name is not None]
    unknown = [name for name in named if name not in table.columns]
    if unknown:
        raise InvalidFileError(f"the votes must have a column {unknown[0]!r}; {listed(table)}")
    twice = [name for j, name in enumerate(named) if name in named[:j]]
    if twice:
        raise InvalidFileError(f"a column must have one role; {twice[0]!r} is named for two. Name it once.")


def listed(table: Table) -> str:
    """The names of the columns, for a message."""
    more = f" and {len(table.names) - 20} more" if len(table.names) > 20 else ""
    return f"the columns are {', '.join(map(repr, table.names[:20])) or 'none'}{more}."


def settle_id(table: Table, roles: Roles, *, is_needed: bool) -> tuple[str | None, str | None]:
    """The column of ids, as named or as its name tells, and a note on it."""
    if roles.item_id is not None:
        return roles.item_id, None
    named = {roles.gold_column, *roles.ignore}
    likely = [name for name in named_like(table, ID_NAMES) if name not in named]
    if len(likely) > 1:
        raise InvalidFileError(
            f"one column must hold the ids; {len(likely)} may: {', '.join(map(repr, likely))}. Say which with "
            "item_id=NAME, and ignore=[NAME] for the others."
        )
    if likely:
        return likely[0], f"ids are taken from column {likely[0]!r}"
    if is_needed:
        raise InvalidFileError(
            "the votes must have a column of ids, to be matched with those of the gold file; none is called 'id', "
            f"'item' or 'item_id', and {listed(table)} Say which it is with item_id=NAME."
        )
    return None, "no column of ids: items are numbered from 0"


def settle_column(table: Table, named: str | None, names: Sequence[str], what: str, argument: str) -> str:
    """The one column for a role, as named or as its name tells."""
    if named is not None:
        return named
    likely = named_like(table, names)
    if len(likely) != 1:
        found = f"{len(likely)} may: {', '.join(map(repr, likely))}" if likely else f"none does, and {listed(table)}"
        raise InvalidFileError(
            f"one column must hold {what}, called {', '.join(map(repr, names[:4]))} or the like; {found} Say which "
            f"with {argument}=NAME."
        )
    return likely[0]
