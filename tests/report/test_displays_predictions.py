"""Tables of probabilities, of items and of bounds, against sorting, counting and another library's intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binomtest

import thumbwise as tw
from report.problems import small_model, small_reading
from thumbwise.assess.tables.bounds import certificate_table, plan_table
from thumbwise.assess.tables.items import least_certain, most_contested
from thumbwise.assess.tables.probabilities import confidence_table, reliability_table
from thumbwise.assess.tables.tidy import Tidy


def random_proba(n_items: int, n_classes: int) -> np.ndarray:
    return np.random.default_rng(1).dirichlet(np.ones(n_classes), size=n_items)


def test_every_item_is_in_the_bin_of_its_confidence() -> None:
    proba = np.vstack([random_proba(500, 3), np.full((1, 3), 1 / 3), [[0, 1, 0]]])
    table = confidence_table(proba, n_bins=7)
    top = proba.max(axis=1)
    for row in table.rows():
        is_last = row["upper"] == 1
        inside = (top >= row["lower"] - 1e-12) & ((top < row["upper"]) | is_last)
        assert row["n_items"] == inside.sum()
    assert sum(table["n_items"]) == 502
    assert table.facts["mean"] == pytest.approx(top.mean())


def test_an_item_on_an_edge_belongs_to_the_bin_above() -> None:
    proba = [[0.75, 0.25]]
    assert confidence_table(proba, n_bins=2)["n_items"] == (0, 1)
    assert reliability_table(np.array([0]), proba, n_bins=2)["lower"] == (0.75,)


def test_no_item_gives_empty_bins() -> None:
    assert sum(confidence_table(np.empty((0, 2)))["n_items"]) == 0


def test_reliability_counts_what_is_right_with_exact_intervals() -> None:
    proba = random_proba(300, 3)
    labels = np.random.default_rng(2).integers(3, size=300)
    table = reliability_table(labels, proba, confidence_level=0.9, n_bins=6)
    assert sum(table["n_items"]) == 300
    for row in table.rows():
        top = proba.max(axis=1)
        inside = (top >= row["lower"]) & (top < row["upper"])
        right = int((proba.argmax(axis=1)[inside] == labels[inside]).sum())
        exact = binomtest(right, int(inside.sum())).proportion_ci(0.9, method="exact")
        assert row["n_items"] == inside.sum()
        assert row["confidence"] == pytest.approx(top[inside].mean())
        assert row["accuracy"] == pytest.approx(right / inside.sum())
        assert (row["accuracy_lower"], row["accuracy_upper"]) == pytest.approx((exact.low, exact.high))


@pytest.mark.parametrize("right", [0, 4])
def test_intervals_at_the_ends_reach_them(right: int) -> None:
    labels = np.where(np.arange(4) < right, 0, 1)
    table = reliability_table(labels, np.tile([0.9, 0.1], (4, 1)))
    exact = binomtest(right, 4).proportion_ci(0.95, method="exact")
    assert (table["accuracy_lower"][0], table["accuracy_upper"][0]) == pytest.approx((exact.low, exact.high))


def test_the_least_certain_items_are_those_a_full_sort_gives() -> None:
    votes, proba = small_reading().votes, small_model().predict_proba(small_reading().votes)
    gold = np.flatnonzero(small_reading().gold >= 0)
    table = least_certain(votes, proba, n_items=15, skip=gold, texts={"text": np.arange(400)})
    rest = [i for i in range(400) if i not in set(gold.tolist())]
    expected = sorted(rest, key=lambda i: (proba[i].max(), i))[:15]
    assert list(table["item"]) == [f"item-{i}" for i in expected]
    assert list(table["text"]) == expected
    assert table["label"] == tuple(["ham", "spam"][int(proba[i, 1] > proba[i, 0] + 1e-9)] for i in expected)


def test_the_most_contested_items_have_most_votes_against_the_majority() -> None:
    votes, proba = small_reading().votes, small_model().predict_proba(small_reading().votes)
    table = most_contested(votes, proba, n_items=30)
    ham, spam = ((votes.array == c).sum(axis=1) for c in (0, 1))
    against = np.minimum(ham, spam)
    expected = sorted(range(400), key=lambda i: (-against[i], proba[i].max(), i))[:30]
    assert list(table["item"]) == [f"item-{i}" for i in expected]
    assert list(table["n_against"]) == [against[i] for i in expected]
    assert table["votes"][0] == {"ham": ham[expected[0]], "spam": spam[expected[0]]}


def test_agreeing_items_are_never_contested() -> None:
    votes = tw.Votes([[0, 0], [1, -1], [-1, -1]])
    assert len(most_contested(votes, np.full((3, 2), 0.5))) == 0


def test_without_ties_the_cut_is_where_a_full_sort_makes_it() -> None:
    proba = random_proba(200, 2)
    votes = tw.Votes(np.zeros((200, 1), dtype=int), n_classes=2)
    expected = np.argsort(proba.max(axis=1))[:12].tolist()
    assert list(least_certain(votes, proba, n_items=12)["item"]) == expected


def test_fewer_items_than_asked_for() -> None:
    assert len(least_certain(tw.Votes([[0], [1]]), np.array([[0.9, 0.1], [0.2, 0.8]]), n_items=20)) == 2


def test_levels_are_the_log_of_the_classes_the_bound_the_entropy_and_the_floor_of_items_without_gold() -> None:
    reading = small_reading()
    model = tw.BalsubramaniFreund(caution=1).fit(reading.votes, box=reading.box(n_permutations=0))
    plan = tw.plan(reading.gold_votes, reading.gold_labels, pool=reading.votes, gold_is="subset")
    levels = dict(zip(*certificate_table(model.certificate_, plan).columns.values(), strict=True))
    proba = model.predict_proba(reading.votes)
    entropy = -np.where(proba > 0, proba * np.log(np.maximum(proba, 1e-300)), 0).sum() / 300
    assert levels["guessing"] == pytest.approx(math.log(2))
    assert levels["entropy"] == pytest.approx(entropy)  # gold items have none
    assert levels["bound"] == pytest.approx(entropy, abs=1e-6)  # they meet where the fit is exact
    assert "baseline" not in levels  # the classes may be equally frequent
    assert levels["floor"] == plan.floor  # the number that the plan says
    assert levels["floor"] < levels["bound"] < levels["guessing"]
    assert plan_table(plan)["planned_bound"][0] == pytest.approx(levels["bound"], abs=1e-5)


def test_columns_of_a_tidy_table_are_equally_long_and_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="equal lengths"):
        Tidy.of({"a": [1], "b": [1, 2]})
    table = Tidy.of({"a": [1, 2]})
    with pytest.raises(TypeError):
        table.columns["a"] = (3,)  # type: ignore[index]
