"""Checks of the fit: does it exist, is it done, does it prove anything, is it worth it, whom does it overrule."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Any

import numpy as np

from thumbwise.assess.baselines import REFERENCE
from thumbwise.assess.check_rules.findings import MOST_ITEMS, Finding, find, listed
from thumbwise.assess.check_rules.subject import Subject
from thumbwise.assess.tables.classes import overruled_table
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.box.moments.linear import FREQUENCY
from thumbwise.exceptions import InPython, Message
from thumbwise.outward import at_most

# More items without any vote than this share are many.
MANY_SILENT = 0.2
# Votes on distinct patterns with which methods are compared in some seconds.
MOST_COMPARED = 75_000
# Votes of all patterns as a table, which finding unanimous ones needs.
MOST_CELLS = 3 * 10**8
_MAJORITY = "majority vote"
# Losses that differ by less are the same to three digits.
_SAME = 0.0005
_SHOWN_GROUPS = 3


def proves_nothing(subject: Subject) -> Finding | None:
    """TW301: the bound is no better than what the class frequencies alone prove, up to the third digit."""
    if subject.model is None or not subject.model.certificate_.proves_nothing:
        return None
    certificate = subject.model.certificate_
    bound = f"The bound on the mean log loss is {at_most(certificate.log_loss_bound)}"
    without = f"without any rule the class frequencies alone would prove {at_most(certificate.baseline)}"
    return find("TW301", f"{bound}, and {without} ({certificate.guessing:.3f} would be guessing).")


def majority_does_as_well(subject: Subject) -> Finding | None:
    """TW302: on gold that the fit has not seen, majority vote loses no more than the model.

    Its mean log loss is at most that of Balsubramani-Freund, in the comparison that :func:`thumbwise.compare` makes. An
    estimate; the p-value that is told says whether the difference could be chance.
    """
    if subject.gold is None or reason_not_to_compare(subject) is not None:
        return None
    comparison = subject.comparison
    losses = {score.method: score.log_loss for score in comparison.scores}
    difference = next(row for row in comparison.differences if row.method == _MAJORITY)
    if difference.mean > 0:
        return None
    real = "a real difference" if difference.is_real else "which may be chance"
    start = (
        f"On {len(subject.gold):,} gold items that the fits have not seen ({comparison.n_folds} folds), majority vote "
        f"has a mean log loss of {losses[_MAJORITY]:.3f} and the model of {losses[REFERENCE.name]:.3f}: the former is "
    )
    if -difference.mean < _SAME:
        return find("TW302", f"{start}as good, to three digits.")
    return find("TW302", f"{start}better by {-difference.mean:.3f}, {real} (p = {difference.p_value:.2g}).")


def reason_not_to_compare(subject: Subject) -> str | None:
    """Why majority vote is not compared, if it is not."""
    if subject.gold is None or len(subject.gold) < 2:
        return "needs at least two gold items"
    if not subject.gold.design.is_plain:
        return "needs gold that is a plain random sample"
    if len(subject.votes.patterns.rules) > MOST_COMPARED:
        return f"takes long with more than {MOST_COMPARED:,} votes on distinct patterns; tw.compare does it"
    return None


def infeasible(subject: Subject) -> Finding | None:
    """TW303: no labeling satisfies all intervals at once."""
    conflict, model = subject.conflict, subject.model
    if conflict is not None and subject.box is not None:
        about = [moment for moment in subject.box.about if moment.name in set(conflict.conflicting)]
        sentence = (
            f"No labeling of the items satisfies every interval. In conflict: {listed(conflict.conflicting)}. They "
            f"would fit if each bound moved outward by {conflict.widening_amount:.3g}."
        )
        return find(
            "TW303",
            sentence,
            rules=tuple(dict.fromkeys(moment.rule for moment in about if moment.rule is not None)),
            classes=tuple(moment.class_name for moment in about if moment.kind == FREQUENCY),
        )
    if model is not None and model.certificate_.widening is not None:
        sentence = f"No labeling satisfied every interval, so the intervals were {model.certificate_.widening}."
        return find("TW303", f"{sentence} The bound is no guarantee.")
    return None


def not_converged(subject: Subject) -> Finding | None:
    """TW304: the fit stopped before its optimality conditions held to the tolerance."""
    if subject.model is None or subject.model.certificate_.kkt_residual <= subject.model.tol:
        return None
    certificate = subject.model.certificate_
    explanation = f"After {subject.model.n_iter_:,} iterations the KKT residual is {certificate.kkt_residual:.1e}"
    return find(
        "TW304",
        Message(
            f"{explanation}, above ",
            InPython("tol="),
            f"{subject.model.tol:.1e}; the gap of the bound is {certificate.gap:.1e}.",
        ),
    )


def overruled(subject: Subject) -> Finding | None:
    """TW305: all rules that vote on an item agree, and the model gives it another class."""
    if subject.model is None or reason_not_to_look_at_rows(subject) is not None:
        return None
    groups = overruled_table(subject.model, subject.votes)
    if not len(groups):
        return None
    n_items = groups.facts["n_items"]
    shown = "; ".join(map(_group, islice(groups.rows(), _SHOWN_GROUPS)))
    rest = f"; {len(groups) - _SHOWN_GROUPS:,} more patterns" if len(groups) > _SHOWN_GROUPS else ""
    explanation = (
        f"On {n_items:,} of {subject.votes.n_items:,} items all voting rules agree and the label is another class: "
        f"{_reasons(groups)}. {shown}{rest}."
    )
    rules = tuple(dict.fromkeys(name for names in groups["rules"] for name in names))
    return find("TW305", explanation, rules=rules, items=_first_overruled(subject, groups), n_items=n_items)


def never_labeled(subject: Subject) -> Finding | None:
    """TW306: gold shows a class, and no item without a gold label gets it."""
    table = subject.classes
    if not table.facts["never"]:
        return None
    never, n_items = table.facts["never"], table.facts["n_items"]
    shares = {row["class"]: (row["n_gold"], row["gold_share"]) for row in table.rows()}
    shown = ", ".join(
        f"{listed([name])} ({n:,} of gold, {100 * share:.3g} %)" for name, (n, share) in shares.items() if name in never
    )
    what = "1 class that gold shows is" if len(never) == 1 else f"{len(never):,} classes that gold shows are"
    return find(
        "TW306", f"{what} the label of none of the {n_items:,} items without a gold label: {shown}.", classes=never
    )


def _reasons(groups: Tidy) -> str:
    """How many items for which reason; that opinions outweigh rules is said only where it happens."""
    counts = Counter[str]()
    for group in groups.rows():
        counts[group["reason"]] += group["n_items"]
    others = groups.facts["n_items"] - counts["gold"] - counts["opinions"]
    parts = [
        f"{counts['gold']:,} because gold says that these rules are mostly wrong",
        f"{others:,} because the class frequencies outweigh them",
    ]
    if counts["opinions"]:
        parts.append(f"{counts['opinions']:,} because what all rules say together does")
    return ", ".join(parts)


def _group(group: dict[str, Any]) -> str:
    votes = f"{listed(group['rules'])} said {listed([group['voted']])}, labeled {listed([group['label']])}"
    return f"{votes} ({group['n_items']:,} item{'s' * (group['n_items'] != 1)})"


def _first_overruled(subject: Subject, groups: Tidy) -> tuple[object, ...]:
    """Ids of the first items whose votes all agree on another class than their label."""
    votes = subject.votes
    is_concerned = np.isin(votes.inverse, groups["pattern"])
    if subject.model is not None:
        is_concerned[subject.model._known_items(votes)[0]] = False
    return tuple(votes.item_ids[np.flatnonzero(is_concerned)[:MOST_ITEMS]].tolist())


def reason_not_to_look_at_rows(subject: Subject) -> str | None:
    """Why unanimous votes are not looked for, if they are not."""
    if subject.model is None:
        return "needs a fit"
    if subject.votes.patterns.n_patterns * subject.votes.n_rules > MOST_CELLS:
        return f"needs the patterns as a table, which has more than {MOST_CELLS:,} cells here"
    if len(subject.bounded_rules) < subject.votes.n_rules:
        return "needs a box that bounds the accuracy of every rule"
    return None


def many_silent_items(subject: Subject) -> Finding | None:
    """TW401: more than a fifth of the items have no vote at all."""
    n_votes = subject.votes.n_votes_per_item
    silent = np.flatnonzero(n_votes == 0)
    share = len(silent) / max(1, subject.votes.n_items)
    if share <= MANY_SILENT:
        return None
    explanation = f"{len(silent):,} of {subject.votes.n_items:,} items ({100 * share:.3g} %) have no vote of any rule"
    ids = tuple(subject.votes.item_ids[silent[:MOST_ITEMS]].tolist())
    return find("TW401", f"{explanation}; more than {100 * MANY_SILENT:g} % are many.", items=ids, n_items=len(silent))
