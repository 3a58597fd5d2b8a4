"""Reviewed items of votes that are held elsewhere: found by one query, and everything is as for the items in memory.

Kills, tried once: see the notes of each test.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import thumbwise as tw
from engines.conftest import Hold
from engines.holders import lazy_votes, rows_of
from engines.problems import CLASSES, ID, OPTIONS, assert_same_answers, in_memory, make_pool
from thumbwise.models.certified import CertifiedModel
from thumbwise.votes.engines.items import Items
from thumbwise.votes.lazy_votes import LazyVotes

N_REVIEWED = 40


@pytest.fixture
def parquet(tmp_path: Path) -> LazyVotes:
    """The pool in two Parquet files."""
    return lazy_votes("parquet", make_pool()[0], tmp_path, dict, **OPTIONS)


def make_review(n_shared: int = 5) -> dict[Any, Any]:
    """Labels of items, chosen for what one rule says of them; a few of them are gold, with the label that gold has."""
    table, ids, labels = make_pool()
    others = [name for name, vote in zip(table[ID], table["rare"], strict=True) if vote is None and name not in ids]
    said = {name: CLASSES[i % 3] for i, name in enumerate(others[: N_REVIEWED - n_shared])}
    return said | dict(zip(ids[:n_shared], labels[:n_shared], strict=True))


def box_of(votes: Any) -> tw.Box:
    _, ids, labels = make_pool()
    return tw.Box.from_gold(votes.take_ids(ids), labels, pool=votes, gold_is="subset")


def by_mapping(votes: Any) -> Any:
    model = tw.BalsubramaniFreund(on_infeasible="widen")
    return model.fit(votes, box=box_of(votes), reviewed={**make_review(), "no matter": None, "nor": float("nan")})


def certified(votes: Any) -> Any:
    """Labels of another method, certified."""
    box = box_of(votes).with_reviewed(votes, make_review())
    return CertifiedModel(tw.MajorityVote().fit(votes), box, on_infeasible="widen").fit(votes)


def test_everything_is_as_in_memory(held: Hold) -> None:
    """Kills: gold that is reviewed counted twice; reviewed labels left out of what is written, or of the game."""
    assert_same(held(make_pool()[0], **OPTIONS), by_mapping)


def test_labels_of_another_method_too(parquet: LazyVotes) -> None:
    assert_same(parquet, certified)


def assert_same(lazy: LazyVotes, fit: Callable[[Any], Any]) -> None:
    table, _, _ = make_pool()
    votes = in_memory(table)
    there, here = fit(lazy), fit(votes)
    assert (there.certificate_.n_known, there.certificate_.n_reviewed) == (95, 35)
    assert str(there.certificate_) == str(here.certificate_)
    assert str(there.certificate_.accuracy) == str(here.certificate_.accuracy)
    for name in ("log_loss_bound", "entropy", "baseline", "accuracy_at_least", "box_violation"):
        assert getattr(there.certificate_, name) == pytest.approx(getattr(here.certificate_, name), abs=1e-12), name
    proofs = [model.certificate_.accuracy for model in (there, here)]
    np.testing.assert_allclose(proofs[0].multipliers, proofs[1].multipliers, atol=1e-9)
    for ours, theirs in zip(proofs[0].classes, proofs[1].classes, strict=True):
        assert ours.n_labeled == theirs.n_labeled
        assert ours.precision_at_least == pytest.approx(theirs.precision_at_least, abs=1e-9)
        assert ours.recall_at_least == pytest.approx(theirs.recall_at_least, abs=1e-9)
    answered = rows_of(there.predict_proba(lazy))
    assert_same_answers(answered, here, votes, table)
    said = {row[ID]: row["label"] for row in answered}
    assert {name: said[name] for name in make_review()} == make_review()


def test_a_review_changes_what_is_proved(parquet: LazyVotes) -> None:
    """So that equal answers above are not those of a review that nobody read."""
    alone = tw.BalsubramaniFreund().fit(parquet, box=box_of(parquet)).certificate_
    assert alone.log_loss_bound != pytest.approx(by_mapping(parquet).certificate_.log_loss_bound, abs=1e-6)


def test_series_and_numbers_as_ids(held: Hold) -> None:
    table, ids, labels = make_pool()
    place = {name: 1000 - i for i, name in enumerate(table[ID])}
    votes = held({**table, ID: list(place.values())}, **OPTIONS)
    box = tw.Box.from_gold(votes.take_ids([place[name] for name in ids]), labels, pool=votes, gold_is="subset")
    review = {place[name]: label for name, label in make_review().items()}
    series = pd.Series([CLASSES.index(label) for label in review.values()], index=list(review))
    for some in (review, series):
        known = box.with_reviewed(votes, some).reviewed
        assert known is not None
        assert dict(zip(known.item_ids.tolist(), [CLASSES[c] for c in known.labels], strict=True)) == review


def test_one_query_for_all_that_is_known(parquet: LazyVotes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kills: a query for ids and another for votes; one for gold and another for the review; one for each proof."""
    table, ids, _ = make_pool()
    asked: list[int] = []
    fetch = Items.fetch_rows

    def watched(self: Items, wanted: Any) -> Any:
        asked.append(len(wanted))
        rows = fetch(self, wanted)
        assert len(rows[0]) <= len(wanted)
        return rows

    box = box_of(parquet)
    monkeypatch.setattr(Items, "fetch_rows", watched)
    review = {name: "ham" for name in table[ID][:90] if name not in ids}
    model = tw.BalsubramaniFreund(on_infeasible="widen").fit(parquet, box=box, reviewed=review)
    assert model.certificate_.accuracy is not None
    model.predict_proba(parquet)
    assert asked == [60 + len(review)]
    assert len(parquet._fetched) == 60 + len(review)


MISTAKES = [
    ({"item-1's": "ham", "item-x": "ham", "y": "spam"}, r"2 of 3 are not, such as 'item-x' \(items have ids such as"),
    ({"item-1's": "hem"}, "found 'hem' at position 0"),
    ({"item-1's": None}, "at least one reviewed label"),
    ({}, "at least one reviewed label"),
    ({7: "ham"}, "the same on both sides|1 of 1 are not, such as 7"),
]


@pytest.mark.parametrize(("review", "said"), MISTAKES)
def test_mistakes_are_said_alike(parquet: LazyVotes, review: dict[Any, Any], said: str) -> None:
    for votes in (parquet, in_memory(make_pool()[0])):
        with pytest.raises(tw.InvalidLabelsError, match=said):
            box_of(votes).with_reviewed(votes, review)


def test_a_number_among_texts_is_no_text(tmp_path: Path) -> None:
    """NumPy would make texts of both."""
    table, _, _ = make_pool()
    table[ID][399] = "7"
    for votes in (lazy_votes("parquet", table, tmp_path, dict, **OPTIONS), in_memory(table)):
        with pytest.raises(tw.InvalidLabelsError, match="1 of 2 are not, such as 7 "):
            box_of(votes).with_reviewed(votes, {"item-1's": "ham", 7: "ham"})


def test_labels_that_gold_contradicts(parquet: LazyVotes) -> None:
    table, ids, labels = make_pool()
    wrong = {name: "ham" if label == "spam" else "spam" for name, label in zip(ids, labels, strict=True)}
    review = {**make_review(0), **dict(list(wrong.items())[:3]), ids[3]: labels[3]}
    for votes in (parquet, in_memory(table)):
        with pytest.raises(tw.InvalidLabelsError, match=r"must be equal; item .*3 such items of 4 that have both"):
            box_of(votes).with_reviewed(votes, review)


@pytest.mark.parametrize("labels", [["ham"] * 400, np.zeros(400, dtype=int), pd.Series(["ham"] * 400)])
def test_labels_without_ids_are_refused_where_rows_have_no_order(parquet: LazyVotes, labels: Any) -> None:
    with pytest.raises(tw.InvalidLabelsError, match="must come with ids, because their rows have no order"):
        box_of(parquet).with_reviewed(parquet, labels)


def test_items_without_ids_are_refused(tmp_path: Path) -> None:
    lazy = lazy_votes("parquet", {"a": [0, 1], "b": [0, 1]}, tmp_path, dict, n_classes=2)
    with pytest.raises(tw.InvalidLabelsError, match="need items with ids"):
        tw.Box.from_bounds(lazy, {"a": (0.5, 1)}).with_reviewed(lazy, {1: 0})


def test_reviewing_all_leaves_nothing_to_prove(parquet: LazyVotes) -> None:
    table, ids, labels = make_pool()
    review = dict.fromkeys(table[ID], "ham") | dict(zip(ids, labels, strict=True))
    model = tw.BalsubramaniFreund(on_infeasible="widen").fit(parquet, box=box_of(parquet), reviewed=review)
    assert str(model.certificate_).startswith("All 400 items have a gold or a reviewed label")
    assert {row[ID]: row["label"] for row in rows_of(model.predict(parquet))} == review
