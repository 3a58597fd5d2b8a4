"""What a fitted model adds up: a number for each class, and one for each vote and class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from thumbwise._typing import FloatArray
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.moments import (
    ConditionalRate,
    LinearMoment,
    MomentBuilder,
    accuracies,
    class_accuracies,
    class_frequencies,
    confusion_cells,
)
from thumbwise.numerics.vote_rates import log_rates
from thumbwise.patterns import ABSTAIN
from thumbwise.votes import Votes

# Kinds of moments whose features are a sum over votes, and do not ask for the item's group.
_ADDITIVE = (accuracies, class_frequencies, class_accuracies, confusion_cells)


@dataclass(frozen=True, eq=False)
class Terms:
    """Score of class c = sum over the votes v of rules j of ``by_vote[j, v, c]``, plus ``by_class[c]``.

    Attributes
    ----------
    by_vote : ndarray of shape (n_rules, n_classes, n_classes)
        By rule, class voted for, class that is scored.
    by_class : ndarray of shape (n_classes,)
    are_shares : bool
        Whether probabilities are scores divided by their sum (the same for all classes if that is 0). Otherwise they
        are a softmax.
    """

    by_vote: FloatArray
    by_class: FloatArray
    are_shares: bool = False


def find_terms(model: Any) -> Terms:
    """Terms of a fitted model of a kind that has them."""
    check_is_fitted(model)
    # By name, not by type, because models may import this module. The class that holds the formula decides.
    holders = (cls for cls in type(model).__mro__ if "_predict_patterns" in vars(cls))
    holder = next(holders, type(model))
    read = _READERS.get(f"{holder.__module__}.{holder.__qualname__}")
    if read is None:
        known = ", ".join(name.rpartition(".")[2] for name in _READERS)
        raise InvalidChoiceError(
            f"SQL needs a model that adds up what votes say: one of {known}; found {holder.__name__}. "
            "Predict in Python, and write the probabilities to the database."
        )
    return read(model)


def _of_majority_vote(model: Any) -> Terms:
    k = len(model.classes_)
    return Terms(np.tile(np.eye(k), (len(model.rule_names_), 1, 1)), np.zeros(k), are_shares=True)


def _of_dawid_skene(model: Any) -> Terms:
    return Terms(log_rates(model.rates_), log_rates(model.class_frequencies_))


def _of_data_programming(model: Any) -> Terms:
    return Terms(np.log(model.vote_rates_), np.log(model.class_balance_))


def _of_balsubramani_freund(model: Any) -> Terms:
    """Weights times features, read off an item without votes and off items with one vote each."""
    for builder in model.box_.builders:
        _check_additive(builder)
    n_rules, k = len(model.rule_names_), len(model.classes_)
    rows = np.full((1 + n_rules * k, n_rules), ABSTAIN)
    rows[1 + np.arange(n_rules * k), np.repeat(np.arange(n_rules), k)] = np.tile(np.arange(k), n_rules)
    votes = Votes(rows, class_names=model.classes_.tolist(), rule_names=model.rule_names_)
    # Rows of features are (pattern, class). Their differences are taken before weights come in, so nothing is rounded.
    features = model.box_.moments(votes).features
    cells = votes.inverse.astype(np.int64)[:, None] * k + np.arange(k)
    silent = features[cells[0]]
    by_class = silent @ model.weights_
    by_vote = [(features[row] - silent) @ model.weights_ for row in cells[1:]]
    return Terms(np.array(by_vote).reshape(n_rules, k, k), np.asarray(by_class))


def _check_additive(builder: MomentBuilder) -> None:
    of_groups = isinstance(builder, LinearMoment) and set(builder.coefficients) - {None}
    if (
        builder in _ADDITIVE
        or isinstance(builder, ConditionalRate)
        or (isinstance(builder, LinearMoment) and not of_groups)
    ):
        return
    name = getattr(builder, "name", getattr(builder, "__name__", type(builder).__name__))
    raise InvalidChoiceError(
        "SQL needs moments that are sums over the votes of an item: accuracies, class frequencies, class accuracies, "
        f"confusion cells, conditional rates, linear moments without groups; the box also has {name!r}. Fit "
        "without it, or predict in Python."
    )


_READERS: dict[str, Callable[[Any], Terms]] = {
    "thumbwise.models.majority_vote.MajorityVote": _of_majority_vote,
    "thumbwise.models.dawid_skene.DawidSkene": _of_dawid_skene,
    "thumbwise.models.data_programming.DataProgramming": _of_data_programming,
    "thumbwise.models.balsubramani_freund.BalsubramaniFreund": _of_balsubramani_freund,
}
