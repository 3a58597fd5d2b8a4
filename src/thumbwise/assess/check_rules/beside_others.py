"""Checks of rules beside the other rules: copies, silence where all others answer, one class where others say another.

Whatever they compare is counted among votes; no gold label is looked at, and their limits are settled before any is.
"""

from __future__ import annotations

import numpy as np

from thumbwise.assess.check_rules.findings import Finding, count_rules, find, listed
from thumbwise.assess.check_rules.subject import Subject
from thumbwise.assess.one_class import LopsidedRule, find_lopsided
from thumbwise.assess.redundancy import find_copies

# The middle rule votes on at least this share of the items: rules are asked about everything ...
ASKED = 0.9
# ... and one that votes on less than this part of what the middle one votes on is silent where others answer.
SILENT = 0.5
_SHOWN = 3


def copies(subject: Subject) -> Finding | None:
    """TW106: rules give the same vote, or none, on every item, and chance does not explain that."""
    groups = find_copies(subject.votes)
    if not groups:
        return None
    names = tuple(name for group in groups for name in group)
    parts = [f"{len(group):,} rules are the same: {listed(group)}" for group in groups[:_SHOWN]]
    rest = f"; {len(groups) - _SHOWN:,} more such groups" if len(groups) > _SHOWN else ""
    return find("TW106", f"On every item, {'; '.join(parts)}{rest}.", rules=names)


def silent_beside_others(subject: Subject) -> Finding | None:
    """TW107: the middle rule votes on 90 % of the items or more, and a rule on less than half as many.

    Of two rules the middle one is their mean, so that neither can be so silent.
    """
    n_votes = np.array(subject.rules["n_votes"])
    middle = float(np.median(n_votes)) if len(n_votes) else 0.0
    if middle < ASKED * subject.votes.n_items:
        return None
    silent = {row["rule"]: row["coverage"] for row in subject.rules.rows() if 0 < row["n_votes"] < SILENT * middle}
    if not silent:
        return None
    names, share = tuple(silent), middle / subject.votes.n_items
    who = f"{count_rules(len(names), 'votes', 'vote')} on less than half as many items as the middle rule"
    return find(
        "TW107",
        f"{who}, which votes on {100 * share:.3g} %: {listed(names)}; the most silent on "
        f"{100 * min(silent.values()):.3g} %.",
        rules=names,
    )


def lopsided(subject: Subject) -> Finding | None:
    """TW108: a rule leaves out all classes but one far more than the other rules do on the same items.

    Of copies one is looked at, so that they do not make the others look odd.
    """
    again = {name for group in find_copies(subject.votes) for name in group[1:]}
    rules = [j for j, name in enumerate(subject.votes.rule_names) if name not in again]
    found = find_lopsided(subject.votes.with_rules(rules) if again else subject.votes)
    if not found:
        return None
    names = tuple(rule.name for rule in found)
    rest = f"; {len(found) - _SHOWN:,} more such rules" if len(found) > _SHOWN else ""
    return find("TW108", f"{'; '.join(map(_one_class, found[:_SHOWN]))}{rest}.", rules=names)


def _one_class(rule: LopsidedRule) -> str:
    return (
        f"{listed([rule.name])} gives {listed([rule.class_name])} to {100 * rule.share:.3g} % of the {rule.n_items:,} "
        f"items on which others vote too, and they give it {100 * rule.share_of_others:.3g} % of their votes there"
    )
