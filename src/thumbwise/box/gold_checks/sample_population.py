"""Gold and the items it could have been drawn from, counted by pattern."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from thumbwise._typing import FloatArray, IntArray
from thumbwise.exceptions import Argument, InvalidLabelsError
from thumbwise.numerics.patterns import Patterns
from thumbwise.votes.counted_votes import CountedVotes

Keys = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Population:
    """All items gold could have been drawn from, by pattern, in an order that follows from their content.

    Attributes
    ----------
    counts, gold : ndarray of shape (n_patterns,)
        Items that show each pattern, and gold ones among them.
    keys : ndarray of shape (n_patterns,)
        Numbers that stand for the patterns: a hash of rule names and class names.
    votes : sparse array of shape (n_patterns, n_rules * n_classes)
        1 where a pattern has the vote; column ``rule * n_classes + class``.
    order : ndarray of shape (n_rules * n_classes,)
        The columns, in an order that does not depend on the order of the rules.
    n_classes : int
    """

    counts: IntArray
    gold: IntArray
    keys: Keys
    votes: sp.csr_array
    order: IntArray
    n_classes: int

    @property
    def n_items(self) -> int:
        return int(self.counts.sum())

    @property
    def n_gold(self) -> int:
        return int(self.gold.sum())

    @property
    def votes_per_class(self) -> FloatArray:
        """Number of rules that give each pattern each class, shape (n_patterns, n_classes)."""
        columns = np.arange(self.votes.shape[1])
        class_of = sp.csr_array((np.ones(len(columns)), (columns, columns % self.n_classes)))
        return np.asarray((self.votes @ class_of).toarray(), dtype=float)

    @property
    def expected(self) -> FloatArray:
        """Mean number of gold items of each pattern over all random samples."""
        return np.asarray(self.counts * (self.n_gold / self.n_items), dtype=float)


def count_population(gold: CountedVotes, pool: CountedVotes, gold_is: str) -> Population:
    """Join the patterns of gold and pool through their keys."""
    vote_keys = _vote_keys(pool)
    keys = np.concatenate([_pattern_keys(pool.patterns, vote_keys), _pattern_keys(gold.patterns, vote_keys)])
    keys, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    n_pooled = pool.patterns.n_patterns
    counts, of_gold = np.zeros(len(keys), dtype=np.int64), np.zeros(len(keys), dtype=np.int64)
    # The same votes in several groups of items are one pattern here, so counts are added up.
    np.add.at(counts, inverse[:n_pooled], pool.patterns.counts)
    np.add.at(of_gold, inverse[n_pooled:], gold.patterns.counts)
    if gold_is == "subset":
        _check_subset(of_gold, counts)
    else:
        counts += of_gold
    votes = sp.csr_array(sp.vstack([_vote_matrix(pool.patterns), _vote_matrix(gold.patterns)], format="csr"))[first]
    return Population(counts, of_gold, keys, votes, np.argsort(vote_keys, kind="stable"), pool.n_classes)


def _vote_matrix(patterns: Patterns) -> sp.csr_array:
    columns = patterns.rules.astype(np.int64) * patterns.n_classes + patterns.classes
    shape = (patterns.n_patterns, patterns.n_rules * patterns.n_classes)
    return sp.csr_array((np.ones(len(columns)), columns, patterns.starts), shape=shape)


def _vote_keys(votes: CountedVotes) -> Keys:
    """A 64-bit number for every (rule, class), from their names."""
    names = [f"{rule!r} {name!r}".encode() for rule in votes.rule_names for name in votes.class_names]
    return np.frombuffer(b"".join(sha256(name).digest()[:8] for name in names), dtype=np.uint64)


def _pattern_keys(patterns: Patterns, vote_keys: Keys) -> Keys:
    """A 64-bit number for every pattern. Should two patterns ever share one, they count as one: still a valid test."""
    columns = patterns.rules.astype(np.int64) * patterns.n_classes + patterns.classes
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(vote_keys[columns], dtype=np.uint64)])
    return _scramble(sums[patterns.starts[1:]] - sums[patterns.starts[:-1]])


def _scramble(keys: Keys) -> Keys:
    """A fixed bijection of 64-bit numbers (the last steps of splitmix64), so that sums of keys tell sets apart."""
    keys = keys + np.uint64(0x9E3779B97F4A7C15)
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))


def _check_subset(gold: IntArray, counts: IntArray) -> None:
    if gold.sum() > counts.sum():
        raise InvalidLabelsError(
            Argument("gold_is", '"subset"'),
            f" needs gold to be part of the pool; found {gold.sum():,} gold items but only {counts.sum():,} items in "
            "the pool. Pass ",
            Argument("gold_is", '"separate"'),
            " if gold is a sample of its own.",
        )
    if (gold > counts).any():
        t = int(np.argmax(gold - counts))
        raise InvalidLabelsError(
            Argument("gold_is", '"subset"'),
            f" needs gold to be part of the pool; found {gold[t]:,} gold items but only {counts[t]:,} items of the "
            f"pool with the same votes ({int((gold > counts).sum())} such patterns). Pass ",
            Argument("gold_is", '"separate"'),
            " if gold is a sample of its own.",
        )
