"""Log loss of Stack beside that of a logistic regression on votes, on items whose label neither has seen.

``python -m studies.stack --data DIR [--draws 20] [--seed 1000]``: the paper's ten sets and four crowds, 100 gold labels
(bluebird: 54) drawn at random from the items with a known truth. Draws 0 to 19 are those on which it was settled how
much the losses of the two fits count, so the default begins elsewhere.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np

import thumbwise as tw
from studies.reporting import make_parser, markdown_table, publish
from thumbwise._typing import FloatArray, IntArray
from thumbwise.assess.baselines import logistic_regression
from thumbwise.datasets.crowd import CROWD_NAMES, CROWD_TITLES, load_crowd
from thumbwise.datasets.paper import PAPER_NAMES, PAPER_TITLES, load_paper
from thumbwise.metrics import log_loss, zero_one_loss
from thumbwise.models.compared import Split

N_GOLD, N_GOLD_OF_BLUEBIRD = 100, 54
FLOOR = 0.01


def sets(folder: str | None) -> Iterator[tuple[str, tw.Votes, IntArray]]:
    """Title, votes and truth of each."""
    for name in PAPER_NAMES:
        paper = load_paper(name, folder)
        yield PAPER_TITLES[name], paper.votes, paper.labels
    for name in CROWD_NAMES:
        crowd = load_crowd(name, folder)
        yield CROWD_TITLES[name], crowd.votes, crowd.labels


def one_draw(votes: tw.Votes, truth: IntArray, n_gold: int, seed: int) -> list[float]:
    """Log loss of Stack, of Stack with a floor, and of the regression; accuracy of the first and the last."""
    rng = np.random.default_rng(seed)
    gold = rng.choice(np.flatnonzero(truth >= 0), n_gold, replace=False)
    rest = np.setdiff1d(np.flatnonzero(truth >= 0), gold)
    y = np.full(len(truth), -1)
    y[gold] = truth[gold]
    names = [None if c < 0 else votes.class_names[c] for c in y.tolist()]
    stack: FloatArray = tw.Stack().fit(votes, names)._predict_patterns(votes)[votes.inverse[rest]]
    split = Split(votes, votes.take(gold), truth[gold], votes.take(rest), "subset", 0.95)
    plain = np.maximum(logistic_regression(split), 1e-15)
    floored = (1 - FLOOR) * stack + FLOOR / votes.n_classes
    losses = [log_loss(truth[rest], proba, clip=1e-15) for proba in (stack, floored, plain)]
    return [*losses, *(1 - zero_one_loss(truth[rest], proba) for proba in (stack, plain))]


def main() -> None:
    """Print a table."""
    parser = make_parser(__doc__, draws=20)
    parser.add_argument("--data")
    parser.set_defaults(seed=1000)
    given = parser.parse_args()
    rows = []
    for title, votes, truth in sets(given.data):
        n_gold = N_GOLD_OF_BLUEBIRD if title == "Bluebird" else N_GOLD
        seeds = range(given.seed, given.seed + given.draws)
        means = np.mean([one_draw(votes, truth, n_gold, seed) for seed in seeds], axis=0)
        rows.append([title, *(f"{mean:.4f}" for mean in means)])
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    header = ["set", "Stack", "floor of 1 %", "regression on votes", "accuracy", "of the regression"]
    table = markdown_table(header, rows)
    publish("stack", given, [table], {"log loss": table})


if __name__ == "__main__":
    main()
