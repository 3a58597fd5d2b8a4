"""Samples of a large pool, on which is done what would take long on all of it, or left out; both are said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from thumbwise.assess.comparison import Comparison, compare
from thumbwise.assess.planner import Planner
from thumbwise.assess.planning import Plan, plan, plan_with
from thumbwise.box.box import Box
from thumbwise.box.designs.plain import Separate
from thumbwise.box.gold import GoldSample
from thumbwise.box.opened_gold import open_gold
from thumbwise.io.readings import Reading
from thumbwise.votes.labels import UNKNOWN

# Votes on distinct patterns with which a comparison of 100 rules takes some three seconds on one core, ...
_COMPARED_VOTES = 75_000
# ... and that number times rules times half the classes with which planning for each rule takes some three.
_PLANNED_WORK = 2_000_000
_PLANNED_VOTES = 50_000
# With more rules than this nobody is told what labels bring through each of them.
_MOST_ADVISED = 40
# With fewer items than this a part of the pool says too little.
_FEWEST = 500


def why_not_plain(reading: Reading) -> str | None:
    """Why what speaks of plain random gold is left out, as the end of a sentence, if it is."""
    design = open_gold(reading, None, None, None).design
    if design.is_plain:
        return None
    about = design.assumption(len(reading.gold_labels), reading.votes.n_items)
    return f"it needs gold that is a plain random sample; {about}"


def sample_pool(reading: Reading, most_votes: float, *, random_state: int = 0) -> tuple[GoldSample, str]:
    """Gold beside the pool, or beside a random part of the items without gold whose patterns hold about so many votes.

    Beside a part, gold is separate: items drawn at random like those of the part. What is to be said of it comes along,
    nothing if the pool is whole. The part is drawn by a seed, and from what has no label.
    """
    votes, n_votes = reading.votes, len(reading.votes.patterns.rules)
    sample = open_gold(reading, None, None, None)
    if n_votes <= most_votes:
        return sample, ""
    rest = np.flatnonzero(reading.gold == UNKNOWN)
    n_items = min(len(rest), max(_FEWEST, int(most_votes * votes.patterns.n_patterns / n_votes)))
    drawn = np.sort(np.random.default_rng(random_state).choice(rest, n_items, replace=False))
    part = votes.take(drawn).without_ids()
    note = f"Estimated on {n_items:,} items drawn at random, to save time."
    return GoldSample(sample.votes.without_ids(), sample.labels, part, Separate()), note


def plan_for_report(reading: Reading, confidence_level: float, pin_gold: bool) -> tuple[Plan | None, str]:
    """A plan and what is to be said about it; with many rules, without what is found for each of them.

    On a part of the pool its first bound is an estimate, and not that of the certificate.
    """
    if reading.gold_is == "subset" and len(reading.gold_labels) == reading.votes.n_items:
        return None, "Left out: every item has a gold label."
    if (missing := why_not_plain(reading)) is not None:
        return None, f"Left out: {missing}."
    box = reading.box(confidence_level=confidence_level)
    n_rules, per_vote = reading.votes.n_rules, reading.votes.n_rules * reading.votes.n_classes / 2
    sample, part = sample_pool(reading, min(_PLANNED_VOTES, _PLANNED_WORK / per_vote))
    if len(sample.pool.patterns.rules) * per_vote > 1.5 * _PLANNED_WORK:
        sample, part = sample_pool(reading, _PLANNED_VOTES)
        note = "What each rule is worth is left out, because it takes long with many rules; thumbwise plan finds it."
        return _plan_parts(sample, part, box, pin_gold, with_worth=False), f"{part} {note}".strip()
    if n_rules > _MOST_ADVISED:
        return _plan_parts(sample, part, box, pin_gold, with_worth=True), part
    planned = plan(sample, confidence_level=confidence_level, pin_gold=pin_gold, box=box)
    return replace(planned, evidence=None if part else planned.evidence), part


def _plan_parts(sample: GoldSample, part: str, box: Box, pin_gold: bool, *, with_worth: bool) -> Plan:
    """The parts of a plan that need few games: bounds with up to 32 times the gold, and the floor."""
    keep = pin_gold and sample.known_labels() is not None
    planner = Planner(sample, 1 - (box.evidence.confidence_level or 0.95), keep, box)
    most = max(len(sample), sample.pool.n_items)
    sizes = sorted({min(most, len(sample) * 2**i) for i in range(6)})
    evidence = None if part else box.evidence
    return plan_with(planner, sample.pool, evidence, sizes=sizes, with_gains=False, with_worth=with_worth)


def compare_for_report(reading: Reading, confidence_level: float) -> tuple[Comparison | None, str]:
    """Methods side by side, and what is to be said about it."""
    if len(reading.gold_labels) < 2:
        return None, "Left out: it needs at least two gold items."
    if (missing := why_not_plain(reading)) is not None:
        return None, f"Left out: {missing}."
    sample, note = sample_pool(reading, _COMPARED_VOTES)
    return compare(sample, confidence_level=confidence_level), note
