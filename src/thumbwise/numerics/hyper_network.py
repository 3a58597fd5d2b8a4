"""The graph network of the hyper label model (Wu et al., ICLR 2023) on patterns: arrays in, arrays out.

Every vote carries a vector, at first its sign: +1 for the class in question, -1 for any other. A layer replaces it by

    leaky(own @ v + row @ (mean over the item's votes) + rule @ (mean over the rule's votes) + pool @ (mean) + bias)

and after the last layer the mean over an item's votes goes through three dense layers to one logit. Items with the same
pattern have the same vectors throughout, so a mean over a rule's votes is one over patterns weighted by their counts.

Rules and pool enter through their means alone. With these kept, an item's logit needs no other item, and vectors need
not be kept from one layer to the next: they are computed again from the signs, a chunk of patterns at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.numerics.patterns import Patterns

LEAK = 0.01
# Votes at a time: 32 numbers each, a few copies of them, 20 MB in all.
_CHUNK = 2**14
# Columns of every matrix product. How a product rounds may depend on its shape, and an answer must not depend on how
# many others are asked for; a multiple of the tile sizes in use.
_BLOCK = 384


@dataclass(frozen=True, eq=False)
class Layer:
    """Matrices of shape (n_in, n_out) for a vote's own vector and for the three means, and a bias (n_out,)."""

    own: FloatArray
    row: FloatArray
    rule: FloatArray
    pool: FloatArray
    bias: FloatArray


@dataclass(frozen=True, eq=False)
class Dense:
    """A matrix of shape (n_in, n_out) and a bias (n_out,)."""

    matrix: FloatArray
    bias: FloatArray


@dataclass(frozen=True, eq=False)
class Network:
    """Layers over votes, then dense layers over items; the last has one output."""

    layers: tuple[Layer, ...]
    head: tuple[Dense, ...]


@dataclass(frozen=True, eq=False)
class PoolMeans:
    """What one layer sees of the pool.

    Attributes
    ----------
    by_rule : ndarray of shape (n_rules, n_in)
        Mean vector of each rule's votes; for a rule without votes, of all votes.
    overall : ndarray of shape (n_in,)
        Mean vector of all votes, 0 if there are none.
    """

    by_rule: FloatArray
    overall: FloatArray


@dataclass(frozen=True, eq=False)
class _Chunk:
    """Signs (1, n_votes) of some patterns that have votes; ``starts`` and ``owners`` count within the chunk."""

    patterns: IntArray
    signs: FloatArray
    rules: IntArray
    starts: IntArray
    owners: IntArray

    def row_means(self, vectors: FloatArray) -> FloatArray:
        """Mean over the votes of each pattern, shape (n_vectors, n_patterns)."""
        sums = np.add.reduceat(vectors, self.starts, axis=1)
        return np.asarray(sums / np.diff(self.starts, append=vectors.shape[1]))


def fold_layer(outer: Dense, own: Dense, row: Dense, rule: Dense, pool: Dense) -> Layer:
    """One layer from a map of each of the four vectors and the map of all four results, stacked in this order.

    Nothing bends between the two maps, so each pair of them is one.
    """
    blocks = np.split(outer.matrix, 4)
    pairs = list(zip((own, row, rule, pool), blocks, strict=True))
    bias = outer.bias + np.sum([inner.bias @ block for inner, block in pairs], axis=0)
    folded = [inner.matrix @ block for inner, block in pairs]
    return Layer(folded[0], folded[1], folded[2], folded[3], bias)


def estimate_pool_means(network: Network, patterns: Patterns, target: int) -> tuple[PoolMeans, ...]:
    """Means that each layer sees, of the votes of a pool, with ``target`` as the class in question."""
    means: list[PoolMeans] = []
    for _ in network.layers:
        means.append(_next_means(network.layers[: len(means)], means, patterns, target))
    return tuple(means)


def logits(network: Network, means: Sequence[PoolMeans], patterns: Patterns, target: int) -> FloatArray:
    """Logit of the class in question for each pattern against the means of a pool, shape (n_patterns,).

    A pattern without votes has mean vector 0.
    """
    offsets = _offsets(network.layers, means)
    n_in = len(network.head[0].matrix)
    by_pattern = np.full(patterns.n_patterns, _read_out(network.head, np.zeros((n_in, 1)))[0])
    for chunk in _chunks(patterns, target):
        vectors = _embed(network.layers, offsets, chunk)
        by_pattern[chunk.patterns] = _read_out(network.head, chunk.row_means(vectors))
    return by_pattern


def _next_means(layers: Sequence[Layer], means: Sequence[PoolMeans], patterns: Patterns, target: int) -> PoolMeans:
    """Means of the vectors that come out of some layers."""
    offsets = _offsets(layers, means)
    n_in = layers[-1].own.shape[1] if layers else 1
    sums, sizes = np.zeros((n_in, patterns.n_rules)), np.zeros(patterns.n_rules)
    for chunk in _chunks(patterns, target):
        counts = patterns.counts[chunk.patterns][chunk.owners]
        weighted = _embed(layers, offsets, chunk) * counts
        sums += [np.bincount(chunk.rules, one, minlength=patterns.n_rules) for one in weighted]
        sizes += np.bincount(chunk.rules, counts, minlength=patterns.n_rules)
    overall = sums.sum(axis=1) / max(1, sizes.sum())
    by_rule = np.where(sizes > 0, sums / np.maximum(1, sizes), overall[:, None])
    return PoolMeans(np.ascontiguousarray(by_rule.T), overall)


def _offsets(layers: Sequence[Layer], means: Sequence[PoolMeans]) -> list[FloatArray]:
    """What each layer adds to every vote of a rule, shape (n_out, n_rules)."""
    return [
        np.ascontiguousarray((seen.by_rule @ layer.rule + (seen.overall @ layer.pool + layer.bias)).T)
        for layer, seen in zip(layers, means, strict=True)
    ]


def _embed(layers: Sequence[Layer], offsets: Sequence[FloatArray], chunk: _Chunk) -> FloatArray:
    """Vectors of the votes of a chunk after some layers, shape (n_out, n_votes)."""
    vectors = chunk.signs
    for layer, offset in zip(layers, offsets, strict=True):
        by_row = _multiply(layer.row, chunk.row_means(vectors))
        vectors = _multiply(layer.own, vectors)
        vectors += by_row.take(chunk.owners, axis=1)
        vectors += offset.take(chunk.rules, axis=1)
        vectors = _leaky(vectors)
    return vectors


def _read_out(head: Sequence[Dense], vectors: FloatArray) -> FloatArray:
    """Logits of items from their mean vectors (n_in, n_items)."""
    *hidden, last = head
    for dense in hidden:
        vectors = _leaky(_multiply(dense.matrix, vectors) + dense.bias[:, None])
    return np.asarray(_multiply(last.matrix, vectors)[0] + last.bias[0])


def _leaky(vectors: FloatArray) -> FloatArray:
    return np.maximum(vectors, LEAK * vectors)


def _multiply(matrix: FloatArray, vectors: FloatArray) -> FloatArray:
    """``matrix.T @ vectors`` in products of one shape, so that no column depends on how many there are."""
    n_in, n_columns = vectors.shape
    product = np.empty((matrix.shape[1], n_columns))
    n_whole = n_columns - n_columns % _BLOCK
    for start in range(0, n_whole, _BLOCK):
        columns = slice(start, start + _BLOCK)
        np.matmul(matrix.T, vectors[:, columns], out=product[:, columns])
    if n_whole < n_columns:
        rest = np.zeros((n_in, _BLOCK))
        rest[:, : n_columns - n_whole] = vectors[:, n_whole:]
        product[:, n_whole:] = (matrix.T @ rest)[:, : n_columns - n_whole]
    return product


def _chunks(patterns: Patterns, target: int) -> Iterator[_Chunk]:
    """Runs of patterns with votes that have about _CHUNK votes together; a pattern is never split."""
    voted = np.flatnonzero(patterns.votes_per_pattern)
    pieces = np.split(voted, np.flatnonzero(np.diff(patterns.starts[voted] // _CHUNK)) + 1)
    for piece in pieces if len(voted) else []:
        first, last = patterns.starts[piece[0]], patterns.starts[piece[-1] + 1]
        starts = patterns.starts[piece] - first
        signs = np.where(patterns.classes[first:last] == target, 1.0, -1.0)
        owners = np.repeat(np.arange(len(piece)), np.diff(starts, append=last - first))
        yield _Chunk(piece, signs[None, :], patterns.rules[first:last].astype(np.intp), starts, owners)
