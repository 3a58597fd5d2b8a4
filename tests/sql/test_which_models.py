"""Models whose answer is no sum over votes are refused, by the class that holds their formula."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import thumbwise as tw
from thumbwise._typing import FloatArray
from thumbwise.box.moments.linear import Moments
from thumbwise.box.moments.of_classes import group_frequencies
from thumbwise.box.moments.of_rules import accuracies
from thumbwise.box.moments.written import LinearMoment
from thumbwise.exceptions import InvalidChoiceError
from thumbwise.votes.counted_votes import CountedVotes

from .problems import box_around, make_votes


class Renamed(tw.MajorityVote):
    """Predicts as its parent does."""


class Contrary(tw.MajorityVote):
    def _predict_patterns(self, votes: CountedVotes) -> FloatArray:
        return 1 - super()._predict_patterns(votes)


def own_accuracies(votes: tw.Votes) -> Moments:
    return accuracies(votes)


def test_a_subclass_is_written_if_it_keeps_the_formula() -> None:
    votes = make_votes(2, 3, seed=1)
    assert Renamed().fit(votes).to_sql(table="t") == tw.MajorityVote().fit(votes).to_sql(table="t")
    with pytest.raises(InvalidChoiceError, match=r"DawidSkene, MajorityVote; found Contrary"):
        Contrary().fit(votes).to_sql(table="t")


def test_a_mixture_is_refused() -> None:
    model = tw.EBCC(n_groups=2, n_starts=1, max_iter=1000).fit(make_votes(2, 3, seed=1))
    with pytest.raises(InvalidChoiceError, match="found EBCC"):
        model.to_sql(table="t")


def test_a_model_must_be_fitted() -> None:
    with pytest.raises(NotFittedError):
        tw.MajorityVote().to_sql(table="t")


@pytest.mark.parametrize("builder", [group_frequencies, own_accuracies, LinearMoment("of g", {"g": {0: 1.0}})])
def test_moments_of_groups_or_of_unknown_kind_are_refused(builder: object) -> None:
    array = make_votes(2, 3, seed=1).array
    votes = tw.Votes(array, item_groups=np.where(np.arange(len(array)) % 2 > 0, "g", "h"))
    model = tw.BalsubramaniFreund().fit(
        votes, box=box_around(votes, (accuracies, builder) if builder is not own_accuracies else (builder,))
    )
    with pytest.raises(InvalidChoiceError, match=r"group_frequencies|own_accuracies|of g"):
        model.to_sql(table="t")


def second_rule(votes: tw.Votes) -> object:
    return votes.array[:, 1]


def test_an_opinion_that_is_code_is_refused() -> None:
    votes = make_votes(2, 3, seed=1)
    box = tw.Box.from_gold(votes, votes.array[:, 2].clip(0), pool=votes, gold_is="subset", opinions=[second_rule])
    model = tw.BalsubramaniFreund(on_infeasible="widen").fit(votes, box=box)
    with pytest.raises(InvalidChoiceError, match=r"'second_rule', a function of your own.*predict in Python"):
        model.to_sql(table="t")


def test_without_opinions_there_are_no_further_steps() -> None:
    votes = make_votes(2, 3, seed=1)
    model = tw.BalsubramaniFreund().fit(votes, box=box_around(votes, (accuracies,)))
    query = model.to_sql(table="t")
    assert query.count("SELECT") == 8
    assert not any(word in query for word in ("*", "step_", "sum_0"))
