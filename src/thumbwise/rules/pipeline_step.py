"""Labeling functions as the first step of a scikit-learn pipeline: items in, votes out."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from thumbwise._typing import AnyArray, IntArray
from thumbwise.exceptions import InvalidChoiceError, InvalidVotesError
from thumbwise.rules.labeling_functions import apply_rules
from thumbwise.votes.votes import Votes


def _gives_numbers(step: RuleVotes) -> bool:
    """Without names of columns scikit-learn makes no frame of the output, and Votes are none."""
    return step.output == "numbers"


class RuleVotes(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Applies rules to items, so that a pipeline goes from texts or rows to probabilities.

    Classes that are not declared are settled by what the rules return in ``fit``, before any label is seen.

    Parameters
    ----------
    rules : sequence of rules or functions
        As in :func:`thumbwise.apply_rules`. To save the pipeline as a pickle, define them at the top of a module.
    class_names : sequence, optional
        The classes in order. Absent: those that the rules return for the items of the fit. A class that turns up
        later, like an error in a rule, counts as a failure: no vote, and one warning.
    output : {"numbers", "votes"}
        What ``transform`` returns: an array of class numbers, -1 where a rule abstains; or :class:`thumbwise.Votes`,
        which carry the names of classes and rules and the ids of the items, so that a model behind this step
        understands labels by name and predicts names. ``set_output`` makes frames of numbers only.
    on_error : {"record", "raise"}
        Whether a failing rule abstains, with a warning, or stops the pipeline.

    Attributes
    ----------
    class_names_ : tuple
        Names of the classes that the numbers stand for.
    rule_names_ : tuple of str

    Examples
    --------
    >>> import thumbwise as tw
    >>> from sklearn.pipeline import make_pipeline
    >>> from thumbwise.rules.pipeline_step import RuleVotes
    >>> def short(text):
    ...     return "ham" if len(text) < 8 else None
    >>> def shouting(text):
    ...     return "spam" if text.isupper() else "ham"
    >>> texts = ["see you", "BUY NOW!!", "what is it?"]
    >>> RuleVotes([short, shouting]).fit_transform(texts).tolist()
    [[0, 0], [-1, 1], [-1, 0]]
    >>> pipeline = make_pipeline(RuleVotes([short, shouting], output="votes"), tw.MajorityVote()).fit(texts)
    >>> pipeline.predict(["WIN A PRIZE"]).tolist()
    ['spam']
    """

    class_names_: tuple[Hashable, ...]
    rule_names_: tuple[str, ...]

    def __init__(
        self,
        rules: Sequence[Callable[[Any], object]],
        *,
        class_names: Sequence[Hashable] | None = None,
        output: Literal["numbers", "votes"] = "numbers",
        on_error: Literal["record", "raise"] = "record",
    ) -> None:
        self.rules = rules
        self.class_names = class_names
        self.output = output
        self.on_error = on_error

    def fit(self, items: Any, y: Any = None) -> RuleVotes:
        """Apply the rules to find out which classes there are; ``y`` is ignored."""
        self._learn(items)
        return self

    def fit_transform(self, items: Any, y: Any = None) -> IntArray | Votes:
        """``fit`` and ``transform``, but every rule sees every item only once."""
        return self._given(self._learn(items))

    def transform(self, items: Any) -> IntArray | Votes:
        """Votes on these items, in the classes of the fit."""
        check_is_fitted(self)
        return self._given(self._apply(items, self.class_names_))

    @available_if(_gives_numbers)  # type: ignore[untyped-decorator]  # scikit-learn's
    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        """Names of the rules; ``input_features`` is ignored, for rules may make one item of many columns."""
        check_is_fitted(self)
        return np.array(self.rule_names_, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.no_validation = True  # an item is whatever the rules understand: a text, a row, a dictionary
        tags.input_tags.string = tags.input_tags.dict = tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _learn(self, items: Any) -> Votes:
        if self.output not in ("numbers", "votes"):
            raise InvalidChoiceError(f'output must be "numbers" or "votes"; found {self.output!r}.')
        votes = self._apply(items, self.class_names)
        self.class_names_, self.rule_names_ = votes.class_names, votes.rule_names
        return votes

    def _apply(self, items: Any, class_names: Sequence[Hashable] | None) -> Votes:
        if sp.issparse(items):
            raise InvalidVotesError(
                "items must be a list, a column, a frame or an array; found a sparse matrix. "
                "Pass items.toarray(), or the texts that it was made from."
            )
        return apply_rules(items, self.rules, class_names=class_names, on_error=self.on_error).votes

    def _given(self, votes: Votes) -> IntArray | Votes:
        return votes if self.output == "votes" else votes.array
