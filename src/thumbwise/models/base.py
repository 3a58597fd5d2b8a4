"""What all models share: reading votes, looking predictions up for items, scoring."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.exceptions import InvalidLabelsError, InvalidVotesError
from thumbwise.labels import UNKNOWN, KnownLabels, code_labels
from thumbwise.metrics import TIE
from thumbwise.patterns import take_rows
from thumbwise.reading.coding import MAX_INFERRED_CLASSES
from thumbwise.sql import DialectName, to_sql
from thumbwise.votes import Votes


class LabelModel(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn is untyped
    """Votes in, a probability for every class of every item out.

    A subclass learns in ``fit``, which ends in ``_remember(votes)``, and predicts patterns in ``_predict_patterns``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class names in the order of the columns of ``predict_proba``.
    rule_names_ : tuple of str
    n_features_in_ : int
        Number of rules.
    known_ : KnownLabels or None
        Gold items that keep their label wherever their id turns up; None for a model that lets none do so.
    """

    classes_: AnyArray
    rule_names_: tuple[str, ...]
    n_features_in_: int
    known_: KnownLabels | None

    @abstractmethod
    def _predict_patterns(self, votes: Votes) -> FloatArray:
        """Probabilities of the patterns of some votes, shape (n_patterns, n_classes)."""

    def predict_proba(self, votes: Any) -> FloatArray:
        """Probability of each class for each item, shape (n_items, n_classes), without refitting."""
        votes = self._read(votes)
        proba = take_rows(self._predict_patterns(votes), votes.inverse)
        known, labels = self._known_items(votes)
        if len(known):
            proba[known] = np.eye(votes.n_classes)[labels]
        return proba

    def predict(self, votes: Any) -> AnyArray:
        """Most probable class of each item; of equally probable ones, that with most votes, then the first."""
        predicted = self._label_items(self._read(votes))
        return np.asarray(self.classes_[predicted])

    def score(self, votes: Any, y: Any) -> float:
        """Share of the items with a known label that ``predict`` gets right."""
        votes = self._read(votes)
        labels = code_labels(y, votes.class_names, votes.n_items)
        known = labels != UNKNOWN
        if not known.any():
            raise InvalidLabelsError("score needs at least one known label; all of them are -1 or missing.")
        predicted = self._label_items(votes)
        return float(np.mean(predicted[known] == labels[known]))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a JSON file, whole or not at all; :func:`thumbwise.load` reads it."""
        # By name: saving knows every model, and a model must not know saving.
        import_module("thumbwise.saving").save_model(self, path)

    def to_sql(
        self,
        dialect: DialectName = "duckdb",
        *,
        table: str | Sequence[str],
        id_column: str | None = None,
        columns: Mapping[str, str] | None = None,
        abstain: Any = None,
        class_values: Literal["names"] | Sequence[Any] | None = None,
    ) -> str:
        """The fitted model as one SELECT; see :func:`thumbwise.sql.to_sql`."""
        return to_sql(
            self, dialect, table=table, id_column=id_column, columns=columns, abstain=abstain, class_values=class_values
        )

    def _label_items(self, votes: Votes) -> IntArray:
        proba = self._predict_patterns(votes)
        is_best = proba >= proba.max(axis=1, keepdims=True) - TIE
        best = np.argmax(np.where(is_best, votes.patterns.votes_per_class, -1), axis=1)
        predicted = np.asarray(best[votes.inverse])
        known, labels = self._known_items(votes)
        predicted[known] = labels
        return predicted

    def _known_items(self, votes: Votes) -> tuple[IntArray, IntArray]:
        """Positions and classes of items whose label is certain."""
        if self.known_ is None or not votes.has_ids:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        positions = self.known_.positions(votes)
        return positions[positions >= 0], self.known_.labels[positions >= 0]

    def _remember(self, votes: Votes, known: KnownLabels | None = None) -> None:
        self.known_ = known
        self.classes_ = _as_array(votes.class_names)
        self.rule_names_ = votes.rule_names
        self.n_features_in_ = votes.n_rules

    def _read(self, votes: Any) -> Votes:
        """Votes to predict for, with the rules in the order of the fit."""
        check_is_fitted(self)
        if not isinstance(votes, Votes):
            votes = Votes(votes, class_names=tuple(self.classes_.tolist()), copy=False)
        return _align(votes, self.rule_names_, tuple(self.classes_.tolist()))


def read_for_fit(votes: Any, y: Any = None) -> Votes:
    """Votes as they are, or read; labels that are numbers may show classes that no vote does."""
    if isinstance(votes, Votes):
        return votes
    n_labels = _largest_label(y) + 1
    try:
        read = Votes(votes, copy=False)
    except InvalidVotesError:
        if n_labels < 2:
            raise
        return Votes(votes, n_classes=n_labels, copy=False)
    is_unnamed = read.class_names == tuple(range(read.n_classes))
    return Votes(votes, n_classes=n_labels, copy=False) if is_unnamed and read.n_classes < n_labels else read


def find_known(votes: Votes, labels: IntArray) -> KnownLabels | None:
    """The items with a label, if ids can tell them apart from others."""
    known = labels != UNKNOWN
    return KnownLabels(votes.item_ids[known], labels[known]) if votes.has_ids and known.any() else None


def _largest_label(y: Any) -> int:
    labels = np.asarray([] if y is None else y)
    if labels.size == 0 or labels.dtype.kind not in "biuf":
        return UNKNOWN
    largest = np.nanmax(np.append(labels, UNKNOWN)) if labels.dtype.kind == "f" else labels.max()
    if largest >= MAX_INFERRED_CLASSES:
        raise InvalidLabelsError(
            f"labels must be class numbers; found {largest}, which would make more than {MAX_INFERRED_CLASSES} "
            "classes. If these are ids, pass the labels; if that many classes are meant, pass Votes with n_classes."
        )
    return int(largest)


def _as_array(names: tuple[Any, ...]) -> AnyArray:
    if all(isinstance(name, str) for name in names) or all(type(name) is int for name in names):
        return np.array(names)
    array = np.empty(len(names), dtype=object)
    array[:] = names
    return array


def _align(votes: Votes, rule_names: tuple[str, ...], class_names: tuple[Any, ...]) -> Votes:
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
            "rules. A rule that is not used any more abstains: give it a column of -1."
        )
    position = {name: j for j, name in enumerate(votes.rule_names)}
    if set(position) == set(rule_names):
        return votes.with_rules([position[name] for name in rule_names])
    if _is_unnamed(votes.rule_names) or _is_unnamed(rule_names):
        return votes.with_rule_names(rule_names)
    strange = [name for name in votes.rule_names if name not in set(rule_names)]
    raise InvalidVotesError(
        f"votes must come from the rules that the model was fitted with; {len(strange)} are unknown to it, such as "
        f"{strange[0]!r}. The model knows {', '.join(map(repr, rule_names[:8]))}."
    )


def _is_unnamed(rule_names: tuple[str, ...]) -> bool:
    return rule_names == tuple(f"rule_{j}" for j in range(len(rule_names)))
