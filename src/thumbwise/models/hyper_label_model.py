"""The hyper label model: a graph network that was trained once, on synthetic votes, and is applied to any others."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from thumbwise._typing import FloatArray
from thumbwise.metrics import TIE
from thumbwise.models.base import LabelModel
from thumbwise.models.compared import Compared
from thumbwise.models.inputs import read_for_fit
from thumbwise.models.saved.fields import Number, Setting, fields
from thumbwise.numerics.hyper_network import Dense, Layer, Network, PoolMeans, estimate_pool_means, logits
from thumbwise.numerics.hyper_weights import expected_shapes, read_network
from thumbwise.numerics.maxent import log_softmax
from thumbwise.numerics.patterns import Patterns
from thumbwise.tables.json_values import Node, plain
from thumbwise.votes.counted_votes import CountedVotes
from thumbwise.votes.votes import Votes

# Layers multiply; numbers up to this cannot overflow on the way through all of them.
_LARGE_WEIGHT = 1e30
_MAPS = ("own", "row", "rule", "pool")


@dataclass(frozen=True)
class _Net:
    """All matrices of the network, so that the file needs no package and no path."""

    def write(self, value: Network, model: HyperLabelModel) -> Any:
        layers = [{name: plain(getattr(layer, name)) for name in (*_MAPS, "bias")} for layer in value.layers]
        return {"layers": layers, "head": [{"matrix": plain(d.matrix), "bias": plain(d.bias)} for d in value.head]}

    def read(self, node: Node, model: HyperLabelModel, setting: Setting) -> Network:
        layers, head = node.fields("layers", "head")
        widths, head_widths = network_widths()
        sized = zip(layers.items(len(widths)), widths, strict=True)
        dense = zip(head.items(len(head_widths)), head_widths, strict=True)
        return Network(
            tuple(Layer(*_read_maps(layer, _MAPS, *width)) for layer, width in sized),
            tuple(Dense(*_read_maps(part, ("matrix",), *width)) for part, width in dense),
        )


def _read_maps(node: Node, names: tuple[str, ...], n_in: int, n_out: int) -> list[FloatArray]:
    *maps, bias = node.fields(*names, "bias")
    matrices = [part.array((n_in, n_out), -_LARGE_WEIGHT, _LARGE_WEIGHT) for part in maps]
    return [*matrices, bias.array((n_out,), -_LARGE_WEIGHT, _LARGE_WEIGHT)]


def network_widths() -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Inputs and outputs of each layer, and of each dense layer of the head."""
    shapes = {name: shape for name, shape in expected_shapes().items() if name.endswith(".weight")}
    layers = [(n_in // 4, n_out) for name, (n_out, n_in) in shapes.items() if name.endswith(".linear.weight")]
    head = [(n_in, n_out) for name, (n_out, n_in) in shapes.items() if name.startswith("classify.")]
    return layers, head


@dataclass(frozen=True)
class _Means:
    """What each layer sees of the pool, for each class that the network is asked for."""

    def write(self, value: tuple[tuple[PoolMeans, ...], ...], model: HyperLabelModel) -> Any:
        return [[_write_means(means, model.rule_names_) for means in by_layer] for by_layer in value]

    def read(self, node: Node, model: HyperLabelModel, setting: Setting) -> tuple[tuple[PoolMeans, ...], ...]:
        widths = [n_in for n_in, _ in network_widths()[0]]
        return tuple(
            tuple(_read_means(m, setting.votes, n_in) for m, n_in in zip(entry.items(len(widths)), widths, strict=True))
            for entry in node.items(len(model._targets(setting.votes.n_classes)))
        )


def _write_means(means: PoolMeans, rule_names: tuple[str, ...]) -> dict[str, Any]:
    return {"by_rule": dict(zip(rule_names, plain(means.by_rule), strict=True)), "overall": plain(means.overall)}


def _read_means(node: Node, votes: Votes, n_in: int) -> PoolMeans:
    by_rule, overall = node.fields("by_rule", "overall")
    return PoolMeans(
        by_rule.by_name(votes.rule_names, (n_in,), -_LARGE_WEIGHT, _LARGE_WEIGHT),
        overall.array((n_in,), -_LARGE_WEIGHT, _LARGE_WEIGHT),
    )


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

    _learned = fields(lowest_=Number(0, 1), highest_=Number(0, 1), pool_means_=_Means(), network_=_Net())
    _parameter_fields = fields(weights=None)  # a path on one machine
    _compared = (Compared("hyper label model"),)

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
        targets = self._targets(votes.n_classes)
        self.pool_means_ = tuple(estimate_pool_means(self.network_, patterns, target) for target in targets)
        proba = network_proba(self.network_, self.pool_means_, patterns)[patterns.votes_per_pattern > 0]
        self.lowest_ = float(proba.min(initial=1 / votes.n_classes))
        self.highest_ = float(proba.max(initial=1 / votes.n_classes))
        self._remember(votes)
        return self

    def _targets(self, n_classes: int) -> Sequence[int]:
        """Classes that the network is asked for."""
        return [1] if n_classes == 2 and not self.symmetric else range(n_classes)

    def _read_learned(self, node: Node, setting: Setting) -> None:
        super()._read_learned(node, setting)
        if not self.lowest_ <= 1 / setting.votes.n_classes <= self.highest_:
            node.refuse(f"such that lowest_ <= 1/{setting.votes.n_classes} <= highest_", "another order")

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
