"""Drift of votes: are those on new items like those of the pool that a model was fitted to? A test without labels.

A certificate speaks of the items of its pool. Of other items it says something only if they are like them. Let a rule
give some vote (a class, or none) on K of N + n items: N of the pool, n new ones. If all of them come from one source,
in random order, the number of new items among the K is hypergeometric(N + n, K, n): an exact p-value for every vote of
every rule, at any count. Holm's correction holds for all of them together, however the rules depend on each other.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.gold_checks.sample_check import two_sided_p_values
from thumbwise.exceptions import InvalidChoiceError, InvalidVotesError
from thumbwise.models.pool_summary import PoolSummary
from thumbwise.numerics.resampling import holm
from thumbwise.votes.votes import Votes

ABSTAINS = "abstains"
# Below one percentage point, a difference that many items make visible seldom matters.
_SMALL = 0.01
_LIMITS = "the certificate does not speak of these items"


@dataclass(frozen=True)
class DriftRow:
    """One comparison: how often a rule gives one vote, on the new items and on the pool.

    Attributes
    ----------
    rule : str
    vote : name of the class, or None for an abstention
    is_abstention : bool
    new_share, pool_share : float
    p_value : float
        Twice the smaller hypergeometric tail, at most 1.
    adjusted_p_value : float
        After Holm's correction for all comparisons.
    """

    rule: str
    vote: Hashable
    is_abstention: bool
    new_share: float
    pool_share: float
    p_value: float
    adjusted_p_value: float

    @property
    def difference(self) -> float:
        """Share among the new items less share in the pool."""
        return self.new_share - self.pool_share

    def __str__(self) -> str:
        says = ABSTAINS if self.is_abstention else f"votes {self.vote!r}"
        new, pool = _percent(self.new_share), _percent(self.pool_share)
        return f"rule {self.rule!r} {says} on {new} of the new items and {pool} of the pool"


@dataclass(frozen=True)
class Drift:
    """Whether new votes differ from those of the fitted pool, by how much, and how surely.

    Attributes
    ----------
    rows : tuple of DriftRow
        Every rule's abstentions, then its classes.
    error : float
        Probability, at most, with which drift is found where there is none.
    n_tests : int
        Number of comparisons corrected for; votes that nobody gives, or everybody, are none.
    n_items, n_pool : int
        New items, and items of the pool.
    is_the_pool : bool
        The new votes are the very votes that the model was fitted to.

    Notes
    -----
    *Guarantee*: if new items and pool are drawn at random from one source, drift is found with probability at most
    ``error``. Finding none guarantees nothing. No gold label is seen; ``error`` is to be chosen before the votes are.

    Examples
    --------
    >>> import thumbwise as tw
    >>> model = tw.MajorityVote().fit([[0, 1]] * 500 + [[1, 1]] * 500)
    >>> drift = model.check_drift([[0, 1]] * 180 + [[1, 1]] * 20)
    >>> drift.found, [row.rule for row in drift.drifted]
    (True, ['rule_0', 'rule_0'])
    >>> {rule: round(distance, 3) for rule, distance in drift.distances.items()}
    {'rule_0': 0.4, 'rule_1': 0.0}
    """

    rows: tuple[DriftRow, ...]
    error: float
    n_tests: int
    n_items: int
    n_pool: int
    is_the_pool: bool

    @property
    def p_value(self) -> float:
        """Smallest p-value after correction: the chance of so strange a vote somewhere, at most, without drift."""
        return min((row.adjusted_p_value for row in self.rows), default=1.0)

    @property
    def found(self) -> bool:
        """Whether the new items are not like the pool, with an error of at most ``error``."""
        return self.p_value <= self.error

    @property
    def drifted(self) -> tuple[DriftRow, ...]:
        """Rows that differ surely, the largest difference first; of equal ones, by rule name."""
        sure = [row for row in self.rows if row.adjusted_p_value <= self.error]
        return tuple(sorted(sure, key=lambda row: (-round(abs(row.difference), 12), row.rule, str(row.vote))))

    @cached_property
    def distances(self) -> dict[str, float]:
        """Total variation of each rule's votes: the share of items that would have to vote otherwise, at least."""
        sums: dict[str, float] = {}
        for row in self.rows:
            sums[row.rule] = sums.get(row.rule, 0.0) + abs(row.difference) / 2
        return sums

    @property
    def largest_difference(self) -> float:
        """Of any share, sure or not."""
        return max((abs(row.difference) for row in self.rows), default=0.0)

    def frame(self) -> dict[str, list[Any]]:
        """All comparisons, one entry per row in each column."""
        votes, shares = ("rule", "vote", "is_abstention"), ("new_share", "pool_share", "difference")
        names = (*votes, *shares, "p_value", "adjusted_p_value")
        columns = {name: [getattr(row, name) for row in self.rows] for name in names}
        return columns | {"distance": [self.distances[row.rule] for row in self.rows]}

    def __str__(self) -> str:
        if self.is_the_pool:
            return "These are the votes that the model was fitted to."
        if not self.found:
            return (
                f"No drift found in the votes on {_items(self.n_items)} (smallest corrected p-value "
                f"{self.p_value:.2g}); this does not prove that the rules are as right as they were."
            )
        first, n_rules = self.drifted[0], len({row.rule for row in self.drifted})
        also = f", and {n_rules - 1} more of {len(self.distances)} rules differ" if n_rules > 1 else ""
        return f"Votes differ from the fitted pool: {first} ({self._sureness(first)}){also}; {self._advice(first)}."

    def _sureness(self, row: DriftRow) -> str:
        p_value = "p < 1e-9" if row.adjusted_p_value < 1e-9 else f"p = {row.adjusted_p_value:.2g}"
        return f"{p_value}, corrected for {self.n_tests} comparison{'s' * (self.n_tests != 1)}"

    def _advice(self, row: DriftRow) -> str:
        small = "no share differs by as much as one percentage point, which only so many items make visible; "
        return (small if abs(row.difference) < _SMALL else "") + _LIMITS


def compare_with_pool(votes: Votes, pool: PoolSummary, *, error: float = 0.01) -> Drift:
    """Test whether new votes could come from where the pool comes from.

    Parameters
    ----------
    votes : Votes
        Of the rules and classes of the pool, in the same order.
    pool : PoolSummary
    error : float
        Allowed probability of finding drift where there is none.

    Notes
    -----
    *Guarantee*: if new items and pool are drawn at random from the same source, or split at random, drift is found with
    probability at most ``error``, for all sizes, whatever the rules. If new items are also items of the pool, it is
    found even more seldom. Finding none guarantees nothing: rules can vote as before and be right less often, and
    shifts in how rules vote together are not looked at.

    Examples
    --------
    >>> import thumbwise as tw
    >>> from thumbwise.models.drift import compare_with_pool
    >>> from thumbwise.models.pool_summary import PoolSummary
    >>> pool = tw.Votes([[-1]] * 970 + [[1]] * 30, rule_names=["shouting"], class_names=["ham", "spam"])
    >>> new = tw.Votes([[-1]] * 440 + [[1]] * 60, rule_names=["shouting"], class_names=["ham", "spam"])
    >>> drift = compare_with_pool(new, PoolSummary.of(pool))
    >>> print(drift)  # doctest: +NORMALIZE_WHITESPACE
    Votes differ from the fitted pool: rule 'shouting' abstains on 88 % of the new items and 97 % of the pool (p < 1e-9,
    corrected for 1 comparison); the certificate does not speak of these items.
    >>> round(drift.distances["shouting"], 3)
    0.09
    """
    if not 0 < error < 1:
        raise InvalidChoiceError(f"error must lie between 0 and 1, exclusive; found {error}. For 1 %, write 0.01.")
    if votes.n_items == 0 or pool.n_items == 0:
        raise InvalidVotesError(
            f"there must be items to compare; found {votes.n_items} new ones and {pool.n_items} in the pool."
        )
    new, old = _with_abstentions(votes.patterns.vote_table, votes.n_items), _with_abstentions(pool.counts, pool.n_items)
    p_values = two_sided_p_values(new.ravel(), votes.n_items, (new + old).ravel(), votes.n_items + pool.n_items)
    adjusted, n_tests = _correct(p_values.reshape(new.shape), new + old)
    return Drift(
        _rows(votes, new / votes.n_items, old / pool.n_items, p_values.reshape(new.shape), adjusted),
        error,
        n_tests,
        votes.n_items,
        pool.n_items,
        votes.fingerprint == pool.fingerprint,
    )


def _with_abstentions(counts: IntArray, n_items: int) -> IntArray:
    """Abstentions first, then classes."""
    return np.column_stack([n_items - counts.sum(axis=1), counts])


def _correct(p_values: FloatArray, totals: IntArray) -> tuple[FloatArray, int]:
    """Holm's adjusted p-values, and the number of comparisons.

    A rule that gives m different votes is m comparisons; if m = 2 they are each other's opposite, and one; if m = 1
    chance has no say.
    """
    given = totals > 0
    n_given = given.sum(axis=1, keepdims=True)
    is_first = given & (np.cumsum(given, axis=1) == 1)
    counted = np.where(n_given == 2, is_first, given & (n_given > 2))
    adjusted = np.ones_like(p_values)
    adjusted[counted] = holm(p_values[counted])
    both = (given & (n_given == 2)).nonzero()
    adjusted[both] = np.where(is_first, adjusted, 0).max(axis=1)[both[0]]
    return adjusted, int(counted.sum())


def _rows(
    votes: Votes, new: FloatArray, old: FloatArray, p_values: FloatArray, adjusted: FloatArray
) -> tuple[DriftRow, ...]:
    numbers = np.stack([new, old, p_values, adjusted], axis=2).tolist()
    names = (None, *votes.class_names)
    return tuple(
        DriftRow(rule, name, v == 0, *numbers[j][v])
        for j, rule in enumerate(votes.rule_names)
        for v, name in enumerate(names)
    )


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _items(n: int) -> str:
    return "this item" if n == 1 else f"these {n:,} items"
