"""Items made of patterns: each as often as it counts, under the names of the votes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from thumbwise import InvalidVotesError, Votes


def test_each_pattern_is_shown_as_often_as_it_counts() -> None:
    votes = Votes(
        [[0, 1], [1, -1], [0, 1]], item_ids=["x", "y", "z"], rule_names=["a", "b"], item_groups=["n", "s", "n"]
    )
    patterns = replace(votes.patterns, counts=np.array([2, 3]))
    made = votes.with_patterns(patterns)
    rows = votes.patterns.to_rows().tolist()
    assert made.array.tolist() == [rows[0]] * 2 + [rows[1]] * 3
    assert (made.rule_names, made.class_names, made.has_ids) == (("a", "b"), (0, 1), False)
    assert [made.group_names[g] for g in made.groups] == ["n"] * 2 + ["s"] * 3
    assert votes.item_ids.tolist() == ["x", "y", "z"]
    assert votes.array.tolist() == [[0, 1], [1, -1], [0, 1]]


def test_patterns_may_be_equal_and_keep_their_order() -> None:
    votes = Votes([[0, 1], [1, -1]])
    twice = votes.patterns.take(np.array([1, 0, 1]), np.ones(3, dtype=np.int64))
    made = votes.with_patterns(twice)
    assert made.patterns is twice
    assert made.array.tolist() == [[1, -1], [0, 1], [1, -1]]


def test_patterns_of_other_rules_or_classes() -> None:
    votes = Votes([[0, 1], [1, -1]])
    with pytest.raises(InvalidVotesError, match="2 rules and 2 classes; found 1 rules and 2 classes"):
        votes.with_patterns(Votes([[0], [1]]).patterns)
    with pytest.raises(InvalidVotesError, match="found 2 rules and 3 classes"):
        votes.with_patterns(Votes([[0, 2]]).patterns)
