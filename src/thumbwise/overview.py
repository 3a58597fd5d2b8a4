"""What a fit says about rules, classes and items, as plain rows to be printed, plotted or tested."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from thumbwise._typing import IntArray
from thumbwise.counted_votes import CountedVotes, locate_patterns
from thumbwise.exceptions import InvalidVotesError
from thumbwise.models.balsubramani_freund import BalsubramaniFreund
from thumbwise.models.base import best_classes

_ACTIVE = {1: "lower", -1: "upper", 0: ""}


@dataclass(frozen=True)
class MomentRow:
    """A rule or a class: what was counted, what is believed, what it weighs.

    Attributes
    ----------
    name : str
        Rule or class.
    coverage : float
        Share of the items that the rule votes on; for a class, of the votes that are for it.
    votes_per_class : tuple of int
        Empty for a class.
    gold_drawn, gold_right : int
        Gold items the rule votes on, and how many of these votes are right; gold items, and how many are of the class.
    lower, upper : float
        Interval of the accuracy or frequency.
    weight : float
        Log-odds per vote.
    active : {"lower", "upper", ""}
        The bound that holds the weight away from 0.
    """

    name: str
    coverage: float
    votes_per_class: tuple[int, ...]
    gold_drawn: int
    gold_right: int
    lower: float
    upper: float
    weight: float
    active: str


@dataclass(frozen=True)
class Overruled:
    """Items on which all rules that vote agree, but whose label is another class.

    Attributes
    ----------
    rules : tuple of str
        The rules that vote.
    voted, label : str
    n_items : int
    reason : {"gold", "classes"}
        The weights of these rules add up to less than 0, because gold says that they are mostly wrong; or the weights
        of the classes outweigh those of the rules.
    """

    rules: tuple[str, ...]
    voted: str
    label: str
    n_items: int
    reason: Literal["gold", "classes"]


def check_fitted_to(model: BalsubramaniFreund, votes: CountedVotes) -> None:
    """Refuse votes that a model was not fitted to, as far as sizes and names tell."""
    same = model.rule_names_ == votes.rule_names and tuple(model.classes_.tolist()) == votes.class_names
    if not same or model.certificate_.n_items != votes.n_items:
        raise InvalidVotesError(
            f"model must be fitted to these votes; it was fitted to {model.certificate_.n_items:,} items and "
            f"{len(model.rule_names_):,} rules, and these are {votes.n_items:,} items and {votes.n_rules:,} rules, or "
            "rules and classes have other names. Pass the votes that it was fitted to."
        )


def rule_rows(model: BalsubramaniFreund, votes: CountedVotes) -> list[MomentRow]:
    """One row per rule."""
    table = votes.patterns.vote_table
    coverage = table.sum(axis=1) / votes.n_items
    return [_row(model, j, votes.rule_names[j], coverage[j], table[j]) for j in range(votes.n_rules)]


def class_rows(model: BalsubramaniFreund, votes: CountedVotes) -> list[MomentRow]:
    """One row per class."""
    counts = votes.patterns.vote_table.sum(axis=0)
    coverage = counts / max(1, counts.sum())
    none = np.empty(0, dtype=np.int64)
    return [
        _row(model, votes.n_rules + c, str(votes.class_names[c]), coverage[c], none) for c in range(votes.n_classes)
    ]


def _row(model: BalsubramaniFreund, m: int, name: str, coverage: float, votes_per_class: IntArray) -> MomentRow:
    box = model.box_
    return MomentRow(
        name=name,
        coverage=float(coverage),
        votes_per_class=tuple(votes_per_class.tolist()),
        gold_drawn=0 if box.gold_drawn is None else int(box.gold_drawn[m]),
        gold_right=0 if box.gold_right is None else int(box.gold_right[m]),
        lower=float(box.lower[m]),
        upper=float(box.upper[m]),
        weight=float(model.weights_[m]),
        active=_ACTIVE[int(model.active_[m])],
    )


def worse_than_chance(rows: list[MomentRow], n_classes: int) -> list[MomentRow]:
    """Rules whose whole interval lies below the accuracy of guessing."""
    return [row for row in rows if row.upper < 1 / n_classes]


def _counts_without_gold(model: BalsubramaniFreund, votes: CountedVotes) -> IntArray:
    """Items of each pattern that do not keep a gold label."""
    counts = votes.patterns.counts.copy()
    if model.known_ is not None:
        inside = votes.contains_ids(model.known_.item_ids)
        taken = votes.take_ids(model.known_.item_ids[inside])
        counts[locate_patterns(taken.patterns, votes.patterns)] -= taken.patterns.counts
    return counts


def count_labels(model: BalsubramaniFreund, votes: CountedVotes) -> IntArray:
    """How many items that do not keep a gold label get each class, shape (n_classes,)."""
    best = best_classes(model._predict_patterns(votes), votes.patterns)
    counts = np.zeros(votes.n_classes, dtype=np.int64)
    np.add.at(counts, best, _counts_without_gold(model, votes))
    return counts


def find_overruled(model: BalsubramaniFreund, votes: CountedVotes) -> list[Overruled]:
    """Patterns on which a unanimous vote is not followed, the most frequent first; gold items are left out."""
    patterns = votes.patterns
    counts = _counts_without_gold(model, votes)
    best = best_classes(model._predict_patterns(votes), patterns)
    said = patterns.votes_per_class
    is_unanimous = (said > 0).sum(axis=1) == 1
    rows = np.flatnonzero(is_unanimous & (best != said.argmax(axis=1)) & (counts > 0))
    found = [_overruled(model, votes, int(t), int(best[t]), int(counts[t])) for t in rows]
    return sorted(found, key=lambda group: -group.n_items)


def _overruled(model: BalsubramaniFreund, votes: CountedVotes, pattern: int, label: int, n_items: int) -> Overruled:
    patterns = votes.patterns
    votes_of_it = slice(patterns.starts[pattern], patterns.starts[pattern + 1])
    rules, voted = patterns.rules[votes_of_it], int(patterns.classes[votes_of_it][0])
    return Overruled(
        rules=tuple(votes.rule_names[j] for j in rules),
        voted=str(votes.class_names[voted]),
        label=str(votes.class_names[label]),
        n_items=n_items,
        reason="gold" if model.weights_[rules].sum() < 0 else "classes",
    )
