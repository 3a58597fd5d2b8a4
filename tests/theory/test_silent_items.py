"""Items without a vote have class frequencies of their own: columns against loops, scores, formulas, files, use.

Kills, tried once each: columns although none is silent, or all are; a weight for silence that is added everywhere,
or nowhere where a vote is taken away; its sign and its share of the sum over votes in a formula; votes that are counted
for their own class alone; a file whose field nobody reads.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import softmax

import thumbwise as tw
from support.progressive_by_item import item_columns
from thumbwise.box.opinions.learned import LearnedOpinion
from thumbwise.models.formula import LogMixture, Winner
from thumbwise.models.saved.columns import write_columns
from thumbwise.numerics.stack_columns import CLASS, StackColumns

SEEDS = range(6)


def sparse(seed: int, n_items: int = 300, silence: float = 0.8) -> tuple[tw.Votes, Any]:
    """Five or six rules that seldom speak, of which the last copies the first."""
    rng = np.random.default_rng(seed)
    k, n_rules = int(rng.integers(2, 4)), int(rng.integers(6, 8))
    truth = rng.integers(k, size=n_items)
    array = np.where(rng.random((n_items, n_rules)) < 0.75, truth[:, None], rng.integers(k, size=(n_items, n_rules)))
    array[rng.random(array.shape) < silence] = -1
    array[:, -1] = array[:, 0]
    return tw.Votes(array, n_classes=k), truth


def drawn(columns: StackColumns, seed: int) -> Any:
    return np.random.default_rng(seed).normal(size=columns.n_columns)


@pytest.mark.parametrize("seed", SEEDS)
def test_columns_are_those_of_a_loop_over_the_items(seed: int) -> None:
    votes, _ = sparse(seed)
    columns = StackColumns.choose(votes.patterns, 80)
    assert columns.has_silent and (votes.array < 0).all(axis=1).any()
    by_item = [item_columns(row, columns) for row in votes.array.tolist()]
    table = columns.table(votes.patterns)
    np.testing.assert_allclose(table[votes.inverse], by_item, rtol=0, atol=1e-12)
    n_free = 1 if votes.n_classes == 2 else votes.n_classes
    assert (columns.kinds == CLASS).sum() == 2 * n_free
    weights = drawn(columns, seed)
    np.testing.assert_allclose(columns.scores(votes.patterns, weights), table @ weights, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_scores_without_a_vote_are_those_of_items_that_lack_it(seed: int) -> None:
    """Rules that have no copies: the votes of those others would be left."""
    votes, _ = sparse(seed)
    columns = StackColumns.choose(votes.patterns, 80)
    weights, patterns = drawn(columns, seed), votes.patterns
    rows = votes.array[np.unique(votes.inverse, return_index=True)[1]]
    without = columns.scores_without(patterns, weights)
    n_fell_silent = 0
    for number, (owner, rule) in enumerate(zip(patterns.owners, patterns.rules, strict=True)):
        if rule in (0, votes.n_rules - 1):
            continue
        row = rows[owner].copy()
        row[rule] = -1
        n_fell_silent += int((row < 0).all())
        expected = np.array(item_columns(row.tolist(), columns)) @ weights
        np.testing.assert_allclose(without[number], expected, rtol=0, atol=1e-9)
    assert n_fell_silent > 0


@pytest.mark.parametrize(
    ("n_silent", "is_so"), [(0, False), (14, False), (15, True), (85, True), (86, False), (100, False)]
)
def test_only_where_three_gold_items_of_each_kind_are_expected(n_silent: int, is_so: bool) -> None:
    """A fifth of the items is gold."""
    array = np.random.default_rng(0).integers(3, size=(100, 5))
    array[:n_silent] = -1
    columns = StackColumns.choose(tw.Votes(array, n_classes=3).patterns, 20)
    assert columns.has_silent == is_so
    assert (columns.kinds == CLASS).sum() == 3 * (1 + is_so)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_formula_of_a_model_knows_of_silence(seed: int) -> None:
    """Evaluated by hand, item by item, for the learned opinion; up to a number that classes share."""
    votes, truth = sparse(seed)
    y = np.where(np.arange(300) < 120, truth, -1)
    model = tw.BalsubramaniFreund(caution=0.3).fit(votes, y)
    opinion = next(builder for builder in model.box_.builders if isinstance(builder, LearnedOpinion))
    assert opinion.columns.has_silent
    term = next(term for term in model._formula().terms if isinstance(term, LogMixture))
    for row in [*votes.array[:40].tolist(), [-1] * votes.n_rules]:
        scores = np.array(evaluate(term.scores, row))
        expected = np.array(item_columns(row, opinion.columns)) @ opinion.weights
        np.testing.assert_allclose(scores - scores.mean(), expected - expected.mean(), rtol=0, atol=1e-9)


def evaluate(formula: Any, row: list[int]) -> Any:
    """A formula as its parts are described."""
    k = len(formula.sums.by_class)

    def added(sums: Any) -> Any:
        return sums.by_class + sum((sums.by_vote[j, vote] for j, vote in enumerate(row) if vote >= 0), np.zeros(k))

    scores = added(formula.sums)
    for term in formula.terms:
        if isinstance(term, LogMixture):
            mixed = (1 - term.even_part) * softmax(evaluate(term.scores, row)) + term.even_part / k
            scores = scores + term.weight * np.log(mixed)
        elif isinstance(term, Winner):
            sums = added(term.sums)
            rest = np.sort(sums)[-2]
            scores = scores + term.weight * (sums - rest > 1e-9) * (sums == sums.max())
        else:
            scores = scores + term.weight * np.log(added(term.sums) + term.start)
    return scores


def test_files_say_it_only_where_it_is_so(tmp_path: Path) -> None:
    votes, truth = sparse(1)
    model = tw.Stack().fit(votes, np.where(np.arange(300) < 100, truth, -1))
    assert write_columns(model.columns_, model.rule_names_)["has_silent"] is True
    model.save(tmp_path / "model.json")
    loaded = tw.load(tmp_path / "model.json")
    assert loaded.predict_proba(votes).tobytes() == model.predict_proba(votes).tobytes()
    full = tw.Votes(np.maximum(votes.array, 0), n_classes=votes.n_classes)
    other = tw.Stack().fit(full, np.where(np.arange(300) < 100, truth, -1))
    assert "has_silent" not in write_columns(other.columns_, other.rule_names_)


@pytest.mark.parametrize("make", [tw.Stack, tw.BalsubramaniFreund])
def test_where_silence_tells_of_the_class_labels_hear_it(make: Any) -> None:
    """Rules look for one class, which three items of ten have, and are right on three votes of four.

    One class frequency for all would have to be that of silent items, of which nearly none has the class, and that of
    the others, of which most have. Their likely class is the one voted for all the same.
    """
    rng = np.random.default_rng(3)
    truth = (rng.random(4000) < 0.3).astype(int)
    speaks = np.where(truth[:, None] == 1, 0.3, 0.02)
    votes = tw.Votes(np.where(rng.random((4000, 7)) < speaks, 1, -1), n_classes=2)
    gold = rng.choice(4000, 150, replace=False)
    y = np.full(4000, -1)
    y[gold] = truth[gold]
    model = make().fit(votes, y)
    is_silent = (votes.array < 0).all(axis=1)
    proba = model.predict_proba(votes)[:, 1]
    assert proba[is_silent].mean() == pytest.approx(truth[is_silent].mean(), abs=0.05)
    assert proba[~is_silent].mean() == pytest.approx(truth[~is_silent].mean(), abs=0.08)
