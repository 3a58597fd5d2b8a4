"""One-coin Dawid-Skene with the class frequencies held even: what the panel says together, from votes alone."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.numerics.maxent import softmax
from thumbwise.numerics.patterns import Patterns, bytes_between

# Accuracies stay between that of guessing and this: beyond it the panel would drown the rest in one rule.
_MOST_ACCURATE = 0.95
# As if each rule had been seen to be right twice and wrong once.
_PRIOR_RIGHT, _PRIOR_WRONG = 2.0, 1.0
_MAX_ITER = 100
_TOL = 1e-6
# Scores that differ by less are as large as each other.
TIE = 1e-9


# Patterns never change, so what their panel says stays right as long as they live.
_distinct: WeakKeyDictionary[Patterns, dict[bytes, FloatArray]] = WeakKeyDictionary()
_log_odds: WeakKeyDictionary[Patterns, dict[bytes, FloatArray]] = WeakKeyDictionary()
_verdicts: WeakKeyDictionary[Patterns, dict[bytes, IntArray]] = WeakKeyDictionary()


def panel_of(patterns: Patterns) -> tuple[FloatArray, FloatArray]:
    """Which rules count, and the log-odds of each; remembered with the patterns."""
    counted = first_of_copies(patterns)
    return counted, log_odds_of(patterns, counted)


def log_odds_of(patterns: Patterns, counted: FloatArray) -> FloatArray:
    """Log-odds of each rule's vote if these rules count; remembered with the patterns."""
    known, key = _log_odds.setdefault(patterns, {}), counted.tobytes()
    if key not in known:
        known[key] = even_log_odds(patterns, counted)
    return known[key]


def even_log_odds(patterns: Patterns, counted: FloatArray) -> FloatArray:
    """Log-odds of each rule's vote, shape (n_rules,), from how often rules agree; 0 for rules that are not counted.

    Expectation maximisation from the shares of votes. Frequencies that are learned from votes tend to give all items to
    one class, after which every rule looks right about it; held even, no class is lost. Iterations end when no accuracy
    moves by 1e-6, or after 100: what comes out is a function of the votes either way. No label is used.
    """
    k = patterns.n_classes
    used = counted[patterns.rules] > 0
    owners, rules, classes = patterns.owners[used], patterns.rules[used], patterns.classes[used]
    cells = owners * k + classes
    per_vote = patterns.counts[owners].astype(float)
    n_votes = np.bincount(rules, per_vote, minlength=patterns.n_rules)
    shares = np.bincount(cells, minlength=patterns.n_patterns * k).reshape(-1, k).astype(float)
    proba = (shares + 1e-9 / k) / (shares.sum(axis=1, keepdims=True) + 1e-9)
    accuracies, log_odds = np.zeros(patterns.n_rules), np.zeros(patterns.n_rules)
    for _ in range(_MAX_ITER):
        right = np.bincount(rules, per_vote * proba.ravel()[cells], minlength=patterns.n_rules)
        before, accuracies = accuracies, (right + _PRIOR_RIGHT) / (n_votes + _PRIOR_RIGHT + _PRIOR_WRONG)
        accuracies = np.clip(accuracies, 1 / k, _MOST_ACCURATE)
        log_odds = np.where(counted > 0, np.log(accuracies * (k - 1) / (1 - accuracies)), 0.0)
        if np.abs(accuracies - before).max(initial=0.0) < _TOL:
            break
        sums = np.bincount(cells, log_odds[rules], minlength=proba.size).astype(float)
        proba = softmax(sums.reshape(-1, k))[0]
    return np.maximum(log_odds, 0.0)


def first_of_copies(patterns: Patterns, heard: AnyArray | None = None) -> FloatArray:
    """1 for one of each set of rules that vote the same everywhere, 0 for its copies and for rules that never vote.

    And 0 for rules that are not to be heard, where that is said, shape (n_rules,). Remembered with the patterns.
    """
    heard = np.ones(patterns.n_rules, dtype=bool) if heard is None else np.asarray(heard, dtype=bool)
    known, key = _distinct.setdefault(patterns, {}), heard.tobytes()
    if key not in known:
        known[key] = _find_first(patterns, heard)
        known[key].setflags(write=False)
    return known[key]


def _find_first(patterns: Patterns, heard: AnyArray) -> FloatArray:
    order = np.argsort(patterns.rules, kind="stable")
    ends = np.searchsorted(patterns.rules[order], np.arange(patterns.n_rules + 1))
    owners, classes = (bytes_between(part[order], ends) for part in (patterns.owners, patterns.classes))
    seen = {(b"", b"")}
    counted = np.zeros(patterns.n_rules)
    for j, votes in enumerate(zip(owners, classes, strict=True)):
        if not heard[j]:
            continue
        counted[j] = votes not in seen
        seen.add(votes)
    return counted


def first_informative(patterns: Patterns) -> FloatArray:
    """The same, and 0 too for rules that say one class of every item: they tell no item from another."""
    votes = np.zeros((patterns.n_rules, patterns.n_classes), dtype=np.int64)
    np.add.at(votes, (patterns.rules, patterns.classes), patterns.counts[patterns.owners])
    return np.asarray(first_of_copies(patterns) * (votes.max(axis=1, initial=0) < patterns.n_items))


def weighted_scores(patterns: Patterns, weights: FloatArray) -> FloatArray:
    """Sum of the weights of the rules that vote for each class, shape (n_patterns, n_classes)."""
    k = patterns.n_classes
    size = patterns.n_patterns * k
    sums = np.bincount(patterns.owners * k + patterns.classes, weights[patterns.rules], minlength=size)
    return np.asarray(sums, dtype=float).reshape(-1, k)


def weighted_verdicts(patterns: Patterns, weights: FloatArray) -> IntArray:
    """The class with the largest sum of weights, -1 where two are as large; remembered with the patterns."""
    known, key = _verdicts.setdefault(patterns, {}), np.asarray(weights, dtype=float).tobytes()
    if key not in known:
        known[key] = verdicts(weighted_scores(patterns, weights))
        known[key].setflags(write=False)
    return known[key]


def verdicts(scores: FloatArray, tie: float = TIE) -> IntArray:
    """The class with the largest score; -1 where two are as large, and so where nobody votes."""
    if scores.shape[1] == 2:
        ahead = scores[:, 1] - scores[:, 0]
        return np.where(np.abs(ahead) > tie, (ahead > 0).astype(np.int64), -1)
    best, items = scores.argmax(axis=1), np.arange(len(scores))
    others = scores.copy()
    others[items, best] = -np.inf
    return np.where(scores[items, best] - others.max(axis=1) > tie, best, -1)
