"""With any number of processes the same comes out, and what cannot be sent to them is named."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from thumbwise import InvalidVotesError
from thumbwise.rules.labeling_functions import (
    AppliedRules,
    FailedRuleError,
    FailedRuleWarning,
    InvalidRuleError,
    apply_rules,
    rule,
)

from . import texts

ITEMS = [f"{'x' if i % 7 == 0 else 'A'}{i}" for i in range(2500)]
RULES = [texts.fragile, texts.shouting, texts.digit, rule(texts.Threshold(2), name="long")]


def apply(*args: Any, **options: Any) -> AppliedRules:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FailedRuleWarning)
        return apply_rules(*args, **options)


@pytest.mark.parametrize(("processes", "is_stream"), [(2, True), pytest.param(3, False, marks=pytest.mark.slow)])
def test_the_number_of_processes_changes_nothing(processes: int, is_stream: bool) -> None:
    ids = [f"id{i}" for i in range(2500)]
    here = apply(ITEMS, RULES, item_ids=ids)
    there = apply(iter(ITEMS) if is_stream else ITEMS, RULES, item_ids=ids, processes=processes)
    assert there.votes.array.tolist() == here.votes.array.tolist()
    assert there.votes.class_names == here.votes.class_names
    assert there.failed.tolist() == here.failed.tolist()
    assert there.failures == here.failures
    assert len(here.failures) == 358


def test_raise_gives_the_first_failure_with_its_own_exception() -> None:
    with pytest.raises(FailedRuleError, match="rule 'fragile' failed on item 7") as caught:
        apply_rules(
            ITEMS[1:8] + ITEMS[:1], [texts.shouting, texts.fragile], item_ids=range(1, 9), processes=2, on_error="raise"
        )
    assert isinstance(caught.value.__cause__, ValueError)
    assert "in fragile" in caught.value.__cause__.__notes__[0]


def test_an_exception_that_cannot_travel_is_replaced() -> None:
    with pytest.raises(FailedRuleError, match="StrangeError: 3: no way back") as caught:
        apply_rules(["x"], [texts.strange], processes=2, on_error="raise")
    assert "StrangeError" in str(caught.value.__cause__)


def test_an_interrupt_in_a_process_arrives() -> None:
    with pytest.raises(KeyboardInterrupt):
        apply_rules(["x"], [texts.interrupts], processes=2)


def test_a_process_that_dies_is_told() -> None:
    with pytest.raises(FailedRuleError, match="one of them ended"):
        apply_rules(["x"] * 50, [texts.deadly], processes=2)


def test_rules_that_cannot_be_sent_are_named() -> None:
    with pytest.raises(InvalidRuleError, match=r"rule 'local' cannot be sent.*lambda"):
        apply_rules(["x"], [texts.shouting, rule(name="local")(lambda text: 1)], processes=2)


def test_rules_that_only_this_process_knows_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "visitor", visitor, raising=False)
    with pytest.raises(InvalidRuleError, match=r"importable in a new process.*visitor"):
        apply_rules(["x"], [visitor], processes=2)


def visitor(text: str) -> None: ...


visitor.__module__ = texts.__name__


def test_items_that_cannot_be_sent_are_named() -> None:
    with pytest.raises(InvalidVotesError, match="item 2 is not"):
        apply_rules([1, 2, threading.Lock(), 3], [texts.locked], processes=2)


def test_an_error_of_the_items_passes_through() -> None:
    def stream() -> Iterator[str]:
        yield "a"
        raise OSError("disk gone")

    with pytest.raises(OSError, match="disk gone"):
        apply_rules(stream(), [texts.shouting], processes=2)
