"""Votes with scores: every kind of scores, parts of them, other items on the same scale."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

import thumbwise as tw


def ratings() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.integers(0, 10, size=(80, 3)).astype(float), columns=["a", "b", "c"])


def test_arrays_and_frames_are_read_alike() -> None:
    frame = ratings()
    votes = tw.ScoredVotes(frame, scores=1)
    names = ["a", "b", "c"]
    for other in (frame.to_numpy(), frame.to_numpy().tolist(), pl.DataFrame(frame.to_dict("list")), frame.astype(str)):
        read = tw.ScoredVotes(other, scores=1, rule_names=None if hasattr(other, "columns") else names)
        assert read.fingerprint == votes.fingerprint and (read.numbers == votes.numbers).all()
    assert pickle.loads(pickle.dumps(votes)).fingerprint == votes.fingerprint


def test_ids_come_from_a_column_or_the_index() -> None:
    frame = ratings()
    ids = [f"q{i}" for i in range(80)]
    by_column = tw.ScoredVotes(frame.assign(id=ids), scores=1, item_ids="id")
    by_index = tw.ScoredVotes(frame.set_axis(ids), scores=1)
    assert by_column.item_ids.tolist() == by_index.item_ids.tolist() == ids
    assert by_column.rule_names == by_index.rule_names == ("a", "b", "c")


def test_parts_keep_scores_and_scale() -> None:
    votes = tw.ScoredVotes(ratings(), scores=1, item_ids=np.arange(80) + 5)
    part = votes.take([4, 2]).with_rules([2, 0])
    assert isinstance(part, tw.ScoredVotes) and part.rule_names == ("c", "a")
    np.testing.assert_array_equal(part.ranked, votes.ranked[[4, 2]][:, [2, 0]])
    np.testing.assert_array_equal(part.array, votes.array[[4, 2]][:, [2, 0]])
    assert votes.take_ids([9]).ranked.tolist() == votes.ranked[[4]].tolist()
    mask = np.arange(80) < 3
    assert votes.take(mask).numbers.shape == (3, 3, 1)


def test_classes_in_another_order_turn_ranks_around() -> None:
    votes = tw.ScoredVotes(ratings(), scores="bad", class_names=["good", "bad"])
    turned = votes.with_classes(["bad", "good"])
    np.testing.assert_array_equal(turned.array, np.where(votes.array < 0, -1, 1 - votes.array))
    np.testing.assert_allclose(turned.ranked, -votes.ranked)
    with pytest.raises(tw.InvalidVotesError, match="scores speak of the classes 'good', 'bad'"):
        votes.with_classes(["good", "bad", "ugly"])


def test_the_verdicts_alone_are_plain_votes() -> None:
    votes = tw.ScoredVotes(ratings(), scores=1)
    plain = votes.verdicts()
    assert type(plain) is tw.Votes and plain.fingerprint == votes.fingerprint
    assert type(votes.with_patterns(votes.patterns)) is tw.Votes


def test_a_threshold_takes_the_place_of_the_middle() -> None:
    frame = ratings()
    frame.iloc[0, 0] = np.nan
    votes = tw.ScoredVotes(frame, scores=1, threshold=7)
    expected = np.where(np.isnan(frame.to_numpy()), -1, frame.to_numpy() >= 7)
    np.testing.assert_array_equal(votes.array, expected)
    np.testing.assert_array_equal(votes.ranked, tw.ScoredVotes(frame, scores=1).ranked)


def test_probabilities_change_their_verdict_at_one_half() -> None:
    values = np.array([[0.9, 0.5], [0.2, 0.8], [0.4, np.nan]])
    votes = tw.ScoredVotes(values, scores="yes", scores_are="probabilities", class_names=["no", "yes"])
    assert votes.array.tolist() == [[1, -1], [0, 1], [0, -1]]
    logs = tw.ScoredVotes(np.log(values), scores="yes", scores_are="log-probabilities", class_names=["no", "yes"])
    assert logs.array.tolist() == votes.array.tolist()
    np.testing.assert_array_equal(logs.ranked, votes.ranked)


def test_two_columns_per_judge_are_one_score() -> None:
    high = np.array([[0.9], [0.2], [0.5], [0.7]])
    frame = pd.DataFrame({"gpt_no": 1 - high[:, 0], "gpt_yes": high[:, 0]})
    both = tw.ScoredVotes(frame, scores_are="probabilities", class_names=["no", "yes"])
    one = tw.ScoredVotes(high, scores="yes", scores_are="probabilities", class_names=["no", "yes"], rule_names=["gpt"])
    assert both.array.tolist() == one.array.tolist() and both.rule_names == one.rule_names
    np.testing.assert_array_equal(both.ranked, one.ranked)
    logs = tw.ScoredVotes(np.log(frame) - 3, scores_are="log-probabilities", class_names=["no", "yes"])
    assert logs.array.tolist() == one.array.tolist()  # log-probabilities of two tokens need not sum to anything
    np.testing.assert_array_equal(logs.ranked, one.ranked)


def test_confidences_stand_in_cells_or_beside_the_verdict() -> None:
    cells = pd.DataFrame({"gpt": ["pass, 0.8", "fail, 0.9", None, "pass, 0.6"]})
    pairs = pd.DataFrame({"gpt": ["pass", "fail", None, "pass"], "gpt_confidence": [0.8, 0.9, None, 0.6]})
    first, second = (tw.ScoredVotes(frame, scores_are="confidences") for frame in (cells, pairs))
    assert first.class_names == second.class_names == ("fail", "pass")
    assert first.array.tolist() == second.array.tolist() == [[1], [0], [-1], [1]]
    np.testing.assert_allclose(first.ranked[:, 0], [1 / 3, -1 / 3, 0, 0])  # of three: sure pass, sure fail, less sure
    np.testing.assert_array_equal(first.ranked, second.ranked)


def test_confidences_of_three_classes() -> None:
    frame = pd.DataFrame({"gpt": ["a, 0.9", "b, 0.8", "c, 0.7", "a, 0.6"]})
    votes = tw.ScoredVotes(frame, scores_are="confidences")
    assert votes.array.ravel().tolist() == [0, 1, 2, 0] and votes.numbers.shape == (4, 1, 3)
    assert votes.ranked[:, 0].argmax() == 0  # the surest a


def test_other_items_on_the_same_scale() -> None:
    """A rating that is low among new items may be high among those of the fit."""
    votes = tw.ScoredVotes(ratings(), scores=1)
    new = pd.DataFrame({"c": [9.0, 8.5], "b": [8.0, 9.0], "a": [7.0, 9.0]})
    alone, beside = tw.ScoredVotes(new, scores=1), tw.ScoredVotes(new, like=votes)
    assert alone.array.tolist() == [[1, 0, 0], [0, 1, 1]]
    assert beside.rule_names == votes.rule_names and (beside.array == 1).all()
    said = ratings()["a"].to_numpy()
    assert beside.ranked[0, 0] == pytest.approx((np.mean(said < 7) - np.mean(said > 7)) / 2)


def test_predictions_for_frames_are_those_for_votes() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(2, size=200)
    frame = pd.DataFrame(2 * truth[:, None] + rng.normal(size=(200, 3)), columns=["a", "b", "c"])
    votes = tw.ScoredVotes(frame, scores=1)
    model = tw.BalsubramaniFreund(tol=1e-6).fit(votes, np.where(np.arange(200) < 60, truth, -1))
    expected = model.predict_proba(votes.take([150, 90]))
    np.testing.assert_allclose(model.predict_proba(frame.iloc[[150, 90]][["c", "a", "b"]]), expected)
    np.testing.assert_allclose(model.predict_proba(tw.ScoredVotes(frame.iloc[[150, 90]], like=votes)), expected)
    assert len(np.unique(model.predict_proba(votes))) <= 2 * 128 * votes.patterns.n_patterns


def test_fewer_levels_are_fewer_groups() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(2, size=200)
    votes = tw.ScoredVotes(2 * truth[:, None] + rng.normal(size=(200, 3)), scores=1, n_levels=8)
    model = tw.BalsubramaniFreund(tol=1e-6).fit(votes, np.where(np.arange(200) < 60, truth, -1))
    assert model.box_.levels is not None and len(model.box_.levels.names) == 8


@pytest.mark.parametrize("gold", [None, {"a": "no", "c": "yes"}])
def test_listed_classes_settle_what_scores_speak_for(gold: dict[str, str] | None) -> None:
    frame = pd.DataFrame({"id": ["a", "b", "c"], "j1": [1, 5, 9], "j2": [2, 3, 8]})
    reading = tw.read_votes(frame, scores="no", threshold=4, class_names=["yes", "no"], gold=gold)
    assert reading.votes.class_names == ("yes", "no")
    assert reading.votes.array.tolist() == [[0, 0], [1, 0], [1, 1]]
    assert reading.gold.tolist() == ([-1, -1, -1] if gold is None else [1, -1, 0])
