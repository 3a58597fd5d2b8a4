"""Moments of rules: accuracies, by class too, confusions, and rates on the items of a class."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from thumbwise.box.moments.kinds import moment_kind
from thumbwise.box.moments.linear import ACCURACY, About, Moments, column_bytes, columns_at, keys_by_rule, one_column
from thumbwise.numerics.shared_features import cell_features
from thumbwise.votes.counted_votes import CountedVotes


@moment_kind(lambda n_rules, n_classes, n_groups: n_rules, over_votes=True)
def accuracies(votes: CountedVotes) -> Moments:
    """Accuracy of each rule: over the items it votes on, the mean probability of the class it votes for."""
    patterns = votes.patterns
    cells = patterns.owners * patterns.n_classes + patterns.classes
    by_rule = columns_at(patterns, cells, patterns.rules, patterns.n_rules)
    return Moments.of_shares(
        [About(f"accuracy({rule})", rule, ACCURACY, rule=rule) for rule in votes.rule_names],
        cell_features(cells, patterns.rules, patterns.n_patterns, patterns.n_classes, patterns.n_rules),
        patterns.votes_per_rule,
        [("accuracy", column) for column in column_bytes(by_rule)],
    )


@moment_kind(lambda n_rules, n_classes, n_groups: n_rules * n_classes, over_votes=True)
def class_accuracies(votes: CountedVotes) -> Moments:
    """Share of a rule's votes that are for a class and right, for each rule and class; joint, over all its votes."""
    patterns, k = votes.patterns, votes.n_classes
    cells = patterns.owners * k + patterns.classes
    features = columns_at(patterns, cells, patterns.rules * k + patterns.classes, patterns.n_rules * k)
    about = [
        About(f"accuracy({rule}: {name})", f"{rule}: {name}", "class accuracy", rule=rule, class_name=name, voted=name)
        for rule in votes.rule_names
        for name in votes.class_names
    ]
    return Moments.of_shares(
        about,
        sp.csr_array(features),
        np.repeat(patterns.votes_per_rule, k),
        keys_by_rule("class accuracy", features, k),
    )


@moment_kind(lambda n_rules, n_classes, n_groups: n_rules * n_classes**2, over_votes=True)
def confusion_cells(votes: CountedVotes) -> Moments:
    """Share of a rule's votes that are for one class on items of another (or the same); joint, over all its votes."""
    patterns, k = votes.patterns, votes.n_classes
    truth = np.tile(np.arange(k), len(patterns.rules))
    parts = (patterns.owners, patterns.rules.astype(np.int64), patterns.classes)
    owners, rules, voted = (np.repeat(part, k) for part in parts)
    features = columns_at(patterns, owners * k + truth, (rules * k + truth) * k + voted, patterns.n_rules * k * k)
    about = [
        _about_confusion("confusion", rule, true, called)
        for rule in votes.rule_names
        for true in votes.class_names
        for called in votes.class_names
    ]
    return Moments.of_shares(
        about,
        sp.csr_array(features),
        np.repeat(patterns.votes_per_rule, k * k),
        keys_by_rule("confusion", features, k * k),
    )


@dataclass(frozen=True)
class ConditionalRate:
    """How often a rule votes for a class on items of a class, compared with a rate.

    The share itself is a ratio; ``sum_i z_i[true] * (1[vote = said] - rate)``, averaged over all items, is linear, and
    at least 0 if the share is at least ``rate``, at most 0 if it is at most ``rate``.
    """

    rule: str
    true: Hashable
    said: Hashable
    rate: float
    is_over_votes: ClassVar[bool] = True

    def __call__(self, votes: CountedVotes) -> Moments:
        patterns, k = votes.patterns, votes.n_classes
        rule, true, voted = votes.rule_names.index(self.rule), *map(votes.class_names.index, (self.true, self.said))
        is_so = np.zeros(patterns.n_patterns)
        is_so[patterns.owners[(patterns.rules == rule) & (patterns.classes == voted)]] = 1
        column = np.zeros((patterns.n_patterns, k))
        column[:, true] = is_so - self.rate
        about = _about_confusion("rate", self.rule, self.true, self.said)
        name = f"{about.name} - {self.rate:.6g}"
        return one_column(replace(about, name=name, subject=name), column, votes.n_items)


def _about_confusion(kind: str, rule: str, true: Hashable, voted: Hashable) -> About:
    subject = f"{rule}: {true} called {voted}"
    return About(f"{kind}({subject})", subject, kind, rule=rule, class_name=true, voted=voted)
