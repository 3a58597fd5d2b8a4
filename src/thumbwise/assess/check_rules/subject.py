"""The subject of checks: votes, gold, the box that gold gives, the fit, and why there is none if there is none."""

from __future__ import annotations

import warnings
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from thumbwise.assess.comparison import Comparison, compare
from thumbwise.assess.tables.classes import describe_classes
from thumbwise.assess.tables.fitted import check_fitted_to, read_fitted
from thumbwise.assess.tables.rules import describe_rules
from thumbwise.assess.tables.tidy import Tidy
from thumbwise.box.box import Box
from thumbwise.box.gold import Design, GoldIs, GoldSample
from thumbwise.box.opened_gold import open_gold
from thumbwise.exceptions import Argument, InfeasibleBoxError, InvalidChoiceError
from thumbwise.io.readings import Reading
from thumbwise.models.balsubramani_freund import BalsubramaniFreund
from thumbwise.votes.inputs import as_votes, classes_of, in_memory
from thumbwise.votes.votes import Votes


@dataclass(frozen=True, eq=False)
class Subject:
    """Everything that a check may look at.

    Attributes
    ----------
    votes : Votes
        The pool.
    gold : GoldSample or None
    box : Box or None
        Given, that of the model, or made from gold.
    model : BalsubramaniFreund or None
        Given, or fitted to the box; None without a box, or if no labeling satisfies it.
    conflict : InfeasibleBoxError or None
        Why there is no model.
    confidence_level : float
        That of the model's box, if it has one.
    """

    votes: Votes
    gold: GoldSample | None
    box: Box | None
    model: BalsubramaniFreund | None
    conflict: InfeasibleBoxError | None
    confidence_level: float

    @cached_property
    def comparison(self) -> Comparison:
        """Methods side by side on gold, made once for all who ask."""
        if self.gold is None:
            raise InvalidChoiceError("a comparison needs gold labels; found none.")
        return compare(self.gold, confidence_level=self.confidence_level)

    @cached_property
    def rules(self) -> Tidy:
        """What each rule does, as :func:`thumbwise.assess.tables.rules_table` tells it, as far as it is known."""
        return describe_rules(self.votes, self.box, self.model)

    @cached_property
    def classes(self) -> Tidy:
        """Votes, labels and gold of each class, as :func:`thumbwise.assess.tables.classes_table` counts them."""
        return describe_classes(self.votes, self.box, self.model, None if self.gold is None else self.gold.labels)

    @cached_property
    def bounded_rules(self) -> Tidy:
        """The rules whose accuracy the box bounds."""
        return self.rules.take([j for j, lower in enumerate(self.rules["lower"]) if lower is not None])


def open_subject(
    votes: Any,
    gold_votes: Any,
    gold_labels: Any,
    gold_is: GoldIs | Design | None,
    model: BalsubramaniFreund | None,
    box: Box | None,
    confidence_level: float,
) -> Subject:
    """Settle what is looked at: gold from one place, a box from one place, and a fit to it."""
    classes = None if box is None else box.class_names
    classes = classes_of(model) if classes is None else classes
    pool, gold = _open_gold(votes, gold_votes, gold_labels, gold_is, classes)
    if model is not None:
        own = _box_of(model, pool, box)
        pool = in_memory(read_fitted(model, pool))
        return Subject(pool, gold, own, model, None, own.evidence.confidence_level or confidence_level)
    if box is None and gold is not None:
        box = Box.from_sample(gold, confidence_level=confidence_level)
    fitted, conflict = (None, None) if box is None else _fit(pool, box)
    pool = pool if fitted is None else in_memory(read_fitted(fitted, pool))
    return Subject(pool, gold, box, fitted, conflict, confidence_level)


def _open_gold(
    votes: Any, gold_votes: Any, gold_labels: Any, gold_is: Any, class_names: tuple[Hashable, ...] | None
) -> tuple[Votes, GoldSample | None]:
    if isinstance(votes, Reading):
        if gold_votes is not None or gold_labels is not None:
            raise InvalidChoiceError(
                "gold must come from one place; a Reading holds its own, and ",
                Argument("gold_votes"),
                " or ",
                Argument("gold_labels"),
                " were given too. Pass the Reading alone, or its .votes with the gold that is meant.",
            )
        return in_memory(votes.votes, "a check"), open_gold(votes, None, None, None) if len(votes.gold_labels) else None
    if gold_votes is None and gold_labels is None:
        return in_memory(as_votes(votes, class_names), "a check"), None
    if gold_votes is None:
        raise InvalidChoiceError(
            "gold must be votes and labels; ", Argument("gold_votes"), " is missing. Pass both, or neither."
        )
    sample = open_gold(gold_votes, gold_labels, votes, gold_is, class_names=class_names)
    return in_memory(sample.pool, "a check"), sample


def _box_of(model: Any, votes: Votes, box: Box | None) -> Box:
    if box is not None:
        raise InvalidChoiceError("pass either a model, which has its box, or a box, not both.")
    return check_fitted_to(model, votes).box_


def _fit(votes: Votes, box: Box) -> tuple[BalsubramaniFreund | None, InfeasibleBoxError | None]:
    """The fit, or why there is none. That it did not converge is found by a check, and not said twice."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            return BalsubramaniFreund().fit(votes, box=box), None
        except InfeasibleBoxError as error:
            return None, error
