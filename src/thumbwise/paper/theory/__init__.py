"""The theorems of An and Dasgupta (UAI 2024) as functions, for items whose truth is known. See ``docs/theory.md``.

Everything is in nats per item and in weights per vote; :func:`paper_weights` has the paper's units.
"""

from thumbwise.numerics.vote_rates import one_coin_parameters, one_coin_weights
from thumbwise.paper.theory.bounds import (
    Bounds,
    bound_approximation,
    bound_both_ways,
    bound_loss,
    comparison_threshold,
)
from thumbwise.paper.theory.decomposition import (
    Decomposition,
    OneCoinDecomposition,
    OneCoinEstimation,
    decompose,
    decompose_box,
    decompose_one_coin,
    explain_estimation,
    game_weights,
    pythagorean_sides,
)
from thumbwise.paper.theory.family import (
    divergence,
    log_predictions,
    paper_weights,
    predicted_moments,
    weights_from_paper,
)
from thumbwise.paper.theory.inconsistency import Inconsistency, em_step, expected_table
from thumbwise.paper.theory.lightest import lightest_weights
from thumbwise.paper.theory.logistic import (
    L1Regression,
    LogisticForm,
    as_logistic_regression,
    l1_regression_game,
    logistic_features,
    solve_l1_regression,
    weight_matrix,
)
from thumbwise.paper.theory.truth import Truth

__all__ = [
    "Bounds",
    "Decomposition",
    "Inconsistency",
    "L1Regression",
    "LogisticForm",
    "OneCoinDecomposition",
    "OneCoinEstimation",
    "Truth",
    "as_logistic_regression",
    "bound_approximation",
    "bound_both_ways",
    "bound_loss",
    "comparison_threshold",
    "decompose",
    "decompose_box",
    "decompose_one_coin",
    "divergence",
    "em_step",
    "expected_table",
    "explain_estimation",
    "game_weights",
    "l1_regression_game",
    "lightest_weights",
    "log_predictions",
    "logistic_features",
    "one_coin_parameters",
    "one_coin_weights",
    "paper_weights",
    "predicted_moments",
    "pythagorean_sides",
    "solve_l1_regression",
    "weight_matrix",
    "weights_from_paper",
]
