"""Tables are made of what other functions take too, and find rules and classes wherever the box has them.

Kills, tried once: weights by position (class frequencies first); the gold of the box in place of what was passed; rules
in the order of the frame; probabilities that are not checked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import thumbwise as tw
from report.problems import make_reading, small_model, small_reading
from thumbwise.box.moments.of_classes import class_frequencies
from thumbwise.box.moments.of_rules import accuracies
from thumbwise.exceptions import InvalidChoiceError, InvalidLabelsError, InvalidVotesError
from thumbwise.summaries import show_model

NAMES = ("short", "links", "caps")


def arrays() -> tuple[np.ndarray, np.ndarray]:
    reading = make_reading(300, 3)
    return reading.votes.array, np.where(reading.gold < 0, -1, reading.gold)


def fitted() -> tuple[tw.BalsubramaniFreund, np.ndarray, np.ndarray]:
    array, y = arrays()
    return tw.BalsubramaniFreund().fit(tw.Votes(array, rule_names=NAMES), y), array, y


KINDS: dict[str, Any] = {
    "array": lambda array: array,
    "list": lambda array: array.tolist(),
    "pandas, in another order": lambda array: pd.DataFrame(array, columns=list(NAMES))[["caps", "short", "links"]],
    "polars": lambda array: pl.DataFrame(array, schema=list(NAMES)),
    "Reading": lambda array: tw.Reading(tw.Votes(array, rule_names=NAMES), np.full(len(array), -1)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_votes_gives_the_same_tables(kind: str) -> None:
    model, array, y = fitted()
    votes, given = tw.Votes(array, rule_names=NAMES), KINDS[kind](array)
    proba = model.predict_proba(votes)
    gold = y[y >= 0]
    assert tw.displays.rules_table(model, given).frame() == tw.displays.rules_table(model, votes).frame()
    assert tw.displays.overruled_table(model, given).frame() == tw.displays.overruled_table(model, votes).frame()
    classes = [tw.displays.classes_table(model, some, gold).frame() for some in (given, votes)]
    assert classes[0] == classes[1]
    for find in (tw.displays.least_certain, tw.displays.most_contested):
        assert find(given, proba, n_items=5)["item"] == find(votes, proba, n_items=5)["item"]
    if "order" not in kind:
        assert tw.displays.agreement_table(given).frame() == tw.displays.agreement_table(votes).frame()


def test_a_reading_brings_its_gold() -> None:
    reading, model = small_reading(), small_model()
    counted = np.bincount(reading.gold_labels)
    assert tw.displays.classes_table(model, reading)["n_gold"] == tuple(counted)
    named = [reading.votes.class_names[c] for c in reading.gold_labels]
    for labels in (reading.gold_labels, named, pl.Series(named), [*named, None]):
        assert tw.displays.classes_table(model, reading.votes, labels)["n_gold"] == tuple(counted)
    whole = tw.displays.errors_table(reading.gold_votes, reading.gold_labels)
    assert tw.displays.errors_table(reading).frame() == whole.frame()
    assert tw.displays.errors_table(reading.gold_votes.array, reading.gold_labels).frame() == whole.frame()


def test_without_labels_gold_is_what_the_box_counted() -> None:
    reading, model = small_reading(), small_model()
    assert tw.displays.classes_table(model, reading.votes).frame() == tw.displays.classes_table(model, reading).frame()


@pytest.mark.parametrize("moments", [(accuracies, class_frequencies), (class_frequencies, accuracies)])
def test_rules_and_classes_are_found_wherever_the_box_has_them(moments: Any) -> None:
    """Both orders are the same game, so weights, intervals and what is overruled are the same."""
    reading = make_reading(300, 3)
    gold: dict[str, Any] = {"pool": reading.votes, "gold_is": "subset", "n_permutations": 0}
    box = tw.Box.from_gold(reading.gold_votes, reading.gold_labels, moments=moments, **gold)
    model = tw.BalsubramaniFreund().fit(reading.votes, box=box)
    plain = tw.BalsubramaniFreund().fit(
        reading.votes, box=tw.Box.from_gold(reading.gold_votes, reading.gold_labels, **gold)
    )
    for make in (tw.displays.rules_table, tw.displays.classes_table):
        table, expected = make(model, reading), make(plain, reading)
        for name in ("lower", "upper", "weight"):
            np.testing.assert_allclose(table[name], expected[name], atol=1e-6)
        assert table["active"] == expected["active"]
    weights = [box.names.index(f"accuracy({rule})") for rule in reading.votes.rule_names]
    assert tw.displays.rules_table(model, reading)["weight"] == tuple(model.weights_[weights])
    assert [row[1] for row in show_model(model).rows] == [row[1] for row in show_model(plain).rows]
    assert not any(finding.code == "TW305" for finding in tw.check(reading, model=model))
    assert "TW305" not in tw.check(reading, model=model).skipped


@pytest.mark.parametrize("moments", [(accuracies, class_frequencies), (class_frequencies, accuracies)])
def test_why_votes_are_overruled_does_not_depend_on_the_order_of_moments(moments: Any) -> None:
    """Gold says that the rule is mostly wrong, and that most items are spam."""
    rng = np.random.default_rng(5)
    truth = (rng.random(400) < 0.8).astype(int)
    votes = tw.Votes((truth ^ (rng.random(400) < 0.9))[:, None], rule_names=["swapped"], item_ids=range(400))
    box = tw.Box.from_gold(
        votes.take(range(150)), truth[:150], pool=votes, gold_is="subset", moments=moments, n_permutations=0
    )
    model = tw.BalsubramaniFreund().fit(votes, box=box)
    assert set(tw.displays.overruled_table(model, votes)["reason"]) == {"gold"}


def test_a_pattern_of_gold_items_alone_is_not_overruled_and_rare_classes_are() -> None:
    """Nearly all items are of class 1, so a lone vote for class 0 is overruled though gold trusts the rule."""
    rng = np.random.default_rng(2)
    truth = (rng.random(1000) < 0.95).astype(int)
    table = np.where(rng.random((1000, 2)) < [0.7, 0.7], truth[:, None], 1 - truth[:, None])
    table[rng.random((1000, 2)) < 0.5] = -1
    table[0] = [0, 0]  # the only such item, and gold
    table[1:][(table[1:] == 0).all(axis=1), 1] = -1
    votes = tw.Votes(table, item_ids=range(1000), n_classes=2)
    model = tw.BalsubramaniFreund().fit(votes, np.where(np.arange(1000) < 200, truth, -1))
    overruled = tw.displays.overruled_table(model, votes)
    labels, is_open = model.predict(votes), np.arange(1000) >= 200
    for row in overruled.rows():
        same = (votes.patterns.to_rows()[row["pattern"]] == table).all(axis=1)
        assert row["n_items"] == (same & is_open).sum() > 0
        assert set(labels[same & is_open]) == {row["label"]} != {row["voted"]}
        assert set(table[same][0]) - {-1} == {row["voted"]}
        assert row["rules"] == tuple(np.array(votes.rule_names)[table[same][0] >= 0])
    assert set(overruled["reason"]) == {"classes"}
    assert min(model.weights_[:2]) >= 0


def test_a_model_of_other_votes_is_refused() -> None:
    model, array, _ = fitted()
    for make in (tw.displays.rules_table, tw.displays.classes_table, tw.displays.overruled_table):
        with pytest.raises(InvalidVotesError, match="300 items and 3 rules, and these are 200 items"):
            make(model, array[:200])
        with pytest.raises(InvalidChoiceError, match="found MajorityVote"):
            make(tw.MajorityVote().fit(array), array)


OFF = np.array([[0.5, 0.5], [0.5, 0.6], [0.2, 0.2]])
VOTES = tw.Votes([[0], [1], [1]], item_ids=["a", "b", "c"])
ASKED: dict[str, Any] = {
    "certify": lambda: tw.certify(OFF, VOTES, tw.Box.from_bounds(VOTES, {})),
    "soft labels": lambda: tw.soft_labels(["a", "b", "c"], OFF),
    "the truth": lambda: tw.Box.exact(VOTES, OFF),
    "items": lambda: tw.displays.least_certain(VOTES, OFF),
    "confidences": lambda: tw.displays.confidence_table(OFF),
    "reliability": lambda: tw.displays.reliability_table([0, 1, 1], OFF),
}


@pytest.mark.parametrize("case", ASKED)
def test_probabilities_are_refused_in_the_same_words_everywhere(case: str) -> None:
    words = (
        "probabilities must be non-negative and sum to 1 in each row; row 1 is [0.5, 0.6], sum 1.1 (2 such rows). "
        "Divide each row by its sum if it was rounded."
    )
    with pytest.raises(InvalidLabelsError) as error:
        ASKED[case]()
    assert str(error.value) == words


def test_errors_need_labels() -> None:
    with pytest.raises(InvalidLabelsError, match=r"found Votes without any\. Pass gold_labels too"):
        tw.displays.errors_table(VOTES)
