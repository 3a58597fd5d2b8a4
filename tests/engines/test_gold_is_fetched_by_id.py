"""Gold items are found by the engine; their votes, and only theirs, come back."""

from __future__ import annotations

import numpy as np
import pytest

import thumbwise as tw
from engines.conftest import Hold
from engines.problems import ID, OPTIONS, in_memory, make_pool


def test_votes_come_in_the_order_of_the_ids(held: Hold) -> None:
    table, ids, _ = make_pool()
    place = {name: i for i, name in enumerate(table[ID])}
    taken = held(table, **OPTIONS).take_ids(ids)
    assert taken.item_ids.tolist() == ids
    assert (taken.array == in_memory(table).array[[place[name] for name in ids]]).all()


def test_the_box_is_that_of_the_votes_in_memory(held: Hold) -> None:
    table, ids, labels = make_pool()
    boxes = [
        tw.Box.from_gold(votes.take_ids(ids), labels, pool=votes, gold_is="subset")
        for votes in (held(table, **OPTIONS), in_memory(table))
    ]
    assert (boxes[0].lower == boxes[1].lower).all()
    assert (boxes[0].upper == boxes[1].upper).all()
    assert boxes[0].evidence == boxes[1].evidence


def test_numbers_as_ids(held: Hold) -> None:
    lazy = held({"id": [30, 10, 20], "a": [0, 1, None], "b": [1, 1, 0]}, item_id="id")
    assert lazy.take_ids([20, 30]).array.tolist() == [[-1, 0], [0, 1]]
    assert lazy.contains_ids([10, 11, 30]).tolist() == [True, False, True]


def test_ids_that_are_not_there_are_counted_and_named(held: Hold) -> None:
    lazy = held({"id": ["p", "q"], "a": [0, 1]}, item_id="id")
    with pytest.raises(tw.InvalidLabelsError, match=r"2 of 3 are not, such as 'x'"):
        lazy.take_ids(["q", "x", "y"])


def test_separate_gold_must_not_be_in_the_pool(held: Hold) -> None:
    table, ids, labels = make_pool()
    lazy = held(table, **OPTIONS)
    with pytest.raises(tw.InvalidLabelsError, match="60 of 60 are"):
        tw.Box.from_gold(lazy.take_ids(ids), labels, pool=lazy, gold_is="separate")


def test_ids_of_another_kind(held: Hold) -> None:
    lazy = held({"id": ["p", "q"], "a": [0, 1]}, item_id="id")
    with pytest.raises(tw.InvalidLabelsError, match="the same on both sides"):
        lazy.take_ids([1, 2])


def test_without_ids_nothing_is_found(held: Hold) -> None:
    with pytest.raises(tw.InvalidLabelsError, match="item_id="):
        held({"a": [0, 1]}).take_ids([0])


def test_repeated_ids_among_gold(held: Hold) -> None:
    lazy = held({"id": [1, 1, 2], "a": [0, 1, 1]}, item_id="id")
    with pytest.raises(tw.InvalidVotesError, match="unique; found 1 more than once"):
        lazy.take_ids([1, 2])


def test_a_box_of_other_items_is_refused(held: Hold) -> None:
    lazy = held({"id": [1, 2, 3], "a": [0, 1, 1]}, item_id="id")
    other = tw.Votes(np.array([[0], [1], [0]]), rule_names=["a"], item_ids=[1, 2, 3])
    box = tw.Box.from_gold(other.take([0, 1]), [0, 1], pool=other, gold_is="subset")
    with pytest.raises(tw.InvalidBoxError, match="made for these items"):
        tw.BalsubramaniFreund().fit(lazy, box=box)
