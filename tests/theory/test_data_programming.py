"""Data programming against loops over items and another solver, on votes that follow the model, and its laws."""

from __future__ import annotations

import itertools
from hashlib import sha1
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import approx_fprime, minimize
from sklearn.exceptions import ConvergenceWarning

import thumbwise as tw
from support.paper import NAMES, load_paper, reference
from support.problems import FloatArray, IntArray, make_votes
from thumbwise.metrics import brier_score, log_loss, zero_one_loss
from thumbwise.models.data_programming import DataProgramming
from thumbwise.numerics.data_programming import Overlaps, curvature, exact_loss, loss_and_gradient
from thumbwise.votes.counted_votes import CountedVotes

AnyInts: TypeAlias = npt.NDArray[np.integer[Any]]


def item_loss(votes: AnyInts, rates: FloatArray, balance: FloatArray) -> float:
    """Sum of squares over ordered pairs of votes of different rules, and over votes, as the text says it."""
    return observed_loss(item_overlaps(votes, len(balance)), rates, balance)


def item_overlaps(votes: AnyInts, k: int) -> FloatArray:
    """Share of the items with each two votes, item by item, shape (n_rules, k, n_rules, k)."""
    n_rules = votes.shape[1]
    together = np.zeros((n_rules, k, n_rules, k))
    for row in votes:
        for i, j in itertools.product(np.flatnonzero(row >= 0), repeat=2):
            together[i, row[i], j, row[j]] += 1 / len(votes)
    return together


def observed_loss(together: FloatArray, rates: FloatArray, balance: FloatArray) -> float:
    loss = 0.0
    for i, mine in enumerate(rates):
        loss += ((mine @ balance - np.diag(together[i, :, i])) ** 2).sum()
        for j, other in enumerate(rates):
            if i != j:
                loss += ((mine @ np.diag(balance) @ other.T - together[i, :, j]) ** 2).sum()
    return float(loss)


def problem(seed: int, n_items: int = 40) -> tuple[tw.Votes, FloatArray, FloatArray]:
    """Votes, a class balance, and rates."""
    rng = np.random.default_rng(seed)
    k, n_rules = int(rng.integers(2, 4)), int(rng.integers(1, 6))
    _, array = make_votes(rng, n_items, n_rules, k)
    return tw.Votes(array, n_classes=k), rng.dirichlet(np.full(k, 5)), rng.random((n_rules, k, k))


@pytest.mark.parametrize("seed", range(10))
def test_the_loss_is_that_of_a_loop_over_items(seed: int) -> None:
    votes, balance, rates = problem(seed)
    overlaps = Overlaps.observe(votes.patterns, balance)
    expected = item_loss(votes.array, rates, balance)
    assert exact_loss(rates * overlaps.roots, overlaps) == pytest.approx(expected, rel=1e-12)
    assert loss_and_gradient(rates * overlaps.roots, overlaps)[0] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("seed", range(10))
def test_the_gradient_is_that_of_the_loop(seed: int) -> None:
    votes, balance, rates = problem(seed)
    overlaps = Overlaps.observe(votes.patterns, balance)
    roots, shape = overlaps.roots, rates.shape
    loadings, together = rates * roots, item_overlaps(votes.array, len(balance))

    def loss(x: FloatArray) -> float:
        return observed_loss(together, x.reshape(shape) / roots, balance)

    slopes = approx_fprime(loadings.ravel(), loss, 1e-7)
    gradient = loss_and_gradient(loadings, overlaps)[1]
    np.testing.assert_allclose(gradient.ravel(), slopes, atol=1e-5 * max(1, np.abs(gradient).max()))


@pytest.mark.parametrize("seed", range(10))
def test_the_curvature_is_the_change_of_the_gradient(seed: int) -> None:
    votes, balance, rates = problem(seed)
    overlaps = Overlaps.observe(votes.patterns, balance)
    step = np.random.default_rng(seed).normal(size=rates.shape)
    ahead, behind = (loss_and_gradient(rates + t * step, overlaps)[1] for t in (1e-5, -1e-5))
    np.testing.assert_allclose(curvature(rates, overlaps)(step), (ahead - behind) / 2e-5, atol=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_no_other_solver_finds_a_lower_loss_nearby(seed: int) -> None:
    """Restarted from the answer, on the loop over items, with bounds: no descent is left."""
    votes, balance, _ = problem(seed)
    model = DataProgramming(class_balance=balance.tolist()).fit(votes)
    shape, together = model.vote_rates_.shape, item_overlaps(votes.array, len(balance))

    def loss(x: FloatArray) -> float:
        return observed_loss(together, x.reshape(shape), balance)

    other = minimize(loss, model.vote_rates_.ravel(), method="L-BFGS-B", bounds=[(0, 1)] * model.vote_rates_.size)
    assert model.loss_ <= other.fun + 1e-7
    clipped = item_loss(votes.array, model.vote_rates_, balance)
    assert clipped >= model.loss_ - 1e-12, "keeping rates away from 0 and 1 can only raise the loss"


def exact_votes(rates: FloatArray, balance: FloatArray) -> tw.Votes:
    """10,000 items whose patterns occur exactly as often as three rules with these rates make them."""
    k = len(balance)
    with_silence = np.concatenate([rates, 1 - rates.sum(axis=1, keepdims=True)], axis=1)
    rows, counts = [], []
    for pattern in itertools.product(range(k + 1), repeat=len(rates)):
        share = balance @ np.prod([with_silence[j, v] for j, v in enumerate(pattern)], axis=0)
        rows.append([-1 if v == k else v for v in pattern])
        counts.append(10_000 * share)
    assert np.abs(np.array(counts) - np.round(counts)).max() < 1e-9
    return tw.Votes(np.repeat(rows, np.round(counts).astype(int), axis=0), n_classes=k)


RATES = np.array([[[0.7, 0.2], [0.1, 0.7]], [[0.6, 0.1], [0.2, 0.8]], [[0.5, 0.3], [0.4, 0.6]]])
BALANCE = np.array([0.4, 0.6])


def test_rates_are_recovered_where_votes_follow_the_model() -> None:
    votes = exact_votes(RATES, BALANCE)
    model = DataProgramming(class_balance=BALANCE.tolist()).fit(votes)
    np.testing.assert_allclose(model.vote_rates_, RATES, atol=1e-8)
    assert model.loss_ < 1e-18
    np.testing.assert_allclose(model.accuracies_, [0.70 / 0.86, 0.72 / 0.86, 0.56 / 0.90])


def test_the_class_balance_is_believed_and_not_estimated() -> None:
    """Votes that follow the model exactly, for the balance (0.4, 0.6): (0.6, 0.4) fits them just as perfectly."""
    model = DataProgramming(class_balance=[0.6, 0.4]).fit(exact_votes(RATES, BALANCE))
    assert model.loss_ < 1e-18
    assert np.abs(model.vote_rates_ - RATES).max() > 0.05


def test_the_prediction_multiplies_the_rates_of_the_votes_cast() -> None:
    _, array = make_votes(np.random.default_rng(1), 60, 4, 3)
    model = DataProgramming(class_balance=[0.5, 0.3, 0.2]).fit(tw.Votes(array, n_classes=3))
    joint = np.tile([0.5, 0.3, 0.2], (60, 1))
    for i, j in itertools.product(range(60), range(4)):
        if array[i, j] >= 0:
            joint[i] *= model.vote_rates_[j, array[i, j]]
    np.testing.assert_allclose(model.predict_proba(array), joint / joint.sum(axis=1, keepdims=True), atol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_neither_rule_order_nor_seed_matters(seed: int) -> None:
    votes, balance, _ = problem(seed, n_items=200)
    order = np.random.default_rng(seed).permutation(votes.n_rules).tolist()
    shuffled = votes.with_rules(order)
    first = DataProgramming(class_balance=balance.tolist()).fit(votes)
    second = DataProgramming(class_balance=balance.tolist(), random_state=5).fit(shuffled)
    np.testing.assert_allclose(second.vote_rates_, first.vote_rates_[order], rtol=0, atol=1e-9)
    np.testing.assert_allclose(second.predict_proba(shuffled), first.predict_proba(votes), rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_epochs_are_gradient_steps_with_momentum_from_a_scaled_start(seed: int) -> None:
    """By finite differences of the loop over items, on rates and not on loadings."""
    votes, balance, _ = problem(seed, n_items=30)
    array, k = votes.array, votes.n_classes
    start = np.zeros((votes.n_rules, k, k))
    for j, v in itertools.product(range(votes.n_rules), range(k)):
        start[j, v, v] = min(1, 0.7 * np.mean(array[:, j] == v) / balance[v])
    rates = np.random.RandomState(seed).random_sample() * start
    velocity, together = np.zeros(rates.size), item_overlaps(array, k)

    def loss(x: FloatArray) -> float:
        return observed_loss(together, x.reshape(start.shape), balance)

    for _ in range(6):
        velocity = 0.9 * velocity + approx_fprime(rates.ravel(), loss, 1e-8)
        rates = rates - 0.05 * velocity.reshape(start.shape)
    model = DataProgramming(
        class_balance=balance.tolist(), solver="epochs", n_epochs=6, learning_rate=0.05, random_state=seed
    ).fit(votes)
    assert model.loss_ == pytest.approx(item_loss(array, rates, balance), abs=1e-6)
    assert ((model.vote_rates_ > 0.011) & (model.vote_rates_ < 0.989)).any()
    np.testing.assert_allclose(model.vote_rates_.sum(axis=2), np.clip(rates, 0.01, 0.99).sum(axis=2), atol=1e-5)


def test_labels_give_the_balance_and_a_class_without_one_counts_as_half() -> None:
    votes = tw.Votes([[0, 0, 1], [1, 1, 2], [2, 2, 0], [0, 1, 2]])
    balances = [
        DataProgramming().fit(votes).class_balance_,
        DataProgramming().fit(votes, [-1, -1, -1, -1]).class_balance_,
        DataProgramming().fit(votes, [0, 1, 2, 2]).class_balance_,
        DataProgramming().fit(votes, [0, 1, 1, -1]).class_balance_,
        DataProgramming(class_balance=[0.2, 0.3, 0.5]).fit(votes, [0, 1, 2, 2]).class_balance_,
    ]
    expected = [[1 / 3] * 3, [1 / 3] * 3, [1 / 4, 1 / 4, 1 / 2], [1 / 3.5, 2 / 3.5, 0.5 / 3.5], [0.2, 0.3, 0.5]]
    np.testing.assert_allclose(balances, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"class_balance": [0.5, 0.4]}, r"sum to 1; found 0\.9.*Divide"),
        ({"class_balance": [1, 1]}, r"sum to 1; found 2"),
        ({"class_balance": [1.0, 0.0]}, r"positive; found \[1\.0, 0\.0\].*small share"),
        ({"class_balance": [np.nan, 0.5]}, r"positive; found \[nan"),
        ({"class_balance": [0.2, 0.3, 0.5]}, r"each of the 2 classes; found shape \(3,\)"),
        ({"solver": "adam"}, r'"converged" or "epochs"; found \'adam\''),
    ],
)
def test_bad_settings_are_a_clear_error(settings: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        DataProgramming(**settings).fit([[0, 1, 1], [1, 1, 0]])  # type: ignore[arg-type]


def test_too_few_iterations_are_said() -> None:
    with pytest.warns(ConvergenceWarning, match=r"still moves by .* \(tol=1\.0e-10\) after 1 iterations"):
        DataProgramming(max_iter=1).fit(exact_votes(RATES, BALANCE))


def test_many_rules_that_all_vote_diverge_in_epochs_and_converge_otherwise() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=100)
    array = np.where(rng.random((100, 200)) < 0.7, truth[:, None], 1 - truth[:, None])
    with pytest.raises(ValueError, match=r"stay finite; with learning_rate=0\.01 and 200 rules.*converged"):
        DataProgramming(solver="epochs").fit(array)
    assert DataProgramming().fit(array).score(array, truth) == 1


# What the model itself causes, whoever minimises its loss: shown, because users meet it.


def one_coin(rng: np.random.Generator, truth: IntArray, accuracies: list[float]) -> IntArray:
    is_right = rng.random((len(truth), len(accuracies))) < accuracies
    return np.where(is_right, truth[:, None], 1 - truth[:, None])


def test_a_unanimous_vote_is_overruled() -> None:
    """Two rules speak up, for class 0, mostly where the three others say 1. Alone and unanimous, they mean 1."""
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=4000)
    array = one_coin(rng, truth, [0.8] * 5)
    array[:, 3:] = np.where(rng.random((4000, 2)) < np.where(truth == 1, 0.6, 0.2)[:, None], 0, -1)
    model = DataProgramming().fit(array)
    assert model.predict_proba([[-1, -1, -1, 0, 0]])[0, 1] > 0.8
    assert model.predict([[-1, -1, -1, 0, 0]]).tolist() == [1]


def test_copies_of_a_rule_are_believed_and_the_others_are_not() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=5000)
    array = one_coin(rng, truth, [0.6, 0.75, 0.75, 0.75])[:, [0] * 5 + [1, 2, 3]]
    model = DataProgramming().fit(array)
    assert (model.accuracies_[:5] > 0.99).all()
    assert (model.accuracies_[5:] < 0.6).all()
    assert (model.predict(array) == array[:, 0]).all()
    without = array[:, [0, 5, 6, 7]]
    losses = [log_loss(truth, DataProgramming().fit(v).predict_proba(v)) for v in (array, without)]
    assert losses[0] > 10
    assert losses[1] < 0.45


def test_a_wrong_balance_costs_labels() -> None:
    """One item in ten is of class 1. The votes show it (Dawid-Skene finds it), but the balance is not asked of them."""
    rng = np.random.default_rng(0)
    truth = (rng.random(20_000) < 0.1).astype(np.int64)
    array = one_coin(rng, truth, [0.8] * 5)
    even, told = (DataProgramming(class_balance=b).fit(array).predict_proba(array) for b in (None, [0.9, 0.1]))
    assert zero_one_loss(truth, even) > 0.2
    assert zero_one_loss(truth, told) < 0.04
    assert zero_one_loss(truth, tw.DawidSkene().fit(array).predict_proba(array)) < 0.04


def turned(loadings: FloatArray, roots: FloatArray, angle: FloatArray) -> FloatArray:
    """Loadings after an orthogonal map of the classes that leaves the class balance where it is."""
    basis = np.linalg.svd(roots[None, :])[2]
    inner = np.eye(len(roots))
    inner[1:, 1:] = angle
    return np.asarray(loadings @ basis.T @ inner @ basis)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_other_rates_fit_equally_well(k: int) -> None:
    """For two classes all rules turned around, for more a whole family: the loss only sees pairs."""
    rng = np.random.default_rng(k)
    votes = tw.Votes(rng.integers(-1, k, (300, 5)), n_classes=k)
    overlaps = Overlaps.observe(votes.patterns, rng.dirichlet(np.full(k, 5)))
    loadings = rng.random((5, k, k))
    angle = -np.eye(1) if k == 2 else np.linalg.qr(rng.normal(size=(k - 1, k - 1)))[0]
    other = turned(loadings, overlaps.roots, angle)
    assert np.abs(other - loadings).max() > 0.1
    assert exact_loss(other, overlaps) == pytest.approx(exact_loss(loadings, overlaps), rel=1e-12)


def test_one_rule_is_as_good_as_the_start_says() -> None:
    """70 % of its votes are right, and of the rest half."""
    votes = [[0], [1], [-1], [0], [1]]
    model = DataProgramming().fit(votes)
    np.testing.assert_allclose(model.predict_proba([[0], [1], [-1]]), [[0.85, 0.15], [0.15, 0.85], [0.5, 0.5]])
    assert model.loss_ < 1e-18


def test_of_two_rules_only_a_product_is_known() -> None:
    """Agreement 0.82 is what accuracies 0.9 and 0.9 give, or 0.94 and 0.86...; both rules get the same here."""
    array = np.repeat([[0, 0], [1, 1], [0, 1], [1, 0]], [41, 41, 9, 9], axis=0)
    model = DataProgramming().fit(array)
    assert model.loss_ < 1e-12
    np.testing.assert_allclose(model.accuracies_, 0.9, atol=1e-5)


def test_votes_for_one_class_that_do_not_depend_on_each_other_say_nothing() -> None:
    """Snorkel is 64 to 95 % sure of class 0 here, because it stops early. Overlaps hold no such thing."""
    rows = np.array(
        [[-1, -1, -1], [0, -1, -1], [-1, 0, -1], [-1, -1, 0], [0, 0, -1], [0, -1, 0], [-1, 0, 0], [0, 0, 0]]
    )
    votes = tw.Votes(np.repeat(rows, [1, 4, 4, 4, 16, 16, 16, 64], axis=0), n_classes=2)
    proba = DataProgramming().fit(votes).predict_proba(votes)
    assert np.abs(proba - 0.5).max() < 0.01


def test_a_class_that_nobody_votes_for_gets_items_unless_its_share_is_small() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=300)
    votes = tw.Votes(one_coin(rng, truth, [0.7] * 5), n_classes=3)
    assert (DataProgramming().fit(votes).predict(votes) == 2).mean() > 0.05
    assert (DataProgramming(class_balance=[0.495, 0.495, 0.01]).fit(votes).predict(votes) < 2).all()


@pytest.mark.parametrize("name", ["cardio", "domain", "sms"])
def test_rule_order_does_not_matter_on_real_votes(name: str) -> None:
    """Cardio: one rule is constant, so many rates fit exactly. Domain: five classes. SMS: rules that say one class."""
    votes = load_paper(name).votes
    order = np.random.default_rng(0).permutation(votes.n_rules).tolist()
    first, second = (DataProgramming().fit(v).predict_proba(v) for v in (votes, votes.with_rules(order)))
    np.testing.assert_allclose(first, second, rtol=0, atol=1e-6)


def test_epochs_depend_on_the_seed_and_the_default_does_not() -> None:
    """The log loss of 100 epochs on IMDB is 0.58 to 0.69, by seed."""
    data = load_paper("imdb")
    by_seed = [
        DataProgramming(solver="epochs", random_state=s).fit(data.votes).predict_proba(data.votes) for s in (0, 9)
    ]
    assert abs(log_loss(data.labels, by_seed[0]) - log_loss(data.labels, by_seed[1])) > 0.05
    first, second = (DataProgramming(random_state=s).fit(data.votes).predict_proba(data.votes) for s in (0, 9))
    np.testing.assert_array_equal(first, second)


class PaperBalance(DataProgramming):
    """As the paper's authors called Snorkel: a class balance of 2/k each, which sums to 2."""

    def _settle_balance(self, votes: CountedVotes, y: object) -> FloatArray:
        return np.full(votes.n_classes, 2 / votes.n_classes)


def snorkel_labels(proba: FloatArray) -> IntArray:
    """The most probable class; of classes within 1e-5 of it, one by a hash of the item's position."""
    labels = proba.argmax(axis=1)
    is_best = proba >= proba.max(axis=1, keepdims=True) - 1e-5
    for i in np.flatnonzero(is_best.sum(axis=1) > 1):
        best = np.flatnonzero(is_best[i])
        labels[i] = best[int(sha1(str(i).encode(), usedforsecurity=False).hexdigest(), 16) % len(best)]
    return np.asarray(labels)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "aa2"])
def test_the_row_of_the_paper_comes_from_a_balance_that_sums_to_two(name: str) -> None:
    """Ten seeds against the authors' ten runs, within four standard errors of the difference."""
    data, found = load_paper(name), []
    for seed in range(10):
        proba = PaperBalance(solver="epochs", random_state=seed).fit(data.votes).predict_proba(data.votes)
        wrong = np.mean(snorkel_labels(proba) != data.labels)
        found.append([log_loss(data.labels, proba), brier_score(data.labels, proba), wrong])
    theirs = [reference(name, "DP")[key] for key in ("log_loss", "brier_score", "zero_one_loss")]
    variances = np.var(found, axis=0, ddof=1) / 10 + [t["std"] ** 2 / t["runs"] for t in theirs]
    off = np.mean(found, axis=0) - [t["mean"] for t in theirs]
    assert (np.abs(off) <= 4 * np.sqrt(variances) + 1e-9).all()


def test_on_one_dataset_that_balance_makes_the_epochs_chaotic() -> None:
    """The authors' mean on aa2 is 0.42. Some seeds get there, others end in nonsense or diverge."""
    data, losses = load_paper("aa2"), []
    for seed in range(10):
        try:
            model = PaperBalance(solver="epochs", random_state=seed).fit(data.votes)
        except ValueError:
            losses.append(np.inf)
        else:
            losses.append(log_loss(data.labels, model.predict_proba(data.votes)))
    assert min(np.abs(np.array(losses) - 0.42)) < 0.1
    assert max(losses) > 2
