"""Could gold be a random sample? A test that looks at votes only, and needs no label.

Let M[t] of N items show pattern t, and let n of the N be gold. If gold is a uniformly random part of them, then

- the number of gold items that a rule votes on, or gives a class, is hypergeometric(N, K, n), where K of the N items
  are voted on so: an exact p-value for every rule, and for every class that it can give;
- the numbers of gold items that show each pattern are multivariate hypergeometric(M, n): an exact permutation test for
  every statistic of them, here one that sees shifts in how rules vote together.

Half of the allowed error goes to the first part, corrected for its many tests by Holm's method, half to the second.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.gold_checks.sample_omnibus import omnibus_p_value
from thumbwise.box.gold_checks.sample_population import Keys, Population, count_population
from thumbwise.exceptions import Argument, InvalidLabelsError
from thumbwise.numerics.hypergeometric import log_tail
from thumbwise.numerics.resampling import holm
from thumbwise.votes.counted_votes import CountedVotes

COVERAGE = "coverage"


@dataclass(frozen=True)
class SampleRow:
    """One comparison: how often a rule votes, or gives one class, among gold and among all items.

    Attributes
    ----------
    rule : str
    what : "coverage", or the name of the class
    gold_share, population_share : float
        Share of the gold items, and of all items gold could have been drawn from, that are voted on so.
    p_value : float
        Twice the smaller hypergeometric tail, at most 1.
    adjusted_p_value : float
        After Holm's correction for all distinct comparisons.
    """

    rule: str
    what: Hashable
    gold_share: float
    population_share: float
    p_value: float
    adjusted_p_value: float

    def __str__(self) -> str:
        gold, everywhere = _percent(self.gold_share), _percent(self.population_share)
        if self.what is COVERAGE:
            return f"rule {self.rule!r} votes on {gold} of the gold items but on {everywhere} of all"
        return f"rule {self.rule!r} gives class {self.what!r} to {gold} of the gold items but to {everywhere} of all"


@dataclass(frozen=True)
class SampleCheck:
    """Whether the votes speak against gold being a random sample.

    Attributes
    ----------
    error : float
        Probability, at most, with which the test fires on a random sample.
    omnibus_p_value : float or None
        Of the permutation test over patterns, if it was made.
    rows : tuple of SampleRow
        Every rule's coverage, then its classes.
    n_tests : int
        Number of distinct comparisons corrected for: votes that always coincide, or are each other's opposite, count
        once, and votes that all items get, or none, do not count.
    gold_is : "separate" or "subset"
    """

    error: float
    omnibus_p_value: float | None
    rows: tuple[SampleRow, ...]
    n_tests: int
    gold_is: Literal["separate", "subset"]

    @property
    def strangest(self) -> SampleRow | None:
        """The row with the smallest p-value, of several the one with the largest difference; None without rows."""
        return min(self.rows, key=_strangeness, default=None)

    @property
    def smallest_p_value(self) -> float:
        """Smallest p-value of a row, after correction for the number of rows."""
        return min((row.adjusted_p_value for row in self.rows), default=1.0)

    @property
    def p_value(self) -> float:
        """Of the whole test: twice the smaller p-value of its two parts, at most 1; or that of the one part made."""
        if self.omnibus_p_value is None:
            return self.smallest_p_value
        return min(1.0, 2 * min(self.smallest_p_value, self.omnibus_p_value))

    @property
    def fires(self) -> bool:
        """Whether the votes show that gold is no random sample: one of the parts is below half of ``error``."""
        return self.p_value <= self.error

    def __str__(self) -> str:
        if not self.fires:
            return (
                "Nothing in the votes speaks against gold being a random sample (smallest corrected p-value "
                f"{_show(self.smallest_p_value)}{self._omnibus()}), which proves nothing about the labels themselves."
            )
        drawn = (
            "is not a random sample of all items"
            if self.gold_is == "subset"
            else "was not drawn at random like the items to be labeled"
        )
        return f"The votes show that gold {drawn}: {self._reason()}."

    def _omnibus(self) -> str:
        return "" if self.omnibus_p_value is None else f", omnibus {_show(self.omnibus_p_value)}"

    def _reason(self) -> str:
        row = self.strangest
        n_parts = 1 if self.omnibus_p_value is None else 2
        if row is not None and n_parts * row.adjusted_p_value <= self.error:
            plural = "test" if self.n_tests == 1 else "tests"
            return f"{row} ({_equals(row.adjusted_p_value)} after correction for {self.n_tests} {plural})"
        omnibus = _equals(self.p_value / n_parts)
        return f"no rule does on its own, but the votes taken together differ (omnibus {omnibus})"


def check_sample(
    gold: CountedVotes,
    pool: CountedVotes,
    *,
    gold_is: Literal["separate", "subset"],
    error: float = 0.01,
    n_permutations: int = 999,
    random_state: int = 0,
) -> SampleCheck:
    """Test, without labels, whether gold could be a random sample.

    Parameters
    ----------
    gold, pool : Votes
        Votes of the same rules on the gold items and on the pool.
    gold_is : {"separate", "subset"}
        Whether gold would be a random part of gold and pool together, or of the pool.
    error : float
        Allowed probability of firing on a random sample; half for the rules one by one, half for the omnibus part.
    n_permutations : int
        Random draws that the omnibus part compares gold with; at least ``2 / error - 1``, or 0 to leave it out, which
        takes milliseconds and gives all of the error to the rules one by one.
    random_state : int

    Notes
    -----
    *Guarantee*: if gold is a uniformly random part of the population, the test fires with probability at most
    ``error``, whatever the rules, however they depend on each other, for all sizes; no approximation. Passing
    guarantees nothing: items can differ in what no rule looks at, and labels are not looked at.

    A p-value of a row is twice the smaller tail: firing means that an interval with both tails at half the error, like
    those of the box, would miss the truth; a vote and its opposite get the same p-value; and it needs no search for the
    outcomes that are less likely than what was seen.

    Examples
    --------
    >>> import thumbwise as tw
    >>> from thumbwise.box.gold_checks.sample_check import check_sample
    >>> pool = tw.Votes([[-1]] * 150 + [[1]] * 50, rule_names=["shouting"])
    >>> gold = tw.Votes([[-1]] * 10 + [[1]] * 20, rule_names=["shouting"])
    >>> print(check_sample(gold, pool, gold_is="subset"))  # doctest: +NORMALIZE_WHITESPACE
    The votes show that gold is not a random sample of all items: rule 'shouting' votes on 66.7 % of the gold items but
    on 25 % of all (p = 3e-07 after correction for 1 test).
    """
    _check_arguments(gold, pool, gold_is, error, n_permutations)
    population = count_population(gold, pool, gold_is)
    rows, n_tests = _compare_rules(population, pool)
    rng = np.random.default_rng(random_state)
    omnibus = omnibus_p_value(population, n_permutations, rng) if n_permutations else None
    return SampleCheck(error, omnibus, rows, n_tests, gold_is)


def _compare_rules(population: Population, votes: CountedVotes) -> tuple[tuple[SampleRow, ...], int]:
    """Coverage and classes of every rule, and the number of distinct comparisons among them."""
    counted = np.stack([population.counts, population.gold], axis=1).astype(float)
    everywhere, gold = np.rint(_with_coverage(population.votes.T @ counted, votes)).astype(np.int64).T
    p_values = two_sided_p_values(gold, population.n_gold, everywhere, population.n_items)
    events = _event_keys(population, votes)
    open_to_chance = (everywhere > 0) & (everywhere < population.n_items)
    adjusted = np.ones_like(p_values)
    adjusted[open_to_chance], n_tests = _holm(p_values[open_to_chance], events[open_to_chance])
    names = [(rule, what) for rule in votes.rule_names for what in (COVERAGE, *votes.class_names)]
    shares = zip(gold / population.n_gold, everywhere / population.n_items, p_values, adjusted, strict=True)
    return tuple(SampleRow(*name, *map(float, row)) for name, row in zip(names, shares, strict=True)), n_tests


def _with_coverage(table: npt.NDArray[np.generic], votes: CountedVotes) -> npt.NDArray[np.generic]:
    """Rows (rule, class) become rows (rule, coverage or class): a rule votes on what it gives any class."""
    by_class = table.reshape(votes.n_rules, votes.n_classes, *table.shape[1:])
    both = np.concatenate([by_class.sum(axis=1, keepdims=True), by_class], axis=1)
    return both.reshape(-1, *table.shape[1:])


def _event_keys(population: Population, votes: CountedVotes) -> Keys:
    """Equal for comparisons of the same set of patterns, or of a set and its complement."""
    sums = np.zeros(population.votes.shape[1], dtype=np.uint64)
    owners = np.repeat(np.arange(len(population.keys)), np.diff(population.votes.indptr))
    np.add.at(sums, population.votes.indices, population.keys[owners])
    keys = _with_coverage(sums, votes).astype(np.uint64)
    opposite: Keys = population.keys.sum(dtype=np.uint64) - keys
    return np.where(keys < opposite, keys, opposite)


def two_sided_p_values(gold: IntArray, n_gold: int, everywhere: IntArray, n_items: int) -> FloatArray:
    """Twice the smaller tail, at most 1, of ``gold`` under hypergeometric(n_items, everywhere, n_gold).

    Examples
    --------
    >>> two_sided_p_values(np.array([3, 2]), 3, np.array([3, 3]), 6).round(9)  # 1 of 20 samples; 10 of 20
    array([0.1, 1. ])
    """
    # Few of the rows differ: rare votes of many rules and classes have the same counts.
    (gold, everywhere), place = np.unique(np.stack([gold, everywhere]), axis=1, return_inverse=True)
    drawn, population = np.full(len(gold), n_gold), np.full(len(gold), n_items)
    upper = log_tail(gold, drawn, population, everywhere)
    # Exchanging what is voted on and what is not turns the lower tail into the upper one.
    lower = log_tail(n_gold - gold, drawn, population, n_items - everywhere)
    # A tail of at least 1/2, of which no more is known, is not the smaller one, or makes no difference.
    both = np.minimum(1.0, 2 * np.exp(np.minimum(lower, upper)))
    return np.asarray(both[place.ravel()])


def _holm(p_values: FloatArray, events: Keys) -> tuple[FloatArray, int]:
    """Holm's adjusted p-values, where rows about the same event are one test; and the number of tests."""
    _, first, inverse = np.unique(events, return_index=True, return_inverse=True)
    return holm(p_values[first])[inverse], len(first)


def _check_arguments(gold: CountedVotes, pool: CountedVotes, gold_is: str, error: float, n_permutations: int) -> None:
    if gold_is not in ("separate", "subset"):
        raise InvalidLabelsError(Argument("gold_is"), f" must be one of 'separate', 'subset'; found {gold_is!r}.")
    if not 0 < error < 1:
        raise InvalidLabelsError(f"error must lie between 0 and 1, exclusive; found {error}. For 1 %, write 0.01.")
    if n_permutations != 0 and (n_permutations + 1) * error < 2:
        raise InvalidLabelsError(
            Argument("n_permutations"),
            f" must be at least 2 / error - 1, or the omnibus part could never fire; found {n_permutations} with "
            f"error={error}. Pass ",
            Argument("n_permutations", int(np.ceil(2 / error)) - 1),
            " or more.",
        )
    if gold.rule_names != pool.rule_names or gold.class_names != pool.class_names:
        raise InvalidLabelsError(
            f"gold and pool must have the same rules and classes; gold has {gold.n_rules} rules and "
            f"{gold.n_classes} classes, the pool {pool.n_rules} rules and {pool.n_classes} classes, and "
            f"{_first_difference(gold, pool)}. Give both the same ",
            Argument("rule_names"),
            " and ",
            Argument("class_names"),
            ".",
        )
    if gold.n_items == 0:
        raise InvalidLabelsError("there must be at least one gold item; found none. Pass the votes on the gold items.")


def _first_difference(gold: CountedVotes, pool: CountedVotes) -> str:
    ours, theirs = (*gold.rule_names, *gold.class_names), (*pool.rule_names, *pool.class_names)
    for mine, other in zip(ours, theirs, strict=False):
        if mine != other:
            return f"gold says {mine!r} where the pool says {other!r}"
    return "one has more of them"


def _strangeness(row: SampleRow) -> tuple[float, float]:
    """Ascending order, up to rounding errors, is from the strangest row to the most ordinary one."""
    return float(f"{row.p_value:.9e}"), -round(abs(row.gold_share - row.population_share), 9)


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _show(p_value: float) -> str:
    return f"{p_value:.2g}"


def _equals(p_value: float) -> str:
    return f"p = {_show(p_value)}" if p_value > 1e-300 else "p < 1e-300"
