"""Arguments of fit and predict, read and checked; in scikit-learn's words where its users know them."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from sklearn.exceptions import DataConversionWarning

from thumbwise._typing import IntArray
from thumbwise.box.opened_gold import known_gold
from thumbwise.exceptions import Argument, DegenerateFitWarning, InvalidLabelsError, InvalidVotesError, Message
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.inputs import as_votes, match_rules, read_gold, read_items
from thumbwise.votes.labels import UNKNOWN, code_labels
from thumbwise.votes.votes import Votes


def read_for_fit(votes: Any, y: Any = None, class_names: Sequence[Hashable] | None = None) -> tuple[Any, Any]:
    """Votes as they are, or read, and labels in the order of their items, which may show classes that no vote does."""
    _warn_of_column(y)
    if y is None:
        return as_votes(votes, class_names), None
    read, y = read_items(votes, y, class_names=class_names)
    _check_labels(y, read.n_items)
    if not isinstance(votes, CountedVotes):
        _warn_of_renumbering(y, int(read.array.max()) + 1)
    return read, y


def read_with_gold(votes: Any, y: Any, gold_votes: Any, gold_labels: Any) -> tuple[Any, Votes, IntArray]:
    """The pool, votes on gold items, in the pool or beside it, and their classes, -1 where an item is not gold."""
    if (y is None) == (gold_votes is None) or (gold_votes is None) != (gold_labels is None):
        raise InvalidLabelsError(
            "fit needs either labels of the pool (y, with -1 where unknown) or both ",
            Argument("gold_votes"),
            " and ",
            Argument("gold_labels"),
            ".",
        )
    if y is None:
        gold_votes, votes, gold_labels = read_gold(gold_votes, votes, gold_labels)
        gold, labels, _ = known_gold(gold_votes, gold_labels, votes)
        return read_for_fit(votes)[0], gold, labels
    votes, y = read_for_fit(votes, y)
    labels = code_labels(y, votes.class_names, votes.n_items)
    if (labels == UNKNOWN).all():
        raise InvalidLabelsError("there must be at least one gold label; all of them are -1 or missing.")
    return votes, votes, labels


def _warn_of_renumbering(y: Any, n_voted: int) -> None:
    """cross_val_predict numbers the values of y from 0 before it asks for probabilities, and -1 comes first."""
    labels = np.asarray(y).ravel()
    if labels.dtype.kind in "biu" and (labels.min() != 0 or labels.max() != n_voted):
        return
    if n_voted > 1 and set(labels.tolist()) == set(range(n_voted + 1)):
        warnings.warn(
            Message(
                f"all labels are known, and one of them is class {n_voted}, for which no rule votes. If some were "
                'unknown to begin with, cross_val_predict(method="predict_proba") has renumbered them, -1 among them: '
                "use thumbwise.models.folds.held_out_proba. If there is such a class, pass Votes(..., ",
                Argument("n_classes", n_voted + 1),
                ").",
            ),
            DegenerateFitWarning,
            stacklevel=4,
        )


def _check_labels(y: Any, n_items: int) -> None:
    """Refuse what cannot be labels of these items, also where a model makes no use of them."""
    labels = np.asarray(y)
    shape = labels.shape
    if shape not in ((n_items,), (n_items, 1)):
        raise InvalidLabelsError(
            f"there must be one label per item; found labels of shape {shape} for {n_items} items."
        )
    if labels.dtype.kind != "f":
        return
    fractions = np.flatnonzero(np.isfinite(labels) & (labels != np.floor(labels)))
    if len(fractions):
        raise InvalidLabelsError(
            "labels must be class numbers or names. Unknown label type: continuous; found "
            f"{labels.flat[fractions[0]]} at position {fractions[0]} ({len(fractions)} such labels). "
            "Round or threshold scores into classes first."
        )


def _warn_of_column(y: Any) -> None:
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if len(shape) == 2 and shape[1] == 1:
        warnings.warn(
            f"A column-vector y was passed when a 1d array was expected; found shape {shape}. It is read as y.ravel().",
            DataConversionWarning,
            stacklevel=4,
        )


def align(votes: Any, rule_names: tuple[str, ...], class_names: tuple[Any, ...], model: str) -> Any:
    """Votes of the rules and classes that a model knows, in its order, or an error that says which it does not know.

    Votes that were read without the model may lack a class that nobody voted for; classes are then found by name.
    """
    if votes.class_names != class_names and isinstance(votes, Votes) and set(votes.class_names) <= set(class_names):
        votes = votes.with_classes(class_names)
    if votes.class_names != class_names:
        raise InvalidVotesError(
            f"votes must have the classes that the model was fitted with, {class_names[:10]}; "
            f"found {votes.class_names[:10]}. Declare them with ",
            Argument("class_names", [...]),
            ".",
        )
    if votes.n_rules != len(rule_names):
        raise InvalidVotesError(
            f"votes must come from the {len(rule_names)} rules that the model was fitted with; found {votes.n_rules} "
            f"rules: X has {votes.n_rules} features, but {model} is expecting {len(rule_names)} features "
            "as input. A rule that is not used any more abstains: give it a column of -1."
        )
    matched = match_rules(votes, rule_names)
    if matched is not None:
        return matched
    strange = [name for name in votes.rule_names if name not in set(rule_names)]
    raise InvalidVotesError(
        f"votes must come from the rules that the model was fitted with; {len(strange)} are unknown to it, such as "
        f"{strange[0]!r}. The model knows {', '.join(map(repr, rule_names[:8]))}."
    )
