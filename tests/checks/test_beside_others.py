"""Checks of rules beside the others: each fires where it should, and stays silent just beyond its limit.

Kills, tried once: copies counted among the others; no factor for pairs of rules; the agreement of rules with one class
in place of where they vote; ``<=`` for ``<`` in what is silent; the mean for the middle rule; no third in what is
lopsided, no correction for rules and classes, every item in place of shared ones; rules with one class not left out.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import binom

import thumbwise as tw
from checks.problems import found, make_problem
from thumbwise.assess.checks import check
from thumbwise.assess.one_class import find_lopsided
from thumbwise.assess.redundancy import find_copies

Array = npt.NDArray[np.int64]


def crowd(rng: np.random.Generator, n_items: int, n_workers: int, n_each: int, right: float) -> Array:
    """Workers on tasks of the same items, as many others on each; each is right by itself."""
    truth = rng.integers(2, size=n_items)
    table = np.full((n_items, n_workers), -1)
    for worker in range(n_workers):
        task = (worker * n_each) % n_items + np.arange(n_each)
        is_right = rng.random(n_each) < right
        table[task, worker] = np.where(is_right, truth[task], 1 - truth[task])
    return table


def test_a_worker_with_few_votes_who_comes_again() -> None:
    """Nineteen items are fewer than near-duplicates must share."""
    table = crowd(np.random.default_rng(0), 190, 40, 19, 0.5)
    assert check(tw.Votes(table)).codes == ()
    finding = found(check(tw.Votes(np.hstack([table, table[:, [3, 3, 8]]]))), "TW106")
    assert finding.severity == "warning"
    assert finding.rules == ("rule_3", "rule_40", "rule_41", "rule_8", "rule_42")
    assert "3 rules are the same: 'rule_3', 'rule_40', 'rule_41'; 2 rules are the same" in finding.explanation


def test_good_workers_who_agree_by_chance_are_no_copies() -> None:
    """Of workers with 20 items each who are right 97 times of 100, many pairs are right about all of them."""
    table = crowd(np.random.default_rng(1), 200, 100, 20, 0.97)
    votes = tw.Votes(table)
    columns = [tuple(column) for column in table.T.tolist()]
    assert len(set(columns)) < len(columns)
    assert find_copies(votes) == []
    assert check(votes).codes == ()


def by_hand(table: Array, first: int, second: int) -> float:
    """Chance that any two rules say the same wherever the first one votes, from its agreement with the others."""
    others = [j for j in range(table.shape[1]) if j not in (first, second)]
    voted = [i for i in range(len(table)) if table[i, first] >= 0]
    meetings = [table[i, j] == table[i, first] for i in voted for j in others if table[i, j] >= 0]
    if len({int(table[i, first]) for i in voted}) == 1:
        meetings = [table[i, j] >= 0 for i in voted for j in others]
    n_pairs = table.shape[1] * (table.shape[1] - 1) // 2
    return float(n_pairs * ((sum(meetings) + 1) / (len(meetings) + 2)) ** len(voted))


@pytest.mark.parametrize("n_classes", [1, 2])
def test_copies_are_those_that_chance_does_not_explain(n_classes: int) -> None:
    rng = np.random.default_rng(2)
    chances = []
    for n_votes in range(4, 30):
        table = np.where(rng.random((60, 6)) < 0.8, 0, rng.integers(2, size=(60, 6)))
        table[rng.random(table.shape) < 0.3] = -1
        table[n_votes:, 0] = -1
        table[:n_votes, 0] = np.arange(n_votes) % n_classes
        table[:, 5] = table[:, 0]
        chances.append(by_hand(table, 0, 5))
        expected = [("rule_0", "rule_5")] if chances[-1] <= 0.01 else []
        assert find_copies(tw.Votes(table, n_classes=2)) == expected
    assert min(chances) < 0.01 < max(chances)


def test_keyword_rules_that_look_for_the_same_are_copies() -> None:
    """They only ever say one class, and so do all who meet them; where they vote is what tells."""
    rng = np.random.default_rng(3)
    table = np.where(rng.random((400, 8)) < 0.05, 1, -1)
    assert "TW106" not in check(tw.Votes(table, n_classes=2)).codes
    finding = found(check(tw.Votes(np.hstack([table, table[:, [2]]]), n_classes=2)), "TW106")
    assert finding.rules == ("rule_2", "rule_8")


@pytest.mark.parametrize(("n_votes", "fires"), [(499, True), (500, False), (0, False)])
def test_half_as_silent_as_the_middle_rule(n_votes: int, fires: bool) -> None:
    table = np.random.default_rng(4).integers(2, size=(1000, 5))
    table[n_votes:, 3] = -1
    checks = check(tw.Votes(table))
    assert ("TW107" in checks.codes) is fires
    if fires:
        finding = found(checks, "TW107")
        assert finding.rules == ("rule_3",)
        assert "the most silent on 49.9 %" in finding.explanation


@pytest.mark.parametrize(("n_silent", "fires"), [(100, True), (101, False)])
def test_where_rules_choose_what_to_vote_on_silence_is_no_trouble(n_silent: int, fires: bool) -> None:
    """The middle rule votes on 90 % of the items, or on less."""
    table = np.random.default_rng(5).integers(2, size=(1000, 5))
    table[:n_silent, :4] = -1
    table[200:, 4] = -1
    assert ("TW107" in check(tw.Votes(table)).codes) is fires


def test_of_two_rules_nobody_knows_which_is_odd() -> None:
    table = np.random.default_rng(6).integers(2, size=(500, 2))
    table[50:, 1] = -1
    assert check(tw.Votes(table)).codes == ()
    table[50:, 1] = 0
    assert check(tw.Votes(table)).codes == ()


def test_a_default_answer_is_found() -> None:
    problem = make_problem()
    rng = np.random.default_rng(7)
    broken = np.where(rng.random(len(problem.truth)) < 0.8, 0, problem.truth)
    finding = found(problem.with_rule(broken).check(), "TW108")
    assert finding.rules == ("r3",)
    meets = (problem.table >= 0).any(axis=1)
    share = 100 * float((broken[meets] == 0).mean())
    shares = [float(np.mean(row[row >= 0] == 0)) for row in problem.table[meets]]
    assert f"'r3' gives '0' to {share:.3g} % of the {meets.sum():,} items" in finding.explanation
    assert f"they give it {100 * np.mean(shares):.3g} % of their votes there" in finding.explanation


@pytest.mark.parametrize("n_rules", [3, 30])
def test_what_is_lopsided_follows_from_a_binomial_tail(n_rules: int) -> None:
    """All others say each class on half of the items, so the third is a sixth; the correction counts 2 n_rules."""
    table = np.tile(np.arange(600)[:, None] % 2, (1, n_rules))
    fired = []
    for n_other in range(40, 100):
        table[:, 0] = (np.arange(600) < n_other).astype(int)
        is_odd = binom.cdf(n_other, 600, 1 / 6) * 2 * n_rules <= 0.01
        named = [(rule.name, rule.class_name) for rule in find_lopsided(tw.Votes(table))]
        assert (("rule_0", 0) in named) == is_odd
        fired.append(is_odd)
    assert any(fired)
    assert not all(fired)


def test_rules_that_are_made_for_one_class_are_not_lopsided() -> None:
    """One that gives one class and abstains elsewhere, and one that speaks of few items."""
    rng = np.random.default_rng(8)
    table = rng.integers(2, size=(1000, 5))
    table[:, 3] = np.where(rng.random(1000) < 0.9, 1, -1)
    table[500:, 4], table[:490, 4] = -1, 1
    assert "TW108" not in check(tw.Votes(table)).codes


def test_copies_do_not_make_the_others_lopsided() -> None:
    rng = np.random.default_rng(9)
    table = rng.integers(2, size=(1000, 5))
    table[:, 4] = rng.random(1000) < 0.9
    table[:, 3] = rng.random(1000) < 0.22
    assert found(check(tw.Votes(table)), "TW108").rules == ("rule_4",)
    checks = check(tw.Votes(np.hstack([table, np.repeat(table[:, [4]], 10, axis=1)])))
    assert found(checks, "TW106").rules[0] == "rule_4"
    assert found(checks, "TW108").rules == ("rule_4",)
