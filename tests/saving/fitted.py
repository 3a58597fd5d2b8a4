"""One fitted model of every kind, on votes with odd names."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from support.hyper import random_tensors, write_checkpoint
from support.registered import fit_plainly, package_models
from thumbwise import (
    AMCL,
    EBCC,
    BalsubramaniFreund,
    Box,
    DataProgramming,
    DawidSkene,
    HyperLabelModel,
    Votes,
)
from thumbwise.box.designs import ByClass
from thumbwise.box.moments.of_classes import group_frequencies
from thumbwise.box.moments.of_rules import ConditionalRate, class_accuracies, confusion_cells
from thumbwise.box.moments.standard import STANDARD
from thumbwise.box.moments.written import LinearMoment
from thumbwise.box.opinions import InTiers
from thumbwise.models.base import LabelModel

ODD_NAMES = [
    "a \"quoted' name",
    "two\nlines\r\n",
    "\U0001f60a\u202e\u2028",
    "x" * 10_000,
    "DROP TABLE votes; --",
    " \t leading",
    "",
    "null",
    "\ud800 half a pair",
    "__class__",
]
CLASS_NAMES: dict[str, Sequence[Any]] = {
    "numbers": [0, 1, 2],
    "other numbers": [10, -3, 2**53],
    "strings": ['"', "None", "nan"],
    "mixed": [None, True, 2.5],
}


def make_votes(n_items: int = 80, *, class_names: Sequence[Any] = ("a", "b", "c"), seed: int = 0, **more: Any) -> Votes:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, len(class_names), n_items)
    noise = rng.integers(0, len(class_names), (n_items, len(ODD_NAMES)))
    said = np.where(rng.random(noise.shape) < 0.7, truth[:, None], noise)
    said[rng.random(said.shape) < 0.3] = -1
    said[0] = -1
    return Votes(said, class_names=class_names, rule_names=ODD_NAMES, **more)


def truth_of(votes: Votes, seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).integers(0, votes.n_classes, votes.n_items)


def named(votes: Votes, truth: np.ndarray[Any, Any]) -> list[Any]:
    """Class names, None where the class number is -1."""
    return [None if c < 0 else votes.class_names[c] for c in truth.tolist()]


def _gold(votes: Votes) -> list[Any]:
    """Labels of every second item."""
    truth = truth_of(votes)
    truth[1::2] = -1
    return named(votes, truth)


def _box(votes: Votes, every: int = 2, **options: Any) -> Box:
    gold = np.arange(0, votes.n_items, every)
    return Box.from_gold(votes.take(gold), named(votes, truth_of(votes)[gold]), pool=votes, gold_is="subset", **options)


def _opinions(votes: Votes) -> LabelModel:
    """All that a file can hold, each with weight."""
    opinions = [InTiers("panel", 2), "majority", "panel", "learned"]
    model = BalsubramaniFreund(caution=0.4, on_infeasible="widen").fit(votes, box=_box(votes, 1, opinions=opinions))
    model.weights_ = np.where(model.weights_ == 0, np.linspace(-0.5, 0.7, len(model.weights_)), model.weights_)
    model.active_ = np.sign(model.weights_).astype(np.int64)
    return model


def _class_balanced(votes: Votes) -> LabelModel:
    others = make_votes(40, class_names=votes.class_names, seed=9)
    box = Box.from_gold(
        others,
        named(others, truth_of(others, 9)),
        pool=votes,
        gold_is=ByClass(dict.fromkeys(votes.class_names, (0.32, 0.35))),
    )
    return BalsubramaniFreund(on_infeasible="widen").fit(votes, box=box)


def _balsubramani_freund(votes: Votes, **options: Any) -> LabelModel:
    return BalsubramaniFreund(on_infeasible="widen").fit(votes, box=_box(votes, **options))


def _more_moments(votes: Votes) -> LabelModel:
    box = _box(votes, moments=(*STANDARD, class_accuracies, confusion_cells))
    first, second = votes.class_names[:2]
    rate = ConditionalRate(votes.rule_names[0], first, second, 0.25)
    line = LinearMoment('a "difference"', {None: {first: 0.5, second: -1 / 3}})
    return BalsubramaniFreund(on_infeasible="widen").fit(
        votes, box=box.with_bounds(votes, {'a "difference"': (-0.3, 0.3)}, moments=[rate, line])
    )


def _unpinned(votes: Votes) -> LabelModel:
    return BalsubramaniFreund(pin_gold=False, on_infeasible="widen").fit(votes, box=_box(votes, n_permutations=199))


def _drifted(votes: Votes) -> LabelModel:
    """Gold with more votes than the pool: the certificate doubts it, in words that name a rule."""
    few = np.argsort(-votes.n_votes_per_item)[:20]
    box = Box.from_gold(votes.take(few), named(votes, truth_of(votes)[few]), pool=votes, gold_is="subset")
    return BalsubramaniFreund(on_infeasible="widen").fit(votes, box=box)


@cache
def _weights() -> Path:
    return write_checkpoint(Path(_FOLDER.name) / "weights.pt", random_tensors(3))


_FOLDER = TemporaryDirectory()


def _hyper(votes: Votes) -> LabelModel:
    return HyperLabelModel(weights=_weights()).fit(votes)


FITS: dict[str, Callable[[Votes], LabelModel]] = {
    "DawidSkene": lambda votes: DawidSkene(tol=0.001).fit(votes),
    "DawidSkene-full-gold": lambda votes: DawidSkene(kind="full", prior_right=2, prior_wrong=1).fit(
        votes, _gold(votes)
    ),
    "DataProgramming": lambda votes: DataProgramming(class_balance=[1 / votes.n_classes] * votes.n_classes).fit(votes),
    "EBCC": lambda votes: EBCC(n_groups=3, n_starts=4, max_iter=500).fit(votes, _gold(votes)),
    "AMCL": lambda votes: AMCL(on_infeasible="widen").fit(votes, _gold(votes)),
    "AMCL-subgradient": lambda votes: AMCL(solver="subgradient", n_steps=20, on_infeasible="widen").fit(
        votes, _gold(votes)
    ),
    "HyperLabelModel": _hyper,
    "HyperLabelModel-two": lambda votes: _hyper(
        Votes(np.minimum(votes.array, 1), class_names=["no", "yes"], rule_names=ODD_NAMES)
    ),
    "BalsubramaniFreund-gold": _balsubramani_freund,
    "BalsubramaniFreund-opinions": _opinions,
    "BalsubramaniFreund-worst case": lambda votes: BalsubramaniFreund(caution=1, on_infeasible="widen").fit(
        votes, box=_box(votes)
    ),
    "BalsubramaniFreund-unpinned": _unpinned,
    "BalsubramaniFreund-drifted": _drifted,
    "BalsubramaniFreund-exact": lambda votes: BalsubramaniFreund().fit(
        votes, box=Box.exact(votes, np.eye(votes.n_classes)[truth_of(votes)])
    ),
    "BalsubramaniFreund-more moments": _more_moments,
    "BalsubramaniFreund-class balanced": _class_balanced,
}


def _plain_fit(model: type[LabelModel]) -> Callable[[Votes], LabelModel]:
    return lambda votes: fit_plainly(model(), votes, _gold(votes))


_TRIED = {name.partition("-")[0] for name in FITS}
FITS |= {name: _plain_fit(model) for name, model in package_models().items() if name not in _TRIED}


def fit(name: str, votes: Votes) -> LabelModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a fit warns of is no business of a file
        return FITS[name](votes)


@cache
def fitted(name: str) -> Any:
    """Fitted once to votes with ids 0..79."""
    return fit(name, make_votes(item_ids=np.arange(80)))


def group_model(votes: Votes) -> LabelModel:
    first = votes.class_names[0]
    line = LinearMoment("north", {"north": {first: 1.0}})
    box = Box.from_bounds(votes, {votes.rule_names[0]: (0.4, 1)})
    box = box.with_bounds(votes, {"north": (0.1, 0.4)}, moments=[group_frequencies, line])
    return BalsubramaniFreund().fit(votes, box=box)
