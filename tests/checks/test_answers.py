"""What a check answers: order, columns, words, what was left out, and hostile names as text."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thumbwise as tw
from checks.problems import found, make_problem
from thumbwise.assess.check_rules.codes import CODES, SEVERITIES
from thumbwise.assess.checks import _CHECKS, check
from thumbwise.exceptions import InvalidBoxError, InvalidChoiceError, InvalidLabelsError, InvalidVotesError

WITHOUT_GOLD = ("TW103", "TW104", "TW105", "TW106", "TW107", "TW108", "TW401")
PAGE = Path(__file__).parents[2] / "docs" / "checks.md"


def test_every_code_has_its_section_and_every_section_its_code() -> None:
    sections = re.findall(r"^### (TW\d+)\n\n\*\*(\w+): (.+?)\.\*\*", PAGE.read_text(), flags=re.MULTILINE)
    assert sections == [(code, about.severity, about.title) for code, about in sorted(CODES.items())]
    assert re.findall(r"^### (.*)$", PAGE.read_text(), flags=re.MULTILINE) == sorted(CODES)
    assert list(_CHECKS) == list(CODES)


def test_anchors_lead_to_headings() -> None:
    finding = found(check(tw.Votes([[1], [1]])), "TW104")
    page, anchor = finding.anchor.split("#")
    assert page == PAGE.name
    assert f"### {anchor.upper()}\n" in PAGE.read_text()


def test_errors_come_first_and_then_warnings() -> None:
    votes = tw.Votes([[1, 1, -1]] * 500 + [[-1, -1, -1]] * 499 + [[-1, -1, 0]], rule_names=["a", "b", "c"])
    checks = check(votes, box=tw.Box.from_bounds(votes, {}))
    assert checks.codes == ("TW301", "TW106", "TW401", "TW105")
    severities = [SEVERITIES.index(finding.severity) for finding in checks]
    assert severities == sorted(severities)
    assert checks.has_errors
    assert checks.has_warnings


def test_columns_have_an_entry_per_finding() -> None:
    checks = check(tw.Votes([[1, -1], [1, -1]], rule_names=["a", "b"]))
    frame = checks.frame()
    assert frame["code"] == list(checks.codes) == ["TW104"]
    assert frame["rules"] == [["b", "a"]]
    assert {len(column) for column in frame.values()} == {1}


def test_what_needs_gold_is_said_to_be_left_out() -> None:
    checks = check(make_problem().votes)
    assert set(checks.skipped) == {c for c in CODES if c not in WITHOUT_GOLD}
    assert checks.error is None
    assert "TW201 not checked: needs gold labels" in str(checks)
    assert "7 of 19 checks made: nothing found." in str(checks)


def test_codes_that_are_not_wanted_are_not_looked_at() -> None:
    votes = tw.Votes([[1], [1]])
    checks = check(votes, skip=["TW104"])
    assert "TW104" in check(votes).codes
    assert "TW104" not in checks.codes
    assert checks.skipped["TW104"] == "not wanted"


def test_an_answer_is_true_also_without_findings_and_cannot_be_changed() -> None:
    checks = check(make_problem().votes)
    assert len(checks) == 0
    assert checks
    with pytest.raises(FrozenInstanceError):
        checks.findings = ()  # type: ignore[misc]


def test_a_reading_says_what_votes_and_gold_say() -> None:
    problem = make_problem(accuracies=(0.9, 0.2))
    gold = np.where(problem.is_gold, problem.truth, -1)
    assert check(tw.Reading(problem.votes, gold), skip=["TW302"]) == problem.check()
    separate = tw.Reading(
        problem.votes.take(~problem.is_gold),
        np.full(int((~problem.is_gold).sum()), -1),
        (problem.votes.take(problem.is_gold), problem.truth[problem.is_gold]),
    )
    assert "TW101" in check(separate, skip=["TW302"]).codes


def test_hostile_names_stay_text() -> None:
    names = ["<script>alert(1)</script>", "x" * 10_000, "two\nlines\x1b[31m"]
    votes = tw.Votes([[1, 1, 1]] * 30, n_classes=2, rule_names=names)
    checks = check(votes)
    page = checks._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "\x1b" not in str(checks)
    assert len(str(checks)) < 5_000
    assert found(checks, "TW104").rules == tuple(names)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"confidence_level": 95}, InvalidBoxError, "confidence_level must lie between 0 and 1"),
        ({"skip": ["TW999"]}, InvalidChoiceError, "found 'TW999'"),
        ({"skip": "TW302"}, InvalidChoiceError, "skip must be a list of codes"),
        ({"gold_labels": [0]}, InvalidChoiceError, "gold_votes is missing"),
        ({"gold_votes": tw.Votes([[0, 1]])}, InvalidLabelsError, "gold_labels is missing"),
        ({"model": tw.BalsubramaniFreund()}, InvalidChoiceError, "must be a fitted BalsubramaniFreund"),
        ({"model": tw.MajorityVote()}, InvalidChoiceError, "found MajorityVote"),
    ],
)
def test_bad_input(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        check(tw.Votes([[0, 1], [1, 1]]), **options)


def test_a_model_of_other_votes_and_gold_from_two_places_are_refused() -> None:
    votes = tw.Votes([[0, 1], [1, 1]])
    model = tw.BalsubramaniFreund().fit(votes, box=tw.Box.from_bounds(votes, {}))
    with pytest.raises(InvalidVotesError, match="3 items"):
        check(tw.Votes([[0, 1], [1, 1], [0, 0]]), model=model)
    with pytest.raises(InvalidChoiceError, match="not both"):
        check(votes, model=model, box=model.box_)
    with pytest.raises(InvalidChoiceError, match="one place"):
        check(tw.Reading(votes, np.array([0, 1])), votes, [0, 1])
