"""All kinds of Dawid-Skene against loops over items: one iteration, known labels, prior counts, limits, conversions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.exceptions import ConvergenceWarning

import thumbwise as tw
from support.problems import FloatArray, IntArray, make_votes
from thumbwise.numerics.vote_rates import KINDS, Kind, one_coin_parameters, one_coin_weights

pytestmark = pytest.mark.filterwarnings("ignore::thumbwise.exceptions.DegenerateFitWarning")


def rate(
    kind: Kind, votes: IntArray, proba: FloatArray, j: int, said: int, true: int, right: float, wrong: float
) -> float:
    """One rate from weighted items, as the docstring says it; ``right`` and ``wrong`` are prior counts per class."""
    k = proba.shape[1]
    voted = [i for i in range(len(votes)) if votes[i, j] >= 0]
    if kind == "full":
        count = sum(proba[i, true] for i in voted if votes[i, j] == said)
        total = sum(proba[i, true] for i in voted)
        prior = right if said == true else wrong / (k - 1)
        return float((count + prior) / (total + right + wrong)) if total + right + wrong > 0 else 1 / k
    classes = range(k) if kind == "one_coin" else [true]
    count = sum(proba[i, c] for i in voted for c in classes if votes[i, j] == c) + right * len(classes)
    total = sum(proba[i, c] for i in voted for c in classes) + (right + wrong) * len(classes)
    b = float(count / total) if total > 0 else 1 / k
    return b if said == true else (1 - b) / (k - 1)


def log_joint(votes: IntArray, rates: FloatArray, frequencies: FloatArray) -> FloatArray:
    out = np.tile(np.log(frequencies), (len(votes), 1))
    for i, j in zip(*np.nonzero(votes >= 0), strict=True):
        out[i] += np.log(rates[j, votes[i, j]])
    return out


def clamp(proba: FloatArray, y: IntArray) -> FloatArray:
    return np.where(y[:, None] >= 0, np.eye(proba.shape[1])[y], proba)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_iterations_are_those_of_a_loop_over_items(seed: int, kind: Kind) -> None:
    rng = np.random.default_rng(seed)
    k, n_rules = int(rng.integers(2, 4)), int(rng.integers(1, 5))
    labels, array = make_votes(rng, 25, n_rules, k)
    y = np.where(rng.random(25) < 0.3, labels, -1)
    proba = clamp(tw.MajorityVote().fit(tw.Votes(array, n_classes=k)).predict_proba(array), y)
    for n_iter in range(1, 4):
        rates = np.array(
            [
                [[rate(kind, array, proba, j, v, c, 1.5, 0.5) for c in range(k)] for v in range(k)]
                for j in range(n_rules)
            ]
        )
        frequencies = (proba.sum(axis=0) + 2) / (len(array) + 2 * k)
        joint = log_joint(array, rates, frequencies)
        free = np.exp(joint) / np.exp(joint).sum(axis=1, keepdims=True)
        with pytest.warns(ConvergenceWarning, match="still changes"):
            model = tw.DawidSkene(kind=kind, prior_right=1.5, prior_wrong=0.5, prior_class=2, tol=0, max_iter=n_iter)
            model.fit(tw.Votes(array, n_classes=k), y)
        np.testing.assert_allclose(model.rates_, rates, atol=1e-12)
        np.testing.assert_allclose(model.predict_proba(array), free, atol=1e-10)
        known = y >= 0
        expected = np.log(np.exp(joint[~known]).sum(axis=1)).sum() + joint[known, y[known]].sum()
        diagonal = np.einsum("jcc->jc", np.log(rates)).sum()
        expected += 1.5 * diagonal + 0.5 / (k - 1) * (np.log(rates).sum() - diagonal) + 2 * np.log(frequencies).sum()
        assert model.objective_path_[-1] == pytest.approx(expected, abs=1e-8)
        proba = clamp(free, y)


@pytest.mark.parametrize("accelerate", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_the_likelihood_is_flat_at_the_end(seed: int, accelerate: bool) -> None:
    """Its slope by finite differences, in log-odds of the rates, item by item; prior counts keep rates off 0 and 1."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(2, size=60)
    array = np.where(rng.random((60, 4)) < [0.9, 0.8, 0.7, 0.6], labels[:, None], 1 - labels[:, None])
    model = tw.DawidSkene(kind="full", prior_right=1, prior_wrong=1, prior_class=1, tol=1e-11, accelerate=accelerate)
    model.fit(array)

    def objective(free: FloatArray) -> float:
        share = 1 / (1 + np.exp(-free))
        rates = np.stack([share[:-1].reshape(4, 2), 1 - share[:-1].reshape(4, 2)], axis=1)
        frequencies = np.array([share[-1], 1 - share[-1]])
        joint = log_joint(array, rates, frequencies)
        return float(np.logaddexp.reduce(joint, axis=1).sum() + np.log(rates).sum() + np.log(frequencies).sum())

    share = np.append(model.rates_[:, 0].ravel(), model.class_frequencies_[0])
    found = np.log(share / (1 - share))
    assert np.abs(approx_fprime(found, objective, 1e-6)).max() < 1e-3
    assert np.abs(approx_fprime(found + 0.1, objective, 1e-6)).max() > 0.1


def test_acceleration_needs_fewer_iterations_to_the_same_point() -> None:
    """Weak rules make plain expectation maximisation slow; the likelihood here has one maximum nearby."""
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=3000)
    wrong = (labels[:, None] + rng.integers(1, 3, (3000, 5))) % 3
    votes = tw.Votes(np.where(rng.random((3000, 5)) < [0.5, 0.55, 0.5, 0.6, 0.5], labels[:, None], wrong))
    for kind in KINDS:
        plain = tw.DawidSkene(kind=kind, tol=1e-9, max_iter=100_000).fit(votes)
        fast = tw.DawidSkene(kind=kind, tol=1e-9, max_iter=100_000, accelerate=True).fit(votes)
        np.testing.assert_allclose(fast.predict_proba(votes), plain.predict_proba(votes), atol=1e-5)
        assert fast.n_iter_ < plain.n_iter_ / 2


@pytest.mark.parametrize("seed", range(5))
def test_two_classes_make_two_kinds_one(seed: int) -> None:
    _, array = make_votes(np.random.default_rng(seed), 80, 5, 2)
    first, second = (tw.DawidSkene(kind=kind).fit(tw.Votes(array, n_classes=2)) for kind in KINDS[1:])
    np.testing.assert_allclose(first.predict_proba(array), second.predict_proba(array), atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_all_labels_known_leaves_counting(kind: Kind) -> None:
    rng = np.random.default_rng(3)
    labels, array = make_votes(rng, 200, 4, 3)
    model = tw.DawidSkene(kind=kind).fit(tw.Votes(array, n_classes=3), labels)
    truth = np.eye(3)[labels]
    for j in range(4):
        counted = [[rate(kind, array, truth, j, v, c, 0, 0) for c in range(3)] for v in range(3)]
        np.testing.assert_allclose(model.rates_[j], counted, atol=1e-12)
    np.testing.assert_allclose(model.class_frequencies_, np.bincount(labels) / 200, atol=1e-12)


def test_items_with_an_id_keep_a_known_label() -> None:
    votes = tw.Votes([[0, 0]] * 9 + [[1, 1]] * 9, item_ids=[f"item {i}" for i in range(18)])
    model = tw.DawidSkene(prior_right=1, prior_wrong=1).fit(votes, [1] + [-1] * 17)
    np.testing.assert_array_equal(model.predict_proba(votes)[0], [0, 1])
    assert model.predict_proba(votes)[1, 0] > 0.9
    assert model.predict(votes).tolist() == [1] + [0] * 8 + [1] * 9


@pytest.mark.parametrize("kind", KINDS)
def test_rules_that_never_err_give_certainty_and_no_nan(kind: Kind) -> None:
    votes = tw.Votes([[0, 0, 0]] * 5 + [[1, 1, 1]] * 5)
    model = tw.DawidSkene(kind=kind).fit(votes)
    proba = model.predict_proba([[0, 0, -1], [0, 0, 1], [0, 1, -1], [-1, -1, -1]])
    np.testing.assert_allclose(proba[:, 0], np.array([1, 1, 0.5, 0.5]), atol=1e-12)


def test_rules_that_always_err_are_read_backwards() -> None:
    """Two liars against three honest rules, all perfect: accuracies 0 and 1, and the votes of liars still tell."""
    truth = np.array([0, 1] * 20)
    votes = np.column_stack([truth, truth, truth, 1 - truth, 1 - truth])
    for kind in KINDS:
        model = tw.DawidSkene(kind=kind).fit(votes)
        np.testing.assert_allclose(model.accuracies_, [1, 1, 1, 0, 0], atol=1e-9)
        np.testing.assert_allclose(model.predict_proba([[-1, -1, -1, 0, 0]]), [[0, 1]], atol=1e-9)


@pytest.mark.parametrize("k", [2, 3, 7])
def test_weights_and_parameters_convert_both_ways(k: int) -> None:
    rng = np.random.default_rng(k)
    accuracies, frequencies = rng.uniform(0.01, 0.99, 6), rng.dirichlet(np.ones(k))
    back = one_coin_parameters(one_coin_weights(accuracies, frequencies), k)
    np.testing.assert_allclose(back[0], accuracies, rtol=1e-12)
    np.testing.assert_allclose(back[1], frequencies, rtol=1e-12)
    weights = rng.normal(0, 3, 6 + k)
    again = one_coin_weights(*one_coin_parameters(weights, k))
    np.testing.assert_allclose(again[:6], weights[:6], rtol=1e-9)
    np.testing.assert_allclose(np.diff(again[6:]), np.diff(weights[6:]), rtol=1e-9)


def test_any_member_of_the_family_is_some_one_coin_model() -> None:
    """The answer of Balsubramani-Freund is one E step with the parameters that its weights stand for."""
    rng = np.random.default_rng(1)
    _, array = make_votes(rng, 60, 4, 3)
    votes = tw.Votes(array, n_classes=3)
    game = tw.BalsubramaniFreund().fit(
        votes, box=tw.Box.from_bounds(votes, lower=[0.4] * 4 + [0.2] * 3, upper=[0.8] * 7)
    )
    accuracies, frequencies = one_coin_parameters(game.weights_, 3)
    rates = np.array([[[b if v == c else (1 - b) / 2 for c in range(3)] for v in range(3)] for b in accuracies])
    joint = np.exp(log_joint(array, rates, frequencies))
    np.testing.assert_allclose(game.predict_proba(votes), joint / joint.sum(axis=1, keepdims=True), atol=1e-9)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kind": "two_coin"}, "kind must be one of 'one_coin', 'class_conditional', 'full'; found 'two_coin'"),
        ({"prior_right": -1}, "prior_right must be a count of at least 0; found -1"),
        ({"prior_class": float("nan")}, "prior_class must be a count of at least 0; found nan"),
    ],
)
def test_bad_parameters_are_named(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tw.DawidSkene(**parameters).fit([[0, 1], [1, 1]])  # type: ignore[arg-type]
