"""What is passed to fit and predict, read and checked; in scikit-learn's words where its users know them."""

from __future__ import annotations

import os
import warnings
from importlib import import_module
from typing import Any

import narwhals as nw
import numpy as np
from sklearn.exceptions import DataConversionWarning

from thumbwise.counted_votes import CountedVotes
from thumbwise.exceptions import DegenerateFitWarning, InvalidLabelsError, InvalidVotesError
from thumbwise.labels import UNKNOWN
from thumbwise.reading.coding import MAX_INFERRED_CLASSES, is_missing
from thumbwise.votes import Votes


def in_memory(votes: Any) -> Votes:
    """Votes whose items have an order, which labels by position need."""
    if isinstance(votes, Votes):
        return votes
    raise InvalidLabelsError(
        "labels in the order of the items need items in memory; these votes are held elsewhere, and their rows have no "
        "order. Pass the votes on the labeled items, votes.take_ids(ids); to fit, a box from them: "
        'Box.from_gold(votes.take_ids(ids), labels, pool=votes, gold_is="subset").'
    )


def open_lazy(votes: Any, rule_names: tuple[str, ...] | None = None, **options: Any) -> Any:
    """Lazy votes of a lazy frame, or of files, whose other columns are carried along; None for anything else."""
    is_path = isinstance(votes, (str, os.PathLike))
    frame = None if is_path else nw.from_native(votes, pass_through=True)
    if not is_path and not isinstance(frame, nw.LazyFrame):
        return None
    # By name: engines know the core, and the core must not know engines.
    lazy = import_module("thumbwise.lazy_votes")
    native = import_module("thumbwise.engines.files").open_files(votes) if is_path else votes
    names = nw.from_native(native).collect_schema().names()
    if rule_names is not None and set(rule_names) <= set(names):
        options |= {"rules": rule_names, "keep": [name for name in names if name not in set(rule_names)]}
    return lazy.LazyVotes(native, **options)


def read_for_fit(votes: Any, y: Any = None) -> Any:
    """Votes as they are, or read; labels that are numbers may show classes that no vote does."""
    _warn_of_column(y)
    read = votes if isinstance(votes, CountedVotes) else _open(votes, y)
    if y is not None:
        in_memory(read)
    _check_labels(y, read.n_items)
    return read


def _open(votes: Any, y: Any) -> Any:
    lazy = open_lazy(votes)
    return _read_table(votes, y) if lazy is None else lazy


def _read_table(votes: Any, y: Any) -> Votes:
    check_table(votes)
    n_labels = _largest_label(y) + 1
    try:
        read = Votes(votes, copy=False)
    except InvalidVotesError:
        if n_labels < 2:
            raise
        return Votes(votes, n_classes=n_labels, copy=False)
    is_unnamed = read.class_names == tuple(range(read.n_classes))
    if not is_unnamed or n_labels <= read.n_classes:
        return read
    _warn_of_renumbering(y, read.n_classes)
    return Votes(votes, n_classes=n_labels, copy=False)


def _warn_of_renumbering(y: Any, n_voted: int) -> None:
    """cross_val_predict numbers the values of y from 0 before it asks for probabilities, and -1 comes first."""
    if set(np.asarray(y).ravel().tolist()) == set(range(n_voted + 1)):
        warnings.warn(
            f"all labels are known, and one of them is class {n_voted}, for which no rule votes. If some were unknown "
            'to begin with, cross_val_predict(method="predict_proba") has renumbered them, -1 among them: use '
            f"thumbwise.folds.held_out_proba. If there is such a class, pass Votes(..., n_classes={n_voted + 1}).",
            DegenerateFitWarning,
            stacklevel=5,
        )


def check_table(votes: Any) -> None:
    """Refuse in scikit-learn's words what none of its estimators takes."""
    if not isinstance(votes, np.ndarray):
        return
    if votes.dtype.kind == "c":
        raise InvalidVotesError(f"votes must be class numbers or names. Complex data not supported: {votes.dtype}.")
    if votes.ndim == 1:
        raise InvalidVotesError(
            f"votes must be two-dimensional (items, rules); found shape {votes.shape}. Reshape your data: "
            "votes.reshape(-1, 1) if this is one rule, votes.reshape(1, -1) if it is one item."
        )
    if votes.ndim == 2 and len(votes) and votes.shape[1] == 0:
        raise InvalidVotesError(
            f"votes must hold at least one rule; found no rules, or 0 feature(s) (shape={votes.shape}) while a minimum "
            "of 1 is required. Give each rule a column."
        )


def _check_labels(y: Any, n_items: int) -> None:
    """Refuse what cannot be labels of these items, also where a model makes no use of them."""
    if y is None:
        return
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


def _largest_label(y: Any) -> int:
    labels = np.asarray([] if y is None else y)
    if labels.dtype.kind == "O":  # numbers among missing values
        labels = np.array([v for v in labels.ravel().tolist() if isinstance(v, (int, float)) and not is_missing(v)])
    if labels.size == 0 or labels.dtype.kind not in "biuf":
        return UNKNOWN
    largest = np.nanmax(np.append(labels, UNKNOWN)) if labels.dtype.kind == "f" else labels.max()
    if largest >= MAX_INFERRED_CLASSES:
        raise InvalidLabelsError(
            f"labels must be class numbers; found {largest}, which would make more than {MAX_INFERRED_CLASSES} "
            "classes. If these are ids, pass the labels; if that many classes are meant, pass Votes with n_classes."
        )
    return int(largest)


def align(votes: Any, rule_names: tuple[str, ...], class_names: tuple[Any, ...], model: str) -> Any:
    """Votes of the rules and classes that a model knows, in its order, or an error that says which it does not know.

    Votes that were read without the model may lack a class that nobody voted for; classes are then found by name.
    """
    if votes.class_names != class_names and isinstance(votes, Votes) and set(votes.class_names) <= set(class_names):
        votes = votes.with_classes(class_names)
    if votes.class_names != class_names:
        raise InvalidVotesError(
            f"votes must have the classes that the model was fitted with, {class_names[:10]}; "
            f"found {votes.class_names[:10]}. Declare them with class_names=[...]."
        )
    if votes.rule_names == rule_names:
        return votes
    if votes.n_rules != len(rule_names):
        raise InvalidVotesError(
            f"votes must come from the {len(rule_names)} rules that the model was fitted with; found {votes.n_rules} "
            f"rules: X has {votes.n_rules} features, but {model} is expecting {len(rule_names)} features "
            "as input. A rule that is not used any more abstains: give it a column of -1."
        )
    position = {name: j for j, name in enumerate(votes.rule_names)}
    if set(position) == set(rule_names):
        return votes.with_rules([position[name] for name in rule_names])
    if is_unnamed(votes.rule_names) or is_unnamed(rule_names):
        return votes.with_rule_names(rule_names)
    strange = [name for name in votes.rule_names if name not in set(rule_names)]
    raise InvalidVotesError(
        f"votes must come from the rules that the model was fitted with; {len(strange)} are unknown to it, such as "
        f"{strange[0]!r}. The model knows {', '.join(map(repr, rule_names[:8]))}."
    )


def is_unnamed(rule_names: tuple[str, ...]) -> bool:
    """Whether the names are those that rules without names get."""
    return rule_names == tuple(f"rule_{j}" for j in range(len(rule_names)))
