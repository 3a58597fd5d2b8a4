"""Vote rates given the class: rates[j, v, c], the probability that rule j votes v on an item of class c.

Dawid and Skene's model of votes, in three kinds that differ in which rates are equal. Arrays in, arrays out.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from thumbwise._typing import FloatArray

Kind = Literal["one_coin", "class_conditional", "full"]
KINDS: tuple[Kind, ...] = get_args(Kind)

# A rate of 0 becomes the smallest number that is not: certain, and two contradicting certainties cancel.
_TINY = np.finfo(float).tiny


def estimate_rates(table: FloatArray, kind: Kind) -> FloatArray:
    """Rates that make expected counts ``table[j, v, c]`` of votes most likely; 1 / n_classes where there are none."""
    k = table.shape[1]
    if kind == "full":
        totals = table.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(table, totals, out=np.full_like(table, 1 / k), where=totals > 0))
    right, total = np.einsum("jcc->jc", table), table.sum(axis=1)
    if kind == "one_coin":
        right, total = (np.repeat(part.sum(axis=1, keepdims=True), k, axis=1) for part in (right, total))
    accuracies = np.divide(right, total, out=np.full_like(right, 1 / k), where=total > 0)
    return spread_accuracies(np.clip(accuracies, 0, 1))


def spread_accuracies(accuracies: FloatArray) -> FloatArray:
    """Rates of rules that are right with given probabilities (n_rules, n_classes) and wrong in all ways alike."""
    k = accuracies.shape[1]
    # By subtraction: docs/decisions/0004.
    rates = np.repeat(((1 - accuracies) / (k - 1))[:, None, :], k, axis=1)
    rates[:, np.arange(k), np.arange(k)] = accuracies
    return rates


def pseudo_counts(n_rules: int, n_classes: int, right: float, wrong: float) -> FloatArray:
    """A table as if each rule had been seen right and wrong so often on each class, wrong in all ways alike."""
    square = np.full((n_classes, n_classes), wrong / (n_classes - 1))
    np.fill_diagonal(square, right)
    return np.tile(square, (n_rules, 1, 1))


def log_rates(rates: FloatArray) -> FloatArray:
    """Logarithms, finite where a rate is 0."""
    return np.asarray(np.log(np.maximum(rates, _TINY)))


def one_coin_weights(accuracies: FloatArray, frequencies: FloatArray) -> FloatArray:
    """One-coin Dawid-Skene as weights of the maximum-entropy family: log-odds per vote, rules first, then classes.

    A rule that is right with probability b among k classes weighs log(b (k - 1) / (1 - b)), a class of frequency w
    weighs log w. :func:`one_coin_parameters` goes back.
    """
    k = len(frequencies)
    by_rule = log_rates(accuracies) - log_rates((1 - accuracies) / (k - 1))
    return np.concatenate([by_rule, log_rates(frequencies)])


def one_coin_parameters(weights: FloatArray, n_classes: int) -> tuple[FloatArray, FloatArray]:
    """Accuracies 1 / (1 + (k - 1) exp(-u)) of the rules and class frequencies, softmax(u), of some weights.

    Class weights matter up to a common constant only, so any weights of the family have such parameters.
    """
    by_rule, by_class = np.split(np.asarray(weights, dtype=float), [len(weights) - n_classes])
    accuracies = np.exp(-np.logaddexp(0, np.log(n_classes - 1) - by_rule))
    return accuracies, np.exp(by_class - np.logaddexp.reduce(by_class))
