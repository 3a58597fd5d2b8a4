"""Costs and gains of a prediction under each class that the truth may be: the rows that ranges are made of."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.exceptions import Argument, InPython, InvalidFileError, InvalidLabelsError, InvalidVotesError
from thumbwise.metrics import first_best
from thumbwise.votes.inputs import as_votes, in_memory, read_items
from thumbwise.votes.labels import UNKNOWN, check_probabilities, code_labels
from thumbwise.votes.reading.item_order import in_item_order
from thumbwise.votes.votes import Votes

Metric = Literal["accuracy", "log_loss", "brier"]
METRICS: tuple[Metric, ...] = ("accuracy", "log_loss", "brier")
# Names of the models that were added to votes as rules. Votes never change, so this stays right as long as they live.
_added: WeakKeyDictionary[Votes, tuple[str, ...]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a model predicts for each item, in the order of the votes. Made by :func:`thumbwise.read_predictions`.

    Attributes
    ----------
    labels : ndarray of shape (n_items, n_classes)
        One-hot, or probabilities if there is nothing else.
    proba : ndarray of shape (n_items, n_classes) or None
        If the model gives them.
    where : str or None
        Where they come from, in words.
    is_ours : bool
        Whether thumbwise made them, from what gold said.
    notes : tuple of str
        What was found out about the file that they come from.
    """

    labels: FloatArray
    proba: FloatArray | None = None
    where: str | None = None
    is_ours: bool = False
    notes: tuple[str, ...] = ()

    def for_metric(self, metric: Metric) -> FloatArray:
        """Labels count for accuracy; probabilities for everything else."""
        if metric == "accuracy":
            return self.labels
        if self.proba is None:
            raise InvalidFileError(
                f"{metric} needs a column of probabilities for each class, p_<class>; found labels only. Add the "
                "columns, or choose ",
                Argument("metric", '"accuracy"'),
                ".",
            )
        return self.proba

    def why_not_unseen(self, gold: IntArray) -> str | None:
        """Why these predictions cannot be ones that know nothing of gold, in words, if that is to be seen.

        Parameters
        ----------
        gold : ndarray of shape (n_items,)
            Class number of each item, -1 where unknown.
        """
        if self.is_ours:
            return f"{self.where} holds labels that thumbwise made with gold labels, as its columns show"
        if not agrees_with_all(first_best(self.labels), gold):
            return None
        n_gold = int((gold != UNKNOWN).sum())
        of = "" if self.where is None else f" of {self.where}"
        known = f"{n_gold:,} gold label{'' if n_gold == 1 else 's'}"
        return f"the predictions{of} agree with all {known}, as those do that were made with them"


def as_predictions(given: Any, votes: Votes) -> Predictions:
    """Labels or probabilities of any kind as predictions in the order of the votes."""
    if isinstance(given, Predictions):
        return given
    votes, given = read_items(votes, given)
    is_hard, proba = _as_probabilities(given, votes)
    return Predictions(proba, None if is_hard else proba)


def prediction_costs(predictions: Any, votes: Any, metric: Metric, *, clip: float = 1e-15) -> FloatArray:
    """Value of the metric on each item if its class is c, shape (n_items, n_classes).

    The mean over items of the entry of the true class is the metric, as :mod:`thumbwise.metrics` computes it.

    Parameters
    ----------
    predictions : array-like of shape (n_items,) or (n_items, n_classes)
    votes : Votes, array-like or frame
    metric : {"accuracy", "log_loss", "brier"}
    clip : float
        For log loss: probabilities are clipped to ``[clip, 1 - clip]`` and rows rescaled to sum to 1.

    Examples
    --------
    >>> import thumbwise as tw
    >>> votes = tw.Votes([[0, 1], [1, 1]])
    >>> prediction_costs([0, 1], votes, "accuracy")
    array([[1., 0.],
           [0., 1.]])
    """
    if metric not in METRICS:
        raise ValueError(f"metric must be one of {', '.join(map(repr, METRICS))}; found {metric!r}.")
    votes, predictions = read_items(votes, predictions)
    is_hard, proba = _as_probabilities(predictions, votes)
    if metric == "accuracy":
        return np.eye(votes.n_classes)[first_best(proba)]
    if metric == "brier":
        return np.asarray((proba**2).sum(axis=1, keepdims=True) - 2 * proba + 1)
    if is_hard:
        raise InvalidLabelsError(
            f"log loss needs class probabilities, of shape {(votes.n_items, votes.n_classes)}; found a label per item. "
            "Pass probabilities, or choose accuracy."
        )
    return -np.log(clipped(proba, clip))


def _as_probabilities(predictions: Any, votes: Votes) -> tuple[bool, FloatArray]:
    """Whether the predictions are labels, and their probabilities."""
    given = np.asarray(predictions)
    if given.ndim == 2 and given.shape[1] > 1:
        return False, check_probabilities(given, (votes.n_items, votes.n_classes))
    labels = code_labels(predictions, votes.class_names, votes.n_items)
    unknown = np.flatnonzero(labels == UNKNOWN)
    if len(unknown):
        raise InvalidLabelsError(
            f"there must be a prediction for every item; it is -1 or missing at position {unknown[0]} ({len(unknown)} "
            "such items). Fill it in, or certify the other items",
            InPython(" with votes.take(...) and a box made for them"),
            ".",
        )
    return True, np.eye(votes.n_classes)[labels]


def clipped(proba: FloatArray, clip: float) -> FloatArray:
    """Probabilities in ``[clip, 1 - clip]``, rows rescaled to sum to 1."""
    if not 0 <= clip < 0.5:
        raise ValueError(f"clip must be at least 0 and less than 0.5; found {clip}.")
    if clip > 0:
        proba = np.clip(proba, clip, 1 - clip)
        return np.asarray(proba / proba.sum(axis=1, keepdims=True))
    n_zeros = int((proba == 0).any(axis=1).sum())
    if n_zeros:
        raise InvalidLabelsError(
            "probabilities must be positive if ",
            Argument("clip", 0),
            f"; {n_zeros} rows hold a 0. If the truth is such a class, log loss is infinite, so there is no worst case "
            "to certify: pass a positive clip.",
        )
    return proba


def share_costs(votes: Any, group: Any, class_name: Hashable) -> tuple[FloatArray, int]:
    """Rows whose mean is the share of a class among the group's items, and the size of the group.

    An item of the group counts n_items / size if it is of the class; everything else counts nothing.

    Examples
    --------
    >>> import thumbwise as tw
    >>> share_costs(tw.Votes([[0, 1], [1, 1]]), [True, False], 1)
    (array([[0., 2.],
           [0., 0.]]), 1)
    """
    votes = in_memory(as_votes(votes))
    is_member = _members(votes, group)
    size = int(is_member.sum())
    if not size:
        raise InvalidLabelsError(
            "a group must have at least one item; this one is empty, so no class has a share in it."
        )
    number = code_labels([class_name], votes.class_names, 1)[0]
    if number == UNKNOWN:
        raise InvalidLabelsError(Argument("of"), f" must be a class of the votes; found {class_name!r}.")
    costs = np.zeros((votes.n_items, votes.n_classes))
    costs[is_member, number] = votes.n_items / size
    return costs, size


def _members(votes: Votes, group: Any) -> AnyArray:
    """Truth value per item, from truth values or ids."""
    given = np.asarray(group)
    if given.dtype == bool:
        given = np.asarray(in_item_order(group, votes, "truth values"))
        if given.shape != (votes.n_items,):
            raise InvalidLabelsError(
                f"a group by truth values must have one per item, {votes.n_items}; found shape {given.shape}."
            )
        return given
    position = {item: i for i, item in enumerate(votes.item_ids.tolist())}
    wanted = given.ravel().tolist()
    strange = [item for item in wanted if item not in position]
    if strange:
        kind = "ids" if votes.has_ids else "positions"
        raise InvalidLabelsError(
            f"a group must be made of {kind} of the items; {len(strange)} of {len(wanted)} are not, such as "
            f"{strange[0]!r} (items have {kind} such as {votes.item_ids[0]!r})."
        )
    is_member = np.zeros(votes.n_items, dtype=bool)
    is_member[[position[item] for item in wanted]] = True
    return is_member


def add_rule(votes: Any, predictions: Any, name: str = "predictions") -> Votes:
    """The votes with a model's predictions as one more rule, so that gold can speak about the model itself.

    Do it to the pool and to gold, and make the box from the two. The model must not have seen the gold labels: what it
    says on gold items is decided before their labels are. One that agrees with every gold label is refused by
    :func:`thumbwise.certify`, for so do predictions that were made with gold, such as those of a fitted model.

    *Guarantee*: none of its own. A box from the votes returned holds at its level only if the predictions were decided
    before the gold labels were seen, which cannot be checked beyond the refusal above.

    Parameters
    ----------
    votes : Votes, array-like or frame
        Pool or gold, in memory.
    predictions : array-like of shape (n_items,) or (n_items, n_classes)
        Class of each item, by name or number, or class probabilities, of which the first largest counts.
    name : str
        Of the new rule, the last; no other may have it.

    Examples
    --------
    >>> import thumbwise as tw
    >>> add_rule(tw.Votes([[0], [1]], rule_names=["a"]), [[0.9, 0.1], [0.6, 0.4]]).array.tolist()
    [[0, 0], [1, 0]]
    """
    votes, predictions = read_items(votes, predictions)
    if name in votes.rule_names:
        raise InvalidVotesError(f"the added rule must have a name of its own; {name!r} is taken. Pass another name.")
    labels = first_best(_as_probabilities(predictions, votes)[1])
    more = Votes(
        np.column_stack([votes.array, labels]),
        class_names=votes.class_names,
        rule_names=[*votes.rule_names, name],
        item_ids=votes.item_ids if votes.has_ids else None,
        ordered=votes.is_ordered,
    )
    _added[more] = (*added_models(votes), name)
    return more


def added_models(votes: Votes) -> tuple[str, ...]:
    """Names of the rules that :func:`add_rule` put there."""
    return _added.get(votes, ())


def agrees_with_all(predicted: IntArray, gold: IntArray) -> bool:
    """Whether class numbers are those of every item whose gold label is known, of which there must be one."""
    known = gold != UNKNOWN
    return bool(known.any() and (predicted[known] == gold[known]).all())
