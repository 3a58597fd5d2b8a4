"""Moments of ordered classes: how often a rule's vote is at most one step from the truth."""

from __future__ import annotations

import numpy as np

from thumbwise.box.moments.kinds import moment_kind
from thumbwise.box.moments.linear import NEAR, About, Moments, columns_at, keys_by_rule
from thumbwise.numerics.shared_features import cell_features
from thumbwise.votes.counted_votes import CountedVotes


@moment_kind(lambda n_rules, n_classes, n_groups: n_rules, over_votes=True)
def within_one_step(votes: CountedVotes) -> Moments:
    """Share of a rule's votes whose true class is the one voted for or a neighbour of it, in the order of the classes.

    The order is that of ``class_names``; who puts classes into another order gets other moments.
    """
    patterns, k = votes.patterns, votes.n_classes
    near = patterns.classes.astype(np.int64)[:, None] + np.array([-1, 0, 1])
    there = (near >= 0) & (near < k)
    cells = (patterns.owners.astype(np.int64)[:, None] * k + near)[there]
    rules = np.broadcast_to(patterns.rules[:, None], near.shape)[there]
    features = columns_at(patterns, cells, rules, patterns.n_rules)
    return Moments.of_shares(
        [About(f"within one step({rule})", f"{rule} within one step", NEAR, rule=rule) for rule in votes.rule_names],
        cell_features(cells, rules, patterns.n_patterns, k, patterns.n_rules),
        patterns.votes_per_rule,
        keys_by_rule(NEAR, features, 1),
    )
