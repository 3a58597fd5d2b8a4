"""Scores that are none, or whose class nobody names: each is refused with where, how many and what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import thumbwise as tw

from .messages import assert_says, message_of

GOOD = pd.DataFrame({"id": range(6), "a": [0, 3, 9, 4, 5, 1], "b": [2, 2, 8, 7, 0, 1]})
GOLD = {0: "fine", 2: "toxic", 3: "toxic"}


def read(frame: pd.DataFrame = GOOD, gold: Any = GOLD, **options: Any) -> tw.Reading:
    return tw.read_votes(frame, gold=gold, **{"scores": "toxic", **options})


def changed(**columns: list[Any]) -> pd.DataFrame:
    return GOOD.assign(**columns)


@pytest.mark.parametrize(
    ("action", "parts"),
    [
        (
            lambda: read(changed(a=["1", "x", "3", "4", "y", "6"])),
            ("be numbers", "'a'", "'x' in row 1", "2 such rows", "ignore=['a']"),
        ),
        (lambda: read(changed(b=[1, 2, 3, np.inf, 5, 6])), ("be finite", "'b'", "row 3", "1 such rows")),
        (
            lambda: read(changed(a=[1.0] * 6, b=[2.0] * 6)),
            ("tell items apart", "each judge gives all items the same one"),
        ),
        (lambda: read(scores="toxick"), ("one of the classes, 'fine', 'toxic'", "scores='toxick'")),
        (lambda: read(scores=None, scores_are="ratings"), ("which class high ones speak for", "scores=CLASS")),
        (lambda: read(scores=None, threshold=5), ("which class high ones speak for", "scores=CLASS")),
        (lambda: read(gold={0: "a", 1: "b", 2: "c"}, scores="a"), ("one of two classes", "found 3", "drop scores")),
        (lambda: read(gold=None), ("need to know their classes", "'toxic'", "class_names=[...]")),
        (lambda: read(scores_are="stars"), ("scores_are must be one of 'ratings'", "'stars'")),
        (
            lambda: read(changed(a=[0, 1, 1, 0, 0, 1], b=[0, 0, 1, 1, 1, 1]), gold={0: 0, 2: 1}, scores=1),
            ("other numbers than the classes", "0, 1", "drop scores"),
        ),
        (
            lambda: read(scores_are="probabilities"),
            ("probabilities must lie between 0 and 1", "'a'", "row 1", "4 such", 'scores_are="ratings"'),
        ),
        (
            lambda: read(scores_are="log-probabilities"),
            ("log-probabilities must be at most 0", 'scores_are="probabilities"'),
        ),
        (lambda: read(scores_are="probabilities", threshold=0.3), ("between 0 and 1",)),
        (
            lambda: read(GOOD[["id"]].assign(p=[0.1] * 6), scores_are="probabilities", threshold=0.3),
            ("threshold is for ratings",),
        ),
        (
            lambda: read(GOOD[["id"]].assign(p=[0.1, 0.2] * 3), scores=None, scores_are="probabilities"),
            ("of which class", "scores=CLASS", "'gpt:fine'", "column 'p'"),
        ),
        (
            lambda: read(GOOD[["id"]].assign(**{"g:fine": [0.1] * 6}), scores=None, scores_are="probabilities"),
            ("a column for each class", "'g' has none for 'toxic'", "scores=CLASS"),
        ),
        (
            lambda: read(
                GOOD[["id"]].assign(**{"g:fine": [0.5] * 6, "g:toxic": [0.5, 0.5, 0.9, 0.5, 0.5, 0.5]}),
                scores=None,
                scores_are="probabilities",
            ),
            ("sum to 1", "'g'", "1.4 in row 2", "1 such rows", "log-probabilities"),
        ),
        (
            lambda: read(changed(a=["toxic", "fine"] * 3), scores=None, scores_are="confidences", ignore=["b"]),
            ("a confidence beside it", "'a_confidence'", "'toxic' in row 0", "6 such rows"),
        ),
        (
            lambda: read(
                GOOD[["id"]].assign(a=["toxic", "fine"] * 3, a_conf=[-1.0, 1, 1, 1, 1, 1]),
                scores=None,
                scores_are="confidences",
            ),
            ("must not be negative", "'a'", "1 times"),
        ),
        (lambda: read(codes={"0": "fine"}), ("without codes and abstain",)),
        (lambda: read(layout="jury"), ("records of judges hold verdicts", 'layout="long"')),
        (lambda: tw.ScoredVotes([[1, 2]], scores=1, rule_names=["a"]), ("one for each of the 2 columns",)),
        (lambda: tw.ScoredVotes([1, 2], scores=1), ("must be a table", "(2,)")),
        (lambda: tw.ScoredVotes(GOOD, scores=1, item_ids="key"), ("column 'key' of ids", "'id', 'a', 'b'")),
    ],
)
def test_what_is_refused_and_how(action: Callable[[], object], parts: tuple[str, ...]) -> None:
    assert_says(message_of(tw.InvalidVotesError, action), *parts)


def test_many_files_are_refused(tmp_path: Path) -> None:
    GOOD.to_parquet(tmp_path / "a.parquet")
    message = message_of(tw.InvalidVotesError, lambda: tw.read_votes(tmp_path / "*.parquet", gold=GOLD, scores="toxic"))
    assert_says(message, "read into memory", "one file")


def test_a_rating_table_without_a_word_is_noted() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 10, size=(60, 3)), columns=["a", "b", "c"]).reset_index(names="id")
    gold = {i: i % 2 for i in range(30)}
    notes = "\n".join(tw.read_votes(frame, gold=gold).notes)
    assert "numbers of 10 classes, and gold knows 2" in notes and "scores=CLASS" in notes
    few = frame.assign(a=frame["a"] % 2, b=frame["b"] % 2, c=frame["c"] % 2)
    assert "scores" not in "\n".join(tw.read_votes(few, gold=gold).notes)


def test_numbers_beside_gold_in_words_or_with_fractions_point_to_scores() -> None:
    assert_says(message_of(tw.InvalidLabelsError, lambda: tw.read_votes(GOOD, gold=GOLD)), "scores=CLASS")
    half = changed(a=[0.5, 1, 2, 0, 0, 0])
    assert_says(message_of(tw.InvalidVotesError, lambda: tw.read_votes(half, gold={0: 0, 1: 1})), "scores=CLASS")


def test_gold_on_another_scale_is_refused() -> None:
    rng = np.random.default_rng(0)
    table, truth = rng.normal(size=(100, 3)), rng.integers(2, size=100)
    votes = tw.ScoredVotes(table, scores=1)
    own = tw.ScoredVotes(table[:40], scores=1)
    for gold in (own, own.verdicts()):
        with pytest.raises(tw.InvalidVotesError, match="must be scored on one scale"):
            tw.Box.from_gold(gold, truth[:40], pool=votes, gold_is="subset")
    pool = tw.ScoredVotes(table[40:], scores=1)
    with pytest.raises(tw.InvalidVotesError, match="made of 60 items, and gold and pool are 100"):
        tw.Box.from_gold(tw.ScoredVotes(table[:40], like=pool), truth[:40], pool=pool)
    with pytest.raises(tw.InvalidVotesError, match="Drop features"):
        tw.BalsubramaniFreund().fit(votes, np.where(np.arange(100) < 40, truth, -1), X=table)
    with pytest.raises(tw.InvalidVotesError, match="same judges, 'rule_0'"):
        tw.ScoredVotes(table[:, :2], like=votes)


def test_what_a_fit_to_scores_cannot_do_is_said(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=200)
    votes = tw.ScoredVotes(truth[:, None] + rng.normal(size=(200, 3)), scores=1)
    model = tw.BalsubramaniFreund(tol=1e-6).fit(votes, np.where(np.arange(200) < 60, truth, -1))
    with pytest.raises(tw.InvalidFileError, match=r"fitted to scores.*votes\.verdicts\(\)"):
        model.save(tmp_path / "model.json")
    with pytest.raises(tw.InvalidVotesError, match="fitted to scores, and needs them here"):
        model.predict(votes.verdicts())
    with pytest.raises(tw.InvalidChoiceError, match="which the votes bring along"):
        model.predict(votes, X=votes.ranked)
