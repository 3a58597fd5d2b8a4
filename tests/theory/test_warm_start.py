"""A start changes the number of iterations and nothing else.

Kills, tried once: weights matched by position (other orders of rules); residuals not asked of a search that began at
weights (too few iterations); no comparison with 0 (far starts); infeasible boxes believed from the weights of
an earlier fit (conflicts named as without a start); only the moments of rules matched (groups and written ones); a
start that is not used (fewer iterations).
"""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import thumbwise as tw
from support.paper import NAMES, load_paper
from support.problems import item_dual, item_moments, make_problem, pose
from thumbwise.box.moments.of_classes import group_frequencies
from thumbwise.box.moments.written import LinearMoment
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.game.warm_starts import match_weights, solve_from
from thumbwise.numerics.maxent import dual_value
from thumbwise.numerics.solver import solve_dual

TOL = 1e-9


def model(**options: Any) -> tw.BalsubramaniFreund:
    return tw.BalsubramaniFreund(on_infeasible="widen", caution=1, **options)


def with_weights(fitted: tw.BalsubramaniFreund, weights: Any) -> tw.BalsubramaniFreund:
    """A model that says that it was fitted, with any weights."""
    other = model()
    other.__dict__.update(vars(fitted) | {"weights_": np.asarray(weights, dtype=float)})
    return other


def gold_box(votes: tw.Votes, labels: Any, gold: Any) -> tw.Box:
    return tw.Box.from_gold(votes.take(gold), labels[gold], pool=votes, gold_is="subset", opinions=(), n_permutations=0)


def assert_same_answer(votes: tw.Votes, one: tw.BalsubramaniFreund, other: tw.BalsubramaniFreund) -> None:
    assert other.certificate_.kkt_residual <= TOL
    assert other.certificate_.log_loss_bound == pytest.approx(one.certificate_.log_loss_bound, abs=1e-9)
    assert np.abs(one.predict_proba(votes) - other.predict_proba(votes)).max() <= 1e-7


@cache
def updates(name: str) -> dict[str, Any]:
    """Votes, box, and an earlier model: with fewer items, without a rule, with a rule more, with fewer gold labels."""
    paper = load_paper(name)
    votes, labels = paper.votes, paper.labels
    order = np.random.default_rng(5).permutation(votes.n_items)
    part = order[: int(0.99 * votes.n_items)]
    box, more = gold_box(votes, labels, order[:100]), gold_box(votes, labels, order[:120])
    fewer = votes.with_rules(range(1, votes.n_rules))
    earlier = model().fit(votes, box=box)
    of_fewer = gold_box(fewer, labels, order[:100])
    of_part = gold_box(votes.take(part), labels[part], np.arange(100))
    return {
        "items": (votes, box, model().fit(votes.take(part), box=of_part)),
        "rule": (votes, box, model().fit(fewer, box=of_fewer)),
        "rule dropped": (fewer, of_fewer, earlier),
        "gold": (votes, more, earlier),
    }


@pytest.mark.parametrize("name", NAMES)
def test_the_paper_datasets_get_the_same_answer_in_fewer_iterations(name: str) -> None:
    n_cold = n_warm = 0
    for votes, box, earlier in updates(name).values():
        cold, warm = model().fit(votes, box=box), model().fit(votes, box=box, start=earlier)
        assert_same_answer(votes, cold, warm)
        n_cold, n_warm = n_cold + cold.n_iter_, n_warm + warm.n_iter_
    assert n_warm < n_cold


@pytest.mark.parametrize("name", ["basketball", "youtube"])
def test_the_same_problem_again_takes_no_iteration(name: str) -> None:
    votes, box, earlier = updates(name)["gold"]
    first = model().fit(votes, box=box, start=earlier)
    again = model().fit(votes, box=box, start=first)
    assert again.n_iter_ == 0 < model().fit(votes, box=box).n_iter_
    assert np.array_equal(again.weights_, first.weights_)
    itself = first.fit(votes, box=box, start=first)
    assert itself is first and first.n_iter_ == 0


def far_starts(n_moments: int, seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [
        np.full(n_moments, 1e6),
        -np.full(n_moments, 1e6),
        np.full(n_moments, 1e100),
        1e308 * rng.choice([-1.0, 1.0], n_moments),
        *(scale * rng.normal(size=n_moments) for scale in (0.1, 1, 30)),
    ]


@pytest.mark.parametrize("seed", range(30))
def test_far_starts_end_where_0_does(seed: int) -> None:
    """Checked with the dual value and the moments of every single item, which the solver does not use."""
    small = make_problem(seed)
    problem = pose(small)
    cold = solve_from(problem, None, tol=TOL, max_iter=200)
    for weights in far_starts(len(small.lower), seed):
        warm = solve_from(problem, weights, tol=TOL, max_iter=200)
        assert warm.is_infeasible == cold.is_infeasible
        assert warm.n_iter <= 2 * cold.n_iter + 20
        value = item_dual(small.votes, warm.weights, small.lower, small.upper)
        if warm.is_infeasible:
            assert value < 0
            continue
        # Where a rule must always be right the minimum lies at infinity, and only the gaps say how near it is.
        room = 1e-9 + abs(cold.gap) + abs(warm.gap)
        assert room < 1e-6
        assert value == pytest.approx(item_dual(small.votes, cold.weights, small.lower, small.upper), abs=room)
        proba = warm.proba[small.votes.inverse]
        moments, used = item_moments(small.votes, proba), problem.shares > 0
        outside = np.maximum(small.lower - moments, moments - small.upper)[used]
        assert outside.max(initial=0) <= max(TOL, cold.box_violation) + 1e-12


def test_too_few_iterations_from_a_start_give_way_to_0() -> None:
    """A start with a lower dual value than 0 has, from where the way is longer all the same."""
    problem = pose(make_problem(30))
    weights = 3 * np.random.default_rng(30).normal(size=(3, len(problem.shares)))[2]
    cold = solve_dual(problem)
    assert dual_value(weights, problem) < dual_value(0 * weights, problem)
    assert solve_dual(problem, start=weights, max_iter=cold.n_iter).kkt_residual > TOL >= cold.kkt_residual
    kept = solve_from(problem, weights, tol=TOL, max_iter=cold.n_iter)
    assert np.array_equal(kept.weights, cold.weights)
    assert kept.n_iter == 2 * cold.n_iter  # both searches are counted


def test_one_rule_has_the_closed_form_from_any_start() -> None:
    """A rule of accuracy a exactly: log-odds ln(a / (1 - a)), bound = entropy of a."""
    votes = tw.Votes([[0]] * 5 + [[1]] * 5)
    a = 0.8
    box = tw.Box.from_bounds(votes, {"rule_0": (a, a)})
    cold = model().fit(votes, box=box)
    for weight in (1e6, -3.0, 1.0, 1.4, 5.0):
        warm = model().fit(votes, box=box, start=with_weights(cold, [weight, 0, 0]))
        assert warm.weights_[0] == pytest.approx(np.log(a / (1 - a)), abs=1e-7)
        entropy = -a * np.log(a) - (1 - a) * np.log(1 - a)
        assert warm.certificate_.log_loss_bound == pytest.approx(entropy, abs=1e-12)


def infeasible() -> tuple[tw.Votes, tw.Box]:
    """Two rules that always agree cannot be right on 90 % and on 10 %; a third has nothing to do with it."""
    rng = np.random.default_rng(0)
    said = rng.integers(2, size=40)
    votes = tw.Votes(np.column_stack([said, said, rng.integers(2, size=40)]), rule_names=["a", "b", "c"])
    return votes, tw.Box.from_bounds(votes, {"a": (0.9, 1), "b": (0, 0.1), "c": (0.6, 0.7)})


def test_conflicts_are_named_as_without_a_start() -> None:
    votes, box = infeasible()
    with pytest.raises(tw.InfeasibleBoxError) as cold:
        tw.BalsubramaniFreund().fit(votes, box=box)
    fine = tw.BalsubramaniFreund().fit(votes, box=tw.Box.from_bounds(votes, {"a": (0.9, 1), "c": (0.6, 0.7)}))
    for weights in (fine.weights_, cold.value.weights, [40, -40, 7, 3, -3]):
        with pytest.raises(tw.InfeasibleBoxError) as warm:
            tw.BalsubramaniFreund().fit(votes, box=box, start=with_weights(fine, weights))
        assert warm.value.conflicting == cold.value.conflicting
        assert item_dual(votes, warm.value.weights, box.lower, box.upper) < 0


def test_the_weights_that_proved_an_old_box_infeasible_prove_nothing_of_a_new_one() -> None:
    votes, box = infeasible()
    with pytest.raises(tw.InfeasibleBoxError) as proof:
        tw.BalsubramaniFreund().fit(votes, box=box)
    right = tw.Box.from_bounds(votes, {"a": (0.9, 1), "b": (0.8, 0.95), "c": (0.6, 0.7)})
    cold = tw.BalsubramaniFreund().fit(votes, box=right)
    warm = tw.BalsubramaniFreund().fit(votes, box=right, start=with_weights(cold, 50 * proof.value.weights))
    assert_same_answer(votes, cold, warm)


def test_widened_boxes_get_the_same_answer() -> None:
    votes, box = infeasible()
    cold = model().fit(votes, box=box)
    warm = model().fit(votes, box=box, start=cold)
    assert warm.certificate_.widening == cold.certificate_.widening
    assert warm.certificate_.log_loss_bound == pytest.approx(cold.certificate_.log_loss_bound, abs=1e-9)


def test_moments_are_matched_by_name_in_any_order_of_rules() -> None:
    votes, box, _ = updates("youtube")["gold"]
    fitted = model().fit(votes, box=box)
    turned = votes.with_rules(range(votes.n_rules)[::-1])
    there = model().fit(turned, box=tw.Box.from_bounds(turned, {n: (lo, hi) for n, lo, hi in bounds_of(box)}))
    assert model().fit(votes, box=box, start=there).n_iter_ == 0
    assert np.array_equal(match_weights(box.names, there.box_.names, there.weights_)[::-1][2:], there.weights_[:-2])
    assert fitted.n_iter_ > 0


def bounds_of(box: tw.Box) -> Any:
    return zip(box.names, box.lower.tolist(), box.upper.tolist(), strict=True)


def test_moments_of_groups_and_written_ones_are_matched_too() -> None:
    rng = np.random.default_rng(2)
    votes = tw.Votes(rng.integers(-1, 2, size=(60, 3)), item_groups=np.array(["A", "B"])[np.arange(60) % 2])
    line = LinearMoment("balance", {"A": {0: 1.0}, "B": {1: -0.5}})
    box = tw.Box.from_bounds(votes, {"rule_0": (0.7, 0.8)})
    box = box.with_bounds(
        votes, {"frequency(1 in A)": (0.7, 1), "balance": (0.05, 0.2)}, moments=[group_frequencies, line]
    )
    cold = model().fit(votes, box=box)
    assert cold.weights_[box.names.index("balance")] != 0 and cold.weights_[box.names.index("frequency(1 in A)")] != 0
    assert model().fit(votes, box=box, start=cold).n_iter_ == 0 < cold.n_iter_


def test_a_model_from_a_file_is_a_start(tmp_path: Path) -> None:
    votes, box, earlier = updates("basketball")["gold"]
    earlier.save(tmp_path / "model.json")
    loaded = tw.load(tmp_path / "model.json")
    warm = model().fit(votes, box=box, start=loaded)
    assert np.array_equal(warm.weights_, model().fit(votes, box=box, start=earlier).weights_)
    assert warm.n_iter_ < model().fit(votes, box=box).n_iter_


def test_what_is_no_start_is_refused() -> None:
    votes, box, earlier = updates("basketball")["gold"]
    for bad, says in ((np.nan, "found nan for accuracy"), (np.inf, "found inf for accuracy")):
        weights = earlier.weights_.copy()
        weights[1] = bad
        with pytest.raises(InvalidChoiceError, match=rf"{says}\(rule_1\) \(1 such"):
            model().fit(votes, box=box, start=with_weights(earlier, weights))
    with pytest.raises(InvalidChoiceError, match="found MajorityVote"):
        model().fit(votes, box=box, start=tw.MajorityVote().fit(votes))
    with pytest.raises(NotFittedError):
        model().fit(votes, box=box, start=model())


def test_far_starts_do_not_warn() -> None:
    votes, box, earlier = updates("basketball")["gold"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bounds = [
            model().fit(votes, box=box, start=with_weights(earlier, weights)).certificate_.log_loss_bound
            for weights in far_starts(len(box), 0)
        ]
    assert bounds == pytest.approx([model().fit(votes, box=box).certificate_.log_loss_bound] * len(bounds), abs=1e-9)
