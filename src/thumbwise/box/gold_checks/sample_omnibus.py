"""One permutation test over all patterns, of whether gold looks like a random part of the population."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.gold_checks.sample_population import Population
from thumbwise.numerics.one_thread import one_thread

# The test looks at no more patterns; where there are more, at no more items, of which so many are gold.
_MAX_PATTERNS = 10_000
_MAX_GOLD = 3_000
_MANY_ITEMS = 1_000_000
# Random directions in which votes and pairs of votes are compared, and draws held in memory at once.
_N_DIRECTIONS = 200
_CHUNK = 100
# Share of the patterns that samples have gold items of, up to which products skip the others.
_FEW = 0.1
# Votes whose signs are drawn at a time.
_BLOCK = 2_000


@one_thread()
def omnibus_p_value(population: Population, n_permutations: int, rng: np.random.Generator) -> float:
    """Rank of gold among random samples, by the largest of five standardised distances from the population.

    Distances of every sample, gold included, are standardised by mean and spread over all of them. So they are
    exchangeable if gold is a random sample, and the p-value is exact.
    """
    population = _thin(population, rng)
    measures = _make_measures(population, rng)
    distances = [measures.distances(population.gold[np.newaxis])]
    for start in range(0, n_permutations, _CHUNK):
        size = min(_CHUNK, n_permutations - start)
        distances.append(measures.distances(_draw(population, size, rng)))
    # Cube roots of mean squares are about normal, so none of the five has a longer tail. Equal samples must tie,
    # though sums of floats may differ in the last digits.
    table = np.cbrt(np.concatenate(distances).round(9))
    largest = ((table - table.mean(axis=0)) / np.maximum(table.std(axis=0), 1e-9)).max(axis=1)
    return float(np.mean(largest >= largest[0] - 1e-6))


def _draw(population: Population, size: int, rng: np.random.Generator) -> IntArray:
    """Pattern counts of random samples as large as gold: item by item or pattern by pattern, whichever is less work."""
    few = population.n_items <= _MANY_ITEMS and population.n_gold <= 20 * len(population.counts)
    method: Literal["count", "marginals"] = "count" if few else "marginals"
    return rng.multivariate_hypergeometric(population.counts, population.n_gold, size, method=method)


@dataclass(frozen=True, eq=False)
class _Measures:
    """Five distances between the patterns of a sample and those of the population.

    Attributes
    ----------
    directions : tuple of ndarray of shape (n_patterns, n_directions)
        Functions of the pattern with unit variance; a distance is the mean square of their differences.
    groups : sparse array of shape (n_groups, n_patterns)
        Which pattern belongs to which group.
    weights : ndarray of shape (n_groups,)
        One over the expected number of gold items, for a distance of the chi-square kind.
    expected : ndarray of shape (n_patterns,)
        Gold items of each pattern that a random sample has on average.
    """

    directions: tuple[FloatArray, ...]
    groups: sp.csr_array
    weights: FloatArray
    expected: FloatArray

    def distances(self, samples: IntArray) -> FloatArray:
        """Distances of samples, from gold items of each pattern (n_samples, n_patterns).

        Where most patterns have none, only those that have some are looked at: expected items are taken off the sums.
        """
        are_few = np.count_nonzero(samples) < _FEW * samples.size
        drawn: Any = sp.csr_array(samples, dtype=float) if are_few else samples.astype(float)
        found: Any = self.groups @ drawn.T
        by_group = (found.toarray() if are_few else found) - (self.groups @ self.expected)[:, np.newaxis]
        columns = [self.weights @ by_group**2 / len(self.weights)]
        columns += [((drawn @ values - self.expected @ values) ** 2).mean(axis=1) for values in self.directions]
        return np.stack(columns, axis=1)


def _make_measures(population: Population, rng: np.random.Generator) -> _Measures:
    """Patterns, single votes, pairs of votes, the classes that votes are for, and how far votes agree.

    Where most patterns are rare, counting patterns says little, but votes and pairs of votes recur. With signs s drawn
    at random, u(t) = sum of s[a] p[a]^(-1/4) over the votes a of pattern t, minus its mean over the items, and v
    another such sum, the squared difference in the mean of u v is on average that in the covariances of all pairs of
    votes (a, b), weighted by 1 / sqrt(p[a] p[b]): a pair counts by how often it occurs where it could.

    Those three look everywhere, and see a shift in one direction late. Two directions are the usual ones: gold with
    more items of some class, and gold with more easy items. They are looked at by themselves.
    """
    first, second = _random_sums(population, rng), _random_sums(population, rng)
    shares = population.counts / population.n_items
    scores = (first, first * second, *_panel_scores(population))
    directions = tuple(_standardise(values, shares) for values in scores)
    groups = _group_patterns(population)
    return _Measures(directions, groups, 1 / np.maximum(groups @ population.expected, 1.0), population.expected)


def _random_sums(population: Population, rng: np.random.Generator) -> FloatArray:
    """Sums of weighted votes with random signs, centred, shape (n_patterns, n_directions)."""
    shares = population.counts / population.n_items
    frequency = np.asarray(population.votes.T @ shares)
    weights = np.where(frequency > 0, np.maximum(frequency, 1e-12) ** -0.25, 0.0)
    used = np.flatnonzero(frequency)
    place = np.zeros(len(frequency), dtype=np.int64)
    place[used] = np.arange(len(used))
    signed = np.empty((len(used), _N_DIRECTIONS))
    for start in range(0, len(frequency), _BLOCK):  # every vote has its signs, also one that nobody cast
        votes = population.order[start : start + _BLOCK]
        signs, is_used = rng.integers(2, size=(len(votes), _N_DIRECTIONS)), frequency[votes] > 0
        signed[place[votes[is_used]]] = (2 * signs[is_used] - 1) * weights[votes[is_used], np.newaxis]
    sums = np.asarray(population.votes[:, used] @ signed)
    return np.asarray(sums - shares @ sums)


def _panel_scores(population: Population) -> tuple[FloatArray, FloatArray]:
    """Share of each class among the votes of a pattern, and the largest of these shares.

    A pattern without votes has the shares of all votes. No label is looked at, and nothing tells gold from the rest.
    """
    by_class = population.votes_per_class
    n_votes = by_class.sum(axis=1, keepdims=True)
    everywhere = population.counts @ by_class
    usual = everywhere / max(1.0, everywhere.sum())
    shares = np.where(n_votes > 0, by_class / np.maximum(n_votes, 1.0), usual)
    return shares, shares.max(axis=1, keepdims=True)


def _standardise(values: FloatArray, shares: FloatArray) -> FloatArray:
    """Mean 0 and variance 1 over the items; 0 where nothing varies."""
    values = values - shares @ values
    spread = np.sqrt(shares @ values**2)
    return values / np.where(spread > 1e-9, spread, np.inf)


def _group_patterns(population: Population) -> sp.csr_array:
    """Patterns that expect a gold item or more, each on its own; the rarer ones by their number of votes."""
    common = population.expected >= 1
    codes = np.where(common, -1 - np.arange(len(common)), np.diff(population.votes.indptr))
    names, group = np.unique(codes, return_inverse=True)
    entries = (np.ones(len(group)), (group, np.arange(len(group))))
    return sp.csr_array(entries, shape=(len(names), len(group)))


def _thin(population: Population, rng: np.random.Generator) -> Population:
    """With very many patterns, a random part of gold and of the rest: still a random sample if gold was one."""
    if len(population.counts) <= _MAX_PATTERNS:
        return population
    rest = population.counts - population.gold
    n_gold = min(population.n_gold, _MAX_GOLD)
    n_rest = min(int(rest.sum()), _MAX_PATTERNS - n_gold)
    gold = rng.multivariate_hypergeometric(population.gold, n_gold, method="marginals")
    counts = gold + rng.multivariate_hypergeometric(rest, n_rest, method="marginals")
    kept = np.flatnonzero(counts)
    return replace(
        population, counts=counts[kept], gold=gold[kept], keys=population.keys[kept], votes=population.votes[kept]
    )
