"""Methods that a comparison puts side by side: each predicts gold items from the gold of other folds and the pool."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from thumbwise._typing import FloatArray, IntArray
from thumbwise.exceptions import Argument, InvalidChoiceError
from thumbwise.models.balsubramani_freund import BalsubramaniFreund
from thumbwise.models.base import LabelModel
from thumbwise.models.compared import Compared, Split
from thumbwise.models.registry import registered
from thumbwise.numerics.patterns import ABSTAIN
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.votes import Votes

# No method is charged more than -log of this for one item; vote shares of 0 would cost infinity otherwise.
CLIP = 1e-3


@dataclass(frozen=True)
class Method:
    """A name, and how it predicts the items of a split: an array of shape (n_items, n_classes).

    Attributes
    ----------
    name : str
    predict : callable
    uses_gold : bool
    make : callable or None
        Gives a fitted model for a split, if the method is one.
    """

    name: str
    predict: Callable[[Split], FloatArray]
    uses_gold: bool = True
    make: Callable[[Split], LabelModel] | None = None

    def fit(self, split: Split) -> LabelModel:
        """As a fitted model, which predicts any items; what is no model is asked anew each time."""
        return SplitModel(self, split).fit(split.pool) if self.make is None else self.make(split)


class SplitModel(LabelModel):
    """A method that is no model, as one: what it says of each pattern, from the same gold and the same pool.

    Parameters
    ----------
    method : Method
    split : Split
        What the method may use.
    """

    def __init__(self, method: Method, split: Split) -> None:
        self.method = method
        self.split = split

    def fit(self, votes: Any, y: Any = None) -> SplitModel:
        """Learn nothing but the names of rules and classes."""
        self._remember(votes)
        return self

    def _predict_patterns(self, votes: CountedVotes) -> FloatArray:
        rows = Votes(votes.patterns.to_rows(), class_names=votes.class_names, rule_names=votes.rule_names)
        return self.method.predict(replace(self.split, votes=rows))


def class_shares(split: Split) -> FloatArray:
    """Class frequencies of gold for every item, counted as if each class had been seen once more."""
    return np.tile(split.class_shares, (split.votes.n_items, 1))


def best_rule(split: Split) -> FloatArray:
    """The rule that alone loses least on gold: its votes, right as often as on gold; class frequencies elsewhere."""
    shares = split.class_shares[None]
    rates = [_rate_right(split.fit_votes.array[:, j], split.fit_labels) for j in range(split.pool.n_rules)]
    losses = [
        log_losses(split.fit_labels, _alone(split.fit_votes.array[:, j], rate, shares)).mean()
        for j, rate in enumerate(rates)
    ]
    best = int(np.argmin(losses))
    return _alone(split.votes.array[:, best], rates[best], shares)


def _rate_right(votes_of_rule: IntArray, labels: IntArray) -> float:
    return float((np.sum(votes_of_rule == labels) + 1) / (np.sum(votes_of_rule != ABSTAIN) + 2))


def _alone(votes_of_rule: IntArray, rate: float, shares: FloatArray) -> FloatArray:
    n_classes = shares.shape[1]
    proba = np.repeat(shares, len(votes_of_rule), axis=0)
    spoke = np.flatnonzero(votes_of_rule != ABSTAIN)
    proba[spoke] = (1 - rate) / (n_classes - 1)
    proba[spoke, votes_of_rule[spoke]] = rate
    return proba


def logistic_regression(split: Split) -> FloatArray:
    """Multinomial logistic regression, L2 penalty, C = 1, on each rule's vote as one of its classes or silence."""
    seen = np.unique(split.fit_labels)
    proba = np.zeros((split.votes.n_items, split.n_classes))
    if len(seen) == 1:
        return class_shares(split)
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  # commands that only label do without

    model = LogisticRegression(C=1.0, max_iter=1000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        table = _one_hot(split.fit_votes)
        shown = table.any(axis=0)  # the penalty keeps the weights of votes that nobody gave at 0
        model.fit(table[:, shown], split.fit_labels)
    proba[:, seen] = model.predict_proba(_one_hot(split.votes)[:, shown])
    return proba


def _one_hot(votes: Votes) -> FloatArray:
    return np.hstack([votes.array == c for c in range(ABSTAIN, votes.n_classes)]).astype(float)


def _as_method(model_class: type[LabelModel], row: Compared) -> Method:
    """A model as it offers itself: each time a new one, with its parameters for comparisons."""

    def make(split: Split) -> LabelModel:
        model: LabelModel = model_class(**row.parameters)._fit_split(split)
        return model

    def predict(split: Split) -> FloatArray:
        return make(split).predict_proba(split.votes)

    return Method(row.name, predict, uses_gold=row.uses_gold or model_class._needs_labels, make=make)


REFERENCE = _as_method(BalsubramaniFreund, BalsubramaniFreund._compared[0])
# What is no model, and still worth beating.
_PLAIN = (
    Method("best single rule", best_rule),
    Method("class frequencies", class_shares),
    Method("logistic regression on votes", logistic_regression),
)


def list_methods(*, by_default: bool = False) -> tuple[Method, ...]:
    """The reference, models, and what is no model; all models, or those that are compared without being asked for."""
    rows = [(model_class, row) for model_class in registered().values() for row in model_class._compared]
    rows.sort(key=lambda one: not one[1].by_default)
    models = (_as_method(*one) for one in rows if one[1].by_default or not by_default)
    return (REFERENCE, *(method for method in models if method.name != REFERENCE.name), *_PLAIN)


MethodChoice: TypeAlias = Literal["default", "all"] | Sequence[str | Method]


def choose_methods(chosen: MethodChoice) -> tuple[Method, ...]:
    """Methods by name, those that are compared by default or all; the reference is always among them."""
    if isinstance(chosen, str):
        if chosen not in ("default", "all"):
            raise InvalidChoiceError(
                Argument("methods"), f' must be "default", "all" or a list of names; found {chosen!r}.'
            )
        return list_methods(by_default=chosen == "default")
    named = {method.name: method for method in list_methods()}
    strange = [name for name in chosen if isinstance(name, str) and name not in named]
    if strange:
        raise InvalidChoiceError(
            Argument("methods"), f" must be some of {', '.join(map(repr, named))}; found {strange[0]!r}."
        )
    methods = tuple(named[name] if isinstance(name, str) else name for name in chosen)
    names = [method.name for method in methods]
    if len(set(names)) < len(names):
        raise InvalidChoiceError(Argument("methods"), f" must have different names; found {names}.")
    return methods if REFERENCE.name in names else (REFERENCE, *methods)


def find_method(name: str) -> Method:
    """A method by the name that comparisons give it, in whatever case, with or without hyphens, spaces and brackets.

    Examples
    --------
    >>> find_method("dawid skene").name, find_method("DAWID-SKENE full").name
    ('Dawid-Skene', 'Dawid-Skene (full)')
    """
    methods = list_methods()
    for method in methods:
        if _plain_name(method.name) == _plain_name(name):
            return method
    raise InvalidChoiceError(
        Argument("method"), f" must be 'auto' or one of {', '.join(repr(one.name) for one in methods)}; found {name!r}."
    )


def _plain_name(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()


def log_losses(labels: IntArray, proba: FloatArray) -> FloatArray:
    """Log loss of each item, with probabilities clipped and rescaled."""
    clipped = np.clip(proba, CLIP, 1 - CLIP)
    clipped = clipped / clipped.sum(axis=1, keepdims=True)
    return np.asarray(-np.log(clipped[np.arange(len(labels)), labels]))
