"""Expectation maximisation over a whole confusion matrix for each rule. Arrays in, arrays out.

With rates r[j, v, c] the score of class c for pattern t is log w_c plus the sum of log r[j, v, c] over its votes (j,
v). With many classes nearly all rates of a fit are 0 after some iterations: of a vote, few classes are left that it is
cast on. A class is then live for a pattern only if it is for all of the votes, and iterations see live cells alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.numerics.maxent import softmax
from thumbwise.numerics.patterns import Patterns
from thumbwise.numerics.rate_vectors import TableVectors
from thumbwise.numerics.vote_rates import Kind, estimate_rates, log_rates

# A rate below this is 0 where cells are looked at one by one. What that changes in a probability is lost in rounding
# as long as the pattern's votes together are not so improbable under every class; others get all of their cells.
_LEAST_RATE, _ROUNDING = 1e-100, 1e-20
# Live rates and cells, of all of them, up to which it is worth it to look at them one by one; and of how many.
_MOST_LIVE_RATES, _MOST_LIVE_CELLS, _MANY_CELLS = 0.25, 0.1, 2**16


@dataclass(frozen=True, eq=False)
class Expected:
    """What some rates and frequencies make of unlabeled items.

    Attributes
    ----------
    log_sums : ndarray of shape (n_patterns,)
        Log probability of each pattern's votes.
    votes : ndarray of shape (n_rules, n_classes, n_classes)
        Expected number of items by rule, class voted for, and class.
    by_class : ndarray of shape (n_classes,)
    """

    log_sums: FloatArray
    votes: FloatArray
    by_class: FloatArray


@dataclass(frozen=True, eq=False)
class LiveCells:
    """Classes that a pattern may be of, and the rates that speak for each.

    Attributes
    ----------
    owners, classes : ndarray of shape (n_cells,)
        Pattern and class; every pattern has at least one, in a row.
    rates : ndarray of shape (n_used,)
        Places in the table of rates, ascending, of those that some cell needs.
    votes : sparse array of shape (n_cells, n_used)
        1 for the rate of each vote of the pattern.
    is_whole : ndarray of bool, (n_patterns,)
        Whether every class has a cell.
    """

    owners: IntArray
    classes: IntArray
    rates: IntArray
    votes: sp.csr_array
    is_whole: AnyArray

    @classmethod
    def find(cls, patterns: Patterns, live: AnyArray, whole: AnyArray) -> LiveCells:
        """Cells whose votes all have a live rate; all of them for the patterns named whole, and those without any."""
        k = patterns.n_classes
        columns = live.reshape(-1, k)
        alive = sp.csr_array(patterns.indicators @ sp.csr_array(columns, dtype=float))
        is_kept = alive.data == np.repeat(patterns.votes_per_pattern, np.diff(alive.indptr))
        owners = np.repeat(np.arange(patterns.n_patterns), np.diff(alive.indptr))[is_kept]
        whole = whole | (np.bincount(owners, minlength=patterns.n_patterns) == 0)
        cells = (owners * k + alive.indices[is_kept])[~whole[owners]]
        cells = np.sort(np.concatenate([cells, (np.flatnonzero(whole)[:, None] * k + np.arange(k)).ravel()]))
        owners, classes = np.divmod(cells, k)
        return cls(owners, classes, *_rates_of(patterns, owners, classes), whole)

    @cached_property
    def _starts(self) -> IntArray:
        return np.searchsorted(self.owners, np.arange(len(self.is_whole)))

    @cached_property
    def _by_rate(self) -> sp.csr_array:
        """Votes with a row for each rate: its cells are then gathered."""
        return sp.csr_array(self.votes.T)

    def expect(self, rates: FloatArray, frequencies: FloatArray, masses: FloatArray) -> Expected:
        """The E step, and the sums that the M step needs."""
        scores = self.votes @ log_rates(rates.ravel()[self.rates]) + log_rates(frequencies)[self.classes]
        top = np.maximum.reduceat(scores, self._starts)
        proba = np.exp(scores - top[self.owners])
        sums = np.add.reduceat(proba, self._starts)
        expected = (masses / sums)[self.owners] * proba
        votes = np.zeros(rates.size)
        votes[self.rates] = self._by_rate @ expected
        by_class = np.bincount(self.classes, expected, minlength=len(frequencies)).astype(float)
        return Expected(top + np.log(sums), votes.reshape(rates.shape), by_class)

    def poor(self, expected: Expected) -> AnyArray:
        """Patterns whose votes are so improbable that classes which were left out may matter."""
        return np.asarray(~self.is_whole & (expected.log_sums < np.log(_LEAST_RATE / _ROUNDING)))


def _rates_of(patterns: Patterns, owners: IntArray, classes: IntArray) -> tuple[IntArray, sp.csr_array]:
    """Places of the rates that cells need, and which cell needs which."""
    k, n_votes = np.int64(patterns.n_classes), patterns.votes_per_pattern[owners]
    starts = np.concatenate([[0], np.cumsum(n_votes)])
    votes = np.repeat(patterns.starts[owners] - starts[:-1], n_votes) + np.arange(starts[-1])
    places = (patterns.rules[votes] * k + patterns.classes[votes]) * k + np.repeat(classes, n_votes)
    used, column = np.unique(places, return_inverse=True)
    return used, sp.csr_array((np.ones(len(column)), column, starts), shape=(len(owners), len(used)))


@dataclass(eq=False)
class _Sight:
    """Live cells while they are few; looked for at iterations 2, 4, 8, .., and whenever they are too few."""

    patterns: Patterns
    cells: LiveCells | None = None
    seen: AnyArray = field(default_factory=lambda: np.empty(0, dtype=bool))
    n_steps: int = 0

    def look(self, rates: FloatArray) -> LiveCells | None:
        """Cells that are good for these rates, if there are few."""
        self.n_steps += 1
        live = rates >= _LEAST_RATE
        is_time = self.n_steps >= 2 and self.n_steps & (self.n_steps - 1) == 0
        if self.cells is not None and (live & ~self.seen).any():
            self.cells = None
        if is_time and live.mean() <= _MOST_LIVE_RATES:
            self._find(live, np.zeros(self.patterns.n_patterns, dtype=bool))
        return self.cells

    def widen(self, cells: LiveCells, poor: AnyArray) -> LiveCells | None:
        """With all cells of some further patterns."""
        self._find(self.seen, cells.is_whole | poor)
        return self.cells

    def _find(self, live: AnyArray, whole: AnyArray) -> None:
        cells = LiveCells.find(self.patterns, live, whole)
        are_few = len(cells.owners) <= _MOST_LIVE_CELLS * self.patterns.n_patterns * self.patterns.n_classes
        self.cells, self.seen = (cells, live) if are_few else (None, live)


@dataclass(frozen=True, eq=False)
class ConfusionVotes:
    """Votes, labels and prior counts that rates and class frequencies are estimated from.

    Attributes
    ----------
    unlabeled : ndarray of shape (n_patterns,)
        Number of items without a label.
    votes : ndarray of shape (n_rules, n_classes, n_classes)
        Votes on items with a label, by rule, class voted for and class, and a priori.
    by_class : ndarray of shape (n_classes,)
        Items with a label of each class, and a priori.
    kind : {"one_coin", "class_conditional", "full"}
        Which rates are equal.
    """

    patterns: Patterns
    unlabeled: FloatArray
    votes: FloatArray
    by_class: FloatArray
    kind: Kind

    @cached_property
    def vectors(self) -> TableVectors:
        return TableVectors(self.patterns.n_rules, self.patterns.n_classes)

    @cached_property
    def _sight(self) -> _Sight:
        return _Sight(self.patterns)

    @cached_property
    def _said(self) -> IntArray:
        """Rates that labels or prior counts speak of."""
        return np.flatnonzero(self.votes)

    def start(self, proba: FloatArray) -> FloatArray:
        """Parameters that fit best to probabilities of the patterns, shape (n_patterns, n_classes)."""
        return self._maximise(self._add_up(np.zeros(0), proba))

    def step(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Log posterior of the parameters up to a constant, and the E and M step that follow."""
        rates, frequencies = self.vectors.split(parameters)
        expected = self._expect(rates, frequencies)
        objective = self.unlabeled @ expected.log_sums + self.by_class @ log_rates(frequencies)
        objective += self.votes.ravel()[self._said] @ log_rates(rates.ravel()[self._said])
        return float(objective), self._maximise(expected)

    def _expect(self, rates: FloatArray, frequencies: FloatArray) -> Expected:
        cells = self._sight.look(rates) if self._may_be_sparse else None
        while cells is not None:
            expected = cells.expect(rates, frequencies, self.unlabeled)
            poor = cells.poor(expected)
            if not poor.any():
                return expected
            cells = self._sight.widen(cells, poor)
        k = len(frequencies)
        scores = self.patterns.indicators @ log_rates(rates).reshape(-1, k) + log_rates(frequencies)
        proba, log_sums = softmax(np.asarray(scores))
        return self._add_up(log_sums, proba)

    @cached_property
    def _may_be_sparse(self) -> bool:
        """Prior counts, and accuracies that other rates follow from, leave no rate at 0; small tables are fast."""
        n_cells = self.patterns.n_patterns * self.patterns.n_classes
        return self.kind == "full" and n_cells >= _MANY_CELLS and len(self._said) <= _MOST_LIVE_RATES * self.votes.size

    def _add_up(self, log_sums: FloatArray, proba: FloatArray) -> Expected:
        masses = self.unlabeled[:, None] * proba
        votes = (self.patterns.indicators.T @ masses).reshape(self.votes.shape)
        return Expected(log_sums, votes, np.array(masses.T, order="C").sum(axis=1))

    def _maximise(self, expected: Expected) -> FloatArray:
        """M step."""
        by_class = expected.by_class + self.by_class
        rates = estimate_rates(expected.votes + self.votes, self.kind)
        return self.vectors.join(rates, by_class / by_class.sum())
