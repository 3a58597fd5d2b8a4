"""All draws of gold from a few items, by how many of each pattern are drawn and how many of those are of some kind."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import comb

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.assess.accepting.ranked import Ranked


@dataclass(frozen=True, eq=False)
class AllDraws:
    """Of ``n_gold`` items from patterns of these sizes; ``kind`` stands for wrong, or for one of two classes.

    Attributes
    ----------
    sizes : tuple of int
    sureness : tuple of float
        Of the label of each pattern.
    proposed : tuple of int
        Class 0 or 1, which each pattern's label is.
    """

    sizes: tuple[int, ...]
    n_gold: int
    sureness: tuple[float, ...]
    proposed: tuple[int, ...]

    @cached_property
    def counts(self) -> IntArray:
        """Items of each pattern that are drawn, and those of them of the kind, (n_draws, n_patterns, 2)."""
        each = [[(d, x) for d in range(s + 1) for x in range(d + 1)] for s in self.sizes]
        return np.array([draw for draw in product(*each) if sum(d for d, _ in draw) == self.n_gold])

    @property
    def every_kind(self) -> list[tuple[int, ...]]:
        """How many items of each pattern can be of the kind."""
        return list(product(*(range(s + 1) for s in self.sizes)))

    def chances(self, of_kind: tuple[int, ...]) -> FloatArray:
        """Of each draw, where so many items of each pattern are of the kind."""
        ways = np.ones(len(self.counts))
        for i, (size, n) in enumerate(zip(self.sizes, of_kind, strict=True)):
            table = np.zeros((size + 1, size + 1))
            for d, x in product(range(size + 1), repeat=2):
                table[d, x] = comb(n, x) * comb(size - n, d - x) if x <= d else 0
            ways *= table[self.counts[:, i, 0], self.counts[:, i, 1]]
        return ways / comb(sum(self.sizes), self.n_gold)

    def ranked(self, draw: IntArray, *, is_wrong: bool, is_outside: bool = False) -> Ranked:
        """As the library sees a draw: items of the kind are wrong, or else of class 1."""
        drawn, size = draw[:, 0], np.array(self.sizes)
        sure, proposed = np.array(self.sureness), np.array(self.proposed)
        proba = np.where(proposed[:, None] == [0, 1], sure[:, None], 1 - sure[:, None])
        place = np.repeat(np.arange(len(drawn)), drawn)
        is_kind = np.concatenate([np.arange(d) < x for d, x in draw]).astype(int)
        labels = (proposed[place] + is_kind) % 2 if is_wrong else is_kind
        if is_outside:
            return Ranked(np.vstack([proba, proba]), np.append(size - drawn, drawn), place + len(size), labels, 0, True)
        return Ranked(proba, size, place, labels, 0, False)


def worst(draws: AllDraws, fails: AnyArray) -> float:
    """The largest chance of a failure; ``fails`` has a row for each of ``every_kind`` and a column for each draw."""
    return max(float(draws.chances(kind) @ row) for kind, row in zip(draws.every_kind, fails, strict=True))
