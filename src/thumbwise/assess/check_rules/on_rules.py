"""Checks of the rules: which are worse than guessing, unknown to gold, said twice, silent, constant or rare."""

from __future__ import annotations

import numpy as np

from thumbwise.assess.check_rules.findings import Finding, count_rules, find, listed
from thumbwise.assess.check_rules.subject import Subject
from thumbwise.assess.redundancy import MIN_SHARED, SAME, Duplicate, find_duplicates
from thumbwise.assess.tables.rules import worse_than_chance
from thumbwise.outward import at_most, level
from thumbwise.votes.votes import Votes

# A rule that votes on a smaller share of the items than this votes on nearly nothing.
RARE = 0.005
_SHOWN_PAIRS = 3
# Pairs of votes on the same pattern that are counted in a second or two.
_MOST_PAIRS = 10**7


def below_chance(subject: Subject) -> Finding | None:
    """TW101: the whole interval of a rule lies below the accuracy of guessing.

    The intervals of a box from gold hold jointly, so the chance that any rule that is no worse than guessing is
    accused is at most one minus the confidence level of the box, whatever the number of rules.
    """
    worse = worse_than_chance(subject.rules)
    if not len(worse):
        return None
    names, highest = worse["rule"], max(worse["upper"])
    guessing = f"guessing would be, 1/{subject.votes.n_classes}"
    who = f"{count_rules(len(names))} right less often than {guessing}: {listed(names)}"
    return find("TW101", f"{who}; the highest upper bound is {at_most(highest)}{_level(subject)}.", rules=names)


def _level(subject: Subject) -> str:
    evidence = subject.box.evidence if subject.box is not None else None
    if evidence is None or evidence.confidence_level is None:
        return ", from bounds that were given"
    if not evidence.is_guarantee:
        return f", without a guarantee: {evidence.weakness}"
    return f", with {level(evidence.confidence_level)} confidence for all rules together"


def unseen_on_gold(subject: Subject) -> Finding | None:
    """TW102: a rule votes on the pool, and on no gold item."""
    if subject.gold is None:
        return None
    on_gold = subject.gold.votes.patterns.votes_per_rule.tolist()
    unseen = {row["rule"]: row["n_votes"] for row, n in zip(subject.rules.rows(), on_gold, strict=True) if not n}
    unseen = {rule: n for rule, n in unseen.items() if n}
    if not unseen:
        return None
    names, most = tuple(unseen), max(unseen.values())
    who = f"{count_rules(len(names), 'votes', 'vote')} on none of the {len(subject.gold):,} gold items: {listed(names)}"
    return find("TW102", f"{who}; on the pool such a rule votes on up to {most:,} items.", rules=names)


def near_duplicates(subject: Subject) -> Finding | None:
    """TW103: two rules give the same vote on at least 98 % of the items on which either votes, and share 20 or more.

    Rules that give the same vote on all of them are told of by TW106, if chance does not explain it.
    """
    votes, note = _part_for_pairs(subject.votes)
    pairs = [pair for pair in find_duplicates(votes) if not pair.is_identical]
    if not pairs:
        return None
    names = tuple(dict.fromkeys(name for pair in pairs for name in (pair.first, pair.second)))
    shown = "; ".join(map(_pair, pairs[:_SHOWN_PAIRS])) + (
        f"; and {len(pairs) - _SHOWN_PAIRS:,} more pairs" if len(pairs) > _SHOWN_PAIRS else ""
    )
    n_pairs = "1 pair of rules" if len(pairs) == 1 else f"{len(pairs):,} pairs of rules"
    limits = f"at least {100 * SAME:g} % the same votes, on {MIN_SHARED} items or more"
    return find("TW103", f"{n_pairs} with {limits}: {shown}.{note}", rules=names)


def _pair(pair: Duplicate) -> str:
    return f"{listed([pair.first])} and {listed([pair.second])}, {100 * pair.same:.1f} % the same"


def _part_for_pairs(votes: Votes) -> tuple[Votes, str]:
    """The pool, or a random part of its patterns if all pairs of its votes are too many to count."""
    work = int((votes.patterns.votes_per_pattern.astype(float) ** 2).sum())
    if work <= _MOST_PAIRS:
        return votes, ""
    n_items = max(1_000, int(votes.n_items * _MOST_PAIRS / work))
    drawn = np.random.default_rng(0).choice(votes.n_items, min(n_items, votes.n_items), replace=False)
    return votes.take(np.sort(drawn)), f" Estimated on {len(drawn):,} items drawn at random, to save time."


def silent_or_constant(subject: Subject) -> Finding | None:
    """TW104: a rule votes on no item, or gives every item the same class. A rule with one class may abstain."""
    n_items = subject.votes.n_items
    silent = tuple(row["rule"] for row in subject.rules.rows() if not row["n_votes"])
    constant = tuple(row["rule"] for row in subject.rules.rows() if max(row["votes_per_class"]) == n_items > 1)
    if not silent + constant:
        return None
    parts = [
        f"{count_rules(len(rules), *verbs)} {what}: {listed(rules)}"
        for rules, verbs, what in (
            (silent, ("never votes", "never vote"), f"on any of the {n_items:,} items"),
            (constant, ("gives", "give"), f"all {n_items:,} items the same class"),
        )
        if len(rules)
    ]
    return find("TW104", "; ".join(parts) + ".", rules=silent + constant)


def rare_rules(subject: Subject) -> Finding | None:
    """TW105: a rule votes, but on less than one item in 200."""
    n_items = subject.votes.n_items
    rare = {row["rule"]: row["n_votes"] for row in subject.rules.rows() if 0 < row["n_votes"] < RARE * n_items}
    if not rare:
        return None
    names, fewest = tuple(rare), min(rare.values())
    who = f"{count_rules(len(names), 'votes', 'vote')} on less than {100 * RARE:g} % of the {n_items:,} items"
    return find("TW105", f"{who}: {listed(names)}; the rarest on {fewest:,}.", rules=names)
