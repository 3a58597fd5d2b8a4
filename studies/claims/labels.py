"""Labels of items without gold: accuracy, log loss and calibration of ours beside other methods.

Gold is a random part of the items. Every method is judged on the same items, those without gold, a draw at a time, so
that leads are means of paired differences. What uses no gold label is fitted once. Nothing is chosen by the truth: each
method is as it comes, and CROWDLAB, which needs a classifier, gets the regression on gold's votes.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from benchmarks.launching import Job, WorkerError
from benchmarks.workers.label_models import PEERS
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

import thumbwise as tw
from studies.drawing import JUDGES, TITLES, Population, draw_gold, load_population
from studies.opinion_coverage import gold_size
from studies.ratings import load_case as load_ratings
from studies.reporting import markdown_table
from thumbwise._typing import FloatArray, IntArray
from thumbwise.assess.baselines import best_rule, log_losses, logistic_regression
from thumbwise.exceptions import DegenerateFitWarning
from thumbwise.metrics import zero_one_loss
from thumbwise.models.base import LabelModel
from thumbwise.models.compared import Split

OURS = "thumbwise"
MAJORITY = "majority vote"
RATINGS = "judges' ratings"
MEASURES = ("accuracy", "log loss", "calibration error")
# Which way is better.
_SIGN = np.array([1.0, -1.0, -1.0])
# What a score says of each measure.
_BY_MEASURE = ("mean", "error", "lead", "lead_error", "is_best")
_BINS = 15
# Seconds for each package on each set.
_PATIENCE = 300

UNAIDED: Mapping[str, Callable[[], LabelModel]] = {
    MAJORITY: tw.MajorityVote,
    "Dawid-Skene": partial(tw.DawidSkene, kind="full"),
    "one-coin Dawid-Skene": tw.DawidSkene,
    "data programming": tw.DataProgramming,
}


@dataclass(frozen=True, eq=False)
class Case:
    """A population, and what we are given of it if that is more than its votes.

    Attributes
    ----------
    ratings : ScoredVotes or None
        Beside the verdicts, which are all that the other methods can read.
    columns : ndarray or None
        For the regression, in place of votes.
    """

    title: str
    population: Population
    ratings: tw.ScoredVotes | None = None
    columns: FloatArray | None = None

    @classmethod
    def load(cls, name: str) -> Case:
        """One of the sets, or the judges with their ratings."""
        if name != RATINGS:
            return cls(TITLES.get(name, name), load_population(name))
        ratings = load_ratings().ratings
        filled = ratings.fillna(ratings.mean()).to_numpy()
        columns = (filled - filled.mean(axis=0)) / filled.std(axis=0)
        return cls(RATINGS, load_population(JUDGES), tw.ScoredVotes(ratings, scores=1), columns)


@dataclass(frozen=True)
class Score:
    """One method on one set, by measure.

    Attributes
    ----------
    mean, error : tuple of float
        Mean over the draws, and its standard error.
    lead, lead_error : tuple of float
        How much better ours is on the same draws, and the standard error of that paired difference.
    is_best : tuple of bool
        Whether this method is the best on the set, or within one standard error of it; for others than ours, of a
        paired difference too.
    item_error : float or None
        Standard error of the lead in accuracy over the items: how far it could be another on other items of this kind,
        whatever gold is drawn. None where it was not measured.
    """

    mean: tuple[float, ...]
    error: tuple[float, ...]
    lead: tuple[float, ...]
    lead_error: tuple[float, ...]
    is_best: tuple[bool, ...]
    item_error: float | None = None

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Score:
        """As it was written."""
        by_measure: dict[str, Any] = {part: tuple(told[part]) for part in _BY_MEASURE}
        return cls(item_error=told.get("item_error"), **by_measure)


@dataclass(frozen=True)
class Found:
    """What each method reached on one set with so many gold labels."""

    title: str
    n_gold: int
    scores: Mapping[str, Score]

    @classmethod
    def of(
        cls, title: str, n_gold: int, measured: Mapping[str, FloatArray], right: Mapping[str, FloatArray] | None = None
    ) -> Found:
        """From the measures of each draw, shape (n_draws, n_measures), and which items were right, NaN where gold."""
        scores = {method: _score(method, measured) for method in measured}
        if right is not None:
            errors = {method: _item_error(right[OURS], theirs) for method, theirs in right.items()}
            scores = {method: replace(score, item_error=errors[method]) for method, score in scores.items()}
        return cls(title, n_gold, scores)

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Found:
        """As it was written."""
        scores = {method: Score.read(score) for method, score in told["scores"].items()}
        return cls(told["title"], told["n_gold"], scores)

    def lead(self, method: str, measure: int) -> tuple[float, float]:
        """How much better ours is, and the standard error of that."""
        score = self.scores[method]
        return score.lead[measure], score.lead_error[measure]

    def best_other(self, measure: int) -> str:
        """The method that ours leads least."""
        others = [method for method in self.scores if method != OURS]
        return min(others, key=lambda method: self.lead(method, measure)[0])

    def is_best(self, measure: int, method: str = OURS) -> bool:
        """Whether it is best, or within one standard error of it."""
        return self.scores[method].is_best[measure]

    def is_worse(self, method: str, measure: int) -> bool:
        """Whether ours is behind it beyond noise: by more than two standard errors."""
        lead, error = self.lead(method, measure)
        return lead < -2 * error

    def is_behind(self, method: str, times: float) -> bool:
        """Whether it is in accuracy by so many standard errors of both draws and items; of draws where items have none."""
        lead, error = self.lead(method, 0)
        return lead < -times * float(np.hypot(error, self.scores[method].item_error or 0.0))

    @property
    def counts_items(self) -> bool:
        """Whether errors over the items were measured."""
        return all(score.item_error is not None for score in self.scores.values())

    @property
    def is_level(self) -> bool:
        """Whether no other is ahead in accuracy by more than one of these."""
        return not any(self.is_behind(method, 1) for method in self.scores if method != OURS)


def _score(method: str, measured: Mapping[str, FloatArray]) -> Score:
    own, ahead = measured[method], _ahead(measured[OURS], measured[method])
    rivals = [_ahead(own, theirs) for other, theirs in measured.items() if other != method]
    is_best = [
        all(_is_near(rival[:, number]) for rival in rivals if rival[:, number].mean() == least)
        for number, least in enumerate(np.min([rival.mean(axis=0) for rival in rivals], axis=0))
    ]
    mean, lead = (_rounded(part.mean(axis=0)) for part in (own, ahead))
    error, lead_error = (_rounded(_errors(part)) for part in (own, ahead))
    return Score(mean, error, lead, lead_error, tuple(is_best))


def _ahead(ours: FloatArray, theirs: FloatArray) -> FloatArray:
    """Over the draws that both have."""
    n_both = min(len(ours), len(theirs))
    return np.asarray(_SIGN * (ours[:n_both] - theirs[:n_both]))


def _item_error(ours: FloatArray, theirs: FloatArray) -> float:
    """Of the mean over items of how much more often ours was right, in the draws that both have."""
    n_both = min(len(ours), len(theirs))
    ahead = ours[:n_both] - theirs[:n_both]
    is_judged = ~np.isnan(ahead)
    more_often = np.nansum(ahead, axis=0) / np.maximum(is_judged.sum(axis=0), 1)
    return _rounded(_errors(more_often[is_judged.any(axis=0), None]))[0]


def _is_near(ahead: FloatArray) -> bool:
    return bool(ahead.mean() >= -_errors(ahead[:, None])[0])


def _errors(values: FloatArray) -> FloatArray:
    """Standard errors of the means of columns."""
    n = len(values)
    return np.asarray(values.std(axis=0, ddof=1) / np.sqrt(n)) if n > 1 else np.zeros(values.shape[1])


def _rounded(values: FloatArray) -> tuple[float, ...]:
    return tuple(round(float(value), 6) for value in values)


def calibration_error(truth: IntArray, proba: FloatArray) -> float:
    """Expected calibration error: of the label's probability against how often it is right, in bins of equal width."""
    sure = proba.max(axis=1)
    right = proba.argmax(axis=1) == truth
    bins = np.minimum((sure * _BINS).astype(np.int64), _BINS - 1)
    gaps = np.bincount(bins, right - sure, minlength=_BINS)
    return float(np.abs(gaps).sum() / len(truth))


def measure(truth: IntArray, proba: FloatArray) -> FloatArray:
    """Accuracy, of ties the share; log loss, none of an item above that of probability 0.001; calibration error."""
    right = 1 - zero_one_loss(truth, proba, ties="share")
    return np.array([right, log_losses(truth, proba).mean(), calibration_error(truth, proba)])


def right_shares(truth: IntArray, proba: FloatArray) -> FloatArray:
    """Of each item: 1 where its label is right, 0 where it is wrong, of ties the share."""
    is_most = proba >= proba.max(axis=1, keepdims=True)
    return np.asarray(is_most[np.arange(len(truth)), truth] / is_most.sum(axis=1))


def ours(case: Case, gold: IntArray) -> FloatArray:
    """Probabilities of all items, everything as by default."""
    votes = case.population.votes if case.ratings is None else case.ratings
    y = np.full(len(case.population.labels), -1)
    y[gold] = case.population.labels[gold]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # labels are judged here, not how tight the bound is
        return np.asarray(tw.BalsubramaniFreund().fit(votes, y).predict_proba(votes))


def taught(case: Case, gold: IntArray) -> dict[str, FloatArray]:
    """What learns from gold's votes alone: probabilities of all items."""
    votes, labels = case.population.votes, case.population.labels
    split = Split(votes, votes.take(gold), labels[gold], votes, "subset", 0.95)
    regression = logistic_regression(split) if case.columns is None else _regress(case.columns, labels, gold)
    return {"logistic regression": regression, "best judge": best_rule(split)}


def _regress(columns: FloatArray, labels: IntArray, gold: IntArray) -> FloatArray:
    model = LogisticRegression(C=1.0, max_iter=1000).fit(columns[gold], labels[gold])
    return np.asarray(model.predict_proba(columns))


def unaided(votes: tw.Votes) -> dict[str, FloatArray]:
    """Probabilities from the votes alone, by the models that we have ourselves."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", DegenerateFitWarning)  # what the table shows
        return {name: np.asarray(make().fit(votes).predict_proba(votes)) for name, make in UNAIDED.items()}


def ask_peers(votes: tw.Votes, classifier: FloatArray, python: Path) -> tuple[dict[str, FloatArray], dict[str, str]]:
    """Probabilities by each package, shape (n_draws or 1, n_items, n_classes), and what those said that refused."""
    with TemporaryDirectory() as folder:
        told = Path(folder) / "told.npz"
        np.savez(told, votes=votes.array, n_classes=votes.n_classes, classifier=classifier)
        try:
            said = Job("label_models", told, folder, _PATIENCE, python=str(python.absolute())).run()
            refused = json.loads(said.splitlines()[-1])
        except WorkerError as error:
            refused = dict.fromkeys(PEERS, str(error))
        answers = {
            method: np.load(Path(folder) / f"{number}.npy")
            for number, method in enumerate(PEERS)
            if method not in refused
        }
    return answers, refused


@dataclass(frozen=True)
class Task:
    """A set, and how it is drawn from; without an interpreter no package is asked."""

    name: str
    sizes: tuple[int, ...]
    n_draws: int
    seed: int
    python: Path | None = None


def study(task: Task) -> tuple[list[Found], dict[str, str]]:
    """One set with each number of gold labels, and which packages refused."""
    return study_case(Case.load(task.name), task)


def study_case(case: Case, task: Task) -> tuple[list[Found], dict[str, str]]:
    """The same of a case that is at hand."""
    population = case.population
    once = unaided(population.votes)
    draws = [
        draw_gold(population, gold_size(population, size), "subset", task.n_draws, task.seed) for size in task.sizes
    ]
    own = [[{OURS: ours(case, gold), **once, **taught(case, gold)} for gold in golds] for golds in draws]
    answers, refused = _peers_of(case, own, task.python)
    found = []
    for place, golds in enumerate(draws):
        said = [{**own[place][number], **_of_draw(answers, place, number)} for number in range(len(golds))]
        found.append(_judge(case, golds, said))
    return found, refused


def _judge(case: Case, golds: IntArray, said: Sequence[Mapping[str, FloatArray]]) -> Found:
    """What was said after each draw, measured on the items that are not gold in it."""
    truth = case.population.labels
    scores: dict[str, list[FloatArray]] = {}
    right: dict[str, list[FloatArray]] = {}
    for gold, answers in zip(golds, said, strict=True):
        is_rest = ~np.isin(np.arange(len(truth)), gold)
        for method, proba in answers.items():
            scores.setdefault(method, []).append(measure(truth[is_rest], proba[is_rest]))
            right.setdefault(method, []).append(np.where(is_rest, right_shares(truth, proba), np.nan))
    measured, of_items = ({method: np.array(rows) for method, rows in part.items()} for part in (scores, right))
    return Found.of(case.title, len(golds[0]), measured, of_items)


def _peers_of(
    case: Case, own: Sequence[Sequence[Mapping[str, FloatArray]]], python: Path | None
) -> tuple[dict[str, FloatArray], dict[str, str]]:
    """What packages say: arrays of shape (n_sizes, n_draws, ...), or (1, 1, ...) if gold is nothing to them."""
    if python is None:
        return {}, {}
    classifier = np.array([[draw["logistic regression"] for draw in size] for size in own])
    flat = classifier.reshape(-1, *classifier.shape[2:])
    answers, refused = ask_peers(case.population.votes, flat, python)
    shaped = {
        method: proba.reshape(classifier.shape) if len(proba) == len(flat) > 1 else proba[None]
        for method, proba in answers.items()
    }
    return shaped, refused


def _of_draw(answers: Mapping[str, FloatArray], place: int, number: int) -> dict[str, FloatArray]:
    """Those that have an answer to this draw."""
    once = {method: proba[0, 0] for method, proba in answers.items() if proba.shape[:2] == (1, 1)}
    each = {method: proba for method, proba in answers.items() if method not in once and number < proba.shape[1]}
    return {**once, **{method: proba[place, number] for method, proba in each.items()}}


def tally(found: Sequence[Found], measure: int) -> dict[str, int]:
    """On how many sets each method is the best or within one standard error of it, most first."""
    methods = dict.fromkeys(method for one in found for method in one.scores)
    counts = {name: sum(name in one.scores and one.is_best(measure, name) for one in found) for name in methods}
    return dict(sorted(counts.items(), key=lambda entry: -entry[1]))


def table(found: Sequence[Found], measure: int) -> str:
    """Losses of ours first."""
    methods = list(dict.fromkeys(method for one in found for method in one.scores))
    rows = []
    for one in sorted(found, key=lambda one: one.lead(one.best_other(measure), measure)[0]):
        best = one.best_other(measure)
        cells = [f"{one.scores[name].mean[measure]:.3f}" if name in one.scores else "-" for name in methods]
        cells[0] += f" ± {one.scores[OURS].error[measure]:.3f}"
        rows.append([f"{one.title} ({one.n_gold})", "{:+.3f} ± {:.3f}".format(*one.lead(best, measure)), best, *cells])
    return markdown_table(["set (gold)", "lead", "best other", *methods], rows)
