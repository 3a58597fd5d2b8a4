"""Labels that somebody looked up on purpose: certain, and no random sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from thumbwise._typing import AnyArray
from thumbwise.exceptions import Argument, InvalidLabelsError
from thumbwise.tables.opened_frames import counts_rows
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.inputs import read_items
from thumbwise.votes.labels import UNKNOWN, KnownLabels, code_labels
from thumbwise.votes.reading.item_order import index_of
from thumbwise.votes.reading.raw_votes import check_ids
from thumbwise.votes.votes import Votes


def as_reviewed(votes: CountedVotes, labels: Any, gold: KnownLabels | None) -> KnownLabels:
    """Reviewed items by their ids, all of which items must have; gold must not say otherwise.

    Parameters
    ----------
    votes : Votes or LazyVotes
        With ids. Of items that are held elsewhere, those that are gold or reviewed are fetched, by one query.
    labels : mapping of ids to classes, Series or array-like
        Without ids, classes of all items in their order, which must be in memory.
    gold : KnownLabels or None
    """
    if not votes.has_ids:
        raise InvalidLabelsError(
            "reviewed labels need items with ids, by which predictions find them again; these items have none. Pass "
            "votes with ids: ",
            Argument("item_ids", [...]),
            ".",
        )
    ids, given = _by_id(votes, labels)
    coded = code_labels(given, votes.class_names, len(ids))
    is_known = coded != UNKNOWN
    if not is_known.any():
        raise InvalidLabelsError("there must be at least one reviewed label; all of them are -1 or missing.")
    reviewed = KnownLabels(ids[is_known], coded[is_known], n_reviewed=int(is_known.sum()))
    _refuse_unknown(votes, reviewed, gold)
    if gold is not None:
        _refuse_contradictions(votes, reviewed, gold)
    return reviewed


def join_known(gold: KnownLabels | None, reviewed: KnownLabels | None) -> KnownLabels | None:
    """Gold items and reviewed ones, each once."""
    if gold is None or reviewed is None:
        return reviewed if gold is None else gold
    there = set(gold.item_ids.tolist())
    is_new = np.array([value not in there for value in reviewed.item_ids.tolist()])
    ids = np.concatenate([gold.item_ids, reviewed.item_ids[is_new]])
    labels = np.concatenate([gold.labels, reviewed.labels[is_new]])
    return KnownLabels(ids, labels, n_reviewed=int(is_new.sum()))


def no_such_item(strange: str, found: str, example: object, hint: str = "") -> InvalidLabelsError:
    """The error for ids of reviewed items that no item has.

    Parameters
    ----------
    strange : str
        How many there are, of how many.
    found : str
        One of them, and where it stands.
    example : object
        The id of an item.
    hint : str
        What else helps.
    """
    return InvalidLabelsError(
        f"ids of reviewed items must be among the items; {strange} are not, such as {found} (items have ids such as "
        f"{example!r}). Correct or drop them{hint}."
    )


def _by_id(votes: CountedVotes, labels: Any) -> tuple[AnyArray, Any]:
    """Ids, and what is said of each of them."""
    if isinstance(labels, Mapping):
        return _ids_of(list(labels)), np.array([*labels.values(), None], dtype=object)[:-1]
    if isinstance(votes, Votes):
        _, ordered = read_items(votes, labels)
        return votes.item_ids, ordered
    index = index_of(labels)
    if index is None or counts_rows(index):
        raise InvalidLabelsError(
            "reviewed labels of items that are held elsewhere must come with ids, because their rows have no order; "
            "found one label after the other. Pass a mapping of ids to labels, or a Series whose index holds the ids."
        )
    return check_ids(index, len(index)), labels


def _ids_of(keys: list[Any]) -> AnyArray:
    """Whole numbers, or else what was given: numbers among texts stay numbers."""
    are_whole = all(isinstance(key, (int, np.integer)) for key in keys)
    ids = np.array(keys) if are_whole else np.array([*keys, None], dtype=object)[:-1]
    return check_ids(ids, len(keys))


def _refuse_unknown(votes: CountedVotes, reviewed: KnownLabels, gold: KnownLabels | None) -> None:
    """Refuse ids that no item has; gold items are asked for too, so that all known ones come by one query."""
    known = join_known(gold, reviewed) or reviewed
    there = set(known.item_ids[votes.contains_ids(known.item_ids)].tolist())
    strange = [value for value in reviewed.item_ids.tolist() if value not in there]
    if strange:
        raise no_such_item(f"{len(strange):,} of {len(reviewed):,}", repr(strange[0]), votes.any_id())


def _refuse_contradictions(votes: CountedVotes, reviewed: KnownLabels, gold: KnownLabels) -> None:
    """Of two labels of an item, one is wrong, and nothing here tells which."""
    said = dict(zip(reviewed.item_ids.tolist(), reviewed.labels.tolist(), strict=True))
    pairs = zip(gold.item_ids.tolist(), gold.labels.tolist(), strict=True)
    both = [(value, label, said[value]) for value, label in pairs if value in said]
    off = [triple for triple in both if triple[1] != triple[2]]
    if off:
        (first, label, other), names = off[0], votes.class_names
        raise InvalidLabelsError(
            f"gold and reviewed labels of an item must be equal; item {first!s} is {str(names[label])!r} in gold and "
            f"{str(names[other])!r} in the review ({len(off):,} such items of {len(both):,} that have both). Find out "
            "which is right, and correct the other."
        )
