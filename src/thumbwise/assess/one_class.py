"""Rules that give nearly every item one class, on items where the other rules say other classes as well."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.patterns import Patterns
from thumbwise.votes.counted_votes import CountedVotes

# A rule is lopsided if it gives the other classes less than this part of the share that the others give them ...
PART = 1 / 3
# ... and so few votes would be rarer than this for any of the rules and classes, if it gave them that part.
ERROR = 0.01
# Rules that vote on a smaller share of the items choose what to speak of; one class is what they are for.
BUSY = 0.5
_FEWEST_RULES = 3


@dataclass(frozen=True)
class LopsidedRule:
    """A rule and the class that it nearly always gives.

    Attributes
    ----------
    name : str
    class_name : hashable
    n_items : int
        Items on which the rule votes and another one does.
    share : float
        Share of these that the rule gives the class.
    share_of_others : float
        Share of the votes of the other rules there that are for the class, each item counting once.
    """

    name: str
    class_name: Hashable
    n_items: int
    share: float
    share_of_others: float


def find_lopsided(votes: CountedVotes) -> list[LopsidedRule]:
    """Rules that vote on more than half of the items and nearly leave out all classes but one, as others do not.

    Of the n items on which a rule votes and another does, let it give m a class other than c, and let q be the share
    of other classes among the other rules' votes there. It is lopsided if a binomial(n, q / 3) number is m or less
    with probability at most 0.01 / (rules times classes): it says something else less than a third as often as they
    do, by more than chance. A rule that only ever gives one class is of another kind: where it votes is what it says.
    Three rules are needed, for of two nobody knows which one is odd. *Guarantee*: none, as rules differ in how strict
    they are.

    Examples
    --------
    >>> import thumbwise as tw
    >>> rng = np.random.default_rng(0)
    >>> array = rng.integers(2, size=(500, 4))
    >>> array[:450, 3] = 0
    >>> [(rule.name, rule.class_name) for rule in find_lopsided(tw.Votes(array))]
    [('rule_3', 0)]
    """
    if votes.n_rules < _FEWEST_RULES:
        return []
    patterns = votes.patterns
    n_items, own, of_others = _count_beside_others(patterns)
    share, elsewhere = own / np.maximum(n_items, 1)[:, None], of_others / np.maximum(n_items, 1)[:, None]
    rarely = np.clip(PART * (1 - elsewhere), 0, 1)
    p_value = np.asarray(binom.cdf(n_items[:, None] - own, n_items[:, None], rarely))
    n_votes = patterns.votes_per_rule
    is_busy = (n_votes > BUSY * votes.n_items) & (patterns.vote_table.max(axis=1) < n_votes) & (n_items > 0)
    odd = np.argwhere(is_busy[:, None] & (p_value * p_value.size <= ERROR)).tolist()
    return [
        LopsidedRule(
            votes.rule_names[j], votes.class_names[c], int(n_items[j]), float(share[j, c]), float(elsewhere[j, c])
        )
        for j, c in odd
    ]


def _count_beside_others(patterns: Patterns) -> tuple[IntArray, IntArray, FloatArray]:
    """Of each rule, over items on which another votes too: their number, its votes by class, others' shares by class.

    Shapes (n_rules,), (n_rules, n_classes) and (n_rules, n_classes); shares are summed over items.
    """
    owners, by_class = patterns.owners, patterns.votes_per_class
    n_others = patterns.votes_per_pattern[owners] - 1
    counts = np.where(n_others > 0, patterns.counts[owners], 0).astype(float)
    own, of_others = np.zeros((2, patterns.n_rules, patterns.n_classes))
    for c in range(patterns.n_classes):
        says = patterns.classes == c
        own[:, c] = np.bincount(patterns.rules, counts * says, minlength=patterns.n_rules)
        shares = (by_class[owners, c] - says) / np.maximum(n_others, 1)
        of_others[:, c] = np.bincount(patterns.rules, counts * shares, minlength=patterns.n_rules)
    n_items = np.bincount(patterns.rules, counts, minlength=patterns.n_rules)
    return n_items.astype(np.int64), own.astype(np.int64), of_others
