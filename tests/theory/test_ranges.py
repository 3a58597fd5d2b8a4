"""Ranges against linear programs over items, enumeration, weak duality and the certificate of the game.

Kills, tried once each: sign of the multipliers turned around; costs averaged within a pattern; the rows that hold
a unit's columns together left out; columns that pay ignored after the first program; the dearest moment for the
cheapest in B(u); known labels ignored, or not taken off the bounds; no check that the box is empty; two models' costs
added; cells numbered in the narrow type of the patterns.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom

import thumbwise as tw
from support.paper import NAMES, load_paper
from support.problems import FloatArray, IntArray, SmallProblem, item_features, item_moments, make_problem
from thumbwise.game.prediction_costs import Metric
from thumbwise.game.ranges import Range, add_rule, certify, prediction_costs, share_costs, share_range
from thumbwise.metrics import brier_score, log_loss, zero_one_loss
from thumbwise.numerics import linear_bounds
from thumbwise.numerics.shared_features import as_rows

METRICS: list[Metric] = ["accuracy", "log_loss", "brier"]
SEEDS = range(60)


def item_extremes(
    votes: tw.Votes, lower: FloatArray, upper: FloatArray, costs: FloatArray, known: dict[int, int] | None = None
) -> tuple[float, float] | None:
    """Smallest and largest mean cost, one variable per item and class; None if no labeling is in the box."""
    n, k = costs.shape
    features = item_features(votes)
    sizes = features.max(axis=1).sum(axis=0)
    rows = (features / np.maximum(sizes, 1)).reshape(n * k, -1).T[sizes > 0]
    low, high = lower[sizes > 0], upper[sizes > 0]
    limits = [
        (0.0, 1.0 if i not in (known or {}) or (known or {})[i] == c else 0.0) for i in range(n) for c in range(k)
    ]
    ends = []
    for sign in (1, -1):
        answer = linprog(
            sign * costs.ravel() / n,
            np.vstack([rows, -rows]),
            np.r_[high, -low],
            np.kron(np.eye(n), np.ones(k)),
            np.ones(n),
            limits,
        )
        if answer.status != 0 or answer.fun is None:
            return None
        ends.append(sign * float(answer.fun))
    return ends[0], ends[1]


def random_proba(seed: int, votes: tw.Votes) -> FloatArray:
    rng = np.random.default_rng(10_000 + seed)
    proba = rng.dirichlet(np.ones(votes.n_classes), size=votes.n_items)
    return np.where(rng.random((votes.n_items, 1)) < 0.3, proba.round(0) * 0 + 1 / votes.n_classes, proba)


def ends(found: Range) -> tuple[float, float]:
    return found.lower, found.upper


@pytest.fixture
def few_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sifting with linear programs of a few columns, so that small problems need many."""
    monkeypatch.setattr(linear_bounds, "_N_COLUMNS", 4)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("seed", SEEDS)
def test_equals_the_program_over_items(seed: int, metric: Metric) -> None:
    check_against_items(make_problem(seed), seed, metric)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.usefixtures("few_columns")
def test_sifting_loses_nothing(seed: int) -> None:
    check_against_items(make_problem(seed), seed, "log_loss")


def check_against_items(small: SmallProblem, seed: int, metric: Metric) -> None:
    proba = random_proba(seed, small.votes)
    costs = prediction_costs(proba, small.votes, metric)
    expected = item_extremes(small.votes, small.lower, small.upper, costs)
    if expected is None:
        with pytest.raises(tw.InfeasibleBoxError):
            certify(proba, small.votes, small.box, metric=metric)
        return
    found = certify(proba, small.votes, small.box, metric=metric)
    np.testing.assert_allclose(ends(found), expected, rtol=0, atol=1e-7)
    assert max(found.lower_gap, found.upper_gap) < 1e-7
    assert (found.worst, found.best) == (ends(found) if metric == "accuracy" else ends(found)[::-1])


def test_enough_of_these_problems_have_an_answer() -> None:
    feasible = [
        item_extremes(s.votes, s.lower, s.upper, np.zeros((len(s.votes), s.votes.n_classes)))
        for s in map(make_problem, SEEDS)
    ]
    assert 20 < sum(answer is not None for answer in feasible) < len(SEEDS)


def test_sifting_on_many_units_equals_one_program(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(3, size=600)
    array = np.where(rng.random((600, 5)) < 0.6, truth[:, None], rng.integers(-1, 3, size=(600, 5)))
    votes = tw.Votes(array, n_classes=3)
    value = item_moments(votes, np.eye(3)[truth])
    box = tw.Box.from_bounds(votes, lower=np.clip(value - 0.04, 0, 1), upper=np.clip(value + 0.04, 0, 1))
    proba = rng.dirichlet(np.ones(3), size=600)
    at_once = certify(proba, votes, box, metric="log_loss")
    monkeypatch.setattr(linear_bounds, "_N_COLUMNS", 30)
    np.testing.assert_allclose(ends(certify(proba, votes, box, metric="log_loss")), ends(at_once), rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", ["accuracy", "share", "infeasible"])
def test_many_units_and_equal_costs(kind: str) -> None:
    """Patterns that nearly all differ, costs that nearly all tie: a program over items has the answer."""
    rng = np.random.default_rng(11)
    truth = rng.integers(2, size=40_000)
    array = np.where(rng.random((40_000, 12)) < 0.7, truth[:, None], 1 - truth[:, None])
    array[rng.random(array.shape) < 0.3] = -1
    votes = tw.Votes(array, n_classes=2)
    shift = 0.0 if kind != "infeasible" else 0.29
    value = (array == truth[:, None]).sum(axis=0) / (array >= 0).sum(axis=0) + shift
    frequency = np.array([1 - truth.mean(), truth.mean()])
    lower, upper = np.r_[value - 0.02, frequency - 0.02], np.clip(np.r_[value + 0.02, frequency + 0.02], 0, 1)
    box = tw.Box.from_bounds(votes, lower=lower, upper=upper)
    if kind == "infeasible":
        with pytest.raises(tw.InfeasibleBoxError):
            certify(truth, votes, box)
        return
    group = rng.random(40_000) < 0.1
    predicted = np.where(rng.random(40_000) < 0.9, truth, 1 - truth)
    gain = np.where(group, 40_000 / group.sum(), 0.0) if kind == "share" else 2.0 * predicted - 1
    start = 0.0 if kind == "share" else (1 - predicted).mean()
    right = np.where(array == 1, 1.0, np.where(array == 0, -1.0, 0.0))  # accuracy is linear in the share of class 1
    rows = np.column_stack([right, np.ones(40_000)]).T
    size = np.r_[(array >= 0).sum(axis=0), 40_000]
    base = np.r_[(array == 0).sum(axis=0), 0]
    low = np.r_[lower[:12], max(lower[13], 1 - upper[12])] * size - base
    high = np.r_[upper[:12], min(upper[13], 1 - lower[12])] * size - base
    expected = []
    for sign in (1, -1):
        answer = linprog(sign * gain, np.vstack([rows, -rows]), np.r_[high, -low], bounds=(0, 1))
        assert answer.fun is not None
        expected.append(start + sign * float(answer.fun) / 40_000)
    found = share_range(votes, box, group=group, of=1) if kind == "share" else certify(predicted, votes, box)
    assert votes.patterns.n_patterns > 2**15  # patterns fit 16 bits, their cells do not
    np.testing.assert_allclose(ends(found), expected, rtol=0, atol=1e-7)


@pytest.mark.parametrize("seed", range(30))
def test_no_labeling_in_the_box_lies_outside(seed: int) -> None:
    """All hard labelings of five items that are in the box, scored by the metrics themselves."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 4))
    votes = tw.Votes(rng.integers(-1, k, size=(5, 3)), n_classes=k)
    box = tw.Box.from_bounds(votes, lower=np.r_[0.3, 0.2, 0.0, np.zeros(k)], upper=np.r_[1, 1, 0.8, np.full(k, 0.8)])
    proba = rng.dirichlet(np.ones(k), size=5)
    inside = [y for y in map(np.array, product(range(k), repeat=5)) if box.contains(item_moments(votes, np.eye(k)[y]))]
    if not inside:
        return
    measures = {
        "accuracy": lambda y: 1 - zero_one_loss(y, proba),
        "log_loss": lambda y: log_loss(y, proba),
        "brier": lambda y: brier_score(y, proba),
    }
    for metric in METRICS:
        found = certify(proba, votes, box, metric=metric)
        values = [measures[metric](y) for y in inside]
        assert found.lower - 1e-9 <= min(values)
        assert max(values) <= found.upper + 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_every_multiplier_gives_a_valid_bound(seed: int) -> None:
    small = make_problem(seed)
    costs = prediction_costs(random_proba(seed, small.votes), small.votes, "brier")
    expected = item_extremes(small.votes, small.lower, small.upper, costs)
    if expected is None:
        return
    moments = small.box.moments(small.votes)
    units = linear_bounds.Units(
        *linear_bounds.group_items(small.votes.inverse, costs),
        features=as_rows(moments.features),
        least=moments.sizes * small.lower,
        most=moments.sizes * small.upper,
        known_cost=0.0,
        n_items=small.votes.n_items,
    )
    rng = np.random.default_rng(seed)
    for scale in (0.01, 0.1, 1, 10):
        for multipliers in scale * rng.normal(size=(50, len(moments))):
            assert linear_bounds.bound_at(multipliers, units) >= expected[1] - 1e-9
            assert -linear_bounds.bound_at(multipliers, units.negated()) <= expected[0] + 1e-9


@pytest.mark.parametrize("seed", SEEDS)
def test_log_loss_of_the_game_is_its_dual_value(seed: int) -> None:
    small = make_problem(seed)
    try:
        model = tw.BalsubramaniFreund().fit(small.votes, box=small.box)
    except tw.InfeasibleBoxError:
        return
    found = certify(model.predict_proba(small.votes), small.votes, small.box, metric="log_loss")
    assert found.worst == pytest.approx(model.certificate_.log_loss_bound, abs=1e-6)


def draw_paper(name: str, seed: int) -> tuple[tw.Votes, IntArray, tw.Box]:
    data = load_paper(name)
    array, labels = np.vstack([data.votes.array, data.gold_votes.array]), np.r_[data.labels, data.gold_labels]
    k = data.votes.n_classes
    gold = np.zeros(len(labels), dtype=bool)
    gold[np.random.default_rng(seed).choice(len(labels), 150, replace=False)] = True
    pool = tw.Votes(array[~gold], n_classes=k)
    return pool, labels[~gold], tw.Box.from_gold(tw.Votes(array[gold], n_classes=k), labels[gold], pool=pool)


@pytest.mark.parametrize("name", NAMES)
def test_log_loss_of_the_game_on_the_papers_data(name: str) -> None:
    """Of the game itself the bound is the worst value; with less caution the worst value is at most the bound."""
    pool, _, box = draw_paper(name, 0)
    game, model = tw.BalsubramaniFreund(caution=1).fit(pool, box=box), tw.BalsubramaniFreund().fit(pool, box=box)
    worst = [certify(one.predict_proba(pool), pool, box, metric="log_loss").worst for one in (game, model)]
    assert worst[0] == pytest.approx(game.certificate_.log_loss_bound, abs=1e-6)
    assert worst[1] <= model.certificate_.log_loss_bound + 1e-9


@pytest.mark.parametrize("level", [0.6, 0.95])
def test_accuracy_lies_in_the_range_as_often_as_it_says(level: float) -> None:
    """Of a rule and of the game's own labels, which depend on gold; false alarm one in a million.

    A box without a labeling is a miss. At a level of 60 % misses do happen.
    """
    rng = np.random.default_rng(5)
    n_trials, widths = 100, []
    misses = {"rule": 0, "game": 0}
    for _ in range(n_trials):
        truth = rng.integers(2, size=200)
        array = np.where(rng.random((200, 3)) < [0.95, 0.8, 0.7], truth[:, None], 1 - truth[:, None])
        gold = rng.permutation(200) < 50
        pool = tw.Votes(array[~gold], n_classes=2)
        drawn = tw.Votes(array[gold], n_classes=2)
        box = tw.Box.from_gold(drawn, truth[gold], pool=pool, confidence_level=level, n_permutations=0)
        try:
            game = tw.BalsubramaniFreund().fit(pool, box=box).predict(pool)
        except tw.InfeasibleBoxError:
            misses = {name: count + 1 for name, count in misses.items()}
            continue
        for name, labels in (("rule", array[~gold, 0]), ("game", game)):
            found = certify(labels, pool, box)
            accuracy = (labels == truth[~gold]).mean()
            misses[name] += not found.lower - 1e-9 <= accuracy <= found.upper + 1e-9
            widths.append(found.upper - found.lower)
    assert max(misses.values()) <= binom.ppf(1 - 1e-6, n_trials, 1 - level)
    assert np.mean(widths) < 0.3


@pytest.mark.parametrize("seed", range(10))
def test_a_model_with_gold_of_its_own_is_as_certain_as_its_interval(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=300)
    array = np.where(rng.random((300, 3)) < 0.6, truth[:, None], rng.integers(3, size=(300, 3)))
    model = np.where(rng.random(300) < 0.9, truth, rng.integers(3, size=300))
    gold = rng.permutation(300) < 80
    votes, gold_votes = tw.Votes(array[~gold], n_classes=3), tw.Votes(array[gold], n_classes=3)
    pool, own = add_rule(votes, model[~gold]), add_rule(gold_votes, model[gold])
    box = tw.Box.from_gold(own, truth[gold], pool=pool)
    place = box.names.index("accuracy(predictions)")
    found = certify(model[~gold], pool, box)
    assert box.lower[place] - 1e-9 <= found.lower
    assert found.upper <= box.upper[place] + 1e-9
    without = certify(model[~gold], votes, tw.Box.from_gold(gold_votes, truth[gold], pool=votes))
    assert found.upper - found.lower < without.upper - without.lower


@pytest.mark.parametrize("seed", range(20))
def test_a_difference_is_tighter_than_the_difference_of_two_ranges(seed: int) -> None:
    small = make_problem(seed)
    votes, box = small.votes, small.box
    first, second = random_proba(seed, votes), random_proba(seed + 500, votes)
    costs = prediction_costs(first, votes, "brier") - prediction_costs(second, votes, "brier")
    expected = item_extremes(votes, small.lower, small.upper, costs)
    if expected is None:
        return
    found = certify(first, votes, box, metric="brier", versus=second)
    np.testing.assert_allclose(ends(found), expected, rtol=0, atol=1e-7)
    one, other = certify(first, votes, box, metric="brier"), certify(second, votes, box, metric="brier")
    assert one.lower - other.upper - 1e-9 <= found.lower
    assert found.upper <= one.upper - other.lower + 1e-9
    np.testing.assert_allclose(ends(certify(first, votes, box, versus=first)), 0, atol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_shares_of_a_class(seed: int) -> None:
    small = make_problem(seed)
    votes, n = small.votes, len(small.votes)
    group = np.random.default_rng(seed).random(n) < 0.5
    group[0] = True
    costs = np.zeros((n, votes.n_classes))
    costs[group, 1] = n / group.sum()
    expected = item_extremes(votes, small.lower, small.upper, costs)
    if expected is None:
        return
    found = share_range(votes, small.box, group=group, of=1)
    np.testing.assert_allclose(ends(found), expected, rtol=0, atol=1e-7)
    by_position = share_range(votes, small.box, group=np.flatnonzero(group), of=1)
    assert ends(by_position) == ends(found)
    np.testing.assert_allclose(found.verify(share_costs(votes, group, 1)[0], votes, small.box), ends(found), atol=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_gold_items_of_the_pool_keep_their_label(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=40)
    array = np.where(rng.random((40, 3)) < 0.8, truth[:, None], 1 - truth[:, None])
    votes = tw.Votes(array, n_classes=2, item_ids=[f"item {i}" for i in range(40)])
    gold = rng.choice(40, 15, replace=False)
    box = tw.Box.from_gold(votes.take(gold), truth[gold], pool=votes, gold_is="subset")
    assert box.known is not None
    proba = rng.dirichlet(np.ones(2), size=40)
    costs = prediction_costs(proba, votes, "log_loss")
    known = dict(zip(gold.tolist(), truth[gold].tolist(), strict=True))
    expected = item_extremes(votes, box.lower, box.upper, costs, known)
    found = certify(proba, votes, box, metric="log_loss")
    assert expected is not None
    np.testing.assert_allclose(ends(found), expected, rtol=0, atol=1e-7)
    np.testing.assert_allclose(found.verify(costs, votes, box), ends(found), rtol=0, atol=1e-9)
    model = tw.BalsubramaniFreund().fit(votes, box=box)
    own = certify(model.predict_proba(votes), votes, box, metric="log_loss")
    assert own.worst == pytest.approx(model.certificate_.log_loss_bound_all, abs=1e-6)


def test_everything_known_leaves_a_point() -> None:
    votes = tw.Votes([[0, 1], [1, 1], [0, 0]], item_ids=["a", "b", "c"])
    box = tw.Box.from_gold(votes, [0, 1, 1], pool=votes, gold_is="subset")
    found = certify([0, 1, 0], votes, box)
    np.testing.assert_allclose(ends(found), 2 / 3)


@pytest.mark.parametrize("seed", range(10))
def test_the_order_of_items_does_not_matter(seed: int) -> None:
    small = make_problem(seed)
    if (
        item_extremes(small.votes, small.lower, small.upper, np.zeros((len(small.votes), small.votes.n_classes)))
        is None
    ):
        return
    proba = random_proba(seed, small.votes)
    order = np.random.default_rng(seed).permutation(len(small.votes))
    shuffled = small.votes.take(order)
    box = tw.Box.from_bounds(shuffled, lower=small.lower, upper=small.upper)
    one = certify(proba, small.votes, small.box, metric="brier")
    other = certify(proba[order], shuffled, box, metric="brier")
    np.testing.assert_allclose(ends(other), ends(one), rtol=0, atol=1e-12)
