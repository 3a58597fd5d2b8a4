"""Agreement beyond what chance would bring: Krippendorff's alpha among voters, Cohen's kappa with labels."""

from __future__ import annotations

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.patterns import ABSTAIN, Patterns


def nominal_alpha(patterns: Patterns) -> tuple[float, int]:
    """Krippendorff's alpha for classes without an order, and the number of items that it is taken over.

    Of the items with two votes or more, let m votes be on an item, n_c of them for class c; N votes in all, N_c for c:

        alpha = 1 - D / E
        D = 1 - sum over items and c of n_c (n_c - 1) / (m - 1) / N
        E = 1 - sum over c of N_c (N_c - 1) / (N (N - 1))

    1: voters always agree; 0: as often as votes dealt out at random; below 0: less often. NaN if no item has two votes,
    or if all votes are for one class, so that nobody could have disagreed. Voters may be silent, each on other items.

    Examples
    --------
    >>> from thumbwise.numerics.patterns import find_patterns
    >>> patterns, _ = find_patterns(np.array([[0, 0], [0, 0], [1, 1], [0, 1], [1, -1]]), 2)
    >>> alpha, n_items = nominal_alpha(patterns)
    >>> round(alpha, 4), n_items
    (0.5333, 4)
    """
    per_item = patterns.votes_per_pattern
    paired = per_item > 1
    owners = patterns.owners
    used = paired[owners]
    # A cell is a class that some vote of a pattern is for.
    cells, n_here = np.unique(
        owners[used].astype(np.int64) * patterns.n_classes + patterns.classes[used], return_counts=True
    )
    home, classes = np.divmod(cells, patterns.n_classes)
    n_items = patterns.counts[home].astype(float)
    by_class = np.bincount(classes, n_items * n_here, minlength=patterns.n_classes)
    total = by_class.sum()
    if total == 0 or by_class.max() == total:
        return np.nan, int(patterns.counts[paired].sum())
    agreeing = (n_items * n_here * (n_here - 1) / (per_item[home] - 1)).sum() / total
    by_chance = (by_class * (by_class - 1)).sum() / (total * (total - 1))
    return float(1 - (1 - agreeing) / (1 - by_chance)), int(patterns.counts[paired].sum())


def cohen_kappa(votes: IntArray, labels: IntArray, n_classes: int) -> FloatArray:
    """Cohen's kappa of each column of votes with the labels, over the items where it votes.

    (p - e) / (1 - e), where p is the share of items on which both name the same class, and e that share if votes were
    dealt out at random: the sum over classes of the share of votes times the share of labels. NaN where a column has no
    vote, or only one class is there.

    Examples
    --------
    >>> cohen_kappa(np.array([[0, 0], [0, -1], [1, 0], [1, 0]]), np.array([0, 1, 1, 1]), 2).tolist()
    [0.5, 0.0]
    """
    voted = votes != ABSTAIN
    n_items = np.maximum(voted.sum(axis=0), 1)
    same = (votes == labels[:, None]).sum(axis=0) / n_items
    by_chance = np.zeros(votes.shape[1])
    for c in range(n_classes):
        of_votes, of_labels = (is_so.sum(axis=0) / n_items for is_so in (votes == c, voted & (labels == c)[:, None]))
        by_chance += of_votes * of_labels
    is_known = voted.any(axis=0) & (by_chance < 1)
    unknown = np.full(votes.shape[1], np.nan)
    return np.asarray(np.divide(same - by_chance, 1 - by_chance, out=unknown, where=is_known))
