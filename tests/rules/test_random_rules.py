"""Random tables of answers, replayed by rules, against a loop that knows nothing of chunks or classes."""

from __future__ import annotations

import warnings
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from thumbwise.rules.labeling_functions import FailedRuleWarning, Rule, apply_rules

unhurried = settings(deadline=None, derandomize=True, max_examples=60)
BAD = [1.5, float("nan"), True, ["ham"], -7, ValueError("told so"), KeyError("k")]
names = st.sampled_from(["ham", "spam", "eggs", "\U0001f95a 'quoted'", "a\nb"])
kinds = st.sampled_from([names, st.integers(0, 5)])


@st.composite
def tables(draw: st.DrawFn) -> list[list[Any]]:
    """Answers of one to four rules to up to thirty items; two classes at least."""
    n_rules = draw(st.integers(1, 4))
    classes = draw(kinds)
    answer = st.one_of(classes, st.sampled_from([None, -1]), st.sampled_from(BAD))
    rows = draw(st.lists(st.lists(answer, min_size=n_rules, max_size=n_rules), min_size=1, max_size=30))
    two = ["ham", "spam"] if classes is names else [0, 1]
    return [*rows, *([one] * n_rules for one in two)]


def replay(column: int) -> Rule:
    def answer(row: list[Any]) -> Any:
        if isinstance(row[column], Exception):
            raise row[column]
        return row[column]

    return Rule(answer, f"column {column}")


def is_bad(value: Any) -> bool:
    return any(value is bad for bad in BAD)


@unhurried
@given(tables(), st.integers(1, 7))
def test_votes_and_failures_are_the_answers(rows: list[list[Any]], size: int) -> None:
    import thumbwise.rules.labeling_functions as module

    before, module._CHUNK = module._CHUNK, size
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FailedRuleWarning)
            applied = apply_rules(iter(rows), map(replay, range(len(rows[0]))))
    finally:
        module._CHUNK = before
    votes = applied.votes
    back = [[None if c < 0 else votes.class_names[c] for c in row] for row in votes.array.tolist()]
    assert back == [[None if value in (None, -1) or is_bad(value) else value for value in row] for row in rows]
    assert applied.failed.tolist() == [[is_bad(value) for value in row] for row in rows]
    told = [(f.position, f.rule) for f in applied.failures]
    assert told == [(i, f"column {j}") for i, row in enumerate(rows) for j, v in enumerate(row) if is_bad(v)]
    for counts in applied.counts:
        assert counts.n_votes + counts.n_abstentions + counts.n_failures == len(rows)
