"""How many items get each class, beside how often gold shows it."""

from __future__ import annotations

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.counted_votes import CountedVotes
from thumbwise.displays.tidy import Tidy
from thumbwise.models.balsubramani_freund import BalsubramaniFreund
from thumbwise.overview import count_labels


def classes_table(model: BalsubramaniFreund, votes: CountedVotes, gold_labels: IntArray | None = None) -> Tidy:
    """One row per class: items without a gold label that get it as their label, and gold items that are of it.

    Parameters
    ----------
    model : BalsubramaniFreund
        Fitted to ``votes``.
    votes : Votes
        The pool.
    gold_labels : ndarray of shape (n_gold,), optional
        Class numbers of the gold items.

    Returns
    -------
    Tidy
        Columns ``class``, ``n_labeled``, ``labeled_share``, ``n_gold``, ``gold_share``; facts ``n_items`` (without a
        gold label) and ``never`` (classes of gold that no such item gets). Shares are None where nothing was counted.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0], [1], [1], [0]], rule_names=["a"], class_names=["ham", "spam"])
    >>> model = tw.BalsubramaniFreund().fit(votes, box=tw.Box.from_bounds(votes, {"a": (0.75, 1)}))
    >>> classes_table(model, votes, np.array([1])).frame()["n_labeled"]
    [2, 2]
    """
    labeled = count_labels(model, votes)
    gold = np.bincount(np.empty(0, int) if gold_labels is None else gold_labels, minlength=votes.n_classes)
    return Tidy.of(
        {
            "class": votes.class_names,
            "n_labeled": labeled,
            "labeled_share": _shares(labeled),
            "n_gold": gold,
            "gold_share": _shares(gold),
        },
        n_items=int(labeled.sum()),
        never=tuple(votes.class_names[c] for c in np.flatnonzero((gold > 0) & (labeled == 0) & (labeled.sum() > 0))),
    )


def _shares(counts: IntArray) -> list[float | None]:
    return [None] * len(counts) if not counts.sum() else (counts / counts.sum()).tolist()
