"""Labels that somebody looked up on purpose: certain, and no random sample."""

from __future__ import annotations

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.exceptions import Argument, InvalidLabelsError
from thumbwise.votes.labels import UNKNOWN, KnownLabels
from thumbwise.votes.votes import Votes


def as_reviewed(votes: Votes, labels: IntArray, gold: KnownLabels | None) -> KnownLabels:
    """Reviewed items by their ids, from class numbers of all items, -1 where unknown; gold must not say otherwise."""
    if not votes.has_ids:
        raise InvalidLabelsError(
            "reviewed labels need items with ids, by which predictions find them again; these items have none. Pass "
            "votes with ids: ",
            Argument("item_ids", [...]),
            ".",
        )
    places = np.flatnonzero(labels != UNKNOWN)
    if not len(places):
        raise InvalidLabelsError("there must be at least one reviewed label; all of them are -1 or missing.")
    if gold is not None:
        _refuse_contradictions(votes, labels, gold)
    return KnownLabels(votes.item_ids[places], labels[places], n_reviewed=len(places))


def join_known(gold: KnownLabels | None, reviewed: KnownLabels | None) -> KnownLabels | None:
    """Gold items and reviewed ones, each once."""
    if gold is None or reviewed is None:
        return reviewed if gold is None else gold
    there = set(gold.item_ids.tolist())
    is_new = np.array([value not in there for value in reviewed.item_ids.tolist()])
    ids = np.concatenate([gold.item_ids, reviewed.item_ids[is_new]])
    labels = np.concatenate([gold.labels, reviewed.labels[is_new]])
    return KnownLabels(ids, labels, n_reviewed=int(is_new.sum()))


def _refuse_contradictions(votes: Votes, labels: IntArray, gold: KnownLabels) -> None:
    """Of two labels of an item, one is wrong, and nothing here tells which."""
    positions = gold.positions(votes)
    inside = positions >= 0
    both = inside & (labels[positions] != UNKNOWN)
    off = np.flatnonzero(both & (labels[positions] != gold.labels))
    if len(off):
        first, names = off[0], votes.class_names
        raise InvalidLabelsError(
            f"gold and reviewed labels of an item must be equal; item {gold.item_ids[first]!s} is "
            f"{str(names[gold.labels[first]])!r} in gold and {str(names[labels[positions[first]]])!r} in the review "
            f"({len(off):,} such items of {int(both.sum()):,} that have both). Find out which is right, and "
            "correct the other."
        )
