"""The models that every law is run over. A new model is among them without being listed here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from support.registered import fit_plainly, package_models
from thumbwise import (
    AMCL,
    EBCC,
    BalsubramaniFreund,
    Box,
    DataProgramming,
    DawidSkene,
    Gold,
    HyperLabelModel,
    MajorityVote,
    Votes,
)
from thumbwise.models.base import LabelModel

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Task:
    """Votes, the truth behind them, and which of it is known as gold."""

    votes: Votes
    truth: Ints
    is_gold: npt.NDArray[np.bool_]

    @property
    def y(self) -> Ints:
        return np.where(self.is_gold, self.truth, -1)

    def take(self, items: Ints) -> Task:
        return Task(self.votes.take(items), self.truth[items], self.is_gold[items])

    def with_rules(self, rules: list[int]) -> Task:
        return replace(self, votes=self.votes.with_rules(rules))

    def with_array(self, array: npt.NDArray[np.generic]) -> Task:
        return replace(self, votes=Votes(array, class_names=self.votes.class_names))


def make_array(
    n_items: int,
    n_rules: int,
    n_classes: int,
    *,
    abstain: float = 0.2,
    accuracy: tuple[float, float] = (0.55, 0.9),
    seed: int = 0,
) -> tuple[Ints, Ints]:
    """Votes of rules that err independently, and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_classes, n_items)
    wrong = (truth[:, None] + rng.integers(1, n_classes, (n_items, n_rules))) % n_classes
    is_right = rng.random((n_items, n_rules)) < rng.uniform(*accuracy, n_rules)
    votes = np.where(is_right, truth[:, None], wrong)
    return np.where(rng.random(votes.shape) < abstain, -1, votes), truth


def make_task(
    n_items: int = 120, n_rules: int = 5, n_classes: int = 3, *, abstain: float = 0.2, n_gold: int = 60, seed: int = 0
) -> Task:
    array, truth = make_array(n_items, n_rules, n_classes, abstain=abstain, seed=seed)
    is_gold = np.zeros(n_items, dtype=bool)
    is_gold[np.random.default_rng(seed + 1).permutation(n_items)[:n_gold]] = True
    return Task(Votes(array, n_classes=n_classes), truth, is_gold)


@dataclass(frozen=True)
class Case:
    """A model, and how it is fitted to a task.

    ``scales``: repeating every item equally often changes nothing (a sample of gold from a larger pool says less).
    ``exempt``: laws (names of tests) that cannot hold for the model, and why; conftest.py skips them.
    """

    name: str
    make: Callable[[], LabelModel]
    fit_model: Callable[[LabelModel, Task], LabelModel]
    scales: bool = True
    exempt: Mapping[str, str] = field(default_factory=dict)

    def fit(self, task: Task) -> LabelModel:
        return self.fit_model(self.make(), task)

    def fit_proba(self, task: Task) -> Floats:
        return self.fit(task).predict_proba(task.votes)


def _from_votes(model: LabelModel, task: Task) -> LabelModel:
    return model.fit(task.votes)  # type: ignore[no-any-return]


def _from_gold(model: LabelModel, task: Task) -> LabelModel:
    return model.fit(task.votes, task.y)  # type: ignore[no-any-return]


def _from_gold_alone(model: Any, task: Task) -> LabelModel:
    gold = Gold(task.votes.take(task.is_gold), task.truth[task.is_gold], "subset")
    return model.fit(task.votes, box=Box.from_gold(gold, pool=task.votes, opinions=()))  # type: ignore[no-any-return]


def _from_truth(model: Any, task: Task) -> LabelModel:
    return model.fit(task.votes, box=Box.exact(task.votes, task.truth))  # type: ignore[no-any-return]


def _from_bounds(model: Any, task: Task) -> LabelModel:
    exact = Box.exact(task.votes, task.truth)
    lower, upper = np.clip(exact.lower - 0.07, 0, 1), np.clip(exact.upper + 0.03, 0, 1)
    return model.fit(task.votes, box=Box.from_bounds(task.votes, lower=lower, upper=upper))  # type: ignore[no-any-return]


def _plainly(model: LabelModel, task: Task) -> LabelModel:
    return fit_plainly(model, task.votes, task.y)  # type: ignore[no-any-return]


# Models that are tried in several ways, that scale, or that are exempt from a law. Others are tried as they are.
MODELS = [
    Case(
        "MajorityVote",
        MajorityVote,
        _from_votes,
        exempt={"test_an_item_that_occurs_more_often_weighs_more": "it learns nothing"},
    ),
    Case("DawidSkene", DawidSkene, _from_votes),
    Case("DawidSkene-class_conditional", partial(DawidSkene, kind="class_conditional"), _from_votes),
    Case("DawidSkene-full-gold", partial(DawidSkene, kind="full", accelerate=True), _from_gold),
    Case(
        "DataProgramming",
        DataProgramming,
        _from_votes,
        exempt={
            "test_03_every_vote_is_class_0": "votes for one class only say nothing in overlaps of rules",
            "test_17_a_declared_class_that_nobody_votes_for_keeps_its_column": "its even balance says that it occurs",
        },
    ),
    # A prior weighs less the more items there are.
    Case("EBCC", partial(EBCC, n_groups=3, n_starts=5, max_iter=1000), _from_votes, scales=False),
    Case(
        "AMCL-gold",
        partial(AMCL, on_infeasible="widen"),
        _from_gold,
        scales=False,
        exempt={"test_03_every_vote_is_class_0": "where rules with weight abstain, a mixture stays near the middle"},
    ),
    Case(
        "BalsubramaniFreund-gold",
        BalsubramaniFreund,
        _from_gold,
        scales=False,
        exempt={
            "test_order_of_items_is_irrelevant_to_the_last_bit": "items without ids are told apart by their rows",
            "test_order_of_rules_is_irrelevant": "to five digits: tests/laws/test_opinions_and_names.py",
            "test_numbering_of_classes_is_irrelevant": "to five digits: tests/laws/test_opinions_and_names.py",
        },
    ),
    Case(
        "BalsubramaniFreund-gold-rules-alone",
        partial(BalsubramaniFreund, caution=1),
        _from_gold_alone,
        scales=False,
        exempt={"test_full_coverage": "a hundred intervals share the budget: opinions are for such panels"},
    ),
    Case("BalsubramaniFreund-exact", BalsubramaniFreund, _from_truth),
    Case("BalsubramaniFreund-bounds", BalsubramaniFreund, _from_bounds),
]
LISTED = {"HyperLabelModel", *(case.name.partition("-")[0] for case in MODELS)}
MODELS += [Case(name, model, _plainly, scales=False) for name, model in package_models().items() if name not in LISTED]
if find_spec("hyperlm") is not None:
    one_sided = "with two classes the network is asked about the second one only, as its authors do"
    MODELS += [
        Case(
            "HyperLabelModel",
            HyperLabelModel,
            _from_votes,
            exempt={"test_numbering_of_classes_is_irrelevant": one_sided},
        ),
        Case("HyperLabelModel-symmetric", partial(HyperLabelModel, symmetric=True), _from_votes),
    ]
NAMES = [case.name for case in MODELS]
