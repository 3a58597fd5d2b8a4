"""How many labels of a fitted model are right: asked when it is wanted, and not at every fit."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

from thumbwise.box.box import Box
from thumbwise.game.accuracy import AccuracyProof, certify_accuracy
from thumbwise.models.base import LabelModel, best_classes
from thumbwise.numerics.feasibility import Widening
from thumbwise.votes.counted_votes import CountedVotes


@dataclass(frozen=True, eq=False)
class RightLabelsOf:
    """A model as it was fitted, and the items: all that the question needs, however the model is changed later.

    Attributes
    ----------
    model : LabelModel
        A copy, without a certificate.
    votes : CountedVotes
        The pool.
    box : Box
    widening : Widening or None
        By how much the box had to be widened.
    """

    model: LabelModel
    votes: CountedVotes
    box: Box
    widening: Widening | None

    @classmethod
    def of(cls, model: Any, votes: CountedVotes, box: Box, widening: Widening | None) -> RightLabelsOf:
        """That of a model which has just been fitted."""
        fitted = copy.copy(model)
        vars(fitted).pop("certificate_", None)
        return cls(fitted, votes, box, widening)

    def __call__(self) -> AccuracyProof:
        proba = self.model._predict_patterns(self.votes)
        labels, known = best_classes(proba, self.votes.patterns), self.model.known_
        return certify_accuracy(labels, proba, self.votes, self.box, known=known, widening=self.widening)
