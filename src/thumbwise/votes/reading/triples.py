"""Votes as (item, rule, class) triples, sorted so that those of an item are together."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.numerics.patterns import Patterns

Triples: TypeAlias = "tuple[IntArray, IntArray, IntArray]"

# Item, rule and class as one integer of 63 bits.
_MOST_CELLS = 2**63


def sort_triples(triples: Triples, shape: tuple[int, int, int]) -> tuple[Triples, IntArray]:
    """Triples by item and rule; and where the item and the rule are those of the triple before.

    Among the votes of a rule on one item the order stays, so the last of them is the one that came last.
    """
    distinct = _sort_distinct(triples, shape)
    return _sort_in_order(triples) if distinct is None else (distinct, np.empty(0, dtype=np.int64))


def _sort_distinct(triples: Triples, shape: tuple[int, int, int]) -> Triples | None:
    """Triples by item and rule, sorted as integers; None if those are too short or a rule votes twice on an item."""
    _, n_rules, n_classes = shape
    if math.prod(shape) > _MOST_CELLS:
        return None
    items, rules, classes = triples
    keys = (items.astype(np.int64) * n_rules + rules) * n_classes + classes
    if (keys[1:] < keys[:-1]).any():  # tables are often sorted already
        keys.sort()
    pairs = keys // n_classes
    if (pairs[1:] == pairs[:-1]).any():
        return None
    sorted_items = pairs // n_rules
    return sorted_items, pairs - sorted_items * n_rules, keys - pairs * n_classes


def _sort_in_order(triples: Triples) -> tuple[Triples, IntArray]:
    """Triples by item, rule and row; and where the item and the rule are those of the triple before."""
    items, rules, classes = triples
    order = np.lexsort((rules, items))
    items, rules, classes = items[order], rules[order], classes[order]
    return (items, rules, classes), np.flatnonzero((items[1:] == items[:-1]) & (rules[1:] == rules[:-1])) + 1


def rows_of(triples: Triples, shape: tuple[int, int, int]) -> Patterns:
    """One pattern per item, of triples that are sorted and different."""
    items, rules, classes = triples
    n_items, n_rules, n_classes = shape
    starts = np.concatenate([[0], np.cumsum(np.bincount(items, minlength=n_items))])
    counts, groups = np.ones(n_items, dtype=np.int64), np.zeros(n_items, dtype=np.int64)
    return Patterns(starts, rules.astype(np.int32), classes.astype(np.int32), counts, groups, n_rules, n_classes)
