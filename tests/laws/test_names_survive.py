"""Ids, rule names and class names go in and come out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from thumbwise import BalsubramaniFreund, Box, MajorityVote, Votes

IDS = ["m-7", "m-3", "m-9", "m-1"]
COLUMNS = {"shouting": ["spam", "ham", None, "spam"], "über kurz": ["spam", None, "ham", "ham"]}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_names_of_a_frame_survive(frame: type) -> None:
    votes = Votes(frame({"id": IDS, **COLUMNS}), item_ids="id", class_names=["spam", "ham", "eggs"])
    assert votes.item_ids.tolist() == IDS
    assert votes.rule_names == ("shouting", "über kurz")
    assert votes.class_names == ("spam", "ham", "eggs")
    box = Box.from_bounds(votes, {"shouting": (0.8, 1), "über kurz": (0.7, 1), "eggs": (0, 0.1)})
    assert box.names[:2] == ("accuracy(shouting)", "accuracy(über kurz)")
    assert box.names[2:] == ("frequency(spam)", "frequency(ham)", "frequency(eggs)")
    model = BalsubramaniFreund().fit(votes, box=box)
    assert model.rule_names_ == votes.rule_names
    assert model.classes_.tolist() == ["spam", "ham", "eggs"]
    assert set(model.predict(votes)) <= {"spam", "ham"}
    assert model.predict(votes)[0] == "spam"


def test_index_of_a_pandas_frame_is_the_ids() -> None:
    votes = Votes(pd.DataFrame(COLUMNS, index=IDS))
    assert votes.item_ids.tolist() == IDS


def test_ids_follow_their_items() -> None:
    votes = Votes([[0], [1], [0], [1]], item_ids=IDS)
    assert votes.take([2, 0]).item_ids.tolist() == ["m-9", "m-7"]
    assert votes.take(np.array([False, True, False, True])).item_ids.tolist() == ["m-3", "m-1"]
    assert votes.with_rules([0]).item_ids.tolist() == IDS
    assert not Votes([[0], [1]]).has_ids


def test_classes_that_are_numbers_other_than_positions() -> None:
    votes = Votes([[0, 1], [1, 1], [0, 0]], class_names=[10, 20])
    model = MajorityVote().fit(votes)
    assert model.predict(votes).tolist() == [10, 20, 10]
    assert model.score(votes, [10, 20, 20]) == pytest.approx(2 / 3)


def test_classes_of_mixed_kinds() -> None:
    votes = Votes([[0, 0], [1, 1]], class_names=[("a", 1), None])
    assert MajorityVote().fit(votes).predict(votes).tolist() == [("a", 1), None]


def test_labels_by_name_and_by_number_say_the_same() -> None:
    array = [[0, 0], [1, 1], [1, 0], [0, -1]]
    votes = Votes(array, class_names=["ham", "spam"])
    by_name, by_number = Box.exact(votes, ["ham", "spam", "spam", "ham"]), Box.exact(votes, [0, 1, 1, 0])
    np.testing.assert_array_equal(by_name.lower, by_number.lower)
