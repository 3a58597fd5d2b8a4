"""Rules: what each does on the pool and on gold, and what it weighs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.assess.tables.fitted import moment_columns, read_fitted
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.box.box import Box
from thumbwise.models.balsubramani_freund import BalsubramaniFreund
from thumbwise.numerics.patterns import Patterns
from thumbwise.votes.counted_votes import CountedVotes

# Patterns whose votes are counted at one time, so that they stay in cache.
_CHUNK = 2**14


def rules_table(model: BalsubramaniFreund, votes: Any, worth: Mapping[str, float] | None = None) -> Tidy:
    """One row per rule, in the order of the fit; what rules say together is in :func:`opinions_table`.

    Coverage is the share of the items that the rule votes on; overlap that on which another rule votes too; conflict
    that on which another rule votes for another class. *Guarantee*: intervals hold as the box says; all else is
    counted.

    Parameters
    ----------
    model : BalsubramaniFreund
        Fitted to ``votes``.
    votes : Votes, LazyVotes, Reading, array-like or frame
        The pool.
    worth : mapping of rule to float, optional
        By how much the bound would be worse without the rule, as :func:`thumbwise.plan` finds it.

    Returns
    -------
    Tidy
        Columns ``rule``, ``n_votes``, ``votes_per_class``, ``coverage``, ``overlap``, ``conflict``, ``gold_votes``,
        ``gold_right``, ``gold_accuracy``, ``lower``, ``upper``, ``weight`` (log-odds per vote), ``active`` (the end of
        the interval that enters the bound with this weight: "lower", "upper" or "none"), ``worth``; facts ``chance``,
        the accuracy of guessing, ``class_names``, and ``n_silent``, items without any vote.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0, 0], [1, 0], [1, -1], [-1, -1]], rule_names=["a", "b"])
    >>> model = tw.BalsubramaniFreund().fit(votes, box=tw.Box.from_bounds(votes, {"a": (0.9, 1)}))
    >>> table = tw.displays.rules_table(model, votes)
    >>> [table[name] for name in ("coverage", "overlap", "conflict")]
    [(0.75, 0.5), (0.5, 0.5), (0.25, 0.25)]
    """
    return describe_rules(read_fitted(model, votes), model.box_, model, worth)


def describe_rules(
    votes: CountedVotes,
    box: Box | None = None,
    model: BalsubramaniFreund | None = None,
    worth: Mapping[str, float] | None = None,
) -> Tidy:
    """The table of rules as far as there are a box and a fit; None where there is none."""
    patterns = votes.patterns
    coverage, overlap, conflict = shares_per_rule(patterns)
    moments = moment_columns(box, model, "accuracy", votes.rule_names)
    gold = list(zip(moments["gold_right"], moments.pop("gold_drawn"), strict=True))
    return Tidy.of(
        {
            "rule": votes.rule_names,
            "n_votes": patterns.votes_per_rule,
            "votes_per_class": map(tuple, patterns.vote_table.tolist()),
            "coverage": coverage,
            "overlap": overlap,
            "conflict": conflict,
            "gold_votes": [drawn for _, drawn in gold],
            "gold_accuracy": [right / drawn if drawn and right is not None else None for right, drawn in gold],
            **moments,
            "worth": [None if worth is None else worth.get(rule) for rule in votes.rule_names],
        },
        chance=1 / votes.n_classes,
        class_names=votes.class_names,
        n_silent=int(patterns.counts[patterns.votes_per_pattern == 0].sum()),
    )


def worse_than_chance(rules: Tidy) -> Tidy:
    """The rules whose whole interval lies below the accuracy of guessing, 1 / n_classes.

    *Guarantee*: that of the intervals; if they hold together at some level, no rule that is as good as guessing is
    among these at that level. Which rules these are is seen after gold: leave them out by :meth:`Box.without_rules`.

    Parameters
    ----------
    rules : Tidy
        As :func:`rules_table` gives it.

    Returns
    -------
    Tidy
        Their rows.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0], [1], [1]], rule_names=["b"])
    >>> model = tw.BalsubramaniFreund().fit(votes, box=tw.Box.from_bounds(votes, {"b": (0, 0.4)}))
    >>> tw.displays.worse_than_chance(tw.displays.rules_table(model, votes))["rule"]
    ('b',)
    """
    chance = rules.facts["chance"]
    ends = zip(rules["lower"], rules["upper"], strict=True)
    return rules.take([j for j, (low, high) in enumerate(ends) if against_chance(low, high, chance) == "worse"])


def against_chance(lower: float | None, upper: float | None, chance: float) -> Literal["worse", "better", "open"]:
    """On which side of guessing an interval lies; open if guessing lies in it, or if there is none.

    Examples
    --------
    >>> against_chance(0.1, 0.4, 0.5), against_chance(0.6, 0.9, 0.5), against_chance(0.4, 0.6, 0.5)
    ('worse', 'better', 'open')
    """
    if lower is None or upper is None:
        return "open"
    return "worse" if upper < chance else "better" if lower > chance else "open"


def shares_per_rule(patterns: Patterns) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Coverage, overlap and conflict of each rule, each of shape (n_rules,)."""
    sums = np.zeros((3, patterns.n_rules))
    for start in range(0, patterns.n_patterns, _CHUNK):
        sums += _count_votes(patterns, start, min(start + _CHUNK, patterns.n_patterns))
    coverage, overlap, conflict = sums / max(1, patterns.n_items)
    return coverage, overlap, conflict


def _count_votes(patterns: Patterns, start: int, stop: int) -> FloatArray:
    """Items of some patterns with each rule's vote, with another's too, and with another's for another class."""
    chosen = slice(patterns.starts[start], patterns.starts[stop])
    rules, classes = patterns.rules[chosen], patterns.classes[chosen]
    lengths = np.diff(patterns.starts[start : stop + 1])
    owners = np.repeat(np.arange(len(lengths)), lengths)
    cells = owners * patterns.n_classes + classes
    same = np.bincount(cells, minlength=len(lengths) * patterns.n_classes)[cells]
    counts, n_votes = patterns.counts[start:stop][owners].astype(float), lengths[owners]
    kinds = (counts, counts * (n_votes > 1), counts * (same < n_votes))
    return np.stack([np.bincount(rules, kind, minlength=patterns.n_rules) for kind in kinds])
