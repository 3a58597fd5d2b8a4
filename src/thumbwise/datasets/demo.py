"""What ``thumbwise demo`` shows: judges who err together, and how right several methods are about them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.assess.baselines import choose_methods, log_losses
from thumbwise.datasets.examples import Demo
from thumbwise.datasets.judges import make_judges
from thumbwise.metrics import first_best
from thumbwise.models.base import LabelModel
from thumbwise.models.compared import Split
from thumbwise.numerics.even_panel import verdicts, weighted_scores

_SEED = 0
# Names in a comparison, and what they are called here.
_OTHERS = {
    "logistic regression on votes": "logistic regression on gold's votes",
    "best single rule": "best single judge on gold",
    "majority vote": "majority vote",
    "Dawid-Skene": "Dawid-Skene",
}


class Score(NamedTuple):
    """A line of the demo's table."""

    method: str
    log_loss: float
    accuracy: float


def load_demo() -> Demo:
    """2,000 answers, twelve LLM judges of whom seven err together, 120 gold labels; the same at every call.

    They are made up, by :func:`make_judges`, so the truth is known.

    Returns
    -------
    Demo

    Examples
    --------
    >>> from thumbwise.datasets import load_demo
    >>> demo = load_demo()
    >>> demo.votes
    Votes: 2,000 items x 12 rules, 1,945 patterns; classes 'right', 'partial', 'wrong'; -1 = abstain (24.7 % of votes)
    >>> len(demo.gold)
    120
    """
    return make_judges(random_state=_SEED)


def score_methods(demo: Demo, model: LabelModel) -> list[Score]:
    """Mean log loss and accuracy on the items that are not gold: of a fitted model first, then of others, best first.

    They see the same votes and, if they use gold, the same gold. Log losses are those of :func:`tw.compare`, where no
    item costs more than -log(0.001).
    """
    split = _split(demo)
    labels = demo.labels[others(demo)]
    rows = [
        _score(_OTHERS[method.name], labels, method.predict(split))
        for method in choose_methods([*_OTHERS])
        if method.name in _OTHERS
    ]
    return [_score("thumbwise", labels, model.predict_proba(split.votes)), *sorted(rows, key=lambda row: row.log_loss)]


def others(demo: Demo) -> IntArray:
    """Positions of the items that are not gold."""
    return np.setdiff1d(np.arange(len(demo.labels)), demo.gold)


def misled(demo: Demo) -> IntArray:
    """Positions of the items, not gold, on which another class than the true one has most votes."""
    patterns = demo.votes.patterns
    most = verdicts(weighted_scores(patterns, np.ones(patterns.n_rules)))[demo.votes.inverse]
    errs = (most >= 0) & (most != demo.labels)
    return np.setdiff1d(np.flatnonzero(errs), demo.gold)


def _split(demo: Demo) -> Split:
    return Split(
        pool=demo.votes,
        fit_votes=demo.votes.take(demo.gold),
        fit_labels=demo.labels[demo.gold],
        votes=demo.votes.take(others(demo)),
        gold_is="subset",
        confidence_level=0.95,
    )


def _score(name: str, labels: IntArray, proba: FloatArray) -> Score:
    return Score(name, float(log_losses(labels, proba).mean()), float((first_best(proba) == labels).mean()))
