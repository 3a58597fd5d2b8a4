"""Labels, weights and predictions that carry the ids of the items are matched by them, wherever they are passed.

Each test gives the same things in the order of the items and in another order, and expects the same numbers; the other
order taken by position would give others, which is checked too. Kills, tried once: no alignment, alignment the wrong
way round (the inverse permutation), an index that only counts taken for ids, ids of another set taken by position.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.utils import shuffle

import thumbwise as tw
from thumbwise.models.folds import held_out_proba, neg_log_loss
from thumbwise.votes.reading.item_order import in_item_order

N_ITEMS, N_GOLD = 120, 50
RNG = np.random.default_rng(5)
TRUTH = RNG.integers(3, size=N_ITEMS)
ARRAY = np.where(RNG.random((N_ITEMS, 4)) < 0.7, TRUTH[:, None], RNG.integers(3, size=(N_ITEMS, 4)))
IDS = pd.Index([f"q{i:03}" for i in range(N_ITEMS)])
ORDER = RNG.permutation(N_ITEMS)
FRAME = pd.DataFrame(ARRAY, index=IDS, columns=list("abcd"))
Y = pd.Series(np.where(np.arange(N_ITEMS) < N_GOLD, TRUTH, -1), index=IDS)
GOLD = FRAME[:N_GOLD]
LABELS = Y[:N_GOLD]
WEIGHTS = pd.Series(1 + np.arange(N_GOLD) / 10, index=LABELS.index)
BOX = tw.Box.from_bounds(FRAME, {"a": (0.6, 0.9), "b": (0.5, 0.9)})
PREDICTED = pd.Series(ARRAY[:, 0], index=IDS)


def turned(values: Any) -> Any:
    """The same values under the same ids, in another order."""
    return values.iloc[np.random.default_rng(1).permutation(len(values))]


def bounds(box: tw.Box) -> Any:
    return np.array([box.lower, box.upper])


FITTED = tw.MajorityVote().fit(FRAME)
# What takes values per item, given labels, weights and predictions in some order.
ENTRIES: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "fit": (Y, lambda y: tw.BalsubramaniFreund(on_infeasible="widen").fit(FRAME, y).predict_proba(FRAME)),
    "fit of Votes": (Y, lambda y: tw.DawidSkene().fit(tw.Votes(FRAME), y).predict_proba(FRAME)),
    "item_groups": (
        pd.Series(np.arange(N_ITEMS) % 3, index=IDS),
        lambda groups: tw.Votes(FRAME, item_groups=groups).groups,
    ),
    "fit of EBCC": (Y, lambda y: tw.EBCC().fit(FRAME, y).predict_proba(FRAME)),
    "fit of AMCL": (Y, lambda y: tw.AMCL(on_infeasible="widen").fit(FRAME, y).weights_),
    "score": (Y, lambda y: FITTED.score(FRAME, y)),
    "neg_log_loss": (Y, lambda y: neg_log_loss(FITTED, FRAME, y)),
    "held_out_proba": (Y, lambda y: held_out_proba(tw.DawidSkene(), FRAME, y, cv=3)),
    "Box.from_gold": (LABELS, lambda y: bounds(tw.Box.from_gold(GOLD, y, pool=FRAME[N_GOLD:]))),
    "weights": (
        WEIGHTS,
        lambda w: bounds(
            tw.Box.from_gold(
                GOLD,
                LABELS,
                pool=FRAME,
                gold_is=tw.designs.Poisson(w, 9),
                confidence_level=0.5,
            )
        ),
    ),
    "Box.from_gold by class": (
        LABELS,
        lambda y: (
            tw.Box.from_gold(  # names say which rates are compared with
                GOLD,
                y,
                pool=FRAME[N_GOLD:],
                gold_is=tw.designs.ByClass(dict.fromkeys(range(3), (0.3, 0.4))),
                confidence_level=0.5,
            ).names
        ),
    ),
    "Box.exact": (pd.Series(TRUTH, index=IDS), lambda y: bounds(tw.Box.exact(FRAME, y))),
    "Box.exact of probabilities": (
        pd.DataFrame(np.eye(3)[TRUTH], index=IDS),
        lambda proba: bounds(tw.Box.exact(FRAME, proba)),
    ),
    "plan": (LABELS, lambda y: tw.plan(GOLD, y, pool=FRAME[N_GOLD:]).frame()["planned_bound"]),
    "compare": (
        LABELS,
        lambda y: [
            score.accuracy for score in tw.compare(GOLD, y, pool=FRAME[N_GOLD:], methods=["majority vote"]).scores
        ],
    ),
    "check": (LABELS, lambda y: str(tw.check(FRAME[N_GOLD:], GOLD, y, skip=["TW302"]))),
    "certify": (PREDICTED, lambda given: tw.certify(given, FRAME, BOX).worst),
    "certify of probabilities": (
        pd.DataFrame(np.eye(3)[ARRAY[:, 0]] * 0.7 + 0.1, index=IDS),
        lambda given: tw.certify(given, FRAME, BOX, metric="brier").worst,
    ),
    "certify against another": (PREDICTED, lambda given: tw.certify(ARRAY[:, 1], FRAME, BOX, versus=given).worst),
    "share_range": (
        PREDICTED == 1,
        lambda group: tw.share_range(FRAME, tw.Box.exact(FRAME, TRUTH), group=group, of=1).upper,
    ),
    "add_rule": (PREDICTED, lambda given: tw.add_rule(FRAME, given).array[:, -1]),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("entry", ENTRIES)
def test_values_with_ids_may_come_in_any_order(entry: str) -> None:
    values, compute = ENTRIES[entry]
    expected = compute(values)
    np.testing.assert_equal(compute(turned(values)), expected)
    by_position = compute(turned(values).to_numpy())
    assert not np.array_equal(by_position, expected), "the order must matter for this to say anything"


@pytest.mark.parametrize("entry", ENTRIES)
def test_values_with_other_ids_are_refused(entry: str) -> None:
    values, compute = ENTRIES[entry]
    with pytest.raises(tw.InvalidLabelsError, match=r"1 .* are of no item, such as 'new', 1 items have none"):
        compute(values.rename(index={values.index[0]: "new"}))


def test_the_error_says_how_many_which_and_what_to_do() -> None:
    with pytest.raises(tw.InvalidLabelsError) as caught:
        tw.MajorityVote().fit(FRAME, pd.concat([Y[2:], Y[5:6], pd.Series([0], index=["new"])]))
    assert str(caught.value) == (
        "labels with an index must have that of the 120 items; of 120 labels, 1 labels are of no item, such as 'new', "
        "2 items have none, such as 'q000', 1 repeat an id. Pass labels.reindex(ids) with the ids of the items, in "
        "their order, which leaves labels of no item out and makes the others missing; or labels.to_numpy() if the "
        "order is meant and not the index."
    )


def test_labels_of_all_items_and_one_of_them_twice_are_refused() -> None:
    with pytest.raises(tw.InvalidLabelsError, match="of 121 labels, 1 repeat an id"):
        tw.MajorityVote().fit(FRAME, pd.concat([Y, Y[5:6]]))


def test_the_advice_of_the_error_works() -> None:
    """Labels of the gold items alone, brought to all items: the others are missing, that is unknown."""
    model = tw.BalsubramaniFreund().fit(FRAME, turned(LABELS).reindex(FRAME.index))
    assert model.certificate_.n_known == N_GOLD
    np.testing.assert_equal(bounds(model.box_), bounds(tw.BalsubramaniFreund().fit(FRAME, Y).box_))


@pytest.mark.parametrize("is_frame_shuffled", [True, False])
def test_frames_that_were_shuffled_are_matched_by_the_numbers_of_their_rows(is_frame_shuffled: bool) -> None:
    frame, y = FRAME.reset_index(drop=True), Y.reset_index(drop=True)
    shuffled = (frame.iloc[ORDER], y) if is_frame_shuffled else (frame, y.iloc[ORDER])
    found, expected = (tw.DawidSkene().fit(*both).predict_proba(ARRAY) for both in (shuffled, (frame, y)))
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_predictions_for_a_shuffled_frame_are_matched_by_the_numbers_of_its_rows() -> None:
    frame, first, second = FRAME.reset_index(drop=True), pd.Series(ARRAY[:, 0]), pd.Series(ARRAY[:, 1])
    expected = tw.certify(first, frame, BOX, versus=second).worst
    assert tw.certify(first.iloc[ORDER], frame, BOX, versus=second[::-1]).worst == expected
    assert tw.certify(first, frame, BOX, versus=second[::-1].to_numpy()).worst != expected


@pytest.mark.parametrize(
    ("votes", "y"),
    [
        (FRAME, Y.reset_index(drop=True)),
        (FRAME.reset_index(drop=True), Y),
        (ARRAY, Y.iloc[ORDER].set_axis(IDS)),
        (ARRAY, shuffle(Y.reset_index(drop=True), random_state=0)),
        (pl.from_pandas(FRAME), Y),
        (FRAME, pl.Series(Y.to_numpy())),
        (FRAME, Y.tolist()),
        (FRAME.iloc[:40], Y.iloc[60:100].reset_index(drop=True)),
        (tw.Votes(ARRAY), Y),
    ],
)
def test_an_index_on_one_side_only_names_nothing(votes: Any, y: Any) -> None:
    values = np.asarray(y)
    assert np.array_equal(np.asarray(in_item_order(y, votes)), values)
    np.testing.assert_equal(
        tw.DawidSkene().fit(votes, y).predict_proba(ARRAY), tw.DawidSkene().fit(votes, values).predict_proba(ARRAY)
    )


def test_votes_without_ids_and_a_shuffled_index_could_mean_either() -> None:
    votes, y = tw.Votes(ARRAY), Y.reset_index(drop=True)
    with pytest.raises(tw.InvalidLabelsError, match=r"labels\.sort_index\(\).*labels\.to_numpy\(\)"):
        tw.MajorityVote().fit(votes, y.iloc[ORDER])
    np.testing.assert_array_equal(in_item_order(y.iloc[ORDER].sort_index(), votes), y)


def test_ids_of_votes_are_those_that_were_given() -> None:
    votes = tw.Votes(ARRAY, item_ids=IDS.to_numpy())
    assert tw.MajorityVote().fit(votes).score(votes, turned(Y)) == FITTED.score(FRAME, Y)


@pytest.mark.parametrize(
    "index",
    [
        pd.MultiIndex.from_product([range(30), list("wxyz")]),
        pd.date_range("2024-01-01", periods=N_ITEMS),
        pd.Index(np.arange(N_ITEMS) * 2.5),
        pd.Index([7, "seven"] + [("t", i) for i in range(N_ITEMS - 2)], tupleize_cols=False),
    ],
    ids=["several levels", "dates", "floats", "mixed"],
)
def test_ids_of_any_kind(index: pd.Index) -> None:
    frame, y = FRAME.set_axis(index, axis=0), Y.set_axis(index)
    np.testing.assert_array_equal(in_item_order(y.iloc[ORDER], frame), Y)


def test_folds_of_things_in_different_orders_are_refused() -> None:
    """scikit-learn cuts by position, and only then are the labels seen here."""
    from sklearn.model_selection import cross_val_score

    with pytest.raises(tw.InvalidLabelsError, match="of no item"):
        cross_val_score(tw.DawidSkene(), FRAME, turned(Y), error_score="raise")


GOLD_TEXT = pd.Series(["b", "a", "b"], index=["q2", "q0", "q1"])
TABLE = pd.DataFrame({"id": ["q0", "q1", "q2", "q3"], "x": list("abab"), "y": list("aabb")})


def test_gold_of_read_votes_may_be_a_series() -> None:
    by_column = tw.read_votes(TABLE, gold=GOLD_TEXT)
    by_index = tw.read_votes(TABLE.set_index("id"), gold=GOLD_TEXT)
    by_row = tw.read_votes(TABLE.drop(columns="id"), gold=GOLD_TEXT.set_axis([2, 0, 1]))
    by_mapping = tw.read_votes(TABLE, gold=GOLD_TEXT.to_dict())
    for reading in (by_column, by_index, by_row, by_mapping):
        assert reading.gold.tolist() == [0, 1, 1, -1]
    assert "gold labels are matched with the items by their index" in by_column.notes


def test_a_series_that_counts_its_rows_is_in_the_order_of_the_items() -> None:
    labels = pd.Series(["a", "b", "b", "a"])
    assert tw.read_votes(TABLE, gold=labels).gold.tolist() == [0, 1, 1, 0]
    assert tw.read_votes(TABLE, gold=labels.set_axis(TABLE["id"])).gold.tolist() == [0, 1, 1, 0]
    shuffled = TABLE.drop(columns="id").iloc[[2, 0, 3, 1]]
    assert tw.read_votes(shuffled, gold=labels).gold.tolist() == [1, 0, 0, 1]
    polars = pl.DataFrame(TABLE.to_dict("list"))
    assert tw.read_votes(polars, gold=labels).gold.tolist() == [0, 1, 1, 0]
    assert tw.read_votes(polars, gold=pl.Series(labels.tolist())).gold.tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("gold", "error", "says"),
    [
        (GOLD_TEXT.set_axis(["q2", "q0", "q9"]), tw.InvalidLabelsError, "1 of 3 are not, such as 'q9'"),
        (GOLD_TEXT.set_axis(["q2", "q0", "q0"]), tw.InvalidVotesError, "holds 'q0' in rows 1 and 2"),
        (GOLD_TEXT.reset_index(drop=True), tw.InvalidLabelsError, "found 3 labels for 4 items"),
        (GOLD_TEXT.set_axis([5, 6, 7]), tw.InvalidLabelsError, "3 of 3 are not, such as '5'"),
    ],
)
def test_a_series_of_other_items_is_refused(gold: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        tw.read_votes(TABLE, gold=gold)
