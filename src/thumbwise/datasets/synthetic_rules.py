"""Made-up rules: how they vote, and the exact probability of what they say: independent, copying, or sharing errors.

``rates[j, c]`` says how rule j votes on an item of class c: a probability for each class, the last one for an
abstention. Randomness comes in as uniform numbers, a row per item, so that the first items of a large draw are a small
draw.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.patterns import ABSTAIN


class Rules(Protocol):
    """What is known of rules that vote at random once the class of an item is given."""

    @property
    def rates(self) -> FloatArray:
        """Of shape (n_rules, n_classes, n_classes + 1): each rule on its own, whatever the others do."""

    @property
    def n_uniforms(self) -> int:
        """How many uniform numbers an item takes."""

    def vote(self, labels: IntArray, uniforms: FloatArray) -> IntArray:
        """Votes of shape (n_items, n_rules) on items of these classes."""

    def log_likelihood(self, rows: IntArray) -> FloatArray:
        """Log probability of each row of votes given each class, of shape (n_rows, n_classes)."""


def pick(rates: FloatArray, labels: IntArray, uniforms: FloatArray) -> IntArray:
    """Votes drawn independently: where a uniform number falls among the cumulated rates."""
    n_classes = rates.shape[1]
    cumulated = np.cumsum(rates, axis=2)
    # From the last vote that can happen on, exactly 1: sums may round to less, uniform numbers are below 1.
    last = n_classes - np.argmax(rates[:, :, ::-1] > 0, axis=2)
    cumulated[np.arange(n_classes + 1) >= last[:, :, None]] = 1
    votes = np.zeros(uniforms.shape, dtype=np.int64)
    for c in range(n_classes):  # one class at a time: never items x rules x classes
        votes += uniforms >= cumulated[:, labels, c].T
    return np.where(votes == n_classes, ABSTAIN, votes)


@dataclass(frozen=True, eq=False)
class IndependentRules:
    """Rules that vote independently of each other once the class is given, which is what Dawid-Skene assumes."""

    rates: FloatArray

    @property
    def n_uniforms(self) -> int:
        return len(self.rates)

    def vote(self, labels: IntArray, uniforms: FloatArray) -> IntArray:
        return pick(self.rates, labels, uniforms)

    def log_likelihood(self, rows: IntArray) -> FloatArray:
        return _sum_logs(self.rates, rows, range(len(self.rates)))


@dataclass(frozen=True, eq=False)
class CopyingRules:
    """Rule j repeats an earlier rule, abstentions too, with probability ``copying[j]``, and else votes on its own.

    Attributes
    ----------
    own_rates : ndarray of shape (n_rules, n_classes, n_classes + 1)
        How each rule votes when it does not copy.
    copied_from : ndarray of shape (n_rules,)
        The rule that each one copies, which stands before it; -1 for none.
    copying : ndarray of shape (n_rules,)
    """

    own_rates: FloatArray
    copied_from: IntArray
    copying: FloatArray

    @property
    def rates(self) -> FloatArray:
        rates = self.own_rates.copy()
        for j in np.flatnonzero(self.copied_from >= 0):
            rates[j] = self.copying[j] * rates[self.copied_from[j]] + (1 - self.copying[j]) * self.own_rates[j]
        return rates

    @property
    def n_uniforms(self) -> int:
        return 2 * len(self.own_rates)

    def vote(self, labels: IntArray, uniforms: FloatArray) -> IntArray:
        votes = pick(self.own_rates, labels, uniforms[:, ::2])
        for j in np.flatnonzero(self.copied_from >= 0):
            votes[:, j] = np.where(uniforms[:, 2 * j + 1] < self.copying[j], votes[:, self.copied_from[j]], votes[:, j])
        return votes

    def log_likelihood(self, rows: IntArray) -> FloatArray:
        total = _sum_logs(self.own_rates, rows, np.flatnonzero(self.copied_from < 0))
        for j in np.flatnonzero(self.copied_from >= 0):
            own, same = self.own_rates[j][:, rows[:, j]].T, rows[:, j] == rows[:, self.copied_from[j]]
            with np.errstate(divide="ignore"):
                total += np.log(self.copying[j] * same[:, None] + (1 - self.copying[j]) * own)
        return total


@dataclass(frozen=True, eq=False)
class SharedErrorRules:
    """Groups of rules that err together.

    On an item, each group errs as a whole with its probability: every member that votes gives the same wrong class, all
    wrong ones being equally likely. Otherwise its members vote independently, more often right than their rates say, so
    that each rule on its own has exactly these rates whatever the probability. Abstentions are independent throughout.

    Attributes
    ----------
    rates : ndarray of shape (n_rules, n_classes, n_classes + 1)
    groups : ndarray of shape (n_rules,)
        Number of each rule's group, -1 for a rule on its own.
    shared_errors : ndarray of shape (n_groups,)
        Probability that a group errs as a whole.
    """

    rates: FloatArray
    groups: IntArray
    shared_errors: FloatArray

    @property
    def n_uniforms(self) -> int:
        return len(self.rates) + 2 * len(self.shared_errors)

    @property
    def quiet_rates(self) -> FloatArray:
        """How the rules vote when their group does not err as a whole."""
        rates, n_classes = self.rates.copy(), self.rates.shape[1]
        for j in np.flatnonzero(self.groups >= 0):
            event = self.shared_errors[self.groups[j]]
            wrong = event * (1 - self.rates[j, :, -1:]) / (n_classes - 1) * (1 - np.eye(n_classes))
            rates[j, :, :-1] = (self.rates[j, :, :-1] - wrong) / (1 - event)
        return np.clip(rates, 0, 1)  # what rounding leaves below 0

    def vote(self, labels: IntArray, uniforms: FloatArray) -> IntArray:
        n_rules, n_classes = self.rates.shape[:2]
        votes = pick(self.quiet_rates, labels, uniforms[:, :n_rules])
        for g, probability in enumerate(self.shared_errors):
            happens, which = uniforms[:, n_rules + 2 * g], uniforms[:, n_rules + 2 * g + 1]
            wrong = (labels + 1 + (which * (n_classes - 1)).astype(np.int64)) % n_classes
            together = (happens < probability)[:, None] & (self.groups == g) & (votes != ABSTAIN)
            votes = np.where(together, wrong[:, None], votes)
        return votes

    def log_likelihood(self, rows: IntArray) -> FloatArray:
        quiet = self.quiet_rates
        total = _sum_logs(quiet, rows, np.flatnonzero(self.groups < 0))
        for g, probability in enumerate(self.shared_errors):
            members = np.flatnonzero(self.groups == g)
            with np.errstate(divide="ignore"):
                together = np.log(probability) + self._log_together(rows, members)
            total += np.logaddexp(together, np.log1p(-probability) + _sum_logs(quiet, rows, members))
        return total

    def _log_together(self, rows: IntArray, members: IntArray) -> FloatArray:
        """Log probability of the members' votes given that their group errs as a whole."""
        n_classes = self.rates.shape[1]
        group_votes = rows[:, members]
        highest, lowest = group_votes.max(axis=1), np.where(group_votes == ABSTAIN, n_classes, group_votes).min(axis=1)
        wrong = (highest == lowest)[:, None] & (np.arange(n_classes) != highest[:, None])
        same = np.where((highest == ABSTAIN)[:, None], 1, wrong / (n_classes - 1))
        with np.errstate(divide="ignore"):
            total = np.log(same)
            for m, j in enumerate(members):
                silent = self.rates[j, :, -1]
                total += np.log(np.where(group_votes[:, [m]] == ABSTAIN, silent, 1 - silent))
        return np.asarray(total)


def _sum_logs(rates: FloatArray, rows: IntArray, rules: Iterable[int]) -> FloatArray:
    """Log probability of the votes of some rules that are independent, one rule at a time to save memory."""
    total = np.zeros((len(rows), rates.shape[1]))
    with np.errstate(divide="ignore"):  # what cannot happen has the log -inf
        for j in rules:
            total += np.log(rates[j][:, rows[:, j]].T)
    return total
