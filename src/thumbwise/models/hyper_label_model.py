"""The hyper label model: a graph network that was trained once, on synthetic votes, and is applied to any others."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import expit

from thumbwise._typing import FloatArray
from thumbwise.counted_votes import CountedVotes
from thumbwise.metrics import TIE
from thumbwise.models.base import LabelModel
from thumbwise.models.inputs import read_for_fit
from thumbwise.numerics.hyper_network import Network, PoolMeans, estimate_pool_means, logits
from thumbwise.numerics.hyper_weights import read_network
from thumbwise.numerics.maxent import log_softmax
from thumbwise.patterns import Patterns


class HyperLabelModel(LabelModel):
    """The pre-trained graph network of Wu et al. (ICLR 2023), run on patterns, without torch.

    Nothing is estimated from the votes but means. The network reads, for each class c in question, the votes as +1 (for
    c) and -1 (for another class) and returns a logit per item (:mod:`thumbwise.numerics.hyper_network` has its layers).
    With two classes it is asked once, for the second of them, and q = (1 - sigmoid, sigmoid); with more it is asked for
    each class, and q is the sigmoids divided by their sum. Then, as its authors do, q is stretched about 1 / k,

        p = 1/k + (q - 1/k) / k / (highest - 1/k)   above 1/k, and likewise with ``lowest`` below,

    where ``lowest`` and ``highest`` are the extremes of q over the pool, and rows are made to sum to 1. So with two
    classes the most extreme items of the pool get probabilities 0 and 1 exactly, and log loss can be infinite.

    ``fit`` keeps what the network sees of the pool: the mean vectors of each rule's votes and of all votes, layer by
    layer, and the two extremes. Other items are scored against these. On the pool this is the network's own answer; no
    answer depends on which other items are asked for; and what would leave [0, 1] is clipped to it.

    Assumes that the votes are like the synthetic ones of its training; rules worse than chance are not recognised as
    such. *Guarantee*: none.

    Parameters
    ----------
    weights : path, optional
        A checkpoint; by default the one inside the installed package ``hyperlm``, which is not imported.
    symmetric : bool
        Ask for each class also if there are only two. By default the two classes are not treated alike, as in the
        authors' code: swapping them changes probabilities, and an item without votes leans to one of them.

    Attributes
    ----------
    network_ : Network
    pool_means_ : tuple of tuple of PoolMeans
        For each class that was asked for (the second, or all), for each of the four layers: mean vectors of the votes
        of each rule, shape (n_rules, 1 or 8), and of all votes.
    lowest_, highest_ : float
        Extremes of the network's probabilities over those items of the pool that have votes; 1 / k if there are none.

    Examples
    --------
    >>> from thumbwise.models.hyper_label_model import HyperLabelModel
    >>> model = HyperLabelModel()
    >>> votes = [[0, 0, 1], [1, 1, 1], [-1, 1, 0], [0, 1, 0]]
    >>> model.fit(votes).predict(votes)  # doctest: +SKIP
    array([0, 1, 0, 0])
    """

    def __init__(self, *, weights: str | os.PathLike[str] | None = None, symmetric: bool = False) -> None:
        self.weights = weights
        self.symmetric = symmetric

    def fit(self, votes: Any, y: Any = None) -> HyperLabelModel:
        """Keep what the network sees of the pool; ``y`` is ignored.

        The authors' package can fine-tune the network on gold labels; that made its log loss worse more often than not.
        """
        votes = read_for_fit(votes, y)[0]
        patterns = votes.patterns
        self.network_ = read_network(self.weights)
        targets = [1] if votes.n_classes == 2 and not self.symmetric else range(votes.n_classes)
        self.pool_means_ = tuple(estimate_pool_means(self.network_, patterns, target) for target in targets)
        proba = network_proba(self.network_, self.pool_means_, patterns)[patterns.votes_per_pattern > 0]
        self.lowest_ = float(proba.min(initial=1 / votes.n_classes))
        self.highest_ = float(proba.max(initial=1 / votes.n_classes))
        self._remember(votes)
        return self

    def _predict_patterns(self, votes: CountedVotes) -> FloatArray:
        proba = network_proba(self.network_, self.pool_means_, votes.patterns)
        return stretch(proba, self.lowest_, self.highest_)


def network_proba(network: Network, pool_means: Sequence[Sequence[PoolMeans]], patterns: Patterns) -> FloatArray:
    """The network's own probabilities, shape (n_patterns, n_classes)."""
    if len(pool_means) == 1:
        second = logits(network, pool_means[0], patterns, target=1)
        return np.column_stack([expit(-second), expit(second)])
    by_class = [logits(network, means, patterns, target) for target, means in enumerate(pool_means)]
    # Log of the sigmoids; their ratios survive where the sigmoids themselves would all be 0.
    return np.exp(log_softmax(-np.logaddexp(0, -np.column_stack(by_class)))[0])


def stretch(proba: FloatArray, lowest: float, highest: float) -> FloatArray:
    """Move ``highest`` to 2 / k and ``lowest`` to 0, leave 1 / k where it is, and make rows sum to 1.

    A side on which nothing differs from 1 / k by more than rounding is left as it is.

    Examples
    --------
    >>> stretch(np.array([[0.45, 0.55], [0.52, 0.48]]), lowest=0.45, highest=0.55).round(6)
    array([[0. , 1. ],
           [0.7, 0.3]])
    """
    even = 1 / proba.shape[1]
    up = even / (highest - even) if highest - even > TIE else 1.0
    down = even / (even - lowest) if even - lowest > TIE else 1.0
    moved = np.clip(even + (proba - even) * np.where(proba > even, up, down), 0, 1)
    return np.asarray(moved / moved.sum(axis=1, keepdims=True))
