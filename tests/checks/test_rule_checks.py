"""Checks of rules: each fires where it should, and stays silent just beyond its limit.

Kills, tried once: ``<=`` for ``<`` in the limit of rare rules; gold votes of any rule in place of each; constant where
a rule has one class only; agreement among shared items in place of items on which either votes.
"""

from __future__ import annotations

import numpy as np
import pytest

import thumbwise as tw
from checks.problems import found, make_problem
from thumbwise.assess.check_rules import on_rules
from thumbwise.assess.checks import check


def test_nothing_is_found_where_nothing_is_wrong() -> None:
    checks = make_problem().check(skip=())
    assert checks.codes == ()
    assert not checks.skipped


def test_rule_below_chance() -> None:
    problem = make_problem()
    rng = np.random.default_rng(0)
    swapped = np.where(rng.random(len(problem.truth)) < 0.3, problem.truth, 1 - problem.truth)
    finding = found(problem.with_rule(swapped).check(), "TW101")
    assert finding.rules == ("r3",)
    assert "with 95 % confidence for all rules together" in finding.explanation


def test_a_rule_that_is_as_good_as_guessing_is_not_below_chance() -> None:
    problem = make_problem()
    coin = np.random.default_rng(1).integers(2, size=len(problem.truth))
    assert "TW101" not in problem.with_rule(coin).check().codes


def test_chance_is_one_of_the_number_of_classes() -> None:
    votes = tw.Votes([[0], [1], [2], [0]], rule_names=["a"])
    below, at = (tw.Box.from_bounds(votes, {"a": (0.1, upper)}) for upper in (0.33, 0.34))
    assert "from bounds that were given" in found(check(votes, box=below), "TW101").explanation
    assert "TW101" not in check(votes, box=at).codes


def test_rule_that_never_votes_on_gold() -> None:
    problem = make_problem()
    column = np.where(problem.is_gold, -1, problem.truth)
    finding = found(problem.with_rule(column).check(), "TW102")
    assert finding.rules == ("r3",)
    assert f"{int((~problem.is_gold).sum()):,} items" in finding.explanation
    column[np.flatnonzero(problem.is_gold)[0]] = 0
    assert "TW102" not in problem.with_rule(column).check().codes


def test_a_rule_that_never_votes_at_all_has_a_code_of_its_own() -> None:
    problem = make_problem()
    checks = problem.with_rule(np.full(len(problem.truth), -1)).check()
    assert found(checks, "TW104").rules == ("r3",)
    assert "TW102" not in checks.codes


@pytest.mark.parametrize(("n_changed", "fires"), [(0, False), (1, True), (30, True), (31, False)])
def test_near_duplicates_from_98_percent(n_changed: int, fires: bool) -> None:
    problem = make_problem()
    copy = np.array(problem.truth)
    other = np.where(np.arange(len(copy)) < n_changed, 1 - copy, copy)
    checks = problem.with_rule(copy).with_rule(other).check()
    assert ("TW103" in checks.codes) is fires
    if fires:
        finding = found(checks, "TW103")
        assert finding.rules == ("r3", "r4")
        assert ("98.0 % the same" in finding.explanation) is (n_changed == 30)


def test_keyword_rules_for_one_class_are_no_duplicates() -> None:
    """They agree wherever they meet."""
    rng = np.random.default_rng(2)
    votes = tw.Votes(np.where(rng.random((1000, 2)) < 0.3, 1, -1), n_classes=2)
    assert "TW103" not in check(votes).codes


def test_duplicates_are_found_on_a_part_of_a_large_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(2, size=(2, 5000))
    table = np.column_stack([a, b, np.where(np.arange(5000) % 100 == 7, 1 - a, a), *rng.integers(2, size=(9, 5000))])
    whole = found(check(tw.Votes(table)), "TW103")
    monkeypatch.setattr(on_rules, "_MOST_PAIRS", 10_000)
    part = found(check(tw.Votes(table)), "TW103")
    assert part.rules == whole.rules == ("rule_0", "rule_2")
    assert "items drawn at random" in part.explanation
    assert "items drawn at random" not in whole.explanation


def test_constant_rule_and_a_rule_with_one_class() -> None:
    problem = make_problem()
    always = np.ones(len(problem.truth), dtype=int)
    assert found(problem.with_rule(always).check(), "TW104").rules == ("r3",)
    always[7] = -1
    assert "TW104" not in problem.with_rule(always).check().codes


@pytest.mark.parametrize(("n_votes", "fires"), [(1, True), (4, True), (5, False), (0, False)])
def test_a_rule_that_votes_on_less_than_one_item_in_200(n_votes: int, fires: bool) -> None:
    rng = np.random.default_rng(4)
    rare = np.where(np.arange(1000) < n_votes, 1, -1)
    votes = tw.Votes(np.column_stack([rng.integers(2, size=1000), rare]))
    checks = check(votes)
    assert ("TW105" in checks.codes) is fires
    if fires:
        assert found(checks, "TW105").rules == ("rule_1",)
