"""Base class of all models: reading votes, looking predictions up for items, scoring."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from thumbwise._typing import AnyArray, FloatArray, IntArray
from thumbwise.exceptions import InvalidChoiceError, InvalidLabelsError, InvalidVotesError
from thumbwise.metrics import TIE
from thumbwise.models.additive_terms import AdditiveTerms
from thumbwise.models.compared import Compared, Split
from thumbwise.models.inputs import align
from thumbwise.models.last_prediction import remembering
from thumbwise.models.notebook import ShownInNotebooks
from thumbwise.models.pool_summary import PoolSummary
from thumbwise.models.registry import register, registered
from thumbwise.models.saved.fields import Field, Setting, read_fields, write_fields
from thumbwise.numerics.patterns import Patterns, take_rows
from thumbwise.tables.json_values import Node
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.inputs import check_table, held_votes, in_memory, is_unnamed, open_lazy
from thumbwise.votes.labels import UNKNOWN, KnownLabels, code_labels
from thumbwise.votes.reading.item_order import in_item_order
from thumbwise.votes.votes import Votes

if TYPE_CHECKING:
    from thumbwise.models.drift import Drift
    from thumbwise.models.explained.explaining import Summands
    from thumbwise.models.explained.explanation import Explanation
    from thumbwise.models.formula import Formula
    from thumbwise.models.sql_text.select import DialectName


class LabelModel(ShownInNotebooks, ClassifierMixin, TransformerMixin, BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn is untyped
    """Votes in, a probability for every class of every item out.

    A subclass learns in ``fit``, which ends in ``_remember(votes)``. If its scores are sums over votes, it says so in
    ``additive_terms``, and predictions, explanations and SQL follow; otherwise it predicts patterns itself, in
    ``_predict_patterns``. A class that says in ``_learned`` what it learns is registered: its name can be read from a
    file, and comparisons offer it. One that only inherits is not, so that nothing is saved as if it were its parent.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class names in the order of the columns of ``predict_proba``.
    rule_names_ : tuple of str
    n_features_in_ : int
        Number of rules.
    feature_names_in_ : ndarray of shape (n_rules,)
        Names of the rules, if the votes came with any.
    known_ : KnownLabels or None
        Gold items that keep their label wherever their id turns up; None for a model that lets none do so.
    pool_summary_ : PoolSummary
        Number of items fitted to, and how often each rule gave each vote, which ``check_drift`` compares with.
    """

    classes_: AnyArray
    rule_names_: tuple[str, ...]
    n_features_in_: int
    known_: KnownLabels | None
    pool_summary_: PoolSummary
    # What ``fit`` learns: attributes that a file holds, in the order in which they are read.
    _learned: ClassVar[Mapping[str, Field]]
    # How parameters are saved whose default does not tell their kind; None for one that no file holds.
    _parameter_fields: ClassVar[Mapping[str, Field | None]] = {}
    # What files mean that were written before there was a parameter, where that is not its default.
    _absent_parameters: ClassVar[Mapping[str, Any]] = {}
    # How comparisons offer the model; under the name of the class, unless it says otherwise.
    _compared: ClassVar[tuple[Compared, ...]] = ()
    # Whether ``fit`` learns from labels, and not from votes alone.
    _needs_labels = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        own = vars(cls)
        if "_predict_patterns" in own:  # terms and parts of another formula say nothing about this one
            for name in {"additive_terms", "_formula", "_summands"} - own.keys():
                setattr(cls, name, getattr(LabelModel, name))
            cls._predict_patterns = remembering(cls._predict_patterns)  # type: ignore[method-assign]
        if "_learned" in own:
            if "_compared" not in own:
                cls._compared = (Compared(cls.__name__),)
            register(cls)

    @abstractmethod
    def fit(self, votes: Any, y: Any = None) -> Any:
        """Learn from votes, and perhaps from labels; ends in ``_remember``."""

    def additive_terms(self) -> AdditiveTerms:
        """What votes add to the score of each class, if predictions are made of such sums.

        Raises
        ------
        InvalidChoiceError
            The model is not of this kind, or was fitted with moments that are not.
        """
        others = [name for name, model in registered().items() if model.additive_terms is not LabelModel.additive_terms]
        raise InvalidChoiceError(
            "explanations and SQL need a model that adds up what votes say, one of "
            f"{', '.join(others)}; found {type(self).__name__}. Fit one of these to the same votes; or predict in "
            "Python, and write the probabilities to the database."
        )

    def _formula(self) -> Formula:
        """What SQL writes: the terms that votes add, and further ones where a model has some."""
        from thumbwise.models.formula import Formula  # noqa: PLC0415  # what is done with a fitted model

        return Formula(self.additive_terms())

    @remembering
    def _predict_patterns(self, votes: CountedVotes) -> FloatArray:
        """Probabilities of the patterns of some votes, shape (n_patterns, n_classes)."""
        return self.additive_terms().proba(votes.patterns)

    def predict_proba(self, votes: Any) -> FloatArray:
        """Probability of each class for each item, shape (n_items, n_classes), without refitting.

        Items with the same votes get the same probabilities, but for those in ``known_``, which keep their label.
        *Guarantee*: what the model proves, and of the items that it was fitted to only; of others, none.

        Parameters
        ----------
        votes : Votes, LazyVotes, array-like or frame
            Of the rules and classes of the fit; rules that have names may come in any order.

        Returns
        -------
        proba : ndarray of shape (n_items, n_classes)
            Columns as in ``classes_``. For :class:`LazyVotes`, a lazy frame of the engine that holds the items: their
            ids, ``p_<class>``, ``label``.
        """
        votes = self._read(votes)
        if not isinstance(votes, Votes):
            proba = self._predict_patterns(votes)
            return votes.answer(proba, best_classes(proba, votes.patterns), self.known_)  # type: ignore[no-any-return]
        proba = take_rows(self._predict_patterns(votes), votes.inverse)
        known, labels = self._known_items(votes)
        if len(known):
            proba[known] = 0
            proba[known, labels] = 1
        return proba

    def predict(self, votes: Any) -> AnyArray:
        """Most probable class of each item; of equally probable ones, that with most votes, then the first.

        Ties are broken by the votes alone, without a look at any label.

        Parameters
        ----------
        votes
            As in ``predict_proba``; for :class:`LazyVotes` the answer is a lazy frame with ids and ``label``.
        """
        votes = self._read(votes)
        if not isinstance(votes, Votes):
            best = best_classes(self._predict_patterns(votes), votes.patterns)
            return votes.answer(None, best, self.known_)  # type: ignore[no-any-return]
        predicted = self._label_items(votes)
        return np.asarray(self.classes_[predicted])

    def transform(self, votes: Any) -> FloatArray:
        """The same as ``predict_proba``, for a model that is a step before another one; columns are ``p_<class>``.

        ``set_output(transform="pandas")`` or ``"polars"`` makes it a frame.
        """
        return self.predict_proba(votes)

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        """Names of the columns of ``transform``; ``input_features`` must be the names of the rules, or absent."""
        check_is_fitted(self)
        if input_features is not None:
            _check_input_features(list(input_features), self.rule_names_)
        names = [str(name) for name in self.classes_.tolist()]
        if len(set(names)) < len(names):  # the number 1 and the string "1"
            names = [repr(name) for name in self.classes_.tolist()]
        return np.array([f"p_{name}" for name in names], dtype=object)

    @property
    def feature_names_in_(self) -> AnyArray:
        """Names of the rules, shape (n_rules,), if the votes came with any; scikit-learn's word for them."""
        if not hasattr(self, "rule_names_") or is_unnamed(self.rule_names_):
            raise AttributeError(f"{type(self).__name__} has no feature_names_in_: no named rules were fitted.")
        return np.array(self.rule_names_, dtype=object)

    def score(self, votes: Any, y: Any) -> float:
        """Share of the items with a known label that ``predict`` gets right.

        *Guarantee*: none. If ``fit`` saw these labels the share is too high; see :func:`thumbwise.certify` for a range.

        Parameters
        ----------
        votes
            As in ``predict_proba``, in memory.
        y : array-like of shape (n_items,)
            Classes of the items, -1 or missing where unknown; at least one must be known.
        """
        y = in_item_order(y, votes)
        votes = in_memory(self._read(votes))
        labels = code_labels(y, votes.class_names, votes.n_items)
        known = labels != UNKNOWN
        if not known.any():
            raise InvalidLabelsError("score needs at least one known label; all of them are -1 or missing.")
        predicted = self._label_items(votes)
        return float(np.mean(predicted[known] == labels[known]))

    # What is done with a fitted model is imported when it is done: a fit does without.

    def check_drift(self, votes: Any, *, error: float = 0.01) -> Drift:
        """Whether votes on other items look like those of the fitted pool; see :class:`thumbwise.Drift`.

        Parameters
        ----------
        votes
            As in ``predict_proba``. No label is looked at.
        error : float
            Allowed probability of finding drift where there is none; to be chosen before the votes are looked at.
        """
        from thumbwise.models.drift import compare_with_pool  # noqa: PLC0415

        return compare_with_pool(self._read(votes), self.pool_summary_, error=error)

    def explain(self, votes: Any, item: Hashable) -> Explanation:
        """Each vote's part in the prediction for one item, by id or position; see :func:`thumbwise.explain`.

        Examples
        --------
        >>> import thumbwise as tw
        >>> votes = [[0, 0, 1], [0, 0, 0], [1, 1, 0], [1, 1, 1]]
        >>> tw.DawidSkene(prior_right=3, prior_wrong=1).fit(votes).explain(votes, 0).contributions.round(2).tolist()
        [[1.46, 0.0], [1.46, 0.0], [0.0, 0.75]]
        """
        from thumbwise.models.explained.explaining import explain  # noqa: PLC0415

        return explain(self, votes, item)

    def _summands(self) -> Summands:
        """The parts of the scores that an explanation names."""
        from thumbwise.models.explained.explaining import SumsOverVotes  # noqa: PLC0415

        return SumsOverVotes.of(self)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the fitted model to a JSON file, whole or not at all; :func:`thumbwise.load` reads it.

        A model that was saved there before is replaced, any other file only with ``overwrite=True``.
        """
        from thumbwise.models.saved.saving import save_model  # noqa: PLC0415

        save_model(self, path, overwrite=overwrite)

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
        """The fitted model as one SELECT over a table with a row per item and a column per rule.

        It returns the id, if there is one, a column ``p_<class>`` with the probability of each class, and ``label``.
        They are those of ``predict_proba`` and ``predict``: the score of a class is its own term plus one term for
        each vote, and the probabilities are a softmax (for :class:`MajorityVote`, shares). Rows come in no particular
        order. A vote that is neither a class nor an abstention makes the probabilities and the label of its item NULL.

        For models with ``additive_terms``: MajorityVote, DawidSkene, DataProgramming, and BalsubramaniFreund with
        moments that are sums over votes, and not of groups. Opinions, learned ones too, become further steps of the
        SELECT; an opinion that is a function of your own is refused.

        *Guarantee*: none beyond that of the model; a certificate speaks of the items of the fit only.

        Parameters
        ----------
        dialect : {"duckdb", "postgresql", "spark"}
        table : str or sequence of str
            Name of the table, or its parts, such as ``("schema", "table")``. A dot within a name is part of it.
        id_column : str, optional
            With it, known gold items of the model (``known_``) keep their label, as in ``predict_proba``; without it,
            they get the model's answer.
        columns : mapping of rule name to column name, optional
            Of rules whose column is not called as they are.
        abstain : text or number, optional
            What stands for an abstention, besides NULL. Absent: -1 if votes are stored as class numbers.
        class_values : "names" or sequence, optional
            How votes are stored: by class names, or by these values, in the order of ``classes_``. Absent: by class
            numbers 0, 1, ...

        Examples
        --------
        >>> import duckdb
        >>> import thumbwise as tw
        >>> votes = tw.Votes([[0, 1], [1, 1], [0, -1]], rule_names=["short", "loud"], class_names=["ham", "spam"])
        >>> model = tw.DawidSkene(prior_right=3, prior_wrong=1).fit(votes)
        >>> query = model.to_sql("duckdb", table="mails", id_column="mail")
        >>> with duckdb.connect() as connection:
        ...     _ = connection.execute("CREATE TABLE mails AS SELECT 7 AS mail, 1 AS short, NULL AS loud")
        ...     connection.sql(query).columns, connection.sql(query).fetchall()[0][-1]
        (['mail', 'p_ham', 'p_spam', 'label'], 'spam')
        """
        from thumbwise.models.sql_text.select import Stored, select_from  # noqa: PLC0415

        return select_from(Stored(table, id_column, columns, abstain, class_values), self, dialect)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = tags.input_tags.allow_nan = True
        tags.target_tags.required = self._needs_labels
        tags.classifier_tags.poor_score = True  # scored on measurements, which no rule has turned into votes
        return tags

    def _fields(self) -> Mapping[str, Field]:
        """What is saved of what was learned."""
        return self._learned

    def _write_learned(self) -> dict[str, Any]:
        return write_fields(self, self._fields())

    def _read_learned(self, node: Node, setting: Setting) -> None:
        read_fields(self, self._fields(), node, setting)

    def _gold_of_fit(self) -> KnownLabels | None:
        """Known labels that a file holds: those that items keep, unless a model knows of more."""
        return self.known_

    def _fit_split(self, split: Split) -> Any:
        """Fit as a comparison does: to the pool, or, if labels are needed, to the gold of the other folds."""
        return self.fit(split.fit_votes, split.fit_names) if self._needs_labels else self.fit(split.pool)

    def _label_items(self, votes: Votes) -> IntArray:
        predicted = best_classes(self._predict_patterns(votes), votes.patterns)[votes.inverse]
        known, labels = self._known_items(votes)
        predicted[known] = labels
        return predicted

    def _known_items(self, votes: Votes) -> tuple[IntArray, IntArray]:
        """Positions and classes of items whose label is certain."""
        if self.known_ is None or not votes.has_ids:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        positions = self.known_.positions(votes)
        return positions[positions >= 0], self.known_.labels[positions >= 0]

    def _remember(self, votes: CountedVotes, known: KnownLabels | None = None) -> None:
        self.known_ = known
        self.classes_ = _as_array(votes.class_names)
        self.rule_names_ = votes.rule_names
        self.n_features_in_ = votes.n_rules
        self.pool_summary_ = PoolSummary.of(votes)

    def _read(self, votes: Any) -> Any:
        """Votes to predict for, with the rules in the order of the fit."""
        check_is_fitted(self)
        votes = held_votes(votes)
        if not isinstance(votes, CountedVotes):
            check_table(votes)
            names = tuple(self.classes_.tolist())
            lazy = open_lazy(votes, self.rule_names_, class_names=names)
            votes = Votes(votes, class_names=names, copy=False) if lazy is None else lazy
        return align(votes, self.rule_names_, tuple(self.classes_.tolist()), type(self).__name__)


def best_classes(proba: FloatArray, patterns: Patterns) -> IntArray:
    """Most probable class of each pattern; of equally probable ones, that with most votes, then the first."""
    is_best = proba >= proba.max(axis=1, keepdims=True) - TIE
    return np.asarray(np.argmax(np.where(is_best, patterns.votes_per_class, -1), axis=1))


def find_known(votes: Votes, labels: IntArray) -> KnownLabels | None:
    """The items with a label, if ids can tell them apart from others."""
    known = labels != UNKNOWN
    return KnownLabels(votes.item_ids[known], labels[known]) if votes.has_ids and known.any() else None


def _as_array(names: tuple[Any, ...]) -> AnyArray:
    if all(isinstance(name, str) for name in names) or all(type(name) is int for name in names):
        return np.array(names)
    array = np.empty(len(names), dtype=object)
    array[:] = names
    return array


def _check_input_features(given: list[Any], rule_names: tuple[str, ...]) -> None:
    if len(given) != len(rule_names):
        raise InvalidVotesError(
            f"input_features should have length equal to the number of rules, {len(rule_names)}; found {len(given)}."
        )
    if not is_unnamed(rule_names) and tuple(given) != rule_names:
        raise InvalidVotesError(
            f"input_features is not equal to feature_names_in_, the names of the rules; found {given[:8]}."
        )
