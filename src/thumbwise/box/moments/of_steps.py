"""Moments of ordered classes: how often a rule's vote is at most one step from the truth."""

from __future__ import annotations

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.box.moments.kinds import moment_kind
from thumbwise.box.moments.linear import NEAR, About, Moments, columns_at, keys_by_rule
from thumbwise.numerics.shared_features import cell_features
from thumbwise.votes.counted_votes import CountedVotes


@moment_kind(lambda n_rules, n_classes, n_groups: n_rules, over_votes=True)
def within_one_step(votes: CountedVotes) -> Moments:
    """Share of a rule's votes whose true class is the one voted for or next to it, in the order of ``class_names``."""
    patterns, k = votes.patterns, votes.n_classes
    cells, rules = neighbours(patterns.owners, patterns.classes, patterns.rules, k)
    features = columns_at(patterns, cells, rules, patterns.n_rules)
    return Moments.of_shares(
        [About(f"within one step({rule})", f"{rule} within one step", NEAR, rule=rule) for rule in votes.rule_names],
        cell_features(cells, rules, patterns.n_patterns, k, patterns.n_rules),
        patterns.votes_per_rule,
        keys_by_rule(NEAR, features, 1),
    )


def neighbours(owners: IntArray, classes: IntArray, columns: IntArray, n_classes: int) -> tuple[IntArray, IntArray]:
    """Cells (pattern, class) at most one step from what is said of each pattern, and the column of each cell.

    Examples
    --------
    >>> cells, columns = neighbours(np.array([0, 1]), np.array([0, 2]), np.array([7, 8]), 4)
    >>> cells.tolist(), columns.tolist()
    ([0, 1, 5, 6, 7], [7, 7, 8, 8, 8])
    """
    near = classes.astype(np.int64)[:, None] + np.array([-1, 0, 1])
    there = (near >= 0) & (near < n_classes)
    cells = owners.astype(np.int64)[:, None] * n_classes + near
    return cells[there], np.broadcast_to(columns.astype(np.int64)[:, None], near.shape)[there]
