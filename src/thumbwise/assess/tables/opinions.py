"""Opinions: what the panel says together, how often gold finds it right, and what it weighs; apart from rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from thumbwise.assess.tables.fitted import ACTIVE, read_fitted
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.box.box import Box
from thumbwise.box.moments.linear import LEARNED, OPINION, About
from thumbwise.box.opinions.choosing import MAJORITY
from thumbwise.box.opinions.opinion import WeightedVote
from thumbwise.models.balsubramani_freund import BalsubramaniFreund


def opinions_table(model: BalsubramaniFreund, votes: Any) -> Tidy:
    """One row per opinion of the box, in its order; the learned one, if there is one, last.

    Of an opinion gold counts how often it is right where it speaks. The learned one gives probabilities, and what is
    bounded is its mean log loss. *Guarantee*: intervals and bound hold as the box says; all else is counted.

    Parameters
    ----------
    model, votes
        As for :func:`rules_table`.

    Returns
    -------
    Tidy
        Columns ``opinion``, ``kind`` ("opinion" or "learned opinion"), ``n_items`` (on which it speaks), ``coverage``,
        ``gold_votes``, ``gold_right``, ``gold_accuracy``, ``lower``, ``upper`` (interval of the accuracy),
        ``log_loss_bound`` (of the learned one), ``weight`` and ``active``; None where something does not apply. The
        weight is the log-odds that its verdict adds to a class; of the learned one, how many times its log
        probabilities count.

    Examples
    --------
    >>> import thumbwise as tw
    >>> made = tw.datasets.make_one_coin(400, [0.9, 0.8, 0.7, 0.7, 0.6], random_state=0)
    >>> model = tw.BalsubramaniFreund().fit(made.votes, [c if i < 100 else -1 for i, c in enumerate(made.labels)])
    >>> tw.displays.opinions_table(model, made.votes)["opinion"]
    ('majority vote', 'panel', 'learned from gold')
    """
    pool, box = read_fitted(model, votes), model.box_
    places = [m for m, moment in enumerate(box.about) if moment.kind in (OPINION, LEARNED)]
    sizes = box.moments(pool).sizes if places else np.zeros(0)
    rows = [_row(model, m, int(sizes[m]), pool.n_items) for m in places]
    return Tidy.of({name: [row[name] for row in rows] for name in _COLUMNS}, chance=1 / pool.n_classes)


_COLUMNS = (
    "opinion",
    "kind",
    "n_items",
    "coverage",
    "gold_votes",
    "gold_right",
    "gold_accuracy",
    "lower",
    "upper",
    "log_loss_bound",
    "weight",
    "active",
)


def _name(box: Box, moment: About) -> str:
    """What people call it. A function of the user's own keeps its name, whatever it is."""
    if moment.kind == LEARNED:
        return "learned from gold"
    own = {builder.name for builder in box.builders if isinstance(builder, WeightedVote)}
    return "majority vote" if moment.subject == MAJORITY and MAJORITY in own else moment.subject


def _row(model: BalsubramaniFreund, m: int, n_items: int, n_all: int) -> dict[str, Any]:
    box, moment = model.box_, model.box_.about[m]
    learned = moment.kind == LEARNED
    drawn, right = (
        None if learned or counted is None else int(counted[m]) for counted in (box.gold_drawn, box.gold_right)
    )
    weight = float(model.weights_[m])
    return {
        "opinion": _name(model.box_, moment),
        "kind": moment.kind,
        "n_items": n_items,
        "coverage": n_items / max(1, n_all),
        "gold_votes": drawn,
        "gold_right": right,
        "gold_accuracy": right / drawn if drawn and right is not None else None,
        "lower": None if learned else float(box.lower[m]),
        "upper": None if learned else float(box.upper[m]),
        "log_loss_bound": float(box.upper[m]) if learned else None,
        "weight": 0.0 - weight if learned else weight,
        "active": ACTIVE[int(model.active_[m])],
    }
