"""AMCL under the paper's protocol: ten seeded draws of a hundred labels, on the authors' filled votes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from scipy.io import loadmat

import thumbwise as tw
from support.paper import NAMES, PaperData, load_paper, paper_folder, reference
from support.problems import FloatArray, IntArray
from thumbwise.metrics import brier_score, log_loss, zero_one_loss
from thumbwise.models.amcl import AMCL

METRICS: dict[str, Callable[[IntArray, FloatArray], float]] = {
    "log_loss": log_loss,
    "zero_one_loss": zero_one_loss,
    "brier_score": brier_score,
}
N_DRAWS = 10


@cache
def load_filled(name: str) -> PaperData:
    """Abstentions replaced by the authors' random votes, where there were any."""
    if not (paper_folder() / f"{name}_filled.mat").exists():
        return load_paper(name)
    content = loadmat(paper_folder() / f"{name}_filled.mat")
    labels, gold_labels = (content[key].ravel().astype(np.int64) for key in ("train_labels", "validation_labels"))
    votes, gold = (tw.Votes(content[key], n_classes=int(labels.max()) + 1) for key in ("train_pred", "val_pred"))
    return PaperData(votes, labels, gold, gold_labels)


def fit_draw(data: PaperData, seed: int, solver: str) -> AMCL:
    drawn = np.random.default_rng(seed).choice(len(data.gold_labels), 100, replace=False)
    model = AMCL(solver=solver)  # type: ignore[arg-type]
    return model.fit(data.votes, gold_votes=data.gold_votes.take(drawn), gold_labels=data.gold_labels[drawn])


def check_against_authors(name: str, models: list[AMCL], data: PaperData) -> None:
    """Means within four standard errors; where neither side varies, equal."""
    losses = [[loss(data.labels, model.predict_proba(data.votes)) for loss in METRICS.values()] for model in models]
    for metric, ours in zip(METRICS, np.array(losses).T, strict=True):
        known = reference(name, "AMCL_CC")[metric]
        error = np.hypot(np.std(ours, ddof=1) / np.sqrt(len(ours)), known["std"] / np.sqrt(known["runs"]))
        assert abs(np.mean(ours) - known["mean"]) <= 4 * error + 1e-9, metric


# AwA is left out: 500 steps end far from its optimum, whose worst case is lower and whose Brier score is higher.
SOLVED = [pytest.param(name, marks=pytest.mark.slow) if name == "sms" else name for name in NAMES if name != "aa2"]


@pytest.mark.parametrize("name", SOLVED)
def test_the_optimum_has_the_authors_losses(name: str) -> None:
    data = load_filled(name)
    models = [fit_draw(data, seed, "exact") for seed in range(N_DRAWS)]
    assert max(model.gap_ for model in models) < 1e-8
    check_against_authors(name, models, data)


# SMS takes more than a minute for each draw; studies/amcl.py has it.
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name != "sms"])
def test_subgradient_steps_have_the_authors_losses_and_no_lower_bound(name: str) -> None:
    data = load_filled(name)
    models = [fit_draw(data, seed, "subgradient") for seed in range(N_DRAWS)]
    check_against_authors(name, models, data)
    for seed, model in enumerate(models):
        assert fit_draw(data, seed, "exact").brier_bound_ <= model.brier_bound_ + 1e-9


@pytest.mark.parametrize("name", ["basketball", "imdb", "sms", "yelp", "youtube"])
def test_abstentions_left_as_they_are_beat_random_votes(name: str) -> None:
    """A tenth or more off the authors' log loss, and a lower Brier score and error, on all five that abstain."""
    data = load_paper(name)
    losses = []
    for seed in range(N_DRAWS):
        proba = fit_draw(data, seed, "exact").predict_proba(data.votes)
        losses.append([loss(data.labels, proba) for loss in METRICS.values()])
    for metric, ours in zip(METRICS, np.mean(losses, axis=0), strict=True):
        share = 0.9 if metric == "log_loss" else 1
        assert ours < share * reference(name, "AMCL_CC")[metric]["mean"], metric
