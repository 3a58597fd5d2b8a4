"""Turns: the order in which items are labeled, drawn before the first label, and whose turn which item is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.io.gold_lines import Answer, Header, Settled

# With no end in sight, a skipped item comes back after so many later ones have a label.
_COMES_BACK_AFTER = 20
_TENTH = 10


def draw_order(n_items: int, seed: int) -> IntArray:
    """Rows of all items in random order: the k-th to be labeled is the k-th of them.

    It depends on the seed and on how many items there are, and is decided before any label is seen. Items are sorted by
    the raw numbers of PCG64, a stream that NumPy keeps the same in all versions, so that the draw can be done again.

    *Guarantee*: the first n of them are a random sample without replacement, for every n that no label decides.

    Examples
    --------
    >>> draw_order(6, seed=1).tolist()
    [2, 4, 5, 0, 3, 1]
    """
    return np.argsort(np.random.PCG64(seed).random_raw(n_items), kind="stable")


def last_place(header: Header) -> int:
    """The last place of the draw that may be labeled under the rule of the header."""
    stopping = header.stopping
    planned = stopping.looks[-1] if stopping.looks else stopping.n
    return min(header.items.n, planned or header.items.n)


def next_place(header: Header, settled: Settled, taken: Collection[int] = ()) -> int | None:
    """The place in the draw that is labeled next; None if nothing is left.

    Places come in the order of the draw. A skipped one comes back when no other is left before the end, or before the
    next planned look; if neither is near, after twenty more labels. Which place is next depends on which have an
    answer, never on what it is.

    Parameters
    ----------
    header : Header
    settled : Settled
        Answers so far.
    taken : collection of int
        Places that somebody else is looking at.
    """
    answered = {answer.place for answer in settled.gold}
    skipped = [answer.place for answer in settled.skipped]
    due = [place for place in skipped if place not in taken]
    if due and _has_no_end(header) and len(answered) >= min(due) + _COMES_BACK_AFTER:
        return min(due)
    passed = answered.union(skipped, taken)
    for end in _ends(header):
        fresh = next((place for place in range(1, end + 1) if place not in passed), None)
        if fresh is not None:
            return fresh
        waiting = next((place for place in due if place <= end), None)
        if waiting is not None:
            return waiting
    return None


def _has_no_end(header: Header) -> bool:
    return header.stopping.rule == "anytime"


def _ends(header: Header) -> Iterable[int]:
    """Places at which everything before must have an answer: planned looks, and the last place."""
    last = last_place(header)
    return (*(look for look in header.stopping.looks or () if look < last), last)


def tenth(header: Header, n_places: int) -> list[int]:
    """Places that are labeled a second time: one of each ten, drawn by the seed before any label is seen.

    Examples
    --------
    >>> from thumbwise.io.gold_lines import Design, Header, Items, Stopping
    >>> items = Items("a.csv", 99, "0" * 64)
    >>> header = Header("2024-05-01", ("a", "b"), "id", items, Design("random", 1), Stopping("fixed", 40))
    >>> [(place - 1) // 10 for place in tenth(header, 40)]
    [0, 1, 2, 3]
    """
    n_tens = -(-n_places // _TENTH)
    drawn = np.random.PCG64([header.design.seed, _TENTH]).random_raw(n_tens) % np.uint64(_TENTH)
    places = np.arange(n_tens) * _TENTH + drawn.astype(np.int64) + 1
    return [place for place in places.tolist() if place <= n_places]


def next_again(header: Header, settled: Settled, answers: Sequence[Answer], by: str) -> int | None:
    """The place of the random tenth that somebody has to label a second time next; None if nothing is left."""
    labeled = {answer.place for answer in settled.gold}
    done = {answer.place for answer in standing_of(answers, by) if answer.again}
    places = tenth(header, max(labeled, default=0))
    return next((place for place in places if place in labeled and place not in done), None)


def standing_of(answers: Iterable[Answer], by: str) -> list[Answer]:
    """Answers of a person that were not taken back, in the order in which they were given."""
    stacks: dict[str, list[tuple[int, Answer]]] = {}
    for number, answer in enumerate(answers):
        if answer.by == by:
            stack = stacks.setdefault(str(answer.id), [])
            if answer.kind != "undo":
                stack.append((number, answer))
            elif stack:
                stack.pop()
    standing = sorted((pair for stack in stacks.values() for pair in stack), key=lambda pair: pair[0])
    return [answer for _, answer in standing]
