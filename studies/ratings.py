"""Ratings as evidence for another label: ``python -m studies.ratings``.

21 language models rate 5,000 comments from 0 to 9; people say whether they are toxic. Gold is a random part of the pool
and everything is as by default. Beside the ratings themselves: the verdicts that each judge's own middle gives, the
verdicts "5 or more", and plain regressions, which prove nothing; how strongly these are held back was chosen with the
truth at hand, to their advantage. Losses and accuracies are those of items without gold.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import thumbwise as tw
from studies.drawing import data_folder
from studies.reporting import make_parser, markdown_table, publish
from thumbwise._typing import FloatArray, IntArray
from thumbwise.metrics import log_loss

_TOXIC = 5


class Outcome(NamedTuple):
    """One draw of gold."""

    bound: float
    loss: float
    accuracy: float
    accuracy_at_least: float
    caution: float


class Case(NamedTuple):
    """Ratings, and what people say."""

    ratings: pd.DataFrame
    truth: IntArray


def load_case() -> Case:
    """The judges, from the folder beside the paper's datasets."""
    folder = data_folder().parent / "judges"
    ratings, truth = (pd.read_csv(folder / f"{table}.csv", index_col="item") for table in ("ratings", "truth"))
    return Case(ratings, truth.loc[ratings.index, "toxic"].to_numpy(dtype=np.int64))


def ways(case: Case) -> Mapping[str, Callable[[IntArray], Outcome]]:
    """What is done with the gold items of a draw, by name."""
    scored = tw.ScoredVotes(case.ratings, scores=1)
    verdicts = tw.ScoredVotes(case.ratings, scores=1, threshold=_TOXIC).verdicts()
    filled = case.ratings.fillna(case.ratings.mean()).to_numpy()
    by_vote = np.concatenate([verdicts.array == c for c in range(2)], axis=1).astype(float)
    standard = (filled - filled.mean(axis=0)) / filled.std(axis=0)
    return {
        "ratings (`ScoredVotes`)": lambda gold: label(scored, case.truth, gold),
        "verdicts at each judge's own middle": lambda gold: label(scored.verdicts(), case.truth, gold),
        "verdicts 5 or more": lambda gold: label(verdicts, case.truth, gold),
        "regression on ratings, C = 0.03": lambda gold: regress(standard, case.truth, gold, 0.03),
        "regression on verdicts 5 or more, C = 0.1": lambda gold: regress(by_vote, case.truth, gold, 0.1),
    }


def label(votes: tw.Votes, truth: IntArray, gold: IntArray) -> Outcome:
    """Labels as by default."""
    y = np.full(len(truth), -1)
    y[gold] = truth[gold]
    model = tw.BalsubramaniFreund(tol=1e-6).fit(votes, y)
    certificate, rest = model.certificate_, y < 0
    loss = log_loss(truth[rest], model.predict_proba(votes)[rest])
    right = float(np.mean(model.predict(votes)[rest] == truth[rest]))
    proved = certificate.accuracy_at_least or 0.0
    return Outcome(certificate.log_loss_bound, loss, right, proved, certificate.caution)


def regress(columns: FloatArray, truth: IntArray, gold: IntArray, strength: float) -> Outcome:
    """A logistic regression, which proves nothing."""
    rest = np.setdiff1d(np.arange(len(truth)), gold)
    model = LogisticRegression(C=strength, max_iter=1000).fit(columns[gold], truth[gold])
    proba = model.predict_proba(columns[rest])
    right = float(np.mean(proba.argmax(axis=1) == truth[rest]))
    return Outcome(np.nan, log_loss(truth[rest], proba), right, np.nan, np.nan)


def _line(name: str, outcomes: Sequence[Outcome]) -> list[str]:
    table = np.array(outcomes, dtype=float)
    error = table.std(axis=0, ddof=1) / np.sqrt(len(table)) if len(table) > 1 else np.full(table.shape[1], np.nan)
    cells = [f"{mean:.3f} ± {more:.3f}" for mean, more in zip(table.mean(axis=0), error, strict=True)]
    return [name, *("-" if cell.startswith("nan") else cell for cell in cells)]


def main() -> None:
    """Draw, label, print the table."""
    parser = make_parser("Ratings as evidence for another label, beside verdicts.", draws=20)
    parser.add_argument("--gold", type=int, default=100)
    parser.add_argument("--only", type=int, help="so many of the ways, from the first on")
    arguments = parser.parse_args()
    case, lines = load_case(), []
    for name, way in list(ways(case).items())[: arguments.only]:
        rng = np.random.default_rng(arguments.seed)
        draws = [rng.choice(len(case.truth), arguments.gold, replace=False) for _ in range(arguments.draws)]
        lines.append(_line(name, [way(gold) for gold in draws]))
        print(" | ".join(lines[-1]), file=sys.stderr, flush=True)
    heading = (
        f"{arguments.gold} gold labels of 5,000 comments, 95 %, default labels; means ± standard errors of "
        f"{arguments.draws} draws, seed {arguments.seed}."
    )
    header = ["labels from", "bound", "log loss", "accuracy", "accuracy proved", "caution"]
    table = markdown_table(header, lines)
    publish("ratings", arguments, [heading, table], {f"{arguments.gold} labels": table})


if __name__ == "__main__":
    main()
