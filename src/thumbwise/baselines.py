"""What a comparison puts side by side: each method predicts gold items from the gold of other folds and the pool."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from thumbwise._typing import FloatArray, IntArray
from thumbwise.box import Box
from thumbwise.exceptions import Argument, InvalidChoiceError
from thumbwise.gold import GoldIs
from thumbwise.models.amcl import AMCL
from thumbwise.models.balsubramani_freund import BalsubramaniFreund
from thumbwise.models.base import LabelModel
from thumbwise.models.data_programming import DataProgramming
from thumbwise.models.dawid_skene import DawidSkene
from thumbwise.models.ebcc import EBCC
from thumbwise.models.hyper_label_model import HyperLabelModel
from thumbwise.models.majority_vote import MajorityVote
from thumbwise.patterns import ABSTAIN
from thumbwise.votes import Votes

# No method is charged more than -log of this for one item; vote shares of 0 would cost infinity otherwise.
CLIP = 1e-3


@dataclass(frozen=True, eq=False)
class Split:
    """What a method may use, and the gold items that it is judged on.

    Attributes
    ----------
    pool : Votes
        Items without labels, as far as the method knows.
    fit_votes, fit_labels : Votes, ndarray of shape (n_fit,)
        Gold of the other folds; none for a method that does not use gold.
    votes : Votes
        The gold items to predict.
    """

    pool: Votes
    fit_votes: Votes
    fit_labels: IntArray
    votes: Votes
    gold_is: GoldIs
    confidence_level: float

    @property
    def n_classes(self) -> int:
        return self.pool.n_classes


@dataclass(frozen=True)
class Method:
    """A name, and how it predicts the items of a split: an array of shape (n_items, n_classes)."""

    name: str
    predict: Callable[[Split], FloatArray]
    uses_gold: bool = True


def class_shares(split: Split) -> FloatArray:
    """Class frequencies of gold for every item, counted as if each class had been seen once more."""
    counts = np.bincount(split.fit_labels, minlength=split.n_classes) + 1.0
    return np.tile(counts / counts.sum(), (split.votes.n_items, 1))


def best_rule(split: Split) -> FloatArray:
    """The rule that alone loses least on gold: its votes, right as often as on gold; class frequencies elsewhere."""
    shares = class_shares(split)[:1]
    rates = [_rate_right(split.fit_votes.array[:, j], split.fit_labels) for j in range(split.pool.n_rules)]
    losses = [
        log_losses(split.fit_labels, _alone(split.fit_votes.array[:, j], rate, shares)).mean()
        for j, rate in enumerate(rates)
    ]
    best = int(np.argmin(losses))
    return _alone(split.votes.array[:, best], rates[best], shares)


def _rate_right(said: IntArray, labels: IntArray) -> float:
    return float((np.sum(said == labels) + 1) / (np.sum(said != ABSTAIN) + 2))


def _alone(said: IntArray, rate: float, shares: FloatArray) -> FloatArray:
    n_classes = shares.shape[1]
    proba = np.repeat(shares, len(said), axis=0)
    spoke = np.flatnonzero(said != ABSTAIN)
    proba[spoke] = (1 - rate) / (n_classes - 1)
    proba[spoke, said[spoke]] = rate
    return proba


def logistic_regression(split: Split) -> FloatArray:
    """Multinomial logistic regression, L2 penalty, C = 1, on each rule's vote as one of its classes or silence."""
    seen = np.unique(split.fit_labels)
    proba = np.zeros((split.votes.n_items, split.n_classes))
    if len(seen) == 1:
        return class_shares(split)
    model = LogisticRegression(C=1.0, max_iter=1000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(_one_hot(split.fit_votes), split.fit_labels)
    proba[:, seen] = model.predict_proba(_one_hot(split.votes))
    return proba


def _one_hot(votes: Votes) -> FloatArray:
    return np.hstack([votes.array == c for c in range(ABSTAIN, votes.n_classes)]).astype(float)


def balsubramani_freund(split: Split) -> FloatArray:
    """The game, with the box that the gold of the other folds gives, widened if it is empty."""
    box = Box.from_gold(
        split.fit_votes,
        split.fit_labels,
        pool=split.pool,
        gold_is=split.gold_is,
        confidence_level=split.confidence_level,
        n_permutations=0,  # nothing is stated about this box
    )
    return BalsubramaniFreund(on_infeasible="widen", tol=1e-6).fit(split.pool, box=box).predict_proba(split.votes)


def data_programming(split: Split) -> FloatArray:
    """Data programming on the votes of the pool, with the class shares of gold as its class balance."""
    model = DataProgramming(class_balance=class_shares(split)[0])
    return model.fit(split.pool).predict_proba(split.votes)


def amcl(split: Split) -> FloatArray:
    """The convex combination of rules that is best against the worst labeling that gold leaves open."""
    model = AMCL(on_infeasible="widen")
    model.fit(split.pool, gold_votes=split.fit_votes, gold_labels=split.fit_labels)
    return model.predict_proba(split.votes)


def from_votes(model: LabelModel) -> Callable[[Split], FloatArray]:
    """A model that is fitted to the votes of the pool alone."""
    return lambda split: clone(model).fit(split.pool).predict_proba(split.votes)


REFERENCE = Method("Balsubramani-Freund", balsubramani_freund)
METHODS: tuple[Method, ...] = (
    REFERENCE,
    Method("majority vote", from_votes(MajorityVote()), uses_gold=False),
    Method("best single rule", best_rule),
    Method("class frequencies", class_shares),
    Method("logistic regression on votes", logistic_regression),
    Method("Dawid-Skene", from_votes(DawidSkene()), uses_gold=False),
)
ALL_METHODS: tuple[Method, ...] = (
    *METHODS,
    Method("Dawid-Skene (class-conditional)", from_votes(DawidSkene(kind="class_conditional")), uses_gold=False),
    Method("Dawid-Skene (full)", from_votes(DawidSkene(kind="full")), uses_gold=False),
    Method("data programming", data_programming),
    Method("EBCC", from_votes(EBCC()), uses_gold=False),
    Method("AMCL", amcl),
    Method("hyper label model", from_votes(HyperLabelModel()), uses_gold=False),
)

MethodChoice: TypeAlias = Literal["default", "all"] | Sequence[str | Method]


def choose_methods(chosen: MethodChoice) -> tuple[Method, ...]:
    """Methods by name, the first six or all; the reference is always among them."""
    if isinstance(chosen, str):
        if chosen not in ("default", "all"):
            raise InvalidChoiceError(
                Argument("methods"), f' must be "default", "all" or a list of names; found {chosen!r}.'
            )
        return METHODS if chosen == "default" else ALL_METHODS
    named = {method.name: method for method in ALL_METHODS}
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


def log_losses(labels: IntArray, proba: FloatArray) -> FloatArray:
    """Log loss of each item, with probabilities clipped and rescaled."""
    clipped = np.clip(proba, CLIP, 1 - CLIP)
    clipped = clipped / clipped.sum(axis=1, keepdims=True)
    return np.asarray(-np.log(clipped[np.arange(len(labels)), labels]))
