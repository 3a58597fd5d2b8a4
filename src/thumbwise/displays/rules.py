"""What each rule does on the pool and on gold, and what it weighs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.displays.tidy import Tidy
from thumbwise.models.balsubramani_freund import BalsubramaniFreund
from thumbwise.moments import find_accuracies
from thumbwise.patterns import Patterns
from thumbwise.votes import Votes

# Patterns whose votes are counted at one time, so that they stay in cache.
_CHUNK = 2**14
_ACTIVE = {1: "lower", -1: "upper", 0: "none"}


def rules_table(model: BalsubramaniFreund, votes: Votes, worth: Mapping[str, float] | None = None) -> Tidy:
    """One row per rule, in the order of the votes.

    Coverage is the share of the items that the rule votes on; overlap that on which another rule votes too; conflict
    that on which another rule votes for another class.

    Parameters
    ----------
    model : BalsubramaniFreund
        Fitted to ``votes``.
    votes : Votes
        The pool.
    worth : mapping of rule to float, optional
        By how much the bound would be worse without the rule, as :func:`thumbwise.plan` finds it.

    Returns
    -------
    Tidy
        Columns ``rule``, ``coverage``, ``overlap``, ``conflict``, ``gold_votes``, ``gold_accuracy``, ``lower``,
        ``upper``, ``weight``, ``active``, ``worth``; fact ``chance``, the accuracy of guessing.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0, 0], [1, 0], [1, -1], [-1, -1]], rule_names=["a", "b"])
    >>> model = tw.BalsubramaniFreund().fit(votes, box=tw.Box.from_bounds(votes, {"a": (0.9, 1)}))
    >>> table = rules_table(model, votes)
    >>> [table[name] for name in ("coverage", "overlap", "conflict")]
    [(0.75, 0.5), (0.5, 0.5), (0.25, 0.25)]
    """
    coverage, overlap, conflict = shares_per_rule(votes.patterns)
    moments = [_moment(model, rule) for rule in votes.rule_names]
    return Tidy.of(
        {
            "rule": votes.rule_names,
            "coverage": coverage,
            "overlap": overlap,
            "conflict": conflict,
            **{name: [moment[name] for moment in moments] for name in moments[0]},
            "worth": [None if worth is None else worth.get(rule) for rule in votes.rule_names],
        },
        chance=1 / votes.n_classes,
    )


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


def _moment(model: BalsubramaniFreund, rule: str) -> dict[str, Any]:
    """What box and fit say of the accuracy of a rule; nothing if the box does not speak of it."""
    box, m = model.box_, int(find_accuracies(model.box_.about, [rule])[0])
    if m < 0:
        return dict.fromkeys(("gold_votes", "gold_accuracy", "lower", "upper", "weight", "active"))
    drawn = None if box.gold_drawn is None else int(box.gold_drawn[m])
    return {
        "gold_votes": drawn,
        "gold_accuracy": float(box.gold_right[m] / drawn) if drawn and box.gold_right is not None else None,
        "lower": float(box.lower[m]),
        "upper": float(box.upper[m]),
        "weight": float(model.weights_[m]),
        "active": _ACTIVE[int(model.active_[m])],
    }
