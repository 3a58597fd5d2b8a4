"""What an engine answers for each item, fitted there, is what the model fitted in memory says, to 1e-12."""

from __future__ import annotations

import pytest

import thumbwise as tw
from engines.conftest import Hold
from engines.holders import rows_of
from engines.problems import (
    FITS,
    ID,
    OPTIONS,
    RULES,
    assert_same_answers,
    fit_pinned,
    in_memory,
    lazy_and_model,
    make_pool,
)


@pytest.mark.parametrize("method", FITS)
def test_fitted_there_and_here(held: Hold, method: str) -> None:
    table, lazy, model = lazy_and_model(held, FITS[method])
    votes = in_memory(table)
    assert_same_answers(rows_of(model.predict_proba(lazy)), FITS[method](votes), votes, table)


def test_the_certificate_is_the_same(held: Hold) -> None:
    table, _, model = lazy_and_model(held, fit_pinned)
    ours, theirs = model.certificate_, fit_pinned(in_memory(table)).certificate_
    assert abs(ours.log_loss_bound - theirs.log_loss_bound) <= 1e-12
    assert ours.n_known == theirs.n_known == 60


def test_gold_items_keep_their_label(held: Hold) -> None:
    _, lazy, model = lazy_and_model(held, fit_pinned)
    _, ids, labels = make_pool()
    said = {row[ID]: row for row in rows_of(model.predict_proba(lazy))}
    assert [said[name]["label"] for name in ids] == labels
    assert {said[name]["p_spam"] for name, label in zip(ids, labels, strict=True) if label == "spam"} == {1.0}


def test_labels_alone(held: Hold) -> None:
    table, lazy, model = lazy_and_model(held, fit_pinned)
    votes = in_memory(table)
    said = {row[ID]: row for row in rows_of(model.predict(lazy))}
    assert [said[name]["label"] for name in table[ID]] == fit_pinned(votes).predict(votes).tolist()
    assert list(said[table[ID][0]]) == [ID, "note", "label"]


def test_rules_in_another_order_than_in_the_fit(held: Hold) -> None:
    table, _, _ = make_pool()
    votes = in_memory(table)
    model = tw.DawidSkene(prior_right=2, prior_wrong=1).fit(votes)
    lazy = held(table, **{**OPTIONS, "rules": RULES[::-1]})
    assert_same_answers(rows_of(model.predict_proba(lazy)), model, votes, table)


def test_numbers_without_ids(held: Hold) -> None:
    lazy = held({"a": [0, 1, None, 0], "b": [0, 1, None, 1]}, n_classes=2)
    said = rows_of(tw.MajorityVote().fit(lazy).predict_proba(lazy))
    rows = sorted((row["p_0"], row["p_1"], row["label"]) for row in said)
    assert rows == [(0, 1, 1), (0.5, 0.5, 0), (0.5, 0.5, 0), (1, 0, 0)]


def test_labels_by_position_are_refused(held: Hold) -> None:
    lazy = held({"a": [0, 1], "b": [0, 1]}, n_classes=2)
    for ask in (lambda: tw.DawidSkene().fit(lazy, [0, 1]), lambda: tw.MajorityVote().fit(lazy).score(lazy, [0, 1])):
        with pytest.raises(tw.InvalidLabelsError, match="take_ids"):
            ask()
