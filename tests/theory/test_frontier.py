"""The frontier of caution: its bounds are those of fits of their own, its estimates those of folds done by hand."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import thumbwise as tw
from thumbwise.models.frontier import GRID, _draw_folds, why_no_frontier


@cache
def made() -> tuple[tw.Votes, Any, Any]:
    """Six rules, the last two of which follow the first; 80 gold labels among 600 items with ids, by no order."""
    rng = np.random.default_rng(3)
    truth = (rng.random(600) < 0.35).astype(int)
    array = np.where(rng.random((600, 6)) < [0.85, 0.75, 0.7, 0.65, 0.6, 0.6], truth[:, None], 1 - truth[:, None])
    array[:, 4:] = np.where(rng.random((600, 2)) < 0.6, array[:, :1], array[:, 4:])
    array[rng.random(array.shape) < 0.3] = -1
    votes = tw.Votes(array, class_names=["ham", "spam"], item_ids=[f"i{i}" for i in range(600)])
    return votes, truth, rng.choice(600, 80, replace=False)


def box_of(chosen: Any, votes: tw.Votes) -> tw.Box:
    names = [votes.class_names[c] for c in made()[1][chosen]]
    return tw.Box.from_gold(votes.take(chosen), names, pool=votes, gold_is="subset", n_permutations=0)


@cache
def fitted(pin_gold: bool = True) -> tw.BalsubramaniFreund:
    votes, _, gold = made()
    return tw.BalsubramaniFreund(pin_gold=pin_gold).fit(votes, box=box_of(gold, votes))


@cache
def frontier(pin_gold: bool = True) -> tw.Frontier:
    return fitted(pin_gold).frontier(made()[0])


@pytest.mark.parametrize("caution", [1.0, 0.6, 0.2, 0.05])
@pytest.mark.parametrize("pin_gold", [True, False])
def test_a_bound_is_that_of_a_fit_at_its_caution(caution: float, pin_gold: bool) -> None:
    table = frontier(pin_gold).frame()
    alone = tw.BalsubramaniFreund(caution=caution, pin_gold=pin_gold).fit(made()[0], box=fitted().box_)
    assert table["bound"][table["caution"].index(caution)] == pytest.approx(alone.certificate_.log_loss_bound, abs=1e-7)


def test_less_caution_never_proves_more_and_the_models_row_is_its_certificate() -> None:
    table, certificate = frontier().frame(), fitted().certificate_
    assert table["caution"] == [*GRID, None]
    assert all(np.diff(frontier().bounds[:-1]) >= -1e-9)
    assert table["is_chosen"].count(True) == 1
    assert frontier().bounds[table["is_chosen"].index(True)] == pytest.approx(certificate.log_loss_bound, abs=1e-7)


def test_auto_is_what_the_fit_chose() -> None:
    assert frontier().auto == frontier().caution == fitted().certificate_.caution < 1
    own = tw.BalsubramaniFreund(caution=0.33).fit(made()[0], box=fitted().box_).frontier(made()[0])
    assert own.caution == 0.33
    assert own.auto == frontier().auto
    assert own.cautions.index(0.33) == GRID.index(0.35) + 1


@pytest.mark.parametrize("caution", [1.0, 0.4])
def test_expected_losses_are_those_of_fits_to_the_other_folds(caution: float) -> None:
    votes, truth, gold = made()
    sample = fitted().box_.gold
    assert sample is not None
    folds = _draw_folds(sample, 5)
    losses, right = [], []
    for fold in range(5):
        model = tw.BalsubramaniFreund(caution=caution, tol=1e-6, on_infeasible="widen")
        model.fit(votes, box=box_of(gold[folds != fold], votes))
        held = gold[folds == fold]
        proba = model.predict_proba(votes.take(held))
        losses += (-np.log(proba[np.arange(len(held)), truth[held]])).tolist()
        right += (proba.argmax(axis=1) == truth[held]).tolist()
    row = frontier().cautions.index(caution)
    assert frontier().log_losses[row] == pytest.approx(np.mean(losses), abs=1e-5)
    assert frontier().accuracies[row] == pytest.approx(np.mean(right))


def test_the_bound_of_the_regression_is_that_of_a_certified_prediction() -> None:
    votes, truth, gold = made()
    plain = tw.Votes(votes.array, class_names=votes.class_names)  # without ids, no label is known to certify
    names = [votes.class_names[c] for c in truth[gold]]
    box = tw.Box.from_gold(plain.take(gold), names, pool=plain, gold_is="subset", n_permutations=0)
    proba = tw.Stack().fit(plain, gold_votes=plain.take(gold), gold_labels=names).predict_proba(plain)
    model = tw.BalsubramaniFreund().fit(plain, box=box)
    bound = model.frontier(plain).bounds[-1]
    assert bound == pytest.approx(tw.certify(proba, plain, box, metric="log_loss").upper, abs=1e-6)
    assert bound >= -np.log(proba[np.arange(600), truth]).mean()


def test_folds_do_not_depend_on_labels_or_on_the_order_of_gold() -> None:
    sample = fitted().box_.gold
    assert sample is not None
    votes, _, gold = made()
    turned = box_of(gold[::-1], votes).gold
    assert turned is not None
    np.testing.assert_array_equal(_draw_folds(turned, 5)[::-1], _draw_folds(sample, 5))
    assert np.bincount(_draw_folds(sample, 5)).tolist() == [16] * 5


def test_a_rule_that_was_left_out_stays_out_in_all_folds() -> None:
    votes, _, gold = made()
    box = box_of(gold, votes).without_rules(["rule_0", "rule_1", "rule_2", "rule_3", "rule_4", "rule_5"])
    table = tw.BalsubramaniFreund().fit(votes, box=box).frontier(votes)
    shares = np.bincount(made()[1][gold]) / len(gold)
    least = -(shares * np.log(shares)).sum()  # of what knows the classes of gold and nothing else
    assert min(table.log_losses[:-1]) >= least - 1e-9
    assert min(frontier().log_losses[:-1]) < 0.7 * least


def test_what_is_missing_is_said() -> None:
    votes, _, gold = made()
    written = tw.BalsubramaniFreund().fit(votes, box=tw.Box.from_bounds(votes, {"rule_0": (0.7, 1)}))
    with pytest.raises(tw.InvalidBoxError, match="a frontier needs the gold labels"):
        written.frontier(votes)
    with pytest.raises(tw.InvalidChoiceError, match="must be at least 2; found 1"):
        fitted().frontier(votes, n_folds=1)
    with pytest.raises(tw.InvalidVotesError, match="these are others"):
        fitted().frontier(votes.take(range(300)))
    few = tw.BalsubramaniFreund().fit(votes, box=box_of(gold[:9], votes))
    assert "at least 10 gold labels for 5 folds; there are 9" in str(why_no_frontier(few))
    wilson = tw.Box.from_gold(
        votes.take(gold), made()[1][gold], pool=votes, gold_is="subset", interval="wilson", joint=False
    )
    assert "exact joint intervals" in str(why_no_frontier(tw.BalsubramaniFreund().fit(votes, box=wilson)))


def test_as_text_it_fits_into_eighty_columns_and_marks_the_models_row() -> None:
    lines = str(frontier()).splitlines()
    assert max(map(len, lines[1:-1])) <= 80
    assert sum(" *" in line for line in lines[2:-2]) == 1
    assert "<table>" in frontier()._repr_html_()
