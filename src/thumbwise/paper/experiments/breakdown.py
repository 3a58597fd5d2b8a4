"""Parts of the loss, due to the rules (model uncertainty) or to what is known of them (approximation uncertainty).

With d the summed KL divergence, eta the true labels and g* the best approximator, the loss of BF is
d(eta, g*) + d(g*, g_bf). One-coin Dawid-Skene lives in the same family and has the same first part; its loss with the
true accuracies and class frequencies, and with those that EM finds, are the two lines of the paper's figures.
"""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box.box import Box
from thumbwise.box.moments.linear import find_accuracies, find_frequencies
from thumbwise.datasets.paper import PaperData
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.metrics import kl_sum, log_loss
from thumbwise.models.dawid_skene import DawidSkene
from thumbwise.numerics.maxent import log_softmax, scores
from thumbwise.numerics.patterns import take_rows
from thumbwise.numerics.vote_rates import one_coin_weights
from thumbwise.paper.experiments.draws import paper_data
from thumbwise.paper.experiments.methods import fit_best_approximator, fit_recipe
from thumbwise.paper.experiments.specs import Fit, Row, Settings
from thumbwise.votes.votes import Votes

_METHODS = ("BF", "OCDS", "OCDS_true", "best_approximator")


def measure(fit: Fit, settings: Settings) -> Row:
    """Mean log loss; for BF also its two parts, each per item."""
    if fit.method not in _METHODS:
        raise InvalidChoiceError(f"method must be one of {', '.join(_METHODS)}; found {fit.method!r}.")
    dataset = paper_data(fit.dataset, settings.data)
    best = _best(fit.dataset, settings.data)
    started = time.perf_counter()
    row = _measure_recipe(dataset, fit, best) if fit.method == "BF" else {"log_loss": _loss(dataset, fit.method, best)}
    return {**row, "seconds": time.perf_counter() - started}


def dawid_skene_proba(votes: Votes, labels: IntArray) -> FloatArray:
    """One E step of one-coin Dawid-Skene with the accuracies and class frequencies that the labels have."""
    box = Box.exact(votes, labels)
    accuracies = box.lower[find_accuracies(box.about, votes.rule_names)]
    frequencies = box.lower[find_frequencies(box.about, votes.class_names)]
    weights = one_coin_weights(accuracies, frequencies)
    by_pattern = np.exp(log_softmax(scores(weights, box.moments(votes).features, votes.n_classes))[0])
    return take_rows(by_pattern, votes.inverse)


@cache
def _best(dataset: str, folder: Path | None) -> FloatArray:
    published = paper_data(dataset, folder)
    return fit_best_approximator(published).predict_proba(published.votes)


def _measure_recipe(dataset: PaperData, fit: Fit, best: FloatArray) -> Row:
    model, n_redrawn = fit_recipe(dataset, fit)
    row: Row = {"model_uncertainty": log_loss(dataset.labels, best), "n_redrawn": n_redrawn}
    if model is None:
        return {**row, "log_loss": None, "approximation_uncertainty": None, "note": "no labeling fits any of the draws"}
    proba = model.predict_proba(dataset.votes)
    distance = kl_sum(best, proba) / len(best)
    bound = model.certificate_.log_loss_bound
    return {**row, "log_loss": log_loss(dataset.labels, proba), "approximation_uncertainty": distance, "bound": bound}


def _loss(dataset: PaperData, method: str, best: FloatArray) -> float:
    if method == "OCDS_true":
        return log_loss(dataset.labels, dawid_skene_proba(dataset.votes, dataset.labels))
    if method == "OCDS":
        return log_loss(dataset.labels, DawidSkene().fit(dataset.votes).predict_proba(dataset.votes))
    return log_loss(dataset.labels, best)
