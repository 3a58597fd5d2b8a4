"""Readings that the tests of the report share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import thumbwise as tw

HOSTILE = (
    "<script>document.title='owned'</script>",
    '"><img src=x onerror="document.title=\'owned\'">',
    "it's {{ 7 * 7 }} & {% raw %}",
    "two\nlines\r\nand\ttabs \x07",
    "</style></script></title></svg>",
    "x" * 10_000,
    "\u202eright to left \ud800",
)


def make_reading(
    n_items: int, n_rules: int, *, n_gold: int = 100, coverage: float = 0.6, rule_names: Any = None, texts: Any = None
) -> tw.Reading:
    """Rules that are right with probability 0.6 to 0.9, of which the second repeats the first on most items."""
    rng = np.random.default_rng(n_items + n_rules)
    truth = rng.integers(2, size=n_items)
    is_right = rng.random((n_items, n_rules)) < np.linspace(0.9, 0.6, n_rules)
    array = np.where(is_right, truth[:, None], 1 - truth[:, None])
    array[rng.random(array.shape) > coverage] = -1
    if n_rules > 1:
        copied = rng.random(n_items) < 0.9
        array[copied, 1] = array[copied, 0]
    ids = [f"item-{i}" for i in range(n_items)]
    votes = tw.Votes(array, class_names=["ham", "spam"], rule_names=rule_names, item_ids=ids)
    gold = np.where(np.arange(n_items) < n_gold, truth, -1)
    return tw.Reading(votes, gold, id_name="id", passed_on={} if texts is None else {"text": np.ma.asarray(texts)})


@cache
def small_reading() -> tw.Reading:
    return make_reading(400, 5)


@cache
def small_model() -> tw.BalsubramaniFreund:
    reading = small_reading()
    return tw.BalsubramaniFreund().fit(reading.votes, box=reading.box(n_permutations=0))


@cache
def tiny_reading() -> tw.Reading:
    """Small enough to be written often, and large enough for every section."""
    return make_reading(150, 3, n_gold=40)


@cache
def tiny_model() -> tw.BalsubramaniFreund:
    reading = tiny_reading()
    return tw.BalsubramaniFreund().fit(reading.votes, box=reading.box(n_permutations=0))


def hostile_reading() -> tw.Reading:
    """Rules, items, classes and texts whose names try to be something else."""
    plain = make_reading(200, len(HOSTILE), n_gold=80)
    ids = [f"{HOSTILE[i % len(HOSTILE)]}{i}" for i in range(200)]
    texts = np.array([HOSTILE[(i + 1) % len(HOSTILE)] * (1 + i % 3) for i in range(200)], dtype=object)
    votes = tw.Votes(plain.votes.array, class_names=HOSTILE[:2], rule_names=HOSTILE, item_ids=ids)
    return tw.Reading(votes, plain.gold, id_name="id", passed_on={HOSTILE[0]: np.ma.asarray(texts)})


@dataclass(frozen=True)
class Found:
    """What a coded check would say."""

    code: str = "TW101"
    severity: str = "warning"
    title: str = "a rule is worse than guessing"
    explanation: str = "Its whole interval <b>lies</b> below 1/2."
    advice: str = "Check whether classes are swapped there."
    anchor: str = "checks.md#tw101"
