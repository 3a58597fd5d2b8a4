"""Bounds and labels with opinions and caution, beside what people would use instead: ``python -m studies.sharper``.

Gold is a random part of the pool and nothing is pinned. Bounds and losses are means over all items of the pool, and
over draws. Datasets: the paper's ten (training and validation items together), four crowds (items with a known truth),
and the verdicts of 21 language models that rate comments.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

import thumbwise as tw
from studies.drawing import (
    CROWDS,
    JUDGES,
    TITLES,
    Draw,
    Population,
    box_of_draw,
    draw_gold,
    load_population,
    split_population,
)
from studies.opinion_coverage import gold_size
from studies.reporting import make_parser, markdown_table, publish
from thumbwise._typing import FloatArray, IntArray
from thumbwise.exceptions import DegenerateFitWarning
from thumbwise.metrics import log_loss

SETS = (*TITLES, *CROWDS, JUDGES)
LEVEL = 0.95
# What a regression gives to a class that no gold item has.
_UNSEEN = 1e-9
# Accuracy may be so much lower than that of the best of the simple methods.
_POINT = 0.01


@dataclass(frozen=True)
class Fitted:
    """What a fit proves and what is true of it."""

    bound: float
    loss: float
    accuracy: float
    caution: float
    minority_recall: float


@dataclass(frozen=True)
class Outcome:
    """One draw. ``game``, ``auto`` and ``sharp`` have opinions; ``rules`` is the game without them."""

    rules: Fitted
    game: Fitted
    auto: Fitted
    sharp: Fitted
    regression_loss: float
    regression_accuracy: float
    best_rule: float


BRIEF_HEADER = [
    "data set (gold labels)",
    "bound",
    "Balsubramani-Freund",
    "logistic regression",
    "majority",
    "Dawid-Skene",
    "best rule",
]


@dataclass(frozen=True)
class Unaided:
    """Accuracies of what uses no gold label, and how much of the rarest class majority vote finds."""

    majority: float
    dawid_skene: float
    majority_minority_recall: float


def fit(draw: Draw, box: tw.Box, caution: float | Literal["auto"]) -> Fitted:
    """Fit without pinning and judge on all items."""
    model = tw.BalsubramaniFreund(caution=caution, pin_gold=False, tol=1e-6).fit(draw.pool, box=box)
    truth, labels = draw.pool_labels, model.predict(draw.pool)
    return Fitted(
        model.certificate_.log_loss_bound,
        log_loss(truth, model.predict_proba(draw.pool)),
        float(np.mean(labels == truth)),
        model.certificate_.caution,
        minority_recall(truth, labels),
    )


def minority_recall(truth: IntArray, labels: IntArray) -> float:
    """Share of the items of the rarest class that are labeled so."""
    rarest = int(np.argmin(np.bincount(truth)))
    return float(np.mean(labels[truth == rarest] == rarest))


def regress(draw: Draw) -> FloatArray:
    """Probabilities of a logistic regression on votes, one column for each rule and class."""
    gold, pool = (_one_hot(votes) for votes in (draw.gold, draw.pool))
    proba = np.full((draw.pool.n_items, draw.pool.n_classes), _UNSEEN)
    if len(np.unique(draw.gold_labels)) == 1:
        proba[:, draw.gold_labels[0]] = 1
    else:
        model = LogisticRegression(C=1.0, max_iter=1000).fit(gold, draw.gold_labels)
        proba[:, model.classes_] = model.predict_proba(pool)
    return np.asarray(proba / proba.sum(axis=1, keepdims=True))


def _one_hot(votes: tw.Votes) -> FloatArray:
    is_vote = votes.array[:, :, None] == np.arange(votes.n_classes)
    return np.asarray(is_vote.reshape(votes.n_items, -1), dtype=float)


def best_rule(draw: Draw) -> float:
    """Accuracy of the rule that is right most often on gold; gold's most frequent class where a rule abstains."""
    usual = int(np.bincount(draw.gold_labels).argmax())
    on_gold, on_pool = (np.where(votes.array >= 0, votes.array, usual) for votes in (draw.gold, draw.pool))
    best = int(np.argmax((on_gold == draw.gold_labels[:, None]).mean(axis=0)))
    return float(np.mean(on_pool[:, best] == draw.pool_labels))


def study_draw(draw: Draw) -> Outcome:
    """Everything that uses the gold labels of one draw."""
    box = box_of_draw(draw, "subset", LEVEL)
    regression = regress(draw)
    return Outcome(
        rules=fit(draw, box_of_draw(draw, "subset", LEVEL, opinions=()), 1.0),
        game=fit(draw, box, 1.0),
        auto=fit(draw, box, "auto"),
        sharp=fit(draw, box, 0.2),
        regression_loss=log_loss(draw.pool_labels, regression),
        regression_accuracy=float(np.mean(regression.argmax(axis=1) == draw.pool_labels)),
        best_rule=best_rule(draw),
    )


def study_unaided(population: Population) -> Unaided:
    """What the votes say by themselves."""
    votes, truth = population.votes, population.labels
    majority, dawid_skene = (model.fit(votes).predict(votes) for model in (tw.MajorityVote(), tw.DawidSkene()))
    return Unaided(
        float(np.mean(majority == truth)), float(np.mean(dawid_skene == truth)), minority_recall(truth, majority)
    )


def study(name: str, n_gold: int, n_draws: int, seed: int) -> tuple[list[str], list[str]]:
    """A line of the table, and one in brief."""
    population = load_population(name)
    n_gold = gold_size(population, n_gold)
    items = draw_gold(population, n_gold, "subset", n_draws, seed)
    outcomes = [study_draw(split_population(population, gold, "subset")) for gold in items]
    unaided = study_unaided(population)
    title = f"{TITLES.get(name, name)} ({n_gold})"
    return [title, *_line(outcomes, unaided)], [title, *_brief_line(outcomes, unaided)]


def _brief_line(outcomes: Sequence[Outcome], unaided: Unaided) -> list[str]:
    """The default alone, without standard errors."""
    bound = _mean(outcomes, lambda o: o.auto.bound)
    pairs = [
        (_mean(outcomes, lambda o: o.auto.loss), _mean(outcomes, lambda o: o.auto.accuracy)),
        (_mean(outcomes, lambda o: o.regression_loss), _mean(outcomes, lambda o: o.regression_accuracy)),
    ]
    simple = unaided.majority, unaided.dawid_skene, _mean(outcomes, lambda o: o.best_rule)
    cells = [f"{loss:.3f} / {accuracy:.3f}" for loss, accuracy in pairs]
    return [f"{bound:.3f}", *cells, *(f"{number:.3f}" for number in simple)]


def _line(outcomes: Sequence[Outcome], unaided: Unaided) -> list[str]:
    simple = [unaided.majority, unaided.dawid_skene, _mean(outcomes, lambda outcome: outcome.best_rule)]
    lead = _mean(outcomes, lambda outcome: outcome.auto.accuracy) - (max(simple) - _POINT)
    regression = [_mean(outcomes, part) for part in (lambda o: o.regression_loss, lambda o: o.regression_accuracy)]
    recalls = [_mean(outcomes, lambda o: o.auto.minority_recall), unaided.majority_minority_recall]
    return [
        _fit_cell(outcomes, "rules"),
        _fit_cell(outcomes, "game"),
        f"{_fit_cell(outcomes, 'auto')} at {_mean(outcomes, lambda o: o.auto.caution):.2f}",
        _fit_cell(outcomes, "sharp"),
        " / ".join(f"{number:.3f}" for number in regression),
        " / ".join(f"{number:.3f}" for number in simple),
        f"{lead:+.3f}",
        " / ".join(f"{number:.2f}" for number in recalls),
    ]


def _mean(outcomes: Sequence[Outcome], part: Callable[[Outcome], float]) -> float:
    return float(np.mean([part(outcome) for outcome in outcomes]))


def _fit_cell(outcomes: Sequence[Outcome], which: str) -> str:
    """Bound with its standard error, loss, accuracy."""
    fits = [getattr(outcome, which) for outcome in outcomes]
    bounds = np.array([one.bound for one in fits])
    error = bounds.std(ddof=1) / np.sqrt(len(fits)) if len(fits) > 1 else np.nan
    means = {field.name: np.mean([getattr(one, field.name) for one in fits]) for field in fields(Fitted)}
    return f"{means['bound']:.3f} ± {error:.3f} / {means['loss']:.3f} / {means['accuracy']:.3f}"


def main() -> None:
    """Study the datasets one after the other and print the table."""
    parser = make_parser("Bounds and labels with opinions and caution, beside other methods.", draws=20)
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS)
    parser.add_argument("--gold", type=int, default=100)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)  # a bound that was not polished is a bound
    warnings.simplefilter("ignore", DegenerateFitWarning)  # Dawid-Skene's, which the table shows
    lines, brief, started = [], [], time.perf_counter()
    work = partial(study, n_gold=arguments.gold, n_draws=arguments.draws, seed=arguments.seed)
    for name in arguments.sets:
        line, brief_line = work(name)
        lines.append(line)
        brief.append(brief_line)
        print(" | ".join(lines[-1]), f"| {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    heading = (
        f"{arguments.gold} gold labels (at most half of the items), part of the pool, not pinned, {100 * LEVEL:.0f} %; "
        f"means of {arguments.draws} draws, seed {arguments.seed}. Bound ± standard error / log loss / accuracy; "
        "regression: log loss / accuracy; accuracies of majority vote / Dawid-Skene / best rule on gold; lead: "
        "accuracy of auto over the best of these three less one point; share of the rarest class that is found: auto / "
        "majority."
    )
    header = ["set (gold)", "rules alone, caution 1", "caution 1", "caution auto", "caution 0.2", "regression"]
    parts = [heading, markdown_table([*header, "simple methods", "lead", "rarest class"], lines)]
    publish("sharper", arguments, parts, {f"{arguments.gold} labels": markdown_table(BRIEF_HEADER, brief)})


if __name__ == "__main__":
    main()
