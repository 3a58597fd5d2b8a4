"""Labels of any fitted model with a certificate: what a box proves of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from thumbwise._typing import FloatArray
from thumbwise.box.box import Box
from thumbwise.game.certificate import Certificate
from thumbwise.game.certified import certify_labels, floored
from thumbwise.models.base import LabelModel
from thumbwise.models.right_labels import RightLabelsOf
from thumbwise.votes.counted_votes import CountedVotes


class CertifiedModel(LabelModel):
    """A fitted model whose probabilities have a floor, whose known items keep their label, and a bound.

    Probabilities are at least 0.0001 before rows sum to 1 again: if the truth may be a class of probability 0, the mean
    log loss has no bound. Where a model gives no less, nothing changes.

    *Guarantee*: if the box holds the true moments, the mean log loss on the fitted items whose label is not known is at
    most ``certificate_.log_loss_bound``; for a box from gold with probability at least its level, for all predictions
    at once, so that the model may be chosen after gold labels are seen. Rules, moments and level must be decided
    before.

    Parameters
    ----------
    model : LabelModel
        Fitted, to whatever.
    box : Box
        Made for the votes that ``fit`` gets.
    on_infeasible : {"raise", "widen"}
        What to do if no labeling satisfies the box, as for :class:`BalsubramaniFreund`.

    Attributes
    ----------
    box_ : Box
        As given.
    certificate_ : Certificate
    weights_, active_ : None
        Moments of the box have no part in the prediction.

    Examples
    --------
    >>> import thumbwise as tw
    >>> from thumbwise.models.certified import CertifiedModel
    >>> votes = tw.Votes([[0, 0], [1, 1], [1, 0], [0, -1]], rule_names=["a", "b"])
    >>> box = tw.Box.from_bounds(votes, {"a": (0.75, 1), "b": (0.5, 1)})
    >>> model = CertifiedModel(tw.MajorityVote().fit(votes), box).fit(votes)
    >>> round(model.certificate_.log_loss_bound, 3)  # one item in four is as surely wrong as can be
    2.476
    """

    box_: Box
    certificate_: Certificate
    weights_ = None
    active_ = None

    def __init__(self, model: LabelModel, box: Box, *, on_infeasible: Literal["raise", "widen"] = "raise") -> None:
        self.model = model
        self.box = box
        self.on_infeasible = on_infeasible

    def fit(self, votes: Any, y: Any = None) -> CertifiedModel:
        """Find what the box proves; ``y`` is ignored: the box holds what gold says."""
        votes = self.box.in_groups(self.model._read(votes))
        self._remember(votes, self.box.certain())
        self.box_ = self.box
        may_widen = self.on_infeasible == "widen"
        certificate = certify_labels(self._predict_patterns(votes), votes, self.box, may_widen=may_widen)
        right_labels = RightLabelsOf.of(self, votes, self.box, certificate.widening)
        self.certificate_ = replace(certificate, right_labels=right_labels)
        return self

    def _predict_patterns(self, votes: CountedVotes) -> FloatArray:
        return floored(self.model._predict_patterns(votes))
