"""A pool with ids and a few gold items, as a table and in memory."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import thumbwise as tw
from engines.holders import Table
from thumbwise.votes.lazy_votes import LazyVotes

RULES = ('short "x"', "loud.words", "rare")
ID = "the `id`"
CLASSES = ("ham", "spam", "Ham")  # two that some engines would not tell apart as names of columns


def make_pool(n_items: int = 400, n_gold: int = 60, *, seed: int = 0) -> tuple[dict[str, list[Any]], list[Any], Any]:
    """A table of class names with ids, ids of gold items, and their labels."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, size=n_items, p=[0.5, 0.3, 0.2])
    table: dict[str, list[Any]] = {ID: [f"item-{i}'s" for i in range(n_items)]}
    for j, rule in enumerate(RULES):
        votes = np.where(rng.random(n_items) < 0.75, truth, rng.integers(3, size=n_items))
        silent = rng.random(n_items) < 0.2 + 0.25 * j
        table[rule] = [None if mute else CLASSES[v] for v, mute in zip(votes, silent, strict=True)]
    table["note"] = [int(i) for i in rng.integers(1000, size=n_items)]
    gold = rng.permutation(n_items)[:n_gold]
    return table, [table[ID][i] for i in gold], [CLASSES[c] for c in truth[gold]]


def in_memory(table: Table) -> tw.Votes:
    array = np.column_stack([np.array(table[rule], dtype=object) for rule in RULES])
    return tw.Votes(array, rule_names=RULES, item_ids=np.array(table[ID]), class_names=CLASSES)


OPTIONS: dict[str, Any] = {"rules": RULES, "item_id": ID, "keep": ["note"], "class_names": CLASSES}

Fit = Callable[[Any], Any]


def fit_majority(votes: Any) -> Any:
    return tw.MajorityVote().fit(votes)


def fit_dawid_skene(votes: Any) -> Any:
    return tw.DawidSkene(prior_right=2, prior_wrong=1).fit(votes)


def fit_data_programming(votes: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # convergence is not what is asked here
        return tw.DataProgramming().fit(votes)


def fit_ebcc(votes: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tw.EBCC(n_starts=2, random_state=0).fit(votes)


def fit_pinned(votes: Any) -> Any:
    """The game with gold items that keep their labels."""
    _, ids, labels = make_pool()
    box = tw.Box.from_gold(votes.take_ids(ids), labels, pool=votes, gold_is="subset")
    model = tw.BalsubramaniFreund().fit(votes, box=box)
    assert model.known_ is not None
    assert len(model.known_) == len(ids)
    return model


FITS: dict[str, Fit] = {
    "majority": fit_majority,
    "dawid-skene": fit_dawid_skene,
    "data programming": fit_data_programming,
    "ebcc": fit_ebcc,
    "pinned game": fit_pinned,
}


def assert_same_answers(answered: list[dict[str, Any]], model: Any, votes: tw.Votes, table: Table) -> None:
    """Rows of a lazy frame, against what the model says of the same votes in memory."""
    proba, labels = model.predict_proba(votes), model.predict(votes)
    by_id = {row[ID]: row for row in answered}
    assert len(answered) == len(by_id) == votes.n_items
    assert list(answered[0]) == [ID, "note", "p_ham", "p_spam", "p_Ham#2", "label"]
    for i, name in enumerate(table[ID]):
        row = by_id[name]
        assert np.abs(np.array([row["p_ham"], row["p_spam"], row["p_Ham#2"]]) - proba[i]).max() <= 1e-12
        assert row["label"] == labels[i]
        assert row["note"] == table["note"][i]


def lazy_and_model(held: Callable[..., LazyVotes], fit: Fit) -> tuple[Table, LazyVotes, Any]:
    table, _, _ = make_pool()
    lazy = held(table, **OPTIONS)
    return table, lazy, fit(lazy)
