"""Metrics against scikit-learn and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import log_loss as sklearn_log_loss

from thumbwise.metrics import brier_score, first_best, kl_sum, log_loss, zero_one_loss


@pytest.mark.parametrize("k", [2, 3, 6])
def test_log_loss_is_scikit_learns(k: int) -> None:
    rng = np.random.default_rng(k)
    y, proba = rng.integers(k, size=50), rng.dirichlet(np.ones(k), size=50)
    assert log_loss(y, proba, clip=0) == pytest.approx(sklearn_log_loss(y, proba, labels=range(k)), abs=1e-12)


def test_clipping_bounds_the_cost_of_a_sure_error() -> None:
    wrong = np.array([[1.0, 0.0]])
    assert log_loss([1], wrong) == pytest.approx(-np.log(1e-15), abs=1e-9)
    assert log_loss([1], wrong, clip=1e-3) == pytest.approx(-np.log(1e-3), abs=1e-9)
    assert log_loss([1], wrong, clip=0) == np.inf


def test_soft_truth_is_a_cross_entropy() -> None:
    truth, proba = np.array([[0.3, 0.7], [1.0, 0.0]]), np.array([[0.5, 0.5], [0.9, 0.1]])
    expected = -(0.3 * np.log(0.5) + 0.7 * np.log(0.5) + np.log(0.9)) / 2
    assert log_loss(truth, proba, clip=0) == pytest.approx(expected)


def test_brier_sums_over_classes() -> None:
    assert brier_score([0, 1], [[0.0, 1.0], [0.25, 0.75]]) == pytest.approx((2 + 2 * 0.25**2) / 2)


def test_ties_go_to_the_first_class_or_are_shared() -> None:
    proba = np.array([[0.4, 0.4, 0.2], [0.1, 0.45, 0.45]])
    assert zero_one_loss([1, 2], proba) == 1.0
    assert zero_one_loss([1, 2], proba, ties="share") == pytest.approx(0.5)
    assert zero_one_loss([0, 1], proba) == 0.0


def test_what_differs_by_rounding_is_a_tie() -> None:
    np.testing.assert_array_equal(first_best(np.array([[0.5 - 1e-16, 0.5 + 1e-16], [0.4, 0.6]])), [0, 1])


def test_kl_sum_is_zero_at_the_truth_and_infinite_off_its_support() -> None:
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(4), size=20)
    assert kl_sum(p, p) == 0
    q = rng.dirichlet(np.ones(4), size=20)
    assert kl_sum(p, q) == pytest.approx((p * np.log(p / q)).sum())
    assert kl_sum([[0.5, 0.5]], [[1.0, 0.0]]) == np.inf
    assert kl_sum([[1.0, 0.0]], [[1.0, 0.0]]) == 0


@pytest.mark.parametrize(
    ("y", "proba"), [([2], [[0.5, 0.5]]), ([-1], [[0.5, 0.5]]), ([0, 1], [[0.5, 0.5]]), ([0.5], [[0.5, 0.5]])]
)
def test_truth_that_does_not_fit_is_refused(y: list[float], proba: list[list[float]]) -> None:
    with pytest.raises(ValueError, match=r"class numbers|one row per item"):
        log_loss(y, proba)
