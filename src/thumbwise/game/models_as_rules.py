"""Models that have not seen gold, as further rules: how right they are there goes into the box, and goes first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from thumbwise._typing import IntArray
from thumbwise.box.box import Box
from thumbwise.box.query import asked_first
from thumbwise.exceptions import Argument, InvalidLabelsError
from thumbwise.game.prediction_costs import Predictions, add_rule, as_predictions
from thumbwise.votes.inputs import in_memory
from thumbwise.votes.votes import Votes

# Of the error, what goes into how often models are right that are asked about.
FOR_MODELS = 0.9


def box_with_models(reading: Any, models: Sequence[Any], *, confidence_level: float = 0.95) -> tuple[Votes, Box]:
    """The votes with models that have not seen gold as further rules, and the box that gold gives about all of them.

    What is asked goes first: nine tenths of the error are for how often the models are right, the rest for everything
    else that the box holds. That is settled before gold labels are seen.

    Parameters
    ----------
    reading : Reading
        Its gold items must be among its items.
    models : sequence of Predictions or array-like
        Those that agree with every gold label, or that thumbwise made with gold, are refused.
    """
    if reading.gold_is != "subset":
        raise InvalidLabelsError(
            Argument("gold_unseen"),
            " needs gold items that have a prediction; these gold items are not among the items of the votes. Drop ",
            Argument("gold_unseen"),
            ".",
        )
    pool = in_memory(reading.votes)
    given = [as_predictions(model, pool) for model in models]
    reason = reason_seen(given, reading.gold)
    if reason is not None:
        raise InvalidLabelsError(
            Argument("gold_unseen"),
            f" must be true: {reason}. The range would be false. Drop ",
            Argument("gold_unseen"),
            "; the range then holds whatever the model has seen.",
        )
    for model, name in zip(given, ("predictions", "versus"), strict=False):
        pool = add_rule(pool, model.labels, name if name not in pool.rule_names else f"{name} of the model")
    added = pool.rule_names[reading.votes.n_rules :]
    rest = replace(reading, votes=pool).box(confidence_level=1 - (1 - FOR_MODELS) * (1 - confidence_level))
    return pool, asked_first(rest, added, confidence_level)


def reason_seen(models: Sequence[Predictions], gold: IntArray) -> str | None:
    """Why one of the models has seen gold, in words, if that is to be seen in its predictions."""
    return next((reason for model in models if (reason := model.why_not_unseen(gold)) is not None), None)
