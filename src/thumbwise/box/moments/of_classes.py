"""Moments of classes: frequencies over all items, and within groups of items."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from thumbwise.box.moments.kinds import moment_kind
from thumbwise.box.moments.linear import FREQUENCY, About, Moments, columns_at
from thumbwise.exceptions import Argument, InPython, InvalidBoxError
from thumbwise.numerics.shared_features import repeated_features
from thumbwise.votes.counted_votes import CountedVotes


@moment_kind(lambda n_rules, n_classes, n_groups: n_classes, over_votes=True)
def class_frequencies(votes: CountedVotes) -> Moments:
    """Frequency of each class: its mean probability over all items."""
    k, n_patterns = votes.n_classes, votes.patterns.n_patterns
    # With two classes the frequencies are 1 minus each other: one thing to measure.
    keys = [("frequency", 0 if k == 2 else c) for c in range(k)]
    return Moments.of_shares(
        [About(f"frequency({name})", str(name), FREQUENCY, class_name=name) for name in votes.class_names],
        repeated_features(sp.csr_array(sp.eye_array(k)), n_patterns),
        np.full(k, votes.n_items),
        keys,
    )


@moment_kind(lambda n_rules, n_classes, n_groups: n_groups * n_classes)
def group_frequencies(votes: CountedVotes) -> Moments:
    """Frequency of each class within each group of items."""
    patterns, k, n_groups = votes.patterns, votes.n_classes, len(votes.group_names)
    if n_groups == 0:
        raise InvalidBoxError(
            "moments of groups need groups; found none. Pass ", Argument("item_groups", ...), InPython(" to Votes"), "."
        )
    cells = np.arange(patterns.n_patterns * k)
    columns = np.repeat(patterns.groups, k) * k + np.tile(np.arange(k), patterns.n_patterns)
    about = [
        About(f"frequency({name} in {group})", f"{name} in {group}", "group frequency", class_name=name, group=group)
        for group in votes.group_names
        for name in votes.class_names
    ]
    sizes = np.bincount(patterns.groups, patterns.counts, minlength=n_groups).astype(np.int64)
    return Moments.of_shares(
        about,
        sp.csr_array(columns_at(patterns, cells, columns, n_groups * k)),
        np.repeat(sizes, k),
        [("group frequency", m // k, 0 if k == 2 else m % k) for m in range(n_groups * k)],
    )
