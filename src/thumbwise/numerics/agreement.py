"""Krippendorff's alpha: how far voters agree beyond what chance would bring, from counts of patterns."""

from __future__ import annotations

import numpy as np

from thumbwise.numerics.patterns import Patterns


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
