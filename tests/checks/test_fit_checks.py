"""Checks of the fit and of items, against the votes counted one by one.

Kills, tried once: probabilities of all items in place of those without gold (overruled); the model's loss in place of
majority vote's; ``>=`` for ``>`` in the share of silent items; a finding only if nothing was widened.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import thumbwise as tw
from checks.problems import Problem, found, make_problem
from thumbwise.assess.check_rules import on_fits
from thumbwise.assess.checks import check


def test_intervals_that_exclude_nothing_prove_nothing() -> None:
    votes = tw.Votes([[0, 1], [1, 1], [0, 0]], rule_names=["a", "b"])
    vacuous = check(votes, box=tw.Box.from_bounds(votes, {}))
    assert found(vacuous, "TW301").severity == "error"
    assert vacuous.has_errors
    assert "TW301" not in check(votes, box=tw.Box.from_bounds(votes, {"a": (0.8, 1)})).codes


def majority_loss(problem: Problem) -> float:
    """Mean log loss of the shares of votes on gold, clipped and rescaled, item by item."""
    losses = []
    for row, y in zip(problem.table[problem.is_gold], problem.truth[problem.is_gold], strict=True):
        n = int((row >= 0).sum())
        shares = [float((row == c).sum()) / n if n else 0.5 for c in (0, 1)]
        clipped = [min(max(share, 0.001), 0.999) for share in shares]
        losses.append(-math.log(clipped[y] / sum(clipped)))
    return float(np.mean(losses))


def test_majority_vote_of_good_rules_is_better_and_by_how_much_is_said() -> None:
    problem = make_problem(n_gold=60, accuracies=(0.97, 0.97, 0.97, 0.97))
    checks = problem.check(skip=())
    finding = found(checks, "TW302")
    assert finding.severity == "note"
    assert f"majority vote has a mean log loss of {majority_loss(problem):.3f}" in finding.explanation
    ours = float(finding.explanation.split("the model of ")[1].split(":")[0])
    assert majority_loss(problem) < ours
    by = float(finding.explanation.split("better by ")[1].split(",")[0])
    assert by == pytest.approx(ours - majority_loss(problem), abs=0.0011)
    assert "a real difference" in finding.explanation
    assert "as good" not in f"{finding.title} {finding.explanation}"


def test_the_finding_is_made_of_the_numbers_of_compare() -> None:
    problem = make_problem(n_gold=60, accuracies=(0.97, 0.97, 0.97, 0.97))
    votes, labels = problem.votes, problem.truth[problem.is_gold]
    expected = tw.compare(votes.take(problem.is_gold), labels, pool=votes, gold_is="subset", confidence_level=0.8)
    y = np.where(problem.is_gold, problem.truth, -1)
    model = tw.BalsubramaniFreund(confidence_level=0.8).fit(votes, y)
    for checks in (problem.check(skip=(), confidence_level=0.8), problem.check(skip=(), model=model)):
        assert checks.comparison == expected
        row = next(row for row in expected.differences if row.method == "majority vote")
        said = found(checks, "TW302").explanation
        assert f"better by {-row.mean:.3f}" in said
        assert f"(p = {row.p_value:.2g})" in said
        assert f"({expected.n_folds} folds)" in said


def test_a_large_pool_is_not_compared_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_fits, "MOST_COMPARED", 10)
    checks = make_problem(n_gold=60, accuracies=(0.97, 0.97, 0.97, 0.97)).check(skip=())
    assert "TW302" not in checks.codes
    assert "tw.compare" in checks.skipped["TW302"]


def rare_class(share: float = 0.03) -> Problem:
    """Rules that never vote for a rare class: no item gets it, and gold shows it."""
    rng = np.random.default_rng(11)
    truth = (rng.random(1500) < share).astype(int)
    table = np.where(rng.random((1500, 3)) < 0.5, 0, -1)
    is_gold = rng.permutation(1500) < 300
    return Problem(table, truth, is_gold)


def test_a_class_of_gold_that_no_item_gets() -> None:
    problem = rare_class()
    checks = problem.check()
    finding = found(checks, "TW306")
    n_gold = int(problem.truth[problem.is_gold].sum())
    assert n_gold > 3
    assert finding.severity == "warning"
    assert finding.classes == (1,)
    assert f"none of the 1,200 items without a gold label: '1' ({n_gold} of gold, {n_gold / 3:.3g} %)" in (
        finding.explanation
    )
    assert checks.classes is not None
    assert checks.classes["n_labeled"] == (1200, 0)
    assert checks.classes["n_gold"] == (300 - n_gold, n_gold)
    assert "TW306" not in make_problem().check().codes


def test_a_class_that_neither_gold_nor_labels_show_is_no_such_finding() -> None:
    problem = replace(make_problem(), n_classes=3)
    assert "TW306" not in problem.check().codes
    assert "needs gold" in check(problem.votes).skipped["TW306"]


def test_labels_are_counted_item_by_item() -> None:
    problem = make_problem()
    votes = problem.votes
    model = tw.BalsubramaniFreund().fit(votes, np.where(problem.is_gold, problem.truth, -1))
    labels = model.predict(votes)[~problem.is_gold]
    table = problem.check(model=model).classes
    assert table is not None
    assert table["n_labeled"] == tuple(int((labels == c).sum()) for c in (0, 1))
    assert table["labeled_share"] == pytest.approx([np.mean(labels == c) for c in (0, 1)])
    assert table["gold_share"] == pytest.approx([np.mean(problem.truth[problem.is_gold] == c) for c in (0, 1)])


def test_a_box_without_labeling_names_what_conflicts() -> None:
    votes = tw.Votes([[0, 1, 0], [1, 0, 1], [0, 1, 1]], rule_names=["a", "b", "c"])
    box = tw.Box.from_bounds(votes, {"a": (0.9, 1), "b": (0.9, 1)})
    checks = check(votes, box=box)
    finding = found(checks, "TW303")
    assert set(finding.rules) == {"a", "b"}
    assert "moved outward by 0.4" in finding.explanation  # both must come down to 1/2
    assert set(checks.skipped) >= {"TW301", "TW304", "TW305"}
    assert "TW303" not in check(votes, box=tw.Box.from_bounds(votes, {"a": (0.9, 1), "b": (0, 0.1)})).codes


def test_a_model_whose_box_was_widened() -> None:
    votes = tw.Votes([[0, 1], [1, 0]], rule_names=["a", "b"])
    box = tw.Box.from_bounds(votes, {"a": (0.9, 1), "b": (0.9, 1)})
    model = tw.BalsubramaniFreund(on_infeasible="widen").fit(votes, box=box)
    assert "no guarantee" in found(check(votes, model=model), "TW303").explanation


def test_a_fit_that_did_not_converge() -> None:
    problem = make_problem()
    votes = problem.votes
    y = np.where(problem.is_gold, problem.truth, -1)
    with pytest.warns(ConvergenceWarning):
        short = tw.BalsubramaniFreund(max_iter=1).fit(votes, y)
    assert f"{short.certificate_.kkt_residual:.1e}" in found(check(votes, model=short), "TW304").explanation
    assert "TW304" not in check(votes, model=tw.BalsubramaniFreund().fit(votes, y)).codes


def overruled_by_hand(problem: Problem, model: tw.BalsubramaniFreund) -> list[str]:
    votes, found = problem.votes, []
    labels = model.predict(votes)
    for i, row in enumerate(problem.table):
        said = {int(v) for v in row if v >= 0}
        if len(said) == 1 and said != {int(labels[i])} and not problem.is_gold[i]:
            found.append(f"i{i}")
    return found


def test_unanimous_votes_that_are_overruled() -> None:
    problem = make_problem(accuracies=(0.15, 0.3))
    votes = problem.votes
    model = tw.BalsubramaniFreund().fit(votes, np.where(problem.is_gold, problem.truth, -1))
    expected = overruled_by_hand(problem, model)
    finding = found(problem.check(model=model), "TW305")
    assert finding.n_items == len(expected) > 100
    assert finding.items == tuple(expected[:20])
    assert "because gold says" in finding.explanation
    assert problem.check(model=model).codes == problem.check().codes


@pytest.mark.parametrize(("n_silent", "fires"), [(200, False), (201, True)])
def test_more_than_a_fifth_of_the_items_without_votes(n_silent: int, fires: bool) -> None:
    table = np.random.default_rng(0).integers(2, size=(1000, 3))
    table[500 : 500 + n_silent] = -1
    checks = check(tw.Votes(table))
    assert ("TW401" in checks.codes) is fires
    if fires:
        finding = found(checks, "TW401")
        assert finding.items == tuple(range(500, 520))
        assert finding.n_items == 201
