"""Wide votes: a table with a row per item and a column per rule, and where its ids and gold labels are."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.exceptions import InvalidFileError, InvalidLabelsError, InvalidVotesError
from thumbwise.io.formats import Column
from thumbwise.io.tables import Table, as_text, check_names
from thumbwise.labels import UNKNOWN, code_labels
from thumbwise.votes import Votes

ID_NAMES = ("id", "item", "item_id", "item id", "itemid", "uid", "__index_level_0__", "unnamed: 0", "")
MAX_INFERRED_NAMES = 100
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
_NUMBER_LIST = re.compile(rf"{_NUMBER.pattern}(,{_NUMBER.pattern})*")


@dataclass(frozen=True)
class Roles:
    """What the columns are, as far as the user says; the rest is inferred.

    Attributes
    ----------
    id_name : str or None
        Column of ids. Absent: the one that is called ``id``, ``item``, ``item_id`` or the like.
    gold_column : str or None
        Column of the votes file that holds gold labels.
    gold_id, gold_label : str or None
        Columns of the gold file. Absent: the column called like the ids of the votes, and the only other one.
    ignored : sequence of str
        Columns that are no rules, passed on to the output.
    class_names : sequence of str or None
        Classes in order.
    abstain : str or None
        A value that means abstain, besides an empty field (and -1 among numbers).
    """

    id_name: str | None = None
    gold_column: str | None = None
    gold_id: str | None = None
    gold_label: str | None = None
    ignored: Sequence[str] = ()
    class_names: Sequence[str] | None = None
    abstain: str | None = None


@dataclass(frozen=True, eq=False)
class WideVotes:
    """Votes with the gold labels of some of their items.

    Attributes
    ----------
    votes : Votes
    gold : ndarray of shape (n_items,)
        Class number, -1 where unknown.
    id_name : str or None
    passed_on : dict of str to Column
        The ignored columns.
    notes : tuple of str
        What was inferred, in words.
    """

    votes: Votes
    gold: IntArray
    id_name: str | None
    passed_on: dict[str, Column] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read_wide(table: Table, gold_table: Table | None, roles: Roles) -> WideVotes:
    """Find ids, rules and gold labels in the columns, and check that they fit each other.

    Parameters
    ----------
    table : Table
        The votes. Every column that has no other role is a rule.
    gold_table : Table or None
        A column of ids and a column of labels; None if ``roles.gold_column`` names a column of ``table``.
    roles : Roles
    """
    _check_gold_given(gold_table, roles)
    if not table.n_rows:
        raise InvalidVotesError("the votes must hold at least one item; there is no row, or only names of columns.")
    _check_named(table, roles)
    notes: list[str] = []
    id_name = _settle_id(table, roles, notes)
    taken = {id_name, roles.gold_column, *roles.ignored}
    rules = [name for name in table.names if name not in taken]
    _check_rules(table, rules)
    ids = np.arange(table.n_rows) if id_name is None else _read_ids(table.columns[id_name], id_name, "the votes")
    if roles.gold_column is not None:
        labels = table.columns[roles.gold_column]
    else:
        labels = _labels_of_file(gold_table or Table({}), ids, id_name, roles, notes)
    votes, gold = _code(table, rules, labels, ids, roles)
    notes.extend(_silent_classes(votes))
    return WideVotes(votes, gold, id_name, {name: table.columns[name] for name in roles.ignored}, tuple(notes))


def labels_table(wide: WideVotes, proba: FloatArray, labels: AnyArray) -> Table:
    """One row per item: id, label, probabilities, number of votes, and the columns that were passed on."""
    id_name, *names = output_names(wide)
    ids = wide.votes.item_ids
    ours = [labels, *proba.T, wide.votes.n_votes_per_item]
    columns = [*map(np.ma.asarray, ours), *wide.passed_on.values()]
    return Table({id_name: np.ma.asarray(ids), **dict(zip(names, columns, strict=True))})


def output_names(wide: WideVotes) -> list[str]:
    """Names of the columns of the output, which must not clash."""
    names = [
        wide.id_name or "item",
        "label",
        *(f"p_{name}" for name in wide.votes.class_names),
        "n_votes",
        *wide.passed_on,
    ]
    try:
        check_names(names)
    except InvalidFileError as error:
        raise InvalidFileError(
            f"the output would have the columns {', '.join(map(repr, names[:20]))}: {error}"
        ) from None
    return names


def _check_gold_given(gold_table: Table | None, roles: Roles) -> None:
    if gold_table is None and roles.gold_column is None:
        raise InvalidLabelsError(
            "gold labels are needed: about a hundred items, drawn at random, whose class somebody checked. Name a file "
            "of ids and labels with --gold FILE, or a column of the votes with --gold-column NAME."
        )
    if gold_table is not None and roles.gold_column is not None:
        raise InvalidLabelsError("gold must come from one place; found both --gold and --gold-column. Drop one.")


def _check_named(table: Table, roles: Roles) -> None:
    named = [name for name in (roles.id_name, roles.gold_column, *roles.ignored) if name is not None]
    unknown = [name for name in named if name not in table.columns]
    if unknown:
        raise InvalidFileError(f"the votes must have a column {unknown[0]!r}; {_listed(table)}")
    twice = [name for j, name in enumerate(named) if name in named[:j]]
    if twice:
        raise InvalidFileError(f"a column must have one role; {twice[0]!r} is named for two. Name it once.")


def _listed(table: Table) -> str:
    more = f" and {len(table.names) - 20} more" if len(table.names) > 20 else ""
    return f"the columns are {', '.join(map(repr, table.names[:20])) or 'none'}{more}."


def _check_rules(table: Table, rules: Sequence[str]) -> None:
    if not rules:
        raise InvalidVotesError(
            f"the votes must have at least one rule, a column that holds votes; {_listed(table)} None of them is left "
            "for a rule. If fields are separated by something else than the ending says (.csv: comma, .tsv: tab), "
            "convert the file."
        )


def _settle_id(table: Table, roles: Roles, notes: list[str]) -> str | None:
    if roles.id_name is not None:
        return roles.id_name
    named = {roles.gold_column, *roles.ignored}
    likely = [name for name in table.names if name.strip().lower() in ID_NAMES and name not in named]
    if len(likely) > 1:
        raise InvalidFileError(
            f"one column must hold the ids; {len(likely)} may: {', '.join(map(repr, likely))}. Say which with --id "
            "NAME, and --ignore NAME for the others."
        )
    if likely:
        notes.append(f"ids are taken from column {likely[0]!r}")
        return likely[0]
    if roles.gold_column is None:
        raise InvalidFileError(
            "the votes must have a column of ids, to be matched with those of the gold file; none is called 'id', "
            f"'item' or 'item_id', and {_listed(table)} Say which it is with --id NAME."
        )
    notes.append("no column of ids: items are numbered from 0")
    return None


def _read_ids(column: Column, name: str, where: str) -> AnyArray:
    missing = np.flatnonzero(np.ma.getmaskarray(column))
    if len(missing):
        raise InvalidVotesError(
            f"every row of {where} must have an id; column {name!r} is empty in row {missing[0]}, counting from 0 "
            f"({len(missing)} such rows). Fill it in or drop the rows."
        )
    texts = as_text(column)
    first = {text: row for row, text in reversed(list(enumerate(texts)))}
    repeated = [row for row, text in enumerate(texts) if first[text] != row]
    if repeated:
        row = repeated[0]
        raise InvalidVotesError(
            f"ids must be unique; column {name!r} of {where} holds {texts[row]!r} in rows {first[texts[row]]} and "
            f"{row}, counting from 0 ({len(repeated)} rows too many in all). Drop the repeated rows."
        )
    return np.asarray(column.data)


def _labels_of_file(gold: Table, ids: AnyArray, id_name: str | None, roles: Roles, notes: list[str]) -> Column:
    """Labels by item of the votes, matched by the text of the ids."""
    if id_name is None:
        raise InvalidFileError(
            "the votes must have a column of ids, to be matched with those of the gold file. Name it with --id."
        )
    gold_id, gold_label = _gold_columns(gold, id_name, roles, notes)
    gold_ids = as_text(np.ma.asarray(_read_ids(gold.columns[gold_id], gold_id, "the gold file")))
    position = {str(value): row for row, value in enumerate(ids.tolist())}
    strange = [value for value in gold_ids if value not in position]
    if strange:
        raise InvalidLabelsError(
            f"gold ids must be among the items; {len(strange)} of {len(gold_ids)} are not, such as {strange[0]!r} "
            f"(items have ids such as {str(ids[0])!r}). Correct or drop them; ids are compared character by character."
        )
    given = gold.columns[gold_label]
    rows = [position[str(value)] for value in gold_ids]
    values, is_missing = np.empty(len(ids), dtype=given.dtype), np.ones(len(ids), dtype=bool)
    values[rows], is_missing[rows] = given.data, np.ma.getmaskarray(given)
    return np.ma.array(values, mask=is_missing)


def _gold_columns(gold: Table, id_name: str, roles: Roles, notes: list[str]) -> tuple[str, str]:
    for name in (roles.gold_id, roles.gold_label):
        if name is not None and name not in gold.columns:
            raise InvalidFileError(f"the gold file must have a column {name!r}; {_listed(gold)}")
    gold_id = roles.gold_id or _likely_gold_id(gold, id_name)
    others = [name for name in gold.names if name != gold_id]
    if roles.gold_label is None and len(others) > 1:
        others = [name for name in others if name.strip().lower() in ("label", "gold", "class", "y")]
    if roles.gold_label is None and len(others) != 1:
        raise InvalidFileError(
            f"the gold file must have one column of labels besides the ids in {gold_id!r}; {_listed(gold)} "
            "Say which it is with --gold-label NAME."
        )
    gold_label = roles.gold_label or others[0]
    if gold_label == gold_id:
        raise InvalidFileError(f"ids and labels of the gold file must be two columns; both are {gold_id!r}.")
    notes.append(f"gold ids are taken from column {gold_id!r}, gold labels from {gold_label!r}")
    return gold_id, gold_label


def _likely_gold_id(gold: Table, id_name: str) -> str:
    if id_name in gold.columns:
        return id_name
    likely = [name for name in gold.names if name.strip().lower() in ID_NAMES]
    if len(likely) != 1:
        raise InvalidFileError(
            f"the gold file must have a column of ids called {id_name!r}, like the votes; {_listed(gold)} "
            "Say which it is with --gold-id NAME."
        )
    return likely[0]


def _code(table: Table, rules: Sequence[str], labels: Column, ids: AnyArray, roles: Roles) -> tuple[Votes, IntArray]:
    """Votes and gold by class number. Classes that are not listed are those of the votes and of gold together."""
    columns = [_without(table.columns[name], roles.abstain) for name in rules]
    gold = _without(labels, roles.abstain)
    _check_not_silent(columns, gold)
    names: Sequence[Hashable] | None = roles.class_names
    if names is None:
        _check_one_kind(rules, columns)
        by_name = not _is_numeric(columns)
        names = _infer_classes(rules, columns, gold, by_name)
    elif _NUMBER_LIST.fullmatch(",".join(map(str, names))):
        # Classes that are called 1 and 2 are names, and votes 1 and 2 mean these and not the second and third class.
        columns, gold, by_name = [_spelled(column, names) for column in columns], _spelled(gold, names), True
    else:
        by_name = not _is_numeric(columns)
    votes = Votes(_matrix(columns, by_name), class_names=names, rule_names=rules, item_ids=ids)
    return votes, _code_gold(gold, votes)


def _check_not_silent(columns: Sequence[Column], gold: Column) -> None:
    if all(column.mask.all() for column in columns):
        raise InvalidVotesError("some rule must vote on some item; every vote is empty or the mark for abstain.")
    if gold.mask.all():
        raise InvalidLabelsError(
            "there must be at least one gold label; all are empty. Fill in the class of some items."
        )


def _spelled(column: Column, names: Sequence[Hashable]) -> Column:
    """Numbers in the spelling of the classes, so that ``1.0`` is ``1``; -1 is an abstention unless it is a class."""
    spelling = {float(str(name)): str(name) for name in names}
    values = np.array([*as_text(column), None], dtype=object)[:-1]
    for row, text in enumerate(values):
        if text is not None and text not in names and _NUMBER.fullmatch(text):
            values[row] = spelling.get(float(text), None if float(text) == UNKNOWN else text)
    return np.ma.array(values, mask=[text is None for text in values])


def _without(column: Column, abstain: str | None) -> Column:
    """The column with abstentions masked: missing, not a number, or the given text."""
    mask = np.ma.getmaskarray(column).copy()
    if column.dtype.kind == "f":
        mask |= np.isnan(column.data)
    if abstain is not None:
        mask |= np.array([text == abstain for text in as_text(column)], dtype=bool)
    return np.ma.array(column.data, mask=mask)


def _is_numeric(columns: Sequence[Column]) -> bool:
    """Numbers, or texts that are all numbers, such as ``1.0``; a column that says nothing may be either."""
    texts = [column for column in columns if column.dtype.kind == "O"]
    return all(_NUMBER.fullmatch(text) for column in texts for text in set(column.compressed().tolist()))


def _check_one_kind(rules: Sequence[str], columns: Sequence[Column]) -> None:
    """No column of numbers beside one of names, and none with so many names that it must be something else."""
    speaking = [(name, column) for name, column in zip(rules, columns, strict=True) if not column.mask.all()]
    numbers = [name for name, column in speaking if _is_numeric([column])]
    texts = [name for name, _ in speaking if name not in set(numbers)]
    if texts and numbers:
        raise InvalidVotesError(
            f"votes must be all numbers or all names of classes; column {texts[0]!r} holds names, column "
            f"{numbers[0]!r} numbers ({len(texts)} columns of names, {len(numbers)} of numbers). A column that is no "
            "rule is named with --ignore, a column of ids with --id; if numbers are names of classes here, list "
            "all of them with --classes."
        )
    for name, column in speaking if texts else ():
        n_values = len(set(column.compressed().tolist()))
        if n_values > MAX_INFERRED_NAMES:
            raise InvalidVotesError(
                f"column {name!r} holds {n_values} different values, too many to be taken for classes. If it is no "
                f"rule, say --ignore {name!r}; if there are that many classes, list them with --classes."
            )


def _infer_classes(rules: Sequence[str], columns: Sequence[Column], gold: Column, by_name: bool) -> Sequence[Hashable]:
    """Classes of the votes and of gold together, as if gold were one more rule."""
    if by_name == _is_numeric([gold]):
        texts, numbers = ("votes", "gold labels") if by_name else ("gold labels", "votes")
        raise InvalidLabelsError(
            f"gold labels must be classes of the votes; the {numbers} are numbers but the {texts} are names (the first "
            f"of {gold.count()} gold labels is {str(gold.compressed()[0])!r}). List the names in the order of the "
            "numbers: --classes NAME,NAME,..."
        )
    gold_name = "gold labels" if "gold labels" not in rules else f"gold labels, beside {max(rules, key=len)}"
    every = [*columns, gold]
    if by_name:  # the places of names are not asked for here, so each name is looked at once
        distinct = [sorted(set(column.compressed().tolist())) for column in every]
        length = max(map(len, distinct))
        every = [np.ma.array([*d, *[None] * (length - len(d))], mask=np.arange(length) >= len(d)) for d in distinct]
    return Votes(_matrix(every, by_name), rule_names=[*rules, gold_name]).class_names


def _matrix(columns: Sequence[Column], by_name: bool) -> AnyArray:
    """Votes as the core reads them: names with None, or numbers with -1 or NaN, where a rule abstains."""
    if by_name:
        return np.column_stack([np.array([*as_text(column), None], dtype=object)[:-1] for column in columns])
    if all(column.dtype.kind in "biu" for column in columns):
        return np.column_stack([np.where(column.mask, UNKNOWN, column.data.astype(np.int64)) for column in columns])
    return np.column_stack([_floats(column) for column in columns])


def _floats(column: Column) -> FloatArray:
    floats = np.full(len(column), np.nan)
    present = ~np.ma.getmaskarray(column)
    floats[present] = column.data[present].astype(float)
    return floats


def _code_gold(gold: Column, votes: Votes) -> IntArray:
    """Class numbers; a label that is a number and no name of a class counts the classes from 0."""
    values: AnyArray = np.full(len(gold), None, dtype=object)
    present = ~np.ma.getmaskarray(gold)
    values[present] = [str(value) for value in gold.compressed().tolist()]
    if _is_numeric([gold]) and not {*values[present]} & {*votes.class_names}:
        values[present] = _whole(gold.compressed())
    labels = code_labels(values, votes.class_names, votes.n_items)
    if (labels == UNKNOWN).all():
        raise InvalidLabelsError(
            "there must be at least one gold label; all are -1 or empty. Fill in the class of some items."
        )
    return labels


def _whole(values: AnyArray) -> list[Any]:
    floats = values.astype(float)
    return [int(value) if value == np.floor(value) else value for value in floats.tolist()]


def _silent_classes(votes: Votes) -> Iterable[str]:
    counts = votes.patterns.vote_table.sum(axis=0)
    silent = [repr(name) for name, count in zip(votes.class_names, counts, strict=True) if count == 0]
    return [f"no rule ever votes for class {', '.join(silent[:10])}"] if silent else []
