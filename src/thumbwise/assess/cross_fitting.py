"""Methods fitted to the gold of other folds, so that each gold item is predicted without its label; which does best."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from thumbwise._typing import FloatArray, IntArray
from thumbwise.assess.baselines import REFERENCE, Method, MethodChoice, choose_methods, log_losses
from thumbwise.box.gold import GoldSample
from thumbwise.exceptions import InvalidLabelsError, Message, MissingPackageError, TooLargeError
from thumbwise.models.base import LabelModel
from thumbwise.models.compared import Split
from thumbwise.numerics.one_thread import one_thread

N_FOLDS = 10


@dataclass(frozen=True, eq=False)
class Run:
    """Predictions of one method for all gold items, each from a fit that has not seen its label.

    Attributes
    ----------
    method : Method
    proba : ndarray of shape (n_gold, n_classes)
    seconds : float
        Of one fit and its predictions, the mean over folds; after the first fold with what is left of the one before.
    """

    method: Method
    proba: FloatArray
    seconds: float


@dataclass(frozen=True)
class Choice:
    """The method with the lowest cross-fitted log loss on gold.

    Attributes
    ----------
    method : Method
    losses : mapping of str to float
        Of all methods that were tried, lowest first.
    n_folds : int
    """

    method: Method
    losses: Mapping[str, float]
    n_folds: int

    def __str__(self) -> str:
        best, *others = self.losses.items()
        shown = [*others[:1], *((name, loss) for name, loss in others[1:] if name == REFERENCE.name)]
        against = " and ".join(f"{loss:.3f} for {name}" for name, loss in shown)
        lowest = f"{best[0]} had the lowest cross-fitted log loss on gold, {best[1]:.3f}"
        return f"{lowest}{' against ' if against else ''}{against} ({self.n_folds} folds)."


def choose_by_folds(
    sample: GoldSample, methods: MethodChoice = "default", *, confidence_level: float = 0.95, n_folds: int = N_FOLDS
) -> Choice:
    """Cross-fit methods as :func:`thumbwise.compare` does, with its folds, and take the one that lost least.

    *Guarantee*: none; the choice comes after gold labels are seen, and the lowest loss of several is on average lower
    than that of the same method on new gold. A certificate from a box of the same labels holds all the same, since it
    holds for all predictions at once.
    """
    rng = np.random.default_rng(0)
    runs, _, n_folds = cross_fit(sample, choose_methods(methods), n_folds, rng, confidence_level)
    losses = [(float(log_losses(sample.labels, run.proba).mean()), run.method) for run in runs]
    losses.sort(key=lambda one: one[0])  # of equal ones the first, which is the reference
    return Choice(losses[0][1], {method.name: loss for loss, method in losses}, n_folds)


@one_thread()
def cross_fit(
    sample: GoldSample, methods: Sequence[Method], n_folds: int, rng: np.random.Generator, confidence_level: float
) -> tuple[list[Run], list[str], int]:
    """Runs of the methods that can be run, what they said meanwhile, each remark once, and the number of folds."""
    labels = sample.labels
    _check(labels, n_folds)
    folds = _draw_folds(sample, n_folds, rng)
    splits = [split_gold(sample, folds == f, confidence_level) for f in range(folds.max() + 1)]
    unseen = split_gold(sample, np.ones(len(labels), dtype=bool), confidence_level)
    runs, remarks = _run_all(methods, splits, folds, unseen)
    return runs, remarks, len(splits)


def _check(labels: IntArray, n_folds: int) -> None:
    if len(labels) < 2 or n_folds < 2:
        raise InvalidLabelsError(
            "a comparison needs at least two gold items and two folds, to judge a method on labels that it has not "
            f"seen; found {len(labels)} gold items and {n_folds} folds."
        )


def _draw_folds(sample: GoldSample, n_folds: int, rng: np.random.Generator) -> IntArray:
    """A fold for each gold item: random, of equal sizes, each with nearly the same classes.

    Where items have ids, the order in which they come plays no part.
    """
    labels, votes = sample.labels, sample.votes
    shuffled = rng.permutation(len(labels))
    if votes.has_ids:
        shuffled = np.argsort(votes.item_ids.astype(str), kind="stable")[shuffled]
    by_class = shuffled[np.argsort(labels[shuffled], kind="stable")]
    folds = np.empty(len(labels), dtype=np.int64)
    folds[by_class] = np.arange(len(labels)) % n_folds
    return folds


def split_gold(sample: GoldSample, held_out: Any, confidence_level: float) -> Split:
    """Gold to fit to and gold to judge on."""
    gold, labels = sample.votes, sample.labels[~held_out]
    return Split(sample.pool, gold.take(~held_out), labels, gold.take(held_out), sample.gold_is, confidence_level)


def _run_all(
    methods: Sequence[Method], splits: Sequence[Split], folds: IntArray, unseen: Split
) -> tuple[list[Run], list[str]]:
    _ = unseen.pool.patterns  # counted once, on nobody's time
    runs: list[Run] = []
    remarks: dict[str, None] = {}
    for method in methods:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                runs.append(_run(method, splits, folds, unseen))
            except (MissingPackageError, TooLargeError) as reason:
                remarks[Message(f"{method.name} is left out: ", reason)] = None
        remarks.update({Message(f"{method.name}: ", warning.message): None for warning in caught})
    return runs, list(remarks)


def _run(method: Method, splits: Sequence[Split], folds: IntArray, unseen: Split) -> Run:
    start = perf_counter()
    if not method.uses_gold:
        proba = method.predict(unseen)
        return Run(method, proba, perf_counter() - start)
    proba = np.empty((len(folds), unseen.n_classes))
    model: LabelModel | None = None
    for f, split in enumerate(splits):
        if method.make is None:
            proba[folds == f] = method.predict(split)
        else:
            model = method.make(replace(split, start=model))
            proba[folds == f] = model.predict_proba(split.votes)
    return Run(method, proba, (perf_counter() - start) / len(splits))
