"""A panel's opinions, and what gold taught, from items that stay in their engine: as from the same items in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thumbwise as tw
from engines.conftest import Hold
from engines.holders import Table, lazy_votes, rows_of

RULES = tuple(f"rule {j}" for j in range(6))
CLASSES = ("ham", "spam", "eggs")
OPTIONS: dict[str, Any] = {"rules": RULES, "item_id": "id", "class_names": CLASSES}


def make_panel(n_items: int, seed: int) -> tuple[dict[str, list[Any]], list[str]]:
    """A table of class names, and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=n_items)
    table: dict[str, list[Any]] = {"id": [f"{seed}-{i}" for i in range(n_items)]}
    for rule in RULES:
        votes = np.where(rng.random(n_items) < 0.6, truth, rng.integers(3, size=n_items))
        silent = rng.random(n_items) < 0.4
        table[rule] = [None if mute else CLASSES[v] for v, mute in zip(votes, silent, strict=True)]
    return table, [CLASSES[c] for c in truth]


def in_memory(table: Table) -> tw.Votes:
    array = np.column_stack([np.array(table[rule], dtype=object) for rule in RULES])
    return tw.Votes(array, rule_names=RULES, item_ids=np.array(table["id"]), class_names=CLASSES)


def fit_panel(votes: Any) -> Any:
    """The default, from 80 gold items; and some weight on every opinion, since any weights are a prediction."""
    table, truth = make_panel(300, 0)
    box = tw.Box.from_gold(votes.take_ids(table["id"][:80]), truth[:80], pool=votes, gold_is="subset")
    assert box.names[-3:] == ("opinion(majority)", "opinion(panel)", "log loss(learned opinion)")
    model = tw.BalsubramaniFreund().fit(votes, box=box)
    model.weights_ = model.weights_ + np.append(np.zeros(len(box) - 3), [0.4, 0.7, -0.5])
    return model


def assert_same(answered: list[dict[str, Any]], model: Any, table: Table) -> None:
    votes = in_memory(table)
    by_id = {row["id"]: row for row in answered}
    proba = np.array([[by_id[name][f"p_{c}"] for c in CLASSES] for name in table["id"]])
    np.testing.assert_allclose(proba, model.predict_proba(votes), atol=1e-9, rtol=0)
    assert [by_id[name]["label"] for name in table["id"]] == model.predict(votes).tolist()


def check_engine(hold: Callable[[Table], Any]) -> None:
    table, _ = make_panel(300, 0)
    new, _ = make_panel(200, 1)
    ours, lazy = fit_panel(in_memory(table)), hold(table)
    theirs = fit_panel(lazy)
    np.testing.assert_allclose(theirs.box_.lower, ours.box_.lower, atol=1e-9)
    np.testing.assert_allclose(theirs.box_.upper, ours.box_.upper, atol=1e-9)
    assert abs(theirs.certificate_.log_loss_bound - ours.certificate_.log_loss_bound) <= 1e-9
    assert theirs.certificate_.caution == ours.certificate_.caution < 1
    assert_same(rows_of(theirs.predict_proba(lazy)), ours, table)
    assert_same(rows_of(theirs.predict_proba(hold(new))), ours, new)


def test_the_panel_is_that_in_memory(held: Hold) -> None:
    check_engine(lambda table: held(table, **OPTIONS))


def test_the_panel_is_that_in_memory_with_spark(spark: Callable[[], Any], tmp_path: Path) -> None:
    check_engine(lambda table: lazy_votes("spark", table, tmp_path, spark, **OPTIONS))


def test_most_of_the_new_patterns_are_new() -> None:
    """The watch itself: the second table has votes that the first has not."""
    tables = make_panel(300, 0)[0], make_panel(200, 1)[0]
    before, after = ({tuple(row) for row in in_memory(table).array.tolist()} for table in tables)
    assert len(after - before) > 100


def test_a_function_of_ones_own_needs_the_items_here(held: Hold) -> None:
    table, truth = make_panel(300, 0)
    lazy = held(table, **OPTIONS)
    with pytest.raises(tw.ThumbwiseError, match="an opinion of your own"):
        tw.Box.from_gold(
            lazy.take_ids(table["id"][:80]), truth[:80], pool=lazy, gold_is="subset", opinions=[lambda votes: None]
        )
