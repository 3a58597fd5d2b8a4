"""A failure stops nothing, is never an abstention, and is told with its item, its rule and its message."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

from thumbwise import ThumbwiseError
from thumbwise.rules.labeling_functions import FailedRuleError, FailedRuleWarning, InvalidRuleError, apply_rules, rule
from thumbwise.rules.returns import LONGEST_MESSAGE
from thumbwise.rules.runs import MOST_STORED

from . import texts

ITEMS = ["a1", "xA", "B", "x2", "SHOUT"]
RULES = [texts.fragile, texts.shouting, texts.digit]


def applied_quietly(*args: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FailedRuleWarning)
        return apply_rules(*args, **options)


def test_the_other_rules_and_items_go_on() -> None:
    with pytest.warns(FailedRuleWarning, match=r"2 of 15 calls of rules failed: 'fragile' \(2\)"):
        applied = apply_rules(ITEMS, RULES, item_ids=list("vwxyz"))
    assert applied.votes.array.tolist() == [[0, -1, 0], [-1, -1, -1], [0, 1, -1], [-1, -1, 0], [0, 1, -1]]
    assert np.argwhere(applied.failed).tolist() == [[1, 0], [3, 0]]
    told = [(f.item_id, f.position, f.rule, f.exception, f.message) for f in applied.failures]
    assert told == [
        ("w", 1, "fragile", "ValueError", "cannot read 'xA'"),
        ("y", 3, "fragile", "ValueError", "cannot read 'x2'"),
    ]


def test_the_summary_tells_votes_abstentions_and_failures_apart() -> None:
    applied = applied_quietly(ITEMS, RULES)
    assert str(applied).splitlines() == [
        "rule         votes  abstentions  failures",
        "fragile          3            0         2",
        "shouting         2            3         0",
        "has a digit      2            3         0",
        "rule 'fragile' failed on item 1: ValueError: cannot read 'xA'",
    ]


def test_no_warning_without_failures() -> None:
    assert apply_rules(["A", "1"], RULES[1:]).failures == ()


def test_raise_names_the_first_failure_and_chains_the_original() -> None:
    with pytest.raises(FailedRuleError, match="rule 'fragile' failed on item 'w': ValueError: cannot read") as caught:
        apply_rules(ITEMS, [texts.shouting, texts.fragile], item_ids=list("vwxyz"), on_error="raise")
    assert isinstance(caught.value, ThumbwiseError)
    assert isinstance(caught.value.__cause__, ValueError)


def test_raise_holds_for_wrong_values_and_ends_at_once() -> None:
    called: list[int] = []

    def score(item: int) -> float:
        called.append(item)
        return 0.5

    with pytest.raises(FailedRuleError, match="threshold"):
        apply_rules(range(9), [score], on_error="raise")
    assert called == [0]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_interrupts_pass_through(kind: type[BaseException]) -> None:
    def stop(item: int) -> None:
        raise kind

    with pytest.raises(kind):
        apply_rules([1], [stop])


class UnwritableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("y" * 10_000), "yyy..."),
        (UnwritableError(), "cannot be shown"),
        (ValueError("half \ud800"), "half \\ud800"),
        (StopIteration("early"), "early"),
        (RecursionError("deep"), "deep"),
    ],
)
def test_messages_are_short_plain_text(error: Exception, said: str) -> None:
    def bad(item: int) -> None:
        raise error

    (failure,) = applied_quietly([1], [bad], class_names=["a", "b"]).failures
    assert said in failure.message
    assert len(failure.message) <= LONGEST_MESSAGE
    assert failure.exception == type(error).__name__
    failure.message.encode()


def test_control_characters_are_shown_as_escapes() -> None:
    applied = applied_quietly(["\x1b[31mx\n"], [texts.fragile], class_names=["ham", "spam"], item_ids=["\x1b"])
    assert applied.failures[0].message.startswith("cannot read")
    assert str(applied).count("\n") == 2
    assert "\x1b" not in str(applied)


def test_of_many_failures_the_first_of_each_rule_are_stored_and_all_are_counted() -> None:
    def always(i: int) -> None:
        raise ValueError

    def late(i: int) -> int:
        return 1 // max(0, 2990 - i) * 0

    applied = applied_quietly(range(3000), [always, late], class_names=["a", "b"])
    stored = {name: [f.position for f in applied.failures if f.rule == name] for name in ("always", "late")}
    assert stored == {"always": list(range(MOST_STORED)), "late": list(range(2990, 3000))}
    assert [c.n_failures for c in applied.counts] == [3000, 10]
    assert applied.n_failures == 3010
    assert applied.failed[:, 0].all()


def test_what_was_found_cannot_be_changed() -> None:
    applied = applied_quietly(ITEMS, RULES)
    with pytest.raises(AttributeError):
        applied.votes = None
    with pytest.raises(ValueError, match="read-only"):
        applied.failed[0, 0] = True


@pytest.mark.parametrize(
    ("rules", "options", "kind", "said"),
    [
        ([], {}, InvalidRuleError, "at least one rule"),
        ([texts.shouting, rule(name="shouting")(len)], {}, InvalidRuleError, "'shouting' more than once"),
        ([texts.shouting], {"on_error": "ignore"}, ValueError, "'ignore'"),
        ([texts.shouting], {"processes": 0}, ValueError, "found 0"),
        ([texts.shouting], {"processes": True}, ValueError, "found True"),
        ([texts.shouting], {"processes": 1.5}, ValueError, "found 1.5"),
    ],
)
def test_bad_arguments(rules: Any, options: Any, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said) as caught:
        apply_rules(ITEMS, rules, **options)
    assert isinstance(caught.value, ThumbwiseError)


def test_progress_prints_the_summary_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    applied = apply_rules(["A", "1"], RULES[1:], progress=True)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert str(applied) in captured.err


def test_rich_is_loaded_only_when_asked_for() -> None:
    code = (
        "import sys; from thumbwise.rules.labeling_functions import apply_rules\n"
        "print(apply_rules([0, 1], [abs]))\n"
        "assert not {'rich', 'pandas', 'polars', 'pyarrow', 'sklearn'} & set(sys.modules)\n"
        "apply_rules([0, 1], [abs], progress=True); assert 'rich' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
