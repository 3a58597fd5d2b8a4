"""Samples of a large pool, on which is done what would take long on all of it, or left out; both are said."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.assess.comparison import Comparison, compare
from thumbwise.assess.planner import Planner
from thumbwise.assess.planning import Plan, plan, plan_with
from thumbwise.box.box import Box
from thumbwise.box.gold import GoldIs, GoldSample
from thumbwise.box.opened_gold import as_design
from thumbwise.io.readings import Reading
from thumbwise.votes.labels import UNKNOWN
from thumbwise.votes.votes import Votes

# Votes on distinct patterns with which a comparison of 100 rules takes some three seconds on one core, ...
_COMPARED_VOTES = 75_000
# ... and that number times rules times half the classes with which planning for each rule takes some three.
_PLANNED_WORK = 2_000_000
_PLANNED_VOTES = 50_000
# With more rules than this nobody is told what labels bring through each of them.
_MOST_ADVISED = 40
# With fewer items than this a part of the pool says too little.
_FEWEST = 500


@dataclass(frozen=True, eq=False)
class Sampled:
    """Gold, and a pool or a random part of it.

    Attributes
    ----------
    gold_votes, labels : Votes, ndarray of shape (n_gold,)
    pool : Votes
    gold_is : {"subset", "separate"}
        Beside a part of the pool gold is separate: items drawn at random like those of the part.
    note : str
        Empty if the pool is whole.
    """

    gold_votes: Votes
    labels: IntArray
    pool: Votes
    gold_is: GoldIs
    note: str = ""


def sample_pool(reading: Reading, most_votes: float, *, random_state: int = 0) -> Sampled:
    """The pool, or a random part of its items without gold, so that its patterns hold about ``most_votes`` votes."""
    votes, n_votes = reading.votes, len(reading.votes.patterns.rules)
    if n_votes <= most_votes:
        return Sampled(reading.gold_votes, reading.gold_labels, votes, reading.gold_is)
    rest = np.flatnonzero(reading.gold == UNKNOWN)
    n_items = min(len(rest), max(_FEWEST, int(most_votes * votes.patterns.n_patterns / n_votes)))
    drawn = np.sort(np.random.default_rng(random_state).choice(rest, n_items, replace=False))
    part = votes.take(drawn).without_ids()
    note = f"Estimated on {n_items:,} items drawn at random, to save time."
    return Sampled(reading.gold_votes.without_ids(), reading.gold_labels, part, "separate", note)


def plan_for_report(reading: Reading, confidence_level: float, pin_gold: bool) -> tuple[Plan | None, str]:
    """A plan and what is to be said about it; with many rules, without what is found for each of them.

    On a part of the pool its first bound is an estimate, and not that of the certificate.
    """
    if reading.gold_is == "subset" and len(reading.gold_labels) == reading.votes.n_items:
        return None, "Left out: every item has a gold label."
    box = reading.box(confidence_level=confidence_level)
    n_rules, per_vote = reading.votes.n_rules, reading.votes.n_rules * reading.votes.n_classes / 2
    sampled = sample_pool(reading, min(_PLANNED_VOTES, _PLANNED_WORK / per_vote))
    if len(sampled.pool.patterns.rules) * per_vote > 1.5 * _PLANNED_WORK:
        sampled = sample_pool(reading, _PLANNED_VOTES)
        note = "What each rule is worth is left out, because it takes long with many rules; thumbwise plan finds it."
        return _plan_parts(sampled, box, pin_gold, with_worth=False), f"{sampled.note} {note}".strip()
    if n_rules > _MOST_ADVISED:
        return _plan_parts(sampled, box, pin_gold, with_worth=True), sampled.note
    planned = plan(
        sampled.gold_votes,
        sampled.labels,
        pool=sampled.pool,
        confidence_level=confidence_level,
        gold_is=sampled.gold_is,
        pin_gold=pin_gold,
        box=box,
    )
    return replace(planned, evidence=None if sampled.note else planned.evidence), sampled.note


def _plan_parts(sampled: Sampled, box: Box, pin_gold: bool, *, with_worth: bool) -> Plan:
    """The parts of a plan that need few games: bounds with up to 32 times the gold, and the floor."""
    pool, gold = sampled.pool, sampled.gold_votes
    keep = pin_gold and sampled.gold_is == "subset" and gold.has_ids and pool.has_ids
    sample = GoldSample(gold, sampled.labels, pool, as_design(sampled.gold_is))
    planner = Planner(sample, 1 - (box.evidence.confidence_level or 0.95), keep)
    most = max(gold.n_items, pool.n_items)
    sizes = sorted({min(most, gold.n_items * 2**i) for i in range(6)})
    evidence = None if sampled.note else box.evidence
    return plan_with(planner, pool, evidence, sizes=sizes, with_gains=False, with_worth=with_worth)


def compare_for_report(reading: Reading, confidence_level: float) -> tuple[Comparison | None, str]:
    """Methods side by side, and what is to be said about it."""
    if len(reading.gold_labels) < 2:
        return None, "Left out: it needs at least two gold items."
    sampled = sample_pool(reading, _COMPARED_VOTES)
    comparison = compare(
        sampled.gold_votes,
        sampled.labels,
        pool=sampled.pool,
        confidence_level=confidence_level,
        gold_is=sampled.gold_is,
    )
    return comparison, sampled.note
