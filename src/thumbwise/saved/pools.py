"""What a model keeps of its pool, as plain values, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thumbwise.drift import PoolSummary
from thumbwise.saved.schema import Node, plain
from thumbwise.votes import Votes

_LENGTH = 64
# Sums of counts up to this are exact, whatever holds them.
_MOST_ITEMS = 2**53


def write_pool(summary: PoolSummary, rule_names: Sequence[str]) -> dict[str, Any]:
    """Number of items, and by rule the number of votes for each class; the fingerprint is written with that of gold."""
    return {"n_items": int(summary.n_items), "votes": dict(zip(rule_names, plain(summary.counts), strict=True))}


def read_pool(node: Node, fingerprint: Node, votes: Votes) -> PoolSummary:
    """The summary. ``votes`` has the rules and classes of the model."""
    n_items, by_rule = node.fields("n_items", "votes")
    n = n_items.whole(0, _MOST_ITEMS)
    counts = [_read_counts(entry, votes.n_classes, n) for entry in by_rule.fields(*votes.rule_names)]
    return PoolSummary(n, np.array(counts, dtype=np.int64), _read_fingerprint(fingerprint))


def _read_counts(node: Node, n_classes: int, n_items: int) -> list[int]:
    counts = [entry.whole(0, n_items) for entry in node.items(n_classes)]
    if sum(counts) > n_items:
        node.refuse(f"votes on at most {n_items} items", f"{sum(counts)}")
    return counts


def _read_fingerprint(node: Node) -> str:
    text = node.text()
    if len(text) != _LENGTH or set(text) - set("0123456789abcdef"):
        node.refuse(f"{_LENGTH} hexadecimal digits")
    return text
