"""A model that is asked twice for the same votes computes once, and never gives an answer that is out of date."""

from __future__ import annotations

import gc
import pickle
import weakref
from typing import ClassVar

import numpy as np
from sklearn.base import clone

import thumbwise as tw
from thumbwise._typing import FloatArray
from thumbwise.votes.counted_votes import CountedVotes


class Counting(tw.MajorityVote):
    """Counts how often it computes."""

    times: ClassVar[list[int]] = []

    def _predict_patterns(self, votes: CountedVotes) -> FloatArray:
        self.times.append(1)
        return super()._predict_patterns(votes)


def test_computed_once_for_the_same_votes_and_fit() -> None:
    Counting.times.clear()
    votes, others = tw.Votes([[0, 1], [1, 1], [0, 0]]), tw.Votes([[1, 0], [1, 1]])
    model = Counting().fit(votes)
    first = model.predict_proba(votes)
    model.predict(votes)
    assert len(Counting.times) == 1
    np.testing.assert_array_equal(model.predict_proba(votes), first)
    model.predict_proba(others)
    assert len(Counting.times) == 2
    model.fit(others)
    model.predict_proba(votes)
    assert len(Counting.times) == 3


def test_an_attribute_that_is_set_counts() -> None:
    votes = tw.Votes([[0, 1], [1, 1], [0, -1]])
    model = tw.BalsubramaniFreund().fit(votes, box=tw.Box.from_bounds(votes, {"rule_0": (0.7, 0.9)}))
    before = model.predict_proba(votes)
    model.weights_ = 2 * model.weights_
    assert np.abs(model.predict_proba(votes) - before).max() > 1e-3


def test_nothing_is_kept_alive_or_saved_with_it() -> None:
    votes = tw.Votes([[0, 1], [1, 1]])
    model = tw.MajorityVote().fit(votes)
    model.predict(votes)
    pickle.loads(pickle.dumps(model))
    clone(model)
    gone = weakref.ref(votes)
    del votes
    gc.collect()
    assert gone() is None
