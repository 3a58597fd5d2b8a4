"""Words that assumptions of several designs share."""

from __future__ import annotations


def gold_items_are(n_gold: int) -> str:
    """The beginning of an assumption."""
    return f"the {n_gold:,} gold {'item is' if n_gold == 1 else 'items are'}"


def all_items(n_items: int) -> str:
    """The pool."""
    return "this one item" if n_items == 1 else f"all {n_items:,} items"
