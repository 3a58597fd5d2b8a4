"""What the values in the columns of a table mean: classes by name or by number, abstentions, and nothing guessed."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.counted_votes import CountedVotes
from thumbwise.exceptions import InvalidLabelsError, InvalidVotesError
from thumbwise.io.formats import Column
from thumbwise.io.roles import Roles
from thumbwise.io.tables import as_text
from thumbwise.labels import UNKNOWN, code_labels
from thumbwise.reading.coding import code_names, settle_n_classes, smallest_dtype

MAX_INFERRED_NAMES = 100
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")


@dataclass(frozen=True, eq=False)
class Coded:
    """Columns of votes and gold labels with abstentions masked, and the classes that they speak of.

    Attributes
    ----------
    columns : list of Column
        The votes.
    gold : Column or None
        The gold labels.
    class_names : sequence
    by_name : bool
        Whether values are names of classes; if not, they are class numbers.
    """

    columns: list[Column]
    gold: Column | None
    class_names: Sequence[Hashable]
    by_name: bool

    def matrix(self) -> AnyArray:
        """Votes as the core reads them: names with None, or numbers with -1 or NaN, where a rule abstains."""
        if self.by_name:
            return self._by_number() if self._all_known() else np.column_stack([texts(c) for c in self.columns])
        if all(column.dtype.kind in "biu" for column in self.columns):
            whole = [np.where(column.mask, UNKNOWN, column.data.astype(np.int64)) for column in self.columns]
            return np.column_stack(whole)
        return np.column_stack([_floats(column) for column in self.columns])

    def _all_known(self) -> bool:
        """Whether every name is one of a class; if not, the core says where one is not."""
        known = {str(name) for name in self.class_names}
        return all(distinct_texts(column) <= known for column in self.columns)

    def _by_number(self) -> AnyArray:
        number = {str(name): c for c, name in enumerate(self.class_names)}
        said = [[number.get(text, UNKNOWN) for text in texts(column).tolist()] for column in self.columns]
        return np.array(said, dtype=smallest_dtype(len(number))).T


def distinct_texts(column: Column) -> set[str]:
    """The different values of a column, as they would be written."""
    present = column.data[~np.ma.getmaskarray(column)]
    return set(present.tolist()) if column.dtype.kind == "O" else set(map(str, np.unique(present).tolist()))


def code_columns(names: Sequence[str], columns: Sequence[Column], gold: Column | None, roles: Roles) -> Coded:
    """Find out what the values mean. Classes that are not listed are those of the votes and of gold together.

    Parameters
    ----------
    names : sequence of str
        Names of the columns of votes.
    columns : sequence of Column
    gold : Column or None
    roles : Roles
        Of these: ``class_names``, ``codes`` and ``abstain``.
    """
    if roles.codes is not None:
        columns, gold, roles = _decode(names, columns, gold, roles)
    votes = [silenced(column, roles.abstain) for column in columns]
    gold = None if gold is None else silenced(gold, roles.abstain)
    _check_not_silent(votes, gold)
    if roles.class_names is None:
        return _infer(names, votes, gold)
    if all(_NUMBER.fullmatch(str(name)) for name in roles.class_names):
        # Classes that are called 1 and 2 are names, and votes 1 and 2 mean these and not the second and third class.
        classes = [str(name) for name in roles.class_names]
        spelled = None if gold is None else _spelled(gold, classes)
        return Coded([_spelled(column, classes) for column in votes], spelled, roles.class_names, True)
    return Coded(votes, gold, roles.class_names, not _is_numeric(votes))


def code_gold(gold: Column, votes: CountedVotes) -> IntArray:
    """Class numbers; a label that is a number and no name of a class counts the classes from 0."""
    are_truths = tuple(votes.class_names) == (0, 1)
    gold = _truths_like_votes(gold, {str(name) for name in votes.class_names}, by_name=not are_truths)
    values: AnyArray = np.full(len(gold), None, dtype=object)
    present = ~np.ma.getmaskarray(gold)
    values[present] = [str(value) for value in gold.compressed().tolist()]
    if _is_numeric([gold]) and not {*values[present]} & {*votes.class_names}:
        values[present] = _whole(gold.compressed())
    labels = code_labels(values, votes.class_names, len(gold))
    if (labels == UNKNOWN).all():
        raise InvalidLabelsError(
            "there must be at least one gold label; all are unknown. Fill in the class of some items."
        )
    return labels


def texts(column: Column) -> AnyArray:
    """Values as they would be written, None where missing, as an array of objects."""
    if column.dtype.kind != "O":
        return np.array([*as_text(column), None], dtype=object)[:-1]
    values = np.array(column.data, dtype=object)
    values[np.ma.getmaskarray(column)] = None
    return values


def _decode(
    names: Sequence[str], columns: Sequence[Column], gold: Column | None, roles: Roles
) -> tuple[list[Column], Column | None, Roles]:
    """Columns in the classes that the codes say; gold may be written in codes or in classes."""
    codes = {spelling(value): name for value, name in (roles.codes or {}).items()}
    if roles.class_names is not None or roles.abstain is not None:
        beside = "class_names=..." if roles.class_names is not None else "abstain=..."
        raise InvalidVotesError(f"codes say all about the values; found {beside} besides. Drop one of the two.")
    classes = [str(name) for name in dict.fromkeys(codes.values()) if name is not None]
    if len(classes) < 2:
        raise InvalidVotesError(f"codes must name at least two classes; found {len(classes)} ({classes}).")
    decoded = [_translate(column, codes, f"column {name!r}") for column, name in zip(columns, names, strict=True)]
    if gold is not None:
        gold = _translate(gold, {name: name for name in classes} | codes, "the gold labels")
    return decoded, gold, replace(roles, codes=None, class_names=classes)


def spelling(value: Hashable) -> str:
    """A value as text, without space around it; whole numbers that are equal are spelled alike."""
    text = str(value).strip()
    number = float(text) if _NUMBER.fullmatch(text) else np.inf
    return str(int(number)) if abs(number) < 2**53 and number == np.floor(number) else text


def _translate(column: Column, codes: Mapping[str, Hashable | None], where: str) -> Column:
    present = np.flatnonzero(~np.ma.getmaskarray(column))
    values, index = np.unique(texts(column)[present].astype(str), return_inverse=True)
    unknown = [value for value in values.tolist() if spelling(value) not in codes]
    if unknown:
        rows = present[np.isin(index, np.flatnonzero(values == unknown[0]))]
        known = ", ".join(map(repr, list(codes)[:10]))
        raise InvalidVotesError(
            f"every value must be one of the codes ({known}) or empty; {where} holds {unknown[0]!r} in row {rows[0]}, "
            f"counting from 0 ({len(rows)} such rows). Add it to codes, with nothing as its class if it means abstain."
        )
    decoded: AnyArray = np.full(len(column), None, dtype=object)
    names = [codes[spelling(value)] for value in values.tolist()]
    decoded[present] = np.array([*(None if name is None else str(name) for name in names), None], dtype=object)[index]
    return np.ma.array(decoded, mask=[value is None for value in decoded])


def _check_not_silent(columns: Sequence[Column], gold: Column | None) -> None:
    if all(column.mask.all() for column in columns):
        raise InvalidVotesError("some rule must vote on some item; every vote is empty or the mark for abstain.")
    if gold is not None and gold.mask.all():
        raise InvalidLabelsError(
            "there must be at least one gold label; all are empty. Fill in the class of some items."
        )


def _infer(names: Sequence[str], columns: list[Column], gold: Column | None) -> Coded:
    _check_one_kind(names, columns)
    by_name = not _is_numeric(columns)
    gold = None if gold is None else _truths_like_votes(gold, set().union(*map(distinct_texts, columns)), by_name)
    if gold is not None and by_name == _is_numeric([gold]):
        kinds = ("votes", "gold labels") if by_name else ("gold labels", "votes")
        raise InvalidLabelsError(
            f"gold labels must be classes of the votes; the {kinds[1]} are numbers but the {kinds[0]} are names (the "
            f"first of {gold.count()} gold labels is {str(gold.compressed()[0])!r}). List the names in the order of "
            "the numbers: class_names=[...]."
        )
    every = columns if gold is None else [*columns, gold]
    if not by_name:
        _check_counted_from_zero(every)
    return Coded(columns, gold, _distinct_classes(names, every, by_name), by_name)


def _truths_like_votes(gold: Column, voted: set[str], by_name: bool) -> Column:
    """Gold of truth values in the spelling of the votes, which are names, or numbers 0 and 1; other gold as it is."""
    values = {text.strip().lower() for text in distinct_texts(gold)}
    spelled = {text.strip().lower(): text for text in voted}
    if not values or not values <= {"true", "false"} or (by_name and not values <= set(spelled)):
        return gold
    if not by_name:
        return np.ma.array([str(value).strip().lower() == "true" for value in gold.data], mask=np.ma.getmaskarray(gold))
    names = [None if value is None else spelled[str(value).strip().lower()] for value in gold.tolist()]
    return np.ma.array(np.array([*names, None], dtype=object)[:-1], mask=np.ma.getmaskarray(gold))


def _check_counted_from_zero(columns: Sequence[Column]) -> None:
    """Without a 0 anywhere, classes may be numbered from 1, or class 0 be rare: not for us to say."""
    values = np.unique(np.concatenate([_floats(column) for column in columns]))
    values = values[~np.isnan(values)]
    if len(values) and (values != 0).all() and (values >= UNKNOWN).all() and (values == np.floor(values)).all():
        raise no_class_zero([int(value) for value in values])


def no_class_zero(values: Sequence[int]) -> InvalidVotesError:
    """The error for class numbers without a 0."""
    shown = ", ".join(map(str, values[:8]))
    named = ",".join([str(value) for value in values if value > 0][:4])
    return InvalidVotesError(
        f"classes must be numbered from 0, or be listed; found {shown} and no 0 among votes and gold labels. If "
        f"classes are numbered from 1, list them: class_names=[{named},...]; if class 0 is only never seen, begin "
        "that list with 0; if -1 is a class, say codes={-1: NAME, 1: NAME}."
    )


def _distinct_classes(names: Sequence[str], columns: Sequence[Column], by_name: bool) -> Sequence[Hashable]:
    """Classes of the votes and of gold together. Whether each value is a class is checked where its place is known."""
    if by_name:
        found = sorted(set().union(*map(distinct_texts, columns)))
        rules = [*names, "gold labels"][: len(columns)]
        return code_names([(found, np.empty(0, dtype=np.int64))] * len(columns), rules, None, None, None)[1]
    values = np.unique(np.concatenate([_floats(column) for column in columns]))
    whole = values[np.isfinite(values) & (values == np.floor(values))]
    return tuple(range(settle_n_classes(int(whole.max(initial=UNKNOWN)), None, None)))


def _spelled(column: Column, names: Sequence[str]) -> Column:
    """Numbers in the spelling of the classes, so that ``1.0`` is ``1``; -1 is an abstention unless it is a class."""
    spelling = {float(name): name for name in names}
    values = texts(column)
    distinct = {text: text for text in set(values.tolist()) if text is not None}
    for text in distinct:
        if text not in names and _NUMBER.fullmatch(text):
            distinct[text] = spelling.get(float(text), None if float(text) == UNKNOWN else text)
    spelled = np.array([*(distinct.get(text) for text in values.tolist()), None], dtype=object)[:-1]
    return np.ma.array(spelled, mask=[text is None for text in spelled])


def silenced(column: Column, abstain: str | None) -> Column:
    """A column with abstentions masked: missing, not a number, or the given text."""
    mask = np.ma.getmaskarray(column).copy()
    if column.dtype.kind == "f":
        mask |= np.isnan(column.data)
    if abstain is not None:
        mask |= np.array([text == abstain for text in as_text(column)], dtype=bool)
    return np.ma.array(column.data, mask=mask)


def _is_numeric(columns: Sequence[Column]) -> bool:
    """Numbers, or texts that are all numbers, such as ``1.0``; a column that says nothing may be either."""
    textual = [column for column in columns if column.dtype.kind == "O"]
    return all(are_numbers(distinct_texts(column)) for column in textual)


def are_numbers(values: set[str]) -> bool:
    """Whether all texts are numbers."""
    return all(_NUMBER.fullmatch(text) for text in values)


def _check_one_kind(names: Sequence[str], columns: Sequence[Column]) -> None:
    """No column of numbers beside one of names, and none with so many names that it must be something else."""
    every = [(name, distinct_texts(column)) for name, column in zip(names, columns, strict=True)]
    speaking = [(name, found) for name, found in every if found]
    numbers = [name for name, found in speaking if are_numbers(found)]
    textual = [name for name, _ in speaking if name not in set(numbers)]
    if textual and numbers:
        raise InvalidVotesError(
            f"votes must be all numbers or all names of classes; column {textual[0]!r} holds names, column "
            f"{numbers[0]!r} numbers ({len(textual)} columns of names, {len(numbers)} of numbers). A column that is no "
            "rule is named with ignore=[NAME], a column of ids with item_id=NAME; if numbers are names of classes "
            "here, list all of them with class_names=[...]."
        )
    for name, found in speaking if textual else ():
        if len(found) > MAX_INFERRED_NAMES:
            raise InvalidVotesError(
                f"column {name!r} holds {len(found)} different values, too many to be taken for classes. If it is no "
                f"rule, say ignore=[{name!r}]; if there are that many classes, list them with class_names=[...]."
            )


def _floats(column: Column) -> FloatArray:
    floats = np.full(len(column), np.nan)
    present = ~np.ma.getmaskarray(column)
    floats[present] = column.data[present].astype(float)
    return floats


def _whole(values: AnyArray) -> list[Any]:
    floats = values.astype(float)
    return [int(value) if np.isfinite(value) and value == np.floor(value) else value for value in floats.tolist()]
