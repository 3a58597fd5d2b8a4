"""Agreement of second labels with first ones, by the same person and by others, with intervals for all items."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thumbwise.io.gold_lines import UNCLEAR, Answer, Header, Pair, Settled
from thumbwise.io.gold_lines.settling import said
from thumbwise.numerics.agreement import cohen_kappa
from thumbwise.numerics.intervals import hypergeometric_bounds
from thumbwise.outward import level, percent_at_least, percent_at_most


def agreement_sentences(settled: Settled, header: Header) -> list[str]:
    """What second labels say of the first: of the same person, and of somebody else.

    Which items are labeled a second time is drawn by the seed before any label is seen. Only these count: items that
    two people happened to label are no random ones.

    *Guarantee*: at the level of the header, each interval holds the share of all items on which such a second label
    would be the same, if what the second labels say does not decide when they end.
    """
    again = [pair for pair in settled.pairs if pair.other.again]
    groups = (
        ("by the same person", [pair for pair in again if pair.is_same_person]),
        ("by somebody else", [pair for pair in again if not pair.is_same_person]),
    )
    return [_sentence(who, pairs, header) for who, pairs in groups if pairs]


def _sentence(who: str, pairs: Sequence[Pair], header: Header) -> str:
    agree, n, n_items = sum(pair.agree for pair in pairs), len({pair.gold.place for pair in pairs}), header.items.n
    same = f"{agree} of {len(pairs)} second labels {who} are the same"
    if n < len(pairs):  # several people: their answers to one item are not independent draws
        return f"{same}{_kappa(pairs, header)}."
    confidence = header.stopping.confidence_level
    fewest, most = hypergeometric_bounds(agree, n, n_items, 1 - confidence)
    ends = f"{percent_at_least(int(fewest) / n_items)} to {percent_at_most(int(most) / n_items)}"
    return f"{same}: {ends} of all items, with {level(confidence)} confidence{_kappa(pairs, header)}."


def _kappa(pairs: Sequence[Pair], header: Header) -> str:
    """Agreement beyond chance, where that means something."""
    names = [*header.classes, UNCLEAR]
    gold, other = (np.array([names.index(said(answer)) for answer in side]) for side in _sides(pairs))
    kappa = float(cohen_kappa(other[:, None], gold, len(names))[0])
    return "" if np.isnan(kappa) else f" (Cohen's kappa {kappa:.2f})"


def _sides(pairs: Sequence[Pair]) -> tuple[list[Answer], list[Answer]]:
    return [pair.gold for pair in pairs], [pair.other for pair in pairs]
