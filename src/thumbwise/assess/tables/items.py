"""The items to look at: those that the model is least sure of, and those that the rules quarrel about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.metrics import first_best
from thumbwise.numerics.patterns import Patterns
from thumbwise.votes.inputs import as_votes, held_votes, in_memory
from thumbwise.votes.labels import check_probabilities
from thumbwise.votes.votes import Votes


def least_certain(
    votes: Any, proba: Any, *, n_items: int = 20, texts: Mapping[str, Any] | None = None, skip: Any = ()
) -> Tidy:
    """The items whose largest probability is smallest, the least certain first; of equal ones, the earlier.

    The order is that of the model's probabilities, so it is decided after the gold labels that the model was fitted
    to were seen. *Guarantee*: none; labels of these items are no random sample, and :func:`draw_gold` draws one.

    Parameters
    ----------
    votes : Votes, Reading, array-like or frame
    proba : array-like of shape (n_items, n_classes)
    n_items : int
        How many, at most.
    texts : mapping of str to column, optional
        What else is known of the items, such as their text.
    skip : positions or mask
        Items that are left out, such as gold.

    Returns
    -------
    Tidy
        Columns ``item``, ``label``, ``probability``, ``n_votes``, ``n_against`` (votes that are not for the class with
        most votes), ``votes`` (counts by class name), and one for each of ``texts``.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0, 0], [1, 0]], class_names=["ham", "spam"], item_ids=["q7", "q2"])
    >>> table = least_certain(votes, np.array([[0.9, 0.1], [0.4, 0.6]]), n_items=1)
    >>> table["item"], table["label"], table["votes"]
    (('q2',), ('spam',), ({'ham': 1, 'spam': 1},))
    """
    votes, proba = _read(votes, proba)
    return _table(votes, proba, _smallest(proba.max(axis=1), _free(votes, skip), n_items), texts)


def most_contested(
    votes: Any, proba: Any, *, n_items: int = 20, texts: Mapping[str, Any] | None = None, skip: Any = ()
) -> Tidy:
    """The items with most votes against the class that has most votes; of equal ones, the less certain first.

    Items on which all votes agree are never among them. Parameters and columns are those of :func:`least_certain`.
    The order comes from votes, and among equal ones from the model's probabilities. *Guarantee*: none, as there.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0, 0, 0], [1, 0, 0], [1, 0, 1]], item_ids=["q7", "q2", "q9"])
    >>> table = tw.displays.most_contested(votes, np.array([[0.9, 0.1], [0.8, 0.2], [0.4, 0.6]]))
    >>> table["item"], table["n_against"]
    (('q9', 'q2'), (1, 1))
    """
    votes, proba = _read(votes, proba)
    against = _against(votes.patterns)[votes.inverse]
    free = _free(votes, skip)
    free = free[against[free] > 0]
    # Probabilities are below 2, so they only order what is equal otherwise.
    return _table(votes, proba, _smallest(proba.max(axis=1) / 2 - against, free, n_items), texts)


def _read(votes: Any, proba: Any) -> tuple[Votes, FloatArray]:
    read = in_memory(as_votes(held_votes(votes)), "a table of items")
    return read, check_probabilities(proba, (read.n_items, read.n_classes))


def _against(patterns: Patterns) -> IntArray:
    """Votes of each pattern that are not for its most voted class."""
    per_class = patterns.votes_per_class
    return np.asarray(per_class.sum(axis=1) - per_class.max(axis=1))


def _free(votes: Votes, skip: Any) -> IntArray:
    is_free = np.ones(votes.n_items, dtype=bool)
    is_free[np.asarray(skip, dtype=None if len(skip) else int)] = False
    return np.flatnonzero(is_free)


def _smallest(keys: FloatArray, among: IntArray, n_items: int) -> IntArray:
    """Positions of the smallest keys in order, without sorting all of them."""
    if len(among) > n_items:
        limit = np.partition(keys[among], n_items - 1)[n_items - 1]
        among = among[keys[among] <= limit]
    return among[np.argsort(keys[among], kind="stable")][:n_items]


def _table(votes: Votes, proba: FloatArray, chosen: IntArray, texts: Mapping[str, Any] | None) -> Tidy:
    shown = votes.patterns.take(votes.inverse[chosen], np.ones(len(chosen), dtype=np.int64))
    per_class = shown.votes_per_class
    best = first_best(proba[chosen]) if len(chosen) else np.empty(0, dtype=int)
    return Tidy.of(
        {
            "item": votes.item_ids[chosen],
            "label": [votes.class_names[c] for c in best],
            "probability": proba[chosen].max(axis=1, initial=0),
            "n_votes": per_class.sum(axis=1),
            "n_against": _against(shown),
            "votes": [_by_name(votes, row) for row in per_class],
            **{name: _taken(column, chosen) for name, column in (texts or {}).items()},
        }
    )


def _by_name(votes: Votes, row: AnyArray) -> dict[Any, int]:
    return {votes.class_names[c]: int(row[c]) for c in np.flatnonzero(row)}


def _taken(column: Any, chosen: IntArray) -> list[Any]:
    entries = np.ma.asarray(column)[chosen]
    return list(entries.tolist())
