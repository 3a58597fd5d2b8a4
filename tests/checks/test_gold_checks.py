"""Checks of gold: each fires where it should, and not just beyond its limit.

Kills, tried once: ``>=`` for ``>`` in the width; the mean for the median; a class with one gold item called missing;
gold of a stratified design tested as a plain sample.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import thumbwise as tw
from checks.problems import found, make_problem
from thumbwise.assess.check_rules import on_gold
from thumbwise.assess.checks import check
from thumbwise.box.gold_checks.label_fit import check_labels
from thumbwise.outward import at_most


def test_gold_that_was_picked_is_no_random_sample() -> None:
    problem = make_problem()
    picked = np.zeros(len(problem.truth), dtype=bool)
    picked[np.flatnonzero(problem.table[:, 0] == 1)[:300]] = True
    finding = found(replace(problem, is_gold=picked).check(), "TW201")
    assert finding.severity == "error"
    assert "r0" in finding.rules
    assert "0.01" in finding.explanation


def test_gold_drawn_by_groups_is_not_tested_as_a_plain_sample() -> None:
    problem = make_problem()
    groups = np.where(problem.truth == 1, "A", "B")
    is_gold = np.zeros(len(groups), dtype=bool)
    is_gold[np.flatnonzero(groups == "A")[:200]] = True
    is_gold[np.flatnonzero(groups == "B")[:50]] = True
    votes = tw.Votes(problem.table, rule_names=["r0", "r1", "r2"], item_groups=groups)
    gold, labels = votes.take(is_gold), problem.truth[is_gold]
    box = tw.Box.from_gold(gold, labels, pool=votes, gold_is=tw.designs.Stratified("subset"))
    plain = check(votes, gold, labels, gold_is="subset")
    assert "TW201" in plain.codes
    checks = check(votes, gold, labels, gold_is="subset", box=box)
    assert "TW201" not in checks.codes
    assert "random" in checks.skipped["TW201"]
    assert checks.error == pytest.approx(0.05)
    assert plain.error == pytest.approx(0.06)


def test_class_that_gold_never_shows() -> None:
    problem = replace(make_problem(), n_classes=3)
    finding = found(problem.check(), "TW202")
    assert finding.classes == (2,)
    votes = problem.votes
    box = tw.Box.from_gold(votes.take(problem.is_gold), problem.truth[problem.is_gold], pool=votes, gold_is="subset")
    assert f"up to {at_most(100 * box.upper[box.names.index('frequency(2)')], 1)} % of the items" in finding.explanation


def test_one_class_only_is_said_to_be_that() -> None:
    """Labels that are all the same are shuffled labels too: that says nothing about the rules."""
    problem = make_problem()
    ones = problem.truth == 1
    problem = replace(problem, is_gold=problem.is_gold & ones)
    checks = problem.check()
    assert found(checks, "TW202").explanation.startswith("Gold shows only class '1': 1 class has no label")
    assert "TW203" not in checks.codes
    fit = check_labels(problem.votes.take(problem.is_gold), problem.truth[problem.is_gold])
    assert str(fit).startswith("Gold shows only class '1', so that nothing tells")
    assert "know nothing" not in str(fit)


def test_one_label_of_a_class_is_enough() -> None:
    problem = make_problem()
    truth = np.array(problem.truth)
    truth[np.flatnonzero(problem.is_gold)[0]] = 2
    assert "TW202" not in replace(problem, truth=truth, n_classes=3).check().codes


def test_labels_of_other_rows() -> None:
    problem = make_problem()
    shuffled = np.random.default_rng(0).permutation(problem.truth)
    finding = found(replace(problem, truth=shuffled).check(), "TW203")
    gold = problem.is_gold
    n_right = int((problem.table[gold] == shuffled[gold][:, None]).sum())
    assert f"{n_right} of {int((problem.table[gold] >= 0).sum())} gold votes are right" in finding.explanation


def test_labels_are_shuffled_on_a_part_of_much_gold(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = make_problem()
    monkeypatch.setattr(on_gold, "_MOST_SHUFFLED", 100)
    assert "TW203" not in problem.check().codes
    shuffled = np.random.default_rng(0).permutation(problem.truth)
    assert "TW203" in replace(problem, truth=shuffled).check().codes


@pytest.mark.parametrize(("widths", "fires"), [((0.41, 0.41, 0.1), True), ((0.4, 0.39, 0.9), False)])
def test_the_middle_interval_decides_whether_gold_is_little(widths: tuple[float, ...], fires: bool) -> None:
    problem = make_problem()
    votes = problem.votes
    bounds = {f"r{j}": (0.5 - width / 2, 0.5 + width / 2) for j, width in enumerate(widths)}
    checks = problem.check(box=tw.Box.from_bounds(votes, bounds))
    assert ("TW204" in checks.codes) is fires
    if fires:
        assert found(checks, "TW204").rules == ("r0", "r1")
        assert f"about {int(np.ceil(300 * (0.41 / 0.4) ** 2))} labels" in found(checks, "TW204").explanation


def test_twenty_labels_are_few_for_many_rules_that_say_little_together() -> None:
    """Good rules are another matter: what they say together is known well enough."""
    few, many, good = (
        make_problem(n_gold=n_gold, accuracies=(accuracy,) * 12).check()
        for n_gold, accuracy in ((20, 0.55), (300, 0.55), (20, 0.8))
    )
    assert "the interval of the middle opinion is 0." in found(few, "TW204").explanation
    assert "TW204" not in many.codes
    assert "TW204" not in good.codes


def test_what_votes_say_of_the_classes_is_counted_item_by_item() -> None:
    problem = make_problem()
    table = problem.table
    picked = np.zeros(len(table), dtype=bool)
    picked[np.flatnonzero(problem.truth == 1)[:300]] = True
    sentence = found(replace(problem, is_gold=picked).check(), "TW201").explanation
    spoken = [row[row >= 0] for row in table]
    ones = np.array([np.mean(row == 1) if len(row) else np.nan for row in spoken])
    gold, pool = (f"{100 * np.nanmean(values):.1f} %" for values in (1 - ones[picked], 1 - ones))
    assert f"{gold} are for '0' on gold and {pool} on the pool, on average" in sentence
    most = np.maximum(ones, 1 - ones)
    gold, pool = (f"{100 * np.nanmean(values):.1f} %" for values in (most[picked], most))
    assert f"{gold} and {pool} are for the class that has most of them" in sentence


def test_of_three_classes_the_one_that_differs_most_is_named() -> None:
    gold, pool = tw.Votes([[0], [2], [2], [2]], n_classes=3), tw.Votes([[0], [0], [1], [2], [-1]], n_classes=3)
    assert on_gold._panels(gold, pool) == (
        "Of the votes on an item, 75.0 % are for '2' on gold and 25.0 % on the pool, on average; 100 % and 100 % are "
        "for the class that has most of them."
    )
