"""Drift is found as seldom as it says where there is none, and is found where there is.

Thresholds of the simulations have a false-alarm rate of one in a million. Kills, tried once: no correction for many
rules, votes counted once a pattern (rates without drift); p-values half as large, abstentions left out (Fisher's exact
test); sums without their half (total variation); Holm's factor from all cells, also of votes that
nobody gives (number of comparisons).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, fisher_exact

import thumbwise as tw
from support.paper import load_paper
from thumbwise.models.drift import Drift, compare_with_pool
from thumbwise.models.pool_summary import PoolSummary

FALSE_ALARM = 1e-6


def check(new: Any, pool: Any, *, error: float = 0.01, n_classes: int = 2) -> Drift:
    read = (votes if isinstance(votes, tw.Votes) else tw.Votes(votes, n_classes=n_classes) for votes in (new, pool))
    asked, fitted = read
    return compare_with_pool(asked, PoolSummary.of(fitted), error=error)


def dependent_rules(rng: np.random.Generator, n: int) -> Any:
    """Three classes; rules that see the same reading, one of them twice, rare rules, a silent one."""
    shared = rng.choice(3, size=n, p=[0.6, 0.3, 0.1])
    votes = np.column_stack([shared, shared, rng.integers(3, size=n), shared])
    votes = np.where(rng.random(votes.shape) < 0.2, rng.integers(3, size=votes.shape), votes)
    votes[rng.random(votes.shape) < [0.0, 0.3, 0.9, 0.97]] = -1
    return np.column_stack([votes, votes[:, 1], np.full(n, -1)])


def few_rules(rng: np.random.Generator, n: int) -> Any:
    """One rule of two votes: a test that is nearly as sharp as an exact one can be."""
    return rng.integers(2, size=(n, 1))


@pytest.mark.parametrize("n_new", [5, 60, 400])
@pytest.mark.parametrize("make", [dependent_rules, few_rules])
def test_items_from_the_same_source_are_seldom_called_drift(make: Any, n_new: int) -> None:
    rng = np.random.default_rng(n_new)
    n_trials, error = 200, 0.05
    found = [check(make(rng, n_new), make(rng, 300), error=error, n_classes=3).found for _ in range(n_trials)]
    assert sum(found) <= binom.ppf(1 - FALSE_ALARM, n_trials, error)
    if make is few_rules and n_new == 400:  # the test uses up its error but for ties
        assert sum(found) >= binom.ppf(FALSE_ALARM, n_trials, 0.6 * error)


@pytest.mark.parametrize(("name", "n_trials"), [("basketball", 60), ("youtube", 120)])
def test_random_halves_of_real_items_are_seldom_called_drift(name: str, n_trials: int) -> None:
    votes = load_paper(name).votes
    rng = np.random.default_rng(1)
    found = 0
    for _ in range(n_trials):
        order = rng.permutation(votes.n_items)
        found += check(
            votes.take(order[: votes.n_items // 3]), votes.take(order[votes.n_items // 3 :]), error=0.05
        ).found
    assert found <= binom.ppf(1 - FALSE_ALARM, n_trials, 0.05)


def test_new_items_that_are_also_in_the_pool_are_called_drift_more_seldom() -> None:
    """400 random parts of one pool: the pool counts them twice, which makes the two alike."""
    rng = np.random.default_rng(8)
    pool = tw.Votes(few_rules(rng, 300))
    found = sum(check(pool.take(rng.permutation(300)[:150]), pool, error=0.05).found for _ in range(400))
    assert found <= binom.ppf(1 - FALSE_ALARM, 400, 0.05)


@pytest.mark.parametrize("seed", range(8))
def test_single_rules_agree_with_fishers_exact_test(seed: int) -> None:
    """Twice the smaller one-sided p-value, from the 2 x 2 table of new and pool, this vote and any other."""
    rng = np.random.default_rng(seed)
    new, pool = (
        rng.choice(4, size=(23, 1), p=[0.1, 0.2, 0.3, 0.4]) - 1,
        rng.integers(-1, 3, size=(int(rng.integers(5, 60)), 1)),
    )
    drift = check(new, pool, n_classes=3)
    for vote, row in zip((-1, 0, 1, 2), drift.rows, strict=True):
        table = [[(new == vote).sum(), (new != vote).sum()], [(pool == vote).sum(), (pool != vote).sum()]]
        tails = [float(fisher_exact(np.array(table), alternative=side).pvalue) for side in ("less", "greater")]
        assert row.p_value == pytest.approx(min(1.0, 2 * min(tails)), rel=1e-9)
        assert row.new_share == np.mean(new == vote) and row.pool_share == np.mean(pool == vote)
    smallest = min(row.p_value for row in drift.rows)
    assert drift.n_tests == 4 and drift.p_value == pytest.approx(min(1, 4 * smallest))


def test_total_variation_is_the_share_of_items_that_must_vote_otherwise() -> None:
    """By transport: of 10 items each, 3 must change their vote of rule 0, and none of rule 1."""
    pool = np.column_stack([[0] * 5 + [1] * 3 + [-1] * 2, [0] * 10])
    new = np.column_stack([[0] * 2 + [1] * 4 + [-1] * 4, [0] * 10])
    drift = check(new, pool)
    assert drift.distances == pytest.approx({"rule_0": 0.3, "rule_1": 0.0})
    assert drift.largest_difference == pytest.approx(0.3)


def test_a_rule_that_falls_silent_is_found() -> None:
    rng = np.random.default_rng(0)
    pool, new = rng.integers(2, size=(2, 300, 5))
    new[:, 3] = np.where(rng.random(300) < 0.5, -1, new[:, 3])
    drift = check(new, pool)
    assert drift.found and drift.drifted[0].rule == "rule_3" and drift.drifted[0].is_abstention
    assert str(drift).startswith("Votes differ from the fitted pool: rule 'rule_3' abstains on ")
    assert "the certificate does not speak of these items" in str(drift)


def test_an_obvious_shift_is_found_nearly_always() -> None:
    """A share of 3 % becomes 12 % for one of 73 rules, on 1,000 items each: eight standard errors."""
    rng = np.random.default_rng(3)
    found = 0
    for _ in range(20):
        pool, new = np.where(rng.random((2, 1000, 73)) < 0.03, 1, -1)
        new[:, 7] = np.where(rng.random(1000) < 0.12, 1, -1)
        drift = check(new, pool)
        found += drift.found and drift.drifted[0].rule == "rule_7"
    assert found >= 18


def test_very_many_items_show_small_differences_which_the_sentence_calls_small() -> None:
    pool = tw.Votes(np.repeat([[0], [1]], [500_000, 500_000], axis=0))
    new = tw.Votes(np.repeat([[0], [1]], [503_000, 497_000], axis=0))
    drift = check(new, pool)
    assert drift.found and drift.largest_difference == pytest.approx(0.003)
    assert "no share differs by as much as one percentage point" in str(drift)


def test_the_very_same_votes_have_p_1(tmp_path: Path) -> None:
    votes = tw.Votes(dependent_rules(np.random.default_rng(2), 200), n_classes=3)
    model = tw.MajorityVote().fit(votes)
    drift = model.check_drift(votes)
    assert drift.p_value == 1 and not drift.found and drift.largest_difference == 0
    assert drift.is_the_pool and str(drift) == "These are the votes that the model was fitted to."
    assert not model.check_drift(votes.take(np.arange(199))).is_the_pool


def test_order_of_items_and_rules_does_not_matter() -> None:
    rng = np.random.default_rng(4)
    pool, new = (tw.Votes(dependent_rules(rng, n), n_classes=3, rule_names=list("abcdef")) for n in (200, 90))
    model = tw.MajorityVote().fit(pool)
    one = model.check_drift(new)
    assert str(model.check_drift(new.take(rng.permutation(90)))) == str(one)
    assert model.check_drift(new.with_rules([5, 3, 1, 0, 2, 4])) == one
    turned = tw.MajorityVote().fit(pool.with_rules([2, 0, 1, 5, 4, 3])).check_drift(new)
    assert sorted(turned.rows, key=str) == sorted(one.rows, key=str) and str(turned) == str(one)


def test_votes_that_nobody_gives_are_no_comparisons() -> None:
    """Rule 0 gives three votes, rule 1 two, which are one comparison, rule 2 always the same."""
    pool = np.array([[0, 0, 1], [1, 1, 1], [-1, 1, 1], [0, 0, 1]])
    drift = check(pool[:3], pool, n_classes=4)
    assert drift.n_tests == 4
    assert all(row.adjusted_p_value == 1 for row in drift.rows if row.rule == "rule_2")
    first, second = (row for row in drift.rows if row.rule == "rule_1" and row.pool_share > 0)
    assert first.adjusted_p_value == second.adjusted_p_value


def holm_by_hand(p_values: list[float]) -> list[float]:
    """The smallest times their number, the next times one less, ..., none smaller than one before it, none above 1."""
    adjusted, largest = dict[float, float](), 0.0
    for rank, p in enumerate(sorted(p_values)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p))
        adjusted[p] = largest
    return [adjusted[p] for p in p_values]


@pytest.mark.parametrize("votes", [(0, 1), (-1, 1), (-1, 0)])
def test_two_votes_that_are_each_others_opposite_are_one_comparison_and_both_rows_have_its_p_value(
    votes: tuple[int, int],
) -> None:
    """Rule 0 gives two votes, rule 1 all three: four comparisons, and the five rows that are given have their p."""
    rng = np.random.default_rng(6)
    draws = [(60, 0.3, [0.2, 0.5, 0.3]), (80, 0.75, [0.4, 0.3, 0.3])]
    new, pool = (
        np.column_stack([rng.choice(votes, n, p=[share, 1 - share]), rng.choice(3, n, p=shares) - 1])
        for n, share, shares in draws
    )
    table = [[np.sum(part[:, 0] == votes[i]) for i in (0, 1)] for part in (new, pool)]
    others = [[[np.sum(part[:, 1] == vote), np.sum(part[:, 1] != vote)] for part in (new, pool)] for vote in (-1, 0, 1)]
    p_values = [
        min(1.0, 2 * min(float(fisher_exact(np.array(t), alternative=side).pvalue) for side in ("less", "greater")))
        for t in (table, *others)
    ]
    first, *rest = holm_by_hand(p_values)
    drift = check(new, pool)
    assert drift.n_tests == 4
    by_vote = {row.vote if row.vote is not None else -1: row for row in drift.rows if row.rule == "rule_0"}
    for vote in (-1, 0, 1):
        assert by_vote[vote].adjusted_p_value == pytest.approx(first if vote in votes else 1.0, rel=1e-9)
    assert [row.adjusted_p_value for row in drift.rows if row.rule == "rule_1"] == pytest.approx(rest, rel=1e-9)
    assert first < drift.error and [row.rule for row in drift.drifted].count("rule_0") == 2


def test_nothing_found_says_what_that_does_not_prove() -> None:
    pool = [[0, 1]] * 50 + [[1, 0]] * 50
    says = str(check(pool[20:70], pool))
    assert says.startswith("No drift found in the votes on these 50 items")
    assert "does not prove that the rules are as right as they were" in says


def test_long_votes_and_a_frame_of_numbers_say_the_same() -> None:
    rows = [(f"i{i}", f"w{j}", int((i + j) % 3 == 0)) for i in range(30) for j in range(3) if (i * j) % 4]
    long = tw.Votes.from_long(rows)
    wide = tw.Votes(long.array, class_names=long.class_names, rule_names=long.rule_names)
    assert check(long, wide.take(range(9))) == check(wide, wide.take(range(9)))
    table = check(long, wide.take(range(9))).frame()
    assert {len(column) for column in table.values()} == {6} and table["rule"][0] == "w1"


def test_what_cannot_be_compared_is_refused() -> None:
    model = tw.MajorityVote().fit(tw.Votes([[0, 1]], rule_names=["short", "loud"]))
    with pytest.raises(tw.InvalidVotesError, match="'quiet'"):
        model.check_drift(tw.Votes([[0, 1]], rule_names=["short", "quiet"]))
    with pytest.raises(ValueError, match="error must lie between 0 and 1"):
        model.check_drift([[0, 1]], error=5)
    with pytest.raises(tw.InvalidVotesError, match="found 0 new ones and 1 in the pool"):
        model.check_drift(tw.Votes([[0, 1]], rule_names=["short", "loud"]).take(np.arange(0)))
