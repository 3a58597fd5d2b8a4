"""The methods of the paper's tables, each with the settings that the paper used. One function a method.

All of them label the training items and are judged there. DP and EBCC take the number of the run as their seed; BF and
AMCL take the gold of the run.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from thumbwise._typing import FloatArray
from thumbwise.box.box import Box
from thumbwise.datasets.paper import PaperData
from thumbwise.exceptions import InfeasibleBoxError, InvalidChoiceError, MissingPackageError
from thumbwise.models.balsubramani_freund import BalsubramaniFreund
from thumbwise.models.dawid_skene import DawidSkene
from thumbwise.models.majority_vote import MajorityVote
from thumbwise.paper.experiments.draws import MAX_REDRAWS, draw_gold, paper_data
from thumbwise.paper.experiments.scoring import LOSSES, score
from thumbwise.paper.experiments.specs import Fit, Row, Settings

Method: TypeAlias = Callable[[PaperData, Fit, Settings], Row]


def measure(fit: Fit, settings: Settings) -> Row:
    """The losses of a method on a dataset, the seconds that fitting and predicting took, and what else it says."""
    if fit.method not in METHODS:
        raise InvalidChoiceError(f"method must be one of {', '.join(METHODS)}; found {fit.method!r}.")
    dataset = paper_data(fit.dataset, settings.data)
    _ = dataset.votes.patterns  # counted once for all methods, so not part of anybody's time
    started = time.perf_counter()
    row = METHODS[fit.method](dataset, fit, settings)
    return {**row, "seconds": time.perf_counter() - started}


def majority_vote(dataset: PaperData, _fit: Fit, _settings: Settings) -> Row:
    """Vote shares; uniform where there are no votes."""
    return score(dataset.labels, MajorityVote().fit(dataset.votes).predict_proba(dataset.votes))


def one_coin_dawid_skene(dataset: PaperData, _fit: Fit, _settings: Settings) -> Row:
    """EM from the majority vote, until frequencies and rates change by less than 1e-5 in sum."""
    return score(dataset.labels, DawidSkene().fit(dataset.votes).predict_proba(dataset.votes))


def data_programming(dataset: PaperData, fit: Fit, _settings: Settings) -> Row:
    """Snorkel's 100 epochs. The class balance that the authors handed over was 2/k for every class.

    With it the gradient steps can grow beyond all bounds (AwA: 36 rules that all vote). Snorkel then stops with an
    error; here the run starts again from another seed, run + 1000, run + 2000 and so on.
    """
    from thumbwise.models.data_programming import DataProgramming  # noqa: PLC0415  # a worker needs some of them only

    class TwiceUniform(DataProgramming):
        """The public class refuses a class balance that does not sum to 1."""

        def _settle_balance(self, votes: object, y: object) -> FloatArray:
            return np.full(dataset.votes.n_classes, 2 / dataset.votes.n_classes)

    for n_redrawn in range(MAX_REDRAWS + 1):
        model = TwiceUniform(solver="epochs", n_epochs=100, learning_rate=0.01, random_state=fit.run + 1000 * n_redrawn)
        try:
            proba = model.fit(dataset.votes).predict_proba(dataset.votes)
        except ValueError:
            continue
        return {**score(dataset.labels, proba), "n_redrawn": n_redrawn}
    return {**dict.fromkeys(LOSSES), "n_redrawn": MAX_REDRAWS, "note": "no start stays finite"}


def ebcc(dataset: PaperData, fit: Fit, settings: Settings) -> Row:
    """Ten subtypes, at most 100 iterations, the best of 100 starts by the number that the original ranks them by."""
    from thumbwise.models.ebcc import EBCC  # noqa: PLC0415

    model = EBCC(n_starts=settings.n_starts, rank_by="published", random_state=fit.run).fit(dataset.votes)
    return {**score(dataset.labels, model.predict_proba(dataset.votes)), "elbo": model.elbo_}


def hyper_label_model(dataset: PaperData, _fit: Fit, _settings: Settings) -> Row:
    """The published network; the row has no losses where its weights are not installed."""
    from thumbwise.models.hyper_label_model import HyperLabelModel  # noqa: PLC0415

    try:
        model = HyperLabelModel().fit(dataset.votes)
    except MissingPackageError as error:
        return {**dict.fromkeys(LOSSES), "note": str(error)}
    return score(dataset.labels, model.predict_proba(dataset.votes))


def amcl(dataset: PaperData, fit: Fit, _settings: Settings) -> Row:
    """The convex combination on votes without abstentions, as the authors filled them in; the exact optimum."""
    from thumbwise.models.amcl import AMCL  # noqa: PLC0415

    drawn = next(draw_gold(fit.dataset, fit.run, fit.n_gold, len(dataset.gold_labels)))
    model = AMCL(solver="exact").fit(
        dataset.filled_votes, gold_votes=dataset.filled_gold_votes.take(drawn), gold_labels=dataset.gold_labels[drawn]
    )
    losses = score(dataset.labels, model.predict_proba(dataset.filled_votes))
    return {**losses, "bound": model.brier_bound_, "widening_factor": model.widening_factor_}


def balsubramani_freund(dataset: PaperData, fit: Fit, _settings: Settings) -> Row:
    """The paper's recipe: Wilson's interval at 95 % for each moment, symmetrised. Its bound is no guarantee."""
    model, n_redrawn = fit_recipe(dataset, fit)
    if model is None:
        return {**dict.fromkeys(LOSSES), "n_redrawn": n_redrawn, "note": "no labeling fits any of the draws"}
    losses = score(dataset.labels, model.predict_proba(dataset.votes))
    return {**losses, "bound": model.certificate_.log_loss_bound, "n_redrawn": n_redrawn}


def best_approximator(dataset: PaperData, _fit: Fit, _settings: Settings) -> Row:
    """BF with the true moments."""
    model = fit_best_approximator(dataset)
    return {**score(dataset.labels, model.predict_proba(dataset.votes)), "bound": model.certificate_.log_loss_bound}


def fit_recipe(dataset: PaperData, fit: Fit) -> tuple[BalsubramaniFreund | None, int]:
    """A fit to the first draw that admits a labeling, and how many draws did not; None if all of them failed."""
    draws = draw_gold(fit.dataset, fit.run, fit.n_gold, len(dataset.gold_labels))
    for n_redrawn, drawn in zip(range(MAX_REDRAWS + 1), draws, strict=False):
        box = Box.from_gold(
            dataset.gold_votes.take(drawn),
            dataset.gold_labels[drawn],
            pool=dataset.votes,
            interval="wilson",
            joint=False,
            symmetric=True,
            n_permutations=0,
        )
        try:
            return BalsubramaniFreund(caution=1).fit(dataset.votes, box=box), n_redrawn
        except InfeasibleBoxError:
            continue
    return None, MAX_REDRAWS


def fit_best_approximator(dataset: PaperData) -> BalsubramaniFreund:
    """The member of the family that is closest to the true labels."""
    return BalsubramaniFreund().fit(dataset.votes, box=Box.exact(dataset.votes, dataset.labels))


METHODS: dict[str, Method] = {
    "MV": majority_vote,
    "OCDS": one_coin_dawid_skene,
    "DP": data_programming,
    "EBCC": ebcc,
    "HyperLM": hyper_label_model,
    "AMCL_CC": amcl,
    "BF": balsubramani_freund,
    "best_approximator": best_approximator,
}
DETERMINISTIC = ("MV", "OCDS", "HyperLM", "best_approximator")
USES_GOLD = ("AMCL_CC", "BF")
