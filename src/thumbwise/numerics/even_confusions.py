"""Dawid-Skene with the class frequencies held even: which votes each rule gives to each class, from votes alone."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.numerics.even_panel import log_odds_of, weighted_scores
from thumbwise.numerics.maxent import softmax
from thumbwise.numerics.patterns import Patterns

# As if each rule had been seen to give each class two votes for it and one for others.
_PRIOR_RIGHT, _PRIOR_WRONG = 2.0, 1.0
# Iterations, at most and at least; between them, so many that all of them look at this many numbers.
_MOST_ITER, _FEWEST_ITER, _MOST_LOOKS = 100, 10, 2e8
_TOL = 1e-5
# Numbers that the rates of all rules may be; beyond it there is no such panel.
_MOST_RATES = 10**6

# Patterns never change, so what their panel says stays right as long as they live.
_confusions: WeakKeyDictionary[Patterns, dict[bytes, FloatArray]] = WeakKeyDictionary()


def confusions_of(patterns: Patterns, counted: FloatArray) -> FloatArray:
    """What each vote adds to the log-odds of each class, shape (n_rules, n_classes, n_classes); remembered.

    By rule, class voted for, class that is scored; centred over the last. Of no rule, shape (0, ...), where rules and
    classes are too many.
    """
    known, key = _confusions.setdefault(patterns, {}), counted.tobytes()
    if key not in known:
        known[key] = _estimate(patterns, counted)
    return known[key]


def _estimate(patterns: Patterns, counted: FloatArray) -> FloatArray:
    """Expectation maximisation from what the one-coin panel says.

    Frequencies that are learned from votes tend to give all items to one class; held even, no class is lost. Iterations
    end when no probability moves by 1e-5, or after a number that sizes settle: what comes out is a function of the
    votes either way. No label is used. Rules that do not count add nothing.
    """
    k, n_rules = patterns.n_classes, patterns.n_rules
    if n_rules * k * k > _MOST_RATES:
        return np.zeros((0, k, k))
    prior = np.full((k, k), _PRIOR_WRONG / (k - 1))
    np.fill_diagonal(prior, _PRIOR_RIGHT)
    votes, masses = patterns.indicators, patterns.counts[:, None].astype(float)
    by_vote = votes.T.tocsr()
    proba = softmax(weighted_scores(patterns, log_odds_of(patterns, counted)))[0]
    for _ in range(int(np.clip(_MOST_LOOKS / max(1, votes.nnz * k), _FEWEST_ITER, _MOST_ITER))):
        seen = (by_vote @ (masses * proba)).reshape(n_rules, k, k) + prior
        logs = np.log(seen / seen.sum(axis=1, keepdims=True)) * counted[:, None, None]
        before, proba = proba, softmax(votes @ logs.reshape(-1, k))[0]
        if np.abs(proba - before).max(initial=0.0) < _TOL:
            break
    return np.asarray(logs - logs.mean(axis=2, keepdims=True))
