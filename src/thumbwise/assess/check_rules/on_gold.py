"""Checks of gold: is it a random sample, are all classes in it, do its labels belong to its votes, is it enough."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.assess.check_rules.findings import Finding, find, listed
from thumbwise.assess.check_rules.subject import Subject
from thumbwise.box.box import Box
from thumbwise.box.gold import GoldSample
from thumbwise.box.gold_checks.label_fit import check_labels
from thumbwise.box.gold_checks.sample_check import check_sample
from thumbwise.box.moments.linear import OPINION
from thumbwise.outward import at_most, percent
from thumbwise.votes.votes import Votes

# The error of the test of gold against the pool: how often it fires on a random sample, at most.
SAMPLE_ERROR = 0.01
# Shuffled labels pass for fitting ones at most this often.
FIT_ERROR = 0.05
# If half of the rules, or of the opinions, have an interval that is wider than this, gold is little.
WIDE = 0.4
# Labels are compared with shuffled ones on at most so many gold items.
_MOST_SHUFFLED = 20_000


def not_a_sample(subject: Subject) -> Finding | None:
    """TW201: the votes show that gold was not drawn at random, or the record of its draw does.

    On a random sample the test fires with probability at most 1 %, over all rules, classes and patterns together. A
    box from gold that was drawn by groups or with weights makes no such claim, and is not tested.
    """
    if subject.gold is None or not claims_random_gold(subject):
        return None
    gold = subject.gold
    objection = gold.design.objection
    if objection is not None:
        return find("TW201", f"{objection[0].upper()}{objection[1:]}.")
    test = check_sample(gold.votes, subject.votes, gold_is=gold.gold_is, error=SAMPLE_ERROR)
    if not test.fires:
        return None
    strange = tuple(dict.fromkeys(row.rule for row in test.rows if 2 * row.adjusted_p_value <= test.error))
    says = f"{test} {_panels(gold.votes, subject.votes)} The test errs with probability {SAMPLE_ERROR:g} at most."
    return find("TW201", says, rules=strange)


def _panels(gold: Votes, pool: Votes) -> str:
    """The class whose share among the votes differs most, and how far votes agree, on gold and on the pool."""
    (on_gold, agree), (on_pool, usual) = map(_shares_of_votes, (gold, pool))
    # Of two classes one gains what the other loses; rounding errors must not choose.
    c = int(np.argmax(np.abs(on_gold - on_pool).round(9)))
    return (
        f"Of the votes on an item, {percent(on_gold[c], 1)} are for {listed([gold.class_names[c]])} on gold and "
        f"{percent(on_pool[c], 1)} on the pool, on average; {percent(agree, 1)} and {percent(usual, 1)} are for the "
        "class that has most of them."
    )


def _shares_of_votes(votes: Votes) -> tuple[FloatArray, float]:
    """Mean share of each class among the votes on an item, and of the most frequent one; items without votes aside."""
    patterns = votes.patterns
    n_votes = patterns.votes_per_pattern
    shares = patterns.votes_per_class / np.maximum(n_votes, 1)[:, None]
    counts = np.where(n_votes > 0, patterns.counts, 0)
    n_items = max(1, int(counts.sum()))
    return counts @ shares / n_items, float(counts @ shares.max(axis=1)) / n_items


def claims_random_gold(subject: Subject) -> bool:
    """Whether the box, if there is one, rests on gold whose draw was tested, or whose record objects."""
    evidence = None if subject.box is None else subject.box.evidence
    return (
        evidence is None or evidence.n_gold == 0 or evidence.sample_check is not None or evidence.objection is not None
    )


def missing_classes(subject: Subject) -> Finding | None:
    """TW202: no gold item is of some class."""
    if subject.gold is None:
        return None
    rows = list(subject.classes.rows())
    missing = tuple(row["class"] for row in rows if not row["n_gold"])
    if not missing:
        return None
    seen = [row["class"] for row in rows if row["n_gold"]]
    what = "1 class has" if len(missing) == 1 else f"{len(missing):,} classes have"
    explanation = f"{what} no label among the {len(subject.gold):,} of gold: {listed(missing)}."
    if len(seen) == 1:
        explanation = f"Gold shows only class {listed(seen)}: {explanation}"
    known = [row["upper"] for row in rows if not row["n_gold"] and row["upper"] is not None]
    if known:
        explanation += f" Such a class may still be that of up to {at_most(100 * max(known), 1)} % of the items."
    return find("TW202", explanation, classes=missing)


def labels_do_not_fit(subject: Subject) -> Finding | None:
    """TW203: right votes on gold are no more than shuffled labels would give; not asked if gold shows one class only.

    Shuffled labels escape with probability at most 5 %. How often labels that do belong to their votes are accused
    depends on how good the rules are and how much gold there is, and is not bounded.
    """
    if subject.gold is None or len(subject.gold) < 2:
        return None
    gold = _part_to_shuffle(subject.gold)
    fit = check_labels(gold.votes, gold.labels, error=FIT_ERROR)
    if fit.fits or fit.only_class is not None:
        return None
    counts = f"{fit.n_right:,} of {fit.n_votes:,} gold votes are right, shuffled labels would give {fit.expected:,.0f}"
    return find("TW203", f"{counts} (p = {fit.p_value:.2g}; shuffled labels get p <= {FIT_ERROR:g} seldom).")


def _part_to_shuffle(gold: GoldSample) -> GoldSample:
    if len(gold) <= _MOST_SHUFFLED:
        return gold
    drawn = np.sort(np.random.default_rng(0).choice(len(gold), _MOST_SHUFFLED, replace=False))
    return replace(gold, votes=gold.votes.take(drawn), labels=gold.labels[drawn])


def little_gold(subject: Subject) -> Finding | None:
    """TW204: half of the rules, or of the opinions where there are some, have an interval wider than 0.4, from gold.

    Where there are opinions, labels follow from what the rules say together; of the budget, single rules have little.
    """
    bounded, opinions = subject.bounded_rules, _widths_of_opinions(subject.box)
    of_rules = np.subtract(bounded["upper"], bounded["lower"]).tolist() if len(bounded) else []
    widths = opinions or of_rules
    if subject.gold is None or not widths or np.median(widths) <= WIDE:
        return None
    width = float(np.median(widths))
    # Widths fall like one over the square root of the number of labels.
    needed = math.ceil(len(subject.gold) * (width / WIDE) ** 2)
    explanation = (
        f"With {len(subject.gold):,} gold labels and {subject.votes.n_rules:,} rules, the interval of the middle "
        f"{'opinion' if opinions else 'rule'} is {width:.2f} wide, and more than {WIDE:g} is little to go by; about "
        f"{needed:,} labels would do."
    )
    names = tuple(rule for rule, w in zip(bounded["rule"], of_rules, strict=True) if w > WIDE)
    return find("TW204", explanation, rules=names)


def _widths_of_opinions(box: Box | None) -> list[float]:
    if box is None:
        return []
    intervals = zip(box.about, box.lower.tolist(), box.upper.tolist(), strict=True)
    return [upper - lower for moment, lower, upper in intervals if moment.kind == OPINION]
