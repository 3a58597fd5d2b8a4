"""Gold labels that are unknown: empty, marked, or -1. What is dropped is counted; -1 that may be a class is asked for.

Whether -1 is a class shows in no table: 1 and -1 are spam and ham to some, spam and unknown to others. In a table of
ids and labels every row was written on purpose, so a -1 there is always asked for. One label per item needs a mark for
"unknown", and -1 is the usual one: it is taken as such unless labels are empty too, or are names, or are 1 and -1 only,
or the votes hold both -1 and empty fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from thumbwise._typing import AnyArray
from thumbwise.exceptions import Argument, InvalidLabelsError
from thumbwise.io.distinct import are_numbers, distinct_texts, spelling
from thumbwise.io.roles import Roles
from thumbwise.tables.formats import Column

_MINUS_ONE = "-1"


def drop_unknown(
    labels: Column, roles: Roles, where: str, *, in_order: bool = False, votes: Sequence[Column] = ()
) -> tuple[Column, list[tuple[str, str]]]:
    """Labels with those masked that are unknown; if any are, "29 of 120" are left and why the others are not.

    Parameters
    ----------
    labels : Column
    roles : Roles
        Of these: ``class_names``, ``codes`` and ``abstain``.
    where : str
        Where the labels come from, in words.
    in_order : bool
        Whether there is one for every item, so that most are unknown and must look like it somehow.
    votes : sequence of Column
        What stands beside such labels.
    """
    raw = labels.data
    empty = np.ma.getmaskarray(labels) | (np.isnan(raw) if raw.dtype.kind == "f" else False)
    present = np.ma.array(raw, mask=empty)
    minus = _spelled_like(present, {_MINUS_ONE})
    if minus.any() and not _is_settled(roles) and (not in_order or _is_doubtful(present, minus, votes)):
        raise _may_be_a_class(minus, where, in_order)
    marked = {mark: _spelled_like(present, {mark}) for mark in _marks(roles)}
    unknown = np.logical_or.reduce([empty, *marked.values()])
    counts = [(int(empty.sum()), "empty"), *((int(where_marked.sum()), mark) for mark, where_marked in marked.items())]
    why = ", ".join(f"{n:,} {'is' if n == 1 else 'are'} {what}" for n, what in counts if n)
    n_known = int((~unknown).sum())
    return np.ma.array(raw, mask=unknown), [(f"{n_known:,} of {len(labels):,}", why)] if why else []


def _marks(roles: Roles) -> Iterator[str]:
    """Values that mean unknown, as numbers and texts are spelled."""
    if roles.codes is not None:
        yield from (spelling(value) for value, name in roles.codes.items() if name is None)
        return
    if not _is_class(_MINUS_ONE, roles):
        yield _MINUS_ONE
    if roles.abstain is not None and spelling(roles.abstain) != _MINUS_ONE:
        yield spelling(roles.abstain)


def _is_class(text: str, roles: Roles) -> bool:
    return roles.class_names is not None and text in {spelling(name) for name in roles.class_names}


def _is_settled(roles: Roles) -> bool:
    """Whether the user says what -1 means."""
    means_unknown = roles.abstain is not None and spelling(roles.abstain) == _MINUS_ONE
    return roles.codes is not None or means_unknown or _is_class(_MINUS_ONE, roles)


def _is_doubtful(labels: Column, minus: AnyArray, votes: Sequence[Column]) -> bool:
    """Whether -1 among labels of all items may be a class: something else marks what is unknown, or nothing else is."""
    others = {spelling(text) for text in distinct_texts(np.ma.array(labels.data, mask=minus | labels.mask))}
    is_marked_twice = any(np.ma.getmaskarray(column).any() for column in votes) and any(
        _spelled_like(column, {_MINUS_ONE}).any() for column in votes
    )
    return bool(labels.mask.any()) or others <= {"1"} or not are_numbers(others) or is_marked_twice


def _spelled_like(labels: Column, marks: set[str]) -> AnyArray:
    """Where a label that is there is one of some marks; equal numbers are spelled alike."""
    if labels.dtype.kind == "b":
        return np.zeros(len(labels), dtype=bool)
    if labels.dtype.kind in "iuf":
        numbers = [float(mark) for mark in marks if are_numbers({mark})]
        return np.isin(labels.data, numbers) & ~np.ma.getmaskarray(labels)
    alike = {text for text in distinct_texts(labels) if spelling(text) in marks}
    return np.fromiter((value in alike for value in labels.tolist()), dtype=bool, count=len(labels))


def _may_be_a_class(minus: AnyArray, where: str, in_order: bool) -> InvalidLabelsError:
    rows = np.flatnonzero(minus)
    what = "item" if in_order else "row"
    return InvalidLabelsError(
        f"gold labels must be classes, or empty where unknown; {where} holds -1 in {what} {rows[0]}, counting from 0 "
        f"({len(rows):,} of {len(minus):,} labels), which may be a class or mean unknown. If -1 is a class, say what "
        "each value of votes and gold means, nothing for abstain: ",
        Argument("codes", {-1: "NAME", 1: "NAME", 0: None}),
        ". If it means unknown, leave these labels empty or say ",
        Argument("abstain", "'-1'"),
        ".",
    )
