"""Within one step: counted item by item, bounded as often as it says, saved, explained and written as SQL.

Thresholds have a false-alarm rate of one in a million. Kills, tried once: two steps in place of one; neighbours that
wrap around; a key that two rules share; half of the error below.
"""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import thumbwise as tw
from thumbwise.box.budget import split_error
from thumbwise.numerics.intervals import hypergeometric_sides

LEVEL, N_TRIALS = 0.8, 60


def make(seed: int, n: int = 600, k: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Judges of ordered classes, most of whose errors are to a neighbour; some abstain at times."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(k, n, p=np.arange(1, k + 1) / sum(range(1, k + 1)))
    columns = []
    for accuracy in (0.6, 0.55, 0.5):
        step = rng.choice([-1, 1], size=n)
        near = np.clip(truth + step, 0, k - 1)
        wrong = np.where(rng.random(n) < 0.85, near, rng.integers(k, size=n))
        columns.append(np.where(rng.random(n) < accuracy, truth, wrong))
    votes = np.stack(columns, axis=1)
    votes[rng.random(votes.shape) < 0.1] = -1
    return truth, votes


def test_it_is_counted_item_by_item_and_its_interval_is_exact() -> None:
    truth, array = make(0)
    votes = tw.Votes(array, n_classes=5, ordered=True)
    box = tw.Box.from_gold(votes.take(range(80)), truth[:80], pool=votes, gold_is="subset")
    assert box.gold is not None and box.gold_right is not None and box.gold_drawn is not None
    below, above = split_error(0.05, box.gold.counts)
    for j in range(3):
        m = box.names.index(f"within one step(rule_{j})")
        pairs = [(row[j], label) for row, label in zip(array.tolist(), truth.tolist(), strict=True)]
        drawn = [abs(vote - label) <= 1 for vote, label in pairs[:80] if vote >= 0]
        n_votes = sum(vote >= 0 for vote, _ in pairs)
        assert (box.gold_drawn[m], box.gold_right[m]) == (len(drawn), sum(drawn))
        assert below[m] == pytest.approx(19 * above[m]), "95 % for the lower bound, as of an accuracy"
        ends = hypergeometric_sides(sum(drawn), len(drawn), n_votes, below[m], above[m])
        assert (box.lower[m], box.upper[m]) == pytest.approx([float(end) / n_votes for end in ends])


def test_boxes_of_ordered_classes_hold() -> None:
    misses = 0
    for seed in range(N_TRIALS):
        truth, array = make(seed, n=300)
        votes = tw.Votes(array, n_classes=5, ordered=True)
        gold = np.random.default_rng(seed).choice(300, 60, replace=False)
        box = tw.Box.from_gold(
            votes.take(gold), truth[gold], pool=votes, gold_is="subset", confidence_level=LEVEL, n_permutations=0
        )
        assert sum(name.startswith("within one step") for name in box.names) == 3
        misses += not box.holds(votes, truth)
    assert misses <= binom.ppf(1 - 1e-6, N_TRIALS, 1 - LEVEL)


def test_the_order_lowers_the_bound_and_brings_labels_nearer() -> None:
    truth, array = make(0, n=2000)
    gold = np.arange(150)
    found = {}
    for ordered in (False, True):
        votes = tw.Votes(array, n_classes=5, ordered=ordered)
        box = tw.Box.from_gold(votes.take(gold), truth[gold], pool=votes, gold_is="subset", n_permutations=0)
        model = tw.BalsubramaniFreund().fit(votes, box=box)
        proba = model.predict_proba(votes)
        loss = tw.metrics.log_loss(truth, proba)
        found[ordered] = model.certificate_.log_loss_bound, loss, np.abs(proba.argmax(axis=1) - truth).mean()
        assert loss <= model.certificate_.log_loss_bound
    assert all(better < worse for better, worse in zip(found[True], found[False], strict=True))


def test_two_classes_and_classes_without_order_have_no_steps() -> None:
    for votes in (tw.Votes([[0], [1]], ordered=True), tw.Votes([[0], [1], [2]])):
        box = tw.Box.from_gold(votes, [0, 1, 2][: len(votes)], pool=votes, gold_is="subset")
        assert not any("within" in name for name in box.names)


def test_gold_by_class_keeps_its_own_moments() -> None:
    truth, array = make(0, k=3)
    votes = tw.Votes(array, n_classes=3, ordered=True)
    some: dict[Hashable, tuple[float, float]] = dict.fromkeys(range(3), (0.1, 0.6))
    by_class = tw.designs.ByClass(some)
    box = tw.Box.from_gold(votes.take(range(60)), truth[:60], pool=votes.take(range(60, 600)), gold_is=by_class)
    assert not any("within" in name for name in box.names)


def test_models_are_saved_explained_and_written_as_sql(tmp_path: Path) -> None:
    truth, array = make(1)
    votes = tw.Votes(array, class_names=[1, 2, 3, 4, 5], ordered=True)
    box = tw.Box.from_gold(votes.take(range(80)), truth[:80] + 1, pool=votes, gold_is="subset")
    model = tw.BalsubramaniFreund().fit(votes, box=box)
    proba = model.predict_proba(votes)
    model.save(tmp_path / "model.json")
    assert (tw.load(tmp_path / "model.json").predict_proba(votes) == proba).all()
    assert "within one step(rule_0)" in str(model.explain(votes, item=0))
    frame = pd.DataFrame({"id": range(len(array))} | {f"rule_{j}": array[:, j] for j in range(3)})
    connection = duckdb.connect()
    connection.register("votes", frame)
    answered = connection.sql(model.to_sql(table="votes", id_column="id")).order("id").df()
    np.testing.assert_allclose(answered[[f"p_{c}" for c in range(1, 6)]].to_numpy(), proba, atol=1e-9)


def test_a_plan_starts_at_the_bound_of_the_fit() -> None:
    truth, array = make(2)
    votes = tw.Votes(array, n_classes=5, ordered=True)
    gold = votes.take(range(80)), truth[:80]
    planned = tw.plan(*gold, pool=votes, gold_is="subset")
    box = tw.Box.from_gold(*gold, pool=votes, gold_is="subset")
    fitted = tw.BalsubramaniFreund(caution=1).fit(votes, box=box)
    assert planned.rows[0].bound == pytest.approx(fitted.certificate_.log_loss_bound, abs=1e-6)
    for worth in planned.worth:
        rest = votes.with_rules([j for j, rule in enumerate(votes.rule_names) if rule != worth.rule])
        alone = tw.Box.from_gold(rest.take(range(80)), truth[:80], pool=rest, gold_is="subset")
        bound = tw.BalsubramaniFreund(caution=1).fit(rest, box=alone).certificate_.log_loss_bound
        assert worth.bound_without == pytest.approx(bound, abs=1e-6)


def test_a_rule_is_left_out_with_its_steps() -> None:
    truth, array = make(2)
    votes = tw.Votes(array, n_classes=5, ordered=True)
    box = tw.Box.from_gold(votes.take(range(80)), truth[:80], pool=votes, gold_is="subset")
    without = box.without_rules("rule_0")
    assert (without.lower[[0, 8]] == 0).all() and (without.upper[[0, 8]] == 1).all()


def test_the_table_of_steps_is_that_of_the_box() -> None:
    truth, array = make(2)
    votes = tw.Votes(array, n_classes=5, ordered=True)
    model = tw.BalsubramaniFreund().fit(votes, np.where(np.arange(600) < 80, truth, -1))
    table = tw.displays.steps_table(model, votes)
    m = [model.box_.names.index(f"within one step({rule})") for rule in table["rule"]]
    assert list(table["lower"]) == model.box_.lower[m].tolist()
    assert list(table["weight"]) == model.weights_[m].tolist()
    unordered = tw.Votes(array, n_classes=5)
    assert not len(tw.displays.steps_table(tw.BalsubramaniFreund().fit(unordered, truth), unordered))
