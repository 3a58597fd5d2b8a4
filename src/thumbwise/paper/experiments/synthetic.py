"""Data that obeys one-coin Dawid-Skene, and how fast the best approximator approaches what made the labels.

The paper's figure has one curve, the mean KL divergence from the distribution to the best approximator. The same for
Dawid-Skene with the empirical accuracies and class frequencies, of which the paper says that it converges, and for
Dawid-Skene with EM, which sees no labels, are further methods here.
"""

from __future__ import annotations

import time
from functools import lru_cache

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.box import Box
from thumbwise.datasets.synthetic import Synthetic, make_paper_synthetic
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.metrics import log_loss
from thumbwise.models.balsubramani_freund import BalsubramaniFreund
from thumbwise.models.dawid_skene import DawidSkene
from thumbwise.paper.experiments.breakdown import dawid_skene_proba
from thumbwise.paper.experiments.draws import SEED
from thumbwise.paper.experiments.specs import Fit, Row, Settings
from thumbwise.votes.votes import Votes

_METHODS = ("OCDS", "OCDS_true", "best_approximator")


@lru_cache(maxsize=4)
def draw_items(run: int, n_items: int) -> Synthetic:
    """The first items of a draw, whose seed is 2024 + run."""
    return make_paper_synthetic(n_items, random_state=SEED + run)


def measure(fit: Fit, _settings: Settings) -> Row:
    """Mean KL divergence from P(class | votes) to a prediction for the first items of a draw."""
    if fit.method not in _METHODS:
        raise InvalidChoiceError(f"method must be one of {', '.join(_METHODS)}; found {fit.method!r}.")
    drawn = draw_items(fit.run, fit.n_items)
    started = time.perf_counter()
    proba = _predict(fit.method, drawn.votes, drawn.labels)
    seconds = time.perf_counter() - started
    # With clipped probabilities, as in every log loss here: a class that is not among the first items gets 0.
    return {"kl": log_loss(drawn.proba, proba) - log_loss(drawn.proba, drawn.proba), "seconds": seconds}


def _predict(method: str, votes: Votes, labels: IntArray) -> FloatArray:
    if method == "OCDS_true":
        return dawid_skene_proba(votes, labels)
    if method == "OCDS":
        return DawidSkene().fit(votes).predict_proba(votes)
    return BalsubramaniFreund().fit(votes, box=Box.exact(votes, labels)).predict_proba(votes)
