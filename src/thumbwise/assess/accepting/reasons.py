"""Reasons for a proposed label, in a line for somebody who looks at the item: which judges speak for it, and how much.

The regression that ranks counts votes one by one and all together, so a judge's part in a label is not one weight. What
is said is what would change: the probability of the label, were the vote of the judge an abstention.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.models.explained.explanation import show
from thumbwise.numerics.patterns import Patterns
from thumbwise.numerics.regression import Regression

# Votes that are named for a label, and against it; those that move its probability by less are not.
_MOST_NAMED, _LEAST_MOVED = 2, 0.01
# Patterns are taken apart in blocks of about this many numbers.
_BLOCK = 2**21


@dataclass(frozen=True)
class Names:
    """How rules and classes are called."""

    rules: Sequence[str]
    classes: Sequence[Hashable]


def give_reasons(taught: Regression, patterns: Patterns, names: Names) -> list[str]:
    """A line for each pattern: what is proposed, and which votes speak for it and against it.

    What each line says holds of the regression as it was taught; nothing is fitted anew. *Guarantee*: none.

    Examples
    --------
    >>> import numpy as np
    >>> import thumbwise as tw
    >>> made = tw.datasets.make_one_coin(5000, [0.9, 0.7, 0.6], random_state=0)
    >>> ranked = tw.triage(made.votes, np.where(np.arange(5000) < 300, made.labels, -1), precision=0.8).ranked
    >>> names = Names(["large", "small", "tiny"], ["fail", "pass"])
    >>> print(give_reasons(ranked.taught, made.votes.patterns, names)[1])
    fail 0.96, pass 0.04; for fail: large says fail (0.69 without), small says fail (0.94 without)
    """
    rules, classes = [show(name) for name in names.rules], [show(name) for name in names.classes]
    lines: list[str] = []
    for block in _blocks(patterns):
        proba, without = taught.proba(block), taught.proba_without(block)
        lines += _lines_of(block, proba, without, rules, classes)
    return lines


def _blocks(patterns: Patterns) -> Iterator[Patterns]:
    """Neighbouring patterns, about as many as have so many votes times classes."""
    cells = (patterns.starts[1:] + np.arange(1, patterns.n_patterns + 1)) * patterns.n_classes
    for places in np.split(np.arange(patterns.n_patterns), np.flatnonzero(np.diff(cells // _BLOCK)) + 1):
        if len(places):
            yield patterns.take(places, patterns.counts[places])


def _lines_of(
    patterns: Patterns, proba: FloatArray, without: FloatArray, rules: Sequence[str], classes: Sequence[str]
) -> Iterator[str]:
    best, second = _first_two(proba)
    owners, everyone = patterns.owners, np.arange(len(best))
    shares = _in_words(proba[everyone, best]), _in_words(proba[everyone, second])
    left = without[np.arange(len(owners)), best[owners]]
    moved = proba[owners, best[owners]] - left
    order = np.lexsort([-np.abs(moved), owners])
    says = [
        f"{rules[j]} says {classes[c]} ({share} without)"
        for j, c, share in zip(
            patterns.rules[order].tolist(), patterns.classes[order].tolist(), _in_words(left[order]), strict=True
        )
    ]
    pushes, starts = np.where(np.abs(moved) < _LEAST_MOVED, 0, np.sign(moved))[order].tolist(), patterns.starts.tolist()
    for t, (first, other) in enumerate(zip(best.tolist(), second.tolist(), strict=True)):
        head = f"{classes[first]} {shares[0][t]}, {classes[other]} {shares[1][t]}"
        part = slice(starts[t], starts[t + 1])
        yield _line(head, classes[first], says[part], pushes[part])


def _first_two(proba: FloatArray) -> tuple[IntArray, IntArray]:
    """The most probable class, the first of several as it is proposed, and the next."""
    rounded = np.round(proba, 9)
    best = np.argmax(rounded, axis=1)
    rounded[np.arange(len(best)), best] = -1
    return best, np.argmax(rounded, axis=1)


def _line(head: str, label: str, says: Sequence[str], pushes: Sequence[float]) -> str:
    if not says:
        return f"{head}, as all items that nobody votes on"
    named = [head]
    for what, sign in ((f"for {label}", 1), ("against", -1)):
        voters = [text for text, push in zip(says, pushes, strict=True) if push == sign]
        more = f", and {len(voters) - _MOST_NAMED} more" if len(voters) > _MOST_NAMED else ""
        if voters:
            named.append(f"{what}: {', '.join(voters[:_MOST_NAMED])}{more}")
    return "; ".join(named if len(named) > 1 else [head, f"no vote alone moves it by {_LEAST_MOVED}"])


def _in_words(shares: FloatArray) -> list[str]:
    """Two digits; 0 and 1 only if it is that exactly."""
    texts = _SHARES[np.clip(np.round(100 * shares), 0, 100).astype(np.int64)]
    texts[(shares < 0.005) & (shares > 0)] = "<0.01"
    texts[(shares >= 0.995) & (shares < 1)] = ">0.99"
    listed: list[str] = texts.tolist()
    return listed


_SHARES = np.array([f"{n / 100:.2f}" for n in range(101)], dtype=object)
