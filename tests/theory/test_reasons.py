"""Reasons for proposed labels: every number in a line is that of the regression with the one vote left out.

The numbers are computed anew from a dense table of columns for votes in which one is an abstention, which the lines are
not made from. Kills, tried once: the vote left in the panel's sums; the vote left among the single ones; the share of
the voted class in place of the proposed one; for and against exchanged; the least moving votes named.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

import thumbwise as tw
from thumbwise._typing import FloatArray, IntArray
from thumbwise.assess.accepting.reasons import Names, give_reasons
from thumbwise.numerics.patterns import ABSTAIN, find_patterns
from thumbwise.numerics.regression import Regression

NAMES = Names([f"judge_{j}" for j in range(6)], ["no", "so so", "yes"])


def taught_by(array: IntArray, truth: IntArray, n_classes: int) -> Regression:
    votes = tw.Votes(array, n_classes=n_classes)
    y = np.where(np.arange(len(truth)) < 150, truth, -1)
    taught = tw.triage(votes, y, budget=10).ranked.taught
    assert taught is not None
    return taught


def made_votes(n_classes: int, n_rules: int) -> tuple[IntArray, IntArray]:
    rng = np.random.default_rng(n_classes)
    truth = rng.integers(n_classes, size=400)
    is_right = rng.random((400, n_rules)) < np.linspace(0.9, 0.4, n_rules)
    array = np.where(is_right, truth[:, None], rng.integers(n_classes, size=(400, n_rules)))
    return np.where(rng.random((400, n_rules)) < 0.3, ABSTAIN, array), truth


def by_table(taught: Regression, row: IntArray, n_classes: int) -> FloatArray:
    """Probabilities of one row of votes, from all columns at once."""
    patterns, _ = find_patterns(row[None, :].astype(np.int32), n_classes)
    scores = taught.columns.table(patterns)[0] @ taught.weights
    return np.asarray(np.exp(scores) / np.exp(scores).sum())


def in_words(share: float) -> str:
    return "<0.01" if 0 < share < 0.005 else ">0.99" if 0.995 <= share < 1 else f"{share:.2f}"


@pytest.mark.parametrize(("n_classes", "n_rules"), [(2, 5), (3, 6)])
def test_each_number_is_that_without_the_vote(n_classes: int, n_rules: int) -> None:
    array, truth = made_votes(n_classes, n_rules)
    taught, patterns = taught_by(array, truth, n_classes), tw.Votes(array, n_classes=n_classes).patterns
    names = Names(NAMES.rules[:n_rules], NAMES.classes[:n_classes])
    lines, n_named = give_reasons(taught, patterns, names), 0
    assert len(lines) == patterns.n_patterns
    for row, line in zip(patterns.to_rows(), lines, strict=True):
        proba = by_table(taught, row, n_classes)
        best, second = np.argsort(-proba)[:2]
        assert line.startswith(f"{names.classes[best]} {in_words(proba[best])}, {names.classes[second]} ")
        left = {}
        for j in np.flatnonzero(row != ABSTAIN):
            other = row.copy()
            other[j] = ABSTAIN
            left[int(j)] = by_table(taught, other, n_classes)[best]
        n_named += check_votes(line, row, proba[best], left, names)
    assert n_named > 200


def check_votes(line: str, row: IntArray, share: float, left: dict[int, float], names: Names) -> int:
    """Who is named on which side, in order and with which number."""
    n_named = 0
    for side, sign in (("for", 1), ("against", -1)):
        movers = sorted((j for j in left if sign * (share - left[j]) >= 0.01), key=lambda j: -abs(share - left[j]))
        told = re.search(rf"; {side}[^:;]*: ([^;]*)", line)
        assert bool(told) == bool(movers)
        said = re.findall(r"judge_(\d) says ([^()]*) \(([^ ]*) without\)", told[1]) if told else []
        expected = [(str(j), str(names.classes[row[j]]), in_words(left[j])) for j in movers[:2]]
        assert said == expected
        assert (", and " in told[1] if told else False) == (len(movers) > 2)
        n_named += len(said)
    return n_named


def test_items_that_nobody_votes_on_and_votes_that_move_nothing() -> None:
    array, truth = made_votes(2, 5)
    array = np.column_stack([array, np.zeros(400, dtype=np.int64)])  # says no of every item: it tells none apart
    array[-1] = ABSTAIN
    array[-2] = [ABSTAIN] * 5 + [0]
    taught, patterns = taught_by(array, truth, 2), tw.Votes(array, n_classes=2).patterns
    lines = give_reasons(taught, patterns, NAMES)
    rows = patterns.to_rows().tolist()
    assert lines[rows.index([ABSTAIN] * 6)].endswith(", as all items that nobody votes on")
    silent = Regression(taught.columns, np.zeros_like(taught.weights))
    assert set(give_reasons(silent, patterns, NAMES)) == {
        "no 0.50, so so 0.50; no vote alone moves it by 0.01",
        "no 0.50, so so 0.50, as all items that nobody votes on",
    }


def test_names_that_could_be_taken_for_the_line_are_quoted() -> None:
    array, truth = made_votes(2, 5)
    names = Names(["a; against: b", "\x1b[31m", *NAMES.rules[2:5]], ["no, yes", "no"])
    lines = give_reasons(taught_by(array, truth, 2), tw.Votes(array, n_classes=2).patterns, names)
    assert any("'a; against: b' says 'no, yes' (" in line for line in lines)
    assert not any("\x1b" in line for line in lines)
