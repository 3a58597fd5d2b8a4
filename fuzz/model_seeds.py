"""Small saved models of every kind, to start from."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np

from thumbwise import AMCL, EBCC, BalsubramaniFreund, Box, DataProgramming, DawidSkene, MajorityVote, Votes
from thumbwise.box.moments.of_classes import group_frequencies
from thumbwise.box.moments.of_rules import ConditionalRate, class_accuracies, confusion_cells
from thumbwise.box.moments.standard import STANDARD
from thumbwise.box.moments.written import LinearMoment
from thumbwise.box.opinions import InTiers
from thumbwise.models.base import LabelModel
from thumbwise.models.hyper_label_model import network_widths
from thumbwise.models.registry import registered
from thumbwise.models.saved.saving import describe
from thumbwise.tables.json_values import render

_RULES = ["short", "loud"]


def model_seeds() -> dict[str, bytes]:
    """Files by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fits of six items warn of much
        seeds = {name: render(describe(model)).encode() for name, model in _models().items()}
    majority = json.loads(seeds["MajorityVote"])
    seeds["HyperLabelModel"] = json.dumps(_hyper_document(majority)).encode()
    return seeds


def _models() -> dict[str, LabelModel]:
    rows = np.array([[0, 0], [1, 1], [1, 0], [0, -1], [1, 1], [-1, 0]])
    two = Votes(rows, class_names=["ham", "spam"], item_ids=["a", "b", "c", "d", "e", "f"], rule_names=_RULES)
    numbered = Votes(np.tile(rows, (4, 1)), item_ids=np.arange(24), rule_names=_RULES)
    many = Votes(np.tile(rows, (10, 1)), class_names=["ham", "spam"], item_ids=np.arange(60), rule_names=_RULES)
    three = Votes(np.where(rows == 0, 2, rows), n_classes=3, rule_names=_RULES)
    grouped = Votes(rows, class_names=["ham", "spam"], item_groups=["n", "s"] * 3, rule_names=_RULES)
    gold = ["ham", "spam", None, None, "spam", None]
    models = {
        "MajorityVote": MajorityVote().fit(three),
        "DawidSkene": DawidSkene(tol=0.01, max_iter=5).fit(two),
        "DawidSkene-full": DawidSkene(kind="full", prior_right=2, prior_wrong=1).fit(two, gold),
        "DataProgramming": DataProgramming(class_balance=[0.5, 0.5]).fit(two),
        "EBCC": EBCC(n_groups=2, n_starts=1, max_iter=5).fit(two, gold),
        "AMCL": AMCL(on_infeasible="widen").fit(two, gold),
        "BalsubramaniFreund": BalsubramaniFreund(on_infeasible="widen").fit(two, gold),
        "BalsubramaniFreund-numbered": BalsubramaniFreund(on_infeasible="widen").fit(numbered, [0, 1, 0, 1, 0, 0] * 4),
        "BalsubramaniFreund-written": BalsubramaniFreund().fit(three, box=Box.from_bounds(three, {"short": (0.4, 1)})),
        "BalsubramaniFreund-moments": BalsubramaniFreund(on_infeasible="widen").fit(two, box=_more_moments(two)),
        "BalsubramaniFreund-opinions": BalsubramaniFreund(caution=0.5).fit(many, box=_with_opinions(many)),
        "BalsubramaniFreund-groups": BalsubramaniFreund(on_infeasible="widen").fit(grouped, box=_of_groups(grouped)),
    }
    tried = {"HyperLabelModel", *(name.partition("-")[0] for name in models)}
    ours = {name: model for name, model in registered().items() if model.__module__.startswith("thumbwise.")}
    others = {name: model for name, model in ours.items() if name not in tried}
    return models | {name: model().fit(two, gold if model._needs_labels else None) for name, model in others.items()}


def _more_moments(votes: Votes) -> Box:
    gold = votes.take(np.arange(3))
    moments = (*STANDARD, class_accuracies, confusion_cells)
    box = Box.from_gold(gold, ["ham", "spam", "ham"], pool=votes, gold_is="subset", moments=moments)
    rate = ConditionalRate("loud", "ham", "spam", 0.25)
    line = LinearMoment("difference", {None: {"ham": 0.5, "spam": -0.25}})
    return box.with_bounds(votes, {"difference": (-0.3, 0.3)}, moments=[rate, line])


def _with_opinions(votes: Votes) -> Box:
    gold = votes.take(np.arange(36))
    opinions: list[str | InTiers] = [InTiers("panel", 2), "majority", "learned"]
    return Box.from_gold(gold, [0, 1, 0, 0, 1, 0] * 6, pool=votes, gold_is="subset", opinions=tuple(opinions))


def _of_groups(votes: Votes) -> Box:
    line = LinearMoment("north", {"n": {"ham": 1.0}})
    box = Box.from_bounds(votes, {"short": (0.4, 1)})
    return box.with_bounds(votes, {"north": (0.1, 0.4)}, moments=[group_frequencies, line])


def _hyper_document(majority: dict[str, Any]) -> dict[str, Any]:
    """A network of small weights, which needs no published ones."""
    layers, head = network_widths()
    maps = [dict.fromkeys(("own", "row", "rule", "pool"), [[0.1] * n_out] * n_in) for n_in, n_out in layers]
    means = [{"by_rule": dict.fromkeys(majority["rules"], [0.5] * n_in), "overall": [0.5] * n_in} for n_in, _ in layers]
    network = {
        "layers": [{**matrices, "bias": [0.1] * n_out} for matrices, (_, n_out) in zip(maps, layers, strict=True)],
        "head": [{"matrix": [[0.1] * n_out] * n_in, "bias": [0.1] * n_out} for n_in, n_out in head],
    }
    learned = {"lowest_": 0.1, "highest_": 0.9, "pool_means_": [means] * 3, "network_": network}
    return {**majority, "model": "HyperLabelModel", "parameters": {}, "learned": learned}
