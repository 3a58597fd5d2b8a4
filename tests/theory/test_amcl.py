"""Adversarial multi-class learning against its definition, item by item, and against other solvers.

Kills, tried once: exchanging lower and upper bounds in the program or the bound; forgetting abstentions in the linear
or the quadratic part; weighing patterns equally; half the quadratic part; no cell for classes without votes; a uniform
start, half a slope, or another step in the subgradient method; a projection that only rescales.
"""

from __future__ import annotations

from dataclasses import dataclass

import cvxpy as cp
import numpy as np
import pytest
from cvxpy.transforms.suppfunc import SuppFunc
from scipy.optimize import linprog
from scipy.stats import binom
from sklearn.exceptions import ConvergenceWarning

import thumbwise as tw
from support.problems import FloatArray, IntArray, make_votes
from thumbwise.metrics import brier_score
from thumbwise.models.amcl import AMCL
from thumbwise.numerics.amcl import BrierGame, WorstLabeling, descend, project_to_simplex, solve_exact


@dataclass(frozen=True)
class ItemGame:
    """The game of a fitted model, from its votes, errors and widths alone, item by item.

    ``said[i, c, j]`` is what rule j says about class c of item i; ``values[j]`` averages a labeling's agreement with j.
    """

    said: FloatArray
    values: FloatArray
    lower: FloatArray
    upper: FloatArray

    @classmethod
    def of(cls, model: AMCL, votes: tw.Votes) -> ItemGame:
        n, k, p = votes.n_items, votes.n_classes, votes.n_rules
        said, values = np.full((n, k, p), 1 / k), np.zeros((p, n, k))
        for i, row in enumerate(votes.array):
            for j, vote in enumerate(row):
                if vote >= 0:
                    said[i, :, j] = np.eye(k)[vote]
                    values[j, i, vote] = 1
        bound = np.isfinite(model.widths_)
        values = values[bound] / values[bound].sum(axis=(1, 2), keepdims=True)
        accuracy, width = 1 - model.rule_risks_[bound], model.widths_[bound]
        return cls(said, values.reshape(len(values), n * k), accuracy - width, accuracy + width)

    def worst(self, weights: FloatArray) -> float:
        """Largest mean Brier loss, by a linear program over labelings; minus infinity if there is none."""
        proba = self.said @ weights
        n, k = proba.shape
        losses = [((proba - np.eye(k)[c]) ** 2).sum(axis=1) for c in range(k)]
        cost = np.column_stack(losses).ravel() / n
        sums = np.kron(np.eye(n), np.ones(k))
        limits = np.vstack([self.values, -self.values])
        answer = linprog(-cost, limits, np.concatenate([self.upper, -self.lower]), sums, np.ones(n), method="highs")
        return -np.inf if answer.fun is None else -float(answer.fun)

    def value(self) -> float:
        """Least worst case over all weights, by CVXPY, which finds the adversary's support function itself."""
        n, k, p = self.said.shape
        labeling, weights = cp.Variable((n * k,)), cp.Variable((p,))
        plausible = [
            labeling >= 0,
            np.kron(np.eye(n), np.ones(k)) @ labeling == 1,
            self.values @ labeling >= self.lower,
            self.values @ labeling <= self.upper,
        ]
        proba = self.said.reshape(n * k, p) @ weights
        loss = (cp.sum_squares(proba) + SuppFunc(labeling, plausible)(-2 * proba)) / n + 1
        game = cp.Problem(cp.Minimize(loss), [weights >= 0, cp.sum(weights) == 1])
        game.solve(solver=cp.CLARABEL)
        return float(game.value)


def make_task(
    seed: int, n_items: int = 12, n_rules: int = 3, width_scale: float | None = None
) -> tuple[AMCL, tw.Votes, IntArray]:
    """A model to be fitted, votes, and labels of half of the items."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 5))
    labels, array = make_votes(rng, n_items, n_rules, k)
    y = np.where(rng.random(n_items) < 0.5, labels, -1)
    y[0] = labels[0]
    scale = rng.uniform(0.05, 0.5) if width_scale is None else width_scale
    return AMCL(width_scale=scale, on_infeasible="widen"), tw.Votes(array, n_classes=k), y


@pytest.mark.parametrize("seed", range(25))
def test_the_bound_is_the_value_of_the_game(seed: int) -> None:
    """CVXPY's value of the game over items, abstentions and unconstrained rules included."""
    model, votes, y = make_task(seed, n_rules=1 + seed % 5)
    model.fit(votes, y)
    game = ItemGame.of(model, votes)
    used = (votes.array >= 0).any(axis=0)
    game = ItemGame(game.said[:, :, used], game.values, game.lower, game.upper)
    assert model.brier_bound_ == pytest.approx(game.value(), abs=1e-6)
    assert model.gap_ < 1e-8


@pytest.mark.parametrize("seed", range(40))
def test_the_bound_is_the_worst_case_of_the_weights(seed: int) -> None:
    model, votes, y = make_task(seed, n_items=30, n_rules=5)
    model.fit(votes, y)
    assert model.weights_.min() >= 0
    assert model.weights_.sum() == pytest.approx(1, abs=1e-12)
    assert model.brier_bound_ == pytest.approx(ItemGame.of(model, votes).worst(model.weights_), abs=1e-7)


@pytest.mark.parametrize("seed", range(6))
def test_subgradient_steps_never_beat_the_optimum(seed: int) -> None:
    """And their bound is the worst case of their weights, which is not far from it."""
    exact, votes, y = make_task(seed, n_items=40, n_rules=4)
    exact.fit(votes, y)
    slow = AMCL(solver="subgradient", n_steps=200, width_scale=exact.width_scale, on_infeasible="widen").fit(votes, y)
    game = ItemGame.of(exact, votes)
    assert slow.brier_bound_ == pytest.approx(game.worst(slow.weights_), abs=1e-6)
    assert game.worst(exact.weights_) <= game.worst(slow.weights_) + 1e-7
    assert slow.brier_bound_ <= exact.brier_bound_ + 0.02


@pytest.mark.parametrize("n_rules", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_no_weights_on_a_grid_are_better(seed: int, n_rules: int) -> None:
    model, votes, y = make_task(seed + 100, n_items=10, n_rules=n_rules)
    model.fit(votes, y)
    game = ItemGame.of(model, votes)
    steps = 60 if n_rules == 2 else 15
    for cut in np.ndindex(*[steps + 1] * (n_rules - 1)):
        if sum(cut) <= steps:
            weights = np.array([*cut, steps - sum(cut)]) / steps
            assert game.worst(weights) >= model.brier_bound_ - 1e-7


@pytest.mark.parametrize("seed", range(30))
def test_every_price_gives_a_valid_bound(seed: int) -> None:
    """Weak duality: random weights, random prices of the constraints, any sign."""
    model, votes, y = make_task(seed, n_items=40, n_rules=4)
    model.fit(votes, y)
    rng = np.random.default_rng(seed)
    accuracies = 1 - model.rule_risks_
    bounds = accuracies - model.widths_, accuracies + model.widths_
    game = BrierGame.build(votes.patterns, np.ones(4, dtype=bool), *bounds)
    items = ItemGame.of(model, votes)
    for _ in range(5):
        weights, prices = rng.dirichlet(np.ones(4)), rng.normal(0, 0.2, 4)
        assert game.bound(weights, prices) >= items.worst(weights) - 1e-7


@pytest.mark.parametrize("solver", ["exact", "subgradient"])
def test_the_loss_is_below_the_bound_wherever_the_truth_is_plausible(solver: str) -> None:
    n_plausible = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        labels, array = make_votes(rng, 60, 4, 3)
        votes, y = tw.Votes(array, n_classes=3), np.where(rng.random(60) < 0.5, labels, -1)
        model = AMCL(solver=solver, n_steps=5, on_infeasible="widen").fit(votes, y)  # type: ignore[arg-type]
        voted = array >= 0
        errors = ((array != labels[:, None]) & voted).sum(axis=0) / np.maximum(voted.sum(axis=0), 1)
        if (np.abs(errors - model.rule_risks_)[voted.any(axis=0)] <= model.widths_[voted.any(axis=0)]).all():
            n_plausible += 1
            assert brier_score(labels, model.predict_proba(votes)) <= model.brier_bound_ + 1e-7
    assert n_plausible >= 20


def test_full_widths_hold_the_truth_as_often_as_they_claim() -> None:
    """200 draws of gold at 60 %: false alarms have probability below 1e-6. Kills widths of 40 %."""
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=400)
    array = np.where(rng.random((400, 6)) < 0.75, truth[:, None], 1 - truth[:, None])
    misses = 0
    for seed in range(200):
        gold, pool = np.split(np.random.default_rng(seed).permutation(400), [40])
        model = AMCL(width_scale=1, confidence_level=0.6)
        model.fit(array[pool], gold_votes=array[gold], gold_labels=truth[gold])
        errors = (array[pool] != truth[pool, None]).mean(axis=0)
        misses += bool((np.abs(errors - model.rule_risks_) > model.widths_).any())
    assert misses <= binom.ppf(1 - 1e-6, 200, 0.4)


def test_steps_are_those_of_a_loop_over_items() -> None:
    """Three steps from weights of 1 each, projected, the best kept; every item has its own pattern."""
    rng = np.random.default_rng(7)
    truth = rng.integers(3, size=9)
    array = np.where(rng.random((9, 4)) < 0.6, truth[:, None], rng.integers(3, size=(9, 4)))
    votes = tw.Votes(array, n_classes=3)
    model = AMCL(solver="subgradient", n_steps=3, width_scale=0.2, on_infeasible="widen").fit(votes, truth)
    game = ItemGame.of(model, votes)
    weights, tried = np.ones(4), []
    for _ in range(3):
        moves = 1e-6 * np.eye(4)
        slope = np.array([(game.worst(weights + move) - game.worst(weights - move)) / 2e-6 for move in moves])
        weights = _nearest_distribution(weights - 0.3 / (4 * 5) * slope)
        tried.append((game.worst(weights), weights))
    least, best = min(tried, key=lambda pair: pair[0])
    np.testing.assert_allclose(model.weights_, best, atol=1e-6)
    assert model.brier_bound_ == pytest.approx(least, abs=1e-6)


def test_more_steps_never_have_a_larger_bound() -> None:
    """Steps that are too long overshoot; what they lose is not kept. Kills the last weights instead of the best."""
    game, _ = make_full_game(0)
    bounds = [descend(game, n_steps=n_steps, step=3.0).bound for n_steps in range(1, 10)]
    assert (np.diff(bounds) <= 0).all()
    assert bounds[-1] < bounds[0] - 1e-3


@pytest.mark.parametrize("seed", range(15))
def test_the_worst_labeling_is_that_of_a_program_over_items(seed: int) -> None:
    game, items = make_full_game(seed)
    labeling = WorstLabeling(game)
    for weights in np.random.default_rng(seed).dirichlet(np.ones(4), size=4):
        right = labeling.solve(weights)
        assert right is not None
        assert game.loss(weights, float(weights @ right)) == pytest.approx(items.worst(weights), abs=1e-8)


@pytest.mark.parametrize(("needed", "is_empty"), [(0.6, False), (0.9, True)])
def test_labels_of_an_item_add_up_to_one(needed: float, is_empty: bool) -> None:
    """Where one rule is right, others that disagree are not; b says more elsewhere. Kills labels that add up to 2."""
    patterns = tw.Votes([[0, 1, 2], [0, -1, -1]], n_classes=3).patterns
    game = BrierGame.build(patterns, np.ones(3, dtype=bool), np.array([0, needed, 0.3]), np.ones(3))
    assert (WorstLabeling(game).solve(np.full(3, 1 / 3)) is None) == is_empty
    assert solve_exact(game, tol=1e-8, max_iter=200).is_empty == is_empty


def make_full_game(seed: int) -> tuple[BrierGame, ItemGame]:
    """Four rules that vote on all of forty items, and narrow intervals about their true accuracies."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=40)
    array = np.where(rng.random((40, 4)) < [0.8, 0.7, 0.6, 0.3], truth[:, None], rng.integers(3, size=(40, 4)))
    votes = tw.Votes(array, n_classes=3)
    model = AMCL(width_scale=0.05).fit(votes, truth)
    accuracies = 1 - model.rule_risks_
    bounds = accuracies - model.widths_, accuracies + model.widths_
    return BrierGame.build(votes.patterns, np.ones(4, dtype=bool), *bounds), ItemGame.of(model, votes)


def _nearest_distribution(point: FloatArray) -> FloatArray:
    near = cp.Variable(len(point))
    cp.Problem(cp.Minimize(cp.sum_squares(near - point)), [near >= 0, cp.sum(near) == 1]).solve(solver=cp.CLARABEL)
    return np.asarray(near.value)


@pytest.mark.parametrize("seed", range(20))
def test_the_projection_is_the_nearest_distribution(seed: int) -> None:
    """The angle between what is cut off and the way to any corner is never acute."""
    rng = np.random.default_rng(seed)
    point = rng.normal(0, 1, int(rng.integers(1, 9)))
    near = project_to_simplex(point)
    assert near.min() >= 0
    assert near.sum() == pytest.approx(1, abs=1e-12)
    assert ((np.eye(len(point)) - near) @ (point - near) <= 1e-12).all()


def test_a_prediction_mixes_votes_and_uniform_abstentions() -> None:
    rng = np.random.default_rng(3)
    labels, array = make_votes(rng, 80, 5, 4)
    model = AMCL(on_infeasible="widen").fit(tw.Votes(array, n_classes=4), labels)
    new = rng.integers(-1, 4, size=(50, 5))
    for row, proba in zip(new, model.predict_proba(new), strict=True):
        said = [np.eye(4)[vote] if vote >= 0 else np.full(4, 0.25) for vote in row]
        np.testing.assert_allclose(proba, model.weights_ @ np.array(said), atol=1e-12)
    np.testing.assert_array_equal(model.predict_proba([[-1] * 5]), np.full((1, 4), 0.25))


def test_widths_count_the_votes_of_each_rule() -> None:
    """A rule without gold votes is free; one without any vote gets no weight and does not count among the p rules."""
    array = np.array([[0, -1, 0, -1]] * 20 + [[1, 1, -1, -1]] * 30 + [[0, 1, -1, -1]] * 10)
    y = np.concatenate([[-1] * 20, [1] * 10, [0] * 5, [-1] * 25])
    model = AMCL(confidence_level=0.8, width_scale=0.5).fit(tw.Votes(array, n_classes=2), y)
    expected = [0.5 * np.sqrt((v + n) * np.log(4 * 3 / 0.2) / (2 * v * n)) for v, n in ((15, 60), (15, 40))]
    np.testing.assert_allclose(model.widths_[:2], expected, rtol=1e-12)
    np.testing.assert_allclose(model.rule_risks_[:2], [1 / 3, 1 / 3])
    assert np.isinf(model.widths_[2:]).all()
    assert np.isnan(model.rule_risks_[2:]).all()
    assert model.weights_[3] == 0


def test_gold_in_the_pool_counts_like_the_same_gold_beside_it() -> None:
    rng = np.random.default_rng(5)
    labels, array = make_votes(rng, 90, 4, 3)
    votes, known = tw.Votes(array, n_classes=3), rng.random(90) < 0.4
    inside = AMCL(on_infeasible="widen").fit(votes, np.where(known, labels, -1))
    beside = AMCL(on_infeasible="widen").fit(votes, gold_votes=array[known], gold_labels=labels[known])
    np.testing.assert_array_equal(inside.weights_, beside.weights_)
    assert inside.brier_bound_ == beside.brier_bound_


def contradiction() -> tuple[tw.Votes, IntArray, IntArray]:
    """In the pool b repeats a; on gold a is always right and b never."""
    pool = tw.Votes([[0, 0, 1], [1, 1, 1]] * 100, rule_names=["a", "b", "c"])
    return pool, np.array([[0, 1, 0], [1, 0, 0]] * 50), np.array([0, 1] * 50)


def test_an_empty_box_is_an_error_that_names_the_rules() -> None:
    pool, gold, labels = contradiction()
    with pytest.raises(tw.InfeasibleBoxError, match=r"accuracy\(a\)") as caught:
        AMCL().fit(pool, gold_votes=gold, gold_labels=labels)
    assert set(caught.value.conflicting) == {"accuracy(a)", "accuracy(b)"}
    assert caught.value.dual_value < 0


@pytest.mark.parametrize("solver", ["exact", "subgradient"])
def test_an_empty_box_is_widened_by_the_least_factor(solver: str) -> None:
    """a is right at least 1 - width often, b at most width: equal accuracies need a width of 1/2."""
    pool, gold, labels = contradiction()
    model = AMCL(solver=solver, n_steps=5, on_infeasible="widen")  # type: ignore[arg-type]
    model.fit(pool, gold_votes=gold, gold_labels=labels)
    assert model.widths_[0] == pytest.approx(0.5, rel=1e-5)
    narrow = AMCL().fit(pool, gold_votes=gold[:, [0, 0, 2]], gold_labels=labels)
    assert model.widening_factor_ == pytest.approx(0.5 / narrow.widths_[0], rel=1e-5)
    assert narrow.widening_factor_ == 1
    if solver == "exact":
        assert model.brier_bound_ == pytest.approx(ItemGame.of(model, pool).worst(model.weights_), abs=1e-5)


def test_random_votes_are_seeded_and_replace_abstentions_only() -> None:
    rng = np.random.default_rng(11)
    labels, array = make_votes(rng, 200, 4, 3)
    votes = tw.Votes(array, n_classes=3)
    first, second = (AMCL(abstentions="random", random_state=seed).fit(votes, labels) for seed in (0, 0))
    np.testing.assert_array_equal(first.weights_, second.weights_)
    other = AMCL(abstentions="random", random_state=1).fit(votes, labels)
    assert np.abs(first.weights_ - other.weights_).max() > 1e-6
    full = tw.Votes(np.where(array < 0, 0, array), n_classes=3)
    np.testing.assert_array_equal(
        AMCL(abstentions="random").fit(full, labels).weights_, AMCL().fit(full, labels).weights_
    )


def test_random_votes_err_like_guesses() -> None:
    """A rule that votes twice in 3,000 items, each time right: its error is that of guessing among three classes."""
    labels = np.arange(3000) % 3
    array = np.column_stack([labels, np.where(np.arange(3000) < 2, labels, -1)])
    model = AMCL(abstentions="random").fit(tw.Votes(array, n_classes=3), labels)
    wrong = round(model.rule_risks_[1] * 3000)
    assert binom.ppf(1e-6, 2998, 2 / 3) <= wrong <= binom.ppf(1 - 1e-6, 2998, 2 / 3)
    assert model.rule_risks_[0] == 0
    np.testing.assert_allclose(model.widths_[0], model.widths_[1])


def test_an_unfinished_solver_says_so_and_its_bound_still_holds() -> None:
    model, votes, y = make_task(4, n_items=40, n_rules=4, width_scale=0.4)
    model.set_params(max_iter=3)
    with pytest.warns(ConvergenceWarning, match=r"after 3 iterations; the bound .* holds"):
        model.fit(votes, y)
    assert model.brier_bound_ >= ItemGame.of(model, votes).worst(model.weights_) - 1e-9


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"solver": "newton"}, r'solver must be "exact" or "subgradient"'),
        ({"abstentions": "skip"}, r'abstentions must be "uniform" or "random"'),
        ({"on_infeasible": "ignore"}, r'on_infeasible must be "raise" or "widen"'),
        ({"confidence_level": 1.0}, r"confidence_level must lie between 0 and 1; found 1.0"),
        ({"width_scale": 0.0}, r"width_scale must be positive"),
        ({"n_steps": 0}, r"n_steps must be at least 1"),
    ],
)
def test_bad_parameters_are_named(parameters: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        AMCL(**parameters).fit([[0, 1], [1, 1]], [0, 1])  # type: ignore[arg-type]


def test_gold_is_needed_in_one_form() -> None:
    array, y = [[0, 1], [1, 1]], [0, 1]
    for arguments in ({}, {"y": y, "gold_votes": array, "gold_labels": y}, {"gold_votes": array}):
        with pytest.raises(tw.InvalidLabelsError, match="either labels of the pool"):
            AMCL().fit(array, **arguments)
    with pytest.raises(tw.InvalidLabelsError, match="at least one gold label"):
        AMCL().fit(array, [-1, -1])
